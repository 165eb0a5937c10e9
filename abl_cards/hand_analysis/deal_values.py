"""Played games as numbers: what deals were worth, and what came of them (Xin and Li 2023, section 2.2).

The unit score is counted in doublings, with the sign of who won: a game for one unit is 1 or -1, one of two units 2 or
-2, one of four 3 or -3. On the bare scale, a game with three bombs would weigh as much as eight without.
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
BIDS_FEATURE = "bids"
"""A feature more, of games that were bid for."""

LANDLORD_ROLE = "landlord"
"""The role of the seat that plays alone."""
BID_FLUENT, BOTTOM_FLUENT = "bid", "bottom"
"""The fluents of what was bid, and of the cards that the landlord took up."""
_LANDLORD_STAKE = 2
"""He wins or loses what the other two do together, each a unit."""


def find_landlords(tables: Tables, rows: Indices) -> NDArray[np.int64]:
    """[n] the seats that play alone."""
    return np.asarray(
        (tables.roles(rows) == EventRules.from_rules(tables.rules).roles.index(LANDLORD_ROLE)).argmax(axis=1)
    )


def read_fluent(tables: Tables, rows: Indices, name: str) -> NDArray[np.int16]:
    """[n, keys] what tables remember under a name; no keys where the rules know no such fluent."""
    fluent = tables.rules.fluents.find(name)
    if fluent is None:
        return np.zeros((len(rows), 0), np.int16)
    return tables.state.fluents[rows, fluent.first_slot : fluent.slots.stop]


class GameOutcomes(NamedTuple):
    """What came of n games."""

    won: NDArray[np.float32]  # [n] 1 for the landlord; the share of the games where several are taken together
    play_share: NDArray[np.float32]  # [n] the landlord's part of all plays; passes are none
    unit_score: NDArray[np.float32]  # [n] his score in doublings
    plays: NDArray[np.float32]  # [n] of all seats
    bids: NDArray[np.float32]  # [n] how many there were

    @classmethod
    def from_tables(cls, tables: Tables, table_rows: Indices) -> GameOutcomes:
        """The games at these tables, which must be over."""
        landlord = find_landlords(tables, table_rows)
        rows = np.arange(len(table_rows))
        plays = tables.state.num_plays[table_rows].astype(np.float32)
        worth = tables.match_returns(table_rows)[rows, landlord] / _LANDLORD_STAKE
        return cls(
            won=(worth > 0).astype(np.float32),
            play_share=plays[rows, landlord] / plays.sum(axis=1),
            unit_score=(np.sign(worth) * (1 + np.log2(np.abs(worth)))).astype(np.float32),
            plays=plays.sum(axis=1),
            bids=(read_fluent(tables, table_rows, BID_FLUENT) >= 0).sum(axis=1).astype(np.float32),
        )

    @classmethod
    def mean(cls, outcomes: list[GameOutcomes]) -> GameOutcomes:
        """The same deals played several times."""
        return cls(*np.array(outcomes).mean(axis=0, dtype=np.float32))

    def select(self, rows: NDArray[Any] | slice) -> GameOutcomes:
        """Some of them."""
        return GameOutcomes(*(column[rows] for column in self))


class OutcomeListener(NullListener):
    """Listens to games, and keeps their deals and outcomes by table."""

    def __init__(self, num_tables: int) -> None:
        """Listen to so many tables, a game each."""
        self.deals = DealBatch(np.zeros((num_tables, 3), np.uint64), np.zeros(num_tables, np.uint64))
        self.outcomes = GameOutcomes(*(np.zeros(num_tables, np.float32) for _ in GameOutcomes._fields))
        self.finished = np.zeros(num_tables, np.bool_)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Look at what lies on the tables."""
        seats = (find_landlords(tables, rows)[:, None] + np.arange(3)) % 3
        dealt = keys_from_counts(tables.state.hands[rows] + tables.state.played[rows])
        self.deals.hand_keys[rows] = np.take_along_axis(dealt, seats, axis=1)
        self.deals.bottom_keys[rows] = keys_from_counts(read_fluent(tables, rows, BOTTOM_FLUENT))
        for kept, found in zip(self.outcomes, GameOutcomes.from_tables(tables, rows), strict=True):
            kept[rows] = found
        self.finished[rows] = True


def compute_hand_points(scorer: HandScorer, deals: DealBatch) -> NDArray[np.float32]:
    """[n, 3] the points of each hand."""
    return scorer.score(deals.hand_keys.ravel()).points.reshape(-1, 3)


def compute_features(points: NDArray[np.float32], outcomes: GameOutcomes) -> NDArray[np.float64]:
    """[n, 5] FEATURE_NAMES, or [n, 6] where every game was bid for; points [n, 3] by part."""
    columns = [points[:, 0], points[:, 1] + points[:, 2], outcomes.play_share, outcomes.unit_score, outcomes.plays]
    bids = [outcomes.bids] if len(points) and (outcomes.bids > 0).all() else []
    return np.column_stack([*columns, *bids]).astype(np.float64)
