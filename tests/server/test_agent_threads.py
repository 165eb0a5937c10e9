"""Tests of the threads in which agents of a server decide."""

from __future__ import annotations

import asyncio
from threading import Event, current_thread

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, RandomKeys
from abl_cards.agents.registry import make_agent
from abl_cards.games.engine import Engine
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves
from abl_cards.server import server
from abl_cards.server.agent_threads import run_in_thread
from abl_cards.server.server import GameServer
from tests.server.servers import run, serve_config


class WaitingAgent:
    """Agent that decides like ``random``, and waits for an event first."""

    def __init__(self, may_decide: Event, rules: Engine) -> None:
        self.may_decide, self._agent = may_decide, make_agent("random", rules)

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        assert self.may_decide.wait(30)
        return self._agent.play(decisions, keys)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        return self._agent.choose(choices, keys)


def test_waiting_agent_holds_up_its_own_table_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second table is played to its end while the agent of the first one waits."""
    may_decide, made = Event(), []

    def make(name: str, rules: Engine) -> Agent:
        made.append(name)
        return WaitingAgent(may_decide, rules) if len(made) == 1 else make_agent(name, rules)

    async def scene() -> list[int]:
        finished = asyncio.Event()
        config = serve_config(dict.fromkeys(range(4), "random"), "president", games=1, tables=2)
        async with GameServer(config, lambda line: finished.set() if "game 1 of 1" in line else None) as open_server:
            playing = asyncio.ensure_future(open_server.play_games())
            await finished.wait()
            unfinished = [table.number for table in open_server.tables if table.tables.winner[0] == -1]
            may_decide.set()
            await playing
        return unfinished

    monkeypatch.setattr(server, "make_agent", make)
    assert run(scene()) == [0]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_errors_of_a_call_are_raised(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        run(run_in_thread(fail))


def test_stop_iteration_of_a_call_ends_the_wait() -> None:
    """A future does not accept this error; asyncio.to_thread waits for ever."""
    with pytest.raises(RuntimeError):
        run(run_in_thread(lambda: next(iter(()))))


def test_cancelled_wait_does_not_wait_for_the_thread() -> None:
    """Ctrl-C ends a server while an agent thinks; the end of the call is ignored then, in an open and a closed loop."""
    may_end, threads = Event(), []

    def wait() -> None:
        threads.append(current_thread())
        may_end.wait(30)

    async def scene() -> None:
        for _ in range(2):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(run_in_thread(wait), 0.05)
        may_end.set()
        threads[0].join(30)

    run(scene())
    threads[1].join(30)
    assert all(thread.daemon and not thread.is_alive() for thread in threads)
