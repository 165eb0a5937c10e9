"""An actor: it plays at its tables with the newest model that it was given, and hands over what came to its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from abl_cards.agents import Kb
from abl_cards.agents.mind import Mind
from abl_cards.games import Engine, Judge
from abl_cards.loop.players import Past, seating
from abl_cards.loop.samples import Portion
from abl_cards.loop.selfplay import Score, SelfPlay
from abl_cards.loop.settings import Settings
from abl_cards.loop.teacher import Teaching
from learners.networks import Networks
from learners.presets import PPO
from reasoners.clingo_reasoner import ClingoReasoner
from reasoners.minimiser import Minimiser

PLAYERS = ("itself", "kb", "its past")
"""Whom the learner meets, in the order of the numbers of the players."""

State = dict[str, Any]
"""What is kept of something, or told to another process."""


@dataclass(frozen=True)
class Sitting:
    """Where an actor sits, and what its cards depend on besides the seed of the run."""

    first: int  # the number of its first table
    tables: int
    update: int = 0  # before which they are dealt
    actor: int = 0  # its number


class Players(Protocol):
    """Whoever plays for a learner: an actor in its own process, or many in others."""

    def portions(self, least: int) -> Sequence[Portion]:
        """What was played since it was asked last; where that is nothing, wait until it is something.

        A learner that lacks so many rows says so.
        """

    def publish(self, version: int) -> None:
        """Play with the networks of the learner as they are now."""

    def meet(self) -> None:
        """From now on play against the learner's past as it is now."""


class Actor:
    """Tables where networks play against themselves, fixed agents, and their past."""

    def __init__(self, settings: Settings, engine: Engine, networks: Networks, past: Networks, ppo: PPO) -> None:
        """Nobody sits down yet."""
        self._settings, self._engine, self._networks, self._past, self._ppo = settings, engine, networks, past, ppo
        self._version = self._number = 0
        asked = settings.clingo
        self.judge: Judge = engine.judge() if asked is None else ClingoReasoner.of(engine, asked)
        """What decides which of the learner's labels are consistent, and at what cost."""
        self.play: SelfPlay

    def sit_down(self, where: Sitting) -> None:
        """Take tables; what was played at others is forgotten."""
        judge, settings = self._engine.judge(), self._settings
        opponents = Kb(Minimiser(judge)), Past(Mind(self._engine, judge, self._past))
        shares = settings.against_kb, settings.against_past
        seats = seating(where.tables, int(self._engine.teams.max()) + 1, shares)
        mind, seed = Mind(self._engine, self.judge, self._networks), settings.seed + where.update
        self.play = SelfPlay(
            self._engine, mind, opponents, seats, self._ppo, seed, settings.revealed, where.first,
            teaching=Teaching.of(settings, self._ppo), stray=settings.stray,
        )  # fmt: skip
        self._where, self._version = where, where.update

    def portions(self, least: int, seconds: float = inf) -> list[Portion]:
        """Play until so many rows are ready, or for some seconds, and hand over all that are."""
        play, version, end = self.play, self._version, time.monotonic() + seconds
        while play.memory.ready < least and time.monotonic() < end:
            play.step()
        if least <= 0 or not play.memory.ready:
            return []
        rows = play.memory.take(play.memory.ready)
        score, decisions, number = play.score, play.decisions, self._number
        play.score, play.decisions, self._number = Score.zero(len(PLAYERS)), 0, number + 1
        return [Portion(self._where.actor, number, version, len(rows), decisions, score, lambda: rows)]

    def publish(self, version: int) -> None:
        """The networks are the learner's own: only their version is new."""
        self._version = version

    def meet(self) -> None:
        """So is their past."""

    def arrays(self) -> State:
        """Everything at the tables, to save it."""
        play = self.play
        return {
            "tables": play.tables.arrays(), "memory": play.memory.arrays(), "score": vars(play.score).copy(),
            "played": play.decisions, "portions": self._number, "taken": play.piles.taken,
        }  # fmt: skip

    def restore(self, saved: State) -> None:
        """Take up what was saved; runs begun before there were portions kept nothing of them."""
        for name, array in self.play.tables.arrays().items():
            array[...] = saved["tables"][name]
        self.play.memory.restore(saved["memory"])
        self.play.score = Score(**saved["score"])
        self.play.piles.taken[...] = saved.get("taken", 0)
        self.play.decisions, self._number = saved.get("played", 0), saved.get("portions", 0)
