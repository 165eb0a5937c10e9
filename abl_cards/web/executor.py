"""Threads in which the engine works for the web server, so that the port keeps answering."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from abl_cards.agents import Agent, AgentName, check_agent_name, make_agent
from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game

T = TypeVar("T")

PUBLIC_AGENTS = ("random", "greedy", "kb", "abl", "zhiduoxing", "shensuanzi")
"""Agents that a client may name: they read no file and start no program that a client could choose."""
_SAFE_OPTIONS = ("without", "preset", "seconds")


MAX_CACHED_ENGINES = 64


class ValidEngine(NamedTuple):
    """The last sound version of some rules."""

    engine: Engine
    rules_error: str = ""  # the first error of the files as they are now, where they are refused


class EngineExecutor:
    """Engines and agents by name, made once; and threads to ask them in."""

    def __init__(self, extra_games: tuple[str, ...] = (), extra_agents: tuple[str, ...] = ()) -> None:
        """Make an executor with rule folders and agents that the server offers besides the shipped ones."""
        self.extra_games, self.extra_agents = extra_games, extra_agents
        self._short_pool = ThreadPoolExecutor(2, "table")
        self._long_pool = ThreadPoolExecutor(1, "review")
        self._load_lock = Lock()  # an engine that two ask for is made once
        self._agents: dict[tuple[int, str], Agent] = {}
        self._valid_engines: dict[tuple[Path, str | None], Engine] = {}  # the last sound versions, the latest used last

    async def run(self, call: Callable[[], T]) -> T:
        """Run a short call in a thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._short_pool, call)

    async def run_long(self, call: Callable[[], T]) -> T:
        """Run a long call in a thread and return its result; long calls run one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._long_pool, call)

    def close(self) -> None:
        """Wait for nobody."""
        for pool in (self._short_pool, self._long_pool):
            pool.shutdown(wait=False, cancel_futures=True)

    def engine(self, game: Game, profile: str | None) -> Engine:
        """Compile a game, or return its last sound version; raises KBError where there is none."""
        return self.valid_engine(game, profile).engine

    def valid_engine(self, game: Game, profile: str | None) -> ValidEngine:
        """The last version of a game that passed the check; raises KBError where none did since the page began."""
        key = game.directory.resolve(), profile
        with self._load_lock:
            try:
                found = ValidEngine(game.engine(None, profile))
            except KBError as problem:
                if key not in self._valid_engines:
                    raise
                return ValidEngine(self._valid_engines[key], str(problem).splitlines()[0])
            self._valid_engines.pop(key, None)
            self._valid_engines[key] = found.engine
            while len(self._valid_engines) > MAX_CACHED_ENGINES:
                self._valid_engines.pop(next(iter(self._valid_engines)))
            return found

    def agent(self, name: str, engine: Engine) -> Agent:
        """An agent that clients may name; raises GameError for another one."""
        made = self._agents.get((id(engine), name))
        if made is None:
            made = make_agent(name if name in self.extra_agents else str(parse_allowed_agent(name)), engine)
            if name not in self.extra_agents:  # those of users may follow a table: each table has its own
                self._agents[id(engine), name] = made
        return made


def parse_allowed_agent(text: str) -> AgentName:
    """Parse the name of an agent whose options read and start nothing; raises GameError."""
    name = check_agent_name(text)
    wrong = [key for key, value in name.options if value and key not in _SAFE_OPTIONS]
    if name.kind not in PUBLIC_AGENTS or wrong:
        raise GameError(
            f"agent '{name}' may be seated here when the page is started with --agent '{name}'", ErrorCode.NOT_ALLOWED
        )
    return name
