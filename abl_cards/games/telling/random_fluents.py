"""Draw what tables remember at random, from all that the rules declare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.fluents import ANY, COUNT, NONE, Fluent
from abl_cards.games.reading.rules import Rules

_MOST_NUMBER = 40  # where the rules declare no largest one
_RARE, _OFTEN = 0.02, 0.3  # how many of a set hold
_NONE_SHARE = 0.2  # of fluents of one value


def most_declared(rules: Rules, name: str, arity: int) -> int:
    """The largest number that a declared input has as its last argument."""
    found = [args[-1] for each, args in rules.kb.input_atoms if each == name and len(args) == arity]
    return max((number for number in found if isinstance(number, int)), default=_MOST_NUMBER)


def random_fluents(rules: Rules, n: int, random: np.random.Generator) -> NDArray[np.int16]:
    """[n, slots] fluents of any values that are declared, none among them where they may have none."""
    state = np.tile(rules.fluents.nothing, (n, 1))
    for fluent in rules.fluents.fluents:
        shape, values = (n, len(fluent.keys)), np.zeros(0, np.int64)
        if fluent.manner == ANY:
            share = np.where(random.random((n, 1)) < 0.5, _RARE, _OFTEN)
            values = (random.random(shape) < share).astype(np.int64)
        elif fluent.manner == COUNT:
            values = random.integers(0, _largest(rules, fluent) + 1, shape)
        else:
            values = random.integers(0, max(1, len(fluent.values)), shape)
            if fluent.signature not in rules.steady:
                values[random.random(shape) < _NONE_SHARE] = NONE
        state[:, list(fluent.slots)] = values
    return state


def _largest(rules: Rules, fluent: Fluent) -> int:
    return most_declared(rules, *fluent.signature)
