"""Fluents: state variables that rule files declare, stored as numbers.

A fluent is an input that a fact declares: ``one(level,1)`` has one value or none, ``count(failures,2)`` counts from 0,
``any(shown,1)`` is a set. All arguments but the value are the key; a *slot* stores one fluent with one key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature, Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode

SINGLE_VALUED, COUNTER, SET_VALUED = "one", "count", "any"
FLUENT_TYPES = (SINGLE_VALUED, COUNTER, SET_VALUED)
"""Predicates that declare a fluent."""
MAX_COUNT = 30_000
"""Maximum absolute value of a count."""
NO_VALUE = -1
"""Number in a slot of a fluent of one value that has no value."""

Terms = tuple[Term, ...]


class FluentSlot(NamedTuple):
    """Slot of an instance of a fluent, and the number that the instance tests for."""

    slot: int
    value: int  # index of the value; lower bound of a count; 1 for a set


@dataclass(frozen=True)
class Fluent:
    """State variable that rules declare.

    Attributes:
        signature: Name and number of arguments.
        value_type: SINGLE_VALUED, COUNTER or SET_VALUED.
        is_persistent: The value survives the end of an episode.
        keys: Keys in term order.
        values: Values in term order, for SINGLE_VALUED.
        first_slot: Slot of the first key.
        is_private: Only the seat that is the first argument may observe the value.
    """

    signature: Signature
    value_type: str
    is_persistent: bool
    keys: tuple[Terms, ...]
    values: tuple[Term, ...]
    first_slot: int
    is_private: bool = False

    @property
    def slots(self) -> range:
        """Slots of the fluent, one for each key."""
        return range(self.first_slot, self.first_slot + len(self.keys))

    @property
    def default(self) -> int:
        """Initial number of a slot."""
        return NO_VALUE if self.value_type == SINGLE_VALUED else 0

    def locate(self, arguments: Terms) -> FluentSlot | None:
        """Find the slot of an instance.

        Args:
            arguments: Arguments of the instance, with its value.

        Returns:
            Slot and number; None for an instance that is not declared.
        """
        key, value = (arguments, 1) if self.value_type == SET_VALUED else (arguments[:-1], arguments[-1])
        if key not in self._key_index:
            return None
        slot = self.first_slot + self._key_index[key]
        if self.value_type == SINGLE_VALUED:
            return FluentSlot(slot, self.values.index(value)) if value in self.values else None
        return FluentSlot(slot, value) if isinstance(value, int) else None

    @cached_property
    def _key_index(self) -> dict[Terms, int]:
        return {key: index for index, key in enumerate(self.keys)}


@dataclass(frozen=True)
class Fluents:
    """Fluents of a game, stored as one number for each slot."""

    fluents: tuple[Fluent, ...]

    def __len__(self) -> int:
        """Return the number of slots."""
        return self._num_slots

    @cached_property
    def _num_slots(self) -> int:
        return sum(len(fluent.keys) for fluent in self.fluents)

    def __getitem__(self, signature: Signature) -> Fluent:
        return self._by_signature[signature]

    def __contains__(self, signature: object) -> bool:
        return signature in self._by_signature

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """Signatures of all fluents."""
        return tuple(fluent.signature for fluent in self.fluents)

    def find(self, name: str) -> Fluent | None:
        """Find the first fluent with a name, with any number of arguments.

        Args:
            name: Name of the fluent.

        Returns:
            Fluent; None if there is none.
        """
        return next((fluent for fluent in self.fluents if fluent.signature.name == name), None)

    @cached_property
    def defaults(self) -> NDArray[np.int16]:
        """[slots] initial numbers."""
        return np.array([fluent.default for fluent in self.fluents for _ in fluent.keys], np.int16)

    @cached_property
    def episode_slots(self) -> NDArray[np.int64]:
        """Slots that are reset when cards are dealt."""
        slots = [slot for fluent in self.fluents if not fluent.is_persistent for slot in fluent.slots]
        return np.array(slots, np.int64)

    @cached_property
    def private_slots(self) -> NDArray[np.int64]:
        """[private slots, 2] slots that only one seat may observe, and that seat."""
        slots = [
            (slot, key[0])
            for fluent in self.fluents
            if fluent.is_private
            for slot, key in zip(fluent.slots, fluent.keys, strict=True)
        ]
        return np.array(slots, np.int64).reshape(-1, 2)

    @cached_property
    def slot_owner(self) -> NDArray[np.int8]:
        """[slots] only seat that may observe each slot; -1 if all seats may."""
        owners = np.full(len(self), -1, np.int8)
        owners[self.private_slots[:, 0]] = self.private_slots[:, 1]
        return owners

    def mask_private(self, state: NDArray[np.int16], seats: NDArray[np.integer]) -> NDArray[np.int16]:
        """Replace private values of other seats by their initial numbers.

        Args:
            state: int16 [n, slots], values of the fluents.
            seats: [n], seat that observes each table.

        Returns:
            int16 [n, slots]; the same array if no fluent is private.
        """
        slots, owners = self.private_slots.T
        if not len(slots):
            return state
        visible = state.copy()
        visible[:, slots] = np.where(owners == np.asarray(seats)[:, None], state[:, slots], self.defaults[slots])
        return visible

    @cached_property
    def _by_signature(self) -> dict[Signature, Fluent]:
        return {fluent.signature: fluent for fluent in self.fluents}


_USES = {SINGLE_VALUED: "one value", SET_VALUED: "several", COUNTER: "a number"}
"""Use of each declaration of a fluent, in advice."""


def explain_unknown_fluent(fluents: Fluents, name: str, arguments: Terms) -> tuple[str, str]:
    """Describe why an instance is not declared.

    Args:
        fluents: Fluents of the game.
        name: Name of the instance.
        arguments: Arguments of the instance.

    Returns:
        Message and remedy of a diagnostic.
    """
    text = f"{name}({','.join(map(str, arguments))})" if arguments else name
    fluent = fluents.find(name)
    if fluent is None:
        if not arguments:
            return "no such fluent", f"declare it: #external {name}. and any({name},0)."
        types = (f"{kind}({name},{len(arguments)}). for {use}" for kind, use in _USES.items())
        declaration = f"#external {name}(…), with the ranges of its arguments"
        return "no such fluent", f"declare it: {declaration}, and {', '.join(types)}"
    arity = fluent.signature.arity
    if arity == len(arguments):
        remedy = f"bind the arguments in the body of the rule, or widen the ranges of #external {name}(…)"
        return f"{text} is none of those declared", remedy if arguments else f"write #external {name}."
    remedy = "give it as many arguments as #external does"
    if fluent.value_type == COUNTER and len(arguments) < arity:
        remedy = f"name its number too: {name}({'…,' * (arity > 1)}N); adds/3 alone leaves it out"
    elif fluent.value_type == COUNTER:
        remedy = f"adds/3 names a count without its number: adds({name}{'(…)' * (arity > 1)},N,Why)"
    return f"there is {name}/{arity}, and no {name}/{len(arguments)}", remedy


def add_count_argument(term: Term) -> str:
    """Append the argument 1 to a term: ``failures(0,1)`` for ``failures(0)``."""
    term = str(term)
    return f"{term[:-1]},1)" if term.endswith(")") else f"{term}(1)"


def read_fluent_types(facts: Iterable[tuple[str, tuple[Term | None, ...]]]) -> dict[Signature, str]:
    """Read the type of each fluent.

    Args:
        facts: Name and arguments of each fact ``one/2``, ``count/2`` and ``any/2``.

    Returns:
        SINGLE_VALUED, COUNTER or SET_VALUED for each fluent.

    Raises:
        KBError: A fact is malformed, or a fluent has two types.
    """
    fluent_types: dict[Signature, str] = {}
    for value_type, arguments in facts:
        name, arity = arguments
        if not isinstance(name, str) or not isinstance(arity, int):
            message = f"{value_type}/2: expected a name and a number of arguments"
            raise make_kb_error(message, f"write {value_type}(level,1).", ErrorCode.INVALID_FLUENT)
        signature = Signature(name, arity)
        if fluent_types.setdefault(signature, value_type) != value_type:
            message = f"{signature} is declared by {fluent_types[signature]} and by {value_type}"
            raise make_kb_error(message, "keep one of them", ErrorCode.INVALID_FLUENT)
    return fluent_types


def read_fluents(kb: KnowledgeBase, fluent_types: Mapping[Signature, str]) -> Fluents:
    """Read the fluents of a game; their keys and values come from the declared inputs.

    Args:
        kb: Knowledge base of the game.
        fluent_types: Type of each fluent.

    Raises:
        KBError: A fluent has no argument for its value, or a private fluent has no seat as its first argument.
    """
    instances: dict[Signature, list[Terms]] = {}
    for name, arguments in kb.input_atoms:
        instances.setdefault(Signature(name, len(arguments)), []).append(arguments)
    persistent = _read_persistent(kb)
    private = _read_private(kb, fluent_types)
    fluents, first_slot = [], 0
    for signature, value_type in sorted(fluent_types.items()):
        if value_type != SET_VALUED and signature.arity == 0:
            raise make_kb_error(
                f"{value_type}({signature.name},0): it has no argument for the value",
                "declare it by any/2",
                ErrorCode.INVALID_FLUENT,
            )
        inputs = instances.get(signature, [])
        keys = _unique(arguments if value_type == SET_VALUED else arguments[:-1] for arguments in inputs)
        values = (
            tuple(value for (value,) in _unique(arguments[-1:] for arguments in inputs))
            if value_type == SINGLE_VALUED
            else ()
        )
        if signature in private and not all(key and isinstance(key[0], int) and key[0] >= 0 for key in keys):
            raise make_kb_error(
                f"private({signature.name},{signature.arity}): it names no seat",
                "let its first argument be a seat",
                ErrorCode.INVALID_FLUENT,
            )
        is_private = signature in private
        fluents.append(
            Fluent(signature, value_type, signature.name in persistent, tuple(keys), values, first_slot, is_private)
        )
        first_slot += len(keys)
    return Fluents(tuple(fluents))


def _read_persistent(kb: KnowledgeBase) -> set[str]:
    """Read the names in ``lasts/2``, including those of fluents that a variant leaves out."""
    return {str(name) for name, _ in kb.facts("lasts", 2)}


def _read_private(kb: KnowledgeBase, fluent_types: Mapping[Signature, str]) -> set[Signature]:
    """Read the fluents in ``private/2``, without those that a variant leaves out."""
    signatures = {
        Signature(str(name), arity if isinstance(arity, int) else 0) for name, arity in kb.facts("private", 2)
    }
    return signatures & set(fluent_types)


def _unique(items: Iterable[Terms]) -> list[Terms]:
    """Remove repetitions; clingo returns the items in term order."""
    return list(dict.fromkeys(items))


def fluents_by_name(fluents: Fluents, reserved: Iterable[str]) -> dict[str, Fluent]:
    """Index the fluents by the names of their JSON fields.

    Args:
        fluents: Fluents of the game.
        reserved: Names of other fields.

    Returns:
        Fluents by name, or by ``name/arity`` where the name is reserved or not unique.
    """
    names = [fluent.signature.name for fluent in fluents.fluents]
    reserved = {*reserved, *(name for name in names if names.count(name) > 1)}
    return {
        str(fluent.signature) if fluent.signature.name in reserved else fluent.signature.name: fluent
        for fluent in fluents.fluents
    }
