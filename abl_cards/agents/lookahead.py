"""Looking ahead: what the likely labels come to over whole deals that the estimate of the hidden hands makes likely.

The policy proposes. Each of its likeliest labels is tried on a few deals: its move is made, what leaves nobody a choice
follows, and the critic, before whom all the hands of such a deal lie open, says what the position is worth. Who is
given a time to think tries them in rounds, all on the same deals, leaves out what has no hope any more, and plays the
others on with the answers of the policy, to the end of most episodes if there is time for that.

The mean over the deals changes the probabilities by ``exp(points / TEMPERATURE)``: of all policies that is the one that
expects the most points, less TEMPERATURE times its divergence from what was proposed. Deals are drawn by what the seat
sees alone; without ABLN as the counts and the facts have them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.belief_reweighting import OVERSAMPLING_FACTOR, resample_deals
from abl_cards.agents.determinized_rollouts import DeterminizedRollout
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.agents.search_budget import DEFAULT_ROUNDS, DEPTHS, MAX_DEALS, RoundTimer, SearchRound, plan_timed_rounds
from abl_cards.agents.successive_elimination import CRITIC_ERROR, SuccessiveElimination
from abl_cards.core import splitmix64_array
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices
from abl_cards.reasoners.hidden_hands import observation_keys

TEMPERATURE = 0.1
"""Points of an episode that outweigh a factor e between two probabilities."""
_BATCH_SIZE = 64  # decisions, for the sake of memory
_FIRST_ROW = np.zeros(1, np.int64)
_LOOKAHEAD_STREAM = 17  # what the random numbers are for


@dataclass(frozen=True)
class LookaheadResult:
    """What became of a policy at k decisions."""

    log_probs: NDArray[np.float32]  # [k, labels]
    expected_points: NDArray[np.float32]  # [k, labels] expected of the episode, NaN for the labels that were not tried
    first_deal_points: NDArray[np.float32]  # [k, labels] the same in the first deal alone


@dataclass(frozen=True)
class _LookaheadBatch:
    """Decisions [k] as a policy proposes them, and the rows [r] of them that are looked at."""

    decisions: Decisions
    inputs: PolicyInputs
    rows: Indices
    true_hands: NDArray[np.uint8] | None  # [r, others, cards] the hidden hands, where they are known


class Lookahead:
    """Tries the labels that a mind finds likely."""

    def __init__(
        self,
        policy: NeuroSymbolicPolicy,
        search_rounds: Sequence[SearchRound] = DEFAULT_ROUNDS,
        temperature: float = TEMPERATURE,
        batch_size: int = _BATCH_SIZE,
        think_seconds: float | None = None,
    ) -> None:
        """The critic of the mind's networks must have learned. So many decisions are looked at together.

        With so many seconds to think for a decision it goes on until they are over, see ``plan_timed_rounds``.
        """
        self._policy, self._temperature, self._batch_size = policy, temperature, batch_size
        rounds: tuple[Sequence[SearchRound], Sequence[int]] = (
            (search_rounds, DEPTHS) if think_seconds is None else plan_timed_rounds(search_rounds[-1])
        )
        self._search_rounds, self._depths = rounds
        self._rollout, self._timer, self._think_seconds = DeterminizedRollout(policy), RoundTimer(), think_seconds
        self._reweights_beliefs, self._candidate_limits = (
            policy.networks.preset.belief_reweighting,
            (policy.networks.preset.top_k, policy.networks.preset.min_prob),
        )

    def improve_policy(
        self,
        decisions: Decisions,
        inputs: PolicyInputs,
        prior_log_probs: NDArray[np.float32],
        selected: NDArray[np.bool_] | None = None,
        true_hands: NDArray[np.uint8] | None = None,
        start_time: float | None = None,
    ) -> LookaheadResult:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice.

        Only those [k] are looked at that are asked about. Who teaches may know the truth, the hidden hands
        [k, others, cards]: they are the first of the deals then. Time to think counts from when it began, a time of
        ``time.monotonic``, or from now.
        """
        until = time.monotonic() if start_time is None else start_time
        tried = select_candidates(prior_log_probs, *self._candidate_limits)
        if selected is not None:
            tried &= selected[:, None]
        points, first = (np.full(prior_log_probs.shape, np.nan, np.float32) for _ in range(2))
        for part in _batches(np.flatnonzero(tried.any(axis=1)), self._batch_size):
            place, label = np.nonzero(tried[part])
            trials = SuccessiveElimination(place, label, prior_log_probs[part[place], label], self._temperature)
            asking = _LookaheadBatch(decisions, inputs, part, None if true_hands is None else true_hands[part])
            until += len(part) * (self._think_seconds or 0)
            self._run_rounds(asking, trials, None if self._think_seconds is None else until)
            points[part[place], label], first[part[place], label] = trials.expected_points, trials.first_deal_points
        return LookaheadResult(reweight_by_points(prior_log_probs, points, self._temperature), points, first)

    def sample_deals(self, decisions: Decisions, inputs: PolicyInputs, num_deals: int) -> NDArray[np.uint8]:
        """[number, others, cards] the first of the deals on which the first choice of a view is looked at."""
        deals: NDArray[np.uint8] = self._draw_deals(
            _LookaheadBatch(decisions, inputs, _FIRST_ROW, None), _FIRST_ROW, 0, num_deals
        )[0]
        return deals

    def evaluate(self, tables: Tables, seats: NDArray[np.int8]) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to seats [m], where somebody is to play or the episode is over."""
        return self._rollout.evaluate(tables, seats)

    def _run_rounds(self, asking: _LookaheadBatch, trials: SuccessiveElimination, until: float | None) -> None:
        """Round after round, the first in any case, until time or hope is over."""
        for number, step in enumerate(self._search_rounds):
            tables = step.deals * len(trials.active)
            late = (
                until is not None
                and number
                and time.monotonic() + self._timer.estimate_seconds(tables, step.depth) > until
            )
            if not tables or late:
                return
            self._run_round(asking, trials, step)
        if until is None:
            return
        if self._depths[0] > self._search_rounds[-1].depth:
            trials.reactivate(CRITIC_ERROR)
        first = self._timer.find_deepest_round(len(trials.active), until, self._depths) if trials.active.size else None
        while first is not None and trials.active.size and trials.num_deals < MAX_DEALS:
            if time.monotonic() + self._timer.estimate_seconds(first.deals * len(trials.active), first.depth) > until:
                return
            self._run_round(asking, trials, first)

    def _run_round(self, asking: _LookaheadBatch, trials: SuccessiveElimination, step: SearchRound) -> None:
        """Try what is open on some more deals."""
        began, open_ = time.monotonic(), trials.active
        here, place = np.unique(trials.decision[open_], return_inverse=True)
        deals = self._draw_deals(asking, here, trials.num_deals, step.deals)
        which = asking.inputs.open_rows[asking.rows[trials.decision[open_]]]
        survey, hands = asking.inputs.survey, deals[place].reshape(-1, *deals.shape[2:])
        tables = self._policy.engine.determinize(asking.decisions, np.repeat(which, step.deals), hands)
        seat = tables.seat.copy()
        moves = survey.lists.select(np.repeat(survey.best_row[which, trials.label[open_]], step.deals))
        tables.play(np.arange(len(tables)), moves)
        trials.add_results(self._rollout.evaluate(tables, seat, step.depth).reshape(-1, step.deals), step.depth)
        self._timer.update(len(tables), step.depth, began)

    def _draw_deals(self, asking: _LookaheadBatch, here: Indices, first: int, deals: int) -> NDArray[np.uint8]:
        """[r, deals, others, cards] for some of the rows, from a number on; the truth is number 0, if it is known."""
        rows = asking.rows[here]
        known = [] if asking.true_hands is None or first else [asking.true_hands[here, None]]
        drawn = deals - len(known)
        if drawn and self._reweights_beliefs:
            known.append(self._resample_deals(asking, rows, first, drawn))
        elif drawn:
            keys = splitmix64_array(observation_keys(asking.inputs.observation[rows]), _LOOKAHEAD_STREAM)
            each = splitmix64_array(np.repeat(keys, drawn), np.tile(np.arange(first, first + drawn), len(rows)))
            known.append(
                self._policy.sample_deals(asking.decisions, asking.inputs, rows, each.reshape(len(rows), drawn))
            )
        return np.concatenate(known, axis=1)

    def _resample_deals(self, asking: _LookaheadBatch, rows: Indices, first: int, deals: int) -> NDArray[np.uint8]:
        """The same of more deals by what the others have just done."""
        keys = splitmix64_array(observation_keys(asking.inputs.observation[rows]), _LOOKAHEAD_STREAM)
        more = np.arange(OVERSAMPLING_FACTOR * first, OVERSAMPLING_FACTOR * (first + deals))
        each = splitmix64_array(np.repeat(keys, len(more)), np.tile(more, len(rows))).reshape(len(rows), len(more))
        drawn = self._policy.sample_deals(asking.decisions, asking.inputs, rows, each)
        return resample_deals(self._policy, asking.decisions, asking.inputs, rows, drawn, deals)


def _batches(rows: Indices, size: int) -> Iterator[Indices]:
    yield from (rows[first : first + size] for first in range(0, len(rows), size))


def select_candidates(
    prior_log_probs: NDArray[np.float32], max_labels: int, min_probability: float
) -> NDArray[np.bool_]:
    """[k, labels] what is to be tried: at most so many labels that are so probable; none where it is one alone."""
    rank = np.argsort(np.argsort(-prior_log_probs, axis=1, kind="stable"), axis=1)
    among: NDArray[np.bool_] = (rank < max_labels) & (prior_log_probs > np.log(min_probability))
    return among & (among.sum(axis=1, keepdims=True) > 1)


def reweight_by_points(
    prior_log_probs: NDArray[np.float32], points: NDArray[np.float32], temperature: float = TEMPERATURE
) -> NDArray[np.float32]:
    """[k, labels] log-probabilities after looking ahead; a label that was not tried loses what the best one gains."""
    tried = ~np.isnan(points)
    best = np.where(tried, points, -np.inf).max(axis=1, keepdims=True)
    weighed = prior_log_probs + np.where(tried, points - best, 0).astype(np.float32) / np.float32(temperature)
    changed = tried.any(axis=1)
    weighed[changed] -= np.log(np.exp(weighed[changed]).sum(axis=1, keepdims=True))
    return weighed
