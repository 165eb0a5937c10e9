"""Decisions as learners are given them, in arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.decision import Question
from learners.presets import DRAWS
from learners.symmetry import Symmetries


@dataclass(frozen=True)
class Examples:
    """n decisions with what was chosen and what was hidden."""

    observation: NDArray[np.uint8]  # [n, features]
    legal: NDArray[np.bool_]  # [n, labels] what could be chosen
    to_beat: NDArray[np.int16]  # [n] label to beat, -1 when leading
    regret: NDArray[np.float16]  # [n, labels] cost over the cheapest label's, infinite where not legal
    plays: NDArray[np.uint8]  # [n, labels] the least number of plays that empties the hand after each label
    prior: NDArray[np.float16]  # [n, others, cards] what can be said of the hidden hands without learning
    estimate: NDArray[np.float16]  # [n, others, cards] of the hidden hands as the decision model is given it
    replies: NDArray[np.uint8]  # [n, others, labels] in how many of DRAWS deals each of the others could answer each
    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards] the truth, or what was abduced
    label: NDArray[np.int16]  # [n] the choice

    def __len__(self) -> int:
        return len(self.label)

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Self:
        """Some of them."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @classmethod
    def joined(cls, parts: list[Examples]) -> Examples:
        """One after the other."""
        return cls(
            **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Examples)}
        )


@dataclass(frozen=True)
class Lesson:
    """Examples as tensors on a device, their cards perhaps in another order."""

    question: Question
    prior: Tensor  # [n, others, cards] float
    hands: Tensor  # [n, others, cards] float
    label: Tensor  # [n] int64


def lesson(examples: Examples, device: torch.device, symmetries: Symmetries | None = None, number: int = 0) -> Lesson:
    """Move examples to a device, under one of the symmetries of their game."""
    observation, hands, prior, estimate = (
        torch.from_numpy(array).to(device).float()
        for array in (examples.observation, examples.hands, examples.prior, examples.estimate)
    )
    if symmetries is not None and number:
        observation = symmetries.observation(number, observation)
        hands, prior, estimate = (symmetries.hands(number, each) for each in (hands, prior, estimate))
    question = Question(
        observation=observation,
        legal=torch.from_numpy(examples.legal).to(device),
        to_beat=torch.from_numpy(examples.to_beat).to(device).long(),
        regret=torch.from_numpy(examples.regret).to(device).float(),
        plays=torch.from_numpy(examples.plays).to(device).float(),
        estimate=estimate,
        replies=torch.from_numpy(examples.replies).to(device).float() / DRAWS,
    )
    return Lesson(question, prior, hands, torch.from_numpy(examples.label).to(device).long())
