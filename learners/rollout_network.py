"""Rollout networks: small policies that continue play at simulated tables in a look-ahead.

They learn from the policy (distillation) and read less: neither the estimate of the hidden hands nor the history as a
sequence. The policy plays better, but with a rollout network a look-ahead evaluates many more tables in the same time.
A network for candidates reads observations, costs and plays left, in steps of Python. A network for compiled episodes
reads positions alone. Its first layer is updated incrementally by the few inputs that a play changes, as in NNUE (Nasu
2018).
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
from abl_cards.learners.decision import LOWEST_LOGIT, MASKED_LOGIT, MAX_REGRET, PLAYS_UNIT, REGRET_UNIT, InputTensors
from abl_cards.learners.networks import GameShape
from abl_cards.learners.presets import PLAYS_LEFT, REGRET, TO_BEAT, RolloutConfig

MAX_COUNT = 4
"""Greatest number in an observation that is told from the next one; each number has weights of its own."""
POSITIONS_AT_ONCE = 4
"""Positions whose second layers are computed together in compiled functions."""
_WEIGHT_STEP = 2.0**-12  # of the first layer: sums of its multiples below 2,048 are exact, in whatever order


class RolloutWeights(NamedTuple):
    """Weights of a rollout network as arrays, float32, for the compiled function.

    Attributes:
        first: [inputs, width] a row for each input: those of the observation by number (1 first) or of the position,
            then of labels, input by input.
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
        self._is_compiled, self._max_count = config.is_compiled, 1 if config.is_compiled else MAX_COUNT
        features = shape.num_position_inputs if config.is_compiled else shape.num_features * MAX_COUNT
        self._values = () if config.is_compiled else (REGRET, PLAYS_LEFT)
        label_inputs = 2 + len(self._values)
        inputs = features + label_inputs * shape.num_labels
        self.column_blocks = [(features, label_inputs)]  # for weight transfer
        if config.is_compiled:  # a position ends with the labels that may be led
            self.column_blocks = [(features - shape.num_labels, 1 + label_inputs)]
        self.first, self.second = nn.Linear(inputs, first), nn.Linear(first, second)
        self.output = nn.Linear(second, shape.num_labels)
        self.scales = nn.Parameter(torch.ones(2))
        nn.init.normal_(self.output.weight, std=0.01)

    def forward(self, inputs: InputTensors) -> Tensor:
        """Return log-probabilities of the labels, [n, labels]."""
        numbers = torch.arange(1, self._max_count + 1, device=inputs.observation.device)
        one_hot = inputs.observation.clamp(max=self._max_count)[:, :, None] == numbers
        to_beat, legal = inputs.get_input(TO_BEAT), inputs.legal
        if self._is_compiled:  # when leading, the position has the legal labels
            legal = legal & (to_beat.sum(dim=1, keepdim=True) > 0)
        values = [inputs.get_input(name) * inputs.legal for name in self._values]
        parts = [one_hot.flatten(1), to_beat, legal, *values]
        hidden = torch.relu(self.first(torch.cat([part.float() for part in parts], dim=1)))
        logits = self.output(torch.relu(self.second(hidden)))
        for scale, value in zip(self.scales, values, strict=False):
            logits = logits - scale * value
        return torch.where(inputs.legal, logits.clamp(min=LOWEST_LOGIT), MASKED_LOGIT).log_softmax(dim=1)

    def to_weights(self) -> RolloutWeights:
        """Return the weights as arrays; those of sums that change are rounded, so that the sums are exact."""
        first = [self.first.weight.t(), self.first.bias]
        if self._is_compiled:
            first = [(tensor / _WEIGHT_STEP).round() * _WEIGHT_STEP for tensor in first]
        arrays = *first, self.second.weight.t(), self.second.bias, self.output.weight, self.output.bias, self.scales
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
                    _add_row(hidden, first, j * MAX_COUNT + min(observation[i, j], MAX_COUNT) - 1)
            offset = num_features * MAX_COUNT
            if to_beat[i] >= 0:
                _add_row(hidden, first, offset + to_beat[i])
            for k in range(n):
                row = offset + num_labels + labels[k]
                regret_row, plays_row = first[row + num_labels], first[row + 2 * num_labels]
                for j in range(len(hidden)):
                    hidden[j] += first[row, j] + regret_row[j] * values[0, k] + plays_row[j] * values[1, k]
            _apply_second_layer(second, second_bias, hidden, last)
            rows[i] = best_row[_find_best_label(output, output_bias, labels, n, last, values, scales)]
        for k in range(start[i], start[i + 1]):
            best_row[label[k]] = -1


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
def add_inputs(first, active, num_active, total):
    """Add the first-layer weights of inputs to a sum.

    Args:
        first: float32 [inputs, width], weights of the first layer.
        active: int64 [inputs], indices of inputs.
        num_active: How many they are.
        total: float32 [width], changed.
    """
    for k in range(num_active):
        row = active[k]
        for j in range(len(total)):
            total[j] += first[row, j]


@device_function
def change_inputs(first, changes, num_changes, total):
    """Change a sum of first-layer weights.

    Args:
        first: float32 [inputs, width], weights of the first layer.
        changes: int64 [n, 2], the input that was 1 and the one that is, -1 for none.
        num_changes: How many they are.
        total: float32 [width], changed.
    """
    for k in range(num_changes):
        before, after = changes[k, 0], changes[k, 1]
        if after < 0:
            for j in range(len(total)):
                total[j] -= first[before, j]
        elif before < 0:
            for j in range(len(total)):
                total[j] += first[after, j]
        else:
            for j in range(len(total)):
                total[j] += first[after, j] - first[before, j]


@device_function
def list_label_inputs(num_inputs, num_all_labels, to_beat, labels, num_labels, active, n):
    """Append the inputs of the label to beat and of the labels that beat it, which are 1.

    Args:
        num_inputs: Inputs of the network.
        num_all_labels: Labels of the game.
        to_beat: Label to beat, -1 when leading.
        labels: int64 [labels], the labels to choose from.
        num_labels: How many they are.
        active: int64 [inputs], indices of inputs.
        n: How many are listed.

    Returns:
        How many are listed then.
    """
    if to_beat < 0:
        return n
    active[n] = num_inputs - 2 * num_all_labels + to_beat
    for k in range(num_labels):
        active[n + 1 + k] = num_inputs - num_all_labels + labels[k]
    return n + 1 + num_labels


@device_function
def choose_label(weights, last, labels, num_labels, no_values):
    """Choose the most probable label of a position.

    Args:
        weights: RolloutWeights.
        last: float32 [second width], the second layer.
        labels: int64 [labels], the labels to choose from.
        num_labels: How many they are.
        no_values: float32 [2, labels], zeros.

    Returns:
        The label.
    """
    return _find_best_label(weights.output, weights.output_bias, labels, num_labels, last, no_values, weights.scales)


@device_function
def apply_second_layers(weights, hidden, last):
    """Compute the second layers of ``POSITIONS_AT_ONCE`` positions.

    The weights are more than fits the nearest cache, so reading them once for four positions halves the time.

    Args:
        weights: RolloutWeights.
        hidden: float32 [4, width], the first layers, before they are rectified.
        last: float32 [4, second width], overwritten.
    """
    zero, second, width = np.float32(0), weights.second, last.shape[1]
    for i in range(POSITIONS_AT_ONCE):
        copy_values(weights.second_bias, last[i], width)
    for j in range(0, hidden.shape[1], 2):
        a0, a1 = max(hidden[0, j], zero), max(hidden[0, j + 1], zero)
        b0, b1 = max(hidden[1, j], zero), max(hidden[1, j + 1], zero)
        c0, c1 = max(hidden[2, j], zero), max(hidden[2, j + 1], zero)
        d0, d1 = max(hidden[3, j], zero), max(hidden[3, j + 1], zero)
        for k in range(width):
            w0, w1 = second[j, k], second[j + 1, k]
            last[0, k] += a0 * w0 + a1 * w1
            last[1, k] += b0 * w0 + b1 * w1
            last[2, k] += c0 * w0 + c1 * w1
            last[3, k] += d0 * w0 + d1 * w1
    for i in range(POSITIONS_AT_ONCE):
        for k in range(width):
            last[i, k] = max(last[i, k], zero)


@device_function
def _add_row(total, matrix, row):
    """Add a row of a matrix."""
    for j in range(len(total)):
        total[j] += matrix[row, j]


@device_function
def _apply_second_layer(second, second_bias, hidden, last):
    """Compute the second layer of the rectified first one, and rectify it."""
    zero = np.float32(0)
    copy_values(second_bias, last, len(last))
    for j in range(0, len(hidden), 4):  # four rows at a time, so that the sums are loaded and stored less often
        h0, h1 = max(hidden[j], zero), max(hidden[j + 1], zero)
        h2, h3 = max(hidden[j + 2], zero), max(hidden[j + 3], zero)
        for k in range(len(last)):
            last[k] += (h0 * second[j, k] + h1 * second[j + 1, k]) + (h2 * second[j + 2, k] + h3 * second[j + 3, k])
    for k in range(len(last)):
        last[k] = max(last[k], zero)


@device_function
def _find_best_label(output, output_bias, labels, num_labels, last, values, scales):
    """Return the label with the greatest logit, the first of equal ones."""
    best, best_label = np.float32(-np.inf), labels[0]
    for k in range(num_labels):
        logit = (
            _compute_logit(output, output_bias, labels[k], last) - scales[0] * values[0, k] - scales[1] * values[1, k]
        )
        if logit > best:
            best, best_label = logit, labels[k]
    return best_label


@device_function
def _compute_logit(output, output_bias, label, last):
    """Return the logit of a label by the second layer."""
    s0, s1, s2, s3 = output_bias[label], np.float32(0), np.float32(0), np.float32(0)
    for j in range(0, len(last), 4):  # partial sums, which are added in parallel
        s0 += output[label, j] * last[j]
        s1 += output[label, j + 1] * last[j + 1]
        s2 += output[label, j + 2] * last[j + 2]
        s3 += output[label, j + 3] * last[j + 3]
    return (s0 + s1) + (s2 + s3)


@device_function
def compute_label_probability(weights, last, labels, num_labels, label):
    """Return the probability of one of the labels of a position.

    Args:
        weights: RolloutWeights.
        last: float32 [second width], the second layer.
        labels: int64 [labels], the labels to choose from.
        num_labels: How many they are.
        label: One of them.

    Returns:
        Its probability, float32.
    """
    chosen, total = _compute_logit(weights.output, weights.output_bias, label, last), np.float32(0)
    for k in range(num_labels):
        total += np.exp(_compute_logit(weights.output, weights.output_bias, labels[k], last) - chosen)
    return np.float32(1) / total
