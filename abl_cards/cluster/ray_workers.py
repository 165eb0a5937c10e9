"""Processes of Ray for a training run: actors that only play, or workers that play and learn together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from abl_cards.cluster.ray_actors import RayActorPool
from abl_cards.cluster.ray_serialization import PackedArray, pack, pack_result, unpack
from abl_cards.cluster.start import RayCluster
from abl_cards.core import NUM_THREADS, ErrorCode, GameError
from abl_cards.training import (
    GlooProcessGroup,
    PeerLost,
    TrainConfig,
    TrainingWorker,
    WorkerInit,
    WorkerPool,
    create_worker,
    from_plain,
)

WORKER_START_TIMEOUT = 600.0
"""Seconds in which a worker must have found a processor and begun; later Ray reports its end."""


def count_local_processes(settings: TrainConfig) -> int:
    """Return the number of processes of a local Ray: the actors, or the other workers."""
    if (settings.actors is None and (settings.workers or 1) > 1) or settings.actors == 0:
        return max(1, (settings.workers or NUM_THREADS) - 1)
    return settings.actors or max(1, NUM_THREADS - 1)


class RayLauncher:
    """A launcher of processes in a cluster."""

    def __init__(self, cluster: RayCluster) -> None:
        self._cluster = cluster

    def count_actors(self, settings: TrainConfig) -> int:
        """Return the number of actors in the settings, or one for each free processor; raises GameError."""
        several = (settings.workers or 1) > 1
        if settings.second_profile is not None and not several and settings.actors != 0:
            raise GameError(
                "second_profile: actors of Ray play by one profile; set actors=0, where all play and learn",
                ErrorCode.SETTING_CONFLICT,
            )
        if settings.actors and several:
            raise GameError(
                "actors= and workers=: either some only play, or all play and learn; leave one out",
                ErrorCode.SETTING_CONFLICT,
            )
        if settings.actors is not None or several:
            return settings.actors or 0
        return max(1, self._cluster.processors - (0 if self._cluster.is_local else 1))

    def count_workers(self, settings: TrainConfig) -> int:
        """Return 1 with actors; else the number of workers in the settings, or of processors."""
        if self.count_actors(settings):
            return 1
        usual = self._cluster.processors + (1 if self._cluster.is_local else 0)
        return max(1, min(settings.workers or usual, settings.num_envs))

    def spawn_workers(self, num_workers: int) -> WorkerPool:
        """Start actors of Ray with a worker each."""
        return WorkerPool([RayWorker(self._cluster) for _ in range(num_workers)], self._cluster.host)

    @contextmanager
    def run_actors(self, learner: TrainingWorker, num_actors: int, num_started: int) -> Iterator[RayActorPool]:
        """Run actors of Ray that only play."""
        fleet = RayActorPool(self._cluster, learner, num_actors, num_started)
        try:
            yield fleet
        finally:
            fleet.shut_down()


class RayWorker:
    """A worker on Ray, from the side of the first process."""

    def __init__(self, cluster: RayCluster) -> None:
        self._cluster, self._actor = cluster, cluster.start_actor(RayWorkerProcess)
        self._calls: list[Any] = []
        self._error: str | None = None
        self._has_started = False

    def send(self, message: Any) -> None:
        """Call a method, whose result is fetched later; after its state a worker joins the group."""
        if isinstance(message, WorkerInit):
            self._calls.append(
                self._actor.start.remote(pack(replace(message, settings=message.settings.with_absolute_paths())))
            )
            self._actor.join_group.remote()
        else:
            name, arguments = message
            self._calls.append(self._actor.call_method.remote(name, pack(arguments)))

    def receive(self) -> Any:
        """Return the result of the oldest call; raises PeerLost."""
        ray = self._cluster.ray
        try:
            answer = unpack(ray.get(self._calls.pop(0), timeout=None if self._has_started else WORKER_START_TIMEOUT))
        except ray.exceptions.RayError as problem:
            self._error = str(problem).strip().splitlines()[-1].strip()
            raise PeerLost(self._error) from problem
        self._has_started = True
        return answer

    def exit_reason(self) -> str | None:
        """Return the reason that Ray reports."""
        if self._error is None:
            self._calls.append(self._actor.ping.remote())
            try:
                self.receive()
            except PeerLost as problem:
                return f"on Ray ({problem})"
        return f"on Ray ({self._error})" if self._error else None

    def terminate(self) -> None:
        """Kill the actor."""
        self._cluster.ray.kill(self._actor)


class RayWorkerProcess:
    """A process of Ray with a worker."""

    def start(self, packed_init: PackedArray) -> PackedArray:
        """Create the worker in its initial state."""
        return pack_result(lambda: self._create_worker(unpack(packed_init)))

    def _create_worker(self, plain_init: Any) -> None:
        self._init = from_plain(WorkerInit, plain_init)
        self._worker = create_worker(self._init)

    def join_group(self) -> None:
        """Join the group, at addresses that Ray provides."""
        import ray

        begin = self._init
        self._worker.learner.process_group = GlooProcessGroup.connect(
            begin.process_rank, begin.host, begin.port, ray.util.get_node_ip_address()
        )

    def call_method(self, name: str, arguments: PackedArray) -> PackedArray:
        """Call a method of the worker."""
        return pack_result(lambda: getattr(self._worker, name)(*unpack(arguments)))

    def ping(self) -> PackedArray:
        """Return a value, to show that the process runs."""
        return pack(None)
