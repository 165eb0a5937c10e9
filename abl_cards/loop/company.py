"""Actors of one process that play by several profiles of the rules, so that what is learned serves all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from abl_cards.errors import GameError
from abl_cards.games import Engine, Judge
from abl_cards.loop.actor import Actor, Sitting, State
from abl_cards.loop.rules import Contents, contents_of
from abl_cards.loop.samples import Portion
from abl_cards.loop.selfplay import SelfPlay
from abl_cards.loop.settings import Settings
from learners.networks import Networks
from learners.presets import PPO


class Company:
    """One actor a profile; each has a share of the tables, and delivers as great a share of the rows."""

    def __init__(
        self, settings: Settings, engines: Sequence[Engine], networks: Networks, past: Networks, ppo: PPO
    ) -> None:
        """Nobody sits down yet."""
        self._also_share = settings.also_share if len(engines) > 1 else 0.0
        self.actors = [Actor(settings, engine, networks, past, ppo) for engine in engines]

    @property
    def judge(self) -> Judge:
        """What decides by the first profile which labels are consistent."""
        return self.actors[0].judge

    @property
    def play(self) -> SelfPlay:
        """The tables of the first profile."""
        return self.actors[0].play

    def sit_down(self, where: Sitting) -> None:
        """Share the tables out; what was played at others is forgotten."""
        tables = self._parts(where.tables)
        first = where.first
        for number, (actor, some) in enumerate(zip(self.actors, tables, strict=True)):
            actor.sit_down(replace(where, first=first, tables=some, actor=where.actor + number))
            first += some

    def portions(self, least: int, seconds: float = inf) -> list[Portion]:
        """What was played until so many rows were ready, or for some seconds, profile by profile."""
        if least <= 0:
            return []
        found, rows = list[Portion](), self._parts(least)
        for actor, some in zip(self.actors, rows, strict=True):
            found += actor.portions(some, seconds * some / least)
        return found

    def publish(self, version: int) -> None:
        """The networks are the learner's own."""
        for actor in self.actors:
            actor.publish(version)

    def meet(self) -> None:
        """So is their past."""

    def arrays(self) -> State:
        """Everything at the tables, to save it."""
        parts = [actor.arrays() for actor in self.actors]
        return parts[0] if len(parts) == 1 else {"company": parts}

    def restore(self, saved: State) -> None:
        """Take up what was saved."""
        for actor, kept in zip(self.actors, saved.get("company", [saved]), strict=True):
            actor.restore(kept)

    def _parts(self, n: int) -> list[int]:
        """How many of n things each has, at least one."""
        also = min(n - 1, max(1, round(self._also_share * n)))
        return [n] if len(self.actors) == 1 else [n - also, also]


def engines_of(settings: Settings) -> list[Engine]:
    """The rules that a run plays by, the first of which it is for; raises GameError for those that do not go together.

    What a seat sees and what it can play has to be the same, since the same networks are to learn from it.
    """
    engine = settings.engine()
    if settings.also is None:
        return [engine]
    other = replace(settings, profile=settings.also).engine()
    for what, one, two in (
        ("other labels", engine.labels, other.labels),
        ("another sight", engine.observation.describe(), other.observation.describe()),
    ):
        if one != two:
            raise GameError(f"also={settings.also}: seats have {what} there; train a player of its own")
    if not 0 < settings.also_share < 1 or settings.tables < 2:
        raise GameError("also_share: a share of two tables or more, between 0 and 1")
    return [engine, other]


def rules_of(engines: Sequence[Engine], settings: Settings) -> Contents:
    """The contents of their files."""
    found: dict[str, str] = {}
    for engine in engines:
        found |= contents_of(engine, settings.clingo)
    return found
