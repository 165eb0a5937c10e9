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
from abl_cards.games.notation.fields import read_list, read_number


@dataclass(frozen=True)
class FluentCodec:
    """Converts fluents to JSON and back; terms are written by their texts where all values of a place have one.

    Attributes:
        term_texts: Texts of ranks, suits and cards.
    """

    term_texts: Mapping[Term, str]

    def write(self, fluent: Fluent, state: NDArray[np.integer]) -> Any:
        """Return the JSON value of a fluent.

        Args:
            fluent: Fluent to write.
            state: Fluents of a table, [slots].

        Returns:
            JSON value; None for no value.
        """
        numbers = [int(state[slot]) for slot in fluent.slots]
        if fluent.value_type == SET_VALUED:
            if fluent.keys == ((),):
                return bool(numbers[0])
            keys = zip(self._json_keys(fluent), numbers, strict=True)
            return [key for key, number in keys if number]
        texts = self._encode_terms(fluent.values)
        values = [
            number if fluent.value_type == COUNTER else None if number < 0 else texts[number] for number in numbers
        ]
        if fluent.keys == ((),):
            return values[0]
        if _is_numbered(fluent.keys):
            return values
        default = 0 if fluent.value_type == COUNTER else None
        return {name: value for name, value in zip(self._object_keys(fluent), values, strict=True) if value != default}

    def expected_text(self, fluent: Fluent) -> str:
        """Describe the JSON values that a fluent accepts.

        Args:
            fluent: Fluent to describe.

        Returns:
            Description for error messages, such as ``a number``.
        """
        if fluent.value_type == SET_VALUED:
            return (
                "true or false"
                if fluent.keys == ((),)
                else f"a list of keys that hold, among {_examples(self._json_keys(fluent))}"
            )
        value_text = (
            "a number"
            if fluent.value_type == COUNTER
            else f"null, or one of {_examples(self._encode_terms(fluent.values))}"
        )
        if fluent.keys == ((),):
            return value_text
        first = self._object_keys(fluent)[0]
        kind = f"a list of {len(fluent.keys)}" if _is_numbered(fluent.keys) else f"an object with keys like {first}"
        return f"{kind}, each {value_text}"

    def _encode_terms(self, terms: Sequence[Term]) -> list[Any]:
        """Return terms as JSON: all by their texts, or none."""
        has_texts = all(term in self.term_texts for term in terms)
        return [self.term_texts[term] if has_texts else term for term in terms]

    def _json_keys(self, fluent: Fluent) -> list[Any]:
        """Return the keys of a fluent as JSON values, in order."""
        columns = [self._encode_terms(column) for column in zip(*fluent.keys, strict=True)]
        return [key[0] if len(key) == 1 else list(key) for key in zip(*columns, strict=True)]

    def _object_keys(self, fluent: Fluent) -> list[str]:
        """Return the keys of a fluent as keys of a JSON object."""
        return [",".join(map(str, key)) if isinstance(key, list) else str(key) for key in self._json_keys(fluent)]

    def read(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        """Read the JSON value of a fluent into a state.

        Args:
            fluent: Fluent to read.
            value: JSON value.
            state: Fluents of a table, int16 [slots]; its slots are overwritten.

        Raises:
            GameError: The value has the wrong form, or names no value of the fluent.
        """
        if fluent.value_type == SET_VALUED:
            self._read_keys(fluent, value, state)
            return
        value_index: dict[Any, int] = {term: index for index, term in enumerate(fluent.values)}
        value_index |= {term: index for index, term in enumerate(self._encode_terms(fluent.values))}
        for slot, item in zip(fluent.slots, self._values_by_key(fluent, value), strict=True):
            if fluent.value_type == COUNTER:
                state[slot] = read_number(item, -MAX_COUNT, MAX_COUNT, "a whole number")
            elif item is None:
                state[slot] = fluent.default
            else:
                if type(item) not in (int, str) or item not in value_index:
                    raise GameError(
                        f"unknown value {item!r}; known: {_examples(self._encode_terms(fluent.values))}",
                        ErrorCode.INVALID_STATE,
                    )
                state[slot] = value_index[item]

    def _values_by_key(self, fluent: Fluent, value: Any) -> Sequence[Any]:
        keys = fluent.keys
        if keys == ((),):
            return [value]
        if _is_numbered(keys):
            return read_list(value, len(keys), "values")
        names = self._object_keys(fluent)
        if not isinstance(value, dict) or not set(value) <= set(names):
            raise GameError(f"{value!r} is not an object with keys like {_examples(names)}", ErrorCode.INVALID_STATE)
        return [value.get(name, 0 if fluent.value_type == COUNTER else None) for name in names]

    def _read_keys(self, fluent: Fluent, value: Any, state: NDArray[np.int16]) -> None:
        if fluent.keys == ((),):
            if not isinstance(value, bool):
                raise GameError(f"{value!r} is neither true nor false", ErrorCode.INVALID_STATE)
            state[fluent.first_slot] = value
            return
        if not isinstance(value, list):
            raise GameError(f"{value!r} is not a list of keys that hold", ErrorCode.INVALID_STATE)
        slot_by_key = {str(key): slot for key, slot in zip(self._json_keys(fluent), fluent.slots, strict=True)}
        state[fluent.first_slot : fluent.first_slot + len(fluent.keys)] = 0
        for item in value:
            if str(item) not in slot_by_key:
                raise GameError(
                    f"unknown key {item!r}; known: {_examples(self._json_keys(fluent))}", ErrorCode.INVALID_STATE
                )
            if state[slot_by_key[str(item)]]:
                raise GameError(
                    f"{item!r} occurs twice in {value!r}, a list of keys that hold", ErrorCode.INVALID_STATE
                )
            state[slot_by_key[str(item)]] = 1


def _examples(known: Sequence[Any]) -> str:
    return ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")


def _is_numbered(keys: Sequence[Terms]) -> bool:
    """Return whether the keys are the numbers of seats or teams."""
    return list(keys) == [(index,) for index in range(len(keys))]
