"""Base class of the ABLkit bridges: conversions between model, pseudo-labels and reasoner."""

from __future__ import annotations

from typing import Any

from ablkit.bridge import BaseBridge
from ablkit.data.structures import ListData

from abl_cards.core import ErrorCode, GameError


class ABLkitBridge(BaseBridge):  # type: ignore[misc]  # ablkit has no types
    """Base class of bridges that evaluate a run during training, without ``valid`` and ``test``."""

    def predict(self, data_examples: ListData) -> tuple[list[Any], list[Any]]:
        """Return indices and probabilities of the pseudo-labels by the model."""
        self.model.predict(data_examples)
        return data_examples.pred_idx, data_examples.pred_prob

    def abduce_pseudo_label(self, data_examples: ListData) -> list[list[Any]]:
        """Return consistent pseudo-labels by the reasoner."""
        self.reasoner.batch_abduce(data_examples)
        return data_examples.abduced_pseudo_label

    def idx_to_pseudo_label(self, data_examples: ListData) -> list[list[Any]]:
        """Return the predicted pseudo-labels by name; raises GameError where the reasoner has no name for an index."""
        names = self.reasoner.idx_to_label
        indices = [[int(index) for index in row] for row in data_examples.pred_idx]
        if unknown := {index for row in indices for index in row} - names.keys():
            message = f"the model predicts label {min(unknown)}, and the knowledge base has {len(names)} labels"
            raise GameError(f"{type(self.reasoner).__name__}: {message}", ErrorCode.INVALID_REASONER)
        data_examples.pred_pseudo_label = [[names[index] for index in row] for row in indices]
        return data_examples.pred_pseudo_label

    def pseudo_label_to_idx(self, data_examples: ListData) -> list[list[Any]]:
        """Return the abduced pseudo-labels by index."""
        numbers = self.reasoner.label_to_idx
        data_examples.abduced_idx = [[numbers[name] for name in row] for row in data_examples.abduced_pseudo_label]
        return data_examples.abduced_idx

    def valid(self, val_data: Any = None) -> None:
        """Raise NotImplementedError: a run is evaluated during training."""
        raise NotImplementedError("a run is measured while it trains: read metrics.jsonl, or play matches")

    def test(self, test_data: Any = None) -> None:
        """Raise NotImplementedError: a run is evaluated during training."""
        self.valid(test_data)
