"""Every input that rules may read, as a test of a number: which number of which group, and how it is compared.

The engine tells a circuit about a table in *columns* of numbers, by group: how many cards of the own hand act as each
cell, the form to beat, what is remembered … An input holds where its column passes its test. ``INPUTS`` is the whole
vocabulary; the words of each input are in docs/knowledge-bases.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from abl_cards.games.reading.fluents import ONE, Fluents
from abl_cards.games.reading.pack import WILD
from abl_cards.games.tables import LEADING
from abl_cards.logic import Atom, Signature, Term

if TYPE_CHECKING:
    from abl_cards.games.reading.cells import Cells
    from abl_cards.games.reading.forms import Forms

AT_LEAST, EQUAL, BIT = range(3)
"""How a column is compared with the value of an input."""

SHOWN_BITS = 64
"""Ranks, and strengths from 0 on, in which something may have been shown; those beyond are not remembered."""

EVENTS = ("match", "deal", "draw", "choice", "shown", "play", "pass", "trick", "end")


class Test(NamedTuple):
    """The number of a column in its group, and how it is compared."""

    group: str
    column: int
    how: int
    value: int


@dataclass(frozen=True)
class Words:
    """What the arguments of inputs are numbered by."""

    cells: Cells
    forms: Forms
    fluents: Fluents
    seats: int
    who: tuple[Term, ...]  # the other seats by their distance, from 1
    stages: tuple[Term, ...]
    options: tuple[Term, ...]  # what may be chosen
    lots: tuple[Term, ...]
    kinds: tuple[Term, ...]  # what a seat has shown goes by these
    ranks: tuple[Term, ...]  # of such plays
    cards: tuple[Term, ...]  # the kinds of the pack
    left_over: int  # cards that nobody is dealt

    @cached_property
    def tests(self) -> dict[Atom, Test | None]:
        """How the inputs that were asked about are tested: dozens of circuits have them in common."""
        return {}

    @property
    def groups(self) -> Mapping[str, int]:
        """How many columns each group has."""
        cells, others = len(self.cells), self.seats - 1
        return {
            "hand": cells, "size": 1, "unseen": cells, "sizes": others, "face": others * cells, "gone": cells,
            "trick": 2, "seat": 1, "acts": 1, "fluents": len(self.fluents), "left": cells,
            "move": 2, "emptying": 1, "choice": 1,
            "estimate": others * cells,
            "lies": self.seats * cells, "laying": self.seats, "leader": 1, "taking": 1, "act": 5,
            "hands": self.seats * cells, "aside": cells, "plays": self.seats,
            "result": 2 * self.seats, "event": 4,
            "stock": 1, "drew": 1, "drawn": 1, "left_over": self.left_over,
            "lots": len(self.lots), "shown": 3 * len(self.kinds) * SHOWN_BITS, "others_size": 1,
        }  # fmt: skip


Resolve = Callable[[Words, tuple[Term, ...]], "Test | None"]


def _cell(words: Words, *arguments: Term) -> int | None:
    name = arguments[0] if len(arguments) == 1 else f"card({arguments[0]},{arguments[1]})"
    return words.cells.number.get(name)


def _cells(group: str, width: int) -> Resolve:
    """``held(R,N)``, ``held(R,S,N)``: at least N cards act as a cell."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        cell, least = _cell(words, *arguments[:width]), arguments[width]
        return Test(group, cell, AT_LEAST, least) if cell is not None and isinstance(least, int) else None

    return resolve


def _wild(group: str) -> Resolve:
    """``wild(N)``: at least N wild cards."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        return _cells(group, 1)(words, (WILD, *arguments))

    return resolve


def _of_others(group: str, width: int) -> Resolve:
    """``estimated(W,R,N)``: the same of the seat W."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        found = _cells(group, width)(words, arguments[1:]) if arguments[0] in words.who else None
        if found is None:
            return None
        return found._replace(column=words.who.index(arguments[0]) * len(words.cells) + found.column)

    return resolve


def _wild_of_others(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    """``estimated_wild(W,N)``: at least so many wild cards of the seat W."""
    return _of_others("estimate", 1)(words, (arguments[0], WILD, arguments[1]))


def _of_seats(group: str, width: int) -> Resolve:
    """``holds(S,R,N)``: the same of the seat S."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        seat = _seat(words, arguments[0])
        found = _cells(group, width)(words, arguments[1:])
        if found is None or seat is None:
            return None
        return found._replace(column=seat * len(words.cells) + found.column)

    return resolve


def _by_seat(group: str) -> Resolve:
    """``laid_down(S,N)``: at least so many of the seat S."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        seat, least = _seat(words, arguments[0]), arguments[1]
        return None if seat is None or not isinstance(least, int) else Test(group, seat, AT_LEAST, least)

    return resolve


def _seat(words: Words, term: Term) -> int | None:
    return term if isinstance(term, int) and 0 <= term < words.seats else None


def _number(group: str, column: int = 0, how: int = AT_LEAST) -> Resolve:
    """A number itself."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        (value,) = arguments
        return Test(group, column, how, value) if isinstance(value, int) else None

    return resolve


def _seat_bit(column: int) -> Resolve:
    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        seat = _seat(words, arguments[0])
        return None if seat is None else Test("act", column, BIT, seat)

    return resolve


def _named(group: str, column: int, names: Callable[[Words], Mapping[Term, int]]) -> Resolve:
    """One of some names."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        place = names(words).get(arguments[0])
        return None if place is None else Test(group, column, EQUAL, place)

    return resolve


def _places(names: tuple[Term, ...]) -> dict[Term, int]:
    return {name: place for place, name in enumerate(names)}


def _cards(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    who, least = arguments
    if who not in words.who or not isinstance(least, int):
        return None
    return Test("sizes", words.who.index(who), AT_LEAST, least)


def _finish(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    place, seat = arguments
    at = _seat(words, seat)
    if at is None or not isinstance(place, int) or not 1 <= place <= words.seats:
        return None
    return Test("result", place - 1, EQUAL, at)


def _stuck(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    seat, least = _seat(words, arguments[0]), arguments[1]
    if seat is None or not isinstance(least, int):
        return None
    return Test("result", words.seats + seat, AT_LEAST, least)


def _lot(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    name, value = arguments
    if name not in words.lots or not isinstance(value, int):
        return None
    return Test("lots", words.lots.index(name), EQUAL, value)


def _left_over(words: Words, arguments: tuple[Term, ...]) -> Test | None:
    """``left_over(I,Card)``: the card at this place, from 1."""
    place, card = arguments
    if card not in words.cards or not isinstance(place, int) or not 1 <= place <= words.left_over:
        return None
    return Test("left_over", place - 1, EQUAL, words.cards.index(card))


def _shown(block: int, by_rank: bool) -> Resolve:
    """``laid(Kind,Rank)``, ``led(Kind,Strength)``: bits of what a seat has shown."""

    def resolve(words: Words, arguments: tuple[Term, ...]) -> Test | None:
        kind, number = arguments
        bit = _places(words.ranks).get(number) if by_rank else number
        if kind not in words.kinds or not isinstance(bit, int) or not 0 <= bit < SHOWN_BITS:
            return None
        return Test("shown", (block * len(words.kinds) + words.kinds.index(kind)) * SHOWN_BITS + bit, AT_LEAST, 1)

    return resolve


INPUTS: Mapping[Signature, Resolve] = {
    Signature.parse(name): resolve
    for name, resolve in {
        "held/2": _cells("hand", 1), "held/3": _cells("hand", 2), "wild/1": _wild("hand"),
        "holding/1": _number("size"),
        "unseen/2": _cells("unseen", 1), "unseen/3": _cells("unseen", 2), "unseen_wild/1": _wild("unseen"),
        "gone/2": _cells("gone", 1), "gone/3": _cells("gone", 2), "gone_wild/1": _wild("gone"),
        "cards/2": _cards, "face_up/3": _of_others("face", 1), "face_up/4": _of_others("face", 2),
        "leading/0": lambda words, arguments: Test("trick", 0, EQUAL, LEADING),
        "to_beat/1": _named("trick", 0, lambda words: words.forms.number),
        "top/1": _named("trick", 1, lambda words: _places(words.who)),
        "asked/1": _number("seat", 0, EQUAL), "acts/1": _number("acts"),
        "left/2": _cells("left", 1), "left/3": _cells("left", 2), "wild_left/1": _wild("left"),
        "lays/1": _named("move", 0, lambda words: words.forms.number),
        "play/1": _named("move", 1, lambda words: words.forms.label_number),
        "plays_left/1": _number("emptying"),
        "chooses/1": _named("choice", 0, lambda words: _places(words.options)),
        "estimated/3": _of_others("estimate", 1), "estimated/4": _of_others("estimate", 2),
        "estimated_wild/2": _wild_of_others,
        "acted/1": _number("act", 0, EQUAL), "owner/1": _number("act", 1, EQUAL),
        "passed/1": _seat_bit(2), "has_passed/1": _seat_bit(3), "out/1": _seat_bit(4),
        "holds/3": _of_seats("hands", 1), "holds/4": _of_seats("hands", 2),
        "in_trick/3": _of_seats("lies", 1), "in_trick/4": _of_seats("lies", 2), "in_trick/2": _by_seat("laying"),
        "leader/1": _number("leader", 0, EQUAL),
        "taking/0": lambda words, arguments: Test("taking", 0, EQUAL, 1), "finish/2": _finish, "stuck/2": _stuck,
        "aside/2": _cells("aside", 1), "aside/3": _cells("aside", 2), "laid_down/2": _by_seat("plays"),
        "event/1": _named("event", 0, lambda words: _places(EVENTS)),
        "stage/1": _named("event", 1, lambda words: _places(words.stages)),
        "chosen/1": _named("event", 2, lambda words: _places(words.options)),
        "by/1": _number("event", 3, EQUAL), "lot/2": _lot,
        "stock/1": _number("stock"), "drew/1": _number("drew", 0, EQUAL),
        "drawn/1": _named("drawn", 0, lambda words: _places(words.cards)), "left_over/2": _left_over,
        "laid/2": _shown(0, True), "led/2": _shown(1, False), "passed_over/2": _shown(2, False),
    }.items()
}  # fmt: skip
"""By name and number of arguments, how an instance is tested; None for an instance that can never hold."""


def test_of(words: Words, atom: Atom) -> Test | None:
    """How an input is tested; None for one that can never hold."""
    if atom not in words.tests:
        words.tests[atom] = _test_of(words, atom)
    return words.tests[atom]


def _test_of(words: Words, atom: Atom) -> Test | None:
    signature = Signature(atom[0], len(atom[1]))
    if signature in words.fluents:
        fluent = words.fluents[signature]
        place = fluent.place(atom[1])
        if place is None:
            return None
        return Test("fluents", place.slot, EQUAL if fluent.manner == ONE else AT_LEAST, place.value)
    resolve = INPUTS.get(signature)  # none for a fluent of other rules
    return resolve(words, atom[1]) if resolve else None


def group_of(words: Words, signature: Signature) -> str:
    """The group of an input."""
    return "fluents" if signature in words.fluents else GROUP_OF[signature]


GROUP_OF: Mapping[Signature, str] = {
    Signature.parse(name): group
    for group, names in {
        "hand": "held/2 held/3 wild/1", "size": "holding/1", "unseen": "unseen/2 unseen/3 unseen_wild/1",
        "gone": "gone/2 gone/3 gone_wild/1", "sizes": "cards/2", "face": "face_up/3 face_up/4",
        "trick": "leading/0 to_beat/1 top/1", "seat": "asked/1", "acts": "acts/1", "left": "left/2 left/3 wild_left/1",
        "move": "lays/1 play/1", "emptying": "plays_left/1", "choice": "chooses/1",
        "estimate": "estimated/3 estimated/4 estimated_wild/2",
        "act": "acted/1 owner/1 passed/1 has_passed/1 out/1", "hands": "holds/3 holds/4", "aside": "aside/2 aside/3",
        "plays": "laid_down/2", "lies": "in_trick/3 in_trick/4", "laying": "in_trick/2", "leader": "leader/1",
        "taking": "taking/0",
        "result": "finish/2 stuck/2", "event": "event/1 stage/1 chosen/1 by/1", "lots": "lot/2",
        "stock": "stock/1", "drew": "drew/1", "drawn": "drawn/1", "left_over": "left_over/2",
        "shown": "laid/2 led/2 passed_over/2",
    }.items()
    for name in names.split()
}  # fmt: skip
assert set(GROUP_OF) == set(INPUTS)
