"""What tables remember, as JSON: a fluent of one value by that value, of several keys by a list or an object.

``level(8)`` is ``"8"`` under ``level``, ``standing(0,2), standing(1,5)`` is ``["2","5"]``, ``shown(1)`` is ``[1]``, and a count is a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.reading.fluents import ANY, COUNT, ONE, Arguments, Fluent
from abl_cards.logic import Term


@dataclass(frozen=True)
class Values:
    """Terms as they are written: by their letter, where they have one."""

    letters: Mapping[Term, str]

    def write_term(self, term: Term) -> Any:
        """A term as JSON."""
        return self.letters.get(term, term)

    def write(self, fluent: Fluent, state: NDArray[np.integer]) -> Any:
        """What a table that remembers state [slots] says of a fluent; None for nothing."""
        numbers = [int(state[slot]) for slot in fluent.slots]
        if fluent.manner == ANY:
            return [self._key(key) for key, number in zip(fluent.keys, numbers, strict=True) if number]
        values = [self._value(fluent, number) for number in numbers]
        if fluent.keys == ((),):
            return values[0]
        if _listed(fluent.keys):
            return values
        found = {",".join(map(str, key)): value for key, value in zip(fluent.keys, values, strict=True)}
        return {key: value for key, value in found.items() if value is not None}

    def _value(self, fluent: Fluent, number: int) -> Any:
        if fluent.manner == COUNT:
            return number
        return None if number < 0 else self.write_term(fluent.values[number])

    def _key(self, key: Arguments) -> Any:
        texts = [self.write_term(term) for term in key]
        return texts[0] if len(texts) == 1 else texts

    def read(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        """Write down in state [slots] what JSON says of a fluent; raises GameError."""
        name = fluent.signature.name
        if fluent.manner == ANY:
            self._read_keys(fluent, value, state)
            return
        for slot, each in zip(fluent.slots, self._by_key(fluent, value), strict=True):
            if fluent.manner == COUNT:
                if type(each) is not int or each < 0:
                    raise GameError(f"{name}: {each!r} is no number")
                state[slot] = each
            elif each is not None:
                known = {self.write_term(term): place for place, term in enumerate(fluent.values)}
                if not isinstance(each, (int, str)) or each not in known:
                    raise GameError(f"{name}: {each!r} is none of {', '.join(map(str, known))}")
                state[slot] = known[each]

    def _by_key(self, fluent: Fluent, value: Any) -> Sequence[Any]:
        name, keys = fluent.signature.name, fluent.keys
        if keys == ((),):
            return [value]
        if _listed(keys):
            if not isinstance(value, list) or len(value) != len(keys):
                raise GameError(f"{name}: {value!r} is no list of {len(keys)}")
            return value
        names = [",".join(map(str, key)) for key in keys]
        if not isinstance(value, dict) or not set(value) <= set(names):
            raise GameError(f"{name}: {value!r} is no object with keys like {names[0]!r}")
        return [value.get(each, 0 if fluent.manner == COUNT else None) for each in names]

    def _read_keys(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        known = {str(self._key(key)): slot for key, slot in zip(fluent.keys, fluent.slots, strict=True)}
        if not isinstance(value, list):
            raise GameError(f"{fluent.signature.name}: {value!r} is no list")
        for each in value:
            if str(each) not in known:
                raise GameError(f"{fluent.signature.name}: {each!r} is none of {', '.join(list(known)[:6])}")
            state[known[str(each)]] = 1


def _listed(keys: Sequence[Arguments]) -> bool:
    """Whether the keys are the numbers of seats or of teams."""
    return [key for key in keys] == [(number,) for number in range(len(keys))]


assert ONE
