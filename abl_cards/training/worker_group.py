"""The processes of a run beside the first one, while it trains: workers that learn too, and actors that only play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch

from abl_cards.core import ErrorCode, GameError, single_threaded
from abl_cards.learners import ModelNetworks
from abl_cards.training.launcher import ActorPool, Launcher, LocalLauncher
from abl_cards.training.process_group import SingleProcess
from abl_cards.training.rollout_queue import StateDict
from abl_cards.training.settings import TrainConfig
from abl_cards.training.worker import TrainingWorker
from abl_cards.training.workers import SpawnFunction, WorkerPool, fork_local, spawn


class WorkerGroup:
    """Workers and actors of a run.

    Attributes:
        num_actors: Number of actors that only play; 0 where the workers play.
        num_started: Actors started so far, ended ones included.
        worker_pool: The other workers; empty before they are started.
        actor_pool: The actors; None where there are none.
        other_states: States of the other workers, from which they are resumed.
    """

    def __init__(self, launcher: Launcher, settings: TrainConfig) -> None:
        """Prepare to start processes.

        Args:
            launcher: Starts the processes.
            settings: The settings of the run.

        Raises:
            GameError: The object is not a launcher, or the settings require actors and it has none.
        """
        if isinstance(launcher, type) or not isinstance(launcher, Launcher):
            raise GameError(f"launcher={launcher!r:.60}: give a Launcher", ErrorCode.INVALID_VALUE)
        self._launcher = launcher
        self.num_actors, self.num_started = launcher.count_actors(settings), 0
        self.worker_pool, self.actor_pool = WorkerPool(), _no_actors()
        self.other_states: list[StateDict] = []

    @property
    def is_local(self) -> bool:
        """True if all processes are on this machine."""
        return isinstance(self._launcher, LocalLauncher)

    @property
    def is_complete(self) -> bool:
        """True if all workers of the run have been started."""
        return len(self.worker_pool) == len(self.other_states)

    @contextmanager
    def start(self, worker: TrainingWorker) -> Iterator[None]:
        """Start the other processes, and end them after the block; raises GameError if one ends earlier.

        Args:
            worker: The worker of this process.
        """
        with spawn(len(self.other_states), self._spawn_function(worker)) as self.worker_pool, ExitStack() as stack:
            worker.learner.process_group = self.worker_pool.start(
                worker.settings, worker.networks.preset, worker.shared_state(), self.other_states
            )
            if self.other_states or self.num_actors:
                stack.enter_context(single_threaded())
                stack.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(worker.settings.threads or 1)
            if self.num_actors:
                self.actor_pool = stack.enter_context(
                    self._launcher.run_actors(worker, self.num_actors, self.num_started)
                )
                worker.rollout_source = self.actor_pool
            yield
            _, *self.other_states = self.call_all(worker, "local_state")
            worker.learner.process_group = SingleProcess()

    def _spawn_function(self, worker: TrainingWorker) -> SpawnFunction:
        """Return what starts workers: forks of this process where objects of the user cannot be sent."""
        has_own = isinstance(worker.networks, ModelNetworks) or bool(dict(worker.networks.parts.items()))
        if not has_own and not worker.reasoner:
            return self._launcher.spawn_workers
        return partial(fork_local, networks=worker.networks if has_own else None, reasoner=worker.reasoner)

    def call_all(self, worker: TrainingWorker, name: str, *arguments: Any) -> list[Any]:
        """Call a method of all workers.

        Args:
            worker: The worker of this process.
            name: Name of the method.
            *arguments: Its arguments.

        Returns:
            The results, that of this process first.
        """
        self.worker_pool.call_method(name, *arguments)
        return [getattr(worker, name)(*arguments), *self.worker_pool.collect_results()]

    def count_started(self) -> int:
        """Return the number of actors started so far, including running ones."""
        return self.actor_pool.num_started if self.actor_pool else self.num_started


def _no_actors() -> ActorPool | None:
    """Return no actors."""
    return None
