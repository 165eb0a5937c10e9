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

from abl_cards import garbage
from abl_cards.errors import GameError
from abl_cards.loop.crew import HOST, Alone, Crew, Gloo, Post, Separated, meeting_place
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
    host: str  # where the processes meet
    port: int
    common: State
    own: State


class Helper(Protocol):
    """One of the other processes, as the first one sees it."""

    def tell(self, what: Any) -> None:
        """Say a Beginning, or a method's name and what it is given; raises Separated."""

    def answer(self) -> Any:
        """What came of it, in plain values; raises Separated."""

    def ended(self) -> str | None:
        """How it ended by itself; None where it is there, or left because others were gone."""

    def end(self) -> None:
        """Send it home."""


class Lost(GameError):
    """A process ended on which a run depends; its checkpoint is there."""


class Helpers:
    """Processes beside this one, each with a Worker that does what this one's does."""

    def __init__(self, helpers: Sequence[Helper] = (), host: str = HOST) -> None:
        """They load what they need while they wait for their beginning; where they meet this one has this address."""
        self.each, self._host = list(helpers), host
        self._expected: Any = None  # the type of the next answers

    def __len__(self) -> int:
        return len(self.each)

    def begin(self, settings: Settings, preset: Preset, common: State, own: Sequence[State]) -> Crew:
        """Tell them where to go on, each from something of its own, and meet them; raises Separated."""
        if not self.each:
            return Alone()
        size = len(self) + 1
        store = meeting_place(size, self._host)
        for rank, helper in enumerate(self.each, start=1):
            post = Post(rank, size)
            helper.tell(Beginning(settings, preset, post, self._host, store.port, common, own[rank - 1]))
        self._expected = type(None)
        self.answers()
        return Gloo(Post(0, size), store, self._host)

    def ask(self, name: str, *arguments: Any) -> None:
        """Let every worker call one of its methods; raises Separated."""
        for helper in self.each:
            helper.tell((name, arguments))
        self._expected = get_type_hints(getattr(Worker, name))["return"]

    def answers(self) -> list[Any]:
        """What the methods gave that were asked for last; raises Separated."""
        return [made(self._expected, helper.answer()) for helper in self.each]

    def loss(self) -> str:
        """Who is gone."""
        for rank, helper in enumerate(self.each, start=1):
            if how := helper.ended():
                return f"worker {rank} ended {how}"
        return "the workers lost each other"

    def end(self) -> None:
        """Send them home; they have nothing that would be missed."""
        for helper in self.each:
            helper.end()
        self.each = []


Hire = Callable[[int], Helpers]
"""Starts so many helpers."""


@contextmanager
def hired(number: int, hire: Hire | None = None) -> Iterator[Helpers]:
    """So many helpers for a while, on this machine unless they are hired elsewhere; raises Lost when one ends."""
    helpers = (hire or started)(number) if number else Helpers()
    try:
        yield helpers
    except Separated as problem:
        raise Lost(f"{helpers.loss()}; the same command goes on from the last checkpoint") from problem
    finally:
        helpers.end()


def started(number: int) -> Helpers:
    """Processes of this machine."""
    return Helpers([Piped() for _ in range(number)])


class Piped:
    """A process of this machine, behind two pipes."""

    def __init__(self) -> None:
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # Ctrl-C is for the process that started them
        )

    def tell(self, what: Any) -> None:
        """Through its pipe."""
        assert self.process.stdin
        send(self.process.stdin, what)

    def answer(self) -> Any:
        """From the other one."""
        assert self.process.stdout
        return receive(self.process.stdout)

    def ended(self) -> str | None:
        """By its exit status."""
        with suppress(subprocess.TimeoutExpired):
            status = self.process.wait(_PARTING)
            if status != _SEPARATED:
                return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return None

    def end(self) -> None:
        """At once."""
        self.process.kill()
        self.process.wait()
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(BrokenPipeError):
                pipe.close()


# --- the helper's side -----------------------------------------------------------------------------------------------


def main() -> None:
    """Do what is asked until nobody is there to ask."""
    garbage.seldom()
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
    worker = at_work(begin)
    send(replies, None)  # here, and ready to meet
    worker.trainer.crew = Gloo.at(begin.post, begin.host, begin.port)
    while True:
        name, arguments = told.get()
        send(replies, getattr(worker, name)(*arguments))


def at_work(begin: Beginning) -> Worker:
    """A worker where it is to begin."""
    torch.set_num_threads(begin.settings.threads or 1)
    networks = networks_of(begin.settings, begin.preset, begin.settings.engine())
    worker = Worker(begin.settings, networks, begin.post)
    worker.take_up(begin.common, begin.own)
    return worker
