"""Read the cards of a JSON state; hidden hands get arbitrary unseen cards.

Unseen cards are distributed over the other hands as far as their sizes are known; the others are set aside. Played
cards may be listed in part, unless the rules of the query read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from abl_cards.asp import Signature
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import seats
from abl_cards.games.notation.fields import Counts, error_context, read_cards, read_list, state_fields
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.state_reader import StateReader
from abl_cards.games.tables import can_hold, hands_vary_in_play, largest_hand

_LAYS_ASIDE = Signature.parse("lays_aside/2")


def read_hands(reader: StateReader) -> None:
    """Fill the hands, the played cards and the cards set aside; raises GameError that names the field."""
    rules, required, position = reader.rules, reader.required, reader.position
    with error_context("hand"):
        own_hand = read_cards(rules, reader.value["hand"])
        if not (own_hand.any() or hands_vary_in_play(rules) or (rules.has_draws and position.choice >= 0)):
            raise GameError("there are no cards", ErrorCode.INVALID_STATE)
        if not can_hold(rules, int(own_hand.sum())):
            raise GameError(
                f"{own_hand.sum()} cards, but a hand has at most {largest_hand(rules)}", ErrorCode.INVALID_STATE
            )
    order = seats.other_seats(rules, position.seat)
    has_played_cards = reader.has("gone") or reader.has("unseen")
    with error_context("gone"):
        position.played = _read_gone(rules, reader.value.get("gone"), position, order)
    if reader.has("unseen"):
        position.played = _read_unseen(reader, own_hand, order)
    face: list[Counts] | None = reader.get("face")
    kitty, shown = reader.get("aside", (None, np.zeros_like(own_hand)))
    visible = own_hand + position.played.sum(axis=0) + shown + sum(face or [], np.zeros_like(own_hand))
    with error_context("hand, to_beat, gone, face, aside"):
        check_copies(rules, visible)
    pool = rules.pack.copies - visible
    sizes = _read_sizes(reader, face)
    _check_required(reader, has_played_cards, own_hand, sizes)
    for field in ("face", "cards"):
        if field in required.fields and not reader.has(field) and (field == "face" or face is None):
            raise reader.missing(field)
    left = int(pool.sum())
    missing = _hand_sizes(rules, sizes, face, position, order, left)
    is_complete = (
        has_played_cards and sizes is not None and "gone" in required.fields
    )  # the rules read the played cards
    _check_sum(rules, sum(missing), left, kitty, is_complete)
    position.hands[position.seat] = own_hand
    cards = np.repeat(np.arange(len(pool)), pool)
    for index, (seat, size) in enumerate(zip(order, missing, strict=True)):
        dealt, cards = cards[:size], cards[size:]
        position.hands[seat] = np.bincount(dealt, minlength=len(pool)) + (face[index] if face else 0)
    position.aside = shown + np.bincount(cards, minlength=len(pool))


def has_no_aside(rules: CompiledGame) -> bool:
    """Return whether every card is in a hand until it is played."""
    return (
        sum(rules.seating.num_dealt) == len(rules.pack.deck)
        and _LAYS_ASIDE not in rules.derived_outputs
        and not rules.has_draws
    )


def check_copies(rules: CompiledGame, total: Counts) -> None:
    """Check that cards are not more than the pack has.

    Args:
        rules: Compiled game.
        total: Copies of each card, [kinds].

    Raises:
        GameError: There are more copies of a card than in the pack.
    """
    for kind in np.flatnonzero(total > rules.pack.copies)[:1].tolist():
        text, copies = rules.card_codes.kind_texts[kind], int(rules.pack.copies[kind])
        raise GameError(f"{total[kind]} copies of {text} in total; the pack has {copies}", ErrorCode.INVALID_CARDS)


def _read_gone(rules: CompiledGame, value: Any, position: TablePosition, order: Sequence[int]) -> Counts:
    """Return the played cards [seats, kinds], including the play to beat."""
    played = np.zeros_like(position.played)
    if value is None:
        return played + position.trick_cards
    if is_by_seat(rules, value):  # null for seats with unknown cards
        played[:] = [
            read_cards(rules, [] if hand is None else hand) for hand in read_list(value, len(played), "hands, by seat")
        ]
        return np.maximum(played, position.trick_cards)
    return _assign_gone(rules, np.maximum(read_cards(rules, value), position.cards_to_beat), position, order)


def _read_unseen(reader: StateReader, own: Counts, order: Sequence[int]) -> Counts:
    """Return the played cards [seats, kinds] if the hidden cards are given: all others outside the own hand."""
    rules, position = reader.rules, reader.position
    with error_context("unseen"):
        if reader.has("gone") or reader.has("aside") or reader.has("face"):
            raise GameError("unseen excludes gone, aside and face: leave out one or the other", ErrorCode.INVALID_STATE)
        unseen = read_cards(rules, reader.value["unseen"])
        check_copies(rules, own + unseen + position.cards_to_beat)
        sizes = reader.value.get("cards")
        if sizes is not None:
            sizes = state_fields()["cards"].type.read(reader.observer, sizes)
            if sum(sizes) != unseen.sum():
                raise GameError(f"{unseen.sum()} cards, but the others hold {sum(sizes)}", ErrorCode.INVALID_STATE)
        return _assign_gone(rules, rules.pack.copies - own - unseen, position, order)


def _assign_gone(rules: CompiledGame, together: Counts, position: TablePosition, order: Sequence[int]) -> Counts:
    """Distribute played cards over the seats [seats, kinds]; raises GameError without the play to beat."""
    if (together < position.cards_to_beat).any():
        raise GameError("the play to beat must be among them", ErrorCode.INVALID_STATE)
    played = np.zeros_like(position.played)
    played += position.trick_cards
    remaining = np.repeat(np.arange(len(together)), together - position.cards_to_beat)
    for seat in [*order, position.seat]:  # up to the size of the deal; the last seat gets the remaining cards
        capacity = (
            max(0, rules.seating.num_dealt[seat] - int(played[seat].sum())) if seat != position.seat else len(remaining)
        )
        assigned, remaining = remaining[:capacity], remaining[capacity:]
        played[seat] += np.bincount(assigned, minlength=len(together))
    return played


def is_by_seat(rules: CompiledGame, value: Any) -> bool:
    """Return whether played cards are given by seat, null for unknown ones, not all together."""
    return isinstance(value, list) and bool(value) and all(_is_hand(rules, item) or item is None for item in value)


def _is_hand(rules: CompiledGame, value: Any) -> bool:
    """Return whether an item of the played cards is a hand, not a card."""
    return isinstance(value, list) or (rules.card_codes.is_joined and isinstance(value, str))


def _read_sizes(reader: StateReader, face: Sequence[Counts] | None) -> list[int] | None:
    """Read the numbers of cards of the other hands, those of open hands if none are given."""
    face_sizes = None if face is None else [int(hand.sum()) for hand in face]
    sizes: list[int] | None = reader.get("cards")
    if face is not None and sizes is not None and sizes != face_sizes:
        raise GameError("cards: the numbers differ from the numbers of cards in face", ErrorCode.INVALID_STATE)
    return face_sizes if sizes is None else list(sizes)


def _check_required(reader: StateReader, has_played_cards: bool, own: Counts, sizes: Sequence[int] | None) -> None:
    """Raise GameError if the rules read the played cards and the state does not determine them."""
    if "gone" not in reader.required.fields or has_played_cards:
        return
    rules, position = reader.rules, reader.position
    left_over = len(rules.pack.deck) - (rules.num_from_stock if rules.has_pile else sum(rules.seating.num_dealt))
    counted = int(own.sum()) + int(position.cards_to_beat.sum()) + sum(sizes or []) + left_over + position.stock
    if sizes is None or counted != len(rules.pack.deck):
        raise reader.missing("gone")


def _hand_sizes(
    rules: CompiledGame, sizes: Sequence[int] | None, face: Sequence[Counts] | None, position: TablePosition,
    order: Sequence[int], left: int,
) -> list[int]:  # fmt: skip
    """Return the sizes of the other hands: as given, otherwise as large as possible."""
    if face is not None:
        return [0] * len(order)
    if sizes is not None:
        return list(sizes)
    full = [max(0, rules.seating.num_dealt[seat] - int(position.played[seat].sum())) for seat in order]
    while sum(full) > left:
        full[full.index(max(full))] -= 1
    return full


def _check_sum(rules: CompiledGame, dealt: int, left: int, kitty: int | None, counted: bool) -> None:
    """Raise GameError if the hand sizes do not fit the pack."""
    if dealt > left:
        raise GameError(
            f"cards: the others hold {dealt} cards, but only {left} of the pack are unseen",
            ErrorCode.INVALID_STATE,
        )
    remaining = left - dealt
    if counted and kitty is None and has_no_aside(rules) and remaining:
        raise GameError(f"cards, gone: {remaining} cards of the pack are missing", ErrorCode.INVALID_STATE)
    if kitty is not None and remaining < kitty:
        raise GameError(f"aside: {kitty} cards, but only {remaining} of the pack are left", ErrorCode.INVALID_STATE)
    if kitty is not None and counted and remaining > kitty:
        raise GameError(
            f"cards, gone, aside: {remaining - kitty} cards of the pack are missing", ErrorCode.INVALID_STATE
        )
