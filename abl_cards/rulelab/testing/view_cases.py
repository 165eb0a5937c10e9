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
    found = describe_observation(engine)
    return "" if found == expected else f"learners are told {json.dumps(found)}, not {json.dumps(expected)}"


def check_fields(decision_point: DecisionPoint, expected: Any) -> str:
    """Fields of the state, as ``abl-cards legal`` takes it, that are not what was expected; null is none."""
    return _describe_differences("sees", decision_point.state, expected)


def check_memory(engine: Engine, records: Sequence[Any], expected: Sequence[Any]) -> list[str]:
    """Record by record, what a match remembers after it and whether it is over, where it is not what was expected."""
    found = match_states_after(engine.rules, records)
    return [
        str(each) if isinstance(each, GameError) else _describe_differences("after", each, wanted)
        for each, wanted in zip(found, expected, strict=True)
    ]


def _describe_differences(what: str, found: Mapping[str, Any], expected: Any) -> str:
    if not isinstance(expected, Mapping):
        raise GameError(f"{what}: an object of fields, such as {', '.join(found)}", ErrorCode.INVALID_CASE)
    plain = json.loads(json.dumps(found))
    wrong = [name for name, value in expected.items() if plain.get(name) != value]
    return "; ".join(f"{name} is {json.dumps(plain.get(name))}, not {json.dumps(expected[name])}" for name in wrong)


def check_known_cards(engine: Engine, decision_point: DecisionPoint, expected: Any) -> str:
    """Return the difference of the known and excluded cards of other seats from the expected ones."""
    known = compute_known_cards(engine, decision_point)
    for who, said in _read_by_seat(engine, "known", expected, Mapping, f"each with {HAS} or {LACKS}"):
        for name, cards in said.items():
            if name not in (HAS, LACKS):
                raise GameError(f"known: '{name}' is neither {HAS} nor {LACKS}", ErrorCode.INVALID_CASE)
            if known[who][name] != cards:
                return f"{who} {name} {json.dumps(known[who][name])}, not {json.dumps(cards)}"
    return ""


def compute_known_cards(engine: Engine, decision_point: DecisionPoint) -> dict[str, dict[str, str | list[str]]]:
    """By the other seats: the cards that each surely has, and the unseen ones that it surely has not."""
    hidden, written = decision_point.decision.information_set(), engine.rules.card_codes.write_hand
    lacks = hidden.unseen[:, None].astype(np.int16) - hidden.max_copies
    return {
        str(who): {HAS: written(hidden.min_copies[0, other]), LACKS: written(lacks[0, other].astype(np.uint8))}
        for other, who in enumerate(engine.rules.seating.relative_names)
    }


def read_estimate(engine: Engine, value: Any) -> HandEstimate:
    """[1, others, kinds] the cards that the other hands are taken to hold, for who judges moves."""
    who, letters = list(map(str, engine.rules.seating.relative_names)), engine.rules.card_codes
    found = np.zeros((1, len(who), len(engine.rules.pack)), np.float32)
    for name, cards in _read_by_seat(engine, "estimate", value, list, "each with a list of cards"):
        found[0, who.index(name)] = counts_from_cards(letters.read(cards), len(engine.rules.pack))
    return found


def estimate_to_json(engine: Engine, estimate: HandEstimate) -> dict[str, str | list[str]]:
    """Return an estimate [others, kinds] of whole cards by seat, in the form that estimate_of reads."""
    written = engine.rules.card_codes.write_hand
    return {
        str(who): written(cards.astype(np.uint8))
        for who, cards in zip(engine.rules.seating.relative_names, estimate, strict=True)
        if cards.any()
    }


def check_hints(engine: Engine, decision_point: DecisionPoint, expected: Any) -> str:
    """Return the difference of the beliefs about other seats from the expected ones."""
    found = compute_hints(engine, decision_point)
    for who, said in _read_by_seat(engine, "hints", expected, list, "each with a list of [hint, card, points]"):
        if sorted(map(json.dumps, said)) != sorted(map(json.dumps, found[who])):
            return f"the hints about {who} are {json.dumps(found[who])}, not {json.dumps(said)}"
    return ""


def compute_hints(engine: Engine, decision_point: DecisionPoint) -> dict[str, list[list[Any]]]:
    """Return the hints about each other seat, [name, subject, points]; empty without a record."""
    found = list_beliefs(engine.rules, decision_point.decision.view)
    return {
        str(who): [[str(name), str(cell), int(points)] for name, cell, points in found[0][other]]
        for other, who in enumerate(engine.rules.seating.relative_names)
    }


def _read_by_seat(engine: Engine, what: str, value: Any, sort: type, form: str) -> Iterator[tuple[str, Any]]:
    """Read values by seat; raises GameError for a malformed object or an unknown seat."""
    who = list(map(str, engine.rules.seating.relative_names))
    if not isinstance(value, Mapping) or not all(isinstance(each, sort) for each in value.values()):
        raise GameError(f"{what}: an object of seats ({', '.join(who)}), {form}", ErrorCode.INVALID_CASE)
    for name, said in value.items():
        if name not in who:
            raise GameError(f"{what}: there is no seat {name}; there are {', '.join(who)}", ErrorCode.INVALID_CASE)
        yield name, said
