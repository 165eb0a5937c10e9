"""Who works for a run besides the process that keeps its folder: helpers of this machine, or those of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from abl_cards.core import ErrorCode, GameError
from abl_cards.training.rollout_queue import RolloutSource
from abl_cards.training.settings import TrainConfig
from abl_cards.training.workers import WorkerPool, spawn_local

if TYPE_CHECKING:
    from abl_cards.training.worker import TrainingWorker


class ActorPool(RolloutSource, Protocol):
    """Actors in processes of their own."""

    num_started: int  # how many there have been


class Launcher(Protocol):
    """Finds processes for a run."""

    def count_actors(self, settings: TrainConfig) -> int:
        """How many are to play for the learner; 0 where those that learn play too. Raises GameError."""

    def count_workers(self, settings: TrainConfig) -> int:
        """How many are to learn together, the first one included."""

    def spawn_workers(self, num_workers: int) -> WorkerPool:
        """So many that learn."""

    def run_actors(
        self, learner: TrainingWorker, num_actors: int, num_started: int
    ) -> AbstractContextManager[ActorPool]:
        """So many that play, for a while, after so many before."""


class LocalLauncher:
    """Without a cluster processes of this machine play and learn together."""

    def count_actors(self, settings: TrainConfig) -> int:
        """None; raises GameError where the settings want some."""
        if settings.actors:
            raise GameError(
                f"actors={settings.actors}: actors that only play are processes of Ray: give --ray, or actors=0",
                ErrorCode.SETTING_CONFLICT,
            )
        return 0

    def count_workers(self, settings: TrainConfig) -> int:
        """As many as pay."""
        return settings.num_processes

    def spawn_workers(self, num_workers: int) -> WorkerPool:
        """Behind pipes."""
        return spawn_local(num_workers)

    def run_actors(
        self, learner: TrainingWorker, num_actors: int, num_started: int
    ) -> AbstractContextManager[ActorPool]:
        """Nobody does."""
        raise NotImplementedError("there are no actors without a cluster")
