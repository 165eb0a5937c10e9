"""One update of the networks from remembered decisions: PPO for the policy, regression for ABLN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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
    """What an update saw, as means over its minibatches; what the policy was certain of counts as nothing.

    Of what did not learn there is nothing to see, which is None: a loss of zero would say that it makes no error.
    """

    policy_loss: float | None = None
    value_loss: float | None = None
    entropy: float | None = None
    divergence: float | None = None  # of the new policy from the one that chose, in nats
    clipped: float | None = None  # share of the decisions where the clip held
    hands_loss: float | None = None
    foresight: float | None = None  # divergence of the policy from what looking ahead made of it, where it did, in nats

    @classmethod
    def mean(cls, updates: Sequence[UpdateStats]) -> UpdateStats:
        """What several saw that learned from as many decisions each."""
        return cls(*(_mean_or_none(column) for column in zip(*map(astuple, updates), strict=True)))


class WeightEMA:
    """A running mean of the weights of a module: steps of training jump about it, and it plays better than they do."""

    def __init__(self, module: torch.nn.Module, decay: float) -> None:
        """Begin with the weights as they are."""
        self._module, self._decay, self._steps = module, decay, 0
        self.weights = {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}

    def update(self) -> None:
        """Take the weights after a step in; at first, when there is little to remember, they count for more."""
        memory = min(self._decay, self._steps / (10 + self._steps))
        self._steps += 1
        for name, tensor in self._module.state_dict().items():
            if tensor.is_floating_point():
                self.weights[name].lerp_(tensor.detach(), 1 - memory)
            else:  # a counter
                self.weights[name].copy_(tensor)

    def state_dict(self) -> dict[str, Any]:
        """What to keep of it."""
        return {"weights": self.weights, "steps": self._steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what was kept."""
        for name, tensor in state["weights"].items():
            self.weights[name].copy_(tensor)
        self._steps = state["steps"]


class PPOLearner:
    """Networks with their optimisers."""

    def __init__(
        self,
        networks: Networks,
        symmetries: Symmetries,
        ppo: PPOConfig | None = None,
        ema_decay: float = 0.0,
        expert_config: ExpertConfig | None = None,
    ) -> None:
        """Train these in place; by default as their preset says, without a memory of the mean or a teacher."""
        self.process_group: ProcessGroup = SingleProcess()  # every step is the mean of theirs
        preset = networks.preset
        self.networks, self.symmetries, self.ppo = networks, symmetries, ppo or preset.ppo
        self._expert_config = expert_config or ExpertConfig()
        acting = [*networks.decision.parameters(), *networks.critic.parameters()]
        self.policy_optimiser = torch.optim.Adam(acting, lr=self.ppo.learning_rate, eps=1e-5, fused=True)
        self.ema = WeightEMA(networks.decision, ema_decay)
        abln = networks.abln
        self.abln_optimiser = (
            torch.optim.Adam(abln.parameters(), lr=preset.supervised_learning_rate, fused=True) if abln else None
        )

    @contextmanager
    def training_mode(self, rng: np.random.Generator) -> Iterator[None]:
        """Prepare the networks for an update; those of a preset learn in the mode that they play in."""
        yield

    def normalise_advantage(self, rows: Experience) -> NDArray[np.float32]:
        """[n] advantages less their mean, in standard deviations; both over the decisions of all processes."""
        gathered = self.process_group.all_gather(rows.advantage)
        mean = gathered.mean()
        normalised: NDArray[np.float32] = (rows.advantage - mean) / ((gathered - mean).std() + 1e-6)
        return normalised

    def summarise(
        self, value_losses: Sequence[torch.Tensor], policy_stats: Sequence[torch.Tensor], hands: Sequence[float]
    ) -> UpdateStats:
        """Return the means over the minibatches of an update."""
        policy, entropy, divergence, clipped, foresight = _column_means(policy_stats, 5)
        (value,) = _column_means(value_losses, 1)
        lookahead_divergence = foresight if self._expert_config.share else None
        return UpdateStats(policy, value, entropy, divergence, clipped, _mean_or_none(hands), lookahead_divergence)

    def mix_lookahead_values(self, rows: Experience) -> Experience:
        """With a share of what looking ahead expected in what the critic should have."""
        share = self._expert_config.value_share
        if not share:
            return rows
        mixed = (1 - share) * rows.value_target + share * rows.lookahead_value
        return replace(
            rows, value_target=np.where(np.isnan(rows.lookahead_value), rows.value_target, mixed).astype(np.float32)
        )

    def anneal_lr(self, progress: float) -> None:
        """Such a share of the run is done: the learning rate falls with what is left, to a tenth."""
        for group in self.policy_optimiser.param_groups:
            group["lr"] = self.ppo.learning_rate * max(0.1, 1 - progress)

    def load_policy_optimiser(self, state: dict[str, Any]) -> None:
        """Take up what the optimiser of the policy kept, but for the learning rate."""
        self.policy_optimiser.load_state_dict(state)
        for group in self.policy_optimiser.param_groups:
            group["lr"] = self.ppo.learning_rate

    def train_hands(self, rows: Experience, rng: np.random.Generator) -> list[float]:
        """Train ABLN on a share of the decisions; returns the loss before each step."""
        return [self.train_abln(rows, rng) for _ in range(self._count_abln_steps(len(rows)))]

    def _count_abln_steps(self, rows: int) -> int:
        """Few decisions are a step all the same: with fewer than two batches a share would round to none."""
        share = self.networks.preset.abln_train_share if self.abln_optimiser else 0.0
        return max(1, round(share * rows / self.ppo.minibatch_size)) if share else 0

    def train_minibatch(
        self, rows: Experience, advantage: NDArray[np.float32], train_critic: bool, train_policy: bool
    ) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """One step of the critic, of the policy, or of both; with what each saw, where it learned."""
        losses, valued, acted = [], [], []
        self.networks.decision.requires_grad_(
            train_policy
        )  # a value that is read off the policy's layers leaves them alone
        if train_critic:
            told = to_training_batch(rows.for_critic(), self.networks.device, dtype=self.networks.dtype)
            value = value_loss(self.networks, told, rows)
            losses.append(self.ppo.vf_coef * value)
            valued.append(value.detach()[None])
        if train_policy:
            part = self._select_uncertain(rows)
            loss, seen = self._policy_loss(rows.at(part), advantage[part], len(part) / len(rows))
            losses.append(loss)
            acted.append(seen)
        self._step(torch.stack(losses).sum())
        if train_policy:
            self.ema.update()
        return valued, acted

    def _select_uncertain(self, rows: Experience) -> Indices:
        """The decisions that the policy learns from.

        Where a label was chosen with a probability p the gradient is 1 - p times its advantage, and with p near one the
        advantage is near none: more than half of the work is saved, and the gradient stays what it was. The next
        certain ones fill the batch up where that is faster.
        """
        chosen, unit = rows.log_probability, self.networks.row_multiple
        if self._expert_config.share:  # what was foreseen may be against what was certain
            chosen = np.where(
                rows.lookahead_policy.any(axis=1), np.minimum(chosen, np.log(self.ppo.max_prob_for_update)), chosen
            )
        unsure = max(1, int((chosen <= np.log(self.ppo.max_prob_for_update)).sum()))
        return np.sort(np.argsort(chosen, kind="stable")[: -(-unsure // unit) * unit])

    def _policy_loss(
        self, rows: Experience, advantage: NDArray[np.float32], share: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Of decisions that are a share of a minibatch, whose others count as nothing.

        With it loss, entropy, divergence, the share that was clipped, and the divergence from what was foreseen.
        """
        device = self.networks.device
        told = to_training_batch(rows, device, dtype=self.networks.dtype)
        before, weight = (torch.from_numpy(array).to(device) for array in (rows.log_probability, advantage))
        with self.networks.autocast():
            every = self.networks.decision(told.inputs).float()
        now = every.gather(1, told.label[:, None]).squeeze(1)
        policy, entropy = ppo_loss(now, before, weight, self.ppo.clip_coef), mean_entropy(every)
        change = (now - before).detach()
        clipped = ((change.exp() - 1).abs() > self.ppo.clip_coef).float().mean()
        divergence = (change.exp() - 1 - change).mean()
        loss, foresight = policy - self.ppo.ent_coef * entropy, torch.zeros(())
        if self._expert_config.share:
            foresight = lookahead_loss(every, torch.from_numpy(rows.lookahead_policy).to(device).float())
            loss = loss + self._expert_config.loss_weight * foresight
        seen = share * torch.stack([policy.detach(), entropy.detach(), divergence, clipped, foresight.detach()])
        return share * loss, seen

    def _step(self, loss: torch.Tensor) -> None:
        """Of policy and critic, or of the one that the loss is of."""
        self._backward(loss, self.policy_optimiser)
        for network in (self.networks.decision, self.networks.critic):
            torch.nn.utils.clip_grad_norm_(network.parameters(), self.ppo.max_grad_norm)
        self.policy_optimiser.step()

    def train_abln(self, rows: Experience, rng: np.random.Generator) -> float:
        chosen = self._abduce_hands(rows.at(rng.integers(0, len(rows), min(len(rows), self.ppo.minibatch_size))))
        number = int(rng.integers(len(self.symmetries)))
        told = to_training_batch(chosen, self.networks.device, self.symmetries, number, self.networks.dtype)
        return self.train_abln_step(told)

    def _abduce_hands(self, rows: Experience) -> Experience:
        """The same decisions, with hands in the place of those that were not shown that explain what was laid down."""
        hidden = np.flatnonzero(~rows.is_revealed)
        abln = self.networks.abln
        if not hidden.size or abln is None:
            return rows
        unknown, hands = rows.at(hidden), rows.hands.astype(np.float32)
        with torch.inference_mode(), self.networks.autocast():
            told = to_training_batch(unknown, self.networks.device, dtype=self.networks.dtype)
            guess = abln(told.inputs.observation, told.prior).float().cpu().numpy()
        hands[hidden] = abduce_hands(guess, unknown.constraints, unknown.played_later)
        return replace(rows, hands=hands)

    def train_abln_step(self, batch: TrainingBatch) -> float:
        """One step of ABLN towards the hands of a lesson; returns the loss before."""
        abln, optimiser = self.networks.abln, self.abln_optimiser
        if abln is None or optimiser is None:
            raise ValueError("these networks have no ABLN")
        with self.networks.autocast():
            guess = abln(batch.inputs.observation, batch.prior).float()
        loss = hands_loss(guess, batch.hands)
        self._backward(loss, optimiser)
        optimiser.step()
        return loss.item()

    def _backward(self, loss: torch.Tensor, optimiser: torch.optim.Optimizer) -> None:
        """Gradients of the crew's mean loss, ready for a step."""
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        weights = [each for group in optimiser.param_groups for each in group["params"]]
        self.process_group.all_reduce_mean_([each.grad for each in weights if each.grad is not None])


def value_loss(networks: Networks, batch: TrainingBatch, rows: Experience) -> torch.Tensor:
    """The mean squared error of the critic on decisions, as a lesson and as they are."""
    opened = replace(
        to_privileged_tensors(rows, networks.device), hands=batch.hands
    )  # in the order of the lesson's cards
    with networks.autocast():
        expected = networks.critic(batch.inputs, opened).float()
    return torch.nn.functional.mse_loss(expected, torch.from_numpy(rows.value_target).to(networks.device))


def _column_means(rows: Sequence[torch.Tensor], size: int) -> list[float | None]:
    """The means of what several steps saw, [size] each; None where there were none."""
    if not rows:
        return [None] * size
    means: list[float | None] = torch.stack([*rows]).mean(dim=0).tolist()
    return means


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    """The mean of what was measured; None where nothing was."""
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None
