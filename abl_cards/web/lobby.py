"""The tables of the page: they are opened, found, and forgotten."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Game, game_names, load
from abl_cards.web import event_replay, schemas
from abl_cards.web.config import WebConfig
from abl_cards.web.event_log import EventLog, EventLogStore
from abl_cards.web.executor import EngineExecutor, ValidEngine
from abl_cards.web.fairness import LOCAL_CLIENT, Allocation, CapacityError, ClientRateLimiter, choose_eviction
from abl_cards.web.labs import LabManager
from abl_cards.web.limits import (
    GLOBAL_RATE_FACTOR,
    IDLE_TIMEOUT,
    MAX_STORED_TABLES,
    MAX_TABLES,
    MAX_TABLES_PER_CLIENT,
    TABLE_OPEN_BURST,
    TABLE_OPEN_RATE,
    sanitise_name,
)
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.seats import PERSON, TableSeat
from abl_cards.web.snapshot import make_snapshot, make_welcome
from abl_cards.web.table import WebTable
from abl_cards.web.texts import BilingualText

if TYPE_CHECKING:
    from abl_cards.games import Engine

CLOSE_SUSPENDED = 4408
"""The code by which a socket closes whose table was put away."""
LAB_PREFIX = "lab:"
"""Before the name of a folder that is being edited."""
_POLL_INTERVAL = 0.05  # seconds
log = logging.getLogger(__name__)


class Lobby:
    """Tables by name, and what may be opened."""

    def __init__(self, config: WebConfig, prewarmed: PrewarmedTable | None = None) -> None:
        """No tables yet but those that are kept; raises GameError for a game that there is none of."""
        self.prewarmed = prewarmed or PrewarmedTable(config)
        self.log_store = EventLogStore(config.state_folder, MAX_STORED_TABLES)
        self.config, self.executor, self.labs = (
            config,
            EngineExecutor(config.extra_games, config.extra_agents),
            LabManager(config.save_folder),
        )
        self.games: dict[str, Game] = {name: load(name) for name in game_names()}
        for name in config.extra_games:
            found = load(name)
            self.games[found.name] = found
        first = load(config.game).name if config.game else choose_default_game(list(self.games))
        self.games.setdefault(first, load(config.game) if config.game else load(first))
        self.default_game = first
        self.tables: dict[str, WebTable] = {}
        self._event_logs: dict[str, EventLog] = {}
        self._open_rate_limiter = ClientRateLimiter(TABLE_OPEN_RATE, TABLE_OPEN_BURST, GLOBAL_RATE_FACTOR)
        self._restoring_tasks: dict[str, asyncio.Task[None]] = {}
        self._agent_tasks: dict[str, asyncio.Task[None]] = {}
        self._background_tasks: dict[str, asyncio.Task[None]] = {}  # by game who gives the hints, and the table ahead

    # --- what there is -----------------------------------------------------------------------------------------------

    def games_json(self) -> dict[str, Any]:
        """The games with their titles and profiles, and who may be seated."""
        games = [
            {"name": name, "title": bilingual_title(each), "profiles": sorted(each.folder.profiles),
             "profile": each.folder.default_profile, "agents": self.agents_of(name)}
            for name, each in self.games.items()
        ]  # fmt: skip
        return {"games": games, "first": self.default_game}

    async def game_json(self, name: str, profile: str) -> dict[str, Any]:
        """Return the data of a game that needs its compiled rules."""
        engine, refused = await self.valid_engine(name, profile or None)
        about = {"name": name, "seats": engine.rules.seating.seats, "teams": engine.teams.tolist()}
        return about | ({"refused": refused} if refused else {})

    async def valid_engine(self, name: str, profile: str | None) -> ValidEngine:
        """The last sound version of a game by its name; raises GameError, KBError where there is none."""
        if name.startswith(LAB_PREFIX):
            return await self.labs.valid_engine(name.removeprefix(LAB_PREFIX), profile)
        found = self.game(name)
        return await self.executor.run(lambda: self.executor.valid_engine(found, profile))

    def agents_of(self, name: str) -> list[str]:
        """Return the names of the agents for a game, without variants."""
        return [*DEFAULT_AGENTS, *([LEARNED_AGENT] if has_weights(name) else []), *self.config.extra_agents]

    def game_title(self, name: str) -> BilingualText:
        """Return the title of a game."""
        return bilingual_title(self.games[name])

    def game(self, name: str) -> Game:
        """A game that is offered; raises GameError for another one."""
        if name.startswith(LAB_PREFIX):
            return self.labs.game(name.removeprefix(LAB_PREFIX))
        if name not in self.games:
            raise GameError(f"no game '{name[:80]}' is offered here", ErrorCode.UNKNOWN_GAME)
        return self.games[name]

    def has_table(self, name: str) -> bool:
        """Return whether a table of this name exists, open or stored."""
        return name in self.tables or name in self.log_store.suspended or name in self._restoring_tasks

    async def find_table(self, name: str, token: str, client_id: str = LOCAL_CLIENT) -> WebTable | None:
        """A table by its name, for who has a token of it; None for who has none, or where there is no such table.

        One that was open before the page was started anew, or was put away, is opened again; raises GameError, KBError
        where that cannot be now. Then its file stays as it is, for another time.
        """
        ledger = self.log_store.suspended.get(name)
        if ledger is not None:
            if not await self.executor.run(lambda: event_replay.accepts_token(ledger.read(), token)):
                return None
            if self.log_store.suspended.pop(name, None) is not None:  # several browsers may ask
                self._restoring_tasks[name] = asyncio.create_task(self._restore_table(name, ledger, client_id))
        if name in self._restoring_tasks:
            await asyncio.shield(self._restoring_tasks[name])
        found = self.tables.get(name)
        if found is None or found.permission_of(token) is None:
            return None
        found.last_used = time.monotonic()
        if self.prewarmed.claim(name):
            self._background_tasks[""] = asyncio.create_task(self._prewarm_table())
        return found

    def tables_json(self) -> list[dict[str, Any]]:
        """The tables, the latest first, with what it takes to look at them."""
        return [
            {"table": each.name, "title": each.title, "players": [chair.name for chair in each.seats],
             "episode": int(each.tables.num_episodes[0]), "watch": each.watch_token, "looking": len(each.viewers)}
            for each in sorted(self.tables.values(),
            key=lambda each: -each.last_used) if each.name != self.prewarmed.table_name
        ] + [each for each in self.log_store.summaries() if each["table"] != self.prewarmed.table_name]  # fmt: skip

    # --- opening and closing -----------------------------------------------------------------------------------------

    async def open_table(self, message: dict[str, Any], client_id: str = LOCAL_CLIENT) -> WebTable:
        """A table as a client wants it; raises GameError, KBError."""
        wanted = schemas.get_text(message, "game", self.default_game)
        found = self.game(wanted)
        profile = schemas.get_text(message, "profile", "") or None
        seed = schemas.get_seed(message)
        practice = schemas.get_bool(message, "practice", True)
        seats = message.get("seats")
        if client_id != LOCAL_CLIENT and not self._open_rate_limiter.try_acquire(client_id):
            raise GameError("too many tables in a short time: wait a moment", ErrorCode.TOO_MANY_REQUESTS)
        engine, refused = await self.valid_engine(wanted, profile)
        chairs = await self.executor.run(lambda: self._make_seats(seats, engine, schemas.get_text(message, "name", "")))
        name = secrets.token_urlsafe(9)
        made = await self.executor.run(
            lambda: WebTable(
                name, bilingual_title(found), engine, chairs, seed, practice, self.agents_of(found.name), refused
            )
        )
        self._register(made, wanted, client_id)
        return made

    def _register(self, table: WebTable, game: str, client_id: str, event_log: EventLog | None = None) -> None:
        """A table among the others, which is written down as it goes on; one of edited rules goes with them.

        Raises GameError where there are too many tables.
        """
        self._evict_table(client_id)
        table.client_id = client_id
        self.tables[table.name] = table
        kept = None if game.startswith(LAB_PREFIX) else event_log or self.log_store.create_log(table.name)
        if kept is not None:
            table.write_event = event_replay.make_event_writer(table, game, kept)
            self._event_logs[table.name] = kept
            if event_log is None:
                kept.start(event_replay.make_header(table, game))
        self._agent_tasks[table.name] = asyncio.create_task(self._run_agents(table))
        if self.config.preload_agent and LEARNED_AGENT in table.available_agents and game not in self._background_tasks:
            self._background_tasks[game] = asyncio.create_task(self._preload_agent(table.engine))

    async def _restore_table(self, name: str, event_log: EventLog, client_id: str) -> None:
        """Open a table again that was kept; raises GameError, KBError where that cannot be, and lets it wait on."""

        def again() -> tuple[WebTable, str]:
            lines = event_log.read()
            told = event_replay.read_header(lines)
            found = self.game(told["game"])
            engine = self.executor.engine(found, told["profile"] or None)
            offered = self.agents_of(found.name)
            seating = partial(self.executor.agent, engine=engine)
            return event_replay.restore_table(lines, engine, bilingual_title(found), offered, seating), told["game"]

        try:
            made, game = await self.executor.run(again)
            self._register(made, game, client_id, event_log)
        except BaseException as problem:
            log.warning("a table cannot be opened again: %s", str(problem)[:400])
            self.log_store.add(name, event_log)
            self.prewarmed.claim(name)  # nobody is given it
            raise
        finally:
            del self._restoring_tasks[name]

    # --- a table ahead -----------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Have ready what somebody will ask for first; nobody waits for it here."""
        if self.config.prewarm_table:
            self._background_tasks[""] = asyncio.create_task(self._prewarm_table())

    async def _prewarm_table(self) -> None:
        """Lay the table that the next browser is given with the page itself."""
        if self.prewarmed.table_name not in self.log_store.suspended:  # none, or one that is no more
            self.prewarmed.clear()
        with suppress(GameError, KBError):  # who asks for a table is told
            if not self.prewarmed.table_name:
                made = await self.open_table({"seats": None})
                right = made.permission_of(made.owner_token)
                assert right is not None
                while made.is_agents_turn:  # who comes is to act
                    await asyncio.sleep(_POLL_INTERVAL)
                async with made.lock:
                    shown = await self.executor.run(lambda: (make_welcome(made, right), make_snapshot(made, right)))
                self.prewarmed.store(made.name, made.owner_token, shown, self.game(self.default_game).folder.path)
            else:
                await self.executor.run(lambda: self.executor.engine(self.game(self.default_game), None))

    def _make_seats(self, requested: Any, engine: Engine, name: str) -> list[TableSeat]:
        seats = engine.rules.seating.seats
        if requested is None:
            requested = [PERSON, *[default_agent()] * (seats - 1)]
        if (
            not isinstance(requested, list)
            or len(requested) != seats
            or not all(isinstance(each, str) for each in requested)
        ):
            raise GameError(
                f"seats: expected a list of {seats}, each '{PERSON}' or an agent", ErrorCode.INVALID_REQUEST
            )
        return [TableSeat(PERSON, sanitise_name(name)) if each == PERSON else
                TableSeat("agent", each[:80], each[:80], self.executor.agent(each,
                engine)) for each in requested]  # fmt: skip

    def _evict_table(self, client_id: str) -> None:
        """Put a table away where there are too many for one more of a person; raises GameError where none gives way."""
        holdings = [
            Allocation(each.name, each.client_id, bool(each.viewers), each.last_used) for each in self.tables.values()
        ]
        try:
            name = choose_eviction(
                client_id, holdings, MAX_TABLES, MAX_TABLES_PER_CLIENT, time.monotonic(), IDLE_TIMEOUT
            )
        except CapacityError:
            raise GameError(
                f"people play at all {len(self.tables)} tables: close one of yours, or wait",
                ErrorCode.TOO_MANY_REQUESTS,
            ) from None
        if name is not None:
            self.suspend_table(name)

    def suspend_table(self, name: str) -> None:
        """Close a table; where its file is kept it is opened again when somebody comes back to it."""
        task = self._agent_tasks.pop(name, None)
        if task is not None:
            task.cancel()
        table = self.tables.pop(name)
        table.write_event = lambda what, line: None
        for visitor in list(table.viewers):
            visitor.close(CLOSE_SUSPENDED)
        self.prewarmed.claim(name)
        ledger = self._event_logs.pop(name, None)
        if ledger is not None:
            self.log_store.add(name, ledger)

    def close(self) -> None:
        """Forget all but what is written down."""
        for task in (*self._background_tasks.values(), *self._restoring_tasks.values()):
            task.cancel()
        for task in self._agent_tasks.values():
            task.cancel()
        self.tables.clear()
        self.labs.close()
        self.executor.close()

    async def _preload_agent(self, engine: Engine) -> None:
        """Load the agent that has learned when the table is laid: its libraries take seconds."""
        await asyncio.sleep(PRELOAD_DELAY)
        with suppress(GameError, KBError):  # who asks for a hint is told
            await self.executor.run_long(lambda: self.executor.agent(LEARNED_AGENT, engine))

    # --- how a table goes on -----------------------------------------------------------------------------------------

    async def _run_agents(self, table: WebTable) -> None:
        """Let agents decide as long as it is their turn, at a pace that people can follow."""
        while True:
            news = True
            try:
                while table.is_agents_turn:
                    if news and table.viewers:
                        await asyncio.sleep(table.agent_delay)
                    async with table.lock:
                        news = await self.executor.run(table.run_agent)
                    table.on_change()
            except Exception:  # of somebody's agent: the table stands still, and says so
                log.exception("table %s", table.name)
                table.problem = "the agent has failed; see the log of the page"
                table.on_change()
            await table.wake.wait()
            table.wake.clear()


PRELOAD_DELAY = 1.5
"""Seconds after the first table of a game."""
DEFAULT_AGENTS = ("kb", "greedy", "random")
LEARNED_AGENT = "abl"


def default_agent() -> str:
    """Return the agent of the first table."""
    return DEFAULT_AGENTS[0]


def has_weights(name: str) -> bool:
    """Return whether weights for a game are shipped."""
    return bool(_packaged_presets(name))


def _packaged_presets(name: str) -> list[int]:
    """The presets of its weights that come with the package, by their places: the plain ones come first."""
    from abl_cards.learners import PRESETS, WEIGHTS_FOLDER

    return [place for place, preset in enumerate(PRESETS) if (WEIGHTS_FOLDER / f"{name}-{preset}.safetensors").exists()]


def choose_default_game(names: Sequence[str]) -> str:
    """The game with weights of the plainest preset that come with the package, else the first of all."""
    return min(names, key=lambda name: min(_packaged_presets(name), default=1 << 10))


def bilingual_title(loaded_game: Game) -> BilingualText:
    """Return the title of a game in both languages."""
    titles = loaded_game.folder.titles
    usual = next(iter(titles.values()), loaded_game.folder.name)
    english = titles.get("en") or loaded_game.folder.name.replace("_", " ").capitalize()
    return [english, titles.get("zh", usual)]
