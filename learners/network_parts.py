"""Custom networks that replace single networks of a preset: policy, critic or ABLN.

Each reads a typed batch and returns one tensor. The other networks of the preset are trained together with it.

>>> class Critic(torch.nn.Module):
...     def __init__(self, shape):  # learners.GameShape: the sizes of a game
...         super().__init__()
...         self.value = torch.nn.Linear(shape.num_features + shape.num_others, 1)
...     def forward(self, batch):  # a CriticBatch
...         return self.value(torch.cat([batch.observation, batch.hidden_plays_left], dim=1)).squeeze(-1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.model_interface import (
    MAX_BATCH_REGRET,
    Batch,
    CriticBatch,
    HandsBatch,
    PolicyOutput,
    masked_log_probs,
)
from abl_cards.learners.output_checks import call_forward, check_finite, check_state, check_tensor, check_unwritten

if TYPE_CHECKING:
    from abl_cards.learners.networks import GameShape

POLICY, CRITIC, ABLN_PART = "policy", "critic", "abln"
"""Names of the parts that can be replaced, in cards and options."""


class NetworkPart(nn.Module):
    """A custom network in the place of one network of a preset."""

    learns_by_gradient = True
    """Whether the optimiser of the run trains it; else it fits itself."""

    def __init__(self, module: nn.Module, shape: GameShape) -> None:
        """Wrap a module; it is not copied."""
        super().__init__()
        check_state(module)
        self.module, self.shape = module, shape

    @property
    def model_class(self) -> type:
        """Class of the wrapped object."""
        return type(self.module)

    @property
    def model_name(self) -> str:
        """Name of the class of the wrapped object."""
        return self.model_class.__qualname__

    def evaluate(self, batch: Batch | CriticBatch | HandsBatch) -> Tensor:
        """Call the network; raises GameError where it fails, or writes into the batch."""
        with check_unwritten(self.model_name, batch):
            return call_forward(self.module, batch)

    def _check(self, name: str, output: Tensor, *shapes: tuple[int, ...]) -> None:
        """Raise GameError where an output is not a tensor of one of these shapes."""
        if isinstance(output, PolicyOutput):
            message = (
                f"{self.model_name}.forward returned a PolicyOutput, expected {name}; pass such a network as model="
            )
            raise GameError(message, ErrorCode.MODEL_OUTPUT_TYPE)
        check_tensor(self.model_name, name, output, list(dict.fromkeys(shapes)), _is_autocast_enabled())


class PolicyPart(NetworkPart):
    """A custom policy: ``forward(batch: Batch)`` returns logits [n, labels], or [n, actions] with unused options."""

    trust = None  # costs of the preferences are inputs, not a part of the logits

    def __init__(self, module: nn.Module, shape: GameShape) -> None:
        """Wrap a module; it is not copied."""
        super().__init__(module, shape)
        self.input_dropout, self.dropout = nn.Dropout(0.0), nn.Dropout(0.0)  # set by supervised training, and unused

    def forward(self, inputs: InputTensors) -> Tensor:
        """Return log-probabilities [n, labels]; very low where a label is not possible."""
        n, labels = inputs.legal.shape
        if not n:
            return inputs.observation.new_zeros((0, labels), dtype=torch.float32)
        batch = self.to_batch(inputs)
        logits = self.evaluate(batch)
        self._check("logits", logits, (n, self.shape.num_actions), (n, labels))
        logits = logits[:, :labels]
        check_finite(self.model_name, "logits", torch.where(inputs.legal, logits, logits.new_zeros(())))
        return masked_log_probs(logits, batch.action_mask)

    def to_batch(self, inputs: InputTensors) -> Batch:
        """Return the inputs of a policy as a `Batch`, rounded as stored decisions are."""
        mask = nn.functional.pad(inputs.legal, (0, self.shape.num_options))
        costs = nn.functional.pad(_round_to_stored(inputs.regret), (0, self.shape.num_options))
        return Batch(
            observation=inputs.observation.float(),
            action_mask=mask,
            is_choice=torch.zeros_like(mask[:, 0]),
            to_beat=inputs.to_beat,
            regret=torch.where(mask, costs.clamp(0, MAX_BATCH_REGRET), costs.new_zeros(())),
            plays_left=inputs.plays_left.float(),
            prior=_round_to_stored(inputs.prior),
            estimate=_round_to_stored(inputs.estimate),
        )


class CriticPart(NetworkPart):
    """A custom critic: ``forward(batch: CriticBatch)`` returns values [n]."""

    def forward(self, inputs: InputTensors, privileged: PrivilegedTensors) -> Tensor:
        """Return the expected return [n]."""
        n = len(inputs.observation)
        if not n:
            return inputs.observation.new_zeros(0, dtype=torch.float32)
        batch = CriticBatch.of(inputs, privileged)
        value = self.evaluate(batch)
        self._check("value", value, (n,))
        check_finite(self.model_name, "value", value)
        return value


class AblnPart(NetworkPart):
    """A custom ABLN: ``forward(batch: HandsBatch)`` returns expected copies [n, others, cards]."""

    def forward(self, observation: Tensor, prior: Tensor) -> Tensor:
        """Return the expected copies [n, others, cards] in the other hands."""
        if not len(observation):
            return prior.float()
        hands = self.evaluate(HandsBatch(observation.float(), _round_to_stored(prior)))
        self._check("hands", hands, (len(observation), self.shape.num_others, self.shape.num_cards))
        check_finite(self.model_name, "hands", hands)
        return hands


@dataclass(frozen=True)
class NetworkParts:
    """The custom networks in a run; None for those of the preset."""

    policy: PolicyPart | None = None
    critic: CriticPart | None = None
    abln: AblnPart | None = None

    def items(self) -> Iterator[tuple[str, NetworkPart]]:
        """Yield names and parts of those that are given."""
        for field in fields(self):
            part = getattr(self, field.name)
            if part is not None:
                yield field.name, part


NO_PARTS = NetworkParts()
"""The parts of a run of a preset."""


def _is_autocast_enabled() -> bool:
    """Return whether products are made in half precision here."""
    return torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")


def _round_to_stored(values: Tensor) -> Tensor:
    """Round to the precision of stored decisions, so that a network reads equal numbers when it plays and learns."""
    return values.clamp(max=MAX_BATCH_REGRET).half().float()
