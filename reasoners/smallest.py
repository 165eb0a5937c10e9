"""The smallest position in which two sets of rules differ: cards and fields are left out as long as they still do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Engine

State = Mapping[str, Any]

KEPT = ("hand", "to_beat")
MOST_LEFT_OUT = 2


def smallest(first: Engine, second: Engine, states: Sequence[State]) -> State | None:
    """Of states whose legal moves differ the one that can be made smallest, made so; None where none differs."""
    found: State | None = None
    for state in sorted(states, key=_size):
        if found is not None and _size(state) > 2 * _size(found):
            break
        start = next((some for some in _starts(state) if differ(first, second, some)), None)
        if start is not None:
            less = _shrunk(first, second, start)
            found = less if found is None or _size(less) < _size(found) else found
    return found


def _starts(state: State) -> Iterator[State]:
    """The state, and without some of its fields: a random one may tell of a trick that never was."""
    optional = [name for name in state if name not in KEPT]
    for number in range(MOST_LEFT_OUT + 1):
        for gone in combinations(optional, number):
            yield {name: value for name, value in state.items() if name not in gone}


def differ(first: Engine, second: Engine, state: State) -> bool:
    """Whether other moves are legal in a position of which both can tell; raises nothing."""
    one, two = (_moves(engine, state) for engine in (first, second))
    return one is not None and two is not None and one != two


def _moves(engine: Engine, state: State) -> list[str] | None:
    (moves,) = engine.legal_moves([dict(state)])
    return None if isinstance(moves, GameError) else sorted(json.dumps(move, sort_keys=True) for move in moves)


def _size(state: State) -> tuple[int, int]:
    return len(state.get("hand", ())), len(json.dumps(state, ensure_ascii=False))


def _shrunk(first: Engine, second: Engine, state: State) -> State:
    """Leave out what can be left out, one thing at a time, until nothing can."""
    while True:
        less = next((less for less in _parts(state) if differ(first, second, less)), None)
        if less is None:
            return state
        state = less


def _parts(state: State) -> Iterator[State]:
    """The state without one of its fields, or without one card of the hand."""
    hand = state.get("hand", ())
    for name in state:
        if name not in KEPT:
            yield {key: value for key, value in state.items() if key != name}
    for place in range(len(hand)):
        yield {**state, "hand": hand[:place] + hand[place + 1 :]}
