"""Custom networks and models, as a user writes them in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.learners import REGRET_UNIT, Batch, CriticBatch, GameShape, HandsBatch, InputRow, PolicyOutput


class LinearPolicy(torch.nn.Module):
    """Logits from the observation, the estimate of the hidden hands and the costs."""

    def __init__(self, shape: GameShape) -> None:
        super().__init__()
        self.logits = torch.nn.Linear(shape.num_features + shape.num_others * shape.num_cards, shape.num_actions)
        self.dropout, self.seen = torch.nn.Dropout(0.1), list[Batch]()

    def forward(self, batch: Batch) -> torch.Tensor:
        self.seen[:] = [batch]
        inputs = torch.cat([batch.observation, batch.estimate.flatten(1)], dim=1)
        logits: torch.Tensor = self.logits(self.dropout(inputs)) - batch.regret / REGRET_UNIT
        return logits


class LinearCritic(torch.nn.Module):
    """Value from the hidden hands."""

    def __init__(self, shape: GameShape) -> None:
        super().__init__()
        self.value = torch.nn.Linear(shape.num_others * (shape.num_cards + 1), 1)
        self.seen = list[CriticBatch]()

    def forward(self, batch: CriticBatch) -> torch.Tensor:
        self.seen[:] = [batch]
        value: torch.Tensor = self.value(torch.cat([batch.hands.flatten(1), batch.hidden_plays_left], dim=1))
        return value.squeeze(1)


class LinearHands(torch.nn.Module):
    """The prior, and a correction for each card."""

    def __init__(self, shape: GameShape) -> None:
        super().__init__()
        self.change = torch.nn.Parameter(torch.zeros(shape.num_others, shape.num_cards))
        self.seen = list[HandsBatch]()

    def forward(self, batch: HandsBatch) -> torch.Tensor:
        self.seen[:] = [batch]
        return batch.prior + self.change


class Whole(torch.nn.Module):
    """Policy and value in one."""

    def __init__(self, shape: GameShape) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(shape.num_features, 9)
        self.logits, self.value = torch.nn.Linear(9, shape.num_labels), torch.nn.Linear(9, 1)

    def forward(self, batch: Batch) -> PolicyOutput:
        hidden = torch.relu(self.hidden(batch.observation))
        return PolicyOutput(self.logits(hidden), self.value(hidden).squeeze(1))


class FrequencyModel:
    """A policy of ABLkit's interface: how often each label was abduced."""

    def __init__(self, shape: GameShape) -> None:
        self.counts = np.ones(shape.num_labels)

    def predict_proba(self, X: list[InputRow]) -> NDArray[np.float64]:
        assert isinstance(X[0].inputs, Batch)
        assert X[0].inputs.num_labels == len(self.counts)
        return np.tile(self.counts / self.counts.sum(), (len(X), 1))

    def predict(self, X: list[InputRow]) -> NDArray[np.int64]:
        return self.predict_proba(X).argmax(axis=1)

    def fit(self, X: list[InputRow], y: list[int]) -> float:
        assert isinstance(X[0].inputs, Batch)
        self.counts += np.bincount(y, minlength=len(self.counts))
        return 1.5

    def state_dict(self) -> dict[str, Any]:
        return {"counts": self.counts}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.counts = state["counts"].copy()


class MeanModel:
    """A critic of ABLkit's interface: the mean return so far."""

    def __init__(self) -> None:
        self.total, self.number = np.zeros(1), np.zeros(1)

    def predict(self, X: list[InputRow]) -> NDArray[np.float64]:
        assert isinstance(X[0].inputs, CriticBatch)
        return np.full(len(X), float(self.total[0] / max(1, self.number[0])))

    def fit(self, X: list[InputRow], y: list[float]) -> float:
        error = np.mean((self.predict(X) - np.array(y)) ** 2)
        self.total += np.sum(y)
        self.number += len(y)
        return float(error)

    def state_dict(self) -> dict[str, Any]:
        return {"total": self.total, "number": self.number}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.total, self.number = state["total"].copy(), state["number"].copy()


class MeanHands(MeanModel):
    """An ABLN of ABLkit's interface: the mean hand of each seat."""

    def __init__(self, shape: GameShape) -> None:
        self.total, self.number = np.zeros((shape.num_others, shape.num_cards)), np.zeros(1)

    def predict(self, X: list[InputRow]) -> NDArray[np.float64]:
        assert isinstance(X[0].inputs, HandsBatch)
        return np.tile(self.total / max(1, self.number[0]), (len(X), 1, 1))

    def fit(self, X: list[InputRow], y: Any) -> float:
        hands = np.array(y)
        error = np.mean((self.predict(X) - hands) ** 2)
        self.total += hands.sum(axis=0)
        self.number += len(hands)
        return float(error)
