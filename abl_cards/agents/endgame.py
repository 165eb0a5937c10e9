"""Solve sampled deals exactly where few cards are left.

Deals are drawn and weighted as in the look-ahead, and each is solved with all hands open. The mean result of a label
replaces the evaluation of the critic. A decision is not changed where too few deals are solved within its limit of
positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.belief_reweighting import BeliefSampler, choose_pool_size
from abl_cards.agents.distinct_deals import find_first_occurrences
from abl_cards.agents.lookahead import TEMPERATURE, reweight_by_points
from abl_cards.agents.names import AgentName
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.agents.search_budget import MIN_POOL
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.endgame import check_applicable, is_applicable
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices
from abl_cards.learners import Preset
from abl_cards.reasoners.search import solve_deals

DEALS = 32
"""Deals solved per decision; equal ones once."""
NODES_PER_SECOND = 1_000_000
"""Positions per second of a time limit: a third of what a processor searches."""
WEIGHTED_DEALS_PER_SECOND = 2_000
"""Weighted deals per second of a time limit: a fifth of what a processor weights late in an episode."""
MIN_SOLVED_SHARE = 0.5
"""Least share of the deals that must be solved."""
TEMPERATURE_DIVISOR = 4
"""Divisor of the look-ahead's temperature: exact points count more than points of the critic."""
_BATCH_SIZE = 64  # decisions at a time, to bound memory


@dataclass(frozen=True)
class EndgameResult:
    """Improved policy at k decisions.

    Attributes:
        log_probs: Log-probabilities, float32 [k, labels].
        expected_points: Expected points of the episode, NaN where a decision is not solved: float32 [k, labels].
        wins: Deals won by each label, int64 [k, labels].
        deals: Deals solved, 0 where too few were: int64 [k].
    """

    log_probs: NDArray[np.float32]
    expected_points: NDArray[np.float32]
    wins: NDArray[np.int64]
    deals: NDArray[np.int64]


class EndgameSearch:
    """Solver that improves the decisions of a policy where few cards are left."""

    def __init__(
        self,
        policy: NeuroSymbolicPolicy,
        max_cards: int,
        num_deals: int = DEALS,
        max_nodes: int = Preset.endgame_nodes,
        temperature: float = TEMPERATURE,
    ) -> None:
        """Make a solver.

        Args:
            policy: Policy whose probabilities are reweighted.
            max_cards: Most cards in all hands together.
            num_deals: Deals per decision.
            max_nodes: Most positions searched at a decision.
            temperature: Temperature of the look-ahead.
        """
        self._policy, self._max_cards = policy, max_cards
        self._num_deals, self._max_nodes = num_deals, max_nodes
        self._temperature, self._pool_size = temperature / TEMPERATURE_DIVISOR, choose_pool_size(policy.networks)

    def with_time_limit(self, seconds: float) -> EndgameSearch:
        """Return this solver with the numbers of positions and of weighted deals that fit a time limit."""
        limited = copy(self)
        limited._max_nodes = max(1, int(seconds * NODES_PER_SECOND))
        limited._pool_size = min(limited._pool_size, max(MIN_POOL, int(seconds * WEIGHTED_DEALS_PER_SECOND)))
        return limited

    def improve_policy(
        self,
        decisions: Decisions,
        inputs: PolicyInputs,
        prior_log_probs: NDArray[np.float32],
        sampler: BeliefSampler | None = None,
    ) -> EndgameResult:
        """Solve the decisions with few cards, and reweight their probabilities by the results.

        Args:
            decisions: Decisions at n tables.
            inputs: Inputs of the policy for the k decisions with a choice.
            prior_log_probs: Log-probabilities of the policy, float32 [k, labels].
            sampler: Draws the deals; None for one of its own.

        Returns:
            The improved policy.
        """
        k = len(prior_log_probs)
        points, wins = np.full(prior_log_probs.shape, np.nan, np.float32), np.zeros(prior_log_probs.shape, np.int64)
        solved = np.zeros(k, np.int64)
        known = decisions.information_set().select(inputs.open_rows)
        cards = decisions.view.hand[inputs.open_rows].sum(axis=1, dtype=np.int64) + known.cards_left.sum(
            axis=1, dtype=np.int64
        )
        few = np.flatnonzero(cards <= self._max_cards)
        sampler = sampler or BeliefSampler(self._policy, decisions, inputs)
        for rows in _batches(few if few.size and is_applicable(self._policy.engine.rules) else few[:0]):
            for row, labels, worth, often in self._solve(decisions, inputs, rows, sampler):
                if often.sum() >= MIN_SOLVED_SHARE * self._num_deals:
                    points[row, labels] = (worth * often[:, None]).sum(axis=0) / often.sum()
                    wins[row, labels] = ((worth > 0) * often[:, None]).sum(axis=0)
                    solved[row] = often.sum()
        return EndgameResult(reweight_by_points(prior_log_probs, points, self._temperature), points, wins, solved)

    def _solve(
        self, decisions: Decisions, view: PolicyInputs, rows: Indices, sampler: BeliefSampler
    ) -> Iterator[tuple[int, Indices, NDArray[np.float64], NDArray[np.int64]]]:
        """Yield rows, labels, their points [deals, labels] in solved deals, and how often each deal was drawn."""
        sampler.weight_pools(rows, self._pool_size)
        drawn = sampler.draw(rows, 0, self._num_deals)
        unlike, often = zip(*map(_unique_deals, drawn), strict=True)
        group = np.repeat(np.arange(len(rows)), [len(counts) for counts in often])
        open_rows, hands = (
            view.open_rows[rows],
            np.concatenate([drawn[at][distinct] for at, distinct in enumerate(unlike)]),
        )
        tables = Tables.determinize(decisions, open_rows[group], hands)
        labels = [np.flatnonzero(view.legal[row]) for row in rows]
        moves = [
            view.survey.lists.select(view.survey.best_row[at, row_labels])
            for at, row_labels in zip(open_rows, labels, strict=True)
        ]
        for at, worth in enumerate(solve_deals(tables, group, moves, self._max_nodes)):
            is_solved = ~np.isnan(worth).any(axis=1)
            yield int(rows[at]), labels[at], worth[is_solved], often[at][is_solved]


def _batches(rows: Indices) -> Iterator[Indices]:
    yield from (rows[first : first + _BATCH_SIZE] for first in range(0, len(rows), _BATCH_SIZE))


def _unique_deals(deals: NDArray[np.uint8]) -> tuple[Indices, NDArray[np.int64]]:
    """Return the distinct deals of [n, others, cards] and how often each occurs, the most frequent first."""
    first, often = np.unique(find_first_occurrences(deals[None]), return_counts=True)
    order = np.argsort(-often, kind="stable")
    return first[order], often[order]


def make_endgame_search(name: AgentName, policy: NeuroSymbolicPolicy) -> EndgameSearch | None:
    """Make the solver that ``endgame=N`` in a name stands for; None for 0 cards.

    Without the option the preset decides, and a game whose endgames cannot be solved is played without a solver.
    Raises GameError where N is not a number or the endgames cannot be solved.
    """
    text, preset = name.value("endgame"), policy.networks.preset
    if text is not None and not text.isdecimal():
        problem = f"agent '{name}': write endgame=N, cards in all hands together, or 0"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    cards = int(text) if text is not None else preset.endgame_cards
    if not cards:
        return None
    if text is not None:
        check_applicable(policy.engine.rules)
    return EndgameSearch(policy, cards, max_nodes=preset.endgame_nodes, temperature=preset.search_temperature)
