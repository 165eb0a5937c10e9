"""Threads in which the engine works for the web server, so that the port keeps answering."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from abl_cards.agents import Agent, AgentName, ExplainableAgent, check_agent_name, make_agent
from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game
from abl_cards.web.error_json import error_line
from abl_cards.web.think_time import limit_thinking

T = TypeVar("T")

PUBLIC_AGENTS = ("random", "greedy", "kb", "abl", "zhiduoxing", "shensuanzi")
"""Agents that a client may name: they read no file and start no program that a client could choose."""
_SAFE_OPTIONS = ("without", "preset", "seconds")


MAX_CACHED_ENGINES = 64


class ValidEngine(NamedTuple):
    """Engine of the last rules without errors.

    Attributes:
        engine: Engine of these rules.
        rules_error: First error of newer rules; empty if the engine is current.
    """

    engine: Engine
    rules_error: str = ""


class EngineExecutor:
    """Caches engines and agents by name, and runs their calls in threads."""

    def __init__(self, extra_games: tuple[str, ...] = (), extra_agents: tuple[str, ...] = ()) -> None:
        """Make an executor with rule folders and agents that the server offers besides the shipped ones."""
        self.extra_games, self.extra_agents = extra_games, extra_agents
        self._short_pool = ThreadPoolExecutor(2, "table")
        self._agent_pool = ThreadPoolExecutor(2, "agent")
        self._long_pool = ThreadPoolExecutor(1, "review")
        self._advice_pool = ThreadPoolExecutor(1, "advice")
        self._load_lock = Lock()  # concurrent requests compile an engine once
        self._agents: dict[tuple[int, str, int], Agent] = {}
        self._valid_engines: dict[tuple[Path, str | None], Engine] = {}  # last versions without errors, last used last

    async def run(self, call: Callable[[], T]) -> T:
        """Run a short call in a thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._short_pool, call)

    async def run_agent(self, call: Callable[[], T]) -> T:
        """Run a decision of an agent in a thread and return its result; views of tables do not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(self._agent_pool, call)

    async def run_long(self, call: Callable[[], T]) -> T:
        """Run a long call in a thread and return its result; long calls run one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._long_pool, call)

    async def run_advice(self, call: Callable[[], T]) -> T:
        """Run a call of seconds in a thread and return its result; plays of tables do not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(self._advice_pool, call)

    def close(self) -> None:
        """Shut down the threads without waiting for running calls."""
        for pool in (self._short_pool, self._agent_pool, self._long_pool, self._advice_pool):
            pool.shutdown(wait=False, cancel_futures=True)

    def engine(self, game: Game, profile: str | None) -> Engine:
        """Compile a game, or return its last version without errors; raises KBError if there is none."""
        return self.valid_engine(game, profile).engine

    def valid_engine(self, game: Game, profile: str | None) -> ValidEngine:
        """Compile a game, or return its last version without errors since the server started; raises KBError."""
        key = game.directory.resolve(), profile
        with self._load_lock:
            try:
                valid_engine = ValidEngine(game.engine(None, profile))
            except KBError as error:
                if key not in self._valid_engines:
                    raise
                return ValidEngine(self._valid_engines[key], error_line(error))
            self._valid_engines.pop(key, None)
            self._valid_engines[key] = valid_engine.engine
            while len(self._valid_engines) > MAX_CACHED_ENGINES:
                self._valid_engines.pop(next(iter(self._valid_engines)))
            return valid_engine

    def agent(self, name: str, engine: Engine, think_ms: int = 0) -> Agent:
        """Return an agent that clients may name, with a time to think in milliseconds if it looks ahead.

        Raises:
            GameError: Clients may not name this agent, or it cannot be made.
        """
        key = id(engine), name, think_ms
        agent = self._agents.get(key)
        if agent is None:
            if think_ms:
                agent = limit_thinking(self.agent(name, engine), think_ms)
            else:
                agent = make_agent(name if name in self.extra_agents else str(parse_allowed_agent(name)), engine)
            if name not in self.extra_agents:  # user agents may keep the state of a table, so each table has its own
                self._agents[key] = agent
        return agent

    def explainable_agent(self, name: str, engine: Engine) -> ExplainableAgent:
        """Return an agent that clients may name and that can explain its moves; raises GameError for others."""
        agent = self.agent(name, engine)
        if not isinstance(agent, ExplainableAgent):
            message = f"agent '{name}' has no preferences to explain: use kb or a variant"
            raise GameError(message, ErrorCode.AGENT_NOT_APPLICABLE, [name])
        return agent


def parse_allowed_agent(text: str) -> AgentName:
    """Parse the name of an agent whose options read and start nothing; raises GameError."""
    name = check_agent_name(text)
    unsafe_options = [key for key, value in name.options if value and key not in _SAFE_OPTIONS]
    if name.kind not in PUBLIC_AGENTS or unsafe_options:
        message = f"agent '{name}' is not allowed; start the server with --agent '{name}'"
        raise GameError(message, ErrorCode.AGENT_REFUSED, [str(name)])
    return name
