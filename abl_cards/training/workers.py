"""The other processes of a run: started, told what to do, and ended by the one that the user started.

On one machine what a helper needs comes through a pipe, and what it has goes back through another: it knows nothing of
the run's folder. It ends when its pipe does, so whatever happens to the process that started it. For what travels see
``messages``; for helpers on other machines ``abl_cards.cluster``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, Protocol, get_type_hints

import torch

from abl_cards.core import GameError, reduce_gc
from abl_cards.learners import Preset
from abl_cards.training.actor import StateDict
from abl_cards.training.ipc import from_plain, receive, send
from abl_cards.training.process_group import (
    LOCALHOST,
    GlooProcessGroup,
    PeerLost,
    ProcessGroup,
    ProcessRank,
    SingleProcess,
    create_store,
)
from abl_cards.training.settings import TrainConfig
from abl_cards.training.worker import TrainingWorker, create_networks

SINGLE_THREAD_ENV = {"ABL_CARDS_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The environment of a process that leaves the other processors to others."""

_COMMAND = f"from {__name__} import main; main()"

_PEER_LOST_STATUS = 3
"""The exit status of a helper that was left by the others."""

_EXIT_TIMEOUT = 1.0
"""Seconds within which a helper is gone that can no longer be reached."""


@dataclass(frozen=True)
class WorkerInit:
    """What a helper is told first."""

    settings: TrainConfig
    preset: Preset
    process_rank: ProcessRank
    host: str  # where the processes meet
    port: int
    shared_state: StateDict
    local_state: StateDict


class WorkerProcess(Protocol):
    """One of the other processes, as the first one sees it."""

    def send(self, message: Any) -> None:
        """Send a WorkerInit, or a method's name and what it is given; raises PeerLost."""

    def receive(self) -> Any:
        """What came of it, in plain values; raises PeerLost."""

    def exit_reason(self) -> str | None:
        """How it ended by itself; None where it is there, or left because others were gone."""

    def terminate(self) -> None:
        """Send it home."""


class WorkerLost(GameError):
    """A process ended on which a run depends; its checkpoint is there."""


class WorkerPool:
    """Processes beside this one, each with a TrainingWorker that does what this one's does."""

    def __init__(self, workers: Sequence[WorkerProcess] = (), host: str = LOCALHOST) -> None:
        """They load what they need while they wait for their beginning; where they meet this one has this address."""
        self.workers, self._host = list(workers), host
        self._result_type: Any = None  # the type of the next answers

    def __len__(self) -> int:
        return len(self.workers)

    def start(
        self, settings: TrainConfig, preset: Preset, shared_state: StateDict, local_states: Sequence[StateDict]
    ) -> ProcessGroup:
        """Tell them where to go on, each from something of its own, and meet them; raises PeerLost."""
        if not self.workers:
            return SingleProcess()
        size = len(self) + 1
        store = create_store(size, self._host)
        for rank, helper in enumerate(self.workers, start=1):
            post = ProcessRank(rank, size)
            helper.send(
                WorkerInit(settings, preset, post, self._host, store.port, shared_state, local_states[rank - 1])
            )
        self._result_type = type(None)
        self.collect_results()
        return GlooProcessGroup(ProcessRank(0, size), store, self._host)

    def call_method(self, name: str, *arguments: Any) -> None:
        """Let every worker call one of its methods; raises PeerLost."""
        for helper in self.workers:
            helper.send((name, arguments))
        self._result_type = get_type_hints(getattr(TrainingWorker, name))["return"]

    def collect_results(self) -> list[Any]:
        """What the methods gave that were asked for last; raises PeerLost."""
        return [from_plain(self._result_type, helper.receive()) for helper in self.workers]

    def describe_loss(self) -> str:
        """Who is gone."""
        for rank, helper in enumerate(self.workers, start=1):
            if how := helper.exit_reason():
                return f"worker {rank} ended {how}"
        return "the workers lost each other"

    def terminate(self) -> None:
        """Send them home; they have nothing that would be missed."""
        for helper in self.workers:
            helper.terminate()
        self.workers = []


SpawnFunction = Callable[[int], WorkerPool]
"""Starts so many helpers."""


@contextmanager
def spawn(num_workers: int, spawn_function: SpawnFunction | None = None) -> Iterator[WorkerPool]:
    """So many helpers for a while, on this machine unless they are hired elsewhere; raises WorkerLost when one ends."""
    helpers = (spawn_function or spawn_local)(num_workers) if num_workers else WorkerPool()
    try:
        yield helpers
    except PeerLost as problem:
        raise WorkerLost(f"{helpers.describe_loss()}; the same command goes on from the last checkpoint") from problem
    finally:
        helpers.terminate()


def spawn_local(num_workers: int) -> WorkerPool:
    """Processes of this machine."""
    return WorkerPool([PipeWorker() for _ in range(num_workers)])


class PipeWorker:
    """A process of this machine, behind two pipes."""

    def __init__(self) -> None:
        environment = {**os.environ, **SINGLE_THREAD_ENV, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # Ctrl-C is for the process that started them
        )

    def send(self, message: Any) -> None:
        """Through its pipe."""
        assert self.process.stdin
        send(self.process.stdin, message)

    def receive(self) -> Any:
        """From the other one."""
        assert self.process.stdout
        return receive(self.process.stdout)

    def exit_reason(self) -> str | None:
        """By its exit status."""
        with suppress(subprocess.TimeoutExpired):
            status = self.process.wait(_EXIT_TIMEOUT)
            if status != _PEER_LOST_STATUS:
                return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return None

    def terminate(self) -> None:
        """At once."""
        self.process.kill()
        self.process.wait()
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(BrokenPipeError):
                pipe.close()


# --- the helper's side -----------------------------------------------------------------------------------------------


def main() -> None:
    """Do what is asked until nobody is there to ask."""
    reduce_gc()
    told: SimpleQueue[Any] = SimpleQueue()
    replies = _open_result_pipe()
    Thread(target=_read_requests, args=(told,), daemon=True).start()
    try:
        _serve_requests(told, replies)
    except PeerLost:
        os._exit(_PEER_LOST_STATUS)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _open_result_pipe() -> IO[bytes]:
    """The pipe back; what libraries print goes where errors go."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return replies


def _read_requests(requests: SimpleQueue[Any]) -> None:
    """Hear what is asked; in a thread of its own, which ends the process as soon as the pipe is closed."""
    with suppress(PeerLost):
        while True:
            requests.put(receive(sys.stdin.buffer))
    os._exit(0)


def _serve_requests(requests: SimpleQueue[Any], results: IO[bytes]) -> None:
    begin = from_plain(WorkerInit, requests.get())
    worker = create_worker(begin)
    send(results, None)  # here, and ready to meet
    worker.learner.process_group = GlooProcessGroup.connect(begin.process_rank, begin.host, begin.port)
    while True:
        name, arguments = requests.get()
        send(results, getattr(worker, name)(*arguments))


def create_worker(init: WorkerInit) -> TrainingWorker:
    """A worker where it is to begin."""
    torch.set_num_threads(init.settings.threads or 1)
    networks = create_networks(init.settings, init.preset, init.settings.load_engine())
    worker = TrainingWorker(init.settings, networks, init.process_rank)
    worker.load_state_dict(init.shared_state, init.local_state)
    return worker
