"""Statistics of self-play by some rules: wins by seat, length of episodes, forced decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import make_agent
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices
from abl_cards.matches import wilson_interval

NUM_TABLES = 200
"""Side by side."""


@dataclass(frozen=True)
class Balance:
    """Statistics of episodes between equal agents."""

    num_episodes: int
    win_shares: tuple[float, ...]  # [seats] the share of episodes in which the seat won most, alone or with others
    win_intervals: tuple[tuple[float, float], ...]  # [seats] 95 %
    mean_decisions: float  # plays and passes an episode
    decisions_interval: tuple[float, float]
    forced_share: float  # the share of decisions with one legal move alone
    pass_share: float  # of decisions that are passes

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "episodes": self.num_episodes,
            "wins_by_seat": [round(share, 4) for share in self.win_shares],
            "wins_95": [[round(bound, 4) for bound in pair] for pair in self.win_intervals],
            "decisions_an_episode": round(self.mean_decisions, 2),
            "decisions_95": [round(bound, 2) for bound in self.decisions_interval],
            "forced_share": round(self.forced_share, 4),
            "pass_share": round(self.pass_share, 4),
        }


class _BalanceListener(NullListener):
    """Adds up what listeners hear."""

    def __init__(self, engine: Engine, tables: int) -> None:
        self.engine, self.winners = engine, list[NDArray[np.bool_]]()
        self.current_lengths, self.episode_lengths = np.zeros(tables, np.int64), list[int]()
        self.num_decisions = self.num_forced = self.num_passes = 0

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the winner and the length of episodes."""
        points = self.engine.rewards(tables, rows)
        best = points.max(axis=1, keepdims=True)
        self.winners += list((points == best) & (points > points.min(axis=1, keepdims=True)))
        self.episode_lengths += self.current_lengths[rows].tolist()
        self.current_lengths[rows] = 0

    def count_decisions(self, tables: Tables, rows: Indices) -> Any:
        """The decisions at some tables, counted."""
        decisions = tables.decisions(rows)
        starts = decisions.moves().start
        self.current_lengths[rows] += 1
        self.num_decisions += len(rows)
        self.num_forced += int((np.diff(starts) == 1).sum())
        return decisions


def measure_balance(
    engine: Engine, num_episodes: int, seed: int, on_progress: Callable[[int], None], agent_name: str = "kb"
) -> Balance:
    """Let an agent play against itself, by default that of the knowledge base; raises GameError."""
    tables = min(NUM_TABLES, num_episodes)
    counter = _BalanceListener(engine, tables)
    play, equal = (
        engine.start_matches(splitmix64_array(np.arange(tables).astype(np.uint64), seed), counter),
        make_agent(agent_name, engine),
    )
    play.batch_rare_steps, passing = True, engine.label_traits.pass_label
    while len(counter.winners) < num_episodes:
        which, choosing = play.rows_to_play(), play.rows_to_choose()
        if which.size:
            decisions = counter.count_decisions(play, which)
            moves = equal.play(decisions, splitmix64_array(play.keys[which], play.num_decisions[which]))
            counter.num_passes += int((decisions.labels_of(moves.form) == passing).sum())
            play.play(which, moves)
        if choosing.size:
            keys = splitmix64_array(play.keys[choosing], play.num_decisions[choosing])
            play.choose(choosing, equal.choose(play.choices(choosing), keys))
        over = np.flatnonzero(play.winner != -1)
        if over.size:
            play.begin_match(over, splitmix64_array(play.keys[over], 1))
        on_progress(len(counter.winners))
    return _summary(counter)


def _summary(counter: _BalanceListener) -> Balance:
    won = np.array(counter.winners)
    shares, lengths = won.mean(axis=0), np.array(counter.episode_lengths)
    spread = 1.96 * lengths.std() / np.sqrt(len(lengths))
    return Balance(
        len(won),
        tuple(shares.tolist()),
        tuple(wilson_interval(float(share), float(len(won))) for share in shares),
        float(lengths.mean()),
        (float(lengths.mean() - spread), float(lengths.mean() + spread)),
        counter.num_forced / max(1, counter.num_decisions),
        counter.num_passes / max(1, counter.num_decisions),
    )
