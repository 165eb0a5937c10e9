"""The learner of a custom network: PPO and the estimate of hidden hands in one loss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import (
    ModelNetworks,
    PPOConfig,
    Symmetries,
    hands_loss,
    masked_log_probs,
    mean_entropy,
    ppo_loss,
    to_batch,
)
from abl_cards.reasoners.hidden_hands import abduce_hands
from abl_cards.training.experience import Experience
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.process_group import ProcessGroup, SingleProcess
from abl_cards.training.updates import PPOLearner, WeightEMA, check_has_gradient

HANDS_LOSS_WEIGHT = 1.0
"""Weight of the squared error of the estimated hands beside the losses of policy and value."""


class ModelLearner(PPOLearner):
    """A custom network with its optimiser."""

    networks: ModelNetworks

    def __init__(self, networks: ModelNetworks, symmetries: Symmetries, ppo: PPOConfig, ema_decay: float) -> None:
        """Train all parameters of the network that require gradients, in place."""
        self.process_group: ProcessGroup = SingleProcess()
        self.networks, self.symmetries, self.ppo, self._expert_config = networks, symmetries, ppo, ExpertConfig()
        self._weights = [weight for weight in networks.module.parameters() if weight.requires_grad]
        if not self._weights:
            raise GameError(f"{networks.model_name} has no parameters to train", ErrorCode.MODEL_FAILED)
        self.policy_optimiser = torch.optim.Adam(self._weights, lr=ppo.learning_rate, eps=1e-5)
        self.ema = WeightEMA(networks.module, ema_decay)
        self.abln_optimiser = None
        self._hands_losses: list[float] = []

    @contextmanager
    def training_mode(self, rng: np.random.Generator) -> Iterator[None]:
        """Put the network into training mode inside the block; random numbers of dropout come from ``rng``."""
        module = self.networks.module
        devices = [self.networks.device] if self.networks.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(int(rng.integers(1 << 63)))
            module.train()
            try:
                yield
            finally:
                module.eval()
        if averaged := [buffer for buffer in module.buffers() if buffer.is_floating_point()]:
            self.process_group.all_reduce_mean_(averaged)

    def train_minibatch(
        self, rows: Experience, advantage: NDArray[np.float32], train_critic: bool, train_policy: bool
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Make one step from n decisions, of policy, value and hands together; returns the value and policy losses."""
        networks, device = self.networks, self.networks.device
        batch = to_batch(rows, networks.shape.num_labels, networks.shape.num_actions, device)
        output = networks.evaluate(batch)
        log_probs = masked_log_probs(output.logits, batch.action_mask)
        label, before, weight, returns = (
            torch.from_numpy(array).to(device)
            for array in (rows.label.astype(np.int64), rows.log_probability, advantage, rows.value_target)
        )
        now = log_probs.gather(1, label[:, None]).squeeze(1)
        policy, entropy = ppo_loss(now, before, weight, self.ppo.clip_coef), mean_entropy(log_probs)
        value = torch.nn.functional.mse_loss(output.value, returns)
        loss = policy - self.ppo.ent_coef * entropy + self.ppo.vf_coef * value
        if output.hands is not None and not bool(batch.is_choice.all()):
            error = hands_loss(*self._hands_and_targets(rows, output.hands, ~batch.is_choice))
            self._hands_losses.append(float(error.detach()))
            loss = loss + HANDS_LOSS_WEIGHT * error
        if loss.requires_grad and all(weight.requires_grad for weight in networks.module.parameters()):
            check_has_gradient(output.logits, networks, "logits depend")  # with frozen weights that may be meant
        self._step_all(loss)
        self.ema.update()
        change = (now - before).detach()
        clipped = ((change.exp() - 1).abs() > self.ppo.clip_coef).float().mean()
        divergence = (change.exp() - 1 - change).mean()
        seen = torch.stack([policy.detach(), entropy.detach(), divergence, clipped, torch.zeros_like(divergence)])
        return [value.detach()[None]], [seen]

    def _hands_and_targets(self, rows: Experience, hands: Tensor, is_play: Tensor) -> tuple[Tensor, Tensor]:
        """Return estimates of plays and what they should be: true hands, or abduced ones where those are not shown."""
        play_rows = is_play.cpu().numpy()
        plays, estimate = rows.at(play_rows), hands[is_play]
        targets = plays.hands.astype(np.float32)
        hidden = np.flatnonzero(~plays.is_revealed)
        if hidden.size:
            unknown = plays.at(hidden)
            guess = estimate.detach().cpu().numpy()[hidden]
            targets[hidden] = abduce_hands(guess, unknown.constraints, unknown.played_later)
        return estimate, torch.from_numpy(targets).to(hands.device)

    def _step_all(self, loss: Tensor) -> None:
        """Make one step of the mean loss of all processes; raises GameError where it is not finite."""
        if not torch.isfinite(loss):
            raise GameError(
                f"{self.networks.model_name}: the loss is NaN or infinite; lower learning_rate or max_grad_norm",
                ErrorCode.MODEL_OUTPUT_NOT_FINITE,
            )
        check_has_gradient(loss, self.networks)
        self.policy_optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        for weight in self._weights:  # every process must average as many numbers, whatever its decisions used
            if weight.grad is None:
                weight.grad = torch.zeros_like(weight)
        self.process_group.all_reduce_mean_([weight.grad for weight in self._weights if weight.grad is not None])
        torch.nn.utils.clip_grad_norm_(self._weights, self.ppo.max_grad_norm)
        self.policy_optimiser.step()

    def train_hands(self, rows: Experience, rng: np.random.Generator) -> list[float]:
        """Return the losses of the hand estimates in this update, which its steps have minimised already."""
        losses, self._hands_losses = self._hands_losses, []
        return losses
