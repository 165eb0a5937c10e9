"""How long a match may go on: where rules never let it end it is stopped, and what does not end is said.

Both bounds lie far above what rules that end lead to. In a trick of Guandan there are three decisions in a row without
a card laid, in the bidding of Dou dizhu three a deal; that the cards are dealt anew a hundred times in a row does not
happen. Between players who choose at random the longest of 1,536 matches of Guandan took 158 episodes (profile
platform, where a first place at A that does not win leads back to 2). In the other games a match is one episode.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import blame, stop_where
from abl_cards.games.tables import Indices
from abl_cards.logic import KnowledgeBase

MOST_IDLE = 1_000
"""Decisions in a row of a match without a card laid."""
MOST_EPISODES = 2_000
"""Episodes of a match."""


def idle_for_ever(kb: KnowledgeBase, over: str, asking: str | None) -> str:
    """What is wrong where nobody lays down a card any more, perhaps because a stage goes on asking."""
    if asking is not None:
        return (
            f"{MOST_IDLE:,} choices in a row and the stage {asking} is not left: `asks/2`, and what it waits for"
            f"{blame(kb, 'asks/2', 'next/1')}"
        )
    return (
        f"{MOST_IDLE:,} decisions in a row and no card is laid: `legal/1`, `turn/1`, `{over}/0`"
        f"{blame(kb, 'legal/1', 'turn/1', f'{over}/0')}"
    )


def no_card_left(kb: KnowledgeBase) -> str:
    """What is wrong where a seat draws and nothing is there."""
    return f"`draws/1` lets a seat draw, and no card is left to be drawn: `deals/2`{blame(kb, 'draws/1')}"


def stop_endless(
    kb: KnowledgeBase,
    which: Indices,
    episodes: NDArray[np.int32],
    going_on: NDArray[np.bool_],
    ends: Sequence[str] = ("match_won/1", "match_drawn/0", "next_standing/2"),
) -> None:
    """Raise TableError where matches at tables which [n] go on after episodes [n]; the predicates named end them."""
    named = ", ".join(f"`{name}`" for name in ends)
    stop_where(
        going_on & (episodes >= MOST_EPISODES),
        which,
        lambda row: f"{MOST_EPISODES:,} episodes and the match is not over: {named}{blame(kb, *ends)}",
    )
