"""Look ahead: evaluate the likely labels on deals drawn by the estimate of the hidden hands.

Each of the most probable labels is evaluated on a few deals. Its move is made, and a rollout network or the policy may
continue play. The critic, which sees all hands of such a deal, evaluates the position at the next choice. With a time
limit labels are evaluated in rounds, all on the same deals, and labels that cannot be best any more are dropped. Where
the policy continues play, the other labels are rolled out further, to the end of most episodes if there is time.

The mean over the deals changes the probabilities by ``exp(points / TEMPERATURE)``. This policy maximises the expected
points less TEMPERATURE times the divergence from the prior. Deals are drawn from the information of the seat alone:
by the estimate of ABLN, or by counts and facts without it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.belief_reweighting import BeliefSampler, choose_pool_size, count_history_acts
from abl_cards.agents.determinized_rollouts import DeterminizedRollout
from abl_cards.agents.distinct_deals import list_distinct_deals
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.agents.search_budget import (
    COMPILED_ROLLOUT_COSTS,
    DEFAULT_ROUNDS,
    MAX_DEALS,
    POLICY_COSTS,
    ROLLOUT_NETWORK_COSTS,
    RoundTimer,
    SearchRound,
    plan_timed_rounds,
)
from abl_cards.agents.successive_elimination import CRITIC_ERROR, SuccessiveElimination
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices

TEMPERATURE = 0.1
"""Points of an episode that outweigh a factor e between two probabilities."""
_BATCH_SIZE = 64  # decisions at a time, to bound memory
_FIRST_ROW = np.zeros(1, np.int64)


def describe_simulated_table(table: int) -> str:
    """Describe a simulated table for errors, whose messages must not name a table that is played."""
    return "a table that the look-ahead simulates"


@dataclass(frozen=True)
class LookaheadResult:
    """Improved policy at k decisions.

    Attributes:
        log_probs: Log-probabilities, float32 [k, labels].
        expected_points: Expected points of the episode, NaN for labels not evaluated: float32 [k, labels].
        first_deal_points: Points on the first deal alone, NaN for labels not evaluated: float32 [k, labels].
    """

    log_probs: NDArray[np.float32]
    expected_points: NDArray[np.float32]
    first_deal_points: NDArray[np.float32]


@dataclass(frozen=True)
class _LookaheadBatch:
    """Decisions with the inputs of the policy, and the rows [r] to evaluate."""

    decisions: Decisions
    inputs: PolicyInputs
    rows: Indices
    sampler: BeliefSampler
    true_hands: NDArray[np.uint8] | None  # [r, others, cards] the hidden hands, where they are known


class Lookahead:
    """Look-ahead that evaluates the likely labels of a policy on sampled deals."""

    def __init__(
        self,
        policy: NeuroSymbolicPolicy,
        search_rounds: Sequence[SearchRound] = DEFAULT_ROUNDS,
        temperature: float = TEMPERATURE,
        batch_size: int = _BATCH_SIZE,
        think_seconds: float | None = None,
    ) -> None:
        """Make a look-ahead.

        Args:
            policy: Policy whose critic is trained.
            search_rounds: Rounds of deals without a time limit.
            temperature: Difference in points that multiplies the ratio of two probabilities by e.
            batch_size: Decisions evaluated at a time.
            think_seconds: Time limit of a decision in seconds; None for the rounds alone.
        """
        self._policy, self._temperature, self._batch_size = policy, temperature, batch_size
        networks = policy.networks
        rollout, self._uses_network = networks.preset.rollout, networks.rollout_weights is not None
        network_costs = COMPILED_ROLLOUT_COSTS if rollout.is_compiled else ROLLOUT_NETWORK_COSTS
        costs, limits = (network_costs, rollout) if self._uses_network else (POLICY_COSTS, networks.preset)
        self._search_rounds: Sequence[SearchRound] = search_rounds
        self._later_depths: Sequence[tuple[int, ...]] = ()
        if think_seconds is not None:
            timed_depths = rollout.timed_depths if self._uses_network else ()
            self._search_rounds, self._later_depths = plan_timed_rounds(search_rounds[0], costs, timed_depths)
        self._rollout, self._timer, self._think_seconds = DeterminizedRollout(policy), RoundTimer(costs), think_seconds
        self._candidate_limits = limits.top_k, limits.min_prob

    @property
    def history_acts(self) -> int:
        """Number of past acts that weight the sampled deals; 1 stands for one act of each other seat."""
        return count_history_acts(self._policy.networks)

    @property
    def uses_rollout_network(self) -> bool:
        """Whether a rollout network continues play at simulated tables."""
        return self._uses_network

    @property
    def think_seconds(self) -> float | None:
        """Time limit for a decision in seconds; None where the rounds alone limit it."""
        return self._think_seconds

    def with_time_limit(self, seconds: float) -> Lookahead:
        """Return a copy of this look-ahead with a time limit for each decision, in seconds."""
        return Lookahead(self._policy, self._search_rounds, self._temperature, self._batch_size, seconds)

    def improve_policy(
        self,
        decisions: Decisions,
        inputs: PolicyInputs,
        prior_log_probs: NDArray[np.float32],
        selected: NDArray[np.bool_] | None = None,
        true_hands: NDArray[np.uint8] | None = None,
        start_time: float | None = None,
        sampler: BeliefSampler | None = None,
    ) -> LookaheadResult:
        """Evaluate likely labels, and reweight their probabilities.

        Args:
            decisions: Decisions at n tables.
            inputs: Inputs of the policy for the k decisions with a choice.
            prior_log_probs: Log-probabilities of the policy, float32 [k, labels].
            selected: Decisions to evaluate, bool [k]; None for all.
            true_hands: Hidden hands, uint8 [k, others, cards], as the first deal, for training targets.
            start_time: Time of ``time.monotonic`` from which the time limit counts; None for now.
            sampler: Draws the deals; None for one of its own.

        Returns:
            The improved policy.
        """
        end = time.monotonic() if start_time is None else start_time
        is_candidate = select_candidates(prior_log_probs, *self._candidate_limits)
        if selected is not None:
            is_candidate &= selected[:, None]
        sampler = sampler or BeliefSampler(self._policy, decisions, inputs)
        points, first_points = (np.full(prior_log_probs.shape, np.nan, np.float32) for _ in range(2))
        for rows in self._batches(is_candidate.sum(axis=1)):
            place, label = np.nonzero(is_candidate[rows])
            trials = SuccessiveElimination(place, label, prior_log_probs[rows[place], label], self._temperature)
            self._weight_pools(sampler, rows)
            batch = _LookaheadBatch(decisions, inputs, rows, sampler, None if true_hands is None else true_hands[rows])
            end += len(rows) * (self._think_seconds or 0)
            self._run_rounds(batch, trials, None if self._think_seconds is None else end)
            points[rows[place], label] = trials.expected_points
            first_points[rows[place], label] = trials.first_deal_points
        return LookaheadResult(reweight_by_points(prior_log_probs, points, self._temperature), points, first_points)

    def sample_deals(self, sampler: BeliefSampler, num_deals: int) -> NDArray[np.uint8]:
        """Return the first deals of the first decision with a choice: uint8 [deals, others, cards].

        Args:
            sampler: Sampler of the search.
            num_deals: How many deals.
        """
        self._weight_pools(sampler, _FIRST_ROW)
        deals: NDArray[np.uint8] = sampler.draw(_FIRST_ROW, 0, num_deals)[0]
        return deals

    def evaluate(self, tables: Tables, seats: NDArray[np.int8]) -> NDArray[np.float32]:
        """Evaluate simulated tables [m] for seats [m], where a play is due or the episode is over: float32 [m]."""
        return self._rollout.evaluate(tables, seats)

    def _weight_pools(self, sampler: BeliefSampler, rows: Indices) -> None:
        """Weight the pools of rows; with a time limit they take a part of the time."""
        began, think = time.monotonic(), self._think_seconds
        pool_size = choose_pool_size(self._policy.networks) if think is None else self._timer.limit_pool(think)
        num_deals = sampler.weight_pools(rows, pool_size)
        if num_deals:
            self._timer.update_pool(num_deals, began)

    def _batches(self, num_labels: Indices) -> Iterator[Indices]:
        """Divide the decisions with candidates into batches; where tables are limited, with equally many candidates."""
        rows = np.flatnonzero(num_labels)
        is_limited = any(step.max_tables is not None for step in self._search_rounds)
        for group in [rows[num_labels[rows] == n] for n in np.unique(num_labels[rows])] if is_limited else [rows]:
            yield from (group[first : first + self._batch_size] for first in range(0, len(group), self._batch_size))

    def _run_rounds(self, batch: _LookaheadBatch, trials: SuccessiveElimination, end: float | None) -> None:
        """Run rounds, the first in any case, until the time is over or one label is left."""
        for number, search_round in enumerate(self._search_rounds):
            step = search_round.limit_deals(int((trials.decision == 0).sum()))
            tables = step.deals * len(trials.active)
            late = (
                end is not None
                and number
                and time.monotonic() + self._timer.estimate_seconds(tables, step.depths) > end
            )
            if not tables or late:
                return
            self._run_round(batch, trials, step)
        if end is None:
            return
        if self._later_depths[0] != self._search_rounds[-1].depths:
            trials.reactivate(CRITIC_ERROR)
        depths = self._later_depths
        while trials.active.size and trials.num_deals < MAX_DEALS:
            later = self._timer.find_deepest_round(len(trials.active), end, depths)
            if later is None:
                return
            self._run_round(batch, trials, later)
            depths = [later.depths]  # since results at other depths would be dropped

    @attribute_table_errors(describe_simulated_table)
    def _run_round(self, batch: _LookaheadBatch, trials: SuccessiveElimination, step: SearchRound) -> None:
        """Evaluate the active labels on more deals."""
        began, active = time.monotonic(), trials.active
        indices, place = np.unique(trials.decision[active], return_inverse=True)
        deals = self._draw_deals(batch, indices, trials.num_deals, step.deals)
        label_of, deal_of, table_of = list_distinct_deals(deals, place)
        labels, survey = active[label_of], batch.inputs.survey
        rows = batch.inputs.open_rows[batch.rows[trials.decision[labels]]]
        tables = Tables.determinize(batch.decisions, rows, deals[place[label_of], deal_of])
        seat = tables.seat.copy()
        tables.play(np.arange(len(tables)), survey.lists.select(survey.best_row[rows, trials.label[labels]]))
        trials.add_results(self._rollout.evaluate(tables, seat, step.depths)[table_of], step.depths)
        self._timer.update(len(tables), step.depths, began)

    def _draw_deals(self, batch: _LookaheadBatch, indices: Indices, first: int, deals: int) -> NDArray[np.uint8]:
        """Draw deals for rows from an index on; true hands are deal 0 where given: [r, deals, others, cards]."""
        known = [] if batch.true_hands is None or first else [batch.true_hands[indices, None]]
        count = deals - len(known)
        if count:
            known.append(batch.sampler.draw(batch.rows[indices], first, count))
        return np.concatenate(known, axis=1)


def select_candidates(
    prior_log_probs: NDArray[np.float32], max_labels: int, min_probability: float
) -> NDArray[np.bool_]:
    """Select at most ``max_labels`` labels of at least this probability: bool [k, labels]; never a single one."""
    rank = np.argsort(np.argsort(-prior_log_probs, axis=1, kind="stable"), axis=1)
    among: NDArray[np.bool_] = (rank < max_labels) & (prior_log_probs > np.log(min_probability))
    return among & (among.sum(axis=1, keepdims=True) > 1)


def reweight_by_points(
    prior_log_probs: NDArray[np.float32], points: NDArray[np.float32], temperature: float = TEMPERATURE
) -> NDArray[np.float32]:
    """Reweight log-probabilities [k, labels] by points; labels that were not evaluated count as the best one."""
    tried = ~np.isnan(points)
    best = np.where(tried, points, -np.inf).max(axis=1, keepdims=True)
    weighed = prior_log_probs + np.where(tried, points - best, 0).astype(np.float32) / np.float32(temperature)
    changed = tried.any(axis=1)
    weighed[changed] -= np.log(np.exp(weighed[changed]).sum(axis=1, keepdims=True))
    return weighed
