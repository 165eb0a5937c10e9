"""Draw what tables remember at random, from all that the rules declare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, NO_VALUE, SET_VALUED, Fluent

_MOST_NUMBER = 40  # where the rules declare no largest one
_RARE, _OFTEN = 0.02, 0.3  # how many of a set hold
_NONE_SHARE = 0.2  # of fluents of one value


def find_max_declared(rules: CompiledGame, name: str, arity: int) -> int:
    """The largest number that a declared input has as its last argument."""
    found = [args[-1] for each, args in rules.kb.input_atoms if each == name and len(args) == arity]
    return max((number for number in found if isinstance(number, int)), default=_MOST_NUMBER)


def sample_fluents(rules: CompiledGame, n: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """[n, slots] fluents of any values that are declared, none among them where they may have none."""
    state = np.tile(rules.fluents.defaults, (n, 1))
    for fluent in rules.fluents.fluents:
        shape, values = (n, len(fluent.keys)), np.zeros(0, np.int64)
        if fluent.value_type == SET_VALUED:
            share = np.where(rng.random((n, 1)) < 0.5, _RARE, _OFTEN)
            values = (rng.random(shape) < share).astype(np.int64)
        elif fluent.value_type == COUNTER:
            values = rng.integers(0, _find_max_count(rules, fluent) + 1, shape)
        else:
            values = rng.integers(0, max(1, len(fluent.values)), shape)
            if fluent.signature not in rules.always_set_fluents:
                values[rng.random(shape) < _NONE_SHARE] = NO_VALUE
        state[:, list(fluent.slots)] = values
    return state


def _find_max_count(rules: CompiledGame, fluent: Fluent) -> int:
    return find_max_declared(rules, *fluent.signature)
