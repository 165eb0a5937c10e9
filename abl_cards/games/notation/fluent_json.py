"""JSON form of fluents: one value by itself, several keys as a list or an object.

``level(8)`` is ``"8"`` under ``level``, ``standing(0,2), standing(1,5)`` is ``["2","5"]``, ``shown(1)`` is ``[1]``,
a count is a number, and a fluent without arguments is true or false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import COUNTER, MAX_COUNT, SET_VALUED, Fluent, Terms


@dataclass(frozen=True)
class FluentCodec:
    """Terms as they are written: by their letter, where all that may stand in a place have one."""

    term_texts: Mapping[Term, str]

    def write(self, fluent: Fluent, state: NDArray[np.integer]) -> Any:
        """Return the JSON value of a fluent in the state [slots] of a table; None for no value."""
        numbers = [int(state[slot]) for slot in fluent.slots]
        if fluent.value_type == SET_VALUED:
            if fluent.keys == ((),):
                return bool(numbers[0])
            keys = zip(self._json_keys(fluent), numbers, strict=True)
            return [key for key, number in keys if number]
        written = self._encode_terms(fluent.values)
        values = [
            number if fluent.value_type == COUNTER else None if number < 0 else written[number] for number in numbers
        ]
        if fluent.keys == ((),):
            return values[0]
        if _is_numbered(fluent.keys):
            return values
        nothing = 0 if fluent.value_type == COUNTER else None
        return {name: value for name, value in zip(self._object_keys(fluent), values, strict=True) if value != nothing}

    def expected_text(self, fluent: Fluent) -> str:
        """Describe the JSON values that a fluent accepts."""
        if fluent.value_type == SET_VALUED:
            return (
                "true or false"
                if fluent.keys == ((),)
                else f"a list of what holds, of {_examples(self._json_keys(fluent))}"
            )
        each = (
            "a number"
            if fluent.value_type == COUNTER
            else f"null, or one of {_examples(self._encode_terms(fluent.values))}"
        )
        if fluent.keys == ((),):
            return each
        first = self._object_keys(fluent)[0]
        kind = f"a list of {len(fluent.keys)}" if _is_numbered(fluent.keys) else f"an object with keys like {first}"
        return f"{kind}, each {each}"

    def _encode_terms(self, terms: Sequence[Term]) -> list[Any]:
        """Terms of one place as JSON, each by its letter or none."""
        every = all(term in self.term_texts for term in terms)
        return [self.term_texts[term] if every else term for term in terms]

    def _json_keys(self, fluent: Fluent) -> list[Any]:
        """The keys of a fluent as JSON, in their order."""
        columns = [self._encode_terms(column) for column in zip(*fluent.keys, strict=True)]
        return [key[0] if len(key) == 1 else list(key) for key in zip(*columns, strict=True)]

    def _object_keys(self, fluent: Fluent) -> list[str]:
        """The keys of a fluent as those of an object."""
        return [",".join(map(str, key)) if isinstance(key, list) else str(key) for key in self._json_keys(fluent)]

    def read(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        """Write a JSON value into the state [slots]; raises GameError for an invalid one."""
        if fluent.value_type == SET_VALUED:
            self._read_keys(fluent, value, state)
            return
        known: dict[Any, int] = {term: place for place, term in enumerate(fluent.values)}
        known |= {term: place for place, term in enumerate(self._encode_terms(fluent.values))}
        for slot, each in zip(fluent.slots, self._values_by_key(fluent, value), strict=True):
            if fluent.value_type == COUNTER:
                if type(each) is not int or not -MAX_COUNT <= each <= MAX_COUNT:
                    raise GameError(
                        f"{each!r} is no whole number up to {MAX_COUNT}, nor as much below 0", ErrorCode.INVALID_STATE
                    )
                state[slot] = each
            elif each is None:
                state[slot] = fluent.default
            else:
                if type(each) not in (int, str) or each not in known:
                    raise GameError(
                        f"{each!r} is none of {_examples(self._encode_terms(fluent.values))}", ErrorCode.INVALID_STATE
                    )
                state[slot] = known[each]

    def _values_by_key(self, fluent: Fluent, value: Any) -> Sequence[Any]:
        keys = fluent.keys
        if keys == ((),):
            return [value]
        if _is_numbered(keys):
            if not isinstance(value, list) or len(value) != len(keys):
                raise GameError(f"{value!r} is no list of {len(keys)}", ErrorCode.INVALID_STATE)
            return value
        names = self._object_keys(fluent)
        if not isinstance(value, dict) or not set(value) <= set(names):
            raise GameError(f"{value!r} is no object with keys like {_examples(names)}", ErrorCode.INVALID_STATE)
        return [value.get(each, 0 if fluent.value_type == COUNTER else None) for each in names]

    def _read_keys(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        if fluent.keys == ((),):
            if not isinstance(value, bool):
                raise GameError(f"{value!r} is neither true nor false", ErrorCode.INVALID_STATE)
            state[fluent.first_slot] = value
            return
        if not isinstance(value, list):
            raise GameError(f"{value!r} is no list of what holds", ErrorCode.INVALID_STATE)
        known = {str(key): slot for key, slot in zip(self._json_keys(fluent), fluent.slots, strict=True)}
        state[fluent.first_slot : fluent.first_slot + len(fluent.keys)] = 0
        for each in value:
            if str(each) not in known:
                raise GameError(f"{each!r} is none of {_examples(self._json_keys(fluent))}", ErrorCode.INVALID_STATE)
            if state[known[str(each)]]:
                raise GameError(
                    f"{each!r} stands there twice, and {value!r} is to be a list of what holds", ErrorCode.INVALID_STATE
                )
            state[known[str(each)]] = 1


def _examples(known: Sequence[Any]) -> str:
    return ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")


def _is_numbered(keys: Sequence[Terms]) -> bool:
    """Return whether the keys are the numbers of seats or teams."""
    return list(keys) == [(number,) for number in range(len(keys))]
