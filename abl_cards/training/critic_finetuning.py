"""Fine-tuning of the critic after self-play, on many more games of the final policy.

In self-play the critic learns from each decision once, while the policy changes. Look-ahead needs a better critic,
whose targets are the points of whole episodes, also where self-play rewards tricks. The final policy is fixed, games
are cheap, and each is used under every symmetry of the cards.

All decisions of an episode share its points, so a critic soon overfits to the episodes: a second pass over them makes
it worse. The errors on other games therefore decide whether the new critic replaces the former one.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch

from abl_cards.agents import NeuroSymbolicPolicy
from abl_cards.games import Engine
from abl_cards.learners import Networks, PPOConfig, Symmetries, to_training_batch
from abl_cards.training.decision_dataset import num_round_tables
from abl_cards.training.experience import Experience
from abl_cards.training.joint_loop import SelfPlay
from abl_cards.training.pretraining import ProgressCallback
from abl_cards.training.supervised import EVALUATION_BATCH, EvaluatedRun, StepCallback
from abl_cards.training.updates import value_loss

CHUNK_ROWS = 32_768
"""Decisions with a choice that are collected at once."""
ROUND_ROWS = 32 * CHUNK_ROWS
"""Decisions in memory at a time; the critic learns from them before the next are played."""
HELD_OUT_ROWS = 4 * CHUNK_ROWS
"""Decisions of other games, at most, that tell whether the critic has become better; no more than it learns from."""
_BATCH_SIZE, _PEAK_LEARNING_RATE = 2048, 1e-3


@dataclass(frozen=True)
class CriticErrors:
    """Mean squared errors of a critic on decisions of games that it does not learn from."""

    before: float
    after: float  # where it is not less than before, the former critic stays
    variance: float  # of the returns, which is the error of the best constant
    decisions: int

    @property
    def is_better(self) -> bool:
        """True if the critic is better than before."""
        return self.after < self.before


class CriticRun(EvaluatedRun[CriticErrors]):
    """A supervised run of a critic, and its errors once it has ended."""

    result_type = CriticErrors


class SelfPlayGames:
    """Games of networks against themselves, as decisions with their discounted returns.

    Fields that the critic does not read are left out.
    """

    def __init__(self, engine: Engine, networks: Networks, ppo: PPOConfig, seed: int, num_tables: int = 1024) -> None:
        """Prepare games by a seed."""
        self._engine, self._policy = engine, NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
        self._ppo, self._seed, self._num_tables = (
            replace(ppo, gae_lambda=1.0, terminal_share=1.0, trick_point_reward=0.0, rollout_size=CHUNK_ROWS),
            seed,
            num_tables,
        )

    def collect_decisions(
        self, min_rows: int, round_number: int = 0, on_progress: ProgressCallback = lambda done, what: None
    ) -> Experience:
        """Return at least ``min_rows`` decisions, of games that depend on the number of the round."""
        num_tables = num_round_tables(min_rows, self._num_tables)
        seats = np.zeros((num_tables, int(self._engine.teams.max()) + 1), np.int8)
        first = round_number * self._num_tables
        play = SelfPlay(
            self._engine, self._policy, [], seats, self._ppo, self._seed, first_table=first, use_critic=False
        )
        parts: list[Experience] = []
        for done in range(0, min_rows, CHUNK_ROWS):
            while play.buffer.num_ready < CHUNK_ROWS:
                play.step()
            parts.append(play.buffer.pop_ready(CHUNK_ROWS).for_critic())
            on_progress(done + CHUNK_ROWS, "decisions of own games for the critic")
        return Experience.concatenate(parts)

    def train_critic(
        self,
        critic_run: CriticRun,
        former: Mapping[str, torch.Tensor],
        min_rows: int,
        on_step: StepCallback,
        on_progress: ProgressCallback,
    ) -> CriticErrors:
        """Make the remaining steps of a run on at least ``min_rows`` decisions, and keep the better critic.

        Args:
            critic_run: The run, which may have been interrupted or finished before.
            former: Weights that the critic began with.
            min_rows: Decisions to learn from, with a choice.
            on_step: Called after each step.
            on_progress: Called with the decisions that are played.

        Returns:
            Errors on decisions of other games.
        """
        if critic_run.result:
            return critic_run.result
        held_out = critic_run.train_in_rounds(
            min_rows, ROUND_ROWS, HELD_OUT_ROWS, partial(self.collect_decisions, on_progress=on_progress),
            self._policy.networks.device, on_step,
        )  # fmt: skip
        critic, learned_weights = critic_run.model, deepcopy(critic_run.model.state_dict())
        after = self._mean_squared_error(held_out)
        critic.load_state_dict(former)
        errors = CriticErrors(
            self._mean_squared_error(held_out), after, float(held_out.value_target.var()), len(held_out)
        )
        if errors.is_better:
            critic.load_state_dict(learned_weights)
        critic_run.result = errors
        return errors

    def _mean_squared_error(self, rows: Experience) -> float:
        """Return the error of the critic of the networks on decisions."""
        networks, total = self._policy.networks, 0.0
        with torch.inference_mode():
            for first in range(0, len(rows), EVALUATION_BATCH):
                part = rows.at(slice(first, first + EVALUATION_BATCH))
                total += float(value_loss(networks, to_training_batch(part, networks.device), part)) * len(part)
        return total / len(rows)


def create_critic_run(
    networks: Networks, symmetries: Symmetries, num_decisions: int, steps: int | None = None, seed: int = 0
) -> CriticRun:
    """Return a supervised run of the critic towards the returns of decisions.

    Args:
        networks: The networks; their critic learns.
        symmetries: Symmetries of the cards.
        num_decisions: Decisions it will learn from.
        steps: Steps of learning; None for those that use each decision once.
        seed: Seed of the order.
    """
    return CriticRun(
        networks.critic, lambda batch, rows: value_loss(networks, batch, rows), symmetries,
        -(-num_decisions // _BATCH_SIZE) if steps is None else steps, seed,
        batch_size=_BATCH_SIZE, peak_learning_rate=_PEAK_LEARNING_RATE,
    )  # fmt: skip
