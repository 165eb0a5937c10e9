"""How long a match may go on: rules under which it never ends are stopped, and what stopped them is said.

Both bounds lie far above what rules that end lead to. Of one decision after the other without a card laid there are
three in a trick of Guandan, and in the bidding of Dou dizhu three a deal; cards are dealt anew for the hundredth time
about never. A match of Guandan has one episode in other games; between players who choose at random the longest of
1,536 matches took 158 (profile platform, where a first place at A that does not win leads back to 2), half of them
fewer than 25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import blame, stop_where
from abl_cards.games.tables import Indices
from abl_cards.logic import KnowledgeBase

MOST_IDLE = 1_000
"""Decisions in a row of a match without a card laid."""
MOST_EPISODES = 2_000
"""Episodes of a match."""


def idle_for_ever(kb: KnowledgeBase, over: str) -> str:
    """What is wrong where nobody lays down a card any more."""
    return (
        f"{MOST_IDLE:,} decisions in a row and no card is laid: `legal/1`, `turn/1`, `{over}/0`"
        f"{blame(kb, 'legal/1', 'turn/1', f'{over}/0')}"
    )


def stop_endless(kb: KnowledgeBase, which: Indices, episodes: NDArray[np.int32], going_on: NDArray[np.bool_]) -> None:
    """Raise TableError where matches at tables which [n] go on after so many episodes [n]."""
    stop_where(
        going_on & (episodes >= MOST_EPISODES),
        which,
        lambda row: (
            f"{MOST_EPISODES:,} episodes and the match is not over: `match_won/1`, `match_drawn/0`, `next_standing/2`"
            f"{blame(kb, 'match_won/1', 'match_drawn/0', 'next_standing/2')}"
        ),
    )
