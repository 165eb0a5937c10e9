"""Extension of the Dou dizhu bot by networks: one decision as in agents/policy.py.

`abl-cards bot doudizhu bot.zip --agent abl` puts this file and ``bot_file.py`` into a zip, with the weights as
``weights.npz``; it needs Python and numpy. It estimates the hidden hands, projects the estimate onto the constraints,
samples deals to compute which labels the others could answer, and scores the labels; the preferences choose among a
label's card sets, and bid. It does not look ahead.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.protocols.botzone.bot_file import DoudizhuView, answer, find_form
from abl_cards.protocols.botzone.bot_runtime import count_numbers, evaluate_query, subtract
from abl_cards.protocols.botzone.network_parts import (
    MAX_REGRET,
    REGRET_UNIT,
    Weights,
    find_best_moves,
    relu,
    respond_with_network,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Rules = dict[str, Any]
    Moves = list[tuple[int, list[int]]]  # form, and copies of each kind

PLAYS_UNIT, MIN_PROB = 5.0, 1e-3
NUM_DEALS, BISECTION_STEPS = 8, 60
NUM_SEATS = 3

# --- layers -----------------------------------------------------------------------------------------------------------


def sigmoid(values: Numbers) -> Numbers:
    """Return the logistic function of numbers."""
    output: Numbers = (1 / (1 + np.exp(-values))).astype(np.float32)
    return output


class DoudizhuNetwork(Weights):
    """Networks of the estimate of hidden hands and of the decision."""

    def mlp(self, name: str, hidden: Numbers) -> Numbers:
        """Apply fully connected layers with rectifiers between them."""
        layer = 0
        while f"{name}.{layer}.weight" in self.weights:
            hidden = self.linear(f"{name}.{layer}", relu(hidden) if layer else hidden)
            layer += 2
        return hidden

    def layer_norm(self, name: str, hidden: Numbers) -> Numbers:
        """Normalise each row to mean 0 and variance 1, then scale and shift it."""
        mean, variance = hidden.mean(axis=-1, keepdims=True), hidden.var(axis=-1, keepdims=True)
        normalised = (hidden - mean) / np.sqrt(variance + 1e-5)
        output: Numbers = normalised * self.weights[name + ".weight"] + self.weights[name + ".bias"]
        return output

    def encode(self, name: str, observation: Numbers, steps: int) -> Numbers:
        """Encode state and history of an observation as one vector."""
        state = self.weights[name + ".state.0.weight"].shape[1]
        cards = (len(observation) - state) // steps - NUM_SEATS
        end = state + steps * cards
        history = np.concatenate(
            [observation[state:end].reshape(steps, cards), observation[end:].reshape(steps, NUM_SEATS)], axis=1
        )
        hidden = self.linear(name + ".history.embed", history) + self.weights[name + ".history.place"]
        block = 0
        while f"{name}.history.blocks.{block}.mix.weight" in self.weights:
            hidden = self.attention_block(f"{name}.history.blocks.{block}", hidden)
            block += 1
        parts = [self.mlp(name + ".state", observation[:state]), self.linear(name + ".history.out", hidden.ravel())]
        return np.concatenate(parts)

    def attention_block(self, name: str, hidden: Numbers) -> Numbers:
        """Apply self-attention and a small network, each with a residual connection, to [steps, width]."""
        heads = int(self.weights["heads"][0])
        mixed = self.linear(name + ".mix", self.layer_norm(name + ".before", hidden))
        query, key, value = mixed.reshape(len(hidden), 3, heads, -1).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attended = (shares / shares.sum(axis=-1, keepdims=True)) @ value
        hidden = hidden + self.linear(name + ".join", attended.transpose(1, 0, 2).reshape(hidden.shape))
        return hidden + self.mlp(name + ".widen", self.layer_norm(name + ".between", hidden))

    def scores(self, encoded: Numbers, features: Numbers) -> Numbers:
        """Score the labels without their costs."""
        hidden, block = self.linear("decision.join", np.concatenate([encoded, features])), 0
        while f"decision.blocks.{block}.first.weight" in self.weights:
            name = f"decision.blocks.{block}"
            hidden = hidden + self.linear(name + ".second", relu(self.linear(name + ".first", relu(hidden))))
            block += 1
        return self.linear("decision.policy", relu(hidden))


# --- hidden hands: that of the next seat determines that of the previous one ------------------------------------------


class BotHiddenHands:
    """Constraints on the two hidden hands."""

    def __init__(self, view: DoudizhuView, copies: Numbers) -> None:
        self.unseen, self.hand_sizes, self.copies = np.array(view.unseen, np.float32), view.sizes, copies
        bottom = np.array(view.bottom, np.float32)
        played = played_by_seat(view)
        at_least = [np.zeros_like(bottom), np.zeros_like(bottom)]
        if view.seat:  # the bottom cards of the landlord are public
            landlord = 1 if view.seat == 1 else 0
            at_least[landlord] = np.minimum(np.maximum(bottom - played[landlord + 1], 0), self.unseen)
        self.low, self.high = at_least[0], self.unseen - at_least[1]

    def uniform_estimate(self) -> Numbers:
        """Return the hand of the next seat expected from counts and facts alone."""
        free = self.high - self.low
        share = (self.hand_sizes[0] - self.low.sum()) / max(free.sum(), 1)
        estimate: Numbers = self.low + free * share
        return estimate

    def project(self, target: Numbers) -> Numbers:
        """Project target counts [2, kinds] of both hands onto the constraints; returns the hand of the next seat."""
        middle = (target[0] + self.unseen - target[1]) / 2
        low_price, high_price = -10.0, 10.0
        for _ in range(BISECTION_STEPS):
            price = (low_price + high_price) / 2
            if np.clip(middle + price, self.low, self.high).sum() < self.hand_sizes[0]:
                low_price = price
            else:
                high_price = price
        return np.clip(middle + high_price, self.low, self.high)

    def both_hands(self, next_hand: Numbers) -> Numbers:
        """Return both hands [2, kinds]."""
        return np.stack([next_hand, self.unseen - next_hand])

    def sample_hands(self, next_hand: Numbers, random: np.random.RandomState) -> list[list[int]]:
        """Sample deals by the estimate; hands of the next and the previous seat alternate."""
        hands: list[list[int]] = []
        num_free = (self.high - self.low).astype(int)
        kinds = np.repeat(np.arange(len(num_free)), num_free)
        probabilities = np.clip((next_hand - self.low) / np.maximum(num_free, 1), MIN_PROB, 1 - MIN_PROB)[kinds]
        odds = probabilities / (1 - probabilities)
        num_missing = round(self.hand_sizes[0] - float(self.low.sum()))
        for _ in range(NUM_DEALS):
            drawn = np.argsort(np.log(random.uniform(1e-12, 1, len(kinds))) / odds)[::-1][:num_missing]
            hand = self.low.astype(int) + np.bincount(kinds[drawn], minlength=len(num_free))
            hands += [hand.tolist(), (self.unseen.astype(int) - hand).tolist()]
        return hands


def played_by_seat(view: DoudizhuView) -> Numbers:
    """Return the played cards [seats, kinds] by relative seat."""
    played = np.zeros((NUM_SEATS, len(view.hand)), np.float32)
    for seat, ids in view.acts:
        played[seat] += count_numbers(view.rules, ids)
    return played


# --- one decision -----------------------------------------------------------------------------------------------------


def make_observation(view: DoudizhuView) -> Numbers:
    """Build the observation of the networks."""
    rules, shapes = view.rules, view.rules["features"]
    parts = {name: np.zeros(shape, np.float32) for name, shape in shapes}
    parts["after_landlord"][view.seat] = 1
    parts["hand"][:], parts["bottom"][:], parts["unseen"][:] = view.hand, view.bottom, view.unseen
    for seat, left in enumerate((sum(view.hand), *view.sizes)):
        parts["sizes"][seat, left] = 1
    parts["played"][:] = played_by_seat(view)
    doubled = sum(1 for _, ids in view.acts if ids and doubles_stake(rules, ids))
    parts["doublings"][min(doubled, len(parts["doublings"]) - 1)] = 1
    recent = view.acts[-len(parts["recent"]) :]
    for step, (seat, ids) in enumerate(recent, len(parts["recent"]) - len(recent)):
        parts["recent"][step], parts["recent_seat"][step, seat] = count_numbers(rules, ids), 1
    return np.concatenate([parts[name].ravel() for name, _ in shapes])


def doubles_stake(rules: Rules, ids: list[int]) -> bool:
    """Return whether a play doubles the stake."""
    if len(ids) not in rules["doubling_sizes"]:
        return False
    return find_form(rules, count_numbers(rules, ids)) in rules["doubling"]


def response_probabilities(view: DoudizhuView, hands: list[list[int]], labels: list[int]) -> Numbers:
    """Return the share [2, labels] of deals in which each other seat can answer a label; hands alternate."""
    rules, columns, shares = view.rules, len(hands) * len(labels), np.zeros((2, len(view.rules["forms"])), np.float32)
    varying = {
        "hand": {kind: [hand[kind] for hand in hands for _ in labels] for kind in range(len(view.hand))},
        "trick": {0: labels * len(hands)},
    }
    can_answer = 0
    for label, legal in enumerate(evaluate_query(rules["play"], view.input_values(), varying, columns)):
        if label != rules["pass"]:
            can_answer |= legal
    for column in range(columns):
        sample, slot = divmod(column, len(labels))
        shares[sample % 2, labels[slot]] += (can_answer >> column & 1) / NUM_DEALS
    return shares


class DoudizhuPlayer:
    """Chooser of moves: the most probable label, and its card set of the lowest cost."""

    def __init__(self, network: DoudizhuNetwork) -> None:
        self.network = network

    def estimate_hands(self, view: DoudizhuView, observation: Numbers, steps: int) -> tuple[BotHiddenHands, Numbers]:
        """Estimate the hand of the next seat."""
        network, copies = self.network, self.network.weights["copies"]
        hidden = BotHiddenHands(view, copies)
        prior = hidden.both_hands(hidden.uniform_estimate())
        features = np.concatenate([relu(network.encode("abln.encoder", observation, steps)), prior.ravel()])
        share = np.clip(prior / copies, MIN_PROB, 1 - MIN_PROB)
        change = network.mlp("abln.estimate", features).reshape(prior.shape)
        return hidden, hidden.project(copies * sigmoid(np.log(share / (1 - share)) + change))

    def scores(self, view: DoudizhuView, regret: dict[int, int], plays: dict[int, int]) -> Numbers:
        """Return the scores [labels] of labels with known costs and plays to go."""
        rules, observation, labels = view.rules, make_observation(view), sorted(regret)
        hidden, following = self.estimate_hands(view, observation, rules["steps"])
        legal, to_beat, units, left = (np.zeros(len(rules["forms"]), np.float32) for _ in range(4))
        left[:] = min(plays.values()) / PLAYS_UNIT
        for label in labels:
            legal[label], left[label] = 1, plays[label] / PLAYS_UNIT
            units[label] = min(max(regret[label] / REGRET_UNIT, 0), MAX_REGRET)
        if view.to_beat >= 0:
            to_beat[view.to_beat] = 1
        hands = hidden.sample_hands(
            following, np.random.RandomState(int(observation.dot(np.arange(len(observation)) % 97)) % 2**31)
        )
        answers = response_probabilities(view, hands, [label for label in labels if label != rules["pass"]])
        features = [hidden.both_hands(following).ravel(), answers.ravel(), legal, to_beat, units, left]
        encoded = relu(self.network.encode("decision.encoder", observation, rules["steps"]))
        return self.network.scores(encoded, np.concatenate(features)) - self.network.weights["decision.trust"] * units

    def __call__(self, view: DoudizhuView, moves: Moves) -> int:
        """Return the index of a move."""
        if len(moves) == 1:
            return 0
        best = find_best_moves(view, moves)
        if len(best) == 1:
            return next(iter(best.values()))[1]
        min_cost = min(cost for cost, _ in best.values())
        regret = {label: cost - min_cost for label, (cost, _) in best.items()}
        left = {label: view.plays_left(subtract(view.hand, moves[move][1])) for label, (_, move) in best.items()}
        scores = self.scores(view, regret, left)
        return best[max(sorted(best), key=lambda label: scores[label])][1]


if __name__ == "__main__":
    respond_with_network(lambda weights: DoudizhuPlayer(DoudizhuNetwork(weights)), answer)
