"""What the preferences of a folder are about: decisions, choices and moves as facts.

The words are those of the rules that the tables play by; the preferences may be another folder's. What these rules do
not know never holds there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import counting
from abl_cards.games.hidden import Estimate
from abl_cards.games.play import tricks
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.preferences import WriteEstimate, WriteMoves, WriteShared
from abl_cards.games.reading.questions import EYES
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import MoveLists
from abl_cards.games.telling import leaving
from abl_cards.games.telling.columns import GROUP_OF
from abl_cards.games.telling.writer import Fill, Told, lazily
from abl_cards.logic import Circuit
from abl_cards.parallel import each_share

_MOVE_GROUPS = frozenset({"left", "move", "taking", "emptying", "choice"})
_LAYS = 0  # of the columns of the group move; the other one is the label


def _inputs_of(groups: frozenset[str]) -> frozenset[str]:
    return frozenset(signature.name for signature, group in GROUP_OF.items() if group in groups)


MOVE_INPUTS = _inputs_of(_MOVE_GROUPS)
"""The inputs that differ from move to move; all others are the same for a whole decision."""

ESTIMATE_INPUTS = _inputs_of(frozenset({"estimate"}))
"""The inputs that are false where nobody has an estimate of the other hands."""


@dataclass(frozen=True)
class FolderFacts:
    """The facts of tables that play by these rules."""

    rules: Rules

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """The inputs that are false where nobody estimates the other hands."""
        return ESTIMATE_INPUTS

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """Hands, tricks and what everybody can see."""
        told = Told.of(circuit, self.rules.words, EYES | {"event"})

        def write(decisions: Decisions | Choices) -> NDArray[np.uint8]:
            return told.rows(len(decisions.which), decisions.fills)

        return write

    def of_estimates(self, circuit: Circuit) -> WriteEstimate:
        """What is believed of the other hands; raises ValueError for beliefs of another shape."""
        told, rules = Told.of(circuit, self.rules.words, frozenset({"estimate"})), self.rules
        shape = rules.table.seats - 1, len(rules.pack)
        places = _places_by_other(rules, told.used[0]) if told.groups else None

        def write(decisions: Decisions | Choices, estimate: Estimate, rows: NDArray[np.uint8]) -> None:
            n = len(decisions.which)
            if estimate.shape != (n, *shape):
                raise ValueError(f"estimate must be {[n, *shape]}, not {list(estimate.shape)}")
            beliefs, context = np.ascontiguousarray(estimate, np.float32), decisions.view.context

            def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
                leaving.write_estimate(beliefs, context, places, lo, hi, columns)

            told.add(rows, {"estimate": fill})

        return write

    def of_moves(self, circuit: Circuit) -> Callable[[Decisions | Choices, MoveLists], WriteMoves]:
        """Labels, forms, what they leave in the hand, and in how many plays that is gone; or what is chosen."""
        told = Told.of(circuit, self.rules.words, _MOVE_GROUPS)
        asked = "emptying" in told.groups
        write = self.of_counted_moves(circuit, told)

        def prepare(decisions: Decisions | Choices, lists: MoveLists) -> WriteMoves:
            plays = counting.plays_left(self.rules, decisions, lists) if asked else np.empty(0, np.uint8)
            return write(decisions, lists, plays)

        return prepare

    def of_counted_moves(
        self, circuit: Circuit, told: Told | None = None
    ) -> Callable[[Decisions | Choices, MoveLists, NDArray[np.uint8]], WriteMoves]:
        """The same where somebody says how many plays are left after each move: numbers [moves]."""
        told = told or Told.of(circuit, self.rules.words, _MOVE_GROUPS)
        left = _used(told, "left")
        places = leaving.places_by_card(self.rules.cells, left)

        def prepare(decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8]) -> WriteMoves:
            held = _held(self.rules, decisions, left)
            taking = tricks.taking(decisions, lists) if "taking" in told.groups else plays
            moves = _Moves(self.rules, decisions, lists, plays, taking, held, places)

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                return told.rows(len(moves.decision[part]), moves.fills(part))

            return write

        return prepare


def _used(told: Told, group: str) -> NDArray[np.int64]:
    """The columns of a group that are needed."""
    return dict(zip(told.groups, told.used, strict=True)).get(group, np.empty(0, np.int64))


def _places_by_other(rules: Rules, used: NDArray[np.int64]) -> NDArray[np.int32]:
    """[others, contexts, kinds, most] the column of every cell that a card of each of the others counts as."""
    cells = rules.cells
    found = np.full((rules.table.seats - 1, *cells.acts.shape), -1, np.int32)
    for other, mine in cells.blocks(used, rules.table.seats - 1):
        own = leaving.places_by_card(cells, used[mine] % len(cells))
        found[other] = np.where(own >= 0, own + mine.start, -1)
    return found


def _held(rules: Rules, decisions: Decisions | Choices, used: NDArray[np.int64]) -> NDArray[np.int16]:
    """[used, n] how many cards of the hands act as each cell."""
    view = decisions.view
    held = np.zeros((len(used), len(view)), np.int16)
    if len(used):
        each_share(len(view), lambda lo, hi: rules.cells.fold(view.hand, view.context, used, lo, hi, held))
    return held


class _Moves:
    """The moves of some decisions, as columns."""

    def __init__(
        self, rules: Rules, decisions: Decisions | Choices, lists: MoveLists, plays: NDArray[np.uint8],
        taking: NDArray[np.uint8], held: NDArray[np.int16], places: NDArray[np.int32],
    ) -> None:  # fmt: skip
        self.decision, self._context = lists.decision, decisions.view.context
        self._plays, self._taking, self._held, self._places = plays, taking, held, places
        self._choosing = isinstance(decisions, Choices)
        self._form, self._label_of = lists.form, rules.forms.label_of
        self._chosen = lists.cards[:, 0]
        self._cards = decisions.cards_given(lists) if isinstance(decisions, Choices) else lists.cards

    def fills(self, part: slice) -> dict[str, Fill]:
        """What fills the groups for some of the moves."""
        return {
            "left": lambda lo, hi, columns, used: leaving.write_left(
                self._held, self._context, self.decision[part], self._cards[part], self._places, lo, hi, columns
            ),
            "move": lambda lo, hi, columns, used: self._fill_move(part, lo, hi, columns, used),
            "emptying": lazily(lambda _: self._plays[part]),
            "taking": lazily(lambda _: self._taking[part]),
            "choice": lambda lo, hi, columns, used: self._fill_choice(part, lo, hi, columns),
        }

    def _fill_move(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        form = self._form[part][lo:hi]
        for place, column in enumerate(used):
            columns[place, lo:hi] = form if column == _LAYS else np.where(form < 0, -1, self._label_of[form])

    def _fill_choice(self, part: slice, lo: int, hi: int, columns: NDArray[np.int16]) -> None:
        columns[0, lo:hi] = self._chosen[part][lo:hi] if self._choosing else -1
