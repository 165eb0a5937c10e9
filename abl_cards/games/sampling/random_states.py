"""Random tables that cover the rules: hands that hold what forms need, every form to beat, fluents of all values.

What lies on a table fits together: hands, cards laid down and cards aside are one pack, and who holds nothing is out.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import derive_key
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import WILD, Form, parse_rank_and_suit
from abl_cards.games.moves import sample_card_sets, scratch_for
from abl_cards.games.state import NO_SEAT, PLAY, TableState
from abl_cards.games.tables import (
    FixedDeals,
    clear_tricks,
    find_ambiguous_tricks,
    find_max_declared,
    largest_hand,
    sample_fluents,
    settle_tricks,
)
from abl_cards.games.types import LEADING, NO_CARD, Indices

_LEAD_SHARE = 0.2
_FORM_CARDS_SHARE = 0.7
_EXACT_SHARE = 0.2  # of hands that hold these cards and no others
_SKEWED_SHARE = 0.5  # of hands in which some kinds of cards are likelier than others
_BATCH_SIZE = 1 << 10


def sample_state(
    rules: CompiledGame, n: int, rng: np.random.Generator, fluents: NDArray[np.int16] | None = None
) -> TableState:
    """Tables where a seat is to play; what they remember is given by fluents [n, slots], or anything."""
    state, seats = rules.create_state(n), rules.seating.seats
    state.stage[:] = PLAY
    state.fluents[:] = sample_fluents(rules, n, rng) if fluents is None else fluents
    state.context[:] = rules.contexts.compute_index(state.fluents)
    state.seat[:] = rng.integers(0, seats, n)
    _sample_hands(rules, state, _sample_form_cards(rules, state.context, rng), rng)
    if rules.trick_query is None:
        _sample_trick(rules, state, rng)
    else:
        _sample_trick_cards(rules, state, rng)
    state.num_plays[:] = (state.played.sum(axis=2) + 2) // 3  # whoever has laid cards down has done so at least once
    state.num_acts[:] = rng.integers(0, find_max_declared(rules, "acts", 1) + 1, n)
    if rules.has_draws:
        _sample_stock(rules, state, rng)
    lots = rules.kb.facts_as_dict("lots")
    for place, name in enumerate(rules.schema.lots):
        state.lots[:, place] = rng.integers(0, int(lots[name]), n)
    return state


def _sample_stock(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """Most stocks are drawn to the end; who drew, and what, is anybody and anything."""
    n, cards = len(state.seat), sum(rules.seating.num_dealt)
    state.stock[:] = rng.permuted(np.tile(rules.pack.deck, (n, 1)), axis=1)
    state.num_drawn[:] = np.where(rng.random(n) < 0.5, cards, rng.integers(0, cards + 1, n))
    state.last_drawer[:] = np.where(state.num_drawn > 0, rng.integers(0, rules.seating.seats, n), NO_SEAT)
    state.is_just_drawn[:] = (state.num_drawn > 0) & (rng.random(n) < 0.5)


def _sample_trick(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    n, seats = len(state.seat), rules.seating.seats
    forms = sample_forms(rules, n, rng)
    state.to_beat[:] = np.where(rng.random(n) < _LEAD_SHARE, LEADING, forms)
    other = (state.seat + rng.integers(1, seats, n)) % seats
    state.owner[:] = np.where(state.to_beat < 0, state.seat, other)
    _place_cards_to_beat(rules, state)
    state.last_actor[:] = rng.integers(0, seats, n)
    state.last_form[:] = rng.integers(0, len(rules.forms), n)
    everyone = 1 << seats
    state.passed[:] = rng.integers(0, everyone, n)
    state.passed_in_trick[:] = state.passed | rng.integers(0, everyone, n).astype(np.uint16)
    state.passed[state.to_beat < 0] = state.passed_in_trick[state.to_beat < 0] = 0
    empty = state.hands.sum(axis=2) == 0
    state.seats_out[:] = (empty << np.arange(seats)).sum(axis=1)
    places = rng.permuted(np.tile(np.arange(seats, dtype=np.int8), (n, 1)), axis=1)
    first = np.argsort(~empty[np.arange(n)[:, None], places], axis=1, kind="stable")  # who is out has a place
    places = np.take_along_axis(places, first, axis=1)
    state.finish_order[:] = np.where(np.arange(seats) < empty.sum(axis=1)[:, None], places, NO_SEAT)


def _place_cards_to_beat(rules: CompiledGame, state: TableState) -> None:
    """Cards for the plays to beat, none of them in the hand that decides; as if it led, where the others have none."""
    rows = np.flatnonzero(state.to_beat >= 0)
    for some in np.array_split(rows, len(rows) // _BATCH_SIZE + 1):
        n, forms = len(some), state.to_beat[some].astype(np.int64)
        hands = rules.pack.copies - state.hands[some, state.seat[some]]
        allowed = np.zeros((len(rules.forms), n), np.uint8)
        allowed[forms, np.arange(n)] = 1
        labels, cards = rules.forms.label_of[forms], np.full((n, rules.forms.max_cards), NO_CARD, np.uint8)
        found, form = np.zeros(n, np.int64), np.zeros(n, np.int16)
        sample_card_sets(
            rules.full_move_query.move_tables, hands.astype(np.uint8), state.context[some], np.ones(n, np.int8), labels,
            np.concatenate([np.zeros((len(rules.labels), n), np.uint8), allowed]),
            derive_key(0) + some.astype(np.uint64), 0, n, form, cards,
            scratch_for(rules.move_tables, rules.forms.max_cards), found,
        )  # fmt: skip
        there = (found > 0) & (form == forms)
        state.top_cards[some[there], : cards.shape[1]] = cards[there]
        _move_to_played(state.hands, state.aside, state.played, some[there], cards[there], state.owner, state.seat)
        state.to_beat[some[~there]], state.owner[some[~there]] = LEADING, state.seat[some[~there]]


@njit(cache=True, nogil=True)
def _move_to_played(hands, aside, played, rows, cards, owner, seat):
    """The cards [n, most] are among those that the owners at tables rows[:] have laid down; nobody's hand gains."""
    seats = hands.shape[1]
    for i in range(len(rows)):
        table, mine = rows[i], owner[rows[i]]
        for place in range(cards.shape[1]):
            card = cards[i, place]
            if card == NO_CARD or (cards[i, : place + 1] == card).sum() <= played[table, mine, card]:
                continue
            if aside[table, card]:
                aside[table, card] -= 1
                played[table, mine, card] += 1
            for other in range(seats):
                if (cards[i, : place + 1] == card).sum() <= played[table, mine, card]:
                    break
                if other != mine and played[table, other, card]:
                    played[table, other, card] -= 1
                    played[table, mine, card] += 1
                elif other != seat[table] and hands[table, other, card]:
                    hands[table, other, card] -= 1
                    played[table, mine, card] += 1


def _sample_trick_cards(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """The seats before that of the decision have laid a card each, of those that they have played."""
    n, seats = len(state.seat), rules.seating.seats
    wanted, rows = rng.integers(0, seats, n), np.arange(n)
    before = np.array([rules.seating.next_seat.index(seat) for seat in range(seats)], np.int8)
    plays: list[tuple[Indices, NDArray[np.int8], Indices]] = []
    state.leader[:] = state.owner[:] = state.seat
    going, seat = np.ones(n, np.bool_), state.seat
    for place in range(seats - 1):
        seat = before[seat]
        going &= (place < wanted) & state.played[rows, seat].any(axis=1)
        lots = rng.random((n, len(rules.pack))) * (state.played[rows, seat] > 0)
        kind = lots.argmax(axis=1)
        plays.append((rows[going].astype(np.int64), seat[going], kind[going]))
        state.leader[going] = seat[going]
    state.last_actor[:] = np.where(state.leader == state.seat, rng.integers(0, seats, n), before[state.seat])
    state.last_form[:] = rng.integers(0, len(rules.forms), n)
    state.seats_out[:] = ((state.hands.sum(axis=2) == 0) << np.arange(seats)).sum(axis=1)
    _replay_trick(rules, state, plays)


def _replay_trick(
    rules: CompiledGame, state: TableState, plays: Sequence[tuple[Indices, NDArray[np.int8], Indices]]
) -> None:
    """Lay cards into tricks, at tables by seats of kinds, the last first: after each it is settled whose trick it is.

    So the owner of a trick is the one that play would have come to. Where nobody takes it, or several do, by what a
    table remembers, no card lies there.
    """
    last = state.last_actor.copy()
    for rows, seat, kind in reversed(plays):
        leading = state.leader[rows] == seat
        state.owner[rows[leading]] = seat[leading]
        there = leading | (state.trick_forms[rows] >= 0).any(axis=1)
        which, seat, kind = rows[there], seat[there], kind[there]
        state.last_actor[which] = seat
        state.trick_cards[which, seat, kind] = 1
        state.trick_forms[which, seat] = rules.single_card_forms[state.context[which], kind]
        wrong = find_ambiguous_tricks(rules, state, which)
        clear_tricks(state, wrong)
        state.to_beat[wrong], state.top_cards[wrong], state.owner[wrong] = LEADING, NO_CARD, state.seat[wrong]
        settle_tricks(rules, state, np.setdiff1d(which, wrong))
    state.last_actor[:] = last


def sample_forms(rules: CompiledGame, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """[n] forms but the pass: half of them one after the other, half of them such that every kind is as likely."""
    kinds: dict[object, list[int]] = {}
    for place, form in enumerate(rules.forms.forms):
        if place != rules.forms.pass_form:
            kinds.setdefault(form.kind, []).append(place)
    families = [np.array(members) for members in kinds.values()]
    everyone = np.resize(rng.permutation(np.concatenate(families)), n)
    sizes = np.array([len(members) for members in families])
    kind = rng.integers(0, len(families), n)
    table = np.stack([np.resize(members, sizes.max()) for members in families])
    return np.where(rng.random(n) < 0.5, everyone, table[kind, rng.integers(0, sizes[kind])])


# --- hands ------------------------------------------------------------------------------------------------------------


def _group_forms_by_kind(rules: CompiledGame, forms: NDArray[np.int64]) -> tuple[list[NDArray[np.int64]], list[int]]:
    """The forms of every kind, and by the number of a kind that of each of some forms."""
    kinds: dict[object, list[int]] = {}
    for place, form in enumerate(rules.forms.forms):
        kinds.setdefault(form.kind, []).append(place)
    numbers = {kind: number for number, kind in enumerate(kinds)}
    return [np.array(some) for some in kinds.values()], [numbers[rules.forms.forms[form].kind] for form in forms]


def _sample_form_cards(
    rules: CompiledGame, context: NDArray[np.int16], rng: np.random.Generator,
    forms: Sequence[NDArray[np.int64]] | None = None,
) -> NDArray[np.uint8]:  # fmt: skip
    """[n, kinds] cards of a form or two, as far as the pack has them; wanted forms [n] before others."""
    n = len(context)
    found = np.zeros((n, len(rules.pack)), np.uint8)
    planter = _FormCardSampler(rules, rng)
    for chosen in forms or (sample_forms(rules, n, rng) for _ in range(2)):
        for row in np.flatnonzero(rng.random(n) < _FORM_CARDS_SHARE):
            planter.add_form(rules.forms.forms[chosen[row]], int(context[row]), found[row])
    return np.minimum(found, rules.pack.copies)


class _FormCardSampler:
    """Puts the cards of forms into hands."""

    def __init__(self, rules: CompiledGame, rng: np.random.Generator) -> None:
        self._rules, self._rng = rules, rng
        self._kind_cache: dict[tuple[int, int], list[int]] = {}
        self._suits = [parts[1] if (parts := parse_rank_and_suit(kind)) else None for kind in rules.pack.kinds]
        self._wild_kinds = [rules.cells.find_kinds(WILD, context) for context in range(len(rules.cells.acts_as))]

    def add_form(self, form: Form, context: int, hand: NDArray[np.uint8]) -> None:
        """Add the cards of a form to a hand [kinds], some of them wild."""
        wilds = min(form.max_wilds, len(self._wild_kinds[context])) if self._rng.random() < 0.3 else 0
        for group in form.groups:
            kinds = self._find_kinds(group.cell, context) if group.only_kind is None else [group.only_kind]
            if form.suit is not None:
                kinds = [kind for kind in kinds if self._suits[kind] == form.suit]
            stand_ins = min(wilds, group.count - group.min_natural)
            wilds -= max(0, stand_ins)
            self._add_cards(self._wild_kinds[context], stand_ins, hand)
            self._add_cards(kinds, group.count - max(0, stand_ins), hand)
        if form.kickers:
            cells = list(form.kickers.allowed)
            for cell in self._rng.choice(cells, min(form.kickers.num_groups, len(cells)), replace=False):
                self._add_cards(self._find_kinds(int(cell), context), form.kickers.group_size, hand)

    def _add_cards(self, kinds: Sequence[int], count: int, hand: NDArray[np.uint8]) -> None:
        """The copies of some kinds, which lie in any order."""
        copies = [kind for kind in kinds for _ in range(int(self._rules.pack.copies[kind]))]
        if count > 0 and copies:
            chosen = self._rng.permutation(len(copies))[:count]
            np.add.at(hand, [copies[each] for each in chosen], 1)

    def _find_kinds(self, cell: int, context: int) -> list[int]:
        if (cell, context) not in self._kind_cache:
            acts = self._rules.cells.acts_as[context]
            self._kind_cache[cell, context] = np.flatnonzero((acts == cell).any(axis=1)).tolist()
        return self._kind_cache[cell, context]


def _sample_hands(
    rules: CompiledGame, state: TableState, form_cards: NDArray[np.uint8], rng: np.random.Generator
) -> None:
    """Deal the whole pack: the seats to decide hold what is planted, and more; nobody more than can be."""
    n, seats, deck = len(form_cards), rules.seating.seats, rules.pack.deck.astype(np.int64)
    most = largest_hand(rules)
    holders = seats + 1 + seats  # hands, what is aside, what each seat has laid down
    own = np.maximum(rng.integers(0, most + 1, n), np.minimum(form_cards.sum(axis=1), most))
    own[rng.random(n) < 0.1] = most
    own = np.maximum(own, 1)  # who decides has cards
    exact = (rng.random(n) < _EXACT_SHARE) & form_cards.any(axis=1)
    own = np.where(exact, np.minimum(form_cards.sum(axis=1), most), own)
    bounds, rest = [own], len(deck) - own
    for holder in range(1, seats + 1):
        room = most if holder < seats else len(deck) - sum(rules.seating.num_dealt)
        size = rng.integers(0, np.minimum(rest, room) + 1)
        size[rng.random(n) < 0.3] = 0 if holder == seats else 1
        size = np.minimum(size, rest)
        bounds.append(bounds[-1] + size)
        rest = rest - size
    order = _shuffle_deck(rules, form_cards, rng)
    holder = (np.arange(len(deck))[None, :, None] >= np.stack(bounds, axis=1)[:, None, :]).sum(axis=2)
    laid = holder > seats
    holder[laid] = seats + 1 + rng.integers(0, seats, int(laid.sum()))
    hand = holder < seats
    holder = np.where(hand, (holder + state.seat[:, None]) % seats, holder)
    kinds = len(rules.pack)
    places = (np.arange(n)[:, None] * holders + holder) * kinds + deck[order]
    counts = np.bincount(places.ravel(), minlength=n * holders * kinds).reshape(n, holders, kinds).astype(np.uint8)
    state.hands[:], state.aside[:], state.played[:] = counts[:, :seats], counts[:, seats], counts[:, seats + 1 :]


def _shuffle_deck(rules: CompiledGame, form_cards: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    """[n, cards] places of the deck in a random order, what is planted first."""
    return _sample_deck_keys(rules, form_cards, rng).argsort(axis=1)


def _sample_deck_keys(
    rules: CompiledGame, form_cards: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.float64]:
    """[n, cards] random numbers: low for the cards that are planted, and for kinds that are likelier than others."""
    deck, (n, kinds) = rules.pack.deck.astype(np.int64), form_cards.shape
    copy = np.zeros(len(deck), np.int64)
    for kind in range(kinds):
        mine = deck == kind
        copy[mine] = np.arange(int(mine.sum()))
    likely = rng.random((n, kinds)) < rng.random((n, 1))
    likely &= rng.random((n, 1)) < _SKEWED_SHARE
    noise = rng.random((n, len(deck))) - 0.7 * likely[:, deck]
    noise -= 4.0 * (copy < form_cards[:, deck])
    return noise


def sample_stacked_deals(
    rules: CompiledGame, context: NDArray[np.int16], rng: np.random.Generator
) -> tuple[FixedDeals, NDArray[np.uint8]]:
    """Deal hands [n, seats, kinds] in contexts [n], each a deal that a shuffle can give.

    Most seats of a table hold a form of one kind, so that they can answer each other, and many another form. Returns
    the deals, and of each hand [n, seats, kinds] the cards of these forms.
    """
    deck, n, kinds = rules.pack.deck.astype(np.int64), len(context), len(rules.pack)
    rows, taken = np.arange(n)[:, None], np.zeros((n, len(rules.pack.deck)), np.bool_)
    hands = np.zeros((n, rules.seating.seats, kinds), np.uint8)
    if rules.has_draws:
        stock = deck[_shuffle_deck(rules, _sample_form_cards(rules, context, rng), rng)].astype(np.uint8)
        return FixedDeals(hands, np.tile(rules.pack.copies, (n, 1)).astype(np.uint8), stock), hands
    members, kind = _group_forms_by_kind(rules, sample_forms(rules, n, rng))
    kept = np.zeros_like(hands)
    for seat in rng.permutation(rules.seating.seats).tolist():
        alike = np.array([rng.choice(members[each]) for each in kind])
        first = _sample_form_cards(rules, context, rng, [alike])
        other = _sample_form_cards(rules, context, rng, [sample_forms(rules, n, rng)])
        other[rng.random(n) < 0.5] = 0
        places = _sample_deck_keys(rules, np.minimum(first + other, rules.pack.copies), rng)
        cards = np.where(taken, np.inf, places).argsort(axis=1)[:, : rules.seating.num_dealt[seat]]
        taken[rows, cards] = True
        np.add.at(hands, (rows, seat, deck[cards]), 1)
        kept[:, seat] = np.minimum(first, hands[:, seat])
    return FixedDeals(hands, (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)), kept
