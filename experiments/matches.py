"""Matches between the players of an experiment, as cells that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.arena import play_match, wilson, worth
from abl_cards.games import Engine, Indices
from experiments.desk import Desk, Tell
from experiments.players import Player


@dataclass(frozen=True)
class Outcome:
    """What came of some matches, from the eyes of the first player."""

    names: tuple[str, str]
    games: int
    rate: float
    interval: tuple[float, float]
    scores: NDArray[np.int8]  # [episodes] what each was worth, the games in their order
    lengths: NDArray[np.int64]  # [games] their episodes; none of matches that were measured before these were kept

    @classmethod
    def of(cls, result: dict[str, Any]) -> Outcome:
        """From the plain values of a cell."""
        first, second = result["agents"]
        low, high = result["interval"]
        scores, lengths = np.array(result["scores"], np.int8), np.array(result.get("lengths", []), np.int64)
        return cls((first, second), result["games"], result["rate"], (low, high), scores, lengths)

    @classmethod
    def pooled(cls, outcomes: Sequence[Outcome]) -> Outcome:
        """Matches of the same two with deals of their own each, taken together."""
        games = sum(each.games for each in outcomes)
        rate = sum(each.rate * each.games for each in outcomes) / games
        interval = wilson(rate, sum(worth(each.rate, each.interval) for each in outcomes))
        scores = np.concatenate([each.scores for each in outcomes])
        lengths = np.concatenate([each.lengths for each in outcomes])
        return cls(outcomes[0].names, games, rate, interval, scores, lengths)

    def turned(self) -> Outcome:
        """The same from the eyes of the second player."""
        low, high = self.interval
        return Outcome(self.names[::-1], self.games, 1 - self.rate, (1 - high, 1 - low), -self.scores, self.lengths)


def matches(desk: Desk, engine: Engine, pair: tuple[Player, Player], games: int, seed: int) -> Outcome:
    """Play whole matches on duplicate deals, or take what was played before."""
    first, second = pair
    what = {
        "match": [first.name, second.name], "marks": [first.mark, second.mark], "games": games, "seed": seed,
    }  # fmt: skip
    text = f"{first.name} : {second.name}"
    return Outcome.of(desk.cell(what, lambda tell: _play(engine, pair, games, seed, tell), text, games))


def _play(engine: Engine, pair: tuple[Player, Player], games: int, seed: int, tell: Tell) -> dict[str, Any]:
    scores: list[list[int]] = [[] for _ in range(games)]

    def note(numbers: Indices, points: NDArray[np.float32]) -> None:
        for number, point in zip(numbers, points, strict=True):
            scores[number].append(int(point))

    result = play_match(
        engine, (pair[0].name, pair[1].name), (pair[0].agent, pair[1].agent), games, seed,
        lambda done, wins: tell(done, f"{wins[0]} : {wins[1]}"), points=note,
    )  # fmt: skip
    every, lengths = [each for game in scores for each in game], [len(game) for game in scores]
    return result.to_json() | {"scores": every, "lengths": lengths}


@dataclass(frozen=True)
class Points:
    """Episodes by what they were worth to their winner (table 8 of Chen et al. 2025)."""

    total: int  # points of the episodes won
    won: float | None  # share of the episodes; None where there were none
    shares: dict[int, float | None]  # of the episodes won, by their worth; likewise

    @classmethod
    def of(cls, scores: NDArray[np.int8]) -> Points:
        """From what episodes [n] were worth to a player."""
        worth = Counter(scores[scores > 0].tolist())
        won = worth.total()
        total = sum(points * times for points, times in worth.items())
        shares = {points: worth[points] / won if won else None for points in (3, 2, 1)}
        return cls(total, won / len(scores) if len(scores) else None, shares)


def share_of_episodes(
    outcome: Outcome, counted: NDArray[np.bool_], of: NDArray[np.bool_], together: int = 2
) -> tuple[float | None, float | None, float | None]:
    """The share of the episodes [episodes] that count of those that could, and its 95 % bounds where they are known.

    The episodes of the games with one deal stand and fall together, so the deals are what is drawn. The first episodes
    of an outcome may be asked about alone.
    """
    part, whole = float(counted.sum()), float(of.sum())
    if not whole:
        return None, None, None
    rate, size = part / whole, len(counted)
    deal = (np.repeat(np.arange(len(outcome.lengths)), outcome.lengths) // together)[:size]
    deals = len(np.unique(deal))
    if len(deal) < size or deals < 2:
        return rate, None, None
    gap = np.bincount(deal, counted - rate * of)
    variance = float((gap**2).sum()) / whole**2 * deals / (deals - 1)
    if not variance:
        return rate, *wilson(rate, deals)
    return rate, *wilson(rate, rate * (1 - rate) / variance)
