"""Which inputs a query reads, by the fields of a state that give them: read off the inputs of its circuits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play.flow import Flow
from abl_cards.games.reading.fluents import ONE, Fluent, names_of
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.columns import EQUAL, Test, test_of
from abl_cards.games.words.once import once
from abl_cards.logic import Atom, Circuit, Signature

FIELDS = (
    "hand", "to_beat", "top", "cards", "seat", "passed", "has_passed", "gone", "unseen", "aside", "acts", "acted",
    "finish", "face", "stage", "profile", "trick", "picked", "stock", "drew", "drawn", "laid_down", "lots",
)  # fmt: skip
DRAWING = "stock", "drew", "drawn"
"""What a state may tell besides fluents."""

WORDS = {
    "cards": "how many cards the others hold, next first",
    "face": "the open cards of the others, next first",
    "gone": "the cards laid down so far",
    "unseen": "the cards of the others together",
    "seat": "the number of the seat to decide",
    "passed": "who has passed since the play to beat",
    "has_passed": "who has passed in the trick",
    "acts": "how many plays and passes there were in the episode",
    "acted": "who acted last",
    "trick": "the plays in the trick, in their order; [] for who leads",
    "picked": "the cards laid so far of a play that is not whole",
    "stock": "how many cards are still to be drawn",
    "drew": "who drew the last card",
    "drawn": "the card that the seat has just drawn",
    "laid_down": "how often each seat has laid down cards, by seat",
    "lots": "the random numbers of the match, by name",
    "finish": "the seats without cards, in the order in which they went out",
}
"""What each field tells."""

_BY_GROUP = {
    "sizes": "cards",
    "face": "face",
    "unseen": "gone",
    "gone": "gone",
    "seat": "seat",
    "acts": "acts",
    "lies": "trick",
    "laying": "trick",
    "leader": "trick",
    "stock": "stock",
    "drew": "drew",
    "drawn": "drawn",
}
_ACT = {0: ("seat", "acted"), 1: ("seat",), 2: ("seat", "passed"), 3: ("seat", "has_passed"), 4: ("seat", "cards")}
_EVENT = {3: ("seat",)}


_END_FIELDS = {"plays": "laid_down", "lots": "lots", "acts": "acts", "aside": "gone", "lies": "trick"}
_TURN_FIELDS = {2: ("passed",), 3: ("has_passed",)}
_OPTIONAL = {"cards", "gone"}
"""Fields with a documented default where preferences alone read them: full hands, and nothing but the play to beat."""

_OF_TRICKS, _NOT_OF_TRICKS = {"trick", "picked"}, {"to_beat", "top", "has_passed"}


def fields_of(rules: Rules) -> list[str]:
    """What a state of these rules may tell besides fluents."""
    absent: set[str] = set() if rules.draws else set(DRAWING)
    absent |= _OF_TRICKS if rules.taking is None else _NOT_OF_TRICKS | (set() if rules.composing else {"picked"})
    absent |= set() if rules.words.lots else {"lots"}
    return [field for field in FIELDS if field not in absent]


@dataclass(frozen=True)
class Needs:
    """The fields that a query reads, each with a predicate that reads it."""

    fields: dict[str, Signature]
    fluents: dict[str, Signature]  # by the name of the field

    def __or__(self, other: Needs) -> Needs:
        """The fields of both; a predicate of the first goes before."""
        return Needs(other.fields | self.fields, other.fluents | self.fluents)

    def without(self, fields: Iterable[str]) -> Needs:
        """The same without some fields."""
        return replace(self, fields={name: each for name, each in self.fields.items() if name not in fields})


@once
def needs_of_play(rules: Rules) -> Needs:
    """What legality and the order of the plays read."""
    return _needs(rules, rules.play.circuit)


@once
def needs_of_choice(rules: Rules) -> Needs:
    """What the options read, and what cards act as."""
    return _needs(rules, rules.choosing.circuit)


def needs_of_explanation(rules: Rules, choosing: bool) -> Needs:
    """What legality, or the options, and the preferences read, but for what has a default.

    Where something is chosen nothing has been played, and no fluent has a value but those that legality reads.
    """
    found = _needs_of_preferences(rules).without(_OPTIONAL)
    if not choosing:
        return needs_of_play(rules) | found
    return needs_of_choice(rules) | Needs({name: found.fields[name] for name in ("seat",) if name in found.fields}, {})


def fields_written(rules: Rules, choosing: bool) -> Needs:
    """What any query reads of a state: all of it belongs into a state that is written."""
    mine = needs_of_choice(rules) if choosing else needs_of_play(rules)
    return mine | _needs_of_preferences(rules) | (Needs({}, {}) if choosing else _needs_of_points(rules))


@once
def _needs_of_preferences(rules: Rules) -> Needs:
    """Of the fluents only those that always have a value, or null, in a single place: others begin with nothing."""
    found = _needs(rules, rules.kb.circuit("cost/2", "violated/1"))
    taking = _needs(rules, rules.taking.circuit).fluents if rules.taking is not None else {}
    single = {name for name, fluent in names_of(rules.fluents, FIELDS).items() if _is_single(fluent)}
    return Needs(found.fields, {name: each for name, each in (found.fluents | taking).items() if name in single})


def _is_single(fluent: Fluent) -> bool:
    return fluent.manner == ONE and len(fluent.keys) == 1


@once
def _needs_of_points(rules: Rules) -> Needs:
    """What the points of an episode read of its plays so far."""
    if not any(name == "laid_down" for name, _ in rules.kb.input_atoms):
        return Needs({}, {})
    told = rules.told("points/3", "won/1", "drawn/0", "match_over/0")  # as flow.py asks, so that it is compiled once
    fields = {} if told is None else _fields_of_ends(rules, [told.circuit])
    return Needs({name: each for name, each in fields.items() if name == "laid_down"}, {})


@once
def needs_of_ends(rules: Rules) -> Needs:
    """What reads of a position that is played to its end: turns, points, sides, and what plays change."""
    rest = [] if rules.course is None else [rules.course.circuit]
    turns = rest or [rules.kb.circuit(*(name for name in _COURSE if Signature.parse(name) in rules.derived))]
    fields = _fields_of_ends(rules, [*_played_on(rules), *rest])
    for atom, test in _tests(rules, turns):
        for field in _TURN_FIELDS.get(test.column, ()) if test.group == "act" else ():
            fields.setdefault(field, _signature(atom))
    return Needs(fields, {})


IN_PLAY = "play", "pass", "trick", "shown"
"""The events after which cards have been laid down."""
_COURSE = "turn/1", "trick_over/0", "over/0"


@once
def _played_on(rules: Rules) -> list[Circuit]:
    """What says what an episode is worth, who plays with whom, and what plays change."""
    flow = Flow.of(rules)
    points = [rules.kb.circuit("points/3")] if Signature("points", 3) in rules.derived else []
    parts = [flow.parts.told.circuit] if flow.parts else []
    return [*points, *parts, *(each.told.circuit for event, each in flow.changes.items() if event in IN_PLAY)]


def play_counts(rules: Rules, fluents: NDArray[np.int16]) -> dict[int, frozenset[int]]:
    """By seat, with which numbers the points compare how often it has laid down cards.

    Fluents [slots] that plays leave as they are, the landlord say, have the values that they have.
    """
    found = dict[int, set[int]]()
    for circuit in _played_on(rules):
        known = {atom: _holds(test, fluents) for atom, test in _tests(rules, [circuit])
                 if test.group == "fluents" and test.column in _steady_slots(rules)}  # fmt: skip
        for _, test in _tests(rules, [circuit.specialise(known)]):
            if test.group == "plays":
                found.setdefault(test.column, set()).add(test.value)
    return {seat: frozenset(numbers) for seat, numbers in found.items()}


def _holds(test: Test, fluents: NDArray[np.int16]) -> bool:
    value = int(fluents[test.column])
    return value == test.value if test.how == EQUAL else value >= test.value


@once
def _steady_slots(rules: Rules) -> frozenset[int]:
    """The slots of fluents that nothing changes once somebody has played."""
    changes = [each for event, each in Flow.of(rules).changes.items() if event in IN_PLAY]
    return frozenset(slot for slot in range(len(rules.fluents)) if not any(each.touches([slot]) for each in changes))


def _fields_of_ends(rules: Rules, circuits: Iterable[Circuit]) -> dict[str, Signature]:
    fields: dict[str, Signature] = {}
    for atom, test in _tests(rules, circuits):
        place = test.group == "result" and test.column < rules.table.seats
        field = "finish" if place else _END_FIELDS.get(test.group)
        if field is not None:
            fields.setdefault(field, _signature(atom))
    return fields


@once
def fluent_names(rules: Rules) -> dict[str, Signature]:
    """The fluents by the names of their fields."""
    return {name: fluent.signature for name, fluent in names_of(rules.fluents, FIELDS).items()}


def _needs(rules: Rules, circuit: Circuit) -> Needs:
    names = {signature: name for name, signature in fluent_names(rules).items()}
    slots = {slot: fluent.signature for fluent in rules.fluents.fluents for slot in fluent.slots}
    fields: dict[str, Signature] = {}
    fluents = {names[slots[slot]]: slots[slot] for slot in rules.contexts.slots}
    for atom, test in _tests(rules, [circuit]):
        if test.group == "fluents":
            fluents[names[slots[test.column]]] = slots[test.column]
        for field in _fields(test.group, test.column):
            fields.setdefault(field, _signature(atom))
    return Needs(fields, fluents)


def _fields(group: str, column: int) -> tuple[str, ...]:
    if group == "act":
        return _ACT[column]
    if group == "event":
        return _EVENT.get(column, ())
    return (_BY_GROUP[group],) if group in _BY_GROUP else ()


def _tests(rules: Rules, circuits: Iterable[Circuit]) -> Iterator[tuple[Atom, Test]]:
    """The inputs that circuits read, and how each is tested."""
    for circuit in circuits:
        for atom in circuit.inputs:
            test = test_of(rules.words, atom)
            if test is not None:
                yield atom, test


def _signature(atom: Atom) -> Signature:
    return Signature(atom[0], len(atom[1]))
