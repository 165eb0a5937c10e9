"""The other processes of a run: started, told what to do, and ended by the one that the user started.

What a helper needs comes through a pipe, and what it has goes back through another: it knows nothing of the run's
folder. It ends when its pipe does, so whatever happens to the process that started it. For what travels see
``messages``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, get_type_hints

import torch

from abl_cards.games import GameError
from abl_cards.loop.crew import Alone, Crew, Gloo, Post, Separated, meeting_place
from abl_cards.loop.messages import made, receive, send
from abl_cards.loop.settings import Settings
from abl_cards.loop.worker import State, Worker, networks_of
from learners.presets import Preset

ONE_THREAD = {"ABL_CARDS_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The environment of a process that leaves the other processors to others."""

_COMMAND = f"from {__name__} import main; main()"

_SEPARATED = 3
"""The exit status of a helper that was left by the others."""

_PARTING = 1.0
"""Seconds within which a helper is gone that can no longer be reached."""


@dataclass(frozen=True)
class Beginning:
    """What a helper is told first."""

    settings: Settings
    preset: Preset
    post: Post
    port: int  # where the processes meet
    common: State
    own: State


class Helpers:
    """Processes beside this one, each with a Worker that does what this one's does."""

    def __init__(self, number: int = 0) -> None:
        """Start some; they load what they need while they wait for their beginning."""
        self._processes = [_start() for _ in range(number)]
        self._expected: Any = None  # the type of the next answers

    def __len__(self) -> int:
        return len(self._processes)

    def begin(self, settings: Settings, preset: Preset, common: State, own: Sequence[State]) -> Crew:
        """Tell them where to go on, each from something of its own, and meet them; raises Separated."""
        if not self._processes:
            return Alone()
        size = len(self) + 1
        store = meeting_place(size)
        for rank, process in enumerate(self._processes, start=1):
            post = Post(rank, size)
            _tell(process, Beginning(settings, preset, post, store.port, common, own[rank - 1]))
        self._expected = type(None)
        self.answers()
        return Gloo(Post(0, size), store)

    def ask(self, name: str, *arguments: Any) -> None:
        """Let every worker call one of its methods; raises Separated."""
        for process in self._processes:
            _tell(process, (name, arguments))
        self._expected = get_type_hints(getattr(Worker, name))["return"]

    def answers(self) -> list[Any]:
        """What the methods gave that were asked for last; raises Separated."""
        return [made(self._expected, _answer(process)) for process in self._processes]

    def loss(self) -> str:
        """Who is gone."""
        for rank, process in enumerate(self._processes, start=1):
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(_PARTING)
                if status != _SEPARATED:
                    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
                    return f"worker {rank} ended {how}"
        return "the workers lost each other"

    def end(self) -> None:
        """Send them home; they have nothing that would be missed."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(BrokenPipeError):
                    pipe.close()
        self._processes = []


@contextmanager
def hired(number: int) -> Iterator[Helpers]:
    """So many helpers for a while; raises GameError when one of them ends before."""
    helpers = Helpers(number)
    try:
        yield helpers
    except Separated as problem:
        raise GameError(f"{helpers.loss()}; the same command goes on from the last checkpoint") from problem
    finally:
        helpers.end()


def _start() -> subprocess.Popen[bytes]:
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", _COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        process_group=0,  # Ctrl-C is for the process that started them
    )


def _tell(process: subprocess.Popen[bytes], what: Any) -> None:
    assert process.stdin
    send(process.stdin, what)


def _answer(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout
    return receive(process.stdout)


# --- the helper's side -----------------------------------------------------------------------------------------------


def main() -> None:
    """Do what is asked until nobody is there to ask."""
    told: SimpleQueue[Any] = SimpleQueue()
    replies = _replies()
    Thread(target=_listen, args=(told,), daemon=True).start()
    try:
        _serve(told, replies)
    except Separated:
        os._exit(_SEPARATED)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _replies() -> IO[bytes]:
    """The pipe back; what libraries print goes where errors go."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return replies


def _listen(told: SimpleQueue[Any]) -> None:
    """Hear what is asked; in a thread of its own, which ends the process as soon as the pipe is closed."""
    with suppress(Separated):
        while True:
            told.put(receive(sys.stdin.buffer))
    os._exit(0)


def _serve(told: SimpleQueue[Any], replies: IO[bytes]) -> None:
    begin = made(Beginning, told.get())
    settings = begin.settings
    torch.set_num_threads(settings.threads or 1)
    networks = networks_of(settings, begin.preset, settings.engine())
    worker = Worker(settings, networks, begin.post)
    worker.take_up(begin.common, begin.own)
    send(replies, None)  # here, and ready to meet
    worker.trainer.crew = Gloo.at(begin.post, begin.port)
    while True:
        name, arguments = told.get()
        send(replies, getattr(worker, name)(*arguments))
