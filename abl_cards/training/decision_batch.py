"""Batches of decisions for models that fit themselves, to decide and to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import torch

from abl_cards.agents import PolicyInputs, RandomKeys
from abl_cards.learners import Batch, to_batch
from abl_cards.training.experience import Experience

_CPU = torch.device("cpu")


@dataclass(frozen=True)
class DecisionBatch:
    """Batch of decisions to make, or to learn from; exactly one of ``view`` and ``experience`` is set.

    Attributes:
        view: The features of decisions to make; None to learn.
        keys: [k] random bits to sample labels with.
        experience: Decisions to learn from, with their returns and advantages; None to decide.
        num_options: Number of options of choices, whose actions come after the labels.
    """

    view: PolicyInputs | None = None
    keys: RandomKeys | None = None
    experience: Experience | None = None
    num_options: int = 0

    def __len__(self) -> int:
        return len(self.experience if self.experience is not None else self.checked_view.open_rows)

    @cached_property
    def inputs(self) -> Batch:
        """The decisions as tensors, the input of custom networks."""
        source = self.checked_view if self.experience is None else self.experience
        num_labels = source.plays_left.shape[1]
        return to_batch(source, num_labels, num_labels + self.num_options, _CPU)

    def rows(self) -> list[BatchRow]:
        """Return the decisions one by one."""
        return [BatchRow(self, row) for row in range(len(self))]

    def to_list_data(self) -> Any:
        """Return the decisions as a ``ListData`` of ABLkit, without true labels; the result Y is True."""
        from ablkit.data.structures import ListData

        return ListData(X=[[row] for row in self.rows()], gt_pseudo_label=None, Y=[True] * len(self))

    @property
    def checked_view(self) -> PolicyInputs:
        """The features of decisions to make; raises ValueError where there are none."""
        if self.view is None:
            raise ValueError("there is nothing to decide in this batch")
        return self.view


class BatchRow(NamedTuple):
    """A decision of a batch, by its row.

    Attributes:
        batch: The decisions that are evaluated together.
        row: Row of this decision in ``inputs``, and in the arrays of the batch.
    """

    batch: DecisionBatch
    row: int

    @property
    def inputs(self) -> Batch:
        """The decisions of the batch as tensors."""
        return self.batch.inputs
