"""Views of tables by seats, and the values of episodes and matches to seats."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import CHOICE, PLAY, TableState
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.events import EventRules
from abl_cards.games.tables.history import PlayHistory
from abl_cards.games.tables.knowledge import compute_constraints, compute_log_odds
from abl_cards.games.tables.observations import observe
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import LEADING, Indices, InformationSet, check_integers, check_rows


class TableViews:
    """Part of ``Tables`` that reads the state and changes nothing."""

    rules: CompiledGame
    state: TableState
    winner: NDArray[np.int8]  # [n]
    num_episodes: NDArray[np.int32]  # [n]
    total_points: NDArray[np.int64]  # [n, seats]
    decided_by_points: NDArray[np.bool_]  # [n]
    history: PlayHistory | None

    @cached_property
    def event_rules(self) -> EventRules:
        """Rules for the course of play, compiled when first read because views of a state do not need them."""
        return EventRules.from_rules(self.rules)

    def find_ended_tricks(self, rows: Indices, num_episodes: NDArray[np.integer]) -> Indices:
        """Return the tables where the last play ended a trick, and the episode goes on.

        Args:
            rows: int64 [k], tables where a play was made.
            num_episodes: [k] episodes that each table had ended before the play.

        Raises:
            GameError: A table is out of range.
        """
        rows, state = check_rows(rows, len(self.winner)), self.state
        return rows[
            (state.to_beat[rows] == LEADING) & ~state.is_composing[rows] & (self.num_episodes[rows] == num_episodes)
        ]

    @property
    def seat(self) -> NDArray[np.int8]:
        """Seat to decide, int8 [n]."""
        return self.state.seat

    @property
    def num_decisions(self) -> NDArray[np.int32]:
        """Decisions so far in the match, int32 [n]."""
        return self.state.num_decisions

    def rows_to_play(self) -> Indices:
        """Return the tables where a seat is to play or pass."""
        return np.flatnonzero(self.state.stage == PLAY)

    def rows_to_choose(self) -> Indices:
        """Return the tables where a seat is to choose an option."""
        return np.flatnonzero(self.state.stage == CHOICE)

    def view(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> PlayerView:
        """Return the view of tables.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            View of n observers.

        Raises:
            GameError: A table or a seat is out of range.
        """
        rows = check_rows(rows, len(self.winner))
        return PlayerView(
            self.rules, self.state, rows, self.state.seat[rows] if seats is None else self._check_seats(seats, rows)
        )

    def decisions(self, rows: Indices) -> Decisions:
        """Return the decisions about plays at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_play``.

        Returns:
            n decisions, valid until a move is made at one of the tables.

        Raises:
            GameError: A table is out of range.
        """
        rows = check_rows(rows, len(self.winner))
        return Decisions(PlayerView(self.rules, self.state, rows, self.state.seat[rows], history=self.history))

    def choices(self, rows: Indices) -> Choices:
        """Return the choices at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_choose``.

        Returns:
            n choices, valid until a move is made at one of the tables.

        Raises:
            GameError: A table is out of range.
        """
        return Choices(self.view(rows))

    def observe(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return observations.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            uint8 [n, features], as ``build_feature_table`` describes.
        """
        return observe(self.view(rows, seats))

    def information_set(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> InformationSet:
        """Return the constraints on hidden hands.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            Constraints for n observers.
        """
        return compute_constraints(self.rules, self.view(rows, seats))

    def belief_log_odds(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """Return the change of the log odds of each copy of a card by the beliefs of the rules.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            float32 [n, others, kinds].
        """
        return compute_log_odds(self.rules, self.view(rows, seats))

    def open_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return all hands.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], seat that comes first; None for the seats to decide.

        Returns:
            uint8 [n, seats, kinds] in the order of play.
        """
        view = self.view(rows, seats)
        return np.concatenate([view.hand[:, None], view.hidden_hands], axis=1)

    def hidden_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return the hands that observers do not see.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            uint8 [n, others, kinds] in the order of play, from the seat after the observer.
        """
        return self.view(rows, seats).hidden_hands

    def played_by_others(self, rows: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """Return the cards that other seats have played in the episode.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers.

        Returns:
            uint8 [n, others, kinds] in the order of play, from the seat after the observer.
        """
        rows = check_rows(rows, len(self.winner))
        return self.state.played[rows[:, None], self.rules.seating.others[self._check_seats(seats, rows)]]

    def match_returns(self, rows: Indices) -> NDArray[np.float64]:
        """Return the value of finished matches to each seat.

        If points decide, the value is the points minus their mean over the seats. Otherwise each winner gets 1, and
        the others share the loss equally.

        Args:
            rows: int64 [n], tables with finished matches.

        Returns:
            float64 [n, seats]; rows sum up to 0.
        """
        rows = check_rows(rows, len(self.winner))
        total = self.total_points[rows].astype(np.float64)
        won = self.sides(rows) == self.winner[rows][:, None]
        shares = np.where(won, 1.0, -won.sum(axis=1, keepdims=True) / np.maximum(1, (~won).sum(axis=1, keepdims=True)))
        shares[self.winner[rows] < 0] = 0
        return np.where(self.decided_by_points[rows][:, None], total - total.mean(axis=1, keepdims=True), shares)

    def roles(self, rows: Indices) -> NDArray[np.int8]:
        """Return the role of each seat.

        Args:
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], index of ``EventRules.roles``.
        """
        return self.event_rules.roles_at(self.state, check_rows(rows, len(self.winner)))

    def sides(self, rows: Indices) -> NDArray[np.int8]:
        """Return the side of each seat.

        Args:
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], ``side/2`` of the seat, else its team.
        """
        return self.event_rules.sides_at(self.state, check_rows(rows, len(self.winner)))

    def point_value(
        self, table_rows: Indices, point_seats: NDArray[np.int8], value_seats: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """Return the value of a point of one seat to another seat.

        Args:
            table_rows: int64 [n], tables.
            point_seats: int8 [n], seats that get a point.
            value_seats: int8 [n], seats for which it is valued.

        Returns:
            float32 [n], 1 on the same side, else minus the ratio of the sizes of both sides.
        """
        sides, rows = self.sides(table_rows), np.arange(len(table_rows))
        point_seats, value_seats = self._check_seats(point_seats, rows), self._check_seats(value_seats, rows)
        side = sides[rows, point_seats]
        members = (sides == side[:, None]).sum(axis=1)
        cost = members / (sides.shape[1] - members)
        return np.where(sides[rows, value_seats] == side, 1.0, -cost).astype(np.float32)

    def _check_seats(self, seats: NDArray[np.int8], rows: Indices) -> NDArray[np.int8]:
        """Return seats as int8 [n], one for each of rows [n]; raise GameError where there are no such seats."""
        checked: NDArray[np.int8] = check_integers("seats", seats, rows.shape, self.rules.seating.seats).astype(np.int8)
        return checked
