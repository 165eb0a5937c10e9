"""What lies on the tables of a game, and what is decided there: thousands of matches at once, in arrays.

*Tables* play; *Decisions* and *Choices* are what the seats to move at some of them can see and do, *Moves* what they
do; a *Judge* says what it costs. Each game's ``tables.py`` and ``decisions.py`` are such.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.types.information_set import HandEstimate

Indices = NDArray[np.int64]
"""[n] numbers of tables."""


DRAW = -2
"""The winner of a drawn match; -1 while it runs, else a team."""

LEADING = -1
"""What there is to beat when a seat leads."""

NO_CARD = 255
"""Fills up the rows of cards of plays."""


MAX_CARD_SETS = 1 << 17
"""Card sets that are listed of one decision; those of shipped games are below 10,000."""


class Moves(NamedTuple):
    """One concrete move a decision."""

    form: NDArray[np.int16]  # [n] shape of the cards, an index of the game
    cards: NDArray[np.uint8]  # [n, most] the cards in wire order, 255 beyond the last


class MoveLists(NamedTuple):
    """All card sets of n decisions; decision i has the rows ``start[i] : start[i + 1]``."""

    start: NDArray[np.int64]  # [n + 1]
    form: NDArray[np.int16]  # [moves]
    cards: NDArray[np.uint8]  # [moves, most] as in Moves

    @property
    def decision_index(self) -> NDArray[np.int64]:
        """[moves] the decision each card set belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def select(self, move_rows: NDArray[np.int64]) -> Moves:
        """Some of the card sets, one a decision."""
        return Moves(self.form[move_rows], self.cards[move_rows])

    def find(self, moves: Moves) -> NDArray[np.int64]:
        """[n] the row of each decision that is its move, whatever the order of its cards; -1 where none is."""
        decision, width = self.decision_index, self.cards.shape[1]
        cards = np.full((len(moves.form), max(width, moves.cards.shape[1])), NO_CARD, np.uint8)
        cards[:, : moves.cards.shape[1]] = moves.cards
        cards.sort(axis=1)
        alike = (np.sort(self.cards, axis=1) == cards[decision, :width]).all(axis=1)
        same = alike & (self.form == moves.form[decision]) & (cards[decision, width:] == NO_CARD).all(axis=1)
        rows = np.full(len(cards), -1, np.int64)
        rows[decision[same]] = np.flatnonzero(same)
        return rows


class PreferenceModel(Protocol):
    """The preferences of a knowledge base; an estimate of the other hands, where there is one, is told to it."""

    @property
    def kb(self) -> KnowledgeBase:
        """Where the preferences, their words and the constraints are written down."""

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` of every preference, and ``violated(K)`` of every constraint."""

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """The group of each preference that can fire at all, with an estimate of the other hands or without one."""

    def evaluate(
        self, decisions: Any, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Which of the outputs hold for the candidates, in portions: which moves, and [outputs, moves]."""

    def costs(
        self, decisions: Any, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """[moves] the cost of each candidate, and whether it is consistent with the knowledge base."""

    def inputs(self, decisions: Any, lists: MoveLists, estimate: HandEstimate | None = None) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""


@runtime_checkable
class Listener(Protocol):
    """Somebody who is told what happens at the tables, in order: a recorder, a server, a display."""

    def on_episode_start(self, tables: Any, rows: Indices) -> None:
        """Cards are dealt; nothing has been paid yet."""

    def on_draw(self, tables: Any, rows: Indices) -> None:
        """The seats to decide have drawn the cards that ``card_drawn`` names."""

    def on_choice(self, tables: Any, rows: Indices, options: NDArray[np.uint8]) -> None:
        """The seats to decide are about to choose these options: a card to pay, a bid."""

    def on_play(self, tables: Any, rows: Indices, moves: Moves) -> None:
        """The seats to decide are about to make these moves."""

    def on_episode_end(self, tables: Any, rows: Indices) -> None:
        """The order of finish is complete; levels are still those of the episode."""

    def on_match_end(self, tables: Any, rows: Indices) -> None:
        """The winner is known."""
