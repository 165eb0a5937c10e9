"""Decisions as training examples, in arrays and in tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.model_inputs import ModelInputs, PrivilegedInputs
from abl_cards.learners.presets import RESPONSE_DEALS
from abl_cards.learners.symmetry import Symmetries


@dataclass(frozen=True)
class Examples(ModelInputs):
    """n decisions with the chosen labels and the hidden hands."""

    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards] true or abduced hands
    label: NDArray[np.int16]  # [n] the chosen label

    def __len__(self) -> int:
        return len(self.label)

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Self:
        """Return the examples of some rows."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the examples of several parts in a row."""
        return cls(
            **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        )


@dataclass(frozen=True)
class TrainingBatch:
    """Examples as tensors on a device, with the cards in one of the orders of the symmetries."""

    inputs: InputTensors
    prior: Tensor  # [n, others, cards] float
    hands: Tensor  # [n, others, cards] float
    label: Tensor  # [n] int64


def to_training_batch(
    examples: Examples,
    device: torch.device,
    symmetries: Symmetries | None = None,
    symmetry: int = 0,
    dtype: torch.dtype = torch.float32,
) -> TrainingBatch:
    """Move examples to a device.

    Args:
        examples: n decisions.
        device: Where the tensors go.
        symmetries: Symmetries of the cards; None for the natural order.
        symmetry: Index of the symmetry to apply.
        dtype: Dtype of the inputs, as in ``to_input_tensors``.
    """
    inputs = to_input_tensors(examples, device, dtype)
    hands, prior = torch.from_numpy(examples.hands).to(device).float(), inputs.prior.float()
    if symmetries is not None and symmetry:
        hands, prior, estimate = (
            symmetries.permute_hands(symmetry, array) for array in (hands, prior, inputs.estimate)
        )
        observation = symmetries.permute_observation(symmetry, inputs.observation)
        inputs = replace(inputs, observation=observation, estimate=estimate, prior=prior)
    return TrainingBatch(inputs, prior, hands, torch.from_numpy(examples.label).to(device).long())


def to_input_tensors(
    model_inputs: ModelInputs, device: torch.device, dtype: torch.dtype = torch.float32
) -> InputTensors:
    """Move the inputs of the policy to a device.

    Args:
        model_inputs: n decisions.
        device: Where the tensors go.
        dtype: Dtype of the inputs; half precision saves conversions where products are made in it.
    """
    legal, to_beat, observation, regret, plays, estimate, replies = (
        torch.from_numpy(array).to(device)
        for array in (
            model_inputs.legal,
            model_inputs.to_beat,
            model_inputs.observation,
            model_inputs.regret,
            model_inputs.plays_left,
            model_inputs.estimate,
            model_inputs.response_counts,
        )
    )
    return InputTensors(
        observation=observation.to(dtype),
        legal=legal,
        to_beat=to_beat.long(),
        regret=regret.float(),  # in full, since the logits are made of it
        plays_left=plays.to(dtype),
        estimate=estimate.to(dtype),
        response_probs=replies.to(dtype) / RESPONSE_DEALS,
        prior=torch.from_numpy(model_inputs.prior).to(device),
    )


def to_privileged_tensors(privileged: PrivilegedInputs, device: torch.device) -> PrivilegedTensors:
    """Move the privileged inputs of the critic to a device.

    Args:
        privileged: Hidden hands and what follows from them, of n decisions.
        device: Where the tensors go.
    """
    bits = np.unpackbits(privileged.lead_mask, axis=2)
    hands, to_go, openings = (
        torch.from_numpy(array).to(device) for array in (privileged.hands, privileged.hidden_plays_left, bits)
    )
    return PrivilegedTensors(hands, to_go, openings)
