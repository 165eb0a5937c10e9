"""Schema of the inputs that rules may read: each is a test of a column of numbers.

The engine describes a state to a circuit by *columns* of numbers in groups: how many cards of the hand act as each
cell, the form to beat, the values of fluents, and so on. An input holds where its column passes its test. ``INPUTS``
lists all inputs; docs/reference/predicates.md explains them.
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
"""Comparisons of a column with the value of an input: at least, equal, bit is set."""

SHOWN_BITS = 64
"""Number of ranks, and of strengths from 0 on, in play statistics; others are not recorded."""

EVENTS = ("match", "deal", "draw", "choice", "shown", "play", "pass", "trick", "end")
"""Events that the rules of changes read, by ``event/1``."""


class ColumnTest(NamedTuple):
    """Test of a column that defines an input."""

    group: str
    column: int  # index in the group
    comparison: int  # AT_LEAST, EQUAL or BIT
    value: int  # value, or index of a bit


@dataclass(frozen=True)
class InputSchema:
    """Numbering of the arguments of inputs.

    Attributes:
        cells: Cells of the game.
        forms: Labels and forms.
        fluents: Fluents.
        seats: Number of seats.
        relative_names: Names of the other seats by their distance, from 1.
        stages: Stages of choices.
        options: Options of choices.
        lots: Names of the random numbers of a match.
        play_kinds: Kinds of plays in play statistics.
        shown_ranks: Ranks in play statistics.
        card_kinds: Kinds of cards of the pack.
        num_undealt: Number of cards that are not dealt to a seat.
    """

    cells: Cells
    forms: Forms
    fluents: Fluents
    seats: int
    relative_names: tuple[Term, ...]
    stages: tuple[Term, ...]
    options: tuple[Term, ...]
    lots: tuple[Term, ...]
    play_kinds: tuple[Term, ...]
    shown_ranks: tuple[Term, ...]
    card_kinds: tuple[Term, ...]
    num_undealt: int

    @cached_property
    def test_cache(self) -> dict[Atom, ColumnTest | None]:
        """Results of find_test, as many circuits share inputs."""
        return {}

    @property
    def group_sizes(self) -> Mapping[str, int]:
        """Number of columns of each group."""
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
"""Function that returns the test of an input with the given arguments; None if it can never hold."""


def _find_cell(schema: InputSchema, *arguments: Term) -> int | None:
    name = arguments[0] if len(arguments) == 1 else f"card({arguments[0]},{arguments[1]})"
    return schema.cells.index.get(name)


def _resolve_cells(group: str, width: int) -> TestResolver:
    """Resolve ``held(R,N)`` and ``held(R,S,N)``: at least N cards act as a cell."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        cell, threshold = _find_cell(schema, *arguments[:width]), arguments[width]
        return ColumnTest(group, cell, AT_LEAST, threshold) if cell is not None and isinstance(threshold, int) else None

    return resolve


def _resolve_wild(group: str) -> TestResolver:
    """Resolve ``wild(N)``: at least N wild cards."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        return _resolve_cells(group, 1)(schema, (WILD, *arguments))

    return resolve


def _resolve_other_cells(group: str, width: int) -> TestResolver:
    """Resolve ``estimated(W,R,N)``: at least N cards of the relative seat W act as a cell."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        test = _resolve_cells(group, width)(schema, arguments[1:]) if arguments[0] in schema.relative_names else None
        if test is None:
            return None
        return test._replace(column=schema.relative_names.index(arguments[0]) * len(schema.cells) + test.column)

    return resolve


def _resolve_other_wild(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    """Resolve ``estimated_wild(W,N)``: at least N wild cards of the relative seat W."""
    return _resolve_other_cells("estimate", 1)(schema, (arguments[0], WILD, arguments[1]))


def _resolve_seat_cells(group: str, width: int) -> TestResolver:
    """Resolve ``holds(S,R,N)``: at least N cards of the seat S act as a cell."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat = _find_seat(schema, arguments[0])
        test = _resolve_cells(group, width)(schema, arguments[1:])
        if test is None or seat is None:
            return None
        return test._replace(column=seat * len(schema.cells) + test.column)

    return resolve


def _resolve_seat_count(group: str) -> TestResolver:
    """Resolve ``laid_down(S,N)``: the column of the seat S is at least N."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat, threshold = _find_seat(schema, arguments[0]), arguments[1]
        return None if seat is None or not isinstance(threshold, int) else ColumnTest(group, seat, AT_LEAST, threshold)

    return resolve


def _find_seat(schema: InputSchema, term: Term) -> int | None:
    return term if isinstance(term, int) and 0 <= term < schema.seats else None


def _resolve_number(group: str, column: int = 0, comparison: int = AT_LEAST) -> TestResolver:
    """Resolve an input whose only argument is the value."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        (value,) = arguments
        return ColumnTest(group, column, comparison, value) if isinstance(value, int) else None

    return resolve


def _resolve_seat_bit(column: int) -> TestResolver:
    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        seat = _find_seat(schema, arguments[0])
        return None if seat is None else ColumnTest("act", column, BIT, seat)

    return resolve


def _resolve_name(group: str, column: int, names: Callable[[InputSchema], Mapping[Term, int]]) -> TestResolver:
    """Resolve an input whose only argument is a name; the column holds the index of a name."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        index = names(schema).get(arguments[0])
        return None if index is None else ColumnTest(group, column, EQUAL, index)

    return resolve


def _enumerate_names(names: tuple[Term, ...]) -> dict[Term, int]:
    return {name: index for index, name in enumerate(names)}


def _resolve_hand_size(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    seat, threshold = arguments
    if seat not in schema.relative_names or not isinstance(threshold, int):
        return None
    return ColumnTest("sizes", schema.relative_names.index(seat), AT_LEAST, threshold)


def _resolve_finish(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    place, seat = arguments
    seat_index = _find_seat(schema, seat)
    if seat_index is None or not isinstance(place, int) or not 1 <= place <= schema.seats:
        return None
    return ColumnTest("result", place - 1, EQUAL, seat_index)


def _resolve_stuck(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    seat, threshold = _find_seat(schema, arguments[0]), arguments[1]
    if seat is None or not isinstance(threshold, int):
        return None
    return ColumnTest("result", schema.seats + seat, AT_LEAST, threshold)


def _resolve_lot(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    name, value = arguments
    if name not in schema.lots or not isinstance(value, int):
        return None
    return ColumnTest("lots", schema.lots.index(name), EQUAL, value)


def _resolve_undealt(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
    """Resolve ``left_over(I,Card)``: the I-th undealt card, from 1."""
    place, card = arguments
    if card not in schema.card_kinds or not isinstance(place, int) or not 1 <= place <= schema.num_undealt:
        return None
    return ColumnTest("left_over", place - 1, EQUAL, schema.card_kinds.index(card))


def _resolve_shown(block: int, by_rank: bool) -> TestResolver:
    """Resolve ``laid(Kind,Rank)`` and ``led(Kind,Strength)``: bits of play statistics."""

    def resolve(schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        kind, number = arguments
        bit = _enumerate_names(schema.shown_ranks).get(number) if by_rank else number
        if kind not in schema.play_kinds or not isinstance(bit, int) or not 0 <= bit < SHOWN_BITS:
            return None
        return ColumnTest(
            "shown", (block * len(schema.play_kinds) + schema.play_kinds.index(kind)) * SHOWN_BITS + bit, AT_LEAST, 1
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
        "leading/0": lambda schema, arguments: ColumnTest("trick", 0, EQUAL, LEADING),
        "to_beat/1": _resolve_name("trick", 0, lambda schema: schema.forms.index),
        "top/1": _resolve_name("trick", 1, lambda schema: _enumerate_names(schema.relative_names)),
        "asked/1": _resolve_number("seat", 0, EQUAL), "acts/1": _resolve_number("acts"),
        "left/2": _resolve_cells("left", 1), "left/3": _resolve_cells("left", 2), "wild_left/1": _resolve_wild("left"),
        "lays/1": _resolve_name("move", 0, lambda schema: schema.forms.index),
        "play/1": _resolve_name("move", 1, lambda schema: schema.forms.label_index),
        "plays_left/1": _resolve_number("emptying"),
        "chooses/1": _resolve_name("choice", 0, lambda schema: _enumerate_names(schema.options)),
        "estimated/3": _resolve_other_cells("estimate", 1), "estimated/4": _resolve_other_cells("estimate", 2),
        "estimated_wild/2": _resolve_other_wild,
        "acted/1": _resolve_number("act", 0, EQUAL), "owner/1": _resolve_number("act", 1, EQUAL),
        "passed/1": _resolve_seat_bit(2), "has_passed/1": _resolve_seat_bit(3), "out/1": _resolve_seat_bit(4),
        "holds/3": _resolve_seat_cells("hands", 1), "holds/4": _resolve_seat_cells("hands", 2),
        "in_trick/3": _resolve_seat_cells("lies", 1), "in_trick/4": _resolve_seat_cells("lies", 2),
        "in_trick/2": _resolve_seat_count("laying"),
        "leader/1": _resolve_number("leader", 0, EQUAL),
        "taking/0": lambda schema, arguments: ColumnTest("taking", 0, EQUAL, 1), "finish/2": _resolve_finish,
        "stuck/2": _resolve_stuck,
        "aside/2": _resolve_cells("aside", 1), "aside/3": _resolve_cells("aside", 2),
        "laid_down/2": _resolve_seat_count("plays"),
        "event/1": _resolve_name("event", 0, lambda schema: _enumerate_names(EVENTS)),
        "stage/1": _resolve_name("event", 1, lambda schema: _enumerate_names(schema.stages)),
        "chosen/1": _resolve_name("event", 2, lambda schema: _enumerate_names(schema.options)),
        "by/1": _resolve_number("event", 3, EQUAL), "lot/2": _resolve_lot,
        "stock/1": _resolve_number("stock"), "drew/1": _resolve_number("drew", 0, EQUAL),
        "drawn/1": _resolve_name("drawn", 0, lambda schema: _enumerate_names(schema.card_kinds)),
        "left_over/2": _resolve_undealt,
        "laid/2": _resolve_shown(0, True), "led/2": _resolve_shown(1, False), "passed_over/2": _resolve_shown(2, False),
    }.items()
}  # fmt: skip
"""Resolver of the test of each input, by its signature."""


def find_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    """Find the test that defines an input.

    Args:
        schema: Numbering of the arguments of inputs.
        atom: Input.

    Returns:
        Test; None for an input that can never hold.
    """
    if atom not in schema.test_cache:
        schema.test_cache[atom] = _resolve_test(schema, atom)
    return schema.test_cache[atom]


def _resolve_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    signature = Signature(atom[0], len(atom[1]))
    if signature in schema.fluents:
        fluent = schema.fluents[signature]
        fluent_slot = fluent.locate(atom[1])
        if fluent_slot is None:
            return None
        return ColumnTest(
            "fluents", fluent_slot.slot, EQUAL if fluent.value_type == SINGLE_VALUED else AT_LEAST, fluent_slot.value
        )
    resolve = INPUTS.get(signature)  # None for a fluent of other rules
    return resolve(schema, atom[1]) if resolve else None


def find_group(schema: InputSchema, signature: Signature) -> str:
    """Return the group of columns of an input.

    Args:
        schema: Numbering of the arguments of inputs.
        signature: Name and number of arguments.
    """
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
"""Group of columns of each input, without fluents."""
assert set(INPUT_GROUPS) == set(INPUTS)
