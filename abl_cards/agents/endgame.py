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

from abl_cards.agents.lookahead import TEMPERATURE, reweight_by_points
from abl_cards.agents.names import AgentName
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.core import GameError, splitmix64_array
from abl_cards.games.endgame import check_applicable, is_applicable
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Indices, InformationSet
from abl_cards.reasoners.hidden_hands import HandEstimate, draw_deals, observation_keys, uniform_estimate
from abl_cards.reasoners.search import solve_deals

DEALS = 32
"""Deals that are solved for a decision; equal ones once."""
MAX_NODES = 30_000
"""Positions that a decision may take."""
NODES_PER_SECOND = 1_000_000
"""Where somebody says how long a decision may take: a third of what a processor looks at."""
MIN_SOLVED_SHARE = 0.5
"""The share of the deals that must be solved."""
TEMPERATURE_DIVISOR = 4
"""So many times fewer points than of the critic's outweigh a factor e between two probabilities."""
_ENDGAME_STREAM = 19  # what the random numbers are for
_BATCH_SIZE = 64  # decisions, for the sake of memory


@dataclass(frozen=True)
class EndgameResult:
    """What became of a policy at k decisions."""

    log_probs: NDArray[np.float32]  # [k, labels]
    expected_points: NDArray[np.float32]  # [k, labels] of the episode, NaN where a decision is not solved
    wins: NDArray[np.int64]  # [k, labels] deals that are won
    deals: NDArray[np.int64]  # [k] deals that were solved, 0 where nothing is said


class EndgameSearch:
    """Solves the decisions of a mind where few cards are left."""

    def __init__(
        self,
        policy: NeuroSymbolicPolicy,
        max_cards: int,
        num_deals: int = DEALS,
        max_nodes: int = MAX_NODES,
        temperature: float = TEMPERATURE,
    ) -> None:
        """With at most so many cards, over so many deals, looking at so many positions; where a game fits.

        The temperature is that of looking ahead.
        """
        self._policy, self._max_cards, self._num_deals, self._max_nodes = policy, max_cards, num_deals, max_nodes
        self._temperature = temperature / TEMPERATURE_DIVISOR

    def improve_policy(
        self, decisions: Decisions, inputs: PolicyInputs, prior_log_probs: NDArray[np.float32]
    ) -> EndgameResult:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice."""
        k = len(prior_log_probs)
        points, wins = np.full(prior_log_probs.shape, np.nan, np.float32), np.zeros(prior_log_probs.shape, np.int64)
        solved = np.zeros(k, np.int64)
        known = decisions.information_set().select(inputs.open_rows)
        cards = decisions.view.hand[inputs.open_rows].sum(axis=1, dtype=np.int64) + known.cards_left.sum(
            axis=1, dtype=np.int64
        )
        few = np.flatnonzero(cards <= self._max_cards)
        for rows in _batches(few if few.size and is_applicable(self._policy.engine.rules) else few[:0]):
            for row, labels, worth, often in self._solve(decisions, known.select(rows), inputs, rows):
                if often.sum() >= MIN_SOLVED_SHARE * self._num_deals:
                    points[row, labels] = (worth * often[:, None]).sum(axis=0) / often.sum()
                    wins[row, labels] = ((worth > 0) * often[:, None]).sum(axis=0)
                    solved[row] = often.sum()
        return EndgameResult(reweight_by_points(prior_log_probs, points, self._temperature), points, wins, solved)

    def _solve(
        self, decisions: Decisions, constraints: InformationSet, view: PolicyInputs, rows: Indices
    ) -> Iterator[tuple[int, Indices, NDArray[np.float64], NDArray[np.int64]]]:
        """Rows, their labels, [deals, labels] what these win in the deals that are solved, and how often each came."""
        estimate: HandEstimate = (
            view.estimate[rows] if self._policy.has_hand_estimator else uniform_estimate(constraints)
        )
        drawn = draw_deals(
            estimate,
            constraints,
            splitmix64_array(observation_keys(view.observation[rows]), _ENDGAME_STREAM),
            self._num_deals,
        )
        unlike, often = zip(*map(_unique_deals, drawn), strict=True)
        group = np.repeat(np.arange(len(rows)), [len(each) for each in often])
        which, hands = view.open_rows[rows], np.concatenate([drawn[at][each] for at, each in enumerate(unlike)])
        tables = self._policy.engine.determinize(decisions, which[group], hands)
        labels = [np.flatnonzero(view.legal[row]) for row in rows]
        moves = [
            view.survey.lists.select(view.survey.best_row[at, each]) for at, each in zip(which, labels, strict=True)
        ]
        for at, worth in enumerate(solve_deals(tables, group, moves, self._max_nodes)):
            yield int(rows[at]), labels[at], worth, often[at][: len(worth)]


def _batches(rows: Indices) -> Iterator[Indices]:
    yield from (rows[first : first + _BATCH_SIZE] for first in range(0, len(rows), _BATCH_SIZE))


def _unique_deals(deals: NDArray[np.uint8]) -> tuple[Indices, NDArray[np.int64]]:
    """Which of deals [n, others, cards] are no repetitions, and how often each comes; those that come most first."""
    met: dict[bytes, int] = {}
    number = [met.setdefault(deal.tobytes(), len(met)) for deal in deals]
    _, first, often = np.unique(number, return_index=True, return_counts=True)
    order = np.argsort(-often, kind="stable")
    return first[order], often[order]


def make_endgame_search(
    name: AgentName, policy: NeuroSymbolicPolicy, think_seconds: float | None = None
) -> EndgameSearch | None:
    """What ``endgame=N`` in a name means: N cards, or none; raises GameError where it is no number.

    Or where the ends of the game cannot be solved. Where the name says nothing the preset does, and then a game whose
    ends cannot be solved is played without. So many seconds to think are for so many positions.
    """
    said, preset = name.value("endgame"), policy.networks.preset
    if said is not None and not said.isdecimal():
        raise GameError(f"agent '{name}': write endgame=N, cards in all hands together, or 0")
    cards = int(said) if said is not None else preset.endgame_cards
    if not cards:
        return None
    if said is not None:
        check_applicable(policy.engine.rules)
    nodes = MAX_NODES if think_seconds is None else max(1, int(think_seconds * NODES_PER_SECOND))
    return EndgameSearch(policy, cards, max_nodes=nodes, temperature=preset.search_temperature)
