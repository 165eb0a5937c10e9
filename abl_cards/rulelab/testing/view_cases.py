"""Test cases about views: observations, fields of the state, known cards and beliefs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import match_states_after
from abl_cards.games.tables import DecisionPoint, list_beliefs
from abl_cards.games.types import HandEstimate

HAS, LACKS = "has", "lacks"


def describe_observation(engine: Engine) -> list[list[Any]]:
    """Return the blocks of the observation, each with its shape."""
    return [[feature.name, list(feature.shape)] for feature in engine.observation_features.features]


def check_view(engine: Engine, expected: Any) -> str:
    """Return the difference of the observation from the expected blocks; empty if there is none."""
    blocks = describe_observation(engine)
    return "" if blocks == expected else f"the observation is {json.dumps(blocks)}, not {json.dumps(expected)}"


def check_fields(decision_point: DecisionPoint, expected: Any) -> str:
    """Return the fields of the JSON state that differ from the expected ones; null stands for a missing field."""
    return _describe_differences("sees", decision_point.state, expected)


def check_memory(engine: Engine, records: Sequence[Any], expected: Sequence[Any]) -> list[str]:
    """Return for each record the difference of the match state after it from the expected one."""
    states = match_states_after(engine.rules, records)
    return [
        str(state) if isinstance(state, GameError) else _describe_differences("after", state, expected_fields)
        for state, expected_fields in zip(states, expected, strict=True)
    ]


def _describe_differences(field: str, fields: Mapping[str, Any], expected: Any) -> str:
    if not isinstance(expected, Mapping):
        raise GameError(f"{field}: not an object of fields, such as {', '.join(fields)}", ErrorCode.INVALID_CASE)
    json_fields = json.loads(json.dumps(fields))
    differing = [name for name, value in expected.items() if json_fields.get(name) != value]
    return "; ".join(
        f"{name} is {json.dumps(json_fields.get(name))}, not {json.dumps(expected[name])}" for name in differing
    )


def check_known_cards(engine: Engine, decision_point: DecisionPoint, expected: Any) -> str:
    """Return the difference of the known and excluded cards of other seats from the expected ones."""
    known = compute_known_cards(engine, decision_point)
    for seat_name, known_by_side in _read_by_seat(engine, "known", expected, Mapping, f"each with {HAS} or {LACKS}"):
        for name, cards in known_by_side.items():
            if name not in (HAS, LACKS):
                raise GameError(f"known: '{name}' is neither {HAS} nor {LACKS}", ErrorCode.INVALID_CASE)
            if known[seat_name][name] != cards:
                return f"{seat_name} {name} {json.dumps(known[seat_name][name])}, not {json.dumps(cards)}"
    return ""


def compute_known_cards(engine: Engine, decision_point: DecisionPoint) -> dict[str, dict[str, str | list[str]]]:
    """Return the cards that each other seat certainly has, and the unseen ones that it certainly lacks."""
    hidden, write_hand = decision_point.decision.information_set(), engine.rules.card_codes.write_hand
    lacks = hidden.unseen[:, None].astype(np.int16) - hidden.max_copies
    return {
        str(seat_name): {
            HAS: write_hand(hidden.min_copies[0, other]),
            LACKS: write_hand(lacks[0, other].astype(np.uint8)),
        }
        for other, seat_name in enumerate(engine.rules.seating.relative_names)
    }


def read_estimate(engine: Engine, value: Any) -> HandEstimate:
    """Read an estimate [1, others, kinds] of the cards of the other hands."""
    seat_names, codes = list(map(str, engine.rules.seating.relative_names)), engine.rules.card_codes
    estimate = np.zeros((1, len(seat_names), len(engine.rules.pack)), np.float32)
    for name, cards in _read_by_seat(engine, "estimate", value, list, "each with a list of cards"):
        estimate[0, seat_names.index(name)] = counts_from_cards(codes.read(cards), len(engine.rules.pack))
    return estimate


def estimate_to_json(engine: Engine, estimate: HandEstimate) -> dict[str, str | list[str]]:
    """Return an estimate [others, kinds] of whole cards by seat, in the form that estimate_of reads."""
    write_hand = engine.rules.card_codes.write_hand
    return {
        str(seat_name): write_hand(cards.astype(np.uint8))
        for seat_name, cards in zip(engine.rules.seating.relative_names, estimate, strict=True)
        if cards.any()
    }


def check_hints(engine: Engine, decision_point: DecisionPoint, expected: Any) -> str:
    """Return the difference of the beliefs about other seats from the expected ones."""
    hints = compute_hints(engine, decision_point)
    for seat_name, expected_hints in _read_by_seat(
        engine, "hints", expected, list, "each with a list of [hint, card, points]"
    ):
        if sorted(map(json.dumps, expected_hints)) != sorted(map(json.dumps, hints[seat_name])):
            return f"the hints about {seat_name} are {json.dumps(hints[seat_name])}, not {json.dumps(expected_hints)}"
    return ""


def compute_hints(engine: Engine, decision_point: DecisionPoint) -> dict[str, list[list[Any]]]:
    """Return the hints about each other seat, [name, subject, points]; empty without a record."""
    beliefs = list_beliefs(engine.rules, decision_point.decision.view)
    return {
        str(seat_name): [[str(name), str(cell), int(points)] for name, cell, points in beliefs[0][other]]
        for other, seat_name in enumerate(engine.rules.seating.relative_names)
    }


def _read_by_seat(engine: Engine, field: str, value: Any, sort: type, form: str) -> Iterator[tuple[str, Any]]:
    """Read values by seat; raises GameError for a malformed object or an unknown seat."""
    seat_names = list(map(str, engine.rules.seating.relative_names))
    if not isinstance(value, Mapping) or not all(isinstance(item, sort) for item in value.values()):
        raise GameError(f"{field}: not an object of seats ({', '.join(seat_names)}), {form}", ErrorCode.INVALID_CASE)
    for name, item_of_seat in value.items():
        if name not in seat_names:
            raise GameError(f"{field}: unknown seat {name}; known: {', '.join(seat_names)}", ErrorCode.INVALID_CASE)
        yield name, item_of_seat
