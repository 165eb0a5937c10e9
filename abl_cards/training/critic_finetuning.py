"""Fine-tuning of the critic after self-play, on many more games of the final policy.

In self-play the critic learns from each decision once, while the policy changes. Looking ahead needs a better critic,
and one of whole episodes: its targets are their points, also where self-play rewards tricks.
The final policy is fixed, games are cheap, and each counts under every symmetry of the cards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abl_cards.agents import NeuroSymbolicPolicy
from abl_cards.games import Engine
from abl_cards.learners import Networks, PPOConfig, Symmetries
from abl_cards.training.experience import Experience
from abl_cards.training.joint_loop import SelfPlay
from abl_cards.training.pretraining import ProgressCallback
from abl_cards.training.supervised import StepCallback, SupervisedRun
from abl_cards.training.updates import value_loss

CHUNK_ROWS = 32_768
"""Decisions with a choice that are collected at once."""
ROUND_ROWS = 32 * CHUNK_ROWS
"""Decisions in memory at a time; the critic learns from them before the next are played."""
_BATCH_SIZE, _PEAK_LEARNING_RATE = 2048, 1e-3


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
        seats = np.zeros((self._num_tables, int(self._engine.teams.max()) + 1), np.int8)
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
        self, supervised_run: SupervisedRun, min_rows: int, on_step: StepCallback, on_progress: ProgressCallback
    ) -> None:
        """Make the remaining steps of a run, on at least ``min_rows`` decisions, round by round."""
        sizes = [min(ROUND_ROWS, min_rows - first) for first in range(0, min_rows, ROUND_ROWS)]
        learned = np.cumsum(sizes) * supervised_run.steps // sum(sizes)
        for number, (size, until) in enumerate(zip(sizes, learned.tolist(), strict=True)):
            if supervised_run.steps_done < until:
                supervised_run.train(
                    self.collect_decisions(size, number, on_progress), self._policy.networks.device, on_step, until
                )


def create_critic_run(networks: Networks, symmetries: Symmetries, steps: int, seed: int) -> SupervisedRun:
    """Return a supervised run of the critic towards the returns of decisions."""
    return SupervisedRun(
        networks.critic, lambda batch, rows: value_loss(networks, batch, rows), symmetries, steps, seed,
        batch_size=_BATCH_SIZE, peak_learning_rate=_PEAK_LEARNING_RATE,
    )  # fmt: skip
