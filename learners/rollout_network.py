"""Rollout network: a light policy that plays imagined tables on in a look-ahead.

It learns from the policy (distillation) and reads less: neither the estimate of the hidden hands nor the history as a
sequence. A compiled function evaluates it on the inputs that are not zero, so that a play takes about as long as the
rules do. The policy plays better, but a look-ahead evaluates many more deals with this one in the same time. A network
for compiled episodes reads positions and labels alone, no costs and plays left.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from abl_cards.core import copy_values, device_function, kernel, map_ranges
from abl_cards.games.types import Indices
from abl_cards.learners.decision import MAX_REGRET, PLAYS_UNIT, REGRET_UNIT, InputTensors
from abl_cards.learners.networks import GameShape
from abl_cards.learners.presets import LEGAL, PLAYS_LEFT, REGRET, TO_BEAT, RolloutConfig

MAX_COUNT = 4
"""Greatest number in an observation that is told from the next one; each number has weights of its own."""
_LABEL_INPUTS = (TO_BEAT, LEGAL, REGRET, PLAYS_LEFT)
_COMPILED_LABEL_INPUTS = (TO_BEAT, LEGAL)
_MASKED_LOGIT = -1e9
_LANES = 16  # partial sums of a dot product, which are added in parallel


class RolloutWeights(NamedTuple):
    """Weights of a rollout network as arrays, float32, for the compiled function.

    Attributes:
        first: [inputs, width] rows of observation entries by number (1 first), then of labels, input by input.
        first_bias: [width].
        second: [width, second width].
        second_bias: [second width].
        output: [labels, second width].
        output_bias: [labels].
        scales: [2] factors of the regret and of the plays left that are subtracted from the logits.
    """

    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    output_bias: NDArray[np.float32]
    scales: NDArray[np.float32]


class RolloutNetwork(nn.Module):
    """Two hidden layers over numbers of the observation, or a position, and inputs for each label."""

    def __init__(self, shape: GameShape, config: RolloutConfig) -> None:
        """Create the network for the sizes of a game."""
        super().__init__()
        first, second = config.hidden
        self._max_count = 1 if config.is_compiled else MAX_COUNT
        self._label_inputs = _COMPILED_LABEL_INPUTS if config.is_compiled else _LABEL_INPUTS
        features = (shape.num_position_inputs if config.is_compiled else shape.num_features) * self._max_count
        self.column_blocks = [(features, 0), (0, len(self._label_inputs))]  # for weight transfer
        inputs = features + len(self._label_inputs) * shape.num_labels
        self.first, self.second = nn.Linear(inputs, first), nn.Linear(first, second)
        self.output = nn.Linear(second, shape.num_labels)
        self.scales = nn.Parameter(torch.ones(2))
        nn.init.normal_(self.output.weight, std=0.01)

    def forward(self, inputs: InputTensors) -> Tensor:
        """Return log-probabilities of the labels, [n, labels]."""
        numbers = torch.arange(1, self._max_count + 1, device=inputs.observation.device)
        one_hot = inputs.observation.clamp(max=self._max_count)[:, :, None] == numbers
        labels = [inputs.get_input(TO_BEAT), inputs.legal]
        values = [inputs.get_input(name) * inputs.legal for name in self._label_inputs[len(labels) :]]
        parts = [one_hot.flatten(1), *labels, *values]
        hidden = torch.relu(self.first(torch.cat([part.float() for part in parts], dim=1)))
        logits = self.output(torch.relu(self.second(hidden)))
        for scale, value in zip(self.scales, values, strict=False):
            logits = logits - scale * value
        return torch.where(inputs.legal, logits, _MASKED_LOGIT).log_softmax(dim=1)

    def to_weights(self) -> RolloutWeights:
        """Return the weights as arrays."""
        arrays = (
            self.first.weight.t(), self.first.bias, self.second.weight.t(), self.second.bias, self.output.weight,
            self.output.bias, self.scales,
        )  # fmt: skip
        return RolloutWeights(*(array.detach().float().cpu().contiguous().numpy() for array in arrays))


def choose_candidates(
    weights: RolloutWeights,
    start: Indices,
    label: NDArray[np.int16],
    cost: NDArray[np.int32],
    is_consistent: NDArray[np.bool_],
    plays_left: NDArray[np.uint8],
    observation: NDArray[np.uint8],
    to_beat: NDArray[np.int16],
) -> tuple[Indices, NDArray[np.bool_]]:
    """Choose the most probable label of each decision, and its cheapest card set.

    Args:
        weights: Weights of the network.
        start: int64 [n + 1] first candidate of each decision.
        label: int16 [moves] label of each candidate.
        cost: int32 [moves] cost by the preferences.
        is_consistent: bool [moves] whether a candidate violates no constraint.
        plays_left: uint8 [moves] fewest plays that empty the hand after it.
        observation: uint8 [n, features].
        to_beat: int16 [n] label to beat, -1 when leading.

    Returns:
        int64 [n] candidates; bool [n] whether there was more than one label to choose from.
    """
    rows, has_choice = np.zeros(len(to_beat), np.int64), np.zeros(len(to_beat), np.bool_)
    candidates = start, label, cost, is_consistent, plays_left
    map_ranges(len(rows), lambda lo, hi: _choose(*candidates, observation, to_beat, *weights, lo, hi, rows, has_choice))
    return rows, has_choice


@kernel
def _choose(
    start, label, cost, consistent, plays, observation, to_beat, first, first_bias, second, second_bias, output,
    output_bias, scales, lo, hi, rows, has_choice,
):  # fmt: skip
    """Choose a candidate of each decision lo..hi-1."""
    num_labels, num_features = len(output_bias), observation.shape[1]
    best_row, labels = np.full(num_labels, -1, np.int64), np.zeros(num_labels, np.int64)
    hidden, last = np.zeros(len(first_bias), np.float32), np.zeros(len(second_bias), np.float32)
    values = np.zeros((2, num_labels), np.float32)  # regret and plays left in their units
    for i in range(lo, hi):
        n = _list_labels(start[i], start[i + 1], label, cost, consistent, best_row, labels)
        has_choice[i] = n > 1
        if n == 1:
            rows[i] = best_row[labels[0]]
        else:
            _scale_inputs(labels[:n], best_row, cost, plays, values)
            copy_values(first_bias, hidden, len(hidden))
            for j in range(num_features):
                if observation[i, j]:
                    _add_row(hidden, first[j * MAX_COUNT + min(observation[i, j], MAX_COUNT) - 1], np.float32(1))
            offset = num_features * MAX_COUNT
            if to_beat[i] >= 0:
                _add_row(hidden, first[offset + to_beat[i]], np.float32(1))
            for k in range(n):
                row = offset + num_labels + labels[k]
                regret_row, plays_row = first[row + num_labels], first[row + 2 * num_labels]
                for j in range(len(hidden)):
                    hidden[j] += first[row, j] + regret_row[j] * values[0, k] + plays_row[j] * values[1, k]
            _apply_second_layer(second, second_bias, hidden, last)
            rows[i] = best_row[_find_best_label(labels[:n], values, last, output, output_bias, scales)]
        for k in range(start[i], start[i + 1]):
            best_row[label[k]] = -1


@device_function
def choose_label(weights, active, num_active, to_beat, labels, hidden, last, no_values):
    """Choose the most probable label of a position by a network for compiled episodes.

    Args:
        weights: RolloutWeights.
        active: int64 [inputs] the inputs of the position that are 1.
        num_active: How many they are.
        to_beat: Label to beat, -1 when leading.
        labels: int64 [n] the labels to choose from.
        hidden: float32 [width], a buffer.
        last: float32 [second width], a buffer.
        no_values: float32 [2, n], zeros.

    Returns:
        The label.
    """
    first, num_labels = weights.first, len(weights.output_bias)
    offset = len(first) - 2 * num_labels
    copy_values(weights.first_bias, hidden, len(hidden))
    for k in range(num_active):
        _add_row(hidden, first[active[k]], np.float32(1))
    if to_beat >= 0:
        _add_row(hidden, first[offset + to_beat], np.float32(1))
    for k in range(len(labels)):
        _add_row(hidden, first[offset + num_labels + labels[k]], np.float32(1))
    _apply_second_layer(weights.second, weights.second_bias, hidden, last)
    return _find_best_label(labels, no_values, last, weights.output, weights.output_bias, weights.scales)


@device_function
def _list_labels(begin, end, label, cost, consistent, best_row, labels):
    """List the labels to choose from and their best candidates; returns their number."""
    n, any_consistent = 0, False
    for row in range(begin, end):
        best = best_row[label[row]]
        if best < 0:
            labels[n], n = label[row], n + 1
        if best < 0 or (consistent[row] and not consistent[best]) or (
            consistent[row] == consistent[best] and cost[row] < cost[best]
        ):  # fmt: skip
            best_row[label[row]] = row
        any_consistent |= consistent[row]
    if not any_consistent:
        return n
    kept = 0
    for k in range(n):
        if consistent[best_row[labels[k]]]:
            labels[kept], kept = labels[k], kept + 1
    return kept


@device_function
def _scale_inputs(labels, best_row, cost, plays, values):
    """Write the regret and the plays left of labels in the units of the policy."""
    least = cost[best_row[labels[0]]]
    for k in range(1, len(labels)):
        least = min(least, cost[best_row[labels[k]]])
    for k in range(len(labels)):
        row = best_row[labels[k]]
        values[0, k] = min(np.float32(cost[row] - least) / np.float32(REGRET_UNIT), np.float32(MAX_REGRET))
        values[1, k] = np.float32(plays[row]) / np.float32(PLAYS_UNIT)


@device_function
def _apply_second_layer(second, second_bias, hidden, last):
    """Compute the second layer of the rectified first one."""
    copy_values(second_bias, last, len(last))
    for j in range(len(hidden)):
        if hidden[j] > 0:
            _add_row(last, second[j], hidden[j])


@device_function
def _add_row(total, row, factor):
    """Add a row of weights times a factor."""
    for j in range(len(total)):
        total[j] += row[j] * factor


@device_function
def _find_best_label(labels, values, last, output, output_bias, scales):
    """Return the label with the greatest logit, the first of equal ones."""
    best, best_label = np.float32(-np.inf), labels[0]
    sums = np.zeros(_LANES, np.float32)
    for k in range(len(labels)):
        weights = output[labels[k]]
        sums[:] = 0
        for j in range(0, len(last), _LANES):
            for lane in range(_LANES):
                sums[lane] += weights[j + lane] * max(last[j + lane], np.float32(0))
        logit = output_bias[labels[k]] - scales[0] * values[0, k] - scales[1] * values[1, k] + sums.sum()
        if logit > best:
            best, best_label = logit, labels[k]
    return best_label
