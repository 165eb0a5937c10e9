"""Decisions as their seats see them, and what they do not see: the hands of the others, and how those were played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.hidden import Constraints
from abl_cards.streams import below_all, key_of, mix_all

ONE_IN = 5
"""Decisions of one game that are looked at: neighbours hide almost the same hands."""
_MOST_TABLES = 256
_A_TABLE = 75
"""Decisions that a table contributes at least: those of several episodes."""


@dataclass(frozen=True)
class Views:
    """n decisions."""

    observation: NDArray[np.uint8]  # [n, features]
    constraints: Constraints
    hints: NDArray[np.float32]  # [n, others, cards]
    truth: NDArray[np.uint8]  # [n, others, cards]
    later: NDArray[np.uint8]  # [n, others, cards] what the others laid down from there to the end of the episode
    cards: NDArray[np.int64]  # [n] the observer's own
    episode: Indices  # [n] a number of the episode

    def __len__(self) -> int:
        return len(self.cards)

    def at(self, rows: NDArray[Any] | slice) -> Views:
        """Some of them."""
        arrays = {name: getattr(self, name)[rows] for name in _ARRAYS}
        return Views(constraints=self.constraints.at(rows), **arrays)

    @classmethod
    def joined(cls, parts: Sequence[Views]) -> Views:
        """One after the other."""
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(constraints=Constraints.joined([part.constraints for part in parts]), **arrays)

    def also(self, other: Views) -> Views:
        """With others behind, whose episodes are other ones."""
        numbered = other.at(slice(None))
        numbered.episode[...] += self.episode.max() + 1 if len(self) else 0
        return Views.joined([self, numbered])


_ARRAYS = tuple(field.name for field in fields(Views) if field.name != "constraints")

Choose = Callable[[Tables, Indices], Indices]
"""The tables among some to look at."""


class Looking(Quiet):
    """Listens to tables; keeps what seats see at some decisions, and how their episodes end."""

    def __init__(self, engine: Engine, tables: int, choose: Choose = lambda tables, which: which) -> None:
        """Look at so many tables, by default at every decision."""
        self._engine, self._choose = engine, choose
        self._seats = np.arange(len(engine.teams), dtype=np.int8)
        self._number = np.arange(tables)  # [tables] the number of the episode there
        self._next = tables
        self._parts: list[tuple[Views, NDArray[np.int8]]] = []
        self._ends: list[tuple[Indices, NDArray[np.uint8]]] = []
        self._open = np.zeros(tables, np.int64)  # [tables] decisions of the episode that is running
        self.complete = 0  # decisions whose episodes have ended

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Look before the cards are laid down."""
        chosen = self._choose(tables, which)
        if not chosen.size:
            return
        seen, truth = tables.observe(chosen), tables.others(chosen)
        own = seen[:, self._engine.observation["hand"]].sum(axis=1, dtype=np.int64)
        known, hints, seat = tables.hidden(chosen), tables.hints(chosen), tables.seat[chosen].copy()
        laid = tables.laid_by_others(chosen, seat)  # until here; what comes later is the difference at the end
        self._parts.append((Views(seen, known, hints, truth, laid, own, self._number[chosen]), seat))
        self._open[chosen] += 1

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Keep what was laid down, as each seat would see it."""
        laid = [tables.laid_by_others(which, np.full(len(which), seat)) for seat in self._seats]
        self._ends.append((self._number[which], np.stack(laid, axis=1)))
        self._number[which] = self._next + np.arange(len(which))
        self._next += len(which)
        self.complete += int(self._open[which].sum())
        self._open[which] = 0

    def views(self) -> Views:
        """The decisions of the episodes that have ended."""
        views = Views.joined([views for views, _ in self._parts])
        seat = np.concatenate([seats for _, seats in self._parts])
        ended, laid = (np.concatenate(column) for column in zip(*self._ends, strict=True))
        place = np.full(self._next, -1)
        place[ended] = np.arange(len(ended))
        over = place[views.episode] >= 0
        views, seat = views.at(over), seat[over]
        views.later[...] = laid[place[views.episode], seat] - views.later
        return views


def from_play(engine: Engine, player: Agent, decisions: int, seed: int) -> Views:
    """At least so many decisions of an agent that plays against itself, one in five of matches that run on."""
    tables = min(_MOST_TABLES, 1 + decisions // _A_TABLE)

    def choose(playing: Tables, which: Indices) -> Indices:
        drawn = mix_all(mix_all(playing.keys[which], playing.clock[which]), seed)
        return which[below_all(drawn, ONE_IN) == 0]

    looking = Looking(engine, tables, choose)
    keys = mix_all(np.full(tables, key_of(seed), np.uint64), np.arange(tables))
    playing = engine.tables(keys, looking)
    playing.patient = True
    while looking.complete < decisions:
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, mix_all(playing.keys[over], 1))
        giving = playing.choosing()
        if giving.size:
            drawn = mix_all(playing.keys[giving], playing.clock[giving])
            playing.choose(giving, player.choose(playing.choices(giving), drawn))
        which = playing.playing()
        drawn = mix_all(playing.keys[which], playing.clock[which])
        playing.play(which, player.play(playing.decisions(which), drawn))
    return looking.views()
