"""Extension of the Tractor bot by networks of card planes, as in learners/plane_resnet.py.

`abl-cards bot tractor bot.zip --agent abl:…` puts this file and ``tractor_bot_file.py`` into a zip, with the weights as
``weights.npz``; it needs Python and numpy. The network scores the labels; the preferences choose among a label's cards.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.protocols.botzone.bot_runtime import NO_TRICK, NOBODY
from abl_cards.protocols.botzone.network_parts import (
    MAX_REGRET,
    REGRET_UNIT,
    Weights,
    find_best_moves,
    relu,
    respond_with_network,
)
from abl_cards.protocols.botzone.tractor_bot_file import TractorView, add_cards, answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Moves = list[tuple[int, list[int]]]  # form, and copies of each kind
    BestMoves = dict[int, tuple[int, int]]  # cost and index of a move, by label

NUM_GROUPS = 8

# --- layers -----------------------------------------------------------------------------------------------------------


def conv2d(planes: Numbers, weight: Numbers, stride: int) -> Numbers:
    """Apply a 3 x 3 or 1 x 1 convolution to [channels, rows, columns]."""
    if weight.shape[2] == 1:
        pointwise: Numbers = np.tensordot(weight[:, :, 0, 0], planes, axes=1)
        return pointwise
    padded = np.pad(planes, ((0, 0), (1, 1), (1, 1)), "constant")
    rows, columns = -(-planes.shape[1] // stride), -(-planes.shape[2] // stride)
    output: Numbers = np.zeros((len(weight), rows, columns), np.float32)
    for row in range(3):
        for column in range(3):
            part = padded[:, row : row + stride * rows : stride, column : column + stride * columns : stride]
            output += np.tensordot(weight[:, :, row, column], part, axes=1)
    return output


def group_norm(planes: Numbers, scale: Numbers, shift: Numbers) -> Numbers:
    """Normalise groups of channels to mean 0 and variance 1, then scale and shift each channel."""
    groups = planes.reshape(NUM_GROUPS, -1)
    mean, variance = groups.mean(axis=1, keepdims=True), groups.var(axis=1, keepdims=True)
    normalised = ((groups - mean) / np.sqrt(variance + 1e-5)).reshape(planes.shape)
    output: Numbers = normalised * scale[:, None, None] + shift[:, None, None]
    return output


class TractorNetwork(Weights):
    """Network of the decision."""

    def __init__(self, weights: dict[str, Numbers]) -> None:
        super().__init__(weights)
        self.rows, self.columns, self.copies = (int(size) for size in weights["grid"])
        self.num_blocks = 0
        while f"trunk.blocks.{self.num_blocks}.first.weight" in weights:
            self.num_blocks += 1

    def norm_layer(self, name: str, planes: Numbers) -> Numbers:
        """Apply a layer of group normalisation."""
        return group_norm(planes, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def hidden_layer(self, planes: Numbers, others: Numbers) -> Numbers:
        """Compute the hidden layer from planes [planes, rows, columns] and the other features."""
        weights = self.weights
        hidden = relu(self.norm_layer("trunk.norm", conv2d(planes, weights["trunk.first.weight"], 2)))
        for block in range(self.num_blocks):
            name = f"trunk.blocks.{block}."
            inner = relu(self.norm_layer(name + "between", conv2d(hidden, weights[name + "first.weight"], 1)))
            inner = self.norm_layer(name + "after", conv2d(inner, weights[name + "second.weight"], 1))
            if name + "across.weight" in weights:
                hidden = conv2d(hidden, weights[name + "across.weight"], 1)
            hidden = relu(inner + hidden)
        output = self.linear("trunk.hidden", hidden.reshape(-1))
        if "trunk.others.weight" in weights:
            output = output + weights["trunk.others.weight"] @ others
        return relu(output)

    def other_features(self, seat: int, state: list[int]) -> Numbers:
        """Return the features that are no counts of cards, from fluents, seats of the trick and a number below all."""
        weights = self.weights
        values = np.array(state)[weights["other_slots"][seat].astype(int)]
        numbers = weights["other_numbers"][seat]
        features: Numbers = np.where(weights["other_is_equal"], values == numbers, values >= numbers).astype(np.float32)
        return features

    def card_planes(self, cards: Numbers) -> Numbers:
        """Return copies of each kind [sets, kinds] as planes [sets * copies, rows * columns]."""
        steps = np.arange(1, self.copies + 1)
        planes = (cards[:, None] >= steps[:, None]).reshape(-1, cards.shape[1])
        return self.kinds_to_planes(planes)

    def kinds_to_planes(self, values: Any) -> Numbers:
        """Return values of each kind [sets, kinds] as planes [sets, rows * columns]."""
        planes = np.zeros((len(values), self.rows * self.columns), np.float32)
        planes[:, self.weights["place"]] = values
        return planes

    def scores(self, sets: Numbers, others: Numbers, context: int, labels: list[int], regret: Numbers) -> Numbers:
        """Score labels from the cards [sets, kinds] of hand, trick and play by seat, other features, and costs."""
        weights = self.weights
        named = weights["named"][context].astype(np.float32) * self.copies
        planes = [self.card_planes(np.concatenate([named, sets]))]
        state = self.hidden_layer(np.concatenate(planes).reshape(-1, self.rows, self.columns), others)
        major = self.kinds_to_planes(named[:1] / self.copies)[0] if len(named) else np.zeros(self.rows * self.columns)
        cards = np.minimum(weights["labels"][context][labels], sets[0])
        options = np.stack([self.card_planes(label_cards[None]).reshape(-1) for label_cards in cards])
        features: list[Any] = [options, options * np.tile(major, self.copies)]
        if "trust" in weights:
            features.append(regret[:, None].astype(np.float32))
        mixed = self.linear("policy.option", np.concatenate(features, axis=1).astype(np.float32))
        mixed = mixed + self.linear("policy.state", state)
        scores: Numbers = self.linear("policy.score", relu(self.linear("policy.between", relu(mixed))))[:, 0]
        if "trust" in weights:
            scores = scores - weights["trust"] * regret
        return scores


# --- one decision -----------------------------------------------------------------------------------------------------


def log_probabilities(network: TractorNetwork, view: TractorView, best: BestMoves) -> tuple[list[int], Numbers]:
    """Return the legal labels and their log probabilities."""
    labels = sorted(best)
    if len(labels) == 1:
        return labels, np.zeros(1, np.float32)
    costs = np.array([best[label][0] for label in labels], np.float32)
    seats = [(view.seat + distance) % len(view.on_table) for distance in range(len(view.on_table))]
    played = [add_cards(view.played[seat], view.on_table[seat]) for seat in seats]
    sets = np.array([view.hand] + [view.on_table[seat] for seat in seats] + played, np.float32)
    units = np.clip((costs - costs.min()) / np.float32(REGRET_UNIT), 0, MAX_REGRET).astype(np.float32)
    owner = view.owner if view.to_beat >= 0 else NOBODY
    others = network.other_features(view.seat, [*view.fluents, view.leader, owner, NO_TRICK, NO_TRICK])
    scores = network.scores(sets, others, view.context, labels, units)
    scores = scores - scores.max()
    log_probs: Numbers = scores - np.log(np.exp(scores).sum())
    return labels, log_probs


class TractorPlayer:
    """Chooser of moves: the most probable label, and its cards of the lowest cost."""

    def __init__(self, network: TractorNetwork) -> None:
        self.network = network

    def __call__(self, view: TractorView, moves: Moves) -> int:
        """Return the index of a move."""
        if len(moves) == 1:
            return 0
        best = find_best_moves(view, moves)
        labels, chances = log_probabilities(self.network, view, best)
        return best[labels[int(chances.argmax())]][1]


if __name__ == "__main__":
    respond_with_network(lambda weights: TractorPlayer(TractorNetwork(weights)), answer)
