"""Roll out simulated tables: a rollout policy makes some plays, and the critic evaluates the position after them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.compiled_rollouts import make_compiled_rollouts
from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.agents.rollout_policies import RolloutPolicy, make_rollout_policy
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.learners import ModelInputs, apply_reward_exponent
from abl_cards.reasoners.abduction import BestCardsPerLabel, find_best_cards, plays_after


class DeterminizedRollout:
    """Rollout of simulated tables until the critic evaluates them at the next choice."""

    def __init__(self, policy: NeuroSymbolicPolicy, rollout_policy: RolloutPolicy | None = None) -> None:
        """Make a rollout.

        Args:
            policy: Policy whose critic is trained.
            rollout_policy: Chooses the plays; None for the rollout policy of the networks and their preset.
        """
        self._policy, self._reward_exponent = policy, policy.networks.preset.ppo.reward_exponent
        self._rollout_policy = rollout_policy or make_rollout_policy(policy)
        self._compiled = None if rollout_policy else make_compiled_rollouts(policy)

    def evaluate(self, tables: Tables, seats: NDArray[np.int8], depths: Sequence[int] = (0,)) -> NDArray[np.float32]:
        """Evaluate simulated tables.

        Args:
            tables: Simulated tables [m] where a play is due, or whose episode is over.
            seats: Seats to evaluate for, int8 [m].
            depths: Decisions with a choice before the critic evaluates; the mean of the values counts.

        Returns:
            Expected points of the episode for these seats, float32 [m].
        """
        copies = np.repeat(np.arange(len(tables)), len(depths))
        values = self._evaluate_each(tables.copy(copies), seats[copies], np.tile(depths, len(tables)))
        mean: NDArray[np.float32] = values.reshape(len(tables), len(depths)).mean(axis=1)
        return mean

    def _evaluate_each(self, tables: Tables, seats: NDArray[np.int8], left: Indices) -> NDArray[np.float32]:
        """Evaluate tables [m] after a number of decisions with a choice at each, int [m]: float32 [m]."""
        if left.any() and self._compiled is not None:
            self._compiled.play(tables, left)
            left = np.zeros_like(left)
        points, is_valued = np.zeros(len(tables), np.float32), np.zeros(len(tables), np.bool_)
        waits = np.zeros(len(tables), np.bool_)
        while True:
            running = self._advance(tables, is_valued | waits)
            waits[running[left[running] <= 0]] = True  # so that the critic is asked for all of them at once
            here = running[left[running] > 0]
            if here.size:
                left[here] -= self._play_responses(tables, here)
            elif waits.any():
                self._apply_critic(tables, np.flatnonzero(waits), seats, points, is_valued)
                waits[:] = False
            else:
                break
        over = np.flatnonzero(~is_valued)
        points[over] = self._final_points(tables, over, seats[over])
        return points

    def _final_points(self, tables: Tables, rows: Indices, seats: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the points of seats [n] at tables [n] whose episode is over: float32 [n]."""
        points = self._policy.engine.rewards(tables, rows)[np.arange(len(rows)), seats]
        return apply_reward_exponent(points, self._reward_exponent)

    def _advance(self, tables: Tables, is_left_out: NDArray[np.bool_]) -> Indices:
        """Play forced moves where the rollout policy waits for them; returns the tables where a play is due."""
        if self._compiled is not None or not self._rollout_policy.waits_for_others:
            return (rows := tables.rows_to_play())[~is_left_out[rows]]
        is_open = np.zeros(len(tables), np.bool_)
        while (pending := (rows := tables.rows_to_play())[~(is_left_out | is_open)[rows]]).size:
            decisions = tables.decisions(pending)
            forced = np.flatnonzero(decisions.legal_mask.sum(axis=0) == 1)
            is_open[np.delete(pending, forced)] = True
            if forced.size:
                best = find_best_cards(self._policy.engine, self._policy.preference_model, decisions.select(forced))
                tables.play(pending[forced], _only_moves(best, np.arange(len(forced))))
        return np.flatnonzero(is_open)

    def _apply_critic(
        self, tables: Tables, rows: Indices, seats: NDArray[np.int8], points: NDArray[np.float32],
        is_valued: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Evaluate tables [n] where there is a choice; play the only move at others."""
        decisions = tables.decisions(rows)
        best = find_best_cards(self._policy.engine, self._policy.preference_model, decisions)
        free, forced = np.flatnonzero(best.has_choice), np.flatnonzero(~best.has_choice)
        choosing = rows[free]
        value = self._critic_values(decisions, best, free, tables, choosing)
        points[choosing] = value * apply_reward_exponent(
            tables.point_value(choosing, tables.seat[choosing], seats[choosing]), self._reward_exponent
        )
        is_valued[choosing] = True
        tables.play(rows[forced], _only_moves(best, forced))

    def _play_responses(self, tables: Tables, rows: Indices) -> NDArray[np.bool_]:
        """Play at tables [n] by what the seats to play see; returns whether there was a choice, bool [n]."""
        moves, has_choice = self._rollout_policy.choose_moves(tables.decisions(rows))
        tables.play(rows, moves)
        return has_choice

    def _critic_values(
        self, decisions: Decisions, best: BestCardsPerLabel, rows: Indices, tables: Tables, table_rows: Indices
    ) -> NDArray[np.float32]:
        """Evaluate rows [k] of decisions at tables [k] for the seats to decide: float32 [k]."""
        plays, selected = plays_after(self._policy.engine, decisions, best)[rows], decisions.select(rows)
        privileged = self._policy.privileged_inputs(tables, table_rows, selected.context)
        return self._policy.value(_critic_inputs(selected, best.choosable[rows], plays), privileged)


def _only_moves(best: BestCardsPerLabel, rows: Indices) -> Moves:
    """Return the cheapest cards of the only label of rows [n]."""
    return best.lists.select(best.best_row[rows, best.choosable[rows].argmax(axis=1)])


def _critic_inputs(decisions: Decisions, legal: NDArray[np.bool_], plays: NDArray[np.uint8]) -> ModelInputs:
    """Return the inputs of the critic, which reads neither costs nor estimates."""
    n = len(plays)
    return ModelInputs(
        observation=decisions.observe(),
        legal=legal,
        to_beat=decisions.label_to_beat,
        regret=np.zeros((n, 0), np.float32),
        plays_left=plays,
        estimate=np.zeros((n, 0, 0), np.float32),
        response_counts=np.zeros((n, 0, 0), np.uint8),
        prior=np.zeros((n, 0, 0), np.float32),
    )
