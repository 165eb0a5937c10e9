"""Launchers of the other processes of a run: on this machine, or in a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from abl_cards.core import ErrorCode, GameError
from abl_cards.training.rollout_queue import RolloutSource
from abl_cards.training.settings import TrainConfig
from abl_cards.training.workers import WorkerPool, spawn_local

if TYPE_CHECKING:
    from abl_cards.training.worker import TrainingWorker


class ActorPool(RolloutSource, Protocol):
    """Actors in processes of their own."""

    num_started: int  # actors so far, ended ones included


@runtime_checkable
class Launcher(Protocol):
    """Launcher of the other processes of a run."""

    def count_actors(self, settings: TrainConfig) -> int:
        """Return the number of actors that only play; 0 where the workers play. Raises GameError."""

    def count_workers(self, settings: TrainConfig) -> int:
        """Return the number of processes that learn, the first one included."""

    def spawn_workers(self, num_workers: int) -> WorkerPool:
        """Start processes that learn."""

    def run_actors(
        self, learner: TrainingWorker, num_actors: int, num_started: int
    ) -> AbstractContextManager[ActorPool]:
        """Run actors while the context lasts; ``num_started`` actors were started before."""


class LocalLauncher:
    """Launcher of processes on this machine, which all play and learn."""

    def count_actors(self, settings: TrainConfig) -> int:
        """Return 0; raises GameError if the settings require actors."""
        if settings.actors:
            raise GameError(
                f"actors={settings.actors}: actors that only play are processes of Ray: give --ray, or actors=0",
                ErrorCode.SETTING_CONFLICT,
            )
        return 0

    def count_workers(self, settings: TrainConfig) -> int:
        """Return the number of the settings."""
        return settings.num_processes

    def spawn_workers(self, num_workers: int) -> WorkerPool:
        """Start processes behind pipes."""
        return spawn_local(num_workers)

    def run_actors(
        self, learner: TrainingWorker, num_actors: int, num_started: int
    ) -> AbstractContextManager[ActorPool]:
        """Raise NotImplementedError."""
        raise NotImplementedError("there are no actors without a cluster")
