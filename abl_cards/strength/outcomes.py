"""Played games as numbers: what deals were worth, and what came of them (Xin and Li 2023, section 2.2).

The unit score is counted in doublings, with the sign of who won: a game for one unit is 1 or -1, one of two units 2 or
-2, one of four 3 or -3. On the bare scale, a game with three bombs would weigh as much as eight without.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.counting.keys import keys_of
from abl_cards.games.play.flow import Flow
from abl_cards.games.tables import Indices
from abl_cards.strength.deals import Hands
from abl_cards.strength.hand_points import HandScorer

FEATURES = ("landlord's hand score", "peasants' hand score", "landlord's share of plays", "unit score", "plays")
BIDS = "bids"
"""A feature more, of games that were bid for."""

ALONE = "landlord"
"""The role of the seat that plays alone."""
BID, BOTTOM = "bid", "bottom"
"""The fluents of what was bid, and of the cards that the landlord took up."""
_SHARE = 2
"""He wins or loses what the other two do together, each a unit."""


def landlords(tables: Tables, which: Indices) -> NDArray[np.int64]:
    """[n] the seats that play alone."""
    return np.asarray((tables.roles(which) == Flow.of(tables.rules).roles.index(ALONE)).argmax(axis=1))


def remembered(tables: Tables, which: Indices, name: str) -> NDArray[np.int16]:
    """[n, keys] what tables remember under a name; no keys where the rules know no such fluent."""
    fluent = tables.rules.fluents.named(name)
    if fluent is None:
        return np.zeros((len(which), 0), np.int16)
    return tables.state.fluents[which, fluent.first : fluent.slots.stop]


class Outcomes(NamedTuple):
    """What came of n games."""

    won: NDArray[np.float32]  # [n] 1 for the landlord; the share of the games where several are taken together
    share: NDArray[np.float32]  # [n] the landlord's part of all plays; passes are none
    unit: NDArray[np.float32]  # [n] his score in doublings
    plays: NDArray[np.float32]  # [n] of all seats
    bids: NDArray[np.float32]  # [n] how many there were

    @classmethod
    def of(cls, tables: Tables, which: Indices) -> Outcomes:
        """The games at these tables, which must be over."""
        landlord = landlords(tables, which)
        rows = np.arange(len(which))
        plays = tables.state.plays[which].astype(np.float32)
        worth = tables.outcome(which)[rows, landlord] / _SHARE
        return cls(
            won=(worth > 0).astype(np.float32),
            share=plays[rows, landlord] / plays.sum(axis=1),
            unit=(np.sign(worth) * (1 + np.log2(np.abs(worth)))).astype(np.float32),
            plays=plays.sum(axis=1),
            bids=(remembered(tables, which, BID) >= 0).sum(axis=1).astype(np.float32),
        )

    @classmethod
    def mean(cls, several: list[Outcomes]) -> Outcomes:
        """The same deals played several times."""
        return cls(*np.array(several).mean(axis=0, dtype=np.float32))

    def at(self, rows: NDArray[Any] | slice) -> Outcomes:
        """Some of them."""
        return Outcomes(*(column[rows] for column in self))


class Played(Quiet):
    """Listens to games, and keeps their deals and outcomes by table."""

    def __init__(self, tables: int) -> None:
        """Listen to so many tables, a game each."""
        self.hands = Hands(np.zeros((tables, 3), np.uint64), np.zeros(tables, np.uint64))
        self.outcomes = Outcomes(*(np.zeros(tables, np.float32) for _ in Outcomes._fields))
        self.over = np.zeros(tables, np.bool_)

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Look at what lies on the tables."""
        seats = (landlords(tables, which)[:, None] + np.arange(3)) % 3
        dealt = keys_of(tables.state.hands[which] + tables.state.played[which])
        self.hands.parts[which] = np.take_along_axis(dealt, seats, axis=1)
        self.hands.bottom[which] = keys_of(remembered(tables, which, BOTTOM))
        for kept, found in zip(self.outcomes, Outcomes.of(tables, which), strict=True):
            kept[which] = found
        self.over[which] = True


def hand_points(scorer: HandScorer, hands: Hands) -> NDArray[np.float32]:
    """[n, 3] the points of each hand."""
    return scorer.score(hands.parts.ravel()).points.reshape(-1, 3)


def features(points: NDArray[np.float32], outcomes: Outcomes) -> NDArray[np.float64]:
    """[n, 5] FEATURES, or [n, 6] where every game was bid for; points [n, 3] by part."""
    columns = [points[:, 0], points[:, 1] + points[:, 2], outcomes.share, outcomes.unit, outcomes.plays]
    bids = [outcomes.bids] if len(points) and (outcomes.bids > 0).all() else []
    return np.column_stack([*columns, *bids]).astype(np.float64)
