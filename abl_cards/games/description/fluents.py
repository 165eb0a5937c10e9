"""Fluents: what a table remembers between plays, as rule files declare it, in numbers.

A fluent is an input that a fact declares: ``one(level,1)`` has one value or none, ``count(failures,2)`` counts from 0,
``any(shown,1)`` holds of some. All arguments but the value are its keys; a *slot* is a fluent with its keys.
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

SINGLE_VALUED, COUNTER, SET_VALUED = "one", "count", "any"
FLUENT_TYPES = (SINGLE_VALUED, COUNTER, SET_VALUED)
MAX_COUNT = 30_000
"""A count goes no further, up or down."""
NO_VALUE = -1
"""A slot of one value that has none."""

Terms = tuple[Term, ...]


class FluentSlot(NamedTuple):
    """Where an instance of a fluent is kept, and what it is there."""

    slot: int
    value: int  # the number of the value; at least so many of a count; 1 of a set


@dataclass(frozen=True)
class Fluent:
    """A predicate that tables remember."""

    signature: Signature
    value_type: str
    is_persistent: bool  # kept from one episode to the next
    keys: tuple[Terms, ...]  # in the order of terms
    values: tuple[Term, ...]  # of a fluent of one value, in the order of terms
    first_slot: int  # its first slot
    is_private: bool = False  # told to the seat alone that is its first argument

    @property
    def slots(self) -> range:
        """Its slots, one a key."""
        return range(self.first_slot, self.first_slot + len(self.keys))

    @property
    def default(self) -> int:
        """What a slot is at first."""
        return NO_VALUE if self.value_type == SINGLE_VALUED else 0

    def locate(self, arguments: Terms) -> FluentSlot | None:
        """Where an instance is kept; None for one that is not declared."""
        key, value = (arguments, 1) if self.value_type == SET_VALUED else (arguments[:-1], arguments[-1])
        if key not in self._key_index:
            return None
        slot = self.first_slot + self._key_index[key]
        if self.value_type == SINGLE_VALUED:
            return FluentSlot(slot, self.values.index(value)) if value in self.values else None
        return FluentSlot(slot, value) if isinstance(value, int) else None

    @cached_property
    def _key_index(self) -> dict[Terms, int]:
        return {key: number for number, key in enumerate(self.keys)}


@dataclass(frozen=True)
class Fluents:
    """All of a game, and where they are kept: a number a slot."""

    fluents: tuple[Fluent, ...]

    def __len__(self) -> int:
        """The number of slots."""
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
        """Of all of them."""
        return tuple(fluent.signature for fluent in self.fluents)

    def find(self, name: str) -> Fluent | None:
        """The fluent of this name, whatever its arity."""
        return next((fluent for fluent in self.fluents if fluent.signature.name == name), None)

    @cached_property
    def defaults(self) -> NDArray[np.int16]:
        """[slots] what is remembered before anything has happened."""
        return np.array([fluent.default for fluent in self.fluents for _ in fluent.keys], np.int16)

    @cached_property
    def episode_slots(self) -> NDArray[np.int64]:
        """The slots that are forgotten when cards are dealt."""
        kept = [slot for fluent in self.fluents if not fluent.is_persistent for slot in fluent.slots]
        return np.array(kept, np.int64)

    @cached_property
    def private_slots(self) -> NDArray[np.int64]:
        """[slots, 2] the slots that are told to one seat alone, and that seat."""
        found = [
            (slot, key[0])
            for fluent in self.fluents
            if fluent.is_private
            for slot, key in zip(fluent.slots, fluent.keys, strict=True)
        ]
        return np.array(found, np.int64).reshape(-1, 2)

    @cached_property
    def slot_owner(self) -> NDArray[np.int8]:
        """[slots] the only seat that is told each slot, -1 where everybody is."""
        found = np.full(len(self), -1, np.int8)
        found[self.private_slots[:, 0]] = self.private_slots[:, 1]
        return found

    def mask_private(self, state: NDArray[np.int16], seats: NDArray[np.integer]) -> NDArray[np.int16]:
        """[n, slots] what seats [n] know of tables that remember state [n, slots]: not what is told to others alone."""
        slots, whose = self.private_slots.T
        if not len(slots):
            return state
        known = state.copy()
        known[:, slots] = np.where(whose == np.asarray(seats)[:, None], state[:, slots], self.defaults[slots])
        return known

    @cached_property
    def _by_signature(self) -> dict[Signature, Fluent]:
        return {fluent.signature: fluent for fluent in self.fluents}


def explain_unknown_fluent(fluents: Fluents, name: str, arguments: Terms) -> tuple[str, str]:
    """What is wrong with an instance of a fluent that is not declared, and what to do."""
    text = f"{name}({','.join(map(str, arguments))})" if arguments else name
    known = fluents.find(name)
    if known is None:
        manner = "one" if arguments else "any"  # one/2 needs an argument for the value
        return "no such fluent", f"declare it: #external {text}. and {manner}({name},{len(arguments)})."
    if known.signature.arity == len(arguments):
        return f"{text} is none of those declared", f"widen its domain: #external {text}."
    remedy = "give it as many arguments as #external does"
    if known.value_type == COUNTER:
        remedy = f"adds/3 names a count without its number: adds({name}…,N,Why)"
    return f"there is {name}/{known.signature.arity}, and no {name}/{len(arguments)}", remedy


def add_count_argument(term: Term) -> str:
    """``failures(0)`` as ``failures(0,1)``."""
    term = str(term)
    return f"{term[:-1]},1)" if term.endswith(")") else f"{term}(1)"


def read_fluent_types(facts: Iterable[tuple[str, tuple[Term | None, ...]]]) -> dict[Signature, str]:
    """The manner of each fluent, from the facts ``one/2, count/2, any/2`` of the text; raises KBError."""
    found: dict[Signature, str] = {}
    for manner, arguments in facts:
        name, arity = arguments
        if not isinstance(name, str) or not isinstance(arity, int):
            raise make_kb_error(f"{manner}/2: a name and a number of arguments are wanted", f"write {manner}(level,1).")
        signature = Signature(name, arity)
        if found.setdefault(signature, manner) != manner:
            raise make_kb_error(f"{signature} is declared by {found[signature]} and by {manner}", "keep one of them")
    return found


def read_fluents(kb: KnowledgeBase, fluent_types: Mapping[Signature, str]) -> Fluents:
    """Their keys and values from the declared inputs; raises KBError."""
    instances: dict[Signature, list[Terms]] = {}
    for name, arguments in kb.input_atoms:
        instances.setdefault(Signature(name, len(arguments)), []).append(arguments)
    lasting = _read_persistent(kb)
    private = _read_private(kb, fluent_types)
    fluents, first = [], 0
    for signature, manner in sorted(fluent_types.items()):
        if manner != SET_VALUED and signature.arity == 0:
            raise make_kb_error(
                f"{manner}({signature.name},0): it has no argument for the value", "declare it by any/2"
            )
        found = instances.get(signature, [])
        keys = _unique(arguments if manner == SET_VALUED else arguments[:-1] for arguments in found)
        values = (
            tuple(each for (each,) in _unique(arguments[-1:] for arguments in found)) if manner == SINGLE_VALUED else ()
        )
        if signature in private and not all(key and isinstance(key[0], int) and key[0] >= 0 for key in keys):
            raise make_kb_error(
                f"private({signature.name},{signature.arity}): whose is it?", "let its first argument be a seat"
            )
        secret = signature in private
        fluents.append(Fluent(signature, manner, signature.name in lasting, tuple(keys), values, first, secret))
        first += len(keys)
    return Fluents(tuple(fluents))


def _read_persistent(kb: KnowledgeBase) -> set[str]:
    """The names that ``lasts/2`` gives, those of fluents that a variant leaves out among them."""
    return {str(name) for name, _ in kb.facts("lasts", 2)}


def _read_private(kb: KnowledgeBase, manners: Mapping[Signature, str]) -> set[Signature]:
    """The fluents that ``private/2`` names; others are of what a variant leaves out."""
    found = {Signature(str(name), arity if isinstance(arity, int) else 0) for name, arity in kb.facts("private", 2)}
    return found & set(manners)


def _unique(found: Iterable[Terms]) -> list[Terms]:
    """Without repetitions; clingo gives them in the order of terms."""
    return list(dict.fromkeys(found))


def fluents_by_name(fluents: Fluents, reserved: Iterable[str]) -> dict[str, Fluent]:
    """The fluents by the names of their fields; one whose name is taken goes by ``name/arity``."""
    known = [fluent.signature.name for fluent in fluents.fluents]
    reserved = {*reserved, *(name for name in known if known.count(name) > 1)}
    return {
        str(fluent.signature) if fluent.signature.name in reserved else fluent.signature.name: fluent
        for fluent in fluents.fluents
    }
