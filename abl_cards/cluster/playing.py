"""Actors on Ray that play for a learner in this process: they fill its sample pool, and load its newest model.

Every call of an actor gives a portion, once: nothing is called again when an actor ends. What it had not delivered is
gone, and another one takes its place with cards that nobody has had. The learner's process owns the versions of the
model in Ray's object store; an actor fetches the newest before it plays on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from abl_cards import __version__
from abl_cards.cluster.parcels import Parcel, answering, opened, packed
from abl_cards.cluster.start import Cluster
from abl_cards.errors import GameError
from abl_cards.loop.actor import Actor, Sitting, State
from abl_cards.loop.experience import Experience
from abl_cards.loop.helpers import Lost
from abl_cards.loop.messages import made
from abl_cards.loop.rules import Contents, contents_of, same_rules
from abl_cards.loop.samples import Portion
from abl_cards.loop.selfplay import Score
from abl_cards.loop.settings import Settings
from abl_cards.loop.worker import Worker, networks_of, ppo_of
from learners.presets import Preset

AHEAD = 2
"""Calls of an actor at a time: one that it works on, one that waits."""
PORTIONS = 2
"""Of each actor in an update, if it is as fast as the others."""
PATIENCE = 600.0
"""Seconds without a word from any actor after which the learner gives up."""
_MOST_LOSSES = 5
"""Actors that may end one after the other without any portion from anybody."""
SIGN_OF_LIFE = 60.0
"""Seconds after which an actor hands over what it has, though that is little, or nothing."""
_LOOK = 1.0
"""Seconds between two looks at the clock."""


@dataclass(frozen=True)
class Beginning:
    """What an actor is told first."""

    settings: Settings
    preset: Preset
    sitting: Sitting
    least: int  # rows of a portion
    rules: Contents
    version: str  # of this package


class Playing:
    """An actor's side: a process of Ray with tables."""

    def __init__(self, beginning: Parcel) -> None:
        self._beginning = beginning
        self._model, self._past = -1, -1  # the versions that were loaded
        self._portions: list[Portion] = []
        self._actor: Actor | None = None

    def portion(self, model: tuple[int, list[Any]], past: tuple[int, list[Any]]) -> tuple[Parcel, Parcel]:
        """Load what is new, and play: what a portion says of itself, None where nothing is ready yet, and its rows."""
        rows: list[Parcel] = []

        def play() -> State | None:
            for portion in self._play(model, past):
                rows.append(_rows_packed(portion.open()))
                return _told(portion)
            return None

        told = answering(play)
        return told, rows[0] if rows else packed(None)

    def _play(self, model: tuple[int, list[Any]], past: tuple[int, list[Any]]) -> list[Portion]:
        actor = self._actor or self._sit_down()
        if model[0] != self._model:
            self._networks.load_state_dict(_fetched(model[1]))
            self._model = model[0]
            actor.publish(self._model)
        if past[0] != self._past:
            self._opponent.load_state_dict(_fetched(past[1]))
            self._past = past[0]
        return actor.portions(self._least, SIGN_OF_LIFE)

    def _sit_down(self) -> Actor:
        begin = made(Beginning, opened(self._beginning))
        if begin.version != __version__:
            raise GameError(f"a machine of the cluster has abl-cards {__version__}, this one {begin.version}")
        torch.set_num_threads(1)
        engine = begin.settings.engine()
        same_rules(begin.rules, contents_of(engine, begin.settings.clingo))
        self._networks = networks_of(begin.settings, begin.preset, engine)
        self._opponent = networks_of(begin.settings, begin.preset, engine)
        self._least = begin.least
        ppo = replace(ppo_of(begin.settings, begin.preset.ppo), rows=begin.least)
        self._actor = Actor(begin.settings, engine, self._networks, self._opponent, ppo)
        self._actor.sit_down(begin.sitting)
        return self._actor


class Fleet:
    """The learner's side: it keeps every actor busy, and takes what they deliver."""

    def __init__(self, cluster: Cluster, learner: Worker, actors: int, born: int = 0) -> None:
        """Start actors; ``born`` have been before."""
        self.born = born  # actors there have been
        self._cluster, self._learner = cluster, learner
        self._least = -(-learner.ppo.rows // (PORTIONS * actors))
        self._tables = max(1, learner.settings.tables // actors)
        self._calls: dict[Any, tuple[int, Any]] = {}  # what is being played: the actor's number, the actor
        self._rows: dict[Any, Any] = {}  # where the rows of a call will be
        self._model: tuple[int, list[Any]] = (-1, [])
        self._past: tuple[int, list[Any]] = (-1, [])
        self.publish(learner.update)
        self.meet()
        self._losses, self._heard = 0, time.monotonic()
        for _ in range(actors):
            self._start()

    def portions(self, least: int) -> Sequence[Portion]:
        """What has arrived; where more is needed and nothing has, wait for it. Raises GameError, Lost."""
        ray, found, began = self._cluster.ray, list[Portion](), time.monotonic()
        while True:
            wait = _LOOK if least > 0 and not found else 0
            done, _ = ray.wait(list(self._calls), num_returns=len(self._calls) if not wait else 1, timeout=wait)
            for call in done:
                if call in self._calls:  # not another one of an actor that has just been replaced
                    found += self._arrived(call)
            if not wait:
                return found
            if time.monotonic() - max(began, self._heard) > PATIENCE:
                raise Lost(f"no actor has said anything for {PATIENCE:.0f} s (`ray status` tells what there is)")

    def publish(self, version: int) -> None:
        """Put the networks of the learner where actors find them."""
        self._model = version, [self._cluster.ray.put(packed(self._learner.networks.state_dict()))]

    def meet(self) -> None:
        """Likewise its past."""
        self._past = self._past[0] + 1, [self._cluster.ray.put(packed(self._learner.past.state_dict()))]

    def end(self) -> None:
        """Send all of them home."""
        for _, actor in set(self._calls.values()):
            self._cluster.ray.kill(actor)
        self._calls.clear()

    @property
    def actors(self) -> list[Any]:
        """Those of Ray that play now."""
        return list(dict(self._calls.values()).values())

    def _start(self) -> None:
        number, self.born = self.born, self.born + 1
        learner = self._learner
        sitting = Sitting(number * self._tables, self._tables, learner.update, number)
        settings = replace(learner.settings.everywhere(), device="cpu", start=None, records=None)
        preset = learner.networks.preset
        beginning = Beginning(settings, preset, sitting, self._least, learner.rules, __version__)
        actor = self._cluster.actor(Playing, packed(beginning))
        for _ in range(AHEAD):
            self._call(number, actor)

    def _call(self, number: int, actor: Any) -> None:
        told, rows = actor.portion.options(num_returns=2).remote(self._model, self._past)
        self._calls[told] = number, actor
        self._rows[told] = rows

    def _arrived(self, call: Any) -> list[Portion]:
        """What a call gave; nothing where its actor has ended, which is replaced."""
        number, actor = self._calls.pop(call)
        rows = self._rows.pop(call)
        ray = self._cluster.ray
        try:
            told, arrived = ray.get([call, rows])
        except ray.exceptions.RayError as problem:
            self._lost(number, problem)
            return []
        self._heard, self._losses = time.monotonic(), 0
        self._call(number, actor)
        portion = opened(told)
        return [] if portion is None else [_portion(portion, arrived)]

    def _lost(self, number: int, problem: Exception) -> None:
        """Another actor takes the place of one; what was asked of it is not asked again."""
        for call in [call for call, (other, _) in self._calls.items() if other == number]:
            del self._calls[call], self._rows[call]
        self._losses += 1
        self._learner.samples.lose(1)
        if self._losses > _MOST_LOSSES:
            reason = str(problem).strip().splitlines()[-1]
            raise Lost(f"{self._losses} actors in a row ended without having delivered anything ({reason})")
        self._start()


def _told(portion: Portion) -> State:
    """What a portion says of itself."""
    names = ("actor", "number", "version", "rows", "decisions")
    return {name: getattr(portion, name) for name in names} | {"score": vars(portion.score)}


def _portion(told: State, rows: Parcel) -> Portion:
    return Portion(**{**told, "score": Score(**told["score"])}, open=lambda: _rows_opened(rows))


def _rows_packed(rows: Experience) -> Parcel:
    return packed(vars(rows))


def _rows_opened(parcel: Parcel) -> Experience:
    return Experience(**opened(parcel))


def _fetched(parcel: list[Any]) -> State:
    """The weights behind a reference of Ray."""
    import ray

    weights: State = opened(ray.get(parcel[0]))
    return weights
