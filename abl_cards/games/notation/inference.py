"""Infer fields that a state leaves out: seats that have passed, and numbers of acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.asp import Signature
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import seats
from abl_cards.games.notation.fields import missing_field_error
from abl_cards.games.notation.hands import is_by_seat
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.required_fields import compared_play_counts, required_for_endgame
from abl_cards.games.state import next_turn
from abl_cards.games.tables import largest_hand
from abl_cards.games.types import LEADING

_TAKES_ASIDE, _LAYS_ASIDE, _PASSES = map(Signature.parse, ("takes_aside/1", "lays_aside/2", "passes/3"))


def is_episode_start(rules: CompiledGame, position: TablePosition) -> bool:
    """Return whether nothing can have been played: all dealt and drawn cards are in the hands."""
    if position.played.any() or position.trick_cards.any():
        return False
    taken = _TAKES_ASIDE in rules.derived_outputs and _LAYS_ASIDE not in rules.derived_outputs
    return int(position.hands.sum()) >= (len(rules.pack.deck) if taken else sum(rules.seating.num_dealt))


# --- passes -----------------------------------------------------------------------------------------------------------


def infer_passes(rules: CompiledGame, position: TablePosition, has_passed: int | None) -> tuple[int, int] | None:
    """Return the seats that have passed since the play to beat, as bits, and the last actor; None if undetermined.

    The rules give the order of turns after the play to beat: all seats before the one to decide have passed.
    """
    turns, forms = rules.turn_table, rules.forms
    if not len(turns.entries) or (turns.strides.passed_in_trick and has_passed is None):
        return None
    out, passed, acted, form = seats.mask_from_seats(position.finish), 0, position.owner, position.to_beat
    for _ in range(rules.seating.seats):
        gone_by = passed if has_passed is None else has_passed
        turn = next_turn(turns, acted, position.owner, passed, gone_by, out, form)
        if turn.seat == position.seat and not turn.is_trick_over:
            return passed, acted
        if turn.seat < 0 or turn.is_trick_over or turn.is_episode_over:
            return None
        passed, acted, form = passed | 1 << turn.seat, turn.seat, forms.pass_form
    return None


# --- plays ------------------------------------------------------------------------------------------------------------


def infer_play_counts(
    rules: CompiledGame, value: Mapping[str, Any], position: TablePosition, must_play: bool
) -> list[int]:
    """Return how many plays each seat has made, as far as turns and points depend on them.

    Args:
        rules: Compiled game.
        value: JSON state.
        position: Position read from the state so far.
        must_play: Whether the seat to decide cannot pass, and so plays at least once more.

    Returns:
        Number of plays by seat [seats].

    Raises:
        GameError: A field that turns or points read is missing and does not follow from the others.
    """
    required = required_for_endgame(rules)
    for field in ("face", "passed", "has_passed", "finish", "gone", "lots"):
        reader = required.fields.get(field)
        if (reader is not None or field == "face") and not _is_determined(rules, field, value, position):
            raise missing_field_error(field, reader or "all hands are read")
    if position.plays is not None:
        return position.plays
    least, most = _play_bounds(rules, value, position)
    counts = compared_play_counts(rules, position.fluents)
    planned_plays = [int(must_play and seat == position.seat) for seat in range(rules.seating.seats)]
    for seat in _undetermined_seats(
        counts, [count + planned for count, planned in zip(least, planned_plays, strict=True)], most
    ):
        more = f"; seat {seat} may have {least[seat]} or more"
        raise missing_field_error("laid_down", required.fields["laid_down"], more)
    return least


def _is_determined(rules: CompiledGame, field: str, value: Mapping[str, Any], position: TablePosition) -> bool:
    """Return whether a state gives a field or determines it."""
    if field == "finish":
        empty = sum(not hand.any() for hand in position.hands)
        return empty - len(value.get(field) or []) < 2
    if value.get(field) is not None:
        return True
    following, others = position.to_beat != LEADING, seats.other_seats(rules, position.seat)
    if field == "face":
        holding = sum(bool(position.hands[seat].any()) for seat in others)
        return holding == 0 or (holding == 1 and not position.aside.any())
    if field == "passed":
        return not following or infer_passes(rules, position, _has_passed(value, position)) is not None
    if field == "has_passed":
        return not following
    if field == "gone":
        return lists_aside_cards(value) or not position.aside.any()
    return False


def lists_aside_cards(value: Mapping[str, Any]) -> bool:
    """Return whether a JSON state lists the cards aside, and not only their number."""
    return isinstance(value.get("aside"), list | str)


def _has_passed(value: Mapping[str, Any], position: TablePosition) -> int | None:
    return position.has_passed if value.get("has_passed") is not None else None


def _undetermined_seats(counts: Mapping[int, frozenset[int]], least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Return the seats whose bounds leave open a comparison made by the points."""
    return [seat for seat, numbers in counts.items() if any(least[seat] < number <= most[seat] for number in numbers)]


def _play_bounds(rules: CompiledGame, value: Mapping[str, Any], position: TablePosition) -> tuple[list[int], list[int]]:
    """Return the least and largest number of plays of each seat [seats]."""
    held, gone, on_table = (cards.sum(axis=1) for cards in (position.hands, position.played, position.trick_cards))
    acts, by_seat = value.get("acts"), is_by_seat(rules, value.get("gone")) and None not in value["gone"]
    is_start = is_episode_start(rules, position)
    hands_vary = rules.has_pile or bool(rules.derived_outputs & {_LAYS_ASIDE, _PASSES})
    least, most = [], []
    for seat, dealt in enumerate(rules.seating.num_dealt):
        if is_start:
            fewest = largest = 0
        elif by_seat:
            fewest = largest = int(gone[seat])
        else:
            shrunk = 0 if hands_vary else dealt - int(held[seat])
            fewest, largest = max(shrunk, int(on_table[seat]), 0), largest_hand(rules) - int(held[seat])
        least.append(-(-fewest // rules.max_play_cards))
        most.append(max(least[-1], largest if type(acts) is not int else min(largest, acts)))
    return least, most
