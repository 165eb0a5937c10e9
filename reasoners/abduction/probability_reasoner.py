"""Reasoner of ABLkit that chooses the most probable consistent labels (``abl-cards[learning]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import Reasoner
from numpy.typing import NDArray


class BatchKB(Protocol):
    """Knowledge base that finds the most probable labels of many examples; see `ProgramKB`."""

    pseudo_label_list: list[Any]

    def abduce_batch(
        self,
        probabilities: Sequence[Any],
        y: Sequence[Any] | None = None,
        *,
        k: int = 1,
        x: Sequence[Any] | None = None,
    ) -> NDArray[np.int16]:
        """Find the most probable consistent labels, int16[examples, k, length]."""
        ...


class ProbabilityReasoner(Reasoner):  # type: ignore[misc]
    """Reasoner of ABLkit that chooses the most probable consistent labels, for whole batches at once.

    ABLkit's own reasoner compares only candidates with the fewest changes; this one compares all consistent labels.
    """

    def __init__(self, kb: BatchKB) -> None:
        """Make a reasoner.

        Args:
            kb: A ``ProgramKB``, a ``HandKB`` or another knowledge base with ``abduce_batch``.
        """
        super().__init__(kb)
        self.batch_kb = kb

    def batch_abduce(self, data_examples: ListData) -> list[list[Any]]:
        """Choose labels for examples.

        Args:
            data_examples: Examples with ``pred_prob``, ``Y`` and ``X``.

        Returns:
            The labels of each example; an empty list where no labels are consistent with Y.
        """
        best = self.batch_kb.abduce_batch(data_examples.pred_prob, data_examples.Y, x=data_examples.X)[:, 0]
        labels = self.batch_kb.pseudo_label_list
        abduced = [
            [labels[label] for label in row[: len(probabilities)]] if row[0] >= 0 else []
            for row, probabilities in zip(best.tolist(), data_examples.pred_prob, strict=True)
        ]
        data_examples.abduced_pseudo_label = abduced
        return abduced

    def abduce(self, data_example: ListData) -> list[Any]:
        """Choose the labels of one example.

        Args:
            data_example: Example with ``pred_prob``, ``Y`` and ``X``.

        Returns:
            The labels; an empty list where none are consistent with Y.
        """
        batch = ListData(X=[data_example.X], pred_prob=[data_example.pred_prob], Y=[data_example.Y])
        return self.batch_abduce(batch)[0]
