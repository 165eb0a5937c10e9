"""The interface of a custom network: a `Batch` of decisions goes in, a `PolicyOutput` comes out.

>>> class TwoLayers(torch.nn.Module):
...     def __init__(self, shape):  # learners.GameShape: the sizes of a game
...         super().__init__()
...         self.hidden = torch.nn.Linear(shape.num_features, 64)
...         self.logits, self.value = torch.nn.Linear(64, shape.num_actions), torch.nn.Linear(64, 1)
...     def forward(self, batch):
...         hidden = torch.relu(self.hidden(batch.observation))
...         return PolicyOutput(self.logits(hidden), self.value(hidden).squeeze(-1))
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.model_inputs import ModelInputs

MAX_BATCH_REGRET = 60_000.0
"""Greatest cost difference in a batch: what half precision holds, in which decisions are stored."""
_MASKED_LOGIT = -1e9
_LOWEST = torch.finfo(torch.float32).min  # stands for the greatest logit of a row that is masked as a whole


@dataclass(frozen=True)
class Batch:
    """Batch of n decisions, the input of a network; all tensors are on the device of the run (``TrainConfig.device``).

    There are two kinds of decisions. In a *play* one of the labels is chosen, such as a pair of fours. In a *choice*
    one of the options is chosen, such as a bid or a card to give. Both share one numbering of actions: the labels come
    first (``engine.labels``), then the options (``engine.rules.schema.options``), so action ``labels + k`` is option k.
    A batch may hold both kinds. Only decisions with more than one possible action are ever passed.

    Attributes:
        observation: [n, features] float32, the seat's observation: card counts and indicators as
            ``engine.observation_features`` names them.
        action_mask: [n, actions] bool, True where an action is possible and consistent with the rules.
        is_choice: [n] bool, True where an option is to be chosen, False where a label is.
        to_beat: [n] int64, label to beat; -1 where the seat leads or an option is to be chosen.
        regret: [n, actions] float32, cost of an action by the preferences less that of the cheapest possible action.
            The unit is that of the rule files (divide by ``learners.REGRET_UNIT``). 0 for an impossible action.
        plays_left: [n, labels] float32, least number of plays that empties the hand after each label; 0 for labels
            that are not possible.
        prior: [n, others, cards] float32, expected number of copies of each card in each other hand, by counting and by
            the hints of the rule files. The other seats are in the order of play.
        estimate: [n, others, cards] float32, copies expected by the ABLN of the run, projected onto the constraints of
            the rules; equal to ``prior`` in a run without ABLN.
    """

    observation: Tensor
    action_mask: Tensor
    is_choice: Tensor
    to_beat: Tensor
    regret: Tensor
    plays_left: Tensor
    prior: Tensor
    estimate: Tensor

    def __len__(self) -> int:
        return len(self.observation)

    @property
    def num_labels(self) -> int:
        """Number of labels; the actions from this index on are options."""
        return self.plays_left.shape[1]

    @property
    def num_actions(self) -> int:
        """Number of actions: labels, then options."""
        return self.action_mask.shape[1]

    def to(self, device: torch.device | str) -> Batch:
        """Return the batch on another device."""
        return Batch(**{field.name: getattr(self, field.name).to(device) for field in fields(self)})


@dataclass(frozen=True)
class CriticBatch:
    """Batch of n decisions, the input of a critic, which reads the hidden hands in training and on sampled deals.

    Attributes:
        observation: [n, features] float32, as in `Batch`.
        action_mask: [n, labels] bool, True where a label is possible and consistent with the rules.
        to_beat: [n] int64, label to beat; -1 where the seat leads.
        plays_left: [n, labels] float32, least number of plays that empties the hand after each label; 0 for labels
            that are not possible.
        hands: [n, others, cards] float32, copies of each card in each other hand, in the order of play.
        hidden_plays_left: [n, others] float32, least number of plays that empties each other hand.
    """

    observation: Tensor
    action_mask: Tensor
    to_beat: Tensor
    plays_left: Tensor
    hands: Tensor
    hidden_plays_left: Tensor

    def __len__(self) -> int:
        return len(self.observation)

    @classmethod
    def of(cls, inputs: InputTensors, privileged: PrivilegedTensors) -> CriticBatch:
        """Return the inputs of a preset's critic as a batch."""
        return cls(
            observation=inputs.observation.float(),
            action_mask=inputs.legal,
            to_beat=inputs.to_beat,
            plays_left=inputs.plays_left.float(),
            hands=privileged.hands.float(),
            hidden_plays_left=privileged.plays_left.float(),
        )


@dataclass(frozen=True)
class HandsBatch:
    """Batch of n decisions, the input of an ABLN, without costs of labels, which may depend on its estimate.

    Attributes:
        observation: [n, features] float32, as in `Batch`.
        prior: [n, others, cards] float32, as in `Batch`.
    """

    observation: Tensor
    prior: Tensor

    def __len__(self) -> int:
        return len(self.observation)


@dataclass(frozen=True)
class PolicyOutput:
    """Outputs of a network for a `Batch` of n decisions.

    Attributes:
        logits: [n, actions] or [n, labels] float32, unnormalised log-probabilities. Actions that ``action_mask``
            excludes are ignored and may have any value, -inf included; all others must be finite. With [n, labels] the
            preferences decide choices, and no choice is passed to the network.
        value: [n] float32, expected return of the episode for the seat that decides: its points less the mean of all
            seats, discounted by ``TrainConfig.gamma``.
        hands: [n, others, cards] float32, estimated number of copies of each card in each other hand, in the order of
            `Batch.prior`; None for a network that does not estimate. The estimate learns from the true hands, is
            projected onto what the rules allow, and is read by preferences about hidden hands.
    """

    logits: Tensor
    value: Tensor
    hands: Tensor | None = None


def to_batch(inputs: ModelInputs, num_labels: int, num_actions: int, device: torch.device) -> Batch:
    """Move n decisions to a device, as a `Batch`.

    Args:
        inputs: The decisions; ``legal`` and ``regret`` have [n, labels] or [n, actions] columns. Where ``estimate`` has
            no columns, the batch repeats the prior.
        num_labels: Number of labels.
        num_actions: Number of labels and options.
        device: Where the tensors go.
    """
    missing = num_actions - inputs.legal.shape[1]
    prior = torch.from_numpy(round_to_stored(inputs.prior)).float()
    estimate = torch.from_numpy(round_to_stored(inputs.estimate)).float() if inputs.estimate.shape[2] else prior
    mask = torch.nn.functional.pad(torch.from_numpy(inputs.legal), (0, missing))
    costs = torch.nn.functional.pad(torch.from_numpy(round_to_stored(inputs.regret)), (0, missing)).float()
    batch = Batch(
        observation=torch.from_numpy(inputs.observation).float(),
        action_mask=mask,
        is_choice=mask[:, num_labels:].any(dim=1),
        to_beat=torch.from_numpy(inputs.to_beat).long(),
        regret=torch.where(mask, costs.clamp(0, MAX_BATCH_REGRET), torch.zeros(())),
        plays_left=torch.from_numpy(inputs.plays_left).float(),
        prior=prior,
        estimate=estimate,
    )
    return batch.to(device)


def round_to_stored(values: NDArray[np.floating]) -> NDArray[np.float16]:
    """Round to the precision of stored decisions, so that a network reads equal numbers when it plays and learns."""
    return np.minimum(values, MAX_BATCH_REGRET).astype(np.float16)


def masked_log_probs(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Return float32 log-probabilities [n, actions] from logits of as many or fewer columns; very low where masked.

    The greatest unmasked logit is subtracted first, so very low logits do not underflow.
    """
    mask, logits = action_mask[:, : logits.shape[1]], logits.float()
    if logits.shape[1]:
        logits = logits - logits.detach().masked_fill(~mask, -torch.inf).amax(dim=1, keepdim=True).clamp(min=_LOWEST)
    return torch.log_softmax(torch.where(mask, logits, torch.full((), _MASKED_LOGIT)), dim=1)
