"""The interface of a network of one's own: a `Batch` of decisions goes in, a `PolicyOutput` comes out.

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

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners.model_inputs import ModelInputs

MAX_BATCH_REGRET = 60_000.0
"""Greatest cost difference in a batch: what half precision holds, in which decisions are stored."""
_MASKED_LOGIT = -1e9


@dataclass(frozen=True)
class Batch:
    """n decisions as a network reads them: all tensors are on the device of the run (``TrainConfig.device``).

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
        regret: [n, actions] float32, cost of an action by the preferences less that of the cheapest possible action, in
            the unit of the rule files (divide by ``learners.REGRET_UNIT``); 0 where an action is not possible.
        plays_left: [n, labels] float32, least number of plays that empties the hand after each label; 0 elsewhere.
        prior: [n, others, cards] float32, expected number of copies of each card in each other hand, by counting and by
            the hints of the rule files; the others in the order of play.
    """

    observation: Tensor
    action_mask: Tensor
    is_choice: Tensor
    to_beat: Tensor
    regret: Tensor
    plays_left: Tensor
    prior: Tensor

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
class PolicyOutput:
    """Outputs of a network for a `Batch` of n decisions.

    Attributes:
        logits: [n, actions] or [n, labels] float32, unnormalised log-probabilities. Actions that ``action_mask`` rules
            out are ignored and may have any value, -inf included; all others must be finite. With [n, labels] the
            preferences decide choices, and the network never sees one.
        value: [n] float32, expected return of the episode for the seat that decides: its points less the mean of all
            seats, discounted by ``TrainConfig.gamma``.
        hands: [n, others, cards] float32, estimated number of copies of each card in each other hand, in the order of
            `Batch.prior`; None for a network that does not estimate. The estimate learns from the true hands, is
            projected onto what the rules allow, and is read by preferences about hidden hands.
    """

    logits: Tensor
    value: Tensor
    hands: Tensor | None = None


def to_batch(
    inputs: ModelInputs, prior: NDArray[np.floating], num_labels: int, num_actions: int, device: torch.device
) -> Batch:
    """Move n decisions to a device, as a `Batch`.

    Args:
        inputs: The decisions; ``legal`` and ``regret`` have [n, labels] or [n, actions] columns.
        prior: [n, others, cards] expected copies in the other hands.
        num_labels: Number of labels.
        num_actions: Number of labels and options.
        device: Where the tensors go.
    """
    missing = num_actions - inputs.legal.shape[1]
    mask = torch.nn.functional.pad(torch.from_numpy(inputs.legal), (0, missing))
    costs = torch.nn.functional.pad(torch.from_numpy(round_to_stored(inputs.regret)), (0, missing)).float()
    batch = Batch(
        observation=torch.from_numpy(inputs.observation).float(),
        action_mask=mask,
        is_choice=mask[:, num_labels:].any(dim=1),
        to_beat=torch.from_numpy(inputs.to_beat).long(),
        regret=torch.where(mask, costs.clamp(0, MAX_BATCH_REGRET), torch.zeros(())),
        plays_left=torch.from_numpy(inputs.plays_left).float(),
        prior=torch.from_numpy(round_to_stored(prior)).float(),
    )
    return batch.to(device)


def round_to_stored(values: NDArray[np.floating]) -> NDArray[np.float16]:
    """Round to the precision of stored decisions, so that a network reads equal numbers when it plays and learns."""
    return np.minimum(values, MAX_BATCH_REGRET).astype(np.float16)


def masked_log_probs(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Return float32 log-probabilities [n, actions] from logits of as many or fewer columns; very low where masked."""
    mask = action_mask[:, : logits.shape[1]]
    return torch.log_softmax(torch.where(mask, logits.float(), torch.full((), _MASKED_LOGIT)), dim=1)


def check_output(output: object, batch: Batch, model_name: str, allow_half: bool = False) -> PolicyOutput:
    """Check what a network returned for a batch.

    Args:
        output: What ``forward`` returned.
        batch: What it was called with, n decisions.
        model_name: Name of its class, for messages.
        allow_half: Whether bfloat16 and float16 are accepted, as autocast makes them.

    Returns:
        The output.

    Raises:
        GameError: It is no `PolicyOutput` (code ``model-output-type``), or a field has the wrong shape
            (``model-output-shape``), dtype (``model-output-dtype``) or values that are not finite
            (``model-output-not-finite``).
    """
    if not isinstance(output, PolicyOutput):
        raise GameError(
            f"{model_name}.forward returned {_describe(output)}; expected a PolicyOutput", ErrorCode.MODEL_OUTPUT_TYPE
        )
    n, (others, cards) = len(batch), batch.prior.shape[1:]
    widths = list(dict.fromkeys((batch.num_actions, batch.num_labels)))
    _check_field(model_name, "logits", output.logits, [(n, width) for width in widths], allow_half)
    _check_field(model_name, "value", output.value, [(n,)], allow_half)
    if output.hands is not None:
        _check_field(model_name, "hands", output.hands, [(n, others, cards)], allow_half)
    possible = batch.action_mask[:, : output.logits.shape[1]]
    _check_finite(model_name, "logits", torch.where(possible, output.logits, output.logits.new_zeros(())))
    _check_finite(model_name, "value", output.value)
    if output.hands is not None:
        _check_finite(model_name, "hands", output.hands)
    return output


_FIELD_SIZES = {"logits": "[n, actions] or [n, labels]", "value": "[n]", "hands": "[n, others, cards]"}


def _check_field(model_name: str, name: str, tensor: object, shapes: list[tuple[int, ...]], allow_half: bool) -> None:
    """Raise GameError where a field is no tensor of one of these shapes, or not of a dtype that is accepted."""
    expected = f"{_FIELD_SIZES[name]} = {' or '.join(str(list(shape)) for shape in shapes)} float32"
    message = f"{model_name}.forward: {name} is {_describe(tensor)}, expected {expected}"
    if not isinstance(tensor, Tensor):
        raise GameError(message, ErrorCode.MODEL_OUTPUT_TYPE)
    if tuple(tensor.shape) not in shapes:
        raise GameError(message, ErrorCode.MODEL_OUTPUT_SHAPE)
    accepted = (torch.float32, torch.bfloat16, torch.float16) if allow_half else (torch.float32,)
    if tensor.dtype not in accepted:
        raise GameError(f"{message}; return {name}.float()", ErrorCode.MODEL_OUTPUT_DTYPE)


def _check_finite(model_name: str, name: str, tensor: Tensor) -> None:
    """Raise GameError where a field holds NaN or an infinity."""
    finite = torch.isfinite(tensor)
    if not finite.all():
        row = int((~finite).nonzero()[0, 0])
        count = int((~finite).sum())
        raise GameError(
            f"{model_name}.forward: {name} has {count} values that are NaN or infinite (first in row {row} of "
            f"{len(tensor)}); lower learning_rate or max_grad_norm, or mend the network",
            ErrorCode.MODEL_OUTPUT_NOT_FINITE,
        )


def _describe(value: object) -> str:
    """Return the type of a value, with shape and dtype where it is a tensor."""
    if isinstance(value, Tensor):
        return f"{list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    return type(value).__name__
