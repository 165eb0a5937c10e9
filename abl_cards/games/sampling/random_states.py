"""Random states that cover the rules: hands with the cards of forms, every form to beat, fluents of all values.

States are consistent: hands, cards played and the kitty together are one pack, and seats without cards are out.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import derive_key, kernel
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.moves import sample_card_sets, scratch_for
from abl_cards.games.sampling.form_cards import FormCardSampler, find_large_forms
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
from abl_cards.games.types import LEADING, NO_CARD, Indices, count_move_cards

_LEAD_SHARE = 0.2  # share of states in which the seat leads
_FORM_CARDS_SHARE = 0.7  # probability that the cards of a form are put into a hand
_EXACT_SHARE = 0.2  # share of hands with the cards of forms and no others
_SKEWED_SHARE = 0.5  # share of hands in which some kinds of cards are more likely than others
_BATCH_SIZE = 1 << 10


def sample_state(
    rules: CompiledGame, n: int, rng: np.random.Generator, fluents: NDArray[np.int16] | None = None
) -> TableState:
    """Draw states in which a seat is to play.

    Args:
        rules: Compiled rules.
        n: Number of states.
        rng: Random generator.
        fluents: int16 [n, slots], fluents of the states; None to draw any declared values.

    Returns:
        State of n tables.
    """
    state, seats = rules.create_state(n), rules.seating.seats
    state.stage[:] = PLAY
    state.fluents[:] = sample_fluents(rules, n, rng) if fluents is None else fluents
    state.context[:] = rules.contexts.compute_index(state.fluents)
    state.seat[:] = rng.integers(0, seats, n)
    _sample_hands(rules, state, _sample_form_cards(rules, state.context, rng), rng)
    if rules.trick_query is None:
        _sample_trick(rules, state, rng)
        if rules.keeps_trick_cards:
            _sample_cards_in_trick(state, rng)
    else:
        _sample_trick_cards(rules, state, rng)
    state.num_plays[:] = (state.played.sum(axis=2) + 2) // 3  # at least 1 for a seat that has played cards
    state.num_acts[:] = rng.integers(0, find_max_declared(rules, "acts", 1) + 1, n)
    if rules.has_draws:
        _sample_stock(rules, state, rng)
    lots = rules.kb.facts_as_dict("lots")
    for index, name in enumerate(rules.schema.lots):
        state.lots[:, index] = rng.integers(0, int(lots[name]), n)
    return state


def _sample_stock(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """Draw the order of the stock, the number of cards drawn (half of the stocks are empty), and the last drawer."""
    n, cards = len(state.seat), rules.num_from_stock
    state.stock[:] = rng.permuted(np.tile(rules.pack.deck, (n, 1)), axis=1)
    state.num_drawn[:] = np.where(rng.random(n) < 0.5, cards, rng.integers(0, cards + 1, n))
    if rules.has_pile:
        state.num_drawn[:] = cards - state.aside.sum(axis=1, dtype=np.int16)
    state.last_drawer[:] = np.where(state.num_drawn > 0, rng.integers(0, rules.seating.seats, n), NO_SEAT)
    state.is_just_drawn[:] = (state.num_drawn > 0) & (rng.random(n) < 0.5)


def _sample_trick(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """Draw the play to beat, passes, and the order of finish, for games without ``takes/1``."""
    n, seats = len(state.seat), rules.seating.seats
    forms = sample_forms(rules, n, rng)
    state.to_beat[:] = np.where(rng.random(n) < _LEAD_SHARE, LEADING, forms)
    other_seat = (state.seat + rng.integers(1, seats, n)) % seats
    state.owner[:] = np.where(state.to_beat < 0, state.seat, other_seat)
    _place_cards_to_beat(rules, state, rng)
    state.last_actor[:] = rng.integers(0, seats, n)
    state.last_form[:] = rng.integers(0, len(rules.forms), n)
    num_sets = 1 << seats
    state.passed[:] = rng.integers(0, num_sets, n)
    state.passed_in_trick[:] = state.passed | rng.integers(0, num_sets, n).astype(np.uint16)
    state.passed[state.to_beat < 0] = state.passed_in_trick[state.to_beat < 0] = 0
    is_empty = state.hands.sum(axis=2) == 0
    state.seats_out[:] = (is_empty << np.arange(seats)).sum(axis=1)
    seat_order = rng.permuted(np.tile(np.arange(seats, dtype=np.int8), (n, 1)), axis=1)
    order = np.argsort(~is_empty[np.arange(n)[:, None], seat_order], axis=1, kind="stable")  # seats that are out first
    seat_order = np.take_along_axis(seat_order, order, axis=1)
    state.finish_order[:] = np.where(np.arange(seats) < is_empty.sum(axis=1)[:, None], seat_order, NO_SEAT)


def _sample_cards_in_trick(state: TableState, rng: np.random.Generator) -> None:
    """Let some of the cards that seats have played lie in the trick, those of the play to beat among them."""
    rows = np.flatnonzero(state.to_beat >= 0)
    shares = rng.random((len(rows), state.played.shape[1], 1))
    state.trick_cards[rows] = rng.binomial(state.played[rows], shares)
    tops = count_move_cards(state.top_cards[rows], state.played.shape[2])
    owners = state.owner[rows]
    state.trick_cards[rows, owners] = np.maximum(state.trick_cards[rows, owners], tops)


def _place_cards_to_beat(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """Choose cards of the plays to beat from those the seat to decide does not hold; let it lead if there are none."""
    rows = np.flatnonzero(state.to_beat >= 0)
    is_large, sampler = find_large_forms(rules), FormCardSampler(rules, rng)
    for batch in np.array_split(rows, len(rows) // _BATCH_SIZE + 1):
        n, forms = len(batch), state.to_beat[batch].astype(np.int64)
        hands = rules.pack.copies - state.hands[batch, state.seat[batch]]
        for row in np.flatnonzero(is_large[forms]):
            hands[row] = sampler.choose_cards(rules.forms.forms[forms[row]], int(state.context[batch[row]]), hands[row])
        allowed = np.zeros((len(rules.forms), n), np.uint8)
        allowed[forms, np.arange(n)] = 1
        labels, cards = rules.forms.label_of[forms], np.full((n, rules.forms.max_cards), NO_CARD, np.uint8)
        num_found, form = np.zeros(n, np.int64), np.zeros(n, np.int16)
        sample_card_sets(
            rules.full_move_query.move_tables, hands.astype(np.uint8), state.context[batch], np.ones(n, np.int8),
            labels, np.concatenate([np.zeros((len(rules.labels), n), np.uint8), allowed]),
            derive_key(0) + batch.astype(np.uint64), 0, n, form, cards,
            scratch_for(rules.move_tables, rules.forms.max_cards), num_found,
        )  # fmt: skip
        has_cards = (num_found > 0) & (form == forms)
        state.top_cards[batch[has_cards], : cards.shape[1]] = cards[has_cards]
        _move_to_played(
            state.hands, state.aside, state.played, batch[has_cards], cards[has_cards], state.owner, state.seat
        )
        state.to_beat[batch[~has_cards]], state.owner[batch[~has_cards]] = LEADING, state.seat[batch[~has_cards]]


@kernel
def _move_to_played(hands, aside, played, rows, cards, owner, seat):
    """Move cards [n, max cards] at tables rows [n] to those played by the owners, unless these have played them."""
    seats = hands.shape[1]
    for i in range(len(rows)):
        table, holder = rows[i], owner[rows[i]]
        for position in range(cards.shape[1]):
            card = cards[i, position]
            if card == NO_CARD or (cards[i, : position + 1] == card).sum() <= played[table, holder, card]:
                continue
            if aside[table, card]:
                aside[table, card] -= 1
                played[table, holder, card] += 1
            for other in range(seats):
                if (cards[i, : position + 1] == card).sum() <= played[table, holder, card]:
                    break
                if other != holder and played[table, other, card]:
                    played[table, other, card] -= 1
                    played[table, holder, card] += 1
                elif other != seat[table] and hands[table, other, card]:
                    hands[table, other, card] -= 1
                    played[table, holder, card] += 1


def _sample_trick_cards(rules: CompiledGame, state: TableState, rng: np.random.Generator) -> None:
    """Let some of the seats before the one to decide have one of their played cards in the trick."""
    n, seats = len(state.seat), rules.seating.seats
    num_cards, rows = rng.integers(0, seats, n), np.arange(n)
    previous_seat = np.array([rules.seating.next_seat.index(seat) for seat in range(seats)], np.int8)
    plays: list[tuple[Indices, NDArray[np.int8], Indices]] = []
    state.leader[:] = state.owner[:] = state.seat
    is_playing, seat = np.ones(n, np.bool_), state.seat
    for position in range(seats - 1):
        seat = previous_seat[seat]
        is_playing &= (position < num_cards) & state.played[rows, seat].any(axis=1)
        scores = rng.random((n, len(rules.pack))) * (state.played[rows, seat] > 0)
        kind = scores.argmax(axis=1)
        plays.append((rows[is_playing].astype(np.int64), seat[is_playing], kind[is_playing]))
        state.leader[is_playing] = seat[is_playing]
    state.last_actor[:] = np.where(state.leader == state.seat, rng.integers(0, seats, n), previous_seat[state.seat])
    state.last_form[:] = rng.integers(0, len(rules.forms), n)
    state.seats_out[:] = ((state.hands.sum(axis=2) == 0) << np.arange(seats)).sum(axis=1)
    _replay_trick(rules, state, plays)


def _replay_trick(
    rules: CompiledGame, state: TableState, plays: Sequence[tuple[Indices, NDArray[np.int8], Indices]]
) -> None:
    """Place cards into tricks, and determine the owner after each, so that owners are consistent with play.

    A trick without a unique taker is cleared.

    Args:
        rules: Compiled rules.
        state: State of all tables; changed in place.
        plays: Tables, seats and kinds of cards, the last play first.
    """
    last = state.last_actor.copy()
    for rows, seat, kind in reversed(plays):
        leading = state.leader[rows] == seat
        state.owner[rows[leading]] = seat[leading]
        is_placed = leading | (state.trick_forms[rows] >= 0).any(axis=1)
        trick_rows, seat, kind = rows[is_placed], seat[is_placed], kind[is_placed]
        state.last_actor[trick_rows] = seat
        state.trick_cards[trick_rows, seat, kind] = 1
        state.trick_forms[trick_rows, seat] = rules.single_card_forms[state.context[trick_rows], kind]
        ambiguous = find_ambiguous_tricks(rules, state, trick_rows)
        clear_tricks(state, ambiguous)
        state.to_beat[ambiguous], state.top_cards[ambiguous], state.owner[ambiguous] = (
            LEADING,
            NO_CARD,
            state.seat[ambiguous],
        )
        settle_tricks(rules, state, np.setdiff1d(trick_rows, ambiguous))
    state.last_actor[:] = last


def sample_forms(rules: CompiledGame, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw forms other than the pass.

    Args:
        rules: Compiled rules.
        n: Number of forms.
        rng: Random generator.

    Returns:
        int64 [n], forms: half of them all forms in turn, the others uniform over the kinds of play; the pass in a
        game without other forms.
    """
    kinds: dict[object, list[int]] = {}
    for index, form in enumerate(rules.forms.forms):
        if index != rules.forms.pass_form:
            kinds.setdefault(form.kind, []).append(index)
    families = [np.array(members) for members in kinds.values()] or [np.array([rules.forms.pass_form])]
    in_turn = np.resize(rng.permutation(np.concatenate(families)), n)
    sizes = np.array([len(members) for members in families])
    kind = rng.integers(0, len(families), n)
    table = np.stack([np.resize(members, sizes.max()) for members in families])
    return np.where(rng.random(n) < 0.5, in_turn, table[kind, rng.integers(0, sizes[kind])])


# --- hands ------------------------------------------------------------------------------------------------------------


def _group_forms_by_kind(rules: CompiledGame, forms: NDArray[np.int64]) -> tuple[list[NDArray[np.int64]], list[int]]:
    """Return the forms of each kind of play, and the index of the kind of each of forms [n]."""
    kinds: dict[object, list[int]] = {}
    for index, form in enumerate(rules.forms.forms):
        kinds.setdefault(form.kind, []).append(index)
    kind_index = {kind: index for index, kind in enumerate(kinds)}
    return [np.array(members) for members in kinds.values()], [
        kind_index[rules.forms.forms[form].kind] for form in forms
    ]


def _sample_form_cards(
    rules: CompiledGame, context: NDArray[np.int16], rng: np.random.Generator,
    forms: Sequence[NDArray[np.int64]] | None = None,
) -> NDArray[np.uint8]:  # fmt: skip
    """Draw hands [n, kinds] with the cards of up to two random forms, or of given forms [n] each."""
    n = len(context)
    hands = np.zeros((n, len(rules.pack)), np.uint8)
    sampler = FormCardSampler(rules, rng)
    for chosen in forms or (sample_forms(rules, n, rng) for _ in range(2)):
        for row in np.flatnonzero(rng.random(n) < _FORM_CARDS_SHARE):
            sampler.add_form(rules.forms.forms[chosen[row]], int(context[row]), hands[row])
    return np.minimum(hands, rules.pack.copies)


def _sample_hands(
    rules: CompiledGame, state: TableState, form_cards: NDArray[np.uint8], rng: np.random.Generator
) -> None:
    """Deal the whole pack to hands, kitty and cards played; the seat to decide gets the form cards first."""
    n, seats, deck = len(form_cards), rules.seating.seats, rules.pack.deck.astype(np.int64)
    max_hand = largest_hand(rules)
    holders = seats + 1 + seats  # hands, kitty, cards played by each seat
    hand_sizes = np.maximum(rng.integers(0, max_hand + 1, n), np.minimum(form_cards.sum(axis=1), max_hand))
    hand_sizes[rng.random(n) < 0.1] = max_hand
    hand_sizes = np.maximum(hand_sizes, 1)  # the seat to decide has cards
    is_exact = (rng.random(n) < _EXACT_SHARE) & form_cards.any(axis=1)
    hand_sizes = np.where(is_exact, np.minimum(form_cards.sum(axis=1), max_hand), hand_sizes)
    bounds, num_left = [hand_sizes], len(deck) - hand_sizes
    for holder in range(1, seats + 1):
        max_size = max_hand if holder < seats else len(deck) - sum(rules.seating.num_dealt)
        size = rng.integers(0, np.minimum(num_left, max_size) + 1)
        size[rng.random(n) < 0.3] = 0 if holder == seats else 1
        size = np.minimum(size, num_left)
        bounds.append(bounds[-1] + size)
        num_left = num_left - size
    order = _shuffle_deck(rules, form_cards, rng)
    holder = (np.arange(len(deck))[None, :, None] >= np.stack(bounds, axis=1)[:, None, :]).sum(axis=2)
    is_played = holder > seats
    holder[is_played] = seats + 1 + rng.integers(0, seats, int(is_played.sum()))
    is_in_hand = holder < seats
    holder = np.where(is_in_hand, (holder + state.seat[:, None]) % seats, holder)
    kinds = len(rules.pack)
    indices = (np.arange(n)[:, None] * holders + holder) * kinds + deck[order]
    counts = np.bincount(indices.ravel(), minlength=n * holders * kinds).reshape(n, holders, kinds).astype(np.uint8)
    state.hands[:], state.aside[:], state.played[:] = counts[:, :seats], counts[:, seats], counts[:, seats + 1 :]


def _shuffle_deck(rules: CompiledGame, form_cards: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return random orders of the deck [n, cards], the form cards first."""
    return _sample_deck_keys(rules, form_cards, rng).argsort(axis=1)


def _sample_deck_keys(
    rules: CompiledGame, form_cards: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw sort keys of the deck [n, cards], low for form cards and for kinds that are made more likely."""
    deck, (n, kinds) = rules.pack.deck.astype(np.int64), form_cards.shape
    copy = np.zeros(len(deck), np.int64)
    for kind in range(kinds):
        of_kind = deck == kind
        copy[of_kind] = np.arange(int(of_kind.sum()))
    is_likely = rng.random((n, kinds)) < rng.random((n, 1))
    is_likely &= rng.random((n, 1)) < _SKEWED_SHARE
    keys = rng.random((n, len(deck))) - 0.7 * is_likely[:, deck]
    keys -= 4.0 * (copy < form_cards[:, deck])
    return keys


def sample_stacked_deals(
    rules: CompiledGame, context: NDArray[np.int16], rng: np.random.Generator
) -> tuple[FixedDeals, NDArray[np.uint8]]:
    """Draw deals in which most seats of a table hold a form of the same kind, so that they can beat each other.

    Many hands also hold another form. Each deal is one that a shuffle can produce.

    Args:
        rules: Compiled rules.
        context: int16 [n], order contexts.
        rng: Random generator.

    Returns:
        n deals, and uint8 [n, seats, kinds], the cards of the forms of the same kind in each hand.
    """
    deck, n, kinds = rules.pack.deck.astype(np.int64), len(context), len(rules.pack)
    rows, is_dealt = np.arange(n)[:, None], np.zeros((n, len(rules.pack.deck)), np.bool_)
    hands = np.zeros((n, rules.seating.seats, kinds), np.uint8)
    if rules.has_draws:
        stock = deck[_shuffle_deck(rules, _sample_form_cards(rules, context, rng), rng)].astype(np.uint8)
        return FixedDeals(hands, np.tile(rules.pack.copies, (n, 1)).astype(np.uint8), stock), hands
    members, kind = _group_forms_by_kind(rules, sample_forms(rules, n, rng))
    form_cards = np.zeros_like(hands)
    for seat in rng.permutation(rules.seating.seats).tolist():
        same_kind = np.array([rng.choice(members[index]) for index in kind])
        first = _sample_form_cards(rules, context, rng, [same_kind])
        other = _sample_form_cards(rules, context, rng, [sample_forms(rules, n, rng)])
        other[rng.random(n) < 0.5] = 0
        keys = _sample_deck_keys(rules, np.minimum(first + other, rules.pack.copies), rng)
        cards = np.where(is_dealt, np.inf, keys).argsort(axis=1)[:, : rules.seating.num_dealt[seat]]
        is_dealt[rows, cards] = True
        np.add.at(hands, (rows, seat, deck[cards]), 1)
        form_cards[:, seat] = np.minimum(first, hands[:, seat])
    return FixedDeals(hands, (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)), form_cards
