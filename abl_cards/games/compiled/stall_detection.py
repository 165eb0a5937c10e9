"""Bounds on the length of a match, to stop matches that the rules never end.

Both bounds are far above the lengths of matches by valid rules. A trick of Guandan has three decisions in a row without
a card played, the bidding of Dou dizhu three for each deal. A hundred redeals in a row do not occur. The longest of
1,536 matches of Guandan between random agents had 158 episodes. It was played by profile platform, where a first place
at level A that does not win leads back to level 2. In the other games a match is one episode.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import KnowledgeBase
from abl_cards.games.compiled.rule_errors import raise_where, source_hint
from abl_cards.games.types import Indices

MAX_IDLE_DECISIONS = 1_000
"""Maximum number of decisions in a row without a card played."""
MAX_EPISODES = 2_000
"""Maximum number of episodes of a match."""


def stall_text(kb: KnowledgeBase, end_predicate: str, stage: str | None) -> str:
    """Describe a table where no card is played for too many decisions.

    Args:
        kb: Knowledge base of the game.
        end_predicate: Name of the predicate that ends the episode.
        stage: Stage of choices that the table is in; None if it is in play.
    """
    if stage is not None:
        return (
            f"{MAX_IDLE_DECISIONS:,} choices in a row and the stage {stage} is not left: "
            f"`asks/2`, and what it waits for{source_hint(kb, 'asks/2', 'next/1')}"
        )
    return (
        f"{MAX_IDLE_DECISIONS:,} decisions in a row and no card is played: `legal/1`, `turn/1`, `{end_predicate}/0`"
        f"{source_hint(kb, 'legal/1', 'turn/1', f'{end_predicate}/0')}"
    )


def empty_stock_text(kb: KnowledgeBase) -> str:
    """Describe a table where a seat draws from an empty stock.

    Args:
        kb: Knowledge base of the game.
    """
    if kb.facts("draw_pile", 0):
        hint = source_hint(kb, "draws/1")
        return f"`draws/1` lets a seat draw, and the pile is empty: read `stock(1)` in its rule{hint}"
    return f"`draws/1` lets a seat draw, and no card is left to be drawn: `deals/2`{source_hint(kb, 'draws/1')}"


def check_hand_limit(kb: KnowledgeBase, limit: int, rows: Indices, sizes: NDArray[np.integer]) -> None:
    """Check that hands have no more cards than the rules allow where there is a pile.

    Args:
        kb: Knowledge base of the game.
        limit: Most cards of a hand.
        rows: int64 [n], indices of tables.
        sizes: int [n], cards of the largest hand of each table.

    Raises:
        TableError: A hand has more cards.
    """

    def describe(row: int) -> str:
        hint = source_hint(kb, "hand_limit/1", "draws/1", "passes/3", "takes_aside/1")
        return f"a hand has {sizes[row]} cards, more than `hand_limit/1` allows{hint}"

    raise_where(sizes > limit, rows, describe)


def raise_endless(
    kb: KnowledgeBase,
    rows: Indices,
    episodes: NDArray[np.int32],
    is_unfinished: NDArray[np.bool_],
    end_predicates: Sequence[str] = ("match_won/1", "match_drawn/0", "next_standing/2"),
) -> None:
    """Raise an error for the first match that is not over after too many episodes.

    Args:
        kb: Knowledge base of the game.
        rows: int64 [n], indices of tables.
        episodes: int32 [n], episodes played so far.
        is_unfinished: bool [n], match is not over.
        end_predicates: Names of the predicates that end a match, for the message.

    Raises:
        TableError: A match has MAX_EPISODES episodes.
    """
    named = ", ".join(f"`{name}`" for name in end_predicates)
    raise_where(
        is_unfinished & (episodes >= MAX_EPISODES),
        rows,
        lambda row: f"{MAX_EPISODES:,} episodes and the match is not over: {named}{source_hint(kb, *end_predicates)}",
    )
