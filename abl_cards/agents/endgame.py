"""Where few cards are left: what each label wins in whole deals that the estimate makes likely, solved exactly.

The deals are drawn as those of the look-ahead are, each is solved with all hands open, and what a label wins on
average takes the place of what the critic expects. Where too many deals are not solved within the positions that a
decision may take, nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.lookahead import TEMPERATURE, tilted
from abl_cards.agents.mind import Mind, View
from abl_cards.agents.names import AgentName
from abl_cards.errors import GameError
from abl_cards.games import Decisions, Indices
from abl_cards.games.ending.fitting import check_fits, fits
from abl_cards.games.hidden import Constraints
from abl_cards.streams import mix_all
from reasoners.ending_deals import won
from reasoners.hands import Estimate, counting, draw
from reasoners.replies import keys_of

DEALS = 32
"""Deals that are solved for a decision; equal ones once."""
NODES = 30_000
"""Positions that a decision may take."""
NODES_A_SECOND = 1_000_000
"""Where somebody says how long a decision may take: a third of what a processor looks at."""
LEAST = 0.5
"""The share of the deals that must be solved."""
SURER = 4
"""So many times fewer points than of the critic's outweigh a factor e between two probabilities."""
_ENDING = 19  # what the random numbers are for
_AT_ONCE = 64  # decisions, for the sake of memory


@dataclass(frozen=True)
class Solved:
    """What became of a policy at k decisions."""

    log_probabilities: NDArray[np.float32]  # [k, labels]
    points: NDArray[np.float32]  # [k, labels] of the episode, NaN where a decision is not solved
    wins: NDArray[np.int64]  # [k, labels] deals that are won
    deals: NDArray[np.int64]  # [k] deals that were solved, 0 where nothing is said


class Endgame:
    """Solves the decisions of a mind where few cards are left."""

    def __init__(
        self, mind: Mind, cards: int, deals: int = DEALS, nodes: int = NODES, temperature: float = TEMPERATURE
    ) -> None:
        """With at most so many cards, over so many deals, looking at so many positions; where a game fits.

        The temperature is that of looking ahead.
        """
        self._mind, self._cards, self._deals, self._nodes = mind, cards, deals, nodes
        self._temperature = temperature / SURER

    def consider(self, decisions: Decisions, view: View, proposed: NDArray[np.float32]) -> Solved:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice."""
        k = len(proposed)
        points, wins = np.full(proposed.shape, np.nan, np.float32), np.zeros(proposed.shape, np.int64)
        solved = np.zeros(k, np.int64)
        known = decisions.hidden().at(view.choice)
        cards = decisions.view.hand[view.choice].sum(axis=1, dtype=np.int64) + known.left.sum(axis=1, dtype=np.int64)
        few = np.flatnonzero(cards <= self._cards)
        for rows in _portions(few if few.size and fits(self._mind.engine.rules) else few[:0]):
            for row, labels, worth, often in self._solve(decisions, known.at(rows), view, rows):
                if often.sum() >= LEAST * self._deals:
                    points[row, labels] = (worth * often[:, None]).sum(axis=0) / often.sum()
                    wins[row, labels] = ((worth > 0) * often[:, None]).sum(axis=0)
                    solved[row] = often.sum()
        return Solved(tilted(proposed, points, self._temperature), points, wins, solved)

    def _solve(
        self, decisions: Decisions, constraints: Constraints, view: View, rows: Indices
    ) -> Iterator[tuple[int, Indices, NDArray[np.float64], NDArray[np.int64]]]:
        """Rows, their labels, [deals, labels] what these win in the deals that are solved, and how often each came."""
        estimate: Estimate = view.estimate[rows] if self._mind.estimates else counting(constraints)
        drawn = draw(estimate, constraints, mix_all(keys_of(view.observation[rows]), _ENDING), self._deals)
        unlike, often = zip(*map(_unlike, drawn), strict=True)
        group = np.repeat(np.arange(len(rows)), [len(each) for each in often])
        which, hands = view.choice[rows], np.concatenate([drawn[at][each] for at, each in enumerate(unlike)])
        tables = self._mind.engine.imagine(decisions, which[group], hands)
        labels = [np.flatnonzero(view.legal[row]) for row in rows]
        moves = [view.survey.lists.rows(view.survey.row[at, each]) for at, each in zip(which, labels, strict=True)]
        for at, worth in enumerate(won(tables, group, moves, self._nodes)):
            yield int(rows[at]), labels[at], worth, often[at][: len(worth)]


def _portions(rows: Indices) -> Iterator[Indices]:
    yield from (rows[first : first + _AT_ONCE] for first in range(0, len(rows), _AT_ONCE))


def _unlike(deals: NDArray[np.uint8]) -> tuple[Indices, NDArray[np.int64]]:
    """Which of deals [n, others, cards] are no repetitions, and how often each comes; those that come most first."""
    met: dict[bytes, int] = {}
    number = [met.setdefault(deal.tobytes(), len(met)) for deal in deals]
    _, first, often = np.unique(number, return_index=True, return_counts=True)
    order = np.argsort(-often, kind="stable")
    return first[order], often[order]


def endgame_of(name: AgentName, mind: Mind, think: float | None = None) -> Endgame | None:
    """What ``endgame=N`` in a name means: N cards, or none; raises GameError where it is no number.

    Or where the ends of the game cannot be solved. Where the name says nothing the preset does, and then a game whose
    ends cannot be solved is played without. So many seconds to think are for so many positions.
    """
    said, preset = name.value("endgame"), mind.networks.preset
    if said is not None and not said.isdecimal():
        raise GameError(f"agent '{name}': write endgame=N, cards in all hands together, or 0")
    cards = int(said) if said is not None else preset.endgame
    if not cards:
        return None
    if said is not None:
        check_fits(mind.engine.rules)
    nodes = NODES if think is None else max(1, int(think * NODES_A_SECOND))
    return Endgame(mind, cards, nodes=nodes, temperature=preset.temperature)
