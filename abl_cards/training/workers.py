"""The other processes of a run, started, called and ended by the process that the user started.

Messages travel through a pipe in each direction, as ``ipc`` writes them; a worker reads nothing of the run's folder. A
worker ends when its pipe closes, even if its parent process was killed. Workers of a preset are new interpreters. For a
network or reasoner object of the caller, workers are forks of the calling process. They inherit the object, so nothing
has to be pickled or imported.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, Protocol, get_type_hints

import torch

from abl_cards.core import ErrorCode, GameError, reduce_gc
from abl_cards.learners import Networks, Preset
from abl_cards.training.abduction import OUR_REASONER, ReasonerParts
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
from abl_cards.training.rollout_queue import StateDict
from abl_cards.training.settings import TrainConfig
from abl_cards.training.worker import TrainingWorker, create_networks

SINGLE_THREAD_ENV = {"ABL_CARDS_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment of a process with one thread."""

_COMMAND = f"from {__name__} import main; main()"

_PEER_LOST_STATUS = 3
"""Exit status of a worker that lost the others."""
_REPORTED_STATUS = 4
"""Exit status of a worker that sent an error before it ended."""
_ERROR_KEY = "error"

_EXIT_TIMEOUT = 1.0
"""Seconds to wait for the exit status of a worker that can no longer be reached."""


@dataclass(frozen=True)
class WorkerInit:
    """The first message to a worker."""

    settings: TrainConfig
    preset: Preset
    process_rank: ProcessRank
    host: str  # address where the processes connect to each other
    port: int
    shared_state: StateDict
    local_state: StateDict


class WorkerProcess(Protocol):
    """Interface of one of the other processes in the first process."""

    def send(self, message: Any) -> None:
        """Send a WorkerInit, or the name of a method with its arguments; raises PeerLost."""

    def receive(self) -> Any:
        """Return the next result in plain values; raises PeerLost."""

    def exit_reason(self) -> str | None:
        """Return how the process ended by itself; None if it runs, or ended after others. Raises its GameError."""

    def terminate(self) -> None:
        """End the process at once."""


class WorkerLost(GameError):
    """Error for a process of a run that has ended; the run can be resumed from its checkpoint."""

    def __init__(self, message: str) -> None:
        """Make an error of code ``worker-lost``."""
        super().__init__(message, ErrorCode.WORKER_LOST)


class WorkerPool:
    """Processes beside this one; each has a TrainingWorker, whose methods they all call together."""

    def __init__(self, workers: Sequence[WorkerProcess] = (), host: str = LOCALHOST) -> None:
        """Make a pool of started workers; ``host`` is the address of this process for them."""
        self.workers, self._host = list(workers), host
        self._result_type: Any = None  # type of the next results

    def __len__(self) -> int:
        return len(self.workers)

    def start(
        self, settings: TrainConfig, preset: Preset, shared_state: StateDict, local_states: Sequence[StateDict]
    ) -> ProcessGroup:
        """Send each worker its state, and connect all processes; raises PeerLost."""
        if not self.workers:
            return SingleProcess()
        size = len(self) + 1
        store = create_store(size, self._host)
        for rank, worker in enumerate(self.workers, start=1):
            local_state = local_states[rank - 1]
            worker.send(
                WorkerInit(settings, preset, ProcessRank(rank, size), self._host, store.port, shared_state, local_state)
            )
        self._result_type = type(None)
        self.collect_results()
        return GlooProcessGroup(ProcessRank(0, size), store, self._host)

    def call_method(self, name: str, *arguments: Any) -> None:
        """Call a method of every worker; raises PeerLost."""
        for worker in self.workers:
            worker.send((name, arguments))
        self._result_type = get_type_hints(getattr(TrainingWorker, name))["return"]

    def collect_results(self) -> list[Any]:
        """Return the results of the last call, worker by worker; raises PeerLost."""
        return [from_plain(self._result_type, worker.receive()) for worker in self.workers]

    def describe_loss(self) -> str:
        """Return a text about the worker that ended, and how; raises the GameError that a worker has sent."""
        for rank, worker in enumerate(self.workers, start=1):
            if reason := worker.exit_reason():
                return f"worker {rank} ended {reason}"
        return "the workers lost each other"

    def terminate(self) -> None:
        """End all workers; the checkpoint has their state."""
        for worker in self.workers:
            worker.terminate()
        self.workers = []


SpawnFunction = Callable[[int], WorkerPool]
"""Starts a number of workers."""


@contextmanager
def spawn(num_workers: int, spawn_function: SpawnFunction | None = None) -> Iterator[WorkerPool]:
    """Start workers, and end them after the block.

    Args:
        num_workers: Number of processes beside this one.
        spawn_function: Starts the workers; None for processes of this machine.

    Raises:
        WorkerLost: A worker ended inside the block.
        GameError: A worker failed by an error of the user.
    """
    pool = (spawn_function or spawn_local)(num_workers) if num_workers else WorkerPool()
    try:
        yield pool
    except PeerLost as problem:
        raise WorkerLost(f"{pool.describe_loss()}; the same command goes on from the last checkpoint") from problem
    finally:
        pool.terminate()


def spawn_local(num_workers: int) -> WorkerPool:
    """Start new interpreters on this machine."""
    return WorkerPool([PipeWorker() for _ in range(num_workers)])


def fork_local(num_workers: int, networks: Networks | None, reasoner: ReasonerParts) -> WorkerPool:
    """Fork workers from this process, for objects that cannot be sent.

    Args:
        num_workers: Number of processes beside this one.
        networks: Custom networks, of which each worker trains a copy; None for those of the preset.
        reasoner: User-defined parts of the abduction step.

    Raises:
        GameError: The operating system has no fork (code ``unsupported-platform``).
    """
    if not hasattr(os, "fork"):
        message = "workers of a network or reasoner of your own are forks of this process: give workers=1 here"
        raise GameError(message, ErrorCode.UNSUPPORTED_PLATFORM)
    workers: list[ForkWorker] = []
    for _ in range(num_workers):
        workers.append(ForkWorker(partial(create_worker, networks=networks, reasoner=reasoner), workers))
    return WorkerPool(workers)


class PipeWorker:
    """A new interpreter on this machine, behind two pipes."""

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
        """Send a message through its pipe."""
        assert self.process.stdin
        send(self.process.stdin, message)

    def receive(self) -> Any:
        """Return a message from the other pipe."""
        assert self.process.stdout
        return _receive_result(self.process.stdout)

    def exit_reason(self) -> str | None:
        """Return how the process ended, by its exit status; raises the GameError that it has sent."""
        assert self.process.stdout
        with suppress(subprocess.TimeoutExpired):
            return _describe_exit(self.process.wait(_EXIT_TIMEOUT), self.process.stdout)
        return None

    def terminate(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(BrokenPipeError):
                pipe.close()


class ForkWorker:
    """A fork of this process, behind two pipes."""

    def __init__(self, create: Callable[[WorkerInit], TrainingWorker], earlier: Sequence[ForkWorker]) -> None:
        """Fork a process, which makes its worker by ``create`` and closes the pipes of earlier workers."""
        child_in, parent_out = os.pipe()
        parent_in, child_out = os.pipe()
        with warnings.catch_warnings():  # from Python 3.12 on: threads of this process do not exist in the child
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setpgid(0, 0)  # Ctrl-C is for the process that forked
                for descriptor in (
                    parent_out,
                    parent_in,
                    *(pipe.fileno() for worker in earlier for pipe in worker.pipes),
                ):
                    os.close(descriptor)
                _run_worker(os.fdopen(child_in, "rb"), os.fdopen(child_out, "wb"), create)
            finally:
                os._exit(1)
        os.close(child_in)
        os.close(child_out)
        self._input, self._output = os.fdopen(parent_out, "wb"), os.fdopen(parent_in, "rb")
        self._status: int | None = None

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Ends of the worker's pipes in this process."""
        return self._input, self._output

    def send(self, message: Any) -> None:
        """Send a message through its pipe."""
        send(self._input, message)

    def receive(self) -> Any:
        """Return a message from the other pipe."""
        return _receive_result(self._output)

    def exit_reason(self) -> str | None:
        """Return how the process ended, by its exit status; raises the GameError that it has sent."""
        end = time.monotonic() + _EXIT_TIMEOUT
        while self._status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.01)
        return None if self._status is None else _describe_exit(self._status, self._output)

    def terminate(self) -> None:
        """Kill the process."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        for pipe in self.pipes:
            with suppress(BrokenPipeError):
                pipe.close()


def _receive_result(results: IO[bytes]) -> Any:
    """Return the next result of a worker; raises PeerLost, or the GameError that it has sent."""
    message = receive(results)
    if isinstance(message, dict) and _ERROR_KEY in message:
        raise GameError(message[_ERROR_KEY], _find_code(message["code"]))
    return message


def _describe_exit(status: int, results: IO[bytes]) -> str | None:
    """Return how a worker ended, by its exit status; raises the GameError that it has sent."""
    if status == _PEER_LOST_STATUS:
        return None
    if status == _REPORTED_STATUS:
        with suppress(PeerLost):
            while True:
                _receive_result(results)
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"


def _find_code(text: str) -> ErrorCode:
    """Return the error code of a text."""
    return next((code for code in ErrorCode if code == text), ErrorCode.INVALID_VALUE)


# --- in a worker -----------------------------------------------------------------------------------------------------


def main() -> None:
    """Run a worker of a preset in a new interpreter."""
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries goes to stderr
    _run_worker(sys.stdin.buffer, results, create_worker)


def _run_worker(requests: IO[bytes], results: IO[bytes], create: Callable[[WorkerInit], TrainingWorker]) -> None:
    """Call methods as requested until the pipe is closed, and end the process."""
    reduce_gc()
    messages: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_read_requests, args=(requests, messages), daemon=True).start()
    try:
        _serve_requests(messages, results, create)
    except PeerLost:
        os._exit(_PEER_LOST_STATUS)
    except GameError as problem:
        traceback.print_exc()
        with suppress(PeerLost):
            send(results, {_ERROR_KEY: str(problem), "code": str(problem.code)})
            os._exit(_REPORTED_STATUS)
        os._exit(_PEER_LOST_STATUS)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _read_requests(requests: IO[bytes], messages: SimpleQueue[Any]) -> None:
    """Read requests in a thread of its own, which ends the process as soon as the pipe is closed."""
    with suppress(PeerLost):
        while True:
            messages.put(receive(requests))
    os._exit(0)


def _serve_requests(
    messages: SimpleQueue[Any], results: IO[bytes], create: Callable[[WorkerInit], TrainingWorker]
) -> None:
    init = from_plain(WorkerInit, messages.get())
    worker = create(init)
    send(results, None)  # ready to connect
    worker.learner.process_group = GlooProcessGroup.connect(init.process_rank, init.host, init.port)
    while True:
        name, arguments = messages.get()
        send(results, getattr(worker, name)(*arguments))


def create_worker(
    init: WorkerInit, networks: Networks | None = None, reasoner: ReasonerParts = OUR_REASONER
) -> TrainingWorker:
    """Make a worker in its initial state.

    Args:
        init: Settings, rank and state.
        networks: Custom networks, changed in place; None for those of the preset.
        reasoner: User-defined parts of the abduction step.
    """
    torch.set_num_threads(init.settings.threads or 1)
    if networks is None:
        networks = create_networks(init.settings, init.preset, init.settings.load_engine())
    worker = TrainingWorker(init.settings, networks, init.process_rank, reasoner=reasoner)
    worker.load_state_dict(init.shared_state, init.local_state)
    return worker
