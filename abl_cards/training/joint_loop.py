"""The joint abduction loop (Chen et al. 2025, algorithm 2), from the top down: play, abduce, learn, and again.

| algorithm 2 | here |
|---|---|
| observation o, history tau of an agent | ``policy.features`` |
| ABLN estimates the hidden hands, y-hat | ``policy.features`` (projected onto what is consistent) |
| sample a pseudo-action z from the policy pi | ``SelfPlay.decide`` |
| the knowledge base infers the final action z-bar | ``SelfPlay.abduce`` |
| store tau, z-bar and the true hands y in the buffers | ``make_experience``, ``buffer.add`` |
| rewards r at the end of an episode, advantages | ``SelfPlayTables.on_episode_end`` |
| update policy and value by PPO, ABLN by regression | ``learn`` |

A run may have several processes. Each plays at its own tables and learns from its own decisions. Every step applies the
mean of their gradients, so all processes hold equal weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import ModelPolicy, PolicyInputs, RandomAgent, RandomKeys, sample_labels
from abl_cards.core import scale_to_range_array, splitmix64_array
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Indices, Moves
from abl_cards.training.experience import Experience
from abl_cards.training.metrics import OPPONENT_NAMES
from abl_cards.training.opponents import LEARNER
from abl_cards.training.reports import IterationStats
from abl_cards.training.rollout_queue import RolloutQueue, RolloutSource, SampledBatch
from abl_cards.training.selfplay import DRAW_STREAM, EXPLORE_STREAM, MATCH_STREAM, Score, SelfPlayTables
from abl_cards.training.updates import PPOLearner, UpdateStats

if TYPE_CHECKING:
    from abl_cards.training.metrics import MetricsWriter
    from abl_cards.training.trainer import Trainer

MIN_READY_SHARE = 2 / 3
"""Share of an opponent's tables that must wait for it before it decides: few decisions cost nearly as much as many.

Meanwhile the learner plays on elsewhere, so that most of these tables soon wait, and then move on together.
"""

LearnFunction = Callable[[Experience], UpdateStats]
"""Learns from decisions whose returns are known, and returns what it measured."""


# --- the loop of a run: in the process that the user started ---------------------------------------------------------


def run_joint_loop(trainer: Trainer, metrics: MetricsWriter, decisions: int, deadline: float | None) -> None:
    """Play and learn until the run has so many decisions, or until ``deadline`` in seconds of the run."""
    while trainer.decisions < decisions and not trainer.stop_requested:
        report = trainer.step()  # every process runs JointLoop.run_iteration
        metrics.write(report.to_json())
        trainer.report_update(report)
        if deadline is not None and trainer.seconds >= deadline:
            break
        if trainer.num_updates % trainer.settings.checkpoint_interval == 0:
            trainer.save_checkpoint(metrics.sync())
    trainer.save_checkpoint(metrics.sync())


# --- an iteration: in every process ----------------------------------------------------------------------------------


class JointLoop:
    """The loop: play until there is enough data, learn, and continue with the new weights."""

    learner: PPOLearner
    rollout_source: RolloutSource
    rollout_queue: RolloutQueue
    learn: LearnFunction  # `train_networks`, or a replacement
    num_updates: int = 0
    critic_warmup_updates: int = 0
    _rng: np.random.Generator

    def run_iteration(self, run_progress: float = 0.0) -> IterationStats:
        """Play and learn once.

        Args:
            run_progress: Share of the run that is done, by which a learning rate is annealed.
        """
        batch, score = self.play()
        if self.learner.ppo.anneal_lr:
            self.learner.anneal_lr(run_progress)
        update_stats = self.learn(batch.rows)
        self.num_updates += 1
        self.rollout_source.broadcast(self.num_updates)
        return IterationStats(batch.decisions, score, update_stats, self.rollout_queue.pop_stats())

    def play(self) -> tuple[SampledBatch, Score]:
        """Collect decisions with a choice from the actors until there are enough for an update."""
        score = Score.zero(len(OPPONENT_NAMES))
        size = self.learner.ppo.rollout_size
        while True:
            for rollout in self.rollout_source.collect_rollouts(size - self.rollout_queue.num_rows):
                if self.rollout_queue.put(rollout):
                    score += rollout.score
            batch = self.rollout_queue.pop(size, self.num_updates)
            if batch is not None:
                return batch, score

    def train_networks(self, rows: Experience) -> UpdateStats:
        """Learn from decisions; in the first updates train only the critic if the settings require it."""
        return learn(self.learner, rows, self._rng, critic_only=self.num_updates < self.critic_warmup_updates)


# --- play and abduce: at the tables of an actor ----------------------------------------------------------------------


class SelfPlay(SelfPlayTables):
    """Tables where the learner plays against itself, fixed agents and its past."""

    def step(self) -> None:
        """Decide once at every table, except where an opponent waits to decide at more of its tables together.

        Raises:
            GameError: The rules leave a table without a next decision; the message names the table.
        """
        with attribute_table_errors(lambda table: f"self-play, seed {self._seed}, table {self._first_table + table}"):
            self._step()

    def _step(self) -> None:
        over = np.flatnonzero(self.tables.winner != -1)
        if over.size:
            self.tables.begin_match(over, splitmix64_array(self.tables.keys[over], MATCH_STREAM))
        rows = self.tables.rows_to_choose()
        if rows.size:
            self.tables.choose(rows, self.choose(rows))
        self.num_decisions += len(rows)
        rows = self.tables.rows_to_play()
        players = self._players_to_move(rows)
        for player in np.unique(players):
            own = rows[players == player]
            if player == LEARNER or len(own) >= MIN_READY_SHARE * self._tables_per_opponent[player]:
                self.play(own, int(player))
                self.num_decisions += len(own)

    def play(self, rows: Indices, player: int) -> None:
        """Decide plays at tables [n] by a player; decisions of the learner are stored."""
        decisions, keys = self.tables.decisions(rows), self._draw_keys(rows)
        if player != LEARNER:
            self.play_moves(rows, self.opponents[player - 1].play(decisions, keys))
            return
        view = self.policy.features(decisions)  # o, tau and the estimate y-hat
        keys = keys[view.open_rows]
        labels, log_probs = self.decide(view, keys)  # the pseudo-actions z
        moves, labels, log_probs = self.abduce(decisions, view, labels, log_probs)  # the final actions z-bar
        open_tables = rows[view.open_rows]
        if open_tables.size:
            stored = self.make_experience(decisions, view, labels, log_probs, keys)
            self.buffer.add(open_tables, self.tables.seat[open_tables], stored)
        self.play_moves(rows, moves)

    def abduce(
        self, decisions: Decisions, view: PolicyInputs, labels: NDArray[np.int16], log_probs: NDArray[np.float32]
    ) -> tuple[Moves, NDArray[np.int16], NDArray[np.float32]]:
        """Infer the moves that agree with the knowledge base.

        Args:
            decisions: The plays to decide, n of them.
            view: Features of the decisions for the policy; k of them have a choice.
            labels: [k] the sampled labels.
            log_probs: [k] their log-probabilities.

        Returns:
            [n] moves, [k] their labels, and [k] the log-probabilities of these.
        """
        if self.abduction.reasoner is None:
            moves, _ = self.abduction.realise(self.policy, decisions, view, labels, None)
            return moves, labels, log_probs
        moves, abduced = self.abduction.realise(self.policy, decisions, view, labels, self.last_log_probs)
        return moves, abduced, self.last_log_probs[np.arange(len(abduced)), abduced]

    def choose(self, rows: Indices) -> NDArray[np.uint8]:
        """Choose options [n] at tables [n]: by the preferences, at random, or by a network with actions for options."""
        choices = self.tables.choices(rows)
        chosen = self._minimiser.choose(choices)
        if self.abduction.reasoner is not None:
            own = np.flatnonzero(self._players_to_move(rows) == LEARNER)
            chosen[own] = self.abduction.choose(choices.select(own))
        keys = splitmix64_array(
            splitmix64_array(self.tables.keys[rows], EXPLORE_STREAM), self.tables.num_decisions[rows]
        )
        random = np.flatnonzero(scale_to_range_array(keys, 1 << 20) < self._choice_epsilon * (1 << 20))
        if random.size:
            random_keys = splitmix64_array(keys[random], EXPLORE_STREAM)
            chosen[random] = RandomAgent().choose(choices.select(random), random_keys)
        if isinstance(self.policy, ModelPolicy) and self.policy.networks.decides_choices:
            self._choose_by_policy(self.policy, rows, choices, chosen)
        return chosen

    def _choose_by_policy(
        self, policy: ModelPolicy, rows: Indices, choices: Choices, chosen: NDArray[np.uint8]
    ) -> None:
        """Write the options of those who play by a network with actions for options; the learner's are stored."""
        players, keys = self._players_to_move(rows), self._draw_keys(rows)
        for player in np.unique(players):
            own = np.flatnonzero(players == player)
            part = choices.select(own)
            if player != LEARNER:
                chosen[own] = self.opponents[player - 1].choose(part, keys[own])
                continue
            view = policy.choice_features(part)
            own, own_keys = own[view.open_rows], keys[own][view.open_rows]
            log_probs = policy.action_log_probs(view)
            actions = sample_labels(log_probs, own_keys)
            chosen[own] = actions - policy.networks.shape.num_labels
            if own.size:
                taken = log_probs[np.arange(len(actions)), actions]
                stored = self.make_experience(part, view, actions, taken, own_keys)
                self.buffer.add(rows[own], self.tables.seat[rows[own]], stored)

    def _players_to_move(self, rows: Indices) -> NDArray[np.int8]:
        """Return the players [n] to decide at tables [n]."""
        players: NDArray[np.int8] = self._seats[rows, self._engine.teams[self.tables.seat[rows]]]
        return players

    def _draw_keys(self, rows: Indices) -> RandomKeys:
        """Draw the random bits [n] of the decisions at tables [n]."""
        return splitmix64_array(splitmix64_array(self.tables.keys[rows], DRAW_STREAM), self.tables.num_decisions[rows])


# --- learn: in every process -----------------------------------------------------------------------------------------


def learn(learner: PPOLearner, rows: Experience, rng: np.random.Generator, critic_only: bool = False) -> UpdateStats:
    """Update the networks once from n decisions: policy and value by PPO, the estimate of hands by regression.

    Args:
        learner: The networks with their optimisers; changed in place.
        rows: Decisions whose returns are known.
        rng: Order of the decisions, and choice of those for the estimate.
        critic_only: Whether the value alone learns.

    Returns:
        Means over the minibatches.
    """
    rows = learner.mix_lookahead_values(rows)
    advantage = learner.normalise_advantage(rows)
    value_losses, policy_stats = [], []
    with learner.training_mode(rng):
        for epoch in range(learner.ppo.num_epochs):
            train_critic = critic_only or epoch < learner.ppo.num_value_epochs
            order = rng.permutation(len(rows))
            for first in range(0, len(order), learner.ppo.minibatch_size):
                part = order[first : first + learner.ppo.minibatch_size]
                value_loss, policy_stat = learner.train_minibatch(
                    rows.at(part), advantage[part], train_critic, not critic_only
                )
                value_losses += value_loss
                policy_stats += policy_stat
        hands_losses = [] if critic_only else learner.train_hands(rows, rng)
    stats = learner.summarise(value_losses, policy_stats, hands_losses)
    return learner.fit_models(rows, stats, rng)
