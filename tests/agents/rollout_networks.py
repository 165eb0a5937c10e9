"""Rollout networks with random weights, and what they say in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.games.rollouts import position_inputs
from abl_cards.learners import GameShape, ModelInputs, RolloutNetwork, to_input_tensors
from abl_cards.learners.presets import RolloutConfig

CONFIG = RolloutConfig(is_compiled=True, hidden=(24, 16))


def random_network(engine: Any) -> RolloutNetwork:
    """Return a network of positions whose labels differ in probability."""
    torch.manual_seed(5)
    network = RolloutNetwork(GameShape.of(engine), CONFIG)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(4)
    return network.eval()


def network_log_probs(network: RolloutNetwork, tables: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the log-probabilities of all labels at tables [n], by the network in torch: [n, labels]."""
    decisions = tables.decisions(rows)
    empty, none = np.zeros((len(rows), 0, 0), np.float32), np.zeros((len(rows), 0), np.float32)
    inputs = ModelInputs(
        observation=position_inputs(tables, rows), legal=decisions.legal_mask.T.astype(bool),
        to_beat=decisions.label_to_beat, regret=none, plays_left=none.astype(np.uint8), estimate=empty,
        response_counts=empty.astype(np.uint8), prior=empty,
    )  # fmt: skip
    with torch.inference_mode():
        log_probs: NDArray[np.float32] = network(to_input_tensors(inputs, torch.device("cpu"), torch.float32)).numpy()
    return log_probs
