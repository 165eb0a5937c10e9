"""How a game plays under some rules: who wins, how long it takes, how often there is nothing to decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import agent
from abl_cards.arena import wilson
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Quiet
from abl_cards.streams import mix_all

TABLES = 200
"""Side by side."""


@dataclass(frozen=True)
class Balance:
    """What came of some episodes between equal players."""

    episodes: int
    wins: tuple[float, ...]  # [seats] the share of episodes in which the seat won most, alone or with others
    bounds: tuple[tuple[float, float], ...]  # [seats] 95 %
    decisions: float  # plays and passes an episode
    decisions_bounds: tuple[float, float]
    forced: float  # the share of decisions with one legal move alone
    passes: float  # of decisions that are passes

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "episodes": self.episodes,
            "wins_by_seat": [round(share, 4) for share in self.wins],
            "wins_95": [[round(bound, 4) for bound in pair] for pair in self.bounds],
            "decisions_an_episode": round(self.decisions, 2),
            "decisions_95": [round(bound, 2) for bound in self.decisions_bounds],
            "forced_share": round(self.forced, 4),
            "pass_share": round(self.passes, 4),
        }


class _Counter(Quiet):
    """Adds up what listeners hear."""

    def __init__(self, engine: Engine, tables: int) -> None:
        self.engine, self.won = engine, list[NDArray[np.bool_]]()
        self.length, self.lengths = np.zeros(tables, np.int64), list[int]()
        self.decisions = self.forced = self.passes = 0

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Who has won most, and how long it took."""
        points = self.engine.rewards(tables, which)
        best = points.max(axis=1, keepdims=True)
        self.won += list((points == best) & (points > points.min(axis=1, keepdims=True)))
        self.lengths += self.length[which].tolist()
        self.length[which] = 0

    def decide(self, tables: Tables, which: Indices) -> Any:
        """The decisions at some tables, counted."""
        decisions = tables.decisions(which)
        starts = decisions.moves().start
        self.length[which] += 1
        self.decisions += len(which)
        self.forced += int((np.diff(starts) == 1).sum())
        return decisions


def balance(engine: Engine, episodes: int, seed: int, tell: Callable[[int], None], player: str = "kb") -> Balance:
    """Let an agent play against itself, by default that of the knowledge base; raises GameError."""
    tables = min(TABLES, episodes)
    counter = _Counter(engine, tables)
    play, equal = engine.tables(mix_all(np.arange(tables).astype(np.uint64), seed), counter), agent(player, engine)
    play.patient, passing = True, engine.traits.pass_label
    while len(counter.won) < episodes:
        which, choosing = play.playing(), play.choosing()
        if which.size:
            decisions = counter.decide(play, which)
            moves = equal.play(decisions, mix_all(play.keys[which], play.clock[which]))
            counter.passes += int((decisions.labels_of(moves.form) == passing).sum())
            play.play(which, moves)
        if choosing.size:
            keys = mix_all(play.keys[choosing], play.clock[choosing])
            play.choose(choosing, equal.choose(play.choices(choosing), keys))
        over = np.flatnonzero(play.winner != -1)
        if over.size:
            play.begin_match(over, mix_all(play.keys[over], 1))
        tell(len(counter.won))
    return _summary(counter)


def _summary(counter: _Counter) -> Balance:
    won = np.array(counter.won)
    shares, lengths = won.mean(axis=0), np.array(counter.lengths)
    spread = 1.96 * lengths.std() / np.sqrt(len(lengths))
    return Balance(
        len(won),
        tuple(shares.tolist()),
        tuple(wilson(float(share), float(len(won))) for share in shares),
        float(lengths.mean()),
        (float(lengths.mean() - spread), float(lengths.mean() + spread)),
        counter.forced / max(1, counter.decisions),
        counter.passes / max(1, counter.decisions),
    )
