"""Random values of fluents within the ranges that the rules declare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, NO_VALUE, SET_VALUED

_MOST_NUMBER = 40  # largest count if the rules declare none
_RARE, _OFTEN = 0.02, 0.3  # share of true elements of a set
_NONE_SHARE = 0.2  # share of single-valued fluents without value


def find_max_declared(rules: CompiledGame, name: str, arity: int, default: int = _MOST_NUMBER) -> int:
    """Return the largest number that a declared input has as its last argument.

    Args:
        rules: Compiled rules.
        name: Name of the input.
        arity: Number of arguments.
        default: Result if no declaration has a number there.
    """
    last_arguments = [
        args[-1] for input_name, args in rules.kb.input_atoms if input_name == name and len(args) == arity
    ]
    return max((number for number in last_arguments if isinstance(number, int)), default=default)


def sample_fluents(rules: CompiledGame, n: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """Draw fluents of n states.

    Args:
        rules: Compiled rules.
        n: Number of states.
        rng: Random generator.

    Returns:
        int16 [n, slots], declared values, or no value where the fluent allows it.
    """
    state = np.tile(rules.fluents.defaults, (n, 1))
    for fluent in rules.fluents.fluents:
        shape, values = (n, len(fluent.keys)), np.zeros(0, np.int64)
        if fluent.value_type == SET_VALUED:
            share = np.where(rng.random((n, 1)) < 0.5, _RARE, _OFTEN)
            values = (rng.random(shape) < share).astype(np.int64)
        elif fluent.value_type == COUNTER:
            values = rng.integers(0, find_max_declared(rules, *fluent.signature) + 1, shape)
        else:
            values = rng.integers(0, max(1, len(fluent.values)), shape)
            if fluent.signature not in rules.always_set_fluents:
                values[rng.random(shape) < _NONE_SHARE] = NO_VALUE
        state[:, list(fluent.slots)] = values
    return state
