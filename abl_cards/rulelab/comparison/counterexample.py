"""The smallest position in which two sets of rules differ: cards and fields are left out as long as they still do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from abl_cards.core import GameError
from abl_cards.games import Engine

StateJson = Mapping[str, Any]

REQUIRED_FIELDS = ("hand", "to_beat")
MAX_DROPPED_FIELDS = 2


def minimise_counterexample(first: Engine, second: Engine, states: Sequence[StateJson]) -> StateJson | None:
    """Of states whose legal moves differ the one that can be made smallest, made so; None where none differs."""
    found: StateJson | None = None
    for state in sorted(states, key=_size):
        if found is not None and _size(state) > 2 * _size(found):
            break
        start = next((some for some in _start_states(state) if have_different_moves(first, second, some)), None)
        if start is not None:
            less = _shrink(first, second, start)
            found = less if found is None or _size(less) < _size(found) else found
    return found


def _start_states(state: StateJson) -> Iterator[StateJson]:
    """The state, and without some of its fields: a random one may tell of a trick that never was."""
    optional = [name for name in state if name not in REQUIRED_FIELDS]
    for number in range(MAX_DROPPED_FIELDS + 1):
        for gone in combinations(optional, number):
            yield {name: value for name, value in state.items() if name not in gone}


def have_different_moves(first: Engine, second: Engine, state: StateJson) -> bool:
    """Return whether the legal moves of a state differ; False if either engine rejects the state."""
    one, two = (_moves(engine, state) for engine in (first, second))
    return one is not None and two is not None and one != two


def _moves(engine: Engine, state: StateJson) -> list[str] | None:
    (moves,) = engine.legal_moves([dict(state)])
    return None if isinstance(moves, GameError) else sorted(json.dumps(move, sort_keys=True) for move in moves)


def _size(state: StateJson) -> tuple[int, int]:
    return len(state.get("hand", ())), len(json.dumps(state, ensure_ascii=False))


def _shrink(first: Engine, second: Engine, state: StateJson) -> StateJson:
    """Leave out what can be left out, one thing at a time, until nothing can."""
    while True:
        less = next((less for less in _smaller_states(state) if have_different_moves(first, second, less)), None)
        if less is None:
            return state
        state = less


def _smaller_states(state: StateJson) -> Iterator[StateJson]:
    """The state without one of its fields, or without one card of the hand."""
    hand = state.get("hand", ())
    for name in state:
        if name not in REQUIRED_FIELDS:
            yield {key: value for key, value in state.items() if key != name}
    for place in range(len(hand)):
        yield {**state, "hand": hand[:place] + hand[place + 1 :]}
