"""Decisions as learners are given them, in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.decision import OpenHands, Question
from learners.presets import DRAWS
from learners.symmetry import Symmetries
from learners.told import Opened, Told


@dataclass(frozen=True)
class Examples(Told):
    """n decisions with what was chosen and what was hidden."""

    prior: NDArray[np.float16]  # [n, others, cards] what can be said of the hidden hands without learning
    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards] the truth, or what was abduced
    label: NDArray[np.int16]  # [n] the choice

    def __len__(self) -> int:
        return len(self.label)

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Self:
        """Some of them."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """One after the other."""
        return cls(
            **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        )


@dataclass(frozen=True)
class Lesson:
    """Examples as tensors on a device, their cards perhaps in another order."""

    question: Question
    prior: Tensor  # [n, others, cards] float
    hands: Tensor  # [n, others, cards] float
    label: Tensor  # [n] int64


def lesson(
    examples: Examples,
    device: torch.device,
    symmetries: Symmetries | None = None,
    number: int = 0,
    numbers: torch.dtype = torch.float32,
) -> Lesson:
    """Move examples to a device, under one of the symmetries of their game; see ``question``."""
    asked = question(examples, device, numbers)
    hands, prior = (torch.from_numpy(array).to(device).float() for array in (examples.hands, examples.prior))
    if symmetries is not None and number:
        hands, prior, estimate = (symmetries.hands(number, each) for each in (hands, prior, asked.estimate))
        asked = replace(asked, observation=symmetries.observation(number, asked.observation), estimate=estimate)
    return Lesson(asked, prior, hands, torch.from_numpy(examples.label).to(device).long())


def question(told: Told, device: torch.device, numbers: torch.dtype = torch.float32) -> Question:
    """What the decision model is told as tensors on a device.

    Where products are made in half precision, numbers of that kind save rounding them before each product.
    """
    legal, to_beat, observation, regret, plays, estimate, replies = (
        torch.from_numpy(array).to(device)
        for array in (told.legal, told.to_beat, told.observation, told.regret, told.plays, told.estimate, told.replies)
    )
    return Question(
        observation=observation.to(numbers),
        legal=legal,
        to_beat=to_beat.long(),
        regret=regret.float(),  # in full, since the logits are made of it
        plays=plays.to(numbers),
        estimate=estimate.to(numbers),
        replies=replies.to(numbers) / DRAWS,
    )


def open_hands(opened: Opened, device: torch.device) -> OpenHands:
    """What lies open before the critic as tensors on a device."""
    bits = np.unpackbits(opened.openings, axis=2)
    hands, to_go, openings = (torch.from_numpy(array).to(device) for array in (opened.hands, opened.to_go, bits))
    return OpenHands(hands, to_go, openings)
