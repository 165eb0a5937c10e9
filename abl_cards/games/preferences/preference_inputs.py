"""Circuit inputs of preferences: decisions, choices and moves as facts.

Facts use the vocabulary of the rules by which the tables play. Preferences may come from another folder; inputs unknown
to the rules are false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import Circuit
from abl_cards.core import ErrorCode, GameError, map_ranges
from abl_cards.games import min_plays
from abl_cards.games.binding import CircuitQuery, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import INPUTS, ColumnWriter, seat_groups
from abl_cards.games.moves import has_suited_forms
from abl_cards.games.preferences import after_move
from abl_cards.games.preferences.preferences import EstimateInputWriter, MoveInputWriter, SharedInputWriter
from abl_cards.games.tables import Choices, Decisions, takes_trick
from abl_cards.games.types import HandEstimate, MoveLists

_MOVE_GROUPS = frozenset({"left", "move", "taking", "emptying", "choice"})
_FORM_COLUMN = 0  # column of the form in the input group move; the other one is the label


def _find_inputs(groups: frozenset[str]) -> frozenset[str]:
    """Return the names of the inputs of some groups."""
    return frozenset(signature.name for signature, entry in INPUTS.items() if entry.group in groups)


MOVE_INPUTS = _find_inputs(_MOVE_GROUPS)
"""Inputs that depend on the move; all others depend on the decision alone."""

ESTIMATE_INPUTS = _find_inputs(frozenset({"estimate"}))
"""Inputs that depend on an estimate of the other hands, and are false without one."""


@dataclass(frozen=True)
class GamePreferenceInputs:
    """Writers of preference inputs for tables of a game."""

    rules: CompiledGame

    @property
    def move_inputs(self) -> frozenset[str]:
        """Names of the inputs that depend on the move."""
        return MOVE_INPUTS

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """Names of the inputs that depend on an estimate of the other hands."""
        return ESTIMATE_INPUTS

    def make_shared_writer(self, circuit: Circuit) -> SharedInputWriter:
        """Make a writer of the inputs that depend on the decision.

        Args:
            circuit: Circuit whose inputs are written.

        Returns:
            Function of n decisions or choices that returns uint8 [inputs, n].
        """
        query = CircuitQuery.from_circuit(circuit, self.rules.schema, seat_groups() | {"event"})

        def write(decisions: Decisions | Choices) -> NDArray[np.uint8]:
            return query.build_rows(len(decisions.rows), decisions.column_writers)

        return write

    def make_estimate_writer(self, circuit: Circuit) -> EstimateInputWriter:
        """Make a writer of the inputs that depend on an estimate of the other hands.

        Args:
            circuit: Circuit whose inputs are written.

        Returns:
            Function of n decisions or choices, an estimate [n, others, kinds] and rows [inputs, n] that adds to the
            rows. It raises GameError for an estimate of another shape or type, and for NaN.
        """
        query, rules = CircuitQuery.from_circuit(circuit, self.rules.schema, frozenset({"estimate"})), self.rules
        shape = rules.seating.seats - 1, len(rules.pack)
        card_columns = _map_other_cards_to_columns(rules, query.used_columns[0]) if query.groups else None

        def write(decisions: Decisions | Choices, estimate: HandEstimate, rows: NDArray[np.uint8]) -> None:
            counts, context = _to_counts(estimate, (len(decisions.rows), *shape)), decisions.view.context

            def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
                after_move.write_estimate(counts, context, card_columns, lo, hi, columns)

            query.write_rows(rows, {"estimate": fill})

        return write

    def make_move_writer(self, circuit: Circuit) -> Callable[[Decisions | Choices, MoveLists], MoveInputWriter]:
        """Make a writer of the inputs that depend on the move.

        These are labels, forms, the cards left, the number of plays left, and chosen options.

        Args:
            circuit: Circuit whose inputs are written.

        Returns:
            Function of decisions and their moves that returns a writer of part of the moves.
        """
        query = CircuitQuery.from_circuit(circuit, self.rules.schema, _MOVE_GROUPS)
        needs_plays = "emptying" in query.groups
        write = self.of_moves_with_counts(circuit, query)

        def prepare(decisions: Decisions | Choices, lists: MoveLists) -> MoveInputWriter:
            plays = min_plays.plays_left(self.rules, decisions, lists) if needs_plays else np.empty(0, np.uint8)
            return write(decisions, lists, plays)

        return prepare

    def distinguishes_suits(self, circuit: Circuit) -> bool:
        """Return whether inputs that depend on the move can differ for cards of one rank.

        Args:
            circuit: Circuit that reads the inputs.

        Returns:
            False only if the game has no wild cards, and moves with equal forms and equal numbers of cards of each rank
            set equal inputs.
        """
        tables = self.rules.move_tables
        if self.rules.has_trick_cards or tables.num_wild_kinds:
            return True
        query = CircuitQuery.from_circuit(circuit, self.rules.schema, _MOVE_GROUPS)
        if "emptying" in query.groups and has_suited_forms(tables):
            return True
        columns = after_move.map_cards_to_columns(self.rules.cells, _find_used_columns(query, "left"))
        columns = np.sort(columns, axis=2)  # [contexts, kinds, max cells]
        return any(
            (columns[:, kinds] != columns[:, kinds[:1]]).any()
            for slots in tables.slot_kind
            if (kinds := slots[slots >= 0]).size
        )

    def of_moves_with_counts(
        self, circuit: Circuit, query: CircuitQuery | None = None
    ) -> Callable[[Decisions | Choices, MoveLists, NDArray[np.uint8]], MoveInputWriter]:
        """Make a writer of the inputs that depend on the move, for given numbers of plays left.

        Args:
            circuit: Circuit whose inputs are written.
            query: Query of the input groups of moves, None to make it from the circuit.

        Returns:
            Function of decisions, their moves and uint8 [moves] plays left after each move that returns a writer of
            part of the moves.
        """
        query = query or CircuitQuery.from_circuit(circuit, self.rules.schema, _MOVE_GROUPS)
        left_columns = _find_used_columns(query, "left")
        card_columns = after_move.map_cards_to_columns(self.rules.cells, left_columns)

        def prepare(decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8]) -> MoveInputWriter:
            held_counts = _count_held_cards(self.rules, decisions, left_columns)
            taking = takes_trick(decisions, lists) if "taking" in query.groups else plays
            moves = _MoveColumns(self.rules, decisions, lists, plays, taking, held_counts, card_columns)

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                return query.build_rows(len(moves.decision[part]), moves.writers(part))

            return write

        return prepare


def _find_used_columns(query: CircuitQuery, group: str) -> NDArray[np.int64]:
    """Return the columns of an input group that a query reads."""
    return dict(zip(query.groups, query.used_columns, strict=True)).get(group, np.empty(0, np.int64))


def _map_other_cards_to_columns(rules: CompiledGame, used: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the column of each cell that a card of each other seat acts as [others, contexts, kinds, max cells]."""
    cells = rules.cells
    column_of = np.full((rules.seating.seats - 1, *cells.acts_as.shape), -1, np.int32)
    for other, block in cells.iter_blocks(used, rules.seating.seats - 1):
        columns = after_move.map_cards_to_columns(cells, used[block] % len(cells))
        column_of[other] = np.where(columns >= 0, columns + block.start, -1)
    return column_of


def _count_held_cards(
    rules: CompiledGame, decisions: Decisions | Choices, used: NDArray[np.int64]
) -> NDArray[np.int16]:
    """Count the cards of the hands that act as each cell [used, n]."""
    view = decisions.view
    counts = np.zeros((len(used), len(view)), np.int16)
    if len(used):
        map_ranges(len(view), lambda lo, hi: rules.cells.add_counts(view.hand, view.context, used, lo, hi, counts))
    return counts


class _MoveColumns:
    """Moves of some decisions as columns of circuit inputs."""

    def __init__(
        self, rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8],
        taking: NDArray[np.uint8], held_counts: NDArray[np.int16], card_columns: NDArray[np.int32],
    ) -> None:  # fmt: skip
        """Store the moves; plays [moves] are the plays left, taking [moves] is 1 for moves that take the trick."""
        self.decision, self._context = lists.decision_index, decisions.view.context
        self._plays, self._taking, self._held_counts, self._card_columns = plays, taking, held_counts, card_columns
        self._is_choice = isinstance(decisions, Choices)
        self._form, self._label_of = lists.form, rules.forms.label_of
        self._chosen = lists.cards[:, 0]
        self._cards = decisions.cards_given_away(lists) if isinstance(decisions, Choices) else lists.cards

    def writers(self, part: slice) -> dict[str, ColumnWriter]:
        """Return writers of the input groups of some of the moves."""
        return {
            "left": lambda lo, hi, columns, used: after_move.write_cards_left(
                self._held_counts,
                self._context,
                self.decision[part],
                self._cards[part],
                self._card_columns,
                lo,
                hi,
                columns,
            ),
            "move": lambda lo, hi, columns, used: self._write_move(part, lo, hi, columns, used),
            "emptying": make_lazy_writer(lambda _: self._plays[part]),
            "taking": make_lazy_writer(lambda _: self._taking[part]),
            "choice": lambda lo, hi, columns, used: self._write_choice(part, lo, hi, columns),
        }

    def _write_move(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """Fill the columns of the input group ``move``."""
        form = self._form[part][lo:hi]
        for index, column in enumerate(used):
            columns[index, lo:hi] = form if column == _FORM_COLUMN else np.where(form < 0, -1, self._label_of[form])

    def _write_choice(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16]) -> None:
        """Fill the column of the input group ``choice``."""
        columns[0, lo:hi] = self._chosen[part][lo:hi] if self._is_choice else -1


def _to_counts(estimate: HandEstimate, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return an estimate as an array; raises GameError where it has another shape or type, or is not finite."""
    given = np.asarray(estimate)
    if given.shape != shape or given.dtype.kind not in "fiu":
        message = f"estimate must be {list(shape)}, not {list(given.shape)}; its numbers are {given.dtype}"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    if not np.isfinite(given).all():
        raise GameError("estimate: a number is NaN or infinite", ErrorCode.INVALID_VALUE)
    return np.ascontiguousarray(given, np.float32)
