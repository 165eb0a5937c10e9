"""What a seat of a Big2 table sees: both hands lie open.

``print(OBSERVATION.describe())`` is the layout; nowhere else is it written down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.knowledge import RANK_COUNT
from abl_cards.games.big2.rulebook import Layout
from abl_cards.games.features import Feature, FeatureTable

OBSERVATION = FeatureTable(
    (
        Feature("hand", (RANK_COUNT,), "the observer's cards: copies of each rank, 3 4 … A 2"),
        Feature("other", (RANK_COUNT,), "the other seat's cards: copies of each rank"),
        Feature("to_beat", (RANK_COUNT,), "the main cards to beat: copies of each rank; zero when leading"),
        Feature("affiliation", (1,), "cards of each of their affiliations; zero where they have none"),
    ),
    most=4,
)
"""The numbers of an observation."""


def observe(
    layout: Layout, hand: NDArray[np.uint8], other: NDArray[np.uint8], to_beat: NDArray[np.int16]
) -> NDArray[np.uint8]:
    """[n, OBSERVATION.size] what seats see: their hand, the other hand [n, 13], what there is to beat [n]."""
    rows = np.zeros((len(hand), OBSERVATION.size), np.uint8)
    following = to_beat >= 0
    rows[:, OBSERVATION["hand"]], rows[:, OBSERVATION["other"]] = hand, other
    rows[following, OBSERVATION["to_beat"]] = layout.needs[to_beat[following]]
    rows[following, OBSERVATION["affiliation"].start] = layout.kicker_size[to_beat[following]]
    return rows
