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

from abl_cards.circuit import KnowledgeBase
from abl_cards.games.compiled.rule_errors import raise_where, source_hint
from abl_cards.games.types import Indices

MAX_IDLE_DECISIONS = 1_000
"""Decisions in a row of a match without a card laid."""
MAX_EPISODES = 2_000
"""Episodes of a match."""


def stall_text(kb: KnowledgeBase, end_predicate: str, stage: str | None) -> str:
    """What is wrong where nobody lays down a card any more, perhaps because a stage goes on asking."""
    if stage is not None:
        return (
            f"{MAX_IDLE_DECISIONS:,} choices in a row and the stage {stage} is not left: "
            f"`asks/2`, and what it waits for{source_hint(kb, 'asks/2', 'next/1')}"
        )
    return (
        f"{MAX_IDLE_DECISIONS:,} decisions in a row and no card is laid: `legal/1`, `turn/1`, `{end_predicate}/0`"
        f"{source_hint(kb, 'legal/1', 'turn/1', f'{end_predicate}/0')}"
    )


def empty_stock_text(kb: KnowledgeBase) -> str:
    """What is wrong where a seat draws and nothing is there."""
    return f"`draws/1` lets a seat draw, and no card is left to be drawn: `deals/2`{source_hint(kb, 'draws/1')}"


def raise_endless(
    kb: KnowledgeBase,
    rows: Indices,
    episodes: NDArray[np.int32],
    is_unfinished: NDArray[np.bool_],
    end_predicates: Sequence[str] = ("match_won/1", "match_drawn/0", "next_standing/2"),
) -> None:
    """Raise TableError where matches at tables rows [n] go on after episodes [n]; the predicates named end them."""
    named = ", ".join(f"`{name}`" for name in end_predicates)
    raise_where(
        is_unfinished & (episodes >= MAX_EPISODES),
        rows,
        lambda row: f"{MAX_EPISODES:,} episodes and the match is not over: {named}{source_hint(kb, *end_predicates)}",
    )
