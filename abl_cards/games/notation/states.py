"""JSON states: the view of a seat, written from tables and read back into equivalent tables.

Fields that a state leaves out are filled in, except those that the rules of the query read: they must be given or
follow from the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import counts_from_cards, fluents_by_name
from abl_cards.games.notation import hands, inference, seats
from abl_cards.games.notation.fields import error_context
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hand_order import hand_to_json
from abl_cards.games.notation.hands import has_no_aside
from abl_cards.games.notation.plays import notate_moves, read_play, resolve_form
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.required_fields import (
    DRAW_FIELDS,
    FIELD_DESCRIPTIONS,
    STATE_FIELDS,
    RequiredFields,
    allowed_fields,
    fields_to_write,
    required_for_choice,
    required_for_explanation,
    required_for_play,
)
from abl_cards.games.notation.trick_json import (
    fill_tricks,
    passed_in_trick,
    read_picked,
    read_trick,
    seats_in_trick,
    seats_since_leader,
    write_trick,
)
from abl_cards.games.state import CHOICE, NO_SEAT, PLAY, TableState
from abl_cards.games.tables import Choices, Decisions, PlayerView, Tables, card_drawn, cards_in_stock
from abl_cards.games.types import LEADING, NO_CARD

# --- writing ----------------------------------------------------------------------------------------------------------


def write_state(rules: CompiledGame, decisions: Decisions | Choices, row: int = 0) -> dict[str, Any]:
    """Return the view of the seat of one decision or choice as a JSON state."""
    view = decisions.view
    state, table, seat = view.state, int(view.rows[row]), int(view.seats[row])
    choosing = isinstance(decisions, Choices)
    required = fields_to_write(rules, choosing)
    fields: dict[str, Any] = {}
    if choosing:
        fields["stage"] = str(rules.schema.stages[int(state.choice[table])])
    context = int(view.context[row])
    fields["hand"] = hand_to_json(rules, view.hand[row], context)
    if not choosing and rules.trick_query is not None:
        fields["trick"] = write_trick(rules, state, table)
        if state.is_composing[table]:
            fields["picked"] = hand_to_json(rules, state.trick_cards[table, seat], context)
    elif not choosing:
        fields["to_beat"] = _to_beat_json(rules, view, row)
    if "to_beat" in fields and view.to_beat[row] >= 0:
        fields["top"] = seats.seat_to_json(rules, seat, int(state.owner[table]))
    fields["cards"], fields["seat"] = view.hidden_hand_sizes[row].tolist(), seat
    fields |= _act_fields(rules, view, row, required)
    is_partial = state.aside[table].any() and has_no_aside(rules)  # left open by the state that was read
    has_played_more = state.played[table].sum() > (state.top_cards[table] != NO_CARD).sum()  # than the play to beat
    if state.played[table].any() and (has_played_more or not is_partial):
        fields["gone"] = [hand_to_json(rules, hand, context) for hand in state.played[table]]
    if state.aside[table].any() and not is_partial:
        fields["aside"] = int(state.aside[table].sum())
    if rules.has_draws and (
        choosing or cards_in_stock(rules, state, np.array([table]))[0] or required.fields.keys() & set(DRAW_FIELDS)
    ):
        fields |= _draw_fields(rules, view, row)
    if rules.has_open_hands or "face" in required.fields:
        fields["face"] = [hand_to_json(rules, hand, context) for hand in view.hidden_hands[row]]
    return fields | _fluent_fields(
        rules, rules.fluents.mask_private(state.fluents[[table]], np.array([seat]))[0], required
    )


def _draw_fields(rules: CompiledGame, view: PlayerView, row: int) -> dict[str, Any]:
    """Return the number of cards to draw, the last drawer, and its card if the seat may see it."""
    state, rows = view.state, view.rows[[row]]
    fields: dict[str, Any] = {"stock": int(cards_in_stock(rules, state, rows)[0])}
    drawer, kind = int(state.last_drawer[rows[0]]), int(card_drawn(state, rows)[0])
    if drawer >= 0:
        fields["drew"] = seats.seat_to_json(rules, int(view.seats[row]), drawer)
    if kind >= 0 and drawer == view.seats[row]:
        fields["drawn"] = rules.card_codes.kind_texts[kind]
    return fields


def _to_beat_json(rules: CompiledGame, view: PlayerView, row: int) -> Any:
    form = int(view.to_beat[row])
    if form < 0:
        return None
    cards = view.state.top_cards[view.rows[[row]]]
    return notate_moves(rules, np.array([form]), cards, view.context[[row]])[0].to_json()


def _act_fields(rules: CompiledGame, view: PlayerView, row: int, required: RequiredFields) -> dict[str, Any]:
    """Return the seats that have passed or finished, the last actor and numbers of acts, where the rules read them."""
    state, table, seat = view.state, int(view.rows[row]), int(view.seats[row])
    fields: dict[str, Any] = {}
    passed, gone_by = int(state.passed[table]), int(state.passed_in_trick[table])
    if rules.trick_query is not None:
        if passed != passed_in_trick(seats_in_trick(rules, state, table), state.trick_cards[table], state.hands[table]):
            fields["passed"] = seats.seats_to_json(rules, seat, seats.seats_from_mask(passed))
    else:
        if passed or "passed" in required.fields:
            fields["passed"] = seats.seats_to_json(rules, seat, seats.seats_from_mask(passed))
        if (gone_by != passed and rules.turn_table.strides.passed_in_trick) or "has_passed" in required.fields:
            fields["has_passed"] = seats.seats_to_json(rules, seat, seats.seats_from_mask(gone_by))
    if "acted" in required.fields and state.last_actor[table] >= 0:
        fields["acted"] = seats.seat_to_json(rules, seat, int(state.last_actor[table]))
    if "acts" in required.fields:
        fields["acts"] = int(state.num_acts[table])
    if "laid_down" in required.fields:
        fields["laid_down"] = state.num_plays[table].tolist()
    finished = [finished_seat for finished_seat in state.finish_order[table].tolist() if finished_seat != NO_SEAT]
    return fields | ({"finish": seats.seats_to_json(rules, seat, finished)} if finished else {})


def _fluent_fields(rules: CompiledGame, fluents: NDArray[np.int16], required: RequiredFields) -> dict[str, Any]:
    """Return the fluents that differ from their defaults or that the rules read."""
    values = FluentCodec(rules.card_codes.term_texts)
    return {
        name: values.write(fluent, fluents)
        for name, fluent in fluents_by_name(rules.fluents, STATE_FIELDS).items()
        if name in required.fluents or (fluents[fluent.first_slot : fluent.slots.stop] != fluent.default).any()
    }


# --- reading ----------------------------------------------------------------------------------------------------------


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
    fluents = fluents_by_name(rules.fluents, STATE_FIELDS)
    unknown = [str(name) for name in value if name not in STATE_FIELDS and name not in fluents]
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
    position = TablePosition.empty(rules)
    position.choice, position.stage = stage, PLAY if stage < 0 else CHOICE
    with error_context("seat"):
        position.seat = seats.read_seat_number(rules, _get_field(value, required, "seat", 0))
    _read_fluents(rules, value, required, position)
    if rules.trick_query is None:
        with error_context("to_beat"):
            _read_to_beat(rules, value, position)
        _read_turn_fields(rules, value, required, position)
    else:
        _read_trick_field(rules, value, required, position)
    if rules.has_draws:
        _read_draw(rules, value, required, position)
    hands.read_hands(rules, value, required, position)
    _read_remaining(rules, value, required, position)
    return position


def check_profile(rules: CompiledGame, profile: Any) -> None:
    """Raise GameError for the name of another profile."""
    if profile is None or profile == rules.profile:
        return
    if not isinstance(profile, str):
        raise GameError(f"profile: {profile!r} is not a name", ErrorCode.UNKNOWN_PROFILE)
    if rules.profile is None:
        raise GameError(f"profile: {profile!r}, but these rules have none", ErrorCode.UNKNOWN_PROFILE)
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


def _get_field(value: Mapping[str, Any], required: RequiredFields, field: str, default: Any) -> Any:
    """Return a field or its default; raises GameError if the rules read a missing field."""
    if value.get(field) is not None:
        return value[field]
    if field in required.fields:
        raise missing_field_error(required, field)
    return default


def missing_field_error(required: RequiredFields, field: str) -> GameError:
    """Return the error for a missing field that the rules read."""
    return GameError(
        f'the rules read {required.fields[field]}: give "{field}" ({FIELD_DESCRIPTIONS[field]})',
        ErrorCode.INCOMPLETE_STATE,
    )


def _read_fluents(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    values = FluentCodec(rules.card_codes.term_texts)
    for name, fluent in fluents_by_name(rules.fluents, STATE_FIELDS).items():
        if name in value:
            with error_context(name):
                if value[name] is None and fluent.signature in rules.always_set_fluents:
                    raise GameError(
                        f"null, but the value is always {values.expected_text(fluent).removeprefix('null, or ')}",
                        ErrorCode.INVALID_STATE,
                    )
                values.read(fluent, value[name], position.fluents)
        elif name in required.fluents:
            raise GameError(
                f'the rules read {fluent.signature}: give "{name}" ({values.expected_text(fluent)})',
                ErrorCode.INCOMPLETE_STATE,
            )
    position.context = int(rules.contexts.compute_index(position.fluents[None])[0])


def _read_draw(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Read the progress of drawing."""
    cards = sum(rules.seating.num_dealt)
    stock = _get_field(value, required, "stock", 0)
    if type(stock) is not int or not 0 <= stock <= cards:
        raise GameError(f"stock: {stock!r} is not a number of cards from 0 to {cards}", ErrorCode.INVALID_STATE)
    position.stock = stock
    with error_context("drew"):
        drawer = _get_field(value, required, "drew", None)
        position.drew = NO_SEAT if drawer is None else seats.read_seat(rules, position.seat, drawer)
    with error_context("drawn"):
        if value.get("drawn") is not None:
            if position.drew != position.seat:
                raise GameError('only given if "drew" is the seat to decide', ErrorCode.INVALID_STATE)
            (position.drawn_kind,) = rules.card_codes.read([value["drawn"]])


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


def _read_trick_field(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Read the cards of the trick."""
    for field in (field_name for field_name in STATE_FIELDS if field_name not in allowed_fields(rules)):
        if value.get(field):
            if field == "picked":
                raise GameError("picked: the game has no plays composed card by card", ErrorCode.INVALID_STATE)
            raise GameError(
                f'{field}: the game has tricks: give "trick" instead ({FIELD_DESCRIPTIONS["trick"]})',
                ErrorCode.INCOMPLETE_STATE,
            )
    trick = _get_field(value, required, "trick", [])
    with error_context("trick"):
        read_trick(rules, trick, position)
    if value.get("picked"):
        with error_context("picked"):
            read_picked(rules, value["picked"], position)
    with error_context("acted"):
        if value.get("acted") is not None:
            position.acted = seats.read_seat(rules, position.seat, value["acted"])


def _read_turn_fields(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Read the owner of the play to beat, the seats that have passed, and the last actor."""
    seat, following = position.seat, position.to_beat != LEADING
    with error_context("top"):
        if not following and value.get("top") is not None:
            raise GameError("there is no play to beat", ErrorCode.INVALID_STATE)
        previous = seats.other_seats(rules, seat)[-1]
        top = value.get("top")
        position.owner = (
            previous if following and top is None else seats.read_seat(rules, seat, top) if following else seat
        )
    for field in ("passed", "has_passed"):
        with error_context(field):
            if not following and field in value and value[field]:
                raise GameError("no seat can have passed before the first play of a trick", ErrorCode.INVALID_STATE)
            masks = seats.mask_from_seats(seats.read_seats(rules, seat, value.get(field) or []))
            setattr(position, field, masks)
    if value.get("has_passed") is None:
        position.has_passed = position.passed
    elif position.passed & ~position.has_passed:
        raise GameError("has_passed: it must include all seats in passed", ErrorCode.INVALID_STATE)
    with error_context("acted"):
        acted = value.get("acted")
        position.acted = seats.read_seat(rules, seat, acted) if acted is not None else position.owner
    if following:
        cards = [card for card in position.top_cards.tolist() if card != NO_CARD]
        position.trick_cards[position.owner] = counts_from_cards(cards, len(rules.pack))


def _read_remaining(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Read numbers of acts and finished seats, and infer what follows from them."""
    acts = value.get("acts")
    if acts is None:
        is_start = (
            inference.is_episode_start(rules, position) if "acts" in required.fields else not position.played.any()
        )
        if "acts" in required.fields and not is_start:
            raise missing_field_error(required, "acts")
        acts = int(not is_start)
    if type(acts) is not int or not 0 <= acts < 1 << 20:
        raise GameError(f"acts: {acts!r} is not a number of plays and passes", ErrorCode.INVALID_STATE)
    position.acts = acts
    empty = [seat for seat in range(rules.seating.seats) if not position.hands[seat].any()]
    with error_context("finish"):
        finished = seats.read_seats(rules, position.seat, value.get("finish") or [])
        holding = [seat for seat in finished if seat not in empty]
        if holding:
            raise GameError(f"seat {holding[0]} still holds cards", ErrorCode.INVALID_STATE)
    if position.choice < 0:
        position.finish = [*finished, *(seat for seat in empty if seat not in finished)]
    with error_context("laid_down"):
        position.plays = _read_plays(rules, value.get("laid_down"), position)
    with error_context("lots"):
        position.lots = None if value.get("lots") is None else read_lots(rules, value["lots"])
    if position.choice >= 0:
        return
    if rules.trick_query is None:
        _require_passes(rules, value, required, position)
    else:
        _read_passes_of_trick(rules, value, required, position)


def _read_passes_of_trick(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Infer the seats that have passed in a trick; raises GameError if the last actor is needed and missing."""
    leading = position.leader == position.seat
    with error_context("passed"):
        if value.get("passed") is None:
            before = seats_since_leader(rules, position.leader, position.seat)
            position.passed = passed_in_trick(before, position.trick_cards, position.hands)
        else:
            position.passed = seats.mask_from_seats(seats.read_seats(rules, position.seat, value["passed"]))
    position.has_passed = position.passed
    if (
        leading
        and "acted" in required.fields
        and value.get("acted") is None
        and not inference.is_episode_start(rules, position)
    ):
        raise missing_field_error(required, "acted")


def _require_passes(
    rules: CompiledGame, value: Mapping[str, Any], required: RequiredFields, position: TablePosition
) -> None:
    """Infer the seats that have passed and the last actor; raises GameError if the rules read an open one."""
    if position.to_beat == LEADING:
        if (
            "acted" in required.fields
            and value.get("acted") is None
            and not inference.is_episode_start(rules, position)
        ):
            raise missing_field_error(required, "acted")
        return
    missing = [
        field for field in ("passed", "has_passed", "acted") if field in required.fields and value.get(field) is None
    ]
    for field in missing:
        if field == "has_passed" or not fill_passes(rules, value, position):
            raise missing_field_error(required, field)


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


def _read_plays(rules: CompiledGame, value: Any, position: TablePosition) -> list[int] | None:
    """Read the number of plays of each seat [seats]; None if not given."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != rules.seating.seats:
        raise GameError(f"{value!r} is not a list of {rules.seating.seats} numbers, by seat", ErrorCode.INVALID_STATE)
    for seat, count in enumerate(value):
        if type(count) is not int or not 0 <= count < 1 << 14:
            raise GameError(f"{count!r} is not a number of plays", ErrorCode.INVALID_STATE)
        if count == 0 and position.trick_cards[seat].any():
            raise GameError(f"0 for seat {seat}, which made the play to beat", ErrorCode.INVALID_STATE)
    return value


def read_lots(rules: CompiledGame, value: Any) -> list[int]:
    """Read the random numbers of a match in the order of their names; raises GameError."""
    names = [str(name) for name in rules.schema.lots]
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise GameError(
            f"{value!r} is not an object with the keys {', '.join(names) or '(none)'}", ErrorCode.INVALID_STATE
        )
    for name in names:
        if type(value[name]) is not int or not 0 <= value[name] < 1 << 15:
            raise GameError(
                f"{name}: {value[name]!r} is not a number from 0 to {(1 << 15) - 1}", ErrorCode.INVALID_STATE
            )
    return [value[name] for name in names]


# --- tables -----------------------------------------------------------------------------------------------------------


def build_tables(rules: CompiledGame, positions: Sequence[TablePosition]) -> Tables:
    """Build one table for each position."""
    tables = Tables(rules, len(positions))
    tables.auto_next_episode = False
    state = tables.state
    for row, position in enumerate(positions):
        state.hands[row], state.aside[row], state.played[row] = position.hands, position.aside, position.played
        state.stage[row], state.choice[row], state.seat[row] = position.stage, position.choice, position.seat
        state.to_beat[row], state.top_cards[row], state.owner[row] = (
            position.to_beat,
            position.top_cards,
            position.owner,
        )
        state.last_actor[row], state.num_acts[row], state.num_decisions[row] = (
            position.acted,
            position.acts,
            position.acts,
        )
        state.passed[row], state.passed_in_trick[row], state.seats_out[row] = (
            position.passed,
            position.has_passed,
            seats.mask_from_seats(position.finish),
        )
        state.finish_order[row, : len(position.finish)] = position.finish
        state.fluents[row], state.context[row] = position.fluents, position.context
        state.leader[row], state.trick_forms[row] = position.leader, position.trick_forms
        state.num_plays[row] = (
            position.plays if position.plays is not None else (position.trick_cards.any(axis=1) & (position.choice < 0))
        )
        state.lots[row] = position.lots or 0
        if rules.has_draws:
            _fill_stock(rules, state, row, position)
    if rules.trick_query is not None:
        fill_tricks(rules, state, positions)
    return tables


def _fill_stock(rules: CompiledGame, state: TableState, row: int, position: TablePosition) -> None:
    """Fill the stock with the cards set aside, in any order, after the card drawn last."""
    state.num_drawn[row] = sum(rules.seating.num_dealt) - position.stock
    state.last_drawer[row], state.is_just_drawn[row] = (
        position.drew,
        position.drawn_kind is not None and state.num_drawn[row] > 0,
    )
    remaining = np.repeat(np.arange(len(position.aside)), position.aside)[: state.stock.shape[1] - state.num_drawn[row]]
    state.stock[row, state.num_drawn[row] : state.num_drawn[row] + len(remaining)] = remaining
    if position.drawn_kind is not None and state.is_just_drawn[row]:
        state.stock[row, state.num_drawn[row] - 1] = position.drawn_kind
