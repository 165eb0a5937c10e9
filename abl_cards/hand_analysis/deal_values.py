"""Features of played games: values of the hands and outcomes (Xin and Li 2023, section 2.2).

The unit score is 1 plus the number of doublings, positive when the landlord wins: a game for one unit is 1 or -1, one
for two units 2 or -2, one for four 3 or -3. On the linear scale, a game with three bombs would weigh as much as eight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.min_plays import keys_from_counts
from abl_cards.games.tables import EventRules, NullListener, Tables
from abl_cards.games.types import Indices
from abl_cards.hand_analysis.deals import DealBatch
from abl_cards.hand_analysis.hand_points import HandScorer

FEATURE_NAMES = ("landlord's hand score", "peasants' hand score", "landlord's share of plays", "unit score", "plays")

LANDLORD_ROLE = "landlord"
"""Role of the seat that plays alone."""
BID_FLUENT, BOTTOM_FLUENT = "bid", "bottom"
"""Fluents of the bids, and of the cards that the landlord took."""
_LANDLORD_STAKE = 2
"""Units that the landlord wins or loses: one with each of the other two."""


def find_landlords(tables: Tables, rows: Indices) -> NDArray[np.int64]:
    """Return int64[n] the seats of the landlords at these tables."""
    return np.asarray(
        (tables.roles(rows) == EventRules.from_rules(tables.rules).roles.index(LANDLORD_ROLE)).argmax(axis=1)
    )


def read_fluent(tables: Tables, rows: Indices, name: str) -> NDArray[np.int16]:
    """Read a fluent of tables.

    Args:
        tables: The tables.
        rows: int[n] Indices of tables.
        name: Name of the fluent.

    Returns:
        int16[n, keys] Values; no keys where the rules have no such fluent.
    """
    fluent = tables.rules.fluents.find(name)
    if fluent is None:
        return np.zeros((len(rows), 0), np.int16)
    return tables.state.fluents[rows, fluent.first_slot : fluent.slots.stop]


class GameOutcomes(NamedTuple):
    """Outcomes of n games, or means over several games of n deals.

    Attributes:
        won: float32[n] 1 where the landlord won, else 0.
        play_share: float32[n] The landlord's share of all plays, without passes.
        unit_score: float32[n] The landlord's unit score.
        plays: float32[n] Plays of all seats.
        bids: float32[n] Number of bids.
    """

    won: NDArray[np.float32]
    play_share: NDArray[np.float32]
    unit_score: NDArray[np.float32]
    plays: NDArray[np.float32]
    bids: NDArray[np.float32]

    @classmethod
    def from_tables(cls, tables: Tables, table_rows: Indices) -> GameOutcomes:
        """Compute the outcomes of finished games at these tables."""
        landlord = find_landlords(tables, table_rows)
        rows = np.arange(len(table_rows))
        plays = tables.state.num_plays[table_rows].astype(np.float32)
        stakes = tables.match_returns(table_rows)[rows, landlord] / _LANDLORD_STAKE
        return cls(
            won=(stakes > 0).astype(np.float32),
            play_share=plays[rows, landlord] / plays.sum(axis=1),
            unit_score=(np.sign(stakes) * (1 + np.log2(np.abs(stakes)))).astype(np.float32),
            plays=plays.sum(axis=1),
            bids=(read_fluent(tables, table_rows, BID_FLUENT) >= 0).sum(axis=1).astype(np.float32),
        )

    @classmethod
    def mean(cls, outcomes: list[GameOutcomes]) -> GameOutcomes:
        """Return the means over several outcomes of equal deals."""
        return cls(*np.array(outcomes).mean(axis=0, dtype=np.float32))

    def select(self, rows: NDArray[Any] | slice) -> GameOutcomes:
        """Return the outcomes with these indices."""
        return GameOutcomes(*(column[rows] for column in self))


class OutcomeListener(NullListener):
    """Listener that collects the deals and outcomes of games, by table."""

    def __init__(self, num_tables: int) -> None:
        """Listen to a number of tables, with one game each."""
        self.deals = DealBatch(np.zeros((num_tables, 3), np.uint64), np.zeros(num_tables, np.uint64))
        self.outcomes = GameOutcomes(*(np.zeros(num_tables, np.float32) for _ in GameOutcomes._fields))
        self.finished = np.zeros(num_tables, np.bool_)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Store the deals and outcomes of these tables."""
        seats = (find_landlords(tables, rows)[:, None] + np.arange(3)) % 3
        dealt = keys_from_counts(tables.state.hands[rows] + tables.state.played[rows])
        self.deals.hand_keys[rows] = np.take_along_axis(dealt, seats, axis=1)
        self.deals.bottom_keys[rows] = keys_from_counts(read_fluent(tables, rows, BOTTOM_FLUENT))
        for column, values in zip(self.outcomes, GameOutcomes.from_tables(tables, rows), strict=True):
            column[rows] = values
        self.finished[rows] = True


def compute_hand_points(scorer: HandScorer, deals: DealBatch) -> NDArray[np.float32]:
    """Return float32[n, 3] the points of each hand."""
    return scorer.score(deals.hand_keys.ravel()).points.reshape(-1, 3)


def compute_features(points: NDArray[np.float32], outcomes: GameOutcomes) -> NDArray[np.float64]:
    """Compute the features of games.

    Args:
        points: float32[n, 3] Points of each hand.
        outcomes: Outcomes of the games.

    Returns:
        float64[n, 5] Columns of FEATURE_NAMES; with bids as sixth column where all games had bidding.
    """
    columns = [points[:, 0], points[:, 1] + points[:, 2], outcomes.play_share, outcomes.unit_score, outcomes.plays]
    bids = [outcomes.bids] if len(points) and (outcomes.bids > 0).all() else []
    return np.column_stack([*columns, *bids]).astype(np.float64)
