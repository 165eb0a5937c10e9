"""Where the engine works for the page: threads of its own, so that the port answers meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from abl_cards.agents import Agent, AgentName, agent, checked_name
from abl_cards.errors import GameError
from abl_cards.games import Engine, Game
from abl_cards.logic import KBError

T = TypeVar("T")

ANYBODYS = ("random", "greedy", "kb", "abl", "zhiduoxing", "shensuanzi")
"""Agents that a client may name: they read no file and start no program that a client could choose."""
_HARMLESS = ("without", "preset", "seconds")


MOST_SOUND = 64


class Sound(NamedTuple):
    """The last sound version of some rules."""

    engine: Engine
    refused: str = ""  # the first error of the files as they are now, where they are refused


class Desk:
    """Engines and agents by name, made once; and threads to ask them in."""

    def __init__(self, offered: tuple[str, ...] = (), extra: tuple[str, ...] = ()) -> None:
        """Folders of games and names of agents that whoever started the page offers besides the usual ones."""
        self.offered, self.extra = offered, extra
        self._quick = ThreadPoolExecutor(2, "table")
        self._long = ThreadPoolExecutor(1, "review")
        self._loading = Lock()  # an engine that two ask for is made once
        self._agents: dict[tuple[int, str], Agent] = {}
        self._sound: dict[tuple[Path, str | None], Engine] = {}  # the last sound versions, the latest used last

    async def ask(self, call: Callable[[], T]) -> T:
        """What a short call gives."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, call)

    async def work(self, call: Callable[[], T]) -> T:
        """What a long call gives; one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._long, call)

    def close(self) -> None:
        """Wait for nobody."""
        for pool in (self._quick, self._long):
            pool.shutdown(wait=False, cancel_futures=True)

    def engine(self, game: Game, profile: str | None) -> Engine:
        """Compile a game, or return its last sound version; raises KBError where there is none."""
        return self.sound(game, profile).engine

    def sound(self, game: Game, profile: str | None) -> Sound:
        """The last version of a game that passed the check; raises KBError where none did since the page began."""
        key = game.home.resolve(), profile
        with self._loading:
            try:
                found = Sound(game.engine(None, profile))
            except KBError as problem:
                if key not in self._sound:
                    raise
                return Sound(self._sound[key], str(problem).splitlines()[0])
            self._sound.pop(key, None)
            self._sound[key] = found.engine
            while len(self._sound) > MOST_SOUND:
                self._sound.pop(next(iter(self._sound)))
            return found

    def agent(self, name: str, engine: Engine) -> Agent:
        """An agent that clients may name; raises GameError for another one."""
        made = self._agents.get((id(engine), name))
        if made is None:
            made = agent(name if name in self.extra else str(allowed(name)), engine)
            if name not in self.extra:  # those of users may follow a table: each table has its own
                self._agents[id(engine), name] = made
        return made


def allowed(text: str) -> AgentName:
    """An agent that reads and starts nothing that its name says; raises GameError."""
    name = checked_name(text)
    wrong = [key for key, value in name.options if value and key not in _HARMLESS]
    if name.kind not in ANYBODYS or wrong:
        raise GameError(f"agent '{name}' may be seated here when the page is started with --agent '{name}'")
    return name
