"""What plays: agents by name, in every game.

``random`` is uniform over the legal labels, then over the label's card sets. ``greedy`` follows with the weakest
beater of the same type, else the weakest bomb, else it passes; it leads the label with most cards, weakest first;
always the first card set in wire order.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games import Decisions, Engine, Exchanges, GameError, Moves, Traits
from abl_cards.parallel import each_share
from abl_cards.streams import below, mix
from reasoners.minimiser import Minimiser

Keys = NDArray[np.uint64]
"""[n] random bits, one key a decision; the same decision gets the same key in every run."""


class Agent(Protocol):
    """Decides for many tables at once; it sees what the seats to decide may see and nothing else."""

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """One legal move for each decision."""

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """One of the allowed cards for each exchange, to pay or to return: [n]."""


class Random:
    """Uniform over the legal labels, then over the card sets of the label."""

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """A random move each."""
        labels = np.zeros(len(keys), np.int16)
        legal = decisions.legal
        each_share(len(keys), lambda lo, hi: _random_labels(legal, keys, lo, hi, labels))
        return decisions.realise_random(labels, keys)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """A random card each."""
        cards = np.zeros(len(keys), np.int16)
        _random_labels(np.ascontiguousarray(exchanges.options.T), keys, 0, len(keys), cards)
        return cards.astype(np.uint8)


class Greedy:
    """The plain heuristic of the module."""

    def __init__(self, traits: Traits) -> None:
        """Play by these traits of the labels."""
        self._traits = traits

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The heuristic's move each."""
        labels = np.zeros(len(keys), np.int16)
        seen = decisions.legal, decisions.label_to_beat, decisions.ranking
        traits = self._traits
        each_share(
            len(keys), lambda lo, hi: _greedy_labels(traits.kind, traits.cards, traits.bomb, *seen, lo, hi, labels)
        )
        return decisions.realise_first(labels)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The first card each."""
        return exchanges.options.argmax(axis=1).astype(np.uint8)


class Kb:
    """Plays the legal card set that the preferences of the knowledge base like best."""

    def __init__(self, minimiser: Minimiser) -> None:
        """Decide by this minimiser."""
        self._minimiser = minimiser

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The cheapest move each."""
        return self._minimiser.best(decisions)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.give(exchanges)


AGENTS: dict[str, Callable[[Engine], Agent]] = {
    "random": lambda engine: Random(),
    "greedy": lambda engine: Greedy(engine.traits),
    "kb": lambda engine: Kb(Minimiser.of(engine)),
}
"""Agents by name."""


def agent(name: str, engine: Engine) -> Agent:
    """An agent by name, for a game; raises GameError for a name that is none."""
    if name not in AGENTS:
        raise GameError(f"unknown agent '{name}' (there are: {', '.join(sorted(AGENTS))})")
    return AGENTS[name](engine)


@njit(cache=True, nogil=True)
def _random_labels(legal, keys, lo, hi, labels):
    """A uniformly random legal label for decisions lo..hi-1."""
    for i in range(lo, hi):
        count = 0
        for label in range(legal.shape[0]):
            count += legal[label, i]
        left = np.int64(below(mix(keys[i], np.uint64(0)), np.uint64(count)))
        for label in range(legal.shape[0]):
            if legal[label, i]:
                if left == 0:
                    labels[i] = label
                    break
                left -= 1


@njit(cache=True, nogil=True)
def _greedy_labels(kind, cards, bomb, legal, to_beat, ranking, lo, hi, labels):
    """The greedy label for decisions lo..hi-1."""
    for i in range(lo, hi):
        best, best_class, best_place = -1, 0, 0
        for label in range(legal.shape[0]):
            if not legal[label, i]:
                continue
            if to_beat[i] < 0:
                rank = -cards[label]
            elif kind[label] == kind[to_beat[i]]:
                rank = 0
            elif bomb[label]:
                rank = 1
            else:
                rank = 2
            place = ranking[i, label]
            if best < 0 or rank < best_class or (rank == best_class and place < best_place):
                best, best_class, best_place = label, rank, place
        labels[i] = best
