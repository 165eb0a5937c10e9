"""A plain Python negamax after Tan et al. 2020, chapter 3, as the baseline of the search.

Hands are lists of counts, the cache a dictionary, with alpha-beta pruning in the move order of 智多星. One difference:
after a cut-off the cache stores a bound as a bound, because the paper's cache takes bounds for values and can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from abl_cards.games.endgame import RaceCombinations, RacePosition
from abl_cards.games.types import LEADING
from abl_cards.reasoners.search import SearchStopped

Hand = tuple[int, ...]
_CHECK_INTERVAL = 1000


class PythonNegamax:
    """Solver of the positions of a game by plain negamax."""

    def __init__(self, game: RaceCombinations) -> None:
        """Prepare the labels: in the order of 智多星, many cards first and bombs, which beat most, last."""
        self._needs = [[(rank, int(count)) for rank, count in enumerate(row) if count] for row in game.main_cards]
        self._kickers = list(zip(game.kickers.tolist(), game.kicker_size.tolist(), strict=True))
        self._kicker_ranks = [[rank for rank, may in enumerate(row) if may] for row in game.kicker_ranks]
        self._beats = game.beats
        takes, beaten = game.num_cards.tolist(), game.beats.sum(axis=0).tolist()
        bomb = [count > len(game.labels) // 2 for count in beaten]
        self._sorted_labels = sorted(
            range(len(game.labels)), key=lambda label: (bomb[label], -takes[label], beaten[label])
        )

    def value(self, race: RacePosition, should_continue: Callable[[int], bool]) -> int:
        """Return the value of a position; raises Stopped."""
        self._cache: dict[tuple[Hand, Hand, int], tuple[int, int]] = {}
        self._nodes, self._should_continue = 0, should_continue
        hands = race.own_hand, race.other_hand
        self._possible_labels = [
            label for label in self._sorted_labels if any(self._holds_label(hand, label) for hand in hands)
        ]
        return self._negamax(race.own_hand, race.other_hand, race.to_beat, -sum(race.own_hand), sum(race.other_hand))

    def _negamax(self, own: Hand, other: Hand, to_beat: int, alpha: int, beta: int) -> int:
        self._nodes += 1
        if self._nodes % _CHECK_INTERVAL == 0 and not self._should_continue(self._nodes):
            raise SearchStopped
        if not any(other):
            return -sum(own)
        lower, upper = self._cache.get((own, other, to_beat), (-99, 99))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        best, reached = -99, alpha
        for label, left in self._successors(own, to_beat):
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

    def _successors(self, own: Hand, to_beat: int) -> list[tuple[int, Hand]]:
        """List the moves as pairs of label and remaining hand; a pass comes last."""
        moves: list[tuple[int, Hand]] = []
        for label in self._possible_labels:
            if to_beat != LEADING and not self._beats[to_beat, label]:
                continue
            if not self._holds_label(own, label):
                continue
            left = list(own)
            for rank, count in self._needs[label]:
                left[rank] -= count
            groups, size = self._kickers[label]
            there = [rank for rank in self._kicker_ranks[label] if left[rank] >= size] if groups else []
            for chosen in combinations(there, groups):
                remaining = left.copy()
                for rank in chosen:
                    remaining[rank] -= size
                moves.append((label, tuple(remaining)))
        if to_beat != LEADING:
            moves.append((LEADING, own))
        return moves

    def _holds_label(self, hand: Hand, label: int) -> bool:
        """Return whether a hand holds the main cards of a label."""
        return all(hand[rank] >= count for rank, count in self._needs[label])
