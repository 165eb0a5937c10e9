"""Learner of a preset with custom networks, some trained by gradient and some with a ``fit`` method."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import (
    CriticBatch,
    FittedPart,
    HandsBatch,
    InputRow,
    NetworkPart,
    Networks,
    PPOConfig,
    Symmetries,
    to_input_tensors,
    to_privileged_tensors,
)
from abl_cards.training.decision_batch import DecisionBatch
from abl_cards.training.experience import Experience
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.updates import PPOLearner, UpdateStats, WeightEMA


class LatestWeights(WeightEMA):
    """Weights of a model that fits itself; its latest weights are used for play."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module

    @property
    def weights(self) -> dict[str, Any]:  # type: ignore[override]
        """The current weights."""
        return self._module.state_dict()

    def state_dict(self) -> dict[str, Any]:
        """Return no state: the weights are those of the networks."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Do nothing."""


class PartsLearner(PPOLearner):
    """Learner of networks of a preset and custom networks together."""

    def __init__(
        self, networks: Networks, symmetries: Symmetries, ppo: PPOConfig, ema_decay: float, expert_config: ExpertConfig
    ) -> None:
        """Train the parameters that require gradients, in place; models that fit themselves are fitted."""
        parts = dict(networks.parts.items())
        self._own = [part for part in parts.values() if part.learns_by_gradient]
        self._fitted = {name: part for name, part in parts.items() if isinstance(part, FittedPart)}
        self._policy_weights = _trainable(networks.decision)
        self._trained_parts: list[NetworkPart] = []  # in the step that is being made
        super().__init__(networks, symmetries, ppo, ema_decay, expert_config)
        if "policy" in self._fitted:
            self.ema = LatestWeights(networks.decision)
        if not _trainable(networks.abln):
            self.abln_optimiser = None
        if not self._fitted and not any(map(_trainable, (networks.decision, networks.critic, networks.abln))):
            names = ", ".join(part.model_name for part in self._own)
            raise GameError(f"{names}: no network of the run has parameters to train", ErrorCode.MODEL_FAILED)

    def acting_weights(self) -> list[torch.nn.Parameter]:
        """Return the weights of policy and critic that the optimiser trains."""
        weights = [*self._policy_weights, *_trainable(self.networks.critic)]
        return weights or [torch.nn.Parameter(torch.zeros(0))]  # an optimiser needs one

    def abln_weights(self) -> list[torch.nn.Parameter]:
        """Return the weights of ABLN that the optimiser trains."""
        return _trainable(self.networks.abln) or [torch.nn.Parameter(torch.zeros(0))]

    def let_policy_learn(self, is_learning: bool) -> None:
        """Enable or disable gradients of the policy; frozen weights stay frozen."""
        for weight in self._policy_weights:
            weight.requires_grad_(is_learning)

    @contextmanager
    def training_mode(self, rng: np.random.Generator) -> Iterator[None]:
        """Put custom networks into training mode inside the block; random numbers of dropout come from ``rng``."""
        devices = [self.networks.device] if self.networks.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(int(rng.integers(1 << 63)))
            for part in self._own:
                part.train()
            try:
                yield
            finally:
                self.networks.eval()
                self.let_policy_learn(True)  # else the user's object would stay frozen
        buffers = [buffer for part in self._own for buffer in part.buffers() if buffer.is_floating_point()]
        if buffers:
            self.process_group.all_reduce_mean_(buffers)

    def train_minibatch(
        self, rows: Experience, advantage: NDArray[np.float32], train_critic: bool, train_policy: bool
    ) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Make one step of the networks that learn by gradient."""
        networks = self.networks
        train_critic = train_critic and bool(_trainable(networks.critic))
        train_policy = train_policy and bool(self._policy_weights)
        if not train_critic and not train_policy:
            return [], []
        candidates = (networks.decision if train_policy else None, networks.critic if train_critic else None)
        self._trained_parts = [part for part in candidates if isinstance(part, NetworkPart)]
        return super().train_minibatch(rows, advantage, train_critic, train_policy)

    def train_abln(self, rows: Experience, rng: np.random.Generator) -> float:
        """Make one step of ABLN; returns the loss before it."""
        self._trained_parts = [part for part in (self.networks.abln,) if isinstance(part, NetworkPart)]
        return super().train_abln(rows, rng)

    def _backward(self, loss: torch.Tensor, optimiser: torch.optim.Optimizer) -> None:
        if not torch.isfinite(loss):
            names = ", ".join(part.model_name for part in self._own)
            message = f"{names}: the loss is NaN or infinite; lower learning_rate or max_grad_norm"
            raise GameError(message, ErrorCode.MODEL_OUTPUT_NOT_FINITE)
        super()._backward(loss, optimiser)

    def _all_reduce_gradients(self, weights: list[torch.nn.Parameter]) -> None:
        for part in self._trained_parts:  # every process must average as many numbers, whatever its decisions used
            for weight in _trainable(part):
                if weight.grad is None:
                    weight.grad = torch.zeros_like(weight)
        super()._all_reduce_gradients(weights)

    # --- models that fit themselves ----------------------------------------------------------------------------------

    def fit_models(self, rows: Experience, stats: UpdateStats, rng: np.random.Generator) -> UpdateStats:
        """Fit custom models to the decisions of an update; returns the measurements with their losses.

        Their policy does not depend on a critic, so it learns from the first update on. Random numbers of torch come
        from ``rng``.
        """
        if not self._fitted:
            return stats
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(1 << 63)))
            return self._fit_models(rows, stats)

    def _fit_models(self, rows: Experience, stats: UpdateStats) -> UpdateStats:
        """Fit each model; returns the measurements with their losses."""
        for name, part in self._fitted.items():
            if name == "critic":
                stats = replace(stats, value_loss=part.fit(*self._returns(rows)))
            elif name == "abln":
                stats = replace(stats, hands_loss=part.fit(*self._hands(rows)))
            else:
                batch = DecisionBatch(experience=rows, num_options=self.networks.shape.num_options)
                stats = replace(stats, policy_loss=part.fit(batch.rows(), rows.label.tolist()))
        return stats

    def _returns(self, rows: Experience) -> tuple[list[InputRow], list[float]]:
        """Return what a critic reads of decisions, and their returns."""
        inputs = to_input_tensors(rows, self.networks.device)
        privileged = to_privileged_tensors(rows, self.networks.device)
        batch = CriticBatch.of(inputs, privileged)
        return [InputRow(batch, row) for row in range(len(rows))], rows.value_target.tolist()

    def _hands(self, rows: Experience) -> tuple[list[InputRow], list[NDArray[np.float32]]]:
        """Return what an ABLN reads of decisions, and their true or abduced hands [others, cards]."""
        rows = self.abduce_hands(rows)
        inputs = to_input_tensors(rows, self.networks.device)
        batch = HandsBatch(inputs.observation.float(), inputs.prior.float())
        return [InputRow(batch, row) for row in range(len(rows))], list(rows.hands.astype(np.float32))

    def part_state(self) -> dict[str, Any]:
        """Return the states of the optimisers of models that fit themselves."""
        return {name: part.optimiser.state_dict() for name, part in self._fitted.items() if part.optimiser}

    def load_part_state(self, state: dict[str, Any]) -> None:
        """Restore the states of the optimisers of models that fit themselves."""
        for name, part in self._fitted.items():
            if part.optimiser and name in state:
                part.optimiser.load_state_dict(state[name])


def _trainable(network: torch.nn.Module | None) -> list[torch.nn.Parameter]:
    """Return the parameters of a network that the optimiser of the run may change; none where there is no network."""
    if network is None:
        return []
    if isinstance(network, NetworkPart) and not network.learns_by_gradient:
        return []
    return [weight for weight in network.parameters() if weight.requires_grad]
