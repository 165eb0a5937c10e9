"""Every input that rules may read, as a test of a number: which number of which group, and how it is compared.

The engine tells a circuit about a table in *columns* of numbers, by group: how many cards of the own hand act as each
cell, the form to beat, what is remembered … An input holds where its column passes its test. ``INPUTS`` is the whole
vocabulary; the words of each input are in docs/reference/predicates.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from abl_cards.asp import Atom, Signature, Term
from abl_cards.games.description.fluents import SINGLE_VALUED, Fluents
from abl_cards.games.description.pack import WILD
from abl_cards.games.types import LEADING

if TYPE_CHECKING:
    from abl_cards.games.description.cells import Cells
    from abl_cards.games.description.forms import Forms

AT_LEAST, EQUAL, BIT = range(3)
"""How a column is compared with the value of an input."""

SHOWN_BITS = 64
"""Ranks, and strengths from 0 on, in which something may have been shown; those beyond are not remembered."""

EVENTS = ("match", "deal", "draw", "choice", "shown", "play", "pass", "trick", "end")


class ColumnTest(NamedTuple):
    """The number of a column in its group, and how it is compared."""

    group: str
    column: int
    comparison: int
    value: int


@dataclass(frozen=True)
class InputSchema:
    """What the arguments of inputs are numbered by."""

    cells: Cells
    forms: Forms
    fluents: Fluents
    seats: int
    relative_names: tuple[Term, ...]  # the other seats by their distance, from 1
    stages: tuple[Term, ...]
    options: tuple[Term, ...]  # what may be chosen
    lots: tuple[Term, ...]
    play_kinds: tuple[Term, ...]  # what a seat has shown goes by these
    shown_ranks: tuple[Term, ...]  # of such plays
    card_kinds: tuple[Term, ...]  # the kinds of the pack
    num_undealt: int  # cards that nobody is dealt

    @cached_property
    def test_cache(self) -> dict[Atom, ColumnTest | None]:
        """How the inputs that were asked about are tested: dozens of circuits have them in common."""
        return {}

    @property
    def group_sizes(self) -> Mapping[str, int]:
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
            "stock": 1, "drew": 1, "drawn": 1, "left_over": self.num_undealt,
            "lots": len(self.lots), "shown": 3 * len(self.play_kinds) * SHOWN_BITS, "others_size": 1,
        }  # fmt: skip


TestResolver = Callable[[InputSchema, tuple[Term, ...]], "ColumnTest | None"]


def _find_cell(schema: InputSchema, *arguments: Term) -> int | None:
    name = arguments[0] if len(arguments) == 1 else f"card({arguments[0]},{arguments[1]})"
    return schema.cells.index.get(name)


def _resolve_cells(group: str, width: int) -> TestResolver:
    """``held(R,N)``, ``held(R,S,N)``: at least N cards act as a cell."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        cell, least = _find_cell(words, *arguments[:width]), arguments[width]
        return ColumnTest(group, cell, AT_LEAST, least) if cell is not None and isinstance(least, int) else None

    return resolve


def _resolve_wild(group: str) -> TestResolver:
    """``wild(N)``: at least N wild cards."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        return _resolve_cells(group, 1)(words, (WILD, *arguments))

    return resolve


def _resolve_other_cells(group: str, width: int) -> TestResolver:
    """``estimated(W,R,N)``: the same of the seat W."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        found = _resolve_cells(group, width)(words, arguments[1:]) if arguments[0] in words.relative_names else None
        if found is None:
            return None
        return found._replace(column=words.relative_names.index(arguments[0]) * len(words.cells) + found.column)

    return resolve


def _resolve_other_wild(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    """``estimated_wild(W,N)``: at least so many wild cards of the seat W."""
    return _resolve_other_cells("estimate", 1)(schema, (arguments[0], WILD, arguments[1]))


def _resolve_seat_cells(group: str, width: int) -> TestResolver:
    """``holds(S,R,N)``: the same of the seat S."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat = _find_seat(words, arguments[0])
        found = _resolve_cells(group, width)(words, arguments[1:])
        if found is None or seat is None:
            return None
        return found._replace(column=seat * len(words.cells) + found.column)

    return resolve


def _resolve_seat_count(group: str) -> TestResolver:
    """``laid_down(S,N)``: at least so many of the seat S."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat, least = _find_seat(words, arguments[0]), arguments[1]
        return None if seat is None or not isinstance(least, int) else ColumnTest(group, seat, AT_LEAST, least)

    return resolve


def _find_seat(schema: InputSchema, term: Term) -> int | None:
    return term if isinstance(term, int) and 0 <= term < schema.seats else None


def _resolve_number(group: str, column: int = 0, comparison: int = AT_LEAST) -> TestResolver:
    """A number itself."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        (value,) = arguments
        return ColumnTest(group, column, comparison, value) if isinstance(value, int) else None

    return resolve


def _resolve_seat_bit(column: int) -> TestResolver:
    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat = _find_seat(words, arguments[0])
        return None if seat is None else ColumnTest("act", column, BIT, seat)

    return resolve


def _resolve_name(group: str, column: int, names: Callable[[InputSchema], Mapping[Term, int]]) -> TestResolver:
    """One of some names."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        place = names(words).get(arguments[0])
        return None if place is None else ColumnTest(group, column, EQUAL, place)

    return resolve


def _enumerate_names(names: tuple[Term, ...]) -> dict[Term, int]:
    return {name: place for place, name in enumerate(names)}


def _resolve_hand_size(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    who, least = arguments
    if who not in schema.relative_names or not isinstance(least, int):
        return None
    return ColumnTest("sizes", schema.relative_names.index(who), AT_LEAST, least)


def _resolve_finish(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    place, seat = arguments
    at = _find_seat(schema, seat)
    if at is None or not isinstance(place, int) or not 1 <= place <= schema.seats:
        return None
    return ColumnTest("result", place - 1, EQUAL, at)


def _resolve_stuck(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    seat, least = _find_seat(schema, arguments[0]), arguments[1]
    if seat is None or not isinstance(least, int):
        return None
    return ColumnTest("result", schema.seats + seat, AT_LEAST, least)


def _resolve_lot(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    name, value = arguments
    if name not in schema.lots or not isinstance(value, int):
        return None
    return ColumnTest("lots", schema.lots.index(name), EQUAL, value)


def _resolve_undealt(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    """``left_over(I,Card)``: the card at this place, from 1."""
    place, card = arguments
    if card not in schema.card_kinds or not isinstance(place, int) or not 1 <= place <= schema.num_undealt:
        return None
    return ColumnTest("left_over", place - 1, EQUAL, schema.card_kinds.index(card))


def _resolve_shown(block: int, by_rank: bool) -> TestResolver:
    """``laid(Kind,Rank)``, ``led(Kind,Strength)``: bits of what a seat has shown."""

    def resolve(words: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        kind, number = arguments
        bit = _enumerate_names(words.shown_ranks).get(number) if by_rank else number
        if kind not in words.play_kinds or not isinstance(bit, int) or not 0 <= bit < SHOWN_BITS:
            return None
        return ColumnTest(
            "shown", (block * len(words.play_kinds) + words.play_kinds.index(kind)) * SHOWN_BITS + bit, AT_LEAST, 1
        )

    return resolve


INPUTS: Mapping[Signature, TestResolver] = {
    Signature.parse(name): resolve
    for name, resolve in {
        "held/2": _resolve_cells("hand", 1), "held/3": _resolve_cells("hand", 2), "wild/1": _resolve_wild("hand"),
        "holding/1": _resolve_number("size"),
        "unseen/2": _resolve_cells("unseen", 1), "unseen/3": _resolve_cells("unseen", 2),
        "unseen_wild/1": _resolve_wild("unseen"),
        "gone/2": _resolve_cells("gone", 1), "gone/3": _resolve_cells("gone", 2), "gone_wild/1": _resolve_wild("gone"),
        "cards/2": _resolve_hand_size, "face_up/3": _resolve_other_cells("face", 1),
        "face_up/4": _resolve_other_cells("face", 2),
        "leading/0": lambda words, arguments: ColumnTest("trick", 0, EQUAL, LEADING),
        "to_beat/1": _resolve_name("trick", 0, lambda words: words.forms.index),
        "top/1": _resolve_name("trick", 1, lambda words: _enumerate_names(words.relative_names)),
        "asked/1": _resolve_number("seat", 0, EQUAL), "acts/1": _resolve_number("acts"),
        "left/2": _resolve_cells("left", 1), "left/3": _resolve_cells("left", 2), "wild_left/1": _resolve_wild("left"),
        "lays/1": _resolve_name("move", 0, lambda words: words.forms.index),
        "play/1": _resolve_name("move", 1, lambda words: words.forms.label_index),
        "plays_left/1": _resolve_number("emptying"),
        "chooses/1": _resolve_name("choice", 0, lambda words: _enumerate_names(words.options)),
        "estimated/3": _resolve_other_cells("estimate", 1), "estimated/4": _resolve_other_cells("estimate", 2),
        "estimated_wild/2": _resolve_other_wild,
        "acted/1": _resolve_number("act", 0, EQUAL), "owner/1": _resolve_number("act", 1, EQUAL),
        "passed/1": _resolve_seat_bit(2), "has_passed/1": _resolve_seat_bit(3), "out/1": _resolve_seat_bit(4),
        "holds/3": _resolve_seat_cells("hands", 1), "holds/4": _resolve_seat_cells("hands", 2),
        "in_trick/3": _resolve_seat_cells("lies", 1), "in_trick/4": _resolve_seat_cells("lies", 2),
        "in_trick/2": _resolve_seat_count("laying"),
        "leader/1": _resolve_number("leader", 0, EQUAL),
        "taking/0": lambda words, arguments: ColumnTest("taking", 0, EQUAL, 1), "finish/2": _resolve_finish,
        "stuck/2": _resolve_stuck,
        "aside/2": _resolve_cells("aside", 1), "aside/3": _resolve_cells("aside", 2),
        "laid_down/2": _resolve_seat_count("plays"),
        "event/1": _resolve_name("event", 0, lambda words: _enumerate_names(EVENTS)),
        "stage/1": _resolve_name("event", 1, lambda words: _enumerate_names(words.stages)),
        "chosen/1": _resolve_name("event", 2, lambda words: _enumerate_names(words.options)),
        "by/1": _resolve_number("event", 3, EQUAL), "lot/2": _resolve_lot,
        "stock/1": _resolve_number("stock"), "drew/1": _resolve_number("drew", 0, EQUAL),
        "drawn/1": _resolve_name("drawn", 0, lambda words: _enumerate_names(words.card_kinds)),
        "left_over/2": _resolve_undealt,
        "laid/2": _resolve_shown(0, True), "led/2": _resolve_shown(1, False), "passed_over/2": _resolve_shown(2, False),
    }.items()
}  # fmt: skip
"""By name and number of arguments, how an instance is tested; None for an instance that can never hold."""


def find_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    """How an input is tested; None for one that can never hold."""
    if atom not in schema.test_cache:
        schema.test_cache[atom] = _resolve_test(schema, atom)
    return schema.test_cache[atom]


def _resolve_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    signature = Signature(atom[0], len(atom[1]))
    if signature in schema.fluents:
        fluent = schema.fluents[signature]
        place = fluent.locate(atom[1])
        if place is None:
            return None
        return ColumnTest("fluents", place.slot, EQUAL if fluent.value_type == SINGLE_VALUED else AT_LEAST, place.value)
    resolve = INPUTS.get(signature)  # none for a fluent of other rules
    return resolve(schema, atom[1]) if resolve else None


def find_group(schema: InputSchema, signature: Signature) -> str:
    """The group of an input."""
    return "fluents" if signature in schema.fluents else INPUT_GROUPS[signature]


INPUT_GROUPS: Mapping[Signature, str] = {
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
assert set(INPUT_GROUPS) == set(INPUTS)
