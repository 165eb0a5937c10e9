"""Matches between the players of an experiment, as cells that are kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.arena import play_match
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

    @classmethod
    def of(cls, result: dict[str, Any]) -> Outcome:
        """From the plain values of a cell."""
        first, second = result["agents"]
        low, high = result["interval"]
        return cls((first, second), result["games"], result["rate"], (low, high), np.array(result["scores"], np.int8))

    def turned(self) -> Outcome:
        """The same from the eyes of the second player."""
        low, high = self.interval
        return Outcome(self.names[::-1], self.games, 1 - self.rate, (1 - high, 1 - low), -self.scores)


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
        for number, worth in zip(numbers, points, strict=True):
            scores[number].append(int(worth))

    result = play_match(
        engine, (pair[0].name, pair[1].name), (pair[0].agent, pair[1].agent), games, seed,
        lambda done, wins: tell(done, f"{wins[0]} : {wins[1]}"), points=note,
    )  # fmt: skip
    return result.to_json() | {"scores": [worth for game in scores for worth in game]}


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
