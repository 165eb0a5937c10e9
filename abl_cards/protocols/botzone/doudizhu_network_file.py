"""Extension of the Dou dizhu bot by networks: one decision as in agents/policy.py.

`abl-cards bot doudizhu bot.zip --agent abl` puts this behind ``bot_file.py`` in a zip, with its numbers as
``weights.npz``: it needs Python and numpy. It estimates the hidden hands, projects the estimate onto the constraints,
samples deals to compute which labels the others could answer, and scores the labels; the preferences choose among a
label's card sets, and bid. It does not look ahead.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.protocols.botzone.bot_circuits import compute_costs
from abl_cards.protocols.botzone.bot_file import (
    add_count_facts,
    answer,
    count_ranks,
    evaluate_named,
    find_label,
    preference_outputs,
)
from abl_cards.protocols.botzone.network_parts import MAX_REGRET, REGRET_UNIT, Weights, relu, respond

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Rules = dict[str, Any]

PLAYS_UNIT, MIN_PROB = 5.0, 1e-3
NUM_DEALS, BISECTION_STEPS = 8, 60
NUM_SEATS = 3

# --- layers -----------------------------------------------------------------------------------------------------------


def sigmoid(numbers: Numbers) -> Numbers:
    """Between 0 and 1."""
    found: Numbers = (1 / (1 + np.exp(-numbers))).astype(np.float32)
    return found


class DoudizhuNetwork(Weights):
    """Networks of the estimate of hidden hands and of the decision."""

    def mlp(self, name: str, hidden: Numbers) -> Numbers:
        """Fully connected layers with a rectifier between each two."""
        number = 0
        while "%s.%d.weight" % (name, number) in self.weights:  # noqa: UP031
            hidden = self.linear("%s.%d" % (name, number), relu(hidden) if number else hidden)  # noqa: UP031
            number += 2
        return hidden

    def layer_norm(self, name: str, hidden: Numbers) -> Numbers:
        """Each row to mean 0 and variance 1, then scaled and shifted."""
        middle, spread = hidden.mean(axis=-1, keepdims=True), hidden.var(axis=-1, keepdims=True)
        even = (hidden - middle) / np.sqrt(spread + 1e-5)
        found: Numbers = even * self.weights[name + ".weight"] + self.weights[name + ".bias"]
        return found

    def encode(self, name: str, observation: Numbers, steps: int) -> Numbers:
        """State and history of an observation as one vector."""
        state = self.weights[name + ".state.0.weight"].shape[1]
        cards = (len(observation) - state) // steps - NUM_SEATS
        end = state + steps * cards
        history = np.concatenate(
            [observation[state:end].reshape(steps, cards), observation[end:].reshape(steps, NUM_SEATS)], axis=1
        )
        hidden = self.linear(name + ".history.embed", history) + self.weights[name + ".history.place"]
        number = 0
        while "%s.history.blocks.%d.mix.weight" % (name, number) in self.weights:  # noqa: UP031
            hidden = self.attention_block("%s.history.blocks.%d" % (name, number), hidden)  # noqa: UP031
            number += 1
        parts = [self.mlp(name + ".state", observation[:state]), self.linear(name + ".history.out", hidden.ravel())]
        return np.concatenate(parts)

    def attention_block(self, name: str, hidden: Numbers) -> Numbers:
        """Self-attention and a small network, each added to what came in, [steps, width]."""
        heads = int(self.weights["heads"][0])
        mixed = self.linear(name + ".mix", self.layer_norm(name + ".before", hidden))
        query, key, value = mixed.reshape(len(hidden), 3, heads, -1).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        seen = (shares / shares.sum(axis=-1, keepdims=True)) @ value
        hidden = hidden + self.linear(name + ".join", seen.transpose(1, 0, 2).reshape(hidden.shape))
        return hidden + self.mlp(name + ".widen", self.layer_norm(name + ".between", hidden))

    def scores(self, encoded: Numbers, features: Numbers) -> Numbers:
        """Score the labels without their costs."""
        hidden, number = self.linear("decision.join", np.concatenate([encoded, features])), 0
        while "decision.blocks.%d.first.weight" % number in self.weights:  # noqa: UP031
            name = "decision.blocks.%d" % number  # noqa: UP031
            hidden = hidden + self.linear(name + ".second", relu(self.linear(name + ".first", relu(hidden))))
            number += 1
        return self.linear("decision.policy", relu(hidden))


# --- hidden hands: what the next seat holds, and with it what the previous one does ----------------------------------


class BotHiddenHands:
    """The cards that lie in the two other hands."""

    def __init__(self, view: Rules, copies: Numbers) -> None:
        self.unseen = np.array(view["unseen"], np.float32)
        self.hand_sizes = [view["cards"]["next"], view["cards"]["previous"]]
        self.copies = copies
        bottom = np.array(view["bottom"], np.float32)
        laid = played_by_seat(view)
        at_least = [np.zeros_like(bottom), np.zeros_like(bottom)]
        if view["part"]:  # the landlord, who is one of them, has shown what he took up
            landlord = 1 if view["part"] == 1 else 0
            at_least[landlord] = np.minimum(np.maximum(bottom - laid[landlord + 1], 0), self.unseen)
        self.low, self.high = at_least[0], self.unseen - at_least[1]

    def uniform_estimate(self) -> Numbers:
        """Return the hand of the next seat expected from counts and facts alone."""
        room = self.high - self.low
        share = (self.hand_sizes[0] - self.low.sum()) / max(room.sum(), 1)
        found: Numbers = self.low + room * share
        return found

    def project(self, target: Numbers) -> Numbers:
        """The nearest numbers that may be, to those [2, kinds] that are wanted of both seats."""
        middle = (target[0] + self.unseen - target[1]) / 2
        under, over = -10.0, 10.0
        for _ in range(BISECTION_STEPS):
            price = (under + over) / 2
            if np.clip(middle + price, self.low, self.high).sum() < self.hand_sizes[0]:
                under = price
            else:
                over = price
        return np.clip(middle + over, self.low, self.high)

    def both_hands(self, next_hand: Numbers) -> Numbers:
        """[2, kinds] the hands of both."""
        return np.stack([next_hand, self.unseen - next_hand])

    def sample_hands(self, next_hand: Numbers, random: np.random.RandomState) -> list[list[int]]:
        """Hands of the next seat, by turns with those of the previous one, of deals that the estimate makes likely."""
        found: list[list[int]] = []
        room = (self.high - self.low).astype(int)
        kinds = np.repeat(np.arange(len(room)), room)
        chance = np.clip((next_hand - self.low) / np.maximum(room, 1), MIN_PROB, 1 - MIN_PROB)[kinds]
        odds = chance / (1 - chance)
        missing = round(self.hand_sizes[0] - float(self.low.sum()))
        for _ in range(NUM_DEALS):
            first = np.argsort(np.log(random.uniform(1e-12, 1, len(kinds))) / odds)[::-1][:missing]
            hand = self.low.astype(int) + np.bincount(kinds[first], minlength=len(room))
            found += [hand.tolist(), (self.unseen.astype(int) - hand).tolist()]
        return found


def played_by_seat(view: Rules) -> Numbers:
    """[seats, kinds] what each has laid down, we first."""
    laid = np.zeros((NUM_SEATS, len(view["hand"])), np.float32)
    for seat, ids in view["acts"]:
        laid[seat] += count_ranks(ids)
    return laid


# --- one decision -----------------------------------------------------------------------------------------------------


def make_observation(rules: Rules, view: Rules) -> Numbers:
    """Build the observation of the networks."""
    shapes = rules["features"]
    found = {name: np.zeros(shape, np.float32) for name, shape in shapes}
    found["after_landlord"][view["part"]] = 1
    found["hand"][:], found["bottom"][:], found["unseen"][:] = view["hand"], view["bottom"], view["unseen"]
    for seat, left in enumerate((sum(view["hand"]), view["cards"]["next"], view["cards"]["previous"])):
        found["sizes"][seat, left] = 1
    found["played"][:] = played_by_seat(view)
    doubled = sum(1 for _, ids in view["acts"] if ids and doubles_stake(rules, ids))
    found["doublings"][min(doubled, len(found["doublings"]) - 1)] = 1
    recent = view["acts"][-len(found["recent"]) :]
    for place, (seat, ids) in enumerate(recent, len(found["recent"]) - len(recent)):
        found["recent"][place], found["recent_seat"][place, seat] = count_ranks(ids), 1
    return np.concatenate([found[name].ravel() for name, _ in shapes])


def doubles_stake(rules: Rules, ids: list[int]) -> bool:
    """Return whether a play doubles the stake."""
    if len(ids) not in rules["doubling_sizes"]:
        return False
    return find_label(rules, count_ranks(ids)) in rules["doubling"]


def response_probabilities(rules: Rules, hands: list[list[int]], labels: list[int]) -> Numbers:
    """[2, labels] in which share of the deals either could answer each label; hands of both by turns."""
    columns = len(hands) * len(labels)
    inputs: dict[str, int] = {}
    for number, hand in enumerate(hands):
        mine = sum(1 << (number * len(labels) + place) for place in range(len(labels)))
        add_count_facts("held", hand, mine, inputs)
    for place, label in enumerate(labels):
        bits = sum(1 << (number * len(labels) + place) for number in range(len(hands)))
        inputs["to_beat(%s)" % rules["labels"][label]] = bits  # noqa: UP031
    answered = 0
    for label, legal in enumerate(evaluate_named(rules["play"], inputs, columns)):
        if label != rules["pass"]:
            answered |= legal
    found = np.zeros((2, len(rules["labels"])), np.float32)
    for number in range(len(hands)):
        for place, label in enumerate(labels):
            found[number % 2, label] += (answered >> (number * len(labels) + place) & 1) / NUM_DEALS
    return found


class DoudizhuPlayer:
    """Chooses moves: the likeliest label, and of its card sets the one that the preferences like best."""

    def __init__(self, network: DoudizhuNetwork) -> None:
        self.network = network

    def estimate_hands(self, view: Rules, observation: Numbers, steps: int) -> tuple[BotHiddenHands, Numbers]:
        """Estimate the hand of the next seat."""
        network, copies = self.network, self.network.weights["copies"]
        hidden = BotHiddenHands(view, copies)
        prior = hidden.both_hands(hidden.uniform_estimate())
        told = np.concatenate([relu(network.encode("abln.encoder", observation, steps)), prior.ravel()])
        share = np.clip(prior / copies, MIN_PROB, 1 - MIN_PROB)
        change = network.mlp("abln.estimate", told).reshape(prior.shape)
        return hidden, hidden.project(copies * sigmoid(np.log(share / (1 - share)) + change))

    def scores(self, rules: Rules, view: Rules, regret: dict[int, int], plays: dict[int, int]) -> Numbers:
        """Return the scores [labels] of labels with known costs and plays to go."""
        seen, steps, labels = make_observation(rules, view), rules["steps"], sorted(regret)
        hidden, following = self.estimate_hands(view, seen, steps)
        size = len(rules["labels"])
        legal, to_beat, units, left = (np.zeros(size, np.float32) for _ in range(4))
        left[:] = min(plays.values()) / PLAYS_UNIT
        for label in labels:
            legal[label], left[label] = 1, plays[label] / PLAYS_UNIT
            units[label] = min(max(regret[label] / REGRET_UNIT, 0), MAX_REGRET)
        if view["to_beat"] is not None:
            to_beat[view["to_beat"]] = 1
        hands = hidden.sample_hands(following, np.random.RandomState(int(seen.dot(np.arange(len(seen)) % 97)) % 2**31))
        answers = response_probabilities(rules, hands, [label for label in labels if label != rules["pass"]])
        told = [hidden.both_hands(following).ravel(), answers.ravel(), legal, to_beat, units, left]
        encoded = relu(self.network.encode("decision.encoder", seen, steps))
        return self.network.scores(encoded, np.concatenate(told)) - self.network.weights["decision.trust"] * units

    def __call__(self, rules: Rules, common: Rules, candidates: list[Any], plays: Any, view: Rules, moves: Any) -> int:
        """The number of a move."""
        if len(moves) == 1:
            return 0
        wrong, costs = compute_costs(preference_outputs(rules, common, candidates, plays), rules["weights"], len(moves))
        sound = [not wrong >> move & 1 for move in range(len(moves))]
        if not any(sound):
            sound = [True] * len(moves)
        best: dict[int, int] = {}
        for move, (label, _) in enumerate(moves):
            if sound[move] and (label not in best or costs[move] < costs[best[label]]):
                best[label] = move
        if len(best) == 1:
            return next(iter(best.values()))
        least = min(costs[move] for move in best.values())
        regret = {label: costs[move] - least for label, move in best.items()}
        left = {label: plays.left(candidates[move][1]) for label, move in best.items()}
        scores = self.scores(rules, view, regret, left)
        return best[max(sorted(best), key=lambda label: scores[label])]


if __name__ == "__main__":
    respond(lambda weights: DoudizhuPlayer(DoudizhuNetwork(weights)), answer)
