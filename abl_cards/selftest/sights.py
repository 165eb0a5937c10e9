"""What cases say of eyes: what a learner is told, fields of the state, and what is known of the other hands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.games import Engine, GameError, Moment
from abl_cards.games.words.replay import left_behind

HAS, LACKS = "has", "lacks"


def view_of(engine: Engine) -> list[list[Any]]:
    """The blocks of what a learner is told, each with its shape."""
    return [[feature.name, list(feature.shape)] for feature in engine.observation.features]


def wrong_view(engine: Engine, expected: Any) -> str:
    """Where learners are told something else, or in another order."""
    found = view_of(engine)
    return "" if found == expected else f"learners are told {json.dumps(found)}, not {json.dumps(expected)}"


def wrong_fields(moment: Moment, expected: Any) -> str:
    """Fields of the state, as ``abl-cards legal`` takes it, that are not what was expected; null is none."""
    return _unlike("sees", moment.state, expected)


def wrong_memory(engine: Engine, records: Sequence[Any], expected: Sequence[Any]) -> list[str]:
    """Record by record, what a match remembers after it and whether it is over, where it is not what was expected."""
    found = left_behind(engine.rules, records)
    return [
        str(each) if isinstance(each, GameError) else _unlike("after", each, wanted)
        for each, wanted in zip(found, expected, strict=True)
    ]


def _unlike(what: str, found: Mapping[str, Any], expected: Any) -> str:
    if not isinstance(expected, Mapping):
        raise GameError(f"{what}: an object of fields, such as {', '.join(found)}")
    plain = json.loads(json.dumps(found))
    wrong = [name for name, value in expected.items() if plain.get(name) != value]
    return "; ".join(f"{name} is {json.dumps(plain.get(name))}, not {json.dumps(expected[name])}" for name in wrong)


def wrong_knowledge(engine: Engine, moment: Moment, expected: Any) -> str:
    """Cards that other seats are known to have and to lack, of those that are unseen, where it is not what is said."""
    known = known_hands(engine, moment)
    if not isinstance(expected, Mapping) or not all(isinstance(each, Mapping) for each in expected.values()):
        raise GameError(f"known: an object of seats ({', '.join(known)}), each with {HAS} or {LACKS}")
    for who, said in expected.items():
        if who not in known:
            raise GameError(f"known: there is no seat {who}; there are {', '.join(known)}")
        for name, cards in said.items():
            if name not in (HAS, LACKS):
                raise GameError(f"known: '{name}' is neither {HAS} nor {LACKS}")
            if known[who][name] != cards:
                return f"{who} {name} {json.dumps(known[who][name])}, not {json.dumps(cards)}"
    return ""


def known_hands(engine: Engine, moment: Moment) -> dict[str, dict[str, str | list[str]]]:
    """By the other seats: the cards that each surely has, and the unseen ones that it surely has not."""
    hidden, written = moment.decision.hidden(), engine.rules.letters.hand
    lacks = hidden.unseen[:, None].astype(np.int16) - hidden.at_most
    return {
        str(who): {HAS: written(hidden.at_least[0, other]), LACKS: written(lacks[0, other].astype(np.uint8))}
        for other, who in enumerate(engine.rules.table.who)
    }
