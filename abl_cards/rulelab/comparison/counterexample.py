"""Minimise positions in which two sets of rules differ, by dropping cards and fields."""

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
    """Find a small state with different legal moves.

    Args:
        first: Engine of the first rules.
        second: Engine of the second rules.
        states: JSON states to start from.

    Returns:
        Smallest state found by dropping cards and fields; None if no state differs.
    """
    smallest: StateJson | None = None
    for state in sorted(states, key=_size):
        if smallest is not None and _size(state) > 2 * _size(smallest):
            break
        start = next(
            (candidate for candidate in _start_states(state) if have_different_moves(first, second, candidate)), None
        )
        if start is not None:
            shrunk = _shrink(first, second, start)
            smallest = shrunk if smallest is None or _size(shrunk) < _size(smallest) else smallest
    return smallest


def _start_states(state: StateJson) -> Iterator[StateJson]:
    """Yield the state, and variants without up to MAX_DROPPED_FIELDS fields, which may be inconsistent."""
    optional = [name for name in state if name not in REQUIRED_FIELDS]
    for count in range(MAX_DROPPED_FIELDS + 1):
        for dropped in combinations(optional, count):
            yield {name: value for name, value in state.items() if name not in dropped}


def have_different_moves(first: Engine, second: Engine, state: StateJson) -> bool:
    """Return whether the legal moves of a state differ.

    Args:
        first: Engine of the first rules.
        second: Engine of the second rules.
        state: JSON state.

    Returns:
        False also if either engine rejects the state.
    """
    first_moves, second_moves = (_moves(engine, state) for engine in (first, second))
    return first_moves is not None and second_moves is not None and first_moves != second_moves


def _moves(engine: Engine, state: StateJson) -> list[str] | None:
    (moves,) = engine.legal_moves([dict(state)])
    return None if isinstance(moves, GameError) else sorted(json.dumps(move, sort_keys=True) for move in moves)


def _size(state: StateJson) -> tuple[int, int]:
    return len(state.get("hand", ())), len(json.dumps(state, ensure_ascii=False))


def _shrink(first: Engine, second: Engine, state: StateJson) -> StateJson:
    """Drop cards and fields one at a time as long as the moves still differ."""
    while True:
        smaller = next(
            (smaller for smaller in _smaller_states(state) if have_different_moves(first, second, smaller)), None
        )
        if smaller is None:
            return state
        state = smaller


def _smaller_states(state: StateJson) -> Iterator[StateJson]:
    """Yield the state without one of its fields, or without one card of the hand."""
    hand = state.get("hand", ())
    for name in state:
        if name not in REQUIRED_FIELDS:
            yield {key: value for key, value in state.items() if key != name}
    for index in range(len(hand)):
        yield {**state, "hand": hand[:index] + hand[index + 1 :]}
