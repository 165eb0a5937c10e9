"""Processes of Ray for a training run: actors that only play, or workers that play and learn together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from abl_cards.cluster.parcels import Parcel, answering, opened, packed
from abl_cards.cluster.playing import Fleet
from abl_cards.cluster.start import Cluster
from abl_cards.errors import GameError
from abl_cards.loop.crew import Gloo, Separated
from abl_cards.loop.helpers import Beginning, Helpers, at_work
from abl_cards.loop.messages import made
from abl_cards.loop.settings import Settings
from abl_cards.loop.worker import Worker
from abl_cards.parallel import THREADS

PATIENCE = 600.0
"""Seconds in which a worker has found a processor and begun; of its end Ray tells afterwards."""


def processors_for(settings: Settings) -> int:
    """How many processes a Ray of our own has room for: the actors, or the other workers."""
    if (settings.actors is None and (settings.workers or 1) > 1) or settings.actors == 0:
        return max(1, (settings.workers or THREADS) - 1)
    return settings.actors or max(1, THREADS - 1)


class OnRay:
    """Staff from a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def actors(self, settings: Settings) -> int:
        """As the settings say, or one on every processor but the learner's; raises GameError."""
        several = (settings.workers or 1) > 1
        if settings.also is not None and not several and settings.actors != 0:
            raise GameError("also=: actors of Ray play by one profile; set actors=0, where all play and learn")
        if settings.actors and several:
            raise GameError("actors= and workers=: either some only play, or all play and learn; leave one out")
        if settings.actors is not None or several:
            return settings.actors or 0
        return max(1, self._cluster.processors - (0 if self._cluster.ours else 1))

    def workers(self, settings: Settings) -> int:
        """One learns from what actors play; else as many as there are processors, this process counted."""
        if self.actors(settings):
            return 1
        usual = self._cluster.processors + (1 if self._cluster.ours else 0)
        return max(1, min(settings.workers or usual, settings.tables))

    def hire(self, number: int) -> Helpers:
        """Actors of Ray with a worker each."""
        return Helpers([Hired(self._cluster) for _ in range(number)], self._cluster.host)

    @contextmanager
    def playing(self, learner: Worker, actors: int, born: int) -> Iterator[Fleet]:
        """Actors of Ray that play."""
        fleet = Fleet(self._cluster, learner, actors, born)
        try:
            yield fleet
        finally:
            fleet.end()


class Hired:
    """A worker on Ray, as the first one sees it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._actor = cluster, cluster.actor(Working)
        self._calls: list[Any] = []
        self._problem: str | None = None
        self._begun = False

    def tell(self, what: Any) -> None:
        """By a call, whose answer is fetched later; a beginning is followed by the meeting of all."""
        if isinstance(what, Beginning):
            self._calls.append(self._actor.begin.remote(packed(replace(what, settings=what.settings.everywhere()))))
            self._actor.meet.remote()
        else:
            name, arguments = what
            self._calls.append(self._actor.do.remote(name, packed(arguments)))

    def answer(self) -> Any:
        """Of the oldest call; raises Separated."""
        ray = self._cluster.ray
        try:
            answer = opened(ray.get(self._calls.pop(0), timeout=None if self._begun else PATIENCE))
        except ray.exceptions.RayError as problem:
            self._problem = str(problem).strip().splitlines()[-1].strip()
            raise Separated(self._problem) from problem
        self._begun = True
        return answer

    def ended(self) -> str | None:
        """By what Ray says of it."""
        if self._problem is None:
            self._calls.append(self._actor.here.remote())
            try:
                self.answer()
            except Separated as problem:
                return f"on Ray ({problem})"
        return f"on Ray ({self._problem})" if self._problem else None

    def end(self) -> None:
        """At once."""
        self._cluster.ray.kill(self._actor)


class Working:
    """The other side: a process of Ray with a worker."""

    def begin(self, beginning: Parcel) -> Parcel:
        """Take up the run."""
        return answering(lambda: self._begin(opened(beginning)))

    def _begin(self, told: Any) -> None:
        self._told = made(Beginning, told)
        self._worker = at_work(self._told)

    def meet(self) -> None:
        """Join the others, on addresses that Ray gives."""
        import ray

        begin = self._told
        self._worker.trainer.crew = Gloo.at(begin.post, begin.host, begin.port, ray.util.get_node_ip_address())

    def do(self, name: str, arguments: Parcel) -> Parcel:
        """What a method of the worker gives."""
        return answering(lambda: getattr(self._worker, name)(*opened(arguments)))

    def here(self) -> Parcel:
        """A sign of life."""
        return packed(None)
