"""Kinds of inputs that rules may read: each is a test of a column of numbers.

A state is passed to a circuit as *columns* of numbers in groups, such as the number of cards of the hand that act as
each cell, the form to beat, and the values of fluents. An input holds where its column passes its test. The leading
arguments of an input select the column, the last one is the value. ``inputs.py`` registers all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature, Term
from abl_cards.games.description.fact_arguments import generalise_kind
from abl_cards.games.description.pack import WILD

if TYPE_CHECKING:
    from abl_cards.games.description.cells import Cells
    from abl_cards.games.description.fluents import Fluents
    from abl_cards.games.description.forms import Forms
    from abl_cards.games.description.known_names import KnownNames
    from abl_cards.games.state import TableState
    from abl_cards.games.types import Indices

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


# --- arguments --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InputArgument:
    """Sort of an argument of an input.

    Attributes:
        name: Name for messages.
        find_index: Returns the index of a term among the columns or values, None for a term that has none.
        count: Returns the number of columns that an argument selects from.
        find_terms: Returns the known terms; None if every number is allowed.
        remedy: Advice for an unknown term.
        allows_same_functor: A variable may give unknown terms with the functor of a known one.
    """

    name: str
    find_index: Callable[[InputSchema, Term], int | None]
    count: Callable[[InputSchema], int] = lambda schema: 1
    find_terms: Callable[[KnownNames], Collection[Term]] | None = None
    remedy: str = ""
    allows_same_functor: bool = False


def _listed(
    name: str, terms: Callable[[InputSchema], tuple[Term, ...]], find_terms: Callable[[KnownNames], Collection[Term]],
    remedy: str, allows_same_functor: bool = False,
) -> InputArgument:  # fmt: skip
    """Make a sort of terms that the schema lists."""

    def find_index(schema: InputSchema, term: Term) -> int | None:
        return terms(schema).index(term) if term in terms(schema) else None

    return InputArgument(name, find_index, lambda schema: len(terms(schema)), find_terms, remedy, allows_same_functor)


def _integers(first: int, count: Callable[[InputSchema], int]) -> InputArgument:
    """Make a sort of numbers from a first one on."""

    def find_index(schema: InputSchema, term: Term) -> int | None:
        return term - first if isinstance(term, int) and 0 <= term - first < count(schema) else None

    return InputArgument("number", find_index, count)


def _find_lots(known: KnownNames) -> set[Term]:
    return {name for name, _ in known.kb.instances("lots", 2)}


NUMBER = InputArgument("number", lambda schema, term: term if isinstance(term, int) else None)
PLACE = _integers(1, lambda schema: schema.seats)
UNDEALT_PLACE = _integers(1, lambda schema: schema.num_undealt)
SHOWN_STRENGTH = _integers(0, lambda schema: SHOWN_BITS)
SHOWN_RANK = InputArgument(
    "rank",
    lambda schema, term: schema.shown_ranks.index(term) if term in schema.shown_ranks else None,
    lambda schema: SHOWN_BITS,
)
SEAT = InputArgument(
    "seat", lambda schema, term: term if isinstance(term, int) and 0 <= term < schema.seats else None,
    lambda schema: schema.seats, lambda known: known.seats, "seat/1 says which there are",
)  # fmt: skip
OTHER_SEAT = _listed(
    "name of another seat", lambda schema: schema.relative_names, lambda known: known.relative_seats,
    "who/2 says which there are",
)  # fmt: skip
CELL = InputArgument(
    "cell", lambda schema, term: schema.cells.index.get(term), lambda schema: len(schema.cells),
    lambda known: known.cells | {WILD},
    "write a rank or card as which a card acts, or let cards act as themselves: acts_as(C,C) :- pack(C,_)", True,
)  # fmt: skip
"""Cell; two in a row are the rank and the suit of one."""
CARD = _listed("card", lambda schema: schema.card_kinds, lambda known: known.cards, "pack/2 says which there are", True)
FORM = InputArgument(
    "form", lambda schema, term: schema.forms.index.get(term), lambda schema: len(schema.forms),
    lambda known: known.forms, "form/2 says which there are", True,
)  # fmt: skip
LABEL = InputArgument(
    "label", lambda schema, term: schema.forms.label_index.get(term), lambda schema: len(schema.forms.label_index),
    lambda known: known.labels, "label/1 says which there are", True,
)  # fmt: skip
KIND = _listed(
    "kind", lambda schema: schema.play_kinds, lambda known: set(map(generalise_kind, known.kinds)),
    "kind/2 says which there are", True,
)  # fmt: skip
FLUENT_SLOT = InputArgument("number", lambda schema, term: None, lambda schema: len(schema.fluents))
STAGE = _listed("stage", lambda schema: schema.stages, lambda known: known.stages, "asks/2 says which there are")
OPTION = _listed(
    "option", lambda schema: schema.options, lambda known: known.options | known.cards,
    "option/1 says which there are", True,
)  # fmt: skip
LOT = _listed("random number", lambda schema: schema.lots, _find_lots, "declare it by lots(Name,N)")
EVENT = _listed("event", lambda schema: EVENTS, lambda known: EVENTS, f"there are: {', '.join(EVENTS)}")


def card_term(rank: Term, suit: Term) -> Term:
    """Return the term of a card from the terms of its rank and its suit."""
    return f"card({rank},{suit})"


# --- inputs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleInput:
    """Input of the rules.

    Attributes:
        text: Predicate with its arguments, as in the reference: ``held(R,N)``.
        arguments: Sorts of the arguments.
        words: Meaning, in Markdown; empty for an input with the meaning of the previous one.
        fields: Fields of JSON states that a seat needs; if empty, those of the group.
        end_fields: Fields of JSON states that points need; if empty, those of the group.
        block: Block of the columns of the group, from 0: each has a column for every combination of selectors.
        comparison: Comparison; None for AT_LEAST with a number, EQUAL with a name.
        value: Value that the column is compared with; None if the last argument is the value.
        is_wild: The input is about wild cards: its column is that of ``wild``.
        group: Name of the group, filled in by ``register``.
    """

    text: str
    arguments: tuple[InputArgument, ...] = ()
    words: str = ""
    fields: tuple[str, ...] = ()
    end_fields: tuple[str, ...] = ()
    block: int = 0
    comparison: int | None = None
    value: int | None = None
    is_wild: bool = False
    group: str = ""

    @property
    def signature(self) -> Signature:
        """Name and number of arguments."""
        return Signature(self.text.partition("(")[0], len(self.arguments))

    @property
    def card_place(self) -> int | None:
        """Place of the first of two arguments that are the rank and the suit of a card; None if there are none."""
        pairs = zip(self.arguments, self.arguments[1:], strict=False)
        return next((place for place, (one, other) in enumerate(pairs) if one is other is CELL), None)

    def find_test(self, schema: InputSchema, arguments: tuple[Term, ...]) -> ColumnTest | None:
        """Find the test that defines the input.

        Args:
            schema: Numbering of the arguments.
            arguments: Arguments of the input.

        Returns:
            Test; None if the input can never hold.
        """
        sorts, terms = list(self.arguments), list(arguments)
        if self.is_wild:
            sorts.insert(-1, CELL)
            terms.insert(-1, WILD)
        if (place := self.card_place) is not None:
            sorts[place : place + 2] = [CELL]
            terms[place : place + 2] = [card_term(*terms[place : place + 2])]
        indices = [sort.find_index(schema, term) for sort, term in zip(sorts, terms, strict=True)]
        value = self.value if self.value is not None else indices.pop()
        column, width = 0, 1
        for sort, index in zip(sorts, indices, strict=False):
            if index is None:
                return None
            column, width = column * sort.count(schema) + index, width * sort.count(schema)
        if value is None:
            return None
        comparison = self.comparison
        if comparison is None:
            comparison = AT_LEAST if self.value is None and sorts[-1] is NUMBER else EQUAL
        return ColumnTest(self.group, self.block * width + column, comparison, value)


ColumnWriter = Callable[[int, int, NDArray[np.int16], NDArray[np.int64]], None]
"""Function ``(lo, hi, columns, used)`` that fills int16 columns [used, n] of a group for the states lo..hi-1.

``used`` [used] holds the indices in the group of the columns that the circuit reads.
"""


class TableColumns(Protocol):
    """Tables whose columns are written, and makers of writers."""

    state: TableState
    rows: Indices  # [n] tables

    @property
    def total_dealt(self) -> int:
        """Number of cards that a deal gives to the seats."""

    def each(self, values: Callable[[int, Indices], NDArray[np.integer]]) -> ColumnWriter:
        """Write the array that ``values`` returns for a column and some of the tables."""

    def cells(self, cards: Callable[[], NDArray[np.uint8]]) -> ColumnWriter:
        """Write how many cards [tables or observers, blocks, kinds] act as each cell."""

    def trick_cells(self) -> ColumnWriter:
        """Write how many cards of the trick of each seat act as each cell."""

    def trick_sizes(self) -> ColumnWriter:
        """Write how many cards each seat has played to the trick."""

    def fluent_values(self) -> ColumnWriter:
        """Write the values of fluents."""

    def drawn_card(self, rows: Indices) -> NDArray[np.int16]:
        """Return the kind of the card just drawn at some tables, -1 for none."""


class SeatColumns(TableColumns, Protocol):
    """Tables from the view of one seat each."""

    seats: NDArray[np.int8]  # [n] observers
    hand: NDArray[np.uint8]  # [n, kinds]
    to_beat: NDArray[np.int16]  # [n]

    @property
    def hidden_hands(self) -> NDArray[np.uint8]:
        """Hands of the other seats [n, others, kinds]."""

    @property
    def hidden_hand_sizes(self) -> NDArray[np.int16]:
        """Hand sizes of the other seats [n, others]."""

    @property
    def top_other(self) -> NDArray[np.int16]:
        """Owner of the play to beat as an index of the other seats [n]."""

    @property
    def played_cards(self) -> NDArray[np.uint8]:
        """Cards played in the episode [n, kinds]."""

    @property
    def unseen(self) -> NDArray[np.uint8]:
        """Cards that the observers do not see [n, kinds]."""

    def all(self, values: Callable[[int], NDArray[np.integer]]) -> ColumnWriter:
        """Write the array of a column for all tables."""

    def hand_size(self) -> ColumnWriter:
        """Write the number of cards in the hand."""


@dataclass(frozen=True)
class StateNumber:
    """Field of JSON states whose numbers fill one array of the state of tables; 0 if the field is missing.

    Attributes:
        name: Key.
        words: Meaning.
        array: Array of ``TableState``: [tables], or [tables, seats].
        maximum: Largest number.
        by_seat: The value is a list of numbers, by seat.
    """

    name: str
    words: str
    array: str
    maximum: int
    by_seat: bool = False


@dataclass(frozen=True)
class InputGroup:
    """Group of columns, with the inputs that test them.

    Attributes:
        name: Name of the group.
        selectors: Sorts of the arguments that select a column in a block.
        inputs: Inputs.
        seat: Makes the writer of the columns from the view of a seat; None if no seat observes them.
        referee: Makes the writer of the columns from full information; None if the referee does not observe them.
        both: Makes the writer for seats and for the referee.
        fields: Fields of JSON states that a seat needs.
        end_fields: Fields of JSON states that points need.
        requires: Output without which a game does not have the group, if any.
        state_number: Field of JSON states that only this group needs, if any.
    """

    name: str
    selectors: tuple[InputArgument, ...] = ()
    inputs: tuple[RuleInput, ...] = ()
    seat: Callable[[SeatColumns], ColumnWriter] | None = None
    referee: Callable[[TableColumns], ColumnWriter] | None = None
    both: Callable[[TableColumns], ColumnWriter] | None = None
    fields: tuple[str, ...] = ()
    end_fields: tuple[str, ...] = ()
    requires: Signature | None = None
    state_number: StateNumber | None = None

    def count_columns(self, schema: InputSchema) -> int:
        """Return the number of columns."""
        num_blocks = 1 + max((entry.block for entry in self.inputs), default=0)
        return num_blocks * prod(sort.count(schema) for sort in self.selectors)
