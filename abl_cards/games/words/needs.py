"""What a question looks at, by the fields of a state that tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.columns import test_of
from abl_cards.games.telling.writer import Told
from abl_cards.games.words.once import once
from abl_cards.games.words.values import names_of
from abl_cards.logic import Signature

FIELDS = (
    "hand", "to_beat", "top", "cards", "seat", "passed", "has_passed", "gone", "unseen", "aside", "acts", "acted",
    "finish", "face", "stage", "profile", "trick", "picked", "stock", "drew", "drawn",
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


_OF_TRICKS, _NOT_OF_TRICKS = {"trick", "picked"}, {"to_beat", "top", "passed", "has_passed"}


def fields_of(rules: Rules) -> list[str]:
    """What a state of these rules may tell besides fluents."""
    absent: set[str] = set() if rules.draws else set(DRAWING)
    absent |= _OF_TRICKS if rules.taking is None else _NOT_OF_TRICKS | (set() if rules.composing else {"picked"})
    return [field for field in FIELDS if field not in absent]


@dataclass(frozen=True)
class Needs:
    """The fields that a question reads, each with a predicate that reads it."""

    fields: dict[str, Signature]
    fluents: dict[str, Signature]  # by the name of the field


@once
def needs_of_play(rules: Rules) -> Needs:
    """What legality and the order of the plays look at."""
    return _needs(rules, rules.play)


@once
def needs_of_choice(rules: Rules) -> Needs:
    """What the options look at, and what cards act as."""
    return _needs(rules, rules.choosing)


@once
def fluent_names(rules: Rules) -> dict[str, Signature]:
    """The fluents by the names of their fields."""
    return {name: fluent.signature for name, fluent in names_of(rules.fluents, FIELDS).items()}


def _needs(rules: Rules, told: Told) -> Needs:
    names = {signature: name for name, signature in fluent_names(rules).items()}
    slots = {slot: fluent.signature for fluent in rules.fluents.fluents for slot in fluent.slots}
    fields: dict[str, Signature] = {}
    fluents = {names[slots[slot]]: slots[slot] for slot in rules.contexts.slots}
    for signature, group, column in _tests(rules, told):
        if group == "fluents":
            fluents[names[slots[column]]] = slots[column]
        for field in _fields(group, column):
            fields.setdefault(field, signature)
    return Needs(fields, fluents)


def _fields(group: str, column: int) -> tuple[str, ...]:
    if group == "act":
        return _ACT[column]
    if group == "event":
        return _EVENT.get(column, ())
    return (_BY_GROUP[group],) if group in _BY_GROUP else ()


def _tests(rules: Rules, told: Told) -> Iterator[tuple[Signature, str, int]]:
    for atom in told.circuit.inputs:
        test = test_of(rules.words, atom)
        if test is not None:
            yield Signature(atom[0], len(atom[1])), test.group, test.column
