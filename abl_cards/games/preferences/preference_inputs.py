"""What the preferences of a folder are about: decisions, choices and moves as facts.

The words are those of the rules that the tables play by; the preferences may be another folder's. What these rules do
not know never holds there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import Circuit
from abl_cards.core import map_ranges
from abl_cards.games import min_plays
from abl_cards.games.binding import CircuitQuery, ColumnWriter, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import INPUT_GROUPS, SEAT_INPUT_GROUPS
from abl_cards.games.preferences import after_move
from abl_cards.games.preferences.preferences import EstimateInputWriter, MoveInputWriter, SharedInputWriter
from abl_cards.games.tables import Choices, Decisions, takes_trick
from abl_cards.games.types import HandEstimate, MoveLists

_MOVE_GROUPS = frozenset({"left", "move", "taking", "emptying", "choice"})
_FORM_COLUMN = 0  # of the columns of the group move; the other one is the label


def _find_inputs(groups: frozenset[str]) -> frozenset[str]:
    return frozenset(signature.name for signature, group in INPUT_GROUPS.items() if group in groups)


MOVE_INPUTS = _find_inputs(_MOVE_GROUPS)
"""The inputs that differ from move to move; all others are the same for a whole decision."""

ESTIMATE_INPUTS = _find_inputs(frozenset({"estimate"}))
"""The inputs that are false where nobody has an estimate of the other hands."""


@dataclass(frozen=True)
class GamePreferenceInputs:
    """The facts of tables that play by these rules."""

    rules: CompiledGame

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """The inputs that are false where nobody estimates the other hands."""
        return ESTIMATE_INPUTS

    def make_shared_writer(self, circuit: Circuit) -> SharedInputWriter:
        """Hands, tricks and what everybody can see."""
        told = CircuitQuery.from_circuit(circuit, self.rules.schema, SEAT_INPUT_GROUPS | {"event"})

        def write(decisions: Decisions | Choices) -> NDArray[np.uint8]:
            return told.build_rows(len(decisions.rows), decisions.column_writers)

        return write

    def make_estimate_writer(self, circuit: Circuit) -> EstimateInputWriter:
        """What is believed of the other hands; raises ValueError for beliefs of another shape."""
        told, rules = CircuitQuery.from_circuit(circuit, self.rules.schema, frozenset({"estimate"})), self.rules
        shape = rules.seating.seats - 1, len(rules.pack)
        places = _map_other_cards_to_columns(rules, told.used_columns[0]) if told.groups else None

        def write(decisions: Decisions | Choices, estimate: HandEstimate, rows: NDArray[np.uint8]) -> None:
            n = len(decisions.rows)
            if estimate.shape != (n, *shape):
                raise ValueError(f"estimate must be {[n, *shape]}, not {list(estimate.shape)}")
            beliefs, context = np.ascontiguousarray(estimate, np.float32), decisions.view.context

            def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
                after_move.write_estimate(beliefs, context, places, lo, hi, columns)

            told.write_rows(rows, {"estimate": fill})

        return write

    def make_move_writer(self, circuit: Circuit) -> Callable[[Decisions | Choices, MoveLists], MoveInputWriter]:
        """Labels, forms, what they leave in the hand, and in how many plays that is gone; or what is chosen."""
        told = CircuitQuery.from_circuit(circuit, self.rules.schema, _MOVE_GROUPS)
        asked = "emptying" in told.groups
        write = self.of_moves_with_counts(circuit, told)

        def prepare(decisions: Decisions | Choices, lists: MoveLists) -> MoveInputWriter:
            plays = min_plays.plays_left(self.rules, decisions, lists) if asked else np.empty(0, np.uint8)
            return write(decisions, lists, plays)

        return prepare

    def of_moves_with_counts(
        self, circuit: Circuit, query: CircuitQuery | None = None
    ) -> Callable[[Decisions | Choices, MoveLists, NDArray[np.uint8]], MoveInputWriter]:
        """The same where somebody says how many plays are left after each move: numbers [moves]."""
        query = query or CircuitQuery.from_circuit(circuit, self.rules.schema, _MOVE_GROUPS)
        left = _find_used_columns(query, "left")
        places = after_move.map_cards_to_columns(self.rules.cells, left)

        def prepare(decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8]) -> MoveInputWriter:
            held = _count_held_cards(self.rules, decisions, left)
            taking = takes_trick(decisions, lists) if "taking" in query.groups else plays
            moves = _MoveColumns(self.rules, decisions, lists, plays, taking, held, places)

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                return query.build_rows(len(moves.decision[part]), moves.writers(part))

            return write

        return prepare


def _find_used_columns(query: CircuitQuery, group: str) -> NDArray[np.int64]:
    """The columns of a group that are needed."""
    return dict(zip(query.groups, query.used_columns, strict=True)).get(group, np.empty(0, np.int64))


def _map_other_cards_to_columns(rules: CompiledGame, used: NDArray[np.int64]) -> NDArray[np.int32]:
    """[others, contexts, kinds, most] the column of every cell that a card of each of the others counts as."""
    cells = rules.cells
    found = np.full((rules.seating.seats - 1, *cells.acts_as.shape), -1, np.int32)
    for other, mine in cells.iter_blocks(used, rules.seating.seats - 1):
        own = after_move.map_cards_to_columns(cells, used[mine] % len(cells))
        found[other] = np.where(own >= 0, own + mine.start, -1)
    return found


def _count_held_cards(
    rules: CompiledGame, decisions: Decisions | Choices, used: NDArray[np.int64]
) -> NDArray[np.int16]:
    """[used, n] how many cards of the hands act as each cell."""
    view = decisions.view
    held = np.zeros((len(used), len(view)), np.int16)
    if len(used):
        map_ranges(len(view), lambda lo, hi: rules.cells.add_counts(view.hand, view.context, used, lo, hi, held))
    return held


class _MoveColumns:
    """The moves of some decisions, as columns."""

    def __init__(
        self, rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8],
        taking: NDArray[np.uint8], held_counts: NDArray[np.int16], places: NDArray[np.int32],
    ) -> None:  # fmt: skip
        self.decision, self._context = lists.decision_index, decisions.view.context
        self._plays, self._taking, self._held_counts, self._places = plays, taking, held_counts, places
        self._choosing = isinstance(decisions, Choices)
        self._form, self._label_of = lists.form, rules.forms.label_of
        self._chosen = lists.cards[:, 0]
        self._cards = decisions.cards_given_away(lists) if isinstance(decisions, Choices) else lists.cards

    def writers(self, part: slice) -> dict[str, ColumnWriter]:
        """What fills the groups for some of the moves."""
        return {
            "left": lambda lo, hi, columns, used: after_move.write_cards_left(
                self._held_counts, self._context, self.decision[part], self._cards[part], self._places, lo, hi, columns
            ),
            "move": lambda lo, hi, columns, used: self._write_move(part, lo, hi, columns, used),
            "emptying": make_lazy_writer(lambda _: self._plays[part]),
            "taking": make_lazy_writer(lambda _: self._taking[part]),
            "choice": lambda lo, hi, columns, used: self._write_choice(part, lo, hi, columns),
        }

    def _write_move(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        form = self._form[part][lo:hi]
        for place, column in enumerate(used):
            columns[place, lo:hi] = form if column == _FORM_COLUMN else np.where(form < 0, -1, self._label_of[form])

    def _write_choice(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16]) -> None:
        columns[0, lo:hi] = self._chosen[part][lo:hi] if self._choosing else -1
