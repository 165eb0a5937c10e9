"""Distillation of the policy into a rollout network after self-play (Hinton et al. 2015).

The policy plays games against itself, and its label probabilities are stored at every decision with a choice. The
rollout network, which is smaller, learns these probabilities. It is evaluated on other games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents import NeuroSymbolicPolicy, sample_labels
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.rollouts import can_roll_out, check_rollouts_applicable, position_inputs
from abl_cards.games.tables import Tables
from abl_cards.games.types import Indices
from abl_cards.learners import (
    Examples,
    Networks,
    Preset,
    RolloutConfig,
    RolloutNetwork,
    Symmetries,
    TrainingBatch,
    opponent_weights_file,
    rollout_weights_file,
    to_training_batch,
)
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.training.decision_dataset import advance_to_plays, num_round_tables
from abl_cards.training.pretraining import ProgressCallback
from abl_cards.training.supervised import EVALUATION_BATCH, EvaluatedRun, StepCallback

ROUND_ROWS = 262_144
"""Decisions in memory at a time; the network learns from them before the next are played."""
HELD_OUT_ROWS = 32_768
"""Decisions of other games, at most, that tell how well the network imitates the policy."""
_PASSES, _BATCH_SIZE, _PEAK_LEARNING_RATE, _STREAM = 2, 2_048, 2e-3, 23


@dataclass(frozen=True)
class PolicyExamples(Examples):
    """n decisions with a choice and the probabilities of a policy; hands, estimates and responses are left out."""

    log_probs: NDArray[np.float16]  # [n, labels]


@dataclass(frozen=True)
class ImitationResult:
    """Agreement of a rollout network with the policy, on decisions of held-out games."""

    agreement: float  # share of the decisions with the same most probable label
    divergence: float  # Kullback-Leibler divergence from the policy, in nats
    decisions: int


class StudentNetwork(NamedTuple):
    """A light network that learns the probabilities of the finished policy."""

    name: str
    config: RolloutConfig
    find_file: Callable[[Path], Path]  # of its weights beside those of the policy


def list_student_networks(preset: Preset, engine: Engine) -> list[StudentNetwork]:
    """Return the light networks of a preset: a rollout network, and an opponent model if it has one for such games."""
    students, model = [StudentNetwork("rollout", preset.rollout, rollout_weights_file)], preset.rollout.opponent_model
    if model is not None and can_roll_out(engine.rules):
        students.append(StudentNetwork("opponent", model, opponent_weights_file))
    return students


class DistillationRun(EvaluatedRun[ImitationResult]):
    """A supervised run of a rollout network, and how well it imitates the policy once it has ended."""

    result_type = ImitationResult


class RolloutDistillation:
    """Games of a policy against itself, and the training of a rollout network on them."""

    def __init__(
        self, engine: Engine, networks: Networks, symmetries: Symmetries, seed: int, num_tables: int = 1024,
        config: RolloutConfig | None = None,
    ) -> None:  # fmt: skip
        """Prepare games.

        Args:
            engine: Compiled game.
            networks: Networks of the policy.
            symmetries: Symmetries of the game, by which examples are multiplied.
            seed: Seed of the games.
            num_tables: Games at the same time.
            config: Sizes of the network that learns; None for the rollout network of the preset.

        Raises:
            GameError: If the network is for compiled episodes, and those of the game cannot be compiled.
        """
        self._engine, self._policy = engine, NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
        self._config = config or networks.preset.rollout
        if self._config.is_compiled:
            check_rollouts_applicable(engine.rules)
            symmetries = Symmetries.from_orders(engine.symmetries[:1], engine.observation_features)
        self._minimiser, self._symmetries = Minimiser(self._policy.preference_model), symmetries
        self._seed, self._num_tables = seed, num_tables

    def create_run(self, num_decisions: int) -> DistillationRun:
        """Return a supervised run of a new rollout network that uses each decision twice."""
        networks = self._policy.networks
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
            network = RolloutNetwork(networks.shape, self._config).to(networks.device)
        return DistillationRun(
            network, lambda batch, rows: _compare(network, batch, rows)[0].mean(), self._symmetries,
            -(-_PASSES * num_decisions // _BATCH_SIZE), self._seed,
            batch_size=_BATCH_SIZE, peak_learning_rate=_PEAK_LEARNING_RATE, weight_decay=1e-4,
        )  # fmt: skip

    def train(
        self, run: DistillationRun, num_decisions: int, on_step: StepCallback, on_progress: ProgressCallback
    ) -> ImitationResult:
        """Make the remaining steps of a run.

        Args:
            run: The run, which may have been interrupted or finished before.
            num_decisions: Decisions to learn from, with a choice.
            on_step: Called after each step.
            on_progress: Called with the decisions that are played.

        Returns:
            Agreement of the network with the policy on other games.
        """
        if run.result:
            return run.result
        held_out = run.train_in_rounds(
            num_decisions, ROUND_ROWS, HELD_OUT_ROWS, partial(self.collect_examples, on_progress=on_progress),
            self._policy.networks.device, on_step,
        )  # fmt: skip
        run.result = self._evaluate(run.model, held_out)
        return run.result

    def collect_examples(
        self, num_rows: int, round_number: int = 0, on_progress: ProgressCallback = lambda done, what: None
    ) -> PolicyExamples:
        """Return decisions with a choice, of games that depend on the number of the round."""
        num_tables = num_round_tables(num_rows, self._num_tables)
        keys = splitmix64_array(
            np.full(num_tables, derive_key(self._seed, _STREAM, round_number), np.uint64), np.arange(num_tables)
        )
        tables, parts, done = self._engine.start_matches(keys), list[PolicyExamples](), 0
        while done < num_rows:
            parts.append(self._play(tables, advance_to_plays(tables, self._minimiser)))
            done += len(parts[-1])
            on_progress(done, "decisions of own games for the rollout network")
        return PolicyExamples.concatenate(parts).at(slice(0, num_rows))

    def _play(self, tables: Tables, rows: Indices) -> PolicyExamples:
        """Make one play at tables [n]; returns the decisions with a choice."""
        decisions = tables.decisions(rows)
        inputs = self._policy.features(decisions)
        log_probs, open_tables = self._policy.log_probs(inputs), rows[inputs.open_rows]
        observation, legal = inputs.observation, inputs.legal
        if self._config.is_compiled:  # before the play is made
            observation = position_inputs(tables, open_tables)
            legal = decisions.legal_mask[:, inputs.open_rows].T > 0
        keys = splitmix64_array(tables.keys[open_tables], tables.num_decisions[open_tables])
        labels = inputs.complete_labels(sample_labels(log_probs, keys))
        tables.play(rows, inputs.survey.realise(labels))
        shape = self._policy.networks.shape
        no_hands = np.zeros((len(log_probs), shape.num_others, shape.num_cards), np.float16)
        return PolicyExamples(
            observation=observation,
            legal=legal,
            to_beat=inputs.to_beat,
            regret=inputs.regret.astype(np.float16),
            plays_left=inputs.plays_left,
            estimate=no_hands,
            response_counts=np.zeros((len(log_probs), 0, 0), np.uint8),
            prior=no_hands,
            hands=no_hands.astype(np.uint8),
            label=labels[inputs.open_rows],
            log_probs=np.where(inputs.legal, log_probs, -np.inf).astype(np.float16),
        )

    def _evaluate(self, network: torch.nn.Module, examples: PolicyExamples) -> ImitationResult:
        total, same, device = 0.0, 0, self._policy.networks.device
        with torch.inference_mode():
            for first in range(0, len(examples), EVALUATION_BATCH):
                part = examples.at(slice(first, first + EVALUATION_BATCH))
                divergence, agrees = _compare(network, to_training_batch(part, device), part)
                total, same = total + float(divergence.sum()), same + int(agrees.sum())
        return ImitationResult(same / len(examples), total / len(examples), len(examples))


def _compare(
    network: torch.nn.Module, batch: TrainingBatch, examples: PolicyExamples
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the divergence of a network from the policy, and whether both prefer the same label: [n] each."""
    target, imitated = torch.from_numpy(examples.log_probs).to(batch.label.device).float(), network(batch.inputs)
    difference = torch.where(target.isfinite(), target - imitated, 0)
    return (target.exp() * difference).sum(dim=1), target.argmax(dim=1) == imitated.argmax(dim=1)
