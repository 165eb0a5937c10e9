"""What a bot of Dou dizhu with networks adds to the one without: the path of one decision, as agents/mind.py goes it.

`abl-cards bot doudizhu bot.zip --agent abl` puts this behind ``bot_file.py`` in a zip, with its numbers as
``weights.npz``: it needs Python and numpy. The hidden hands are estimated and made consistent, some deals drawn from
them say who could answer what, and the network weighs the labels; the preferences choose among a label's card sets, and
bid. It does not look ahead.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.platforms.botzone.bot_circuits import prices
from abl_cards.platforms.botzone.bot_file import answer, ask, at_least, counts_of, identify, judged
from abl_cards.platforms.botzone.network_parts import MOST_REGRET, REGRET_UNIT, Weights, rectified, respond

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Rules = dict[str, Any]

PLAYS_UNIT, NEVER = 5.0, 1e-3
DRAWS, HALVINGS = 8, 60
SEATS = 3

# --- layers -----------------------------------------------------------------------------------------------------------


def logistic(numbers: Numbers) -> Numbers:
    """Between 0 and 1."""
    found: Numbers = (1 / (1 + np.exp(-numbers))).astype(np.float32)
    return found


class Network(Weights):
    """What estimates, and what decides."""

    def layers(self, name: str, told: Numbers) -> Numbers:
        """Fully connected layers with a rectifier between each two."""
        number = 0
        while "%s.%d.weight" % (name, number) in self.weights:  # noqa: UP031
            told = self.linear("%s.%d" % (name, number), rectified(told) if number else told)  # noqa: UP031
            number += 2
        return told

    def normed(self, name: str, told: Numbers) -> Numbers:
        """Each row to mean 0 and variance 1, then scaled and shifted."""
        middle, spread = told.mean(axis=-1, keepdims=True), told.var(axis=-1, keepdims=True)
        even = (told - middle) / np.sqrt(spread + 1e-5)
        found: Numbers = even * self.weights[name + ".weight"] + self.weights[name + ".bias"]
        return found

    def encoded(self, name: str, observation: Numbers, steps: int) -> Numbers:
        """State and history of an observation as one vector."""
        state = self.weights[name + ".state.0.weight"].shape[1]
        cards = (len(observation) - state) // steps - SEATS
        end = state + steps * cards
        history = np.concatenate(
            [observation[state:end].reshape(steps, cards), observation[end:].reshape(steps, SEATS)], axis=1
        )
        hidden = self.linear(name + ".history.embed", history) + self.weights[name + ".history.place"]
        number = 0
        while "%s.history.blocks.%d.mix.weight" % (name, number) in self.weights:  # noqa: UP031
            hidden = self.attended("%s.history.blocks.%d" % (name, number), hidden)  # noqa: UP031
            number += 1
        parts = [self.layers(name + ".state", observation[:state]), self.linear(name + ".history.out", hidden.ravel())]
        return np.concatenate(parts)

    def attended(self, name: str, hidden: Numbers) -> Numbers:
        """Self-attention and a small network, each added to what came in, [steps, width]."""
        heads = int(self.weights["heads"][0])
        mixed = self.linear(name + ".mix", self.normed(name + ".before", hidden))
        query, key, value = mixed.reshape(len(hidden), 3, heads, -1).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        seen = (shares / shares.sum(axis=-1, keepdims=True)) @ value
        hidden = hidden + self.linear(name + ".join", seen.transpose(1, 0, 2).reshape(hidden.shape))
        return hidden + self.layers(name + ".widen", self.normed(name + ".between", hidden))

    def scores(self, encoded: Numbers, told: Numbers) -> Numbers:
        """What the labels score, but for their costs."""
        hidden, number = self.linear("decision.join", np.concatenate([encoded, told])), 0
        while "decision.blocks.%d.first.weight" % number in self.weights:  # noqa: UP031
            name = "decision.blocks.%d" % number  # noqa: UP031
            hidden = hidden + self.linear(name + ".second", rectified(self.linear(name + ".first", rectified(hidden))))
            number += 1
        return self.linear("decision.policy", rectified(hidden))


# --- hidden hands: what the next seat holds, and with it what the previous one does ----------------------------------


class Hidden:
    """The cards that lie in the two other hands."""

    def __init__(self, view: Rules, copies: Numbers) -> None:
        self.unseen = np.array(view["unseen"], np.float32)
        self.left = [view["cards"]["next"], view["cards"]["previous"]]
        self.copies = copies
        bottom = np.array(view["bottom"], np.float32)
        laid = laid_by(view)
        at_least = [np.zeros_like(bottom), np.zeros_like(bottom)]
        if view["part"]:  # the landlord, who is one of them, has shown what he took up
            landlord = 1 if view["part"] == 1 else 0
            at_least[landlord] = np.minimum(np.maximum(bottom - laid[landlord + 1], 0), self.unseen)
        self.low, self.high = at_least[0], self.unseen - at_least[1]

    def counted(self) -> Numbers:
        """What the next seat holds by counts and facts."""
        room = self.high - self.low
        share = (self.left[0] - self.low.sum()) / max(room.sum(), 1)
        found: Numbers = self.low + room * share
        return found

    def nearest(self, wanted: Numbers) -> Numbers:
        """The nearest numbers that may be, to those [2, kinds] that are wanted of both seats."""
        middle = (wanted[0] + self.unseen - wanted[1]) / 2
        under, over = -10.0, 10.0
        for _ in range(HALVINGS):
            price = (under + over) / 2
            if np.clip(middle + price, self.low, self.high).sum() < self.left[0]:
                under = price
            else:
                over = price
        return np.clip(middle + over, self.low, self.high)

    def both(self, following: Numbers) -> Numbers:
        """[2, kinds] the hands of both."""
        return np.stack([following, self.unseen - following])

    def drawn(self, following: Numbers, random: np.random.RandomState) -> list[list[int]]:
        """Hands of the next seat, by turns with those of the previous one, of deals that the estimate makes likely."""
        found: list[list[int]] = []
        room = (self.high - self.low).astype(int)
        kinds = np.repeat(np.arange(len(room)), room)
        chance = np.clip((following - self.low) / np.maximum(room, 1), NEVER, 1 - NEVER)[kinds]
        odds = chance / (1 - chance)
        missing = round(self.left[0] - float(self.low.sum()))
        for _ in range(DRAWS):
            first = np.argsort(np.log(random.uniform(1e-12, 1, len(kinds))) / odds)[::-1][:missing]
            hand = self.low.astype(int) + np.bincount(kinds[first], minlength=len(room))
            found += [hand.tolist(), (self.unseen.astype(int) - hand).tolist()]
        return found


def laid_by(view: Rules) -> Numbers:
    """[seats, kinds] what each has laid down, we first."""
    laid = np.zeros((SEATS, len(view["hand"])), np.float32)
    for seat, ids in view["acts"]:
        laid[seat] += counts_of(ids)
    return laid


# --- one decision -----------------------------------------------------------------------------------------------------


def observation_of(rules: Rules, view: Rules) -> Numbers:
    """What we see, in the numbers of the networks."""
    shapes = rules["features"]
    found = {name: np.zeros(shape, np.float32) for name, shape in shapes}
    found["after_landlord"][view["part"]] = 1
    found["hand"][:], found["bottom"][:], found["unseen"][:] = view["hand"], view["bottom"], view["unseen"]
    for seat, left in enumerate((sum(view["hand"]), view["cards"]["next"], view["cards"]["previous"])):
        found["sizes"][seat, left] = 1
    found["played"][:] = laid_by(view)
    doubled = sum(1 for _, ids in view["acts"] if ids and doubles(rules, ids))
    found["doublings"][min(doubled, len(found["doublings"]) - 1)] = 1
    recent = view["acts"][-len(found["recent"]) :]
    for place, (seat, ids) in enumerate(recent, len(found["recent"]) - len(recent)):
        found["recent"][place], found["recent_seat"][place, seat] = counts_of(ids), 1
    return np.concatenate([found[name].ravel() for name, _ in shapes])


def doubles(rules: Rules, ids: list[int]) -> bool:
    """Whether a play doubles the stake."""
    if len(ids) not in rules["doubling_sizes"]:
        return False
    return identify(rules, counts_of(ids)) in rules["doubling"]


def replies(rules: Rules, hands: list[list[int]], labels: list[int]) -> Numbers:
    """[2, labels] in which share of the deals either could answer each label; hands of both by turns."""
    columns = len(hands) * len(labels)
    inputs: dict[str, int] = {}
    for number, hand in enumerate(hands):
        mine = sum(1 << (number * len(labels) + place) for place in range(len(labels)))
        at_least("held", hand, mine, inputs)
    for place, label in enumerate(labels):
        bits = sum(1 << (number * len(labels) + place) for number in range(len(hands)))
        inputs["to_beat(%s)" % rules["labels"][label]] = bits  # noqa: UP031
    answered = 0
    for label, legal in enumerate(ask(rules["play"], inputs, columns)):
        if label != rules["pass"]:
            answered |= legal
    found = np.zeros((2, len(rules["labels"])), np.float32)
    for number in range(len(hands)):
        for place, label in enumerate(labels):
            found[number % 2, label] += (answered >> (number * len(labels) + place) & 1) / DRAWS
    return found


class Player:
    """Chooses moves: the likeliest label, and of its card sets the one that the preferences like best."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def estimate(self, view: Rules, seen: Numbers, steps: int) -> tuple[Hidden, Numbers]:
        """What the next seat holds."""
        network, copies = self.network, self.network.weights["copies"]
        hidden = Hidden(view, copies)
        prior = hidden.both(hidden.counted())
        told = np.concatenate([rectified(network.encoded("abln.encoder", seen, steps)), prior.ravel()])
        share = np.clip(prior / copies, NEVER, 1 - NEVER)
        change = network.layers("abln.estimate", told).reshape(prior.shape)
        return hidden, hidden.nearest(copies * logistic(np.log(share / (1 - share)) + change))

    def scores(self, rules: Rules, view: Rules, regret: dict[int, int], plays: dict[int, int]) -> Numbers:
        """[labels] what the networks say of labels of which costs and plays to go are told."""
        seen, steps, labels = observation_of(rules, view), rules["steps"], sorted(regret)
        hidden, following = self.estimate(view, seen, steps)
        size = len(rules["labels"])
        legal, to_beat, units, left = (np.zeros(size, np.float32) for _ in range(4))
        left[:] = min(plays.values()) / PLAYS_UNIT
        for label in labels:
            legal[label], left[label] = 1, plays[label] / PLAYS_UNIT
            units[label] = min(max(regret[label] / REGRET_UNIT, 0), MOST_REGRET)
        if view["to_beat"] is not None:
            to_beat[view["to_beat"]] = 1
        hands = hidden.drawn(following, np.random.RandomState(int(seen.dot(np.arange(len(seen)) % 97)) % 2**31))
        answers = replies(rules, hands, [label for label in labels if label != rules["pass"]])
        told = [hidden.both(following).ravel(), answers.ravel(), legal, to_beat, units, left]
        encoded = rectified(self.network.encoded("decision.encoder", seen, steps))
        return self.network.scores(encoded, np.concatenate(told)) - self.network.weights["decision.trust"] * units

    def __call__(self, rules: Rules, common: Rules, candidates: list[Any], plays: Any, view: Rules, moves: Any) -> int:
        """The number of a move."""
        if len(moves) == 1:
            return 0
        wrong, costs = prices(judged(rules, common, candidates, plays), rules["weights"], len(moves))
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
    respond(lambda weights: Player(Network(weights)), answer)
