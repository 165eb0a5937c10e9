"""Read JSON states, each the view of a seat.

Missing fields of a state get default values, except those that the rules of the query read. These must be given or
follow from other fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import counts_from_cards, fluents_by_name
from abl_cards.games.notation import hands, inference, seats
from abl_cards.games.notation.fields import DRAW_FIELDS, allowed_fields, error_context, state_fields
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.play_reader import read_play, resolve_form
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.required_fields import (
    initial_fluents,
    required_for_choice,
    required_for_explanation,
    required_for_play,
)
from abl_cards.games.notation.state_reader import StateReader
from abl_cards.games.notation.trick_json import passed_in_trick, read_picked, read_trick, seats_since_leader
from abl_cards.games.state import CHOICE, NO_SEAT, PLAY
from abl_cards.games.tables import hands_vary_in_play
from abl_cards.games.types import LEADING, NO_CARD


def read_state(rules: CompiledGame, value: Any, for_explanation: bool = False) -> TablePosition:
    """Read a state, with arbitrary cards for the hidden hands.

    Args:
        rules: Compiled game.
        value: JSON state.
        for_explanation: Whether the preferences are evaluated too, so that their fields are required.

    Returns:
        Position of the table.

    Raises:
        GameError: A field is missing or invalid; the message names it.
    """
    if not isinstance(value, Mapping) or "hand" not in value:
        example = rules.card_codes.write_hand(rules.pack.copies)[:4]
        raise GameError(
            f'a state is a JSON object like {{"hand": {json.dumps(example)}, "to_beat": null}}', ErrorCode.INVALID_STATE
        )
    fluents = fluents_by_name(rules.fluents, state_fields())
    known = state_fields()
    unknown = [str(name) for name in value if name not in known and name not in fluents]
    if unknown:
        raise GameError(
            f"unknown field {unknown[0]!r}; known: {', '.join([*allowed_fields(rules), *fluents])}",
            ErrorCode.INVALID_STATE,
        )
    if not rules.has_draws and (
        draw_fields := [field for field in DRAW_FIELDS if field in value and field not in fluents]
    ):
        raise GameError(f"{draw_fields[0]}: the game has no drawing of cards", ErrorCode.INVALID_STATE)
    check_profile(rules, value.get("profile"))
    stage = _stage_index(rules, value.get("stage"))
    if for_explanation:
        required = required_for_explanation(rules, stage >= 0)
    else:
        required = required_for_choice(rules) if stage >= 0 else required_for_play(rules)
    reader = StateReader(rules, value, required, TablePosition.empty(rules))
    position = reader.position
    position.choice, position.stage = stage, PLAY if stage < 0 else CHOICE
    position.seat = reader.get("seat", 0)
    _read_fluents(reader)
    if rules.trick_query is None:
        with error_context("to_beat"):
            _read_to_beat(rules, value, position)
        _read_turn_fields(reader)
    else:
        _read_trick_field(reader)
    if rules.has_draws:
        _read_draw(reader)
    hands.read_hands(reader)
    _read_remaining(reader)
    position.numbers = {field.array: reader.get(field.name, 0) for field in known.values() if field.array}
    return position


def check_profile(rules: CompiledGame, profile: Any) -> None:
    """Raise GameError for the name of another profile."""
    if profile is None or profile == rules.profile:
        return
    if not isinstance(profile, str):
        raise GameError(f"profile: {profile!r} is not a name", ErrorCode.UNKNOWN_PROFILE)
    if rules.profile is None:
        raise GameError(f"profile: {profile!r}, but these rules have none", ErrorCode.UNKNOWN_PROFILE)
    if profile not in rules.folder.profiles:
        known = ", ".join(sorted(rules.folder.profiles))
        raise GameError(f"profile: unknown profile {profile!r} (there are: {known})", ErrorCode.UNKNOWN_PROFILE)
    raise GameError(
        f"profile: the rules are loaded for '{rules.profile}' (choose with --profile)", ErrorCode.UNKNOWN_PROFILE
    )


def _stage_index(rules: CompiledGame, value: Any) -> int:
    stages = [str(stage) for stage in rules.schema.stages]
    if value is None or (value == "play" and value not in stages):
        return -1
    if value not in stages:
        raise GameError(
            f"stage: unknown stage {value!r}; known: {', '.join(['play', *stages])}", ErrorCode.INVALID_STATE
        )
    return stages.index(value)


def _read_fluents(reader: StateReader) -> None:
    rules, value, position = reader.rules, reader.value, reader.position
    values = FluentCodec(rules.card_codes.term_texts)
    for name, fluent in fluents_by_name(rules.fluents, state_fields()).items():
        if name in value:
            with error_context(name):
                if value[name] is None and fluent.signature in rules.always_set_fluents:
                    raise GameError(
                        f"null, but the value is always {values.expected_text(fluent).removeprefix('null, or ')}",
                        ErrorCode.INVALID_STATE,
                    )
                values.read(fluent, value[name], position.fluents)
        elif name in reader.required.fluents and name in initial_fluents(rules):
            for slot, number in initial_fluents(rules)[name].items():
                position.fluents[slot] = number
        elif name in reader.required.fluents:
            raise GameError(
                f'the rules read {fluent.signature}: give "{name}" ({values.expected_text(fluent)})',
                ErrorCode.INCOMPLETE_STATE,
            )
    position.context = int(rules.contexts.compute_index(position.fluents[None])[0])


def _read_draw(reader: StateReader) -> None:
    """Read the progress of drawing."""
    position = reader.position
    position.stock, position.drew = reader.get("stock", 0), reader.get("drew", NO_SEAT)
    if reader.has("drawn") and position.drew != position.seat:
        raise GameError('drawn: only given if "drew" is the seat to decide', ErrorCode.INVALID_STATE)
    if reader.has("drawn"):
        position.drawn_kind = reader.get("drawn")


def _read_to_beat(rules: CompiledGame, value: Mapping[str, Any], position: TablePosition) -> None:
    play_json = value.get("to_beat")
    if play_json is None:
        return
    if position.choice >= 0:
        raise GameError("a choice has no play to beat: leave the field out", ErrorCode.INVALID_STATE)
    play = read_play(rules, play_json)
    if not play.cards:
        raise GameError(
            "a pass cannot be the play to beat: write the play before it, or null when leading",
            ErrorCode.INVALID_STATE,
        )
    position.to_beat = resolve_form(rules, play, position.context)
    position.top_cards[: len(play.cards)] = play.cards


def _read_trick_field(reader: StateReader) -> None:
    """Read the cards of the trick."""
    rules, value, position, known = reader.rules, reader.value, reader.position, state_fields()
    for field in (field_name for field_name in known if field_name not in allowed_fields(rules)):
        if value.get(field):
            if field == "picked":
                raise GameError("picked: the game has no plays composed card by card", ErrorCode.INVALID_STATE)
            remedy = f'give "trick" instead ({known["trick"].words})'
            raise GameError(f"{field}: the game has tricks: {remedy}", ErrorCode.INCOMPLETE_STATE)
    trick = reader.get("trick", []) if position.choice < 0 or reader.has("trick") else []  # a choice has none
    with error_context("trick"):
        read_trick(rules, trick, position)
    if reader.has("top"):  # between tricks, when cards are drawn, the owner leads next
        if position.choice < 0:
            raise GameError('top: "trick" says whose play is to beat; leave it out', ErrorCode.INVALID_STATE)
        position.owner = position.leader = reader.get("top")
    if value.get("picked"):
        with error_context("picked"):
            read_picked(rules, value["picked"], position)
    position.acted = reader.get("acted", position.acted)


def _read_turn_fields(reader: StateReader) -> None:
    """Read the owner of the play to beat, the seats that have passed, and the last actor."""
    rules, value, position = reader.rules, reader.value, reader.position
    seat, following = position.seat, position.to_beat != LEADING
    if not following:
        if reader.has("top") and not (position.choice >= 0 and rules.has_pile):  # between tricks the owner leads next
            raise GameError("top: there is no play to beat", ErrorCode.INVALID_STATE)
        for field in ("passed", "has_passed"):
            if value.get(field):
                raise GameError(
                    f"{field}: no seat can have passed before the first play of a trick", ErrorCode.INVALID_STATE
                )
    position.owner = reader.get("top", seats.other_seats(rules, seat)[-1] if following else seat)
    position.passed = reader.get("passed", 0)
    position.has_passed = reader.get("has_passed", position.passed)
    if position.passed & ~position.has_passed:
        raise GameError("has_passed: it must include all seats in passed", ErrorCode.INVALID_STATE)
    position.acted = reader.get("acted", position.owner)
    if following:
        cards = [card for card in position.top_cards.tolist() if card != NO_CARD]
        position.trick_cards[position.owner] = counts_from_cards(cards, len(rules.pack))
    if rules.keeps_trick_cards:
        _read_cards_in_trick(reader)


def _read_cards_in_trick(reader: StateReader) -> None:
    """Read the cards that seats have laid in the trick, which include the play to beat."""
    position = reader.position
    if position.to_beat == LEADING:
        if reader.has("in_trick") and reader.get("in_trick").any():
            raise GameError("in_trick: there is no play to beat, so no card lies there", ErrorCode.INVALID_STATE)
        return
    cards = reader.get("in_trick", position.trick_cards)
    if (cards < position.trick_cards).any():
        raise GameError(f"in_trick: seat {position.owner} has made the play to beat, and its cards are missing",
                        ErrorCode.INVALID_STATE)  # fmt: skip
    position.trick_cards = cards


def _read_remaining(reader: StateReader) -> None:
    """Read numbers of acts and finished seats, and infer what follows from them."""
    rules, required, position = reader.rules, reader.required, reader.position
    if reader.has("acts"):
        position.acts = reader.get("acts")
    else:
        is_start = (
            inference.is_episode_start(rules, position) if "acts" in required.fields else not position.played.any()
        )
        if "acts" in required.fields and not is_start:
            raise reader.missing("acts")
        position.acts = int(not is_start)
    empty = [seat for seat in range(rules.seating.seats) if not position.hands[seat].any()]
    finished, hands_vary = reader.get("finish", []), hands_vary_in_play(rules)
    for seat in finished:
        if seat not in empty and not hands_vary:
            raise GameError(f"finish: seat {seat} still holds cards", ErrorCode.INVALID_STATE)
    if hands_vary and (reader.has("finish") or position.choice >= 0):
        position.finish = finished
    elif position.choice < 0:
        position.finish = [*finished, *(seat for seat in empty if seat not in finished)]
    position.plays = reader.get("laid_down")
    for seat, count in enumerate(position.plays or ()):
        if count == 0 and position.trick_cards[seat].any():
            raise GameError(f"laid_down: 0 for seat {seat}, which made the play to beat", ErrorCode.INVALID_STATE)
    position.lots = reader.get("lots")
    if position.choice >= 0:
        return
    if rules.trick_query is None:
        _require_passes(reader)
    else:
        before = seats_since_leader(rules, position.leader, position.seat)
        position.passed = position.has_passed = reader.get(
            "passed", passed_in_trick(before, position.trick_cards, position.hands)
        )
        _require_actor(reader, position.leader == position.seat)


def _require_actor(reader: StateReader, leading: bool) -> None:
    """Raise GameError if a seat leads, and the rules read the last actor, which is not given."""
    is_missing = "acted" in reader.required.fields and not reader.has("acted")
    if leading and is_missing and not inference.is_episode_start(reader.rules, reader.position):
        raise reader.missing("acted")


def _require_passes(reader: StateReader) -> None:
    """Infer the seats that have passed and the last actor; raises GameError if the rules read an open one."""
    if reader.position.to_beat == LEADING:
        _require_actor(reader, True)
        return
    for field in ("passed", "has_passed", "acted"):
        is_missing = field in reader.required.fields and not reader.has(field)
        if is_missing and (field == "has_passed" or not fill_passes(reader.rules, reader.value, reader.position)):
            raise reader.missing(field)


def fill_passes(rules: CompiledGame, value: Mapping[str, Any], position: TablePosition) -> bool:
    """Infer missing fields about passes since the play to beat; return whether the rules determine them."""
    has_passed = position.has_passed if value.get("has_passed") is not None else None
    inferred = inference.infer_passes(rules, position, has_passed)
    if inferred is None:
        return False
    if value.get("passed") is None:
        position.passed = inferred[0]
        position.has_passed |= inferred[0]
    if value.get("acted") is None:
        position.acted = inferred[1]
    return True
