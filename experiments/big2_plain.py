"""A plain Python negamax of the design of Tan et al. 2020, chapter 3, to measure the search against.

Hands as lists of counts, a dictionary as the cache, alpha and beta, the order of 智多星. One thing is not theirs: where
a cut-off leaves only a bound, the cache says so, because their cache takes bounds for values and can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from abl_cards.games.race import Combinations, Race
from abl_cards.games.tables import LEADING
from reasoners.search import Stopped

Hand = tuple[int, ...]
_LOOK_EVERY = 1000


class PlainNegamax:
    """Values of positions of a game; see the module."""

    def __init__(self, game: Combinations) -> None:
        """Prepare the labels: in the order of 智多星, many cards first and bombs, which beat most, last."""
        self._needs = [[(rank, int(count)) for rank, count in enumerate(row) if count] for row in game.needs]
        self._kickers = list(zip(game.kickers.tolist(), game.kicker_size.tolist(), strict=True))
        self._spare = [[rank for rank, may in enumerate(row) if may] for row in game.spare]
        self._beats = game.beats
        takes, beaten = game.cards.tolist(), game.beats.sum(axis=0).tolist()
        bomb = [count > len(game.labels) // 2 for count in beaten]
        self._all = sorted(range(len(game.labels)), key=lambda label: (bomb[label], -takes[label], beaten[label]))

    def value(self, race: Race, watch: Callable[[int], bool]) -> int:
        """The value of a position; raises Stopped."""
        self._cache: dict[tuple[Hand, Hand, int], tuple[int, int]] = {}
        self._nodes, self._watch = 0, watch
        hands = race.own, race.other
        self._order = [label for label in self._all if any(self._fits(hand, label) for hand in hands)]
        return self._negamax(race.own, race.other, race.to_beat, -sum(race.own), sum(race.other))

    def _negamax(self, own: Hand, other: Hand, to_beat: int, alpha: int, beta: int) -> int:
        self._nodes += 1
        if self._nodes % _LOOK_EVERY == 0 and not self._watch(self._nodes):
            raise Stopped
        if not any(other):
            return -sum(own)
        lower, upper = self._cache.get((own, other, to_beat), (-99, 99))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        best, reached = -99, alpha
        for label, left in self._branch(own, to_beat):
            best = max(best, -self._negamax(other, left, label, -beta, -reached))
            reached = max(reached, best)
            if reached >= beta:
                break
        if best > alpha:
            lower = max(lower, best)
        if best < beta:
            upper = min(upper, best)
        self._cache[own, other, to_beat] = lower, upper
        return best

    def _branch(self, own: Hand, to_beat: int) -> list[tuple[int, Hand]]:
        """The moves: the label and what stays in the hand; a pass comes last."""
        found: list[tuple[int, Hand]] = []
        for label in self._order:
            if to_beat != LEADING and not self._beats[to_beat, label]:
                continue
            if not self._fits(own, label):
                continue
            left = list(own)
            for rank, count in self._needs[label]:
                left[rank] -= count
            groups, size = self._kickers[label]
            there = [rank for rank in self._spare[label] if left[rank] >= size] if groups else []
            for chosen in combinations(there, groups):
                rest = left.copy()
                for rank in chosen:
                    rest[rank] -= size
                found.append((label, tuple(rest)))
        if to_beat != LEADING:
            found.append((LEADING, own))
        return found

    def _fits(self, hand: Hand, label: int) -> bool:
        """Whether a hand holds the main cards of a label."""
        return all(hand[rank] >= count for rank, count in self._needs[label])
