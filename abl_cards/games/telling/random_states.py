"""Random tables that cover the rules: hands that hold what forms need, every form to beat, fluents of all values.

What lies on a table fits together: hands, cards laid down and cards aside are one pack, and who holds nothing is out.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.book import room_for
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.play.one_set import realise
from abl_cards.games.play.state import NOBODY, PLAY, State
from abl_cards.games.play.tables import Given
from abl_cards.games.play.tricks import clear, settle, unclear
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.pack import WILD, rank_and_suit
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD, Indices
from abl_cards.games.telling.random_fluents import most_declared, random_fluents
from abl_cards.streams import key_of

_LEAD_SHARE = 0.2
_PLANTED_SHARE = 0.7
_EXACT_SHARE = 0.2  # of hands that hold these cards and no others
_NARROW_SHARE = 0.5  # of hands in which some kinds of cards are likelier than others
_LAID_AT_ONCE = 1 << 10


def random_state(rules: Rules, n: int, random: np.random.Generator, fluents: NDArray[np.int16] | None = None) -> State:
    """Tables where a seat is to play; what they remember is given by fluents [n, slots], or anything."""
    state, seats = rules.tables(n), rules.table.seats
    state.stage[:] = PLAY
    state.fluents[:] = random_fluents(rules, n, random) if fluents is None else fluents
    state.context[:] = rules.contexts.of(state.fluents)
    state.seat[:] = random.integers(0, seats, n)
    _deal(rules, state, _planted(rules, state.context, random), random)
    if rules.taking is None:
        _random_trick(rules, state, random)
    else:
        _cards_in_tricks(rules, state, random)
    state.plays[:] = (state.played.sum(axis=2) + 2) // 3  # whoever has laid cards down has done so at least once
    state.acts[:] = random.integers(0, most_declared(rules, "acts", 1) + 1, n)
    if rules.draws:
        _random_stock(rules, state, random)
    lots = rules.kb.pairs("lots")
    for place, name in enumerate(rules.words.lots):
        state.lots[:, place] = random.integers(0, int(lots[name]), n)
    return state


def _random_stock(rules: Rules, state: State, random: np.random.Generator) -> None:
    """Most stocks are drawn to the end; who drew, and what, is anybody and anything."""
    n, cards = len(state.seat), sum(rules.table.dealt)
    state.stock[:] = random.permuted(np.tile(rules.pack.deck, (n, 1)), axis=1)
    state.drawn[:] = np.where(random.random(n) < 0.5, cards, random.integers(0, cards + 1, n))
    state.drew[:] = np.where(state.drawn > 0, random.integers(0, rules.table.seats, n), NOBODY)
    state.fresh[:] = (state.drawn > 0) & (random.random(n) < 0.5)


def _random_trick(rules: Rules, state: State, random: np.random.Generator) -> None:
    n, seats = len(state.seat), rules.table.seats
    forms = forms_in_turn(rules, n, random)
    state.to_beat[:] = np.where(random.random(n) < _LEAD_SHARE, LEADING, forms)
    other = (state.seat + random.integers(1, seats, n)) % seats
    state.owner[:] = np.where(state.to_beat < 0, state.seat, other)
    _lay_tops(rules, state)
    state.acted[:] = random.integers(0, seats, n)
    state.laid[:] = random.integers(0, len(rules.forms), n)
    everyone = 1 << seats
    state.passed[:] = random.integers(0, everyone, n)
    state.gone_by[:] = state.passed | random.integers(0, everyone, n).astype(np.uint16)
    state.passed[state.to_beat < 0] = state.gone_by[state.to_beat < 0] = 0
    empty = state.hands.sum(axis=2) == 0
    state.out[:] = (empty << np.arange(seats)).sum(axis=1)
    places = random.permuted(np.tile(np.arange(seats, dtype=np.int8), (n, 1)), axis=1)
    first = np.argsort(~empty[np.arange(n)[:, None], places], axis=1, kind="stable")  # who is out has a place
    places = np.take_along_axis(places, first, axis=1)
    state.order[:] = np.where(np.arange(seats) < empty.sum(axis=1)[:, None], places, NOBODY)


def _lay_tops(rules: Rules, state: State) -> None:
    """Cards for the plays to beat, none of them in the hand that decides; as if it led, where the others have none."""
    rows = np.flatnonzero(state.to_beat >= 0)
    for some in np.array_split(rows, len(rows) // _LAID_AT_ONCE + 1):
        n, forms = len(some), state.to_beat[some].astype(np.int64)
        hands = rules.pack.copies - state.hands[some, state.seat[some]]
        allowed = np.zeros((len(rules.forms), n), np.uint8)
        allowed[forms, np.arange(n)] = 1
        labels, cards = rules.forms.label_of[forms], np.full((n, rules.forms.most_cards), NO_CARD, np.uint8)
        found, form = np.zeros(n, np.int64), np.zeros(n, np.int16)
        realise(
            rules.asked_whole.book, hands.astype(np.uint8), state.context[some], np.ones(n, np.int8), labels,
            np.concatenate([np.zeros((len(rules.labels), n), np.uint8), allowed]),
            key_of(0) + some.astype(np.uint64), 0, n, form, cards,
            room_for(rules.book, rules.forms.most_cards), found,
        )  # fmt: skip
        there = (found > 0) & (form == forms)
        state.top_cards[some[there], : cards.shape[1]] = cards[there]
        _hand_over(state.hands, state.aside, state.played, some[there], cards[there], state.owner, state.seat)
        state.to_beat[some[~there]], state.owner[some[~there]] = LEADING, state.seat[some[~there]]


@njit(cache=True, nogil=True)
def _hand_over(hands, aside, played, which, cards, owner, seat):
    """The cards [n, most] are among those that the owners at tables which[:] have laid down; nobody's hand gains."""
    seats = hands.shape[1]
    for i in range(len(which)):
        table, mine = which[i], owner[which[i]]
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


def _cards_in_tricks(rules: Rules, state: State, random: np.random.Generator) -> None:
    """The seats before that of the decision have laid a card each, of those that they have played."""
    n, seats = len(state.seat), rules.table.seats
    wanted, rows = random.integers(0, seats, n), np.arange(n)
    before = np.array([rules.table.after.index(seat) for seat in range(seats)], np.int8)
    plays: list[tuple[Indices, NDArray[np.int8], Indices]] = []
    state.leader[:] = state.owner[:] = state.seat
    going, seat = np.ones(n, np.bool_), state.seat
    for place in range(seats - 1):
        seat = before[seat]
        going &= (place < wanted) & state.played[rows, seat].any(axis=1)
        lots = random.random((n, len(rules.pack))) * (state.played[rows, seat] > 0)
        kind = lots.argmax(axis=1)
        plays.append((rows[going].astype(np.int64), seat[going], kind[going]))
        state.leader[going] = seat[going]
    state.acted[:] = np.where(state.leader == state.seat, random.integers(0, seats, n), before[state.seat])
    state.laid[:] = random.integers(0, len(rules.forms), n)
    state.out[:] = ((state.hands.sum(axis=2) == 0) << np.arange(seats)).sum(axis=1)
    _lay_in_turn(rules, state, plays)


def _lay_in_turn(rules: Rules, state: State, plays: Sequence[tuple[Indices, NDArray[np.int8], Indices]]) -> None:
    """Lay cards into tricks, at tables by seats of kinds, the last first: after each it is settled whose trick it is.

    So the owner of a trick is the one that play would have come to. Where nobody takes it, or several do, by what a
    table remembers, no card lies there.
    """
    last = state.acted.copy()
    for rows, seat, kind in reversed(plays):
        leading = state.leader[rows] == seat
        state.owner[rows[leading]] = seat[leading]
        there = leading | (state.lies_form[rows] >= 0).any(axis=1)
        which, seat, kind = rows[there], seat[there], kind[there]
        state.acted[which] = seat
        state.lies[which, seat, kind] = 1
        state.lies_form[which, seat] = rules.alone[state.context[which], kind]
        wrong = unclear(rules, state, which)
        clear(state, wrong)
        state.to_beat[wrong], state.top_cards[wrong], state.owner[wrong] = LEADING, NO_CARD, state.seat[wrong]
        settle(rules, state, np.setdiff1d(which, wrong))
    state.acted[:] = last


def forms_in_turn(rules: Rules, n: int, random: np.random.Generator) -> NDArray[np.int64]:
    """[n] forms but the pass: half of them one after the other, half of them such that every kind is as likely."""
    kinds: dict[object, list[int]] = {}
    for place, form in enumerate(rules.forms.forms):
        if place != rules.forms.passing:
            kinds.setdefault(form.kind, []).append(place)
    families = [np.array(members) for members in kinds.values()]
    everyone = np.resize(random.permutation(np.concatenate(families)), n)
    sizes = np.array([len(members) for members in families])
    kind = random.integers(0, len(families), n)
    table = np.stack([np.resize(members, sizes.max()) for members in families])
    return np.where(random.random(n) < 0.5, everyone, table[kind, random.integers(0, sizes[kind])])


# --- hands ------------------------------------------------------------------------------------------------------------


def _families(rules: Rules, forms: NDArray[np.int64]) -> tuple[list[NDArray[np.int64]], list[int]]:
    """The forms of every kind, and by the number of a kind that of each of some forms."""
    kinds: dict[object, list[int]] = {}
    for place, form in enumerate(rules.forms.forms):
        kinds.setdefault(form.kind, []).append(place)
    numbers = {kind: number for number, kind in enumerate(kinds)}
    return [np.array(some) for some in kinds.values()], [numbers[rules.forms.forms[form].kind] for form in forms]


def _planted(
    rules: Rules, context: NDArray[np.int16], random: np.random.Generator,
    wanted: Sequence[NDArray[np.int64]] | None = None,
) -> NDArray[np.uint8]:  # fmt: skip
    """[n, kinds] cards of a form or two, as far as the pack has them; wanted forms [n] before others."""
    n = len(context)
    found = np.zeros((n, len(rules.pack)), np.uint8)
    planter = _Planter(rules, random)
    for chosen in wanted or (forms_in_turn(rules, n, random) for _ in range(2)):
        for row in np.flatnonzero(random.random(n) < _PLANTED_SHARE):
            planter.plant(rules.forms.forms[chosen[row]], int(context[row]), found[row])
    return np.minimum(found, rules.pack.copies)


class _Planter:
    """Puts the cards of forms into hands."""

    def __init__(self, rules: Rules, random: np.random.Generator) -> None:
        self._rules, self._random = rules, random
        self._kinds: dict[tuple[int, int], list[int]] = {}
        self._suit = [parts[1] if (parts := rank_and_suit(kind)) else None for kind in rules.pack.kinds]
        self._wild = [rules.cells.kinds(WILD, context) for context in range(len(rules.cells.acts))]

    def plant(self, form: Form, context: int, hand: NDArray[np.uint8]) -> None:
        """Add the cards of a form to a hand [kinds], some of them wild."""
        wilds = min(form.wilds, len(self._wild[context])) if self._random.random() < 0.3 else 0
        for group in form.groups:
            kinds = self._of(group.cell, context) if group.only is None else [group.only]
            if form.suit is not None:
                kinds = [kind for kind in kinds if self._suit[kind] == form.suit]
            stand_ins = min(wilds, group.count - group.natural)
            wilds -= max(0, stand_ins)
            self._take(self._wild[context], stand_ins, hand)
            self._take(kinds, group.count - max(0, stand_ins), hand)
        if form.kickers:
            cells = list(form.kickers.allowed)
            for cell in self._random.choice(cells, min(form.kickers.groups, len(cells)), replace=False):
                self._take(self._of(int(cell), context), form.kickers.size, hand)

    def _take(self, kinds: Sequence[int], count: int, hand: NDArray[np.uint8]) -> None:
        """The copies of some kinds, which lie in any order."""
        copies = [kind for kind in kinds for _ in range(int(self._rules.pack.copies[kind]))]
        if count > 0 and copies:
            chosen = self._random.permutation(len(copies))[:count]
            np.add.at(hand, [copies[each] for each in chosen], 1)

    def _of(self, cell: int, context: int) -> list[int]:
        if (cell, context) not in self._kinds:
            acts = self._rules.cells.acts[context]
            self._kinds[cell, context] = np.flatnonzero((acts == cell).any(axis=1)).tolist()
        return self._kinds[cell, context]


def _deal(rules: Rules, state: State, planted: NDArray[np.uint8], random: np.random.Generator) -> None:
    """Deal the whole pack: the seats to decide hold what is planted, and more; nobody more than can be."""
    n, seats, deck = len(planted), rules.table.seats, rules.pack.deck.astype(np.int64)
    most = largest_hand(rules)
    holders = seats + 1 + seats  # hands, what is aside, what each seat has laid down
    own = np.maximum(random.integers(0, most + 1, n), np.minimum(planted.sum(axis=1), most))
    own[random.random(n) < 0.1] = most
    own = np.maximum(own, 1)  # who decides has cards
    exact = (random.random(n) < _EXACT_SHARE) & planted.any(axis=1)
    own = np.where(exact, np.minimum(planted.sum(axis=1), most), own)
    bounds, rest = [own], len(deck) - own
    for holder in range(1, seats + 1):
        room = most if holder < seats else len(deck) - sum(rules.table.dealt)
        size = random.integers(0, np.minimum(rest, room) + 1)
        size[random.random(n) < 0.3] = 0 if holder == seats else 1
        size = np.minimum(size, rest)
        bounds.append(bounds[-1] + size)
        rest = rest - size
    order = _shuffled(rules, planted, random)
    holder = (np.arange(len(deck))[None, :, None] >= np.stack(bounds, axis=1)[:, None, :]).sum(axis=2)
    laid = holder > seats
    holder[laid] = seats + 1 + random.integers(0, seats, int(laid.sum()))
    hand = holder < seats
    holder = np.where(hand, (holder + state.seat[:, None]) % seats, holder)
    kinds = len(rules.pack)
    places = (np.arange(n)[:, None] * holders + holder) * kinds + deck[order]
    counts = np.bincount(places.ravel(), minlength=n * holders * kinds).reshape(n, holders, kinds).astype(np.uint8)
    state.hands[:], state.aside[:], state.played[:] = counts[:, :seats], counts[:, seats], counts[:, seats + 1 :]


def _shuffled(rules: Rules, planted: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.int64]:
    """[n, cards] places of the deck in a random order, what is planted first."""
    return _places(rules, planted, random).argsort(axis=1)


def _places(rules: Rules, planted: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.float64]:
    """[n, cards] random numbers: low for the cards that are planted, and for kinds that are likelier than others."""
    deck, (n, kinds) = rules.pack.deck.astype(np.int64), planted.shape
    copy = np.zeros(len(deck), np.int64)
    for kind in range(kinds):
        mine = deck == kind
        copy[mine] = np.arange(int(mine.sum()))
    likely = random.random((n, kinds)) < random.random((n, 1))
    likely &= random.random((n, 1)) < _NARROW_SHARE
    noise = random.random((n, len(deck))) - 0.7 * likely[:, deck]
    noise -= 4.0 * (copy < planted[:, deck])
    return noise


def stacked_deals(
    rules: Rules, context: NDArray[np.int16], random: np.random.Generator
) -> tuple[Given, NDArray[np.uint8]]:
    """Deal hands [n, seats, kinds] in contexts [n], each a deal that a shuffle can give.

    Most seats of a table hold a form of one kind, so that they can answer each other, and many another form. Returns
    the deals, and of each hand [n, seats, kinds] the cards of these forms.
    """
    deck, n, kinds = rules.pack.deck.astype(np.int64), len(context), len(rules.pack)
    rows, taken = np.arange(n)[:, None], np.zeros((n, len(rules.pack.deck)), np.bool_)
    hands = np.zeros((n, rules.table.seats, kinds), np.uint8)
    if rules.draws:
        stock = deck[_shuffled(rules, _planted(rules, context, random), random)].astype(np.uint8)
        return Given(hands, np.tile(rules.pack.copies, (n, 1)).astype(np.uint8), stock), hands
    members, kind = _families(rules, forms_in_turn(rules, n, random))
    kept = np.zeros_like(hands)
    for seat in random.permutation(rules.table.seats).tolist():
        alike = np.array([random.choice(members[each]) for each in kind])
        first = _planted(rules, context, random, [alike])
        other = _planted(rules, context, random, [forms_in_turn(rules, n, random)])
        other[random.random(n) < 0.5] = 0
        places = _places(rules, np.minimum(first + other, rules.pack.copies), random)
        cards = np.where(taken, np.inf, places).argsort(axis=1)[:, : rules.table.dealt[seat]]
        taken[rows, cards] = True
        np.add.at(hands, (rows, seat, deck[cards]), 1)
        kept[:, seat] = np.minimum(first, hands[:, seat])
    return Given(hands, (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)), kept
