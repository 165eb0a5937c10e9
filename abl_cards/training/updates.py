"""The networks of a preset with their optimisers: PPO for policy and critic, regression for ABLN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.types import Indices
from abl_cards.learners import (
    Networks,
    PPOConfig,
    Symmetries,
    TrainingBatch,
    hands_loss,
    lookahead_loss,
    mean_entropy,
    ppo_loss,
    to_privileged_tensors,
    to_training_batch,
)
from abl_cards.reasoners.hidden_hands import abduce_hands
from abl_cards.training.experience import Experience
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.process_group import ProcessGroup, SingleProcess


@dataclass(frozen=True)
class UpdateStats:
    """Measurements of an update: means over its minibatches, in which decisions that were left out count as 0.

    A field is None where no network was trained, because a loss of 0 would mean no error.
    """

    policy_loss: float | None = None
    value_loss: float | None = None
    entropy: float | None = None
    divergence: float | None = None  # divergence of the new policy from the one that chose, in nats
    clipped: float | None = None  # share of the decisions whose ratio was clipped
    hands_loss: float | None = None
    lookahead_divergence: float | None = None  # divergence of the policy from the look-ahead, in nats

    @classmethod
    def mean(cls, updates: Sequence[UpdateStats]) -> UpdateStats:
        """Return the means over several processes that learned from equally many decisions."""
        return cls(*(_mean_or_none(column) for column in zip(*map(astuple, updates), strict=True)))


class WeightEMA:
    """A running mean of the weights of a module, which plays better than the weights after a single step."""

    def __init__(self, module: torch.nn.Module, decay: float) -> None:
        """Begin with the current weights.

        Args:
            module: The module.
            decay: Weight of the mean in each step; less in the first steps.
        """
        self._module, self._decay, self._steps = module, decay, 0
        self.weights = {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}

    def update(self) -> None:
        """Add the weights after a step; in the first steps they count for more."""
        memory = min(self._decay, self._steps / (10 + self._steps))
        self._steps += 1
        for name, tensor in self._module.state_dict().items():
            if tensor.is_floating_point():
                self.weights[name].lerp_(tensor.detach(), 1 - memory)
            else:  # a counter
                self.weights[name].copy_(tensor)

    def state_dict(self) -> dict[str, Any]:
        """Return the state."""
        return {"weights": self.weights, "steps": self._steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        for name, tensor in state["weights"].items():
            self.weights[name].copy_(tensor)
        self._steps = state["steps"]


class PPOLearner:
    """The networks of a preset with their optimisers."""

    def __init__(
        self,
        networks: Networks,
        symmetries: Symmetries,
        ppo: PPOConfig | None = None,
        ema_decay: float = 0.0,
        expert_config: ExpertConfig | None = None,
    ) -> None:
        """Train networks in place.

        Args:
            networks: The networks.
            symmetries: Symmetries of the cards, for ABLN.
            ppo: Settings of PPO; None for those of the preset.
            ema_decay: Decay of the running mean of the policy's weights.
            expert_config: Settings of look-ahead targets of the policy; None for none.
        """
        self.process_group: ProcessGroup = SingleProcess()  # its processes average every gradient
        preset = networks.preset
        self.networks, self.symmetries, self.ppo = networks, symmetries, ppo or preset.ppo
        self._expert_config = expert_config or ExpertConfig()
        self.policy_optimiser = torch.optim.Adam(self.acting_weights(), lr=self.ppo.learning_rate, eps=1e-5, fused=True)
        self.ema = WeightEMA(networks.decision, ema_decay)
        self.abln_optimiser = (
            torch.optim.Adam(self.abln_weights(), lr=preset.supervised_learning_rate, fused=True)
            if networks.abln
            else None
        )

    def acting_weights(self) -> list[torch.nn.Parameter]:
        """Return the weights of policy and critic that the optimiser trains."""
        return [*self.networks.decision.parameters(), *self.networks.critic.parameters()]

    def abln_weights(self) -> list[torch.nn.Parameter]:
        """Return the weights of ABLN that the optimiser trains."""
        assert self.networks.abln is not None
        return list(self.networks.abln.parameters())

    def let_policy_learn(self, is_learning: bool) -> None:
        """Enable or disable gradients of the policy; otherwise a value head would train the policy's layers."""
        self.networks.decision.requires_grad_(is_learning)

    @contextmanager
    def training_mode(self, rng: np.random.Generator) -> Iterator[None]:
        """Prepare the networks for an update; those of a preset learn in the mode that they play in."""
        yield

    def normalise_advantage(self, rows: Experience) -> NDArray[np.float32]:
        """Normalise advantages [n] to mean 0 and standard deviation 1 over the decisions of all processes."""
        gathered = self.process_group.all_gather(rows.advantage)
        mean = gathered.mean()
        normalised: NDArray[np.float32] = (rows.advantage - mean) / ((gathered - mean).std() + 1e-6)
        return normalised

    def summarise(
        self, value_losses: Sequence[torch.Tensor], policy_stats: Sequence[torch.Tensor], hands: Sequence[float]
    ) -> UpdateStats:
        """Return the means over the minibatches of an update; raises GameError where one is not finite."""
        policy, entropy, divergence, clipped, from_lookahead = _column_means(policy_stats, 5)
        (value,) = _column_means(value_losses, 1)
        if not np.isfinite([mean for mean in (policy, value, *hands) if mean is not None]).all():
            message = f"preset {self.networks.preset.name}: the loss is NaN or infinite; lower learning_rate"
            raise GameError(message, ErrorCode.MODEL_OUTPUT_NOT_FINITE)
        lookahead_divergence = from_lookahead if self._expert_config.share else None
        return UpdateStats(policy, value, entropy, divergence, clipped, _mean_or_none(hands), lookahead_divergence)

    def mix_lookahead_values(self, rows: Experience) -> Experience:
        """Return decisions with a share of the look-ahead value in the critic's targets."""
        share = self._expert_config.value_share
        if not share:
            return rows
        mixed = (1 - share) * rows.value_target + share * rows.lookahead_value
        return replace(
            rows, value_target=np.where(np.isnan(rows.lookahead_value), rows.value_target, mixed).astype(np.float32)
        )

    def anneal_lr(self, progress: float) -> None:
        """Set the learning rate, which falls linearly over the run to a tenth.

        Args:
            progress: Share of the run that is done.
        """
        for group in self.policy_optimiser.param_groups:
            group["lr"] = self.ppo.learning_rate * max(0.1, 1 - progress)

    def load_policy_optimiser(self, state: dict[str, Any]) -> None:
        """Restore the state of the policy's optimiser, except the learning rate."""
        self.policy_optimiser.load_state_dict(state)
        for group in self.policy_optimiser.param_groups:
            group["lr"] = self.ppo.learning_rate

    def train_hands(self, rows: Experience, rng: np.random.Generator) -> list[float]:
        """Train ABLN on a share of the decisions; returns the loss before each step."""
        return [self.train_abln(rows, rng) for _ in range(self._count_abln_steps(len(rows)))]

    def _count_abln_steps(self, rows: int) -> int:
        """Return the number of steps of ABLN in an update, at least one where it trains."""
        share = self.networks.preset.abln_train_share if self.abln_optimiser else 0.0
        return max(1, round(share * rows / self.ppo.minibatch_size)) if share else 0

    def train_minibatch(
        self, rows: Experience, advantage: NDArray[np.float32], train_critic: bool, train_policy: bool
    ) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Make one step of the critic, of the policy, or of both.

        Args:
            rows: The n decisions of a minibatch.
            advantage: [n] normalised advantages.
            train_critic: Whether the critic learns.
            train_policy: Whether the policy learns.

        Returns:
            The value losses, and the statistics [5] of the policy; empty for a network that was not trained.
        """
        losses, valued, acted = [], [], []
        self.let_policy_learn(train_policy)
        if train_critic:
            batch = to_training_batch(rows.for_critic(), self.networks.device, dtype=self.networks.dtype)
            value = value_loss(self.networks, batch, rows)
            check_has_gradient(value, self.networks.critic)
            losses.append(self.ppo.vf_coef * value)
            valued.append(value.detach()[None])
        if train_policy:
            part = self._select_uncertain(rows)
            loss, seen = self._policy_loss(rows.at(part), advantage[part], len(part) / len(rows))
            check_has_gradient(loss, self.networks.decision)
            losses.append(loss)
            acted.append(seen)
        self._step(torch.stack(losses).sum())
        if train_policy:
            self.ema.update()
        return valued, acted

    def _select_uncertain(self, rows: Experience) -> Indices:
        """Return the indices of the decisions that the policy learns from.

        For a label with probability p, the gradient is 1 - p times its advantage, and near p = 1 the advantage is near
        0. Leaving these decisions out saves more than half of the work. If the size of the batch must be a multiple of
        ``row_multiple``, the least certain of the others fill it up.
        """
        chosen, unit = rows.log_probability, self.networks.row_multiple
        if self._expert_config.share:  # a look-ahead may contradict a certain policy
            chosen = np.where(
                rows.lookahead_policy.any(axis=1), np.minimum(chosen, np.log(self.ppo.max_prob_for_update)), chosen
            )
        unsure = max(1, int((chosen <= np.log(self.ppo.max_prob_for_update)).sum()))
        return np.sort(np.argsort(chosen, kind="stable")[: -(-unsure // unit) * unit])

    def _policy_loss(
        self, rows: Experience, advantage: NDArray[np.float32], share: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the loss of decisions that are a share of a minibatch, whose others count as 0.

        The second value holds policy loss, entropy, divergence, clipped share and divergence from the look-ahead.
        """
        device = self.networks.device
        batch = to_training_batch(rows, device, dtype=self.networks.dtype)
        before, weight = (torch.from_numpy(array).to(device) for array in (rows.log_probability, advantage))
        with self.networks.autocast():
            log_probs = self.networks.decision(batch.inputs).float()
        now = log_probs.gather(1, batch.label[:, None]).squeeze(1)
        policy, entropy = ppo_loss(now, before, weight, self.ppo.clip_coef), mean_entropy(log_probs)
        change = (now - before).detach()
        clipped = ((change.exp() - 1).abs() > self.ppo.clip_coef).float().mean()
        divergence = (change.exp() - 1 - change).mean()
        loss, lookahead_divergence = policy - self.ppo.ent_coef * entropy, policy.new_zeros(())
        if self._expert_config.share:
            lookahead_divergence = lookahead_loss(log_probs, torch.from_numpy(rows.lookahead_policy).to(device).float())
            loss = loss + self._expert_config.loss_weight * lookahead_divergence
        means = policy.detach(), entropy.detach(), divergence, clipped, lookahead_divergence.detach()
        seen = share * torch.stack(means)
        return share * loss, seen

    def _step(self, loss: torch.Tensor) -> None:
        """Make one step of policy and critic."""
        self._backward(loss, self.policy_optimiser)
        for network in (self.networks.decision, self.networks.critic):
            torch.nn.utils.clip_grad_norm_(list(network.parameters()), self.ppo.max_grad_norm)
        self.policy_optimiser.step()

    def train_abln(self, rows: Experience, rng: np.random.Generator) -> float:
        """Make one step of ABLN; returns the loss before it."""
        chosen = self.abduce_hands(rows.at(rng.integers(0, len(rows), min(len(rows), self.ppo.minibatch_size))))
        number = int(rng.integers(len(self.symmetries)))
        batch = to_training_batch(chosen, self.networks.device, self.symmetries, number, self.networks.dtype)
        return self.train_abln_step(batch)

    def abduce_hands(self, rows: Experience) -> Experience:
        """Return decisions with abduced hands, which explain the later plays, where the true hands are not labels."""
        hidden = np.flatnonzero(~rows.is_revealed)
        abln = self.networks.abln
        if not hidden.size or abln is None:
            return rows
        unknown, hands = rows.at(hidden), rows.hands.astype(np.float32)
        with torch.inference_mode(), self.networks.autocast():
            batch = to_training_batch(unknown, self.networks.device, dtype=self.networks.dtype)
            guess = abln(batch.inputs.observation, batch.prior).float().cpu().numpy()
        hands[hidden] = abduce_hands(guess, unknown.constraints, unknown.played_later)
        return replace(rows, hands=hands)

    def train_abln_step(self, batch: TrainingBatch) -> float:
        """Make one step of ABLN towards the hands of a batch; returns the loss before it."""
        abln, optimiser = self.networks.abln, self.abln_optimiser
        if abln is None or optimiser is None:
            raise ValueError("these networks have no ABLN")
        with self.networks.autocast():
            guess = abln(batch.inputs.observation, batch.prior).float()
        loss = hands_loss(guess, batch.hands)
        check_has_gradient(loss, abln)
        self._backward(loss, optimiser)
        optimiser.step()
        return loss.item()

    def _backward(self, loss: torch.Tensor, optimiser: torch.optim.Optimizer) -> None:
        """Compute the gradients of the mean loss of all processes."""
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self._all_reduce_gradients([weight for group in optimiser.param_groups for weight in group["params"]])

    def _all_reduce_gradients(self, weights: list[torch.nn.Parameter]) -> None:
        """Average the gradients of all processes."""
        self.process_group.all_reduce_mean_([weight.grad for weight in weights if weight.grad is not None])

    def fit_models(self, rows: Experience, stats: UpdateStats, rng: np.random.Generator) -> UpdateStats:
        """Return the measurements unchanged: a preset has no models that fit themselves."""
        return stats

    def part_state(self) -> dict[str, Any]:
        """Return an empty state: a preset has no models that fit themselves."""
        return {}

    def load_part_state(self, state: dict[str, Any]) -> None:
        """Do nothing."""


def check_has_gradient(loss: torch.Tensor, network: torch.nn.Module, what: str = "the output depends") -> None:
    """Raise GameError if a loss, or an output, depends on no weight, as where a network detaches it."""
    if not loss.requires_grad:
        remedy = "leave out detach() and torch.no_grad() in forward"
        name = getattr(network, "model_name", type(network).__name__)
        raise GameError(f"{name}: {what} on no weight; {remedy}", ErrorCode.MODEL_FAILED)


def value_loss(networks: Networks, batch: TrainingBatch, rows: Experience) -> torch.Tensor:
    """Return the mean squared error of the critic.

    Args:
        networks: The networks.
        batch: The decisions as tensors.
        rows: The decisions as arrays.
    """
    opened = replace(
        to_privileged_tensors(rows, networks.device), hands=batch.hands
    )  # in the order of the lesson's cards
    with networks.autocast():
        expected = networks.critic(batch.inputs, opened).float()
    return torch.nn.functional.mse_loss(expected, torch.from_numpy(rows.value_target).to(networks.device))


def _column_means(rows: Sequence[torch.Tensor], size: int) -> list[float | None]:
    """Return the means of the statistics [size] of several steps; None where there are no steps."""
    if not rows:
        return [None] * size
    means: list[float | None] = torch.stack([*rows]).mean(dim=0).tolist()
    return means


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that are not None; None where there are none."""
    measured = [value for value in values if value is not None]
    return float(np.mean(measured)) if measured else None
