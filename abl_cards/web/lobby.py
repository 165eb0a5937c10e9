"""Lobby of the web server: opens, finds, restores and suspends tables."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Game, game_names, load
from abl_cards.web import event_replay, schemas
from abl_cards.web.agent_turns import run_agents
from abl_cards.web.classes import ClassStore
from abl_cards.web.config import WebConfig
from abl_cards.web.event_log import EventLog, EventLogStore
from abl_cards.web.executor import EngineExecutor, ValidEngine
from abl_cards.web.fairness import LOCAL_CLIENT, CapacityError, ClientRateLimiter, choose_eviction
from abl_cards.web.game_tiles import GameTiles
from abl_cards.web.labs import LabManager
from abl_cards.web.lesson_text import find_lessons
from abl_cards.web.limits import (
    GLOBAL_RATE_FACTOR,
    MAX_STORED_TABLES,
    MAX_TABLES,
    MAX_TABLES_PER_CLIENT,
    TABLE_OPEN_BURST,
    TABLE_OPEN_RATE,
    sanitise_name,
)
from abl_cards.web.offers import (
    DEFAULT_AGENTS,
    LEARNED_AGENT,
    bilingual_title,
    choose_default_game,
    default_agent,
    has_weights,
    profile_title,
)
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.seats import PERSON, TableSeat, make_agent_seat
from abl_cards.web.snapshot import make_snapshot, make_welcome
from abl_cards.web.table import WebTable
from abl_cards.web.texts import BilingualText, stage_text
from abl_cards.web.think_time import get_think_ms

if TYPE_CHECKING:
    from abl_cards.games import Engine

CLOSE_SUSPENDED = 4408
"""Close code of the web sockets of a suspended table."""
CLOSE_BY_OWNER = 4410
"""Close code of the web sockets of a table that its owner has closed."""
LAB_PREFIX = "lab:"
"""Prefix of the name of a draft of the rule laboratory."""
_POLL_INTERVAL = 0.05  # seconds
_PREWARMING, _TILES = "", "/tiles"
log = logging.getLogger(__name__)


class Lobby:
    """Open tables by name, with the games and agents that are offered."""

    def __init__(
        self, config: WebConfig, prewarmed: PrewarmedTable | None = None, tiles: GameTiles | None = None
    ) -> None:
        """Load the games and the stored tables; raises GameError for an unknown game."""
        self.prewarmed = prewarmed or PrewarmedTable(config)
        self.tiles = tiles or GameTiles(config.requested_games, config.state_folder)
        self.log_store = EventLogStore(config.state_folder, MAX_STORED_TABLES)
        self.classes = ClassStore(config.state_folder)
        self.config, self.executor, self.labs = (
            config,
            EngineExecutor(config.extra_games, config.extra_agents),
            LabManager(config.save_folder),
        )
        self.games: dict[str, Game] = {name: load(name) for name in game_names()}
        for name in config.extra_games:
            game = load(name)
            self.games[game.name] = game
        default_game = load(config.game).name if config.game else choose_default_game(list(self.games))
        self.games.setdefault(default_game, load(config.game) if config.game else load(default_game))
        self.default_game = self.tiles.default_game = default_game
        self.on_first_view: Callable[[], None] = lambda: None  # called when a browser has got a view of a table
        self.tables: dict[str, WebTable] = {}
        self._event_logs: dict[str, EventLog] = {}
        self._open_rate_limiter = ClientRateLimiter(TABLE_OPEN_RATE, TABLE_OPEN_BURST, GLOBAL_RATE_FACTOR)
        self._restoring_tasks: dict[str, asyncio.Task[None]] = {}
        self._agent_tasks: dict[str, asyncio.Task[None]] = {}
        self._background_tasks: dict[str, asyncio.Task[None]] = {}  # by game, or _PREWARMING and _TILES

    # --- games and tables ---------------------------------------------------------------------------------------------

    def games_json(self) -> dict[str, Any]:
        """Return the games with their titles, profiles and agents."""
        games = [
            {"name": name, "title": bilingual_title(game), "profiles": sorted(game.folder.profiles),
             "profile_titles": [profile_title(game, profile) for profile in sorted(game.folder.profiles)],
             "profile": game.folder.default_profile, "agents": self.agents_of(name),
             "lessons": len(find_lessons(game.folder.path))}
            for name, game in self.games.items()
        ]  # fmt: skip
        return {"games": games, "first": self.default_game}

    async def game_json(self, name: str, profile: str) -> dict[str, Any]:
        """Return the data of a game that needs its compiled rules."""
        engine, rules_error = await self.valid_engine(name, profile or None)
        stages = [stage_text(engine, str(stage)) for stage in engine.rules.schema.stages]
        fields = {"name": name, "seats": engine.rules.seating.seats, "teams": engine.teams.tolist(), "stages": stages}
        return fields | ({"refused": rules_error} if rules_error else {})

    async def valid_engine(self, name: str, profile: str | None) -> ValidEngine:
        """Return the engine of the last rules of a game without errors; raises GameError, KBError."""
        if name.startswith(LAB_PREFIX):
            return await self.labs.valid_engine(name.removeprefix(LAB_PREFIX), profile)
        game = self.game(name)
        return await self.executor.run(lambda: self.executor.valid_engine(game, profile))

    def agents_of(self, name: str) -> list[str]:
        """Return the names of the agents for a game, without variants."""
        return [*DEFAULT_AGENTS, *([LEARNED_AGENT] if has_weights(name) else []), *self.config.extra_agents]

    def game_title(self, name: str) -> BilingualText:
        """Return the title of a game."""
        return bilingual_title(self.games[name])

    def game(self, name: str) -> Game:
        """Return an offered game or a draft by name; raises GameError for others."""
        if name.startswith(LAB_PREFIX):
            return self.labs.game(name.removeprefix(LAB_PREFIX))
        if name not in self.games:
            raise GameError(f"unknown game '{name[:80]}'", ErrorCode.UNKNOWN_GAME, [name[:80]])
        return self.games[name]

    def has_table(self, name: str) -> bool:
        """Return whether a table of this name exists, open or stored."""
        return name in self.tables or self.is_asleep(name)

    def is_asleep(self, name: str) -> bool:
        """Return whether a table is stored, or being restored."""
        return name in self.log_store.suspended or name in self._restoring_tasks

    async def find_table(self, name: str, token: str, client_id: str = LOCAL_CLIENT) -> WebTable | None:
        """Return a table by name and token; None for an unknown table or an invalid token.

        A suspended table is restored; raises GameError or KBError if that fails, and keeps its log.
        """
        event_log = self.log_store.suspended.get(name)
        if event_log is not None:
            if not await self.executor.run(lambda: event_replay.accepts_token(event_log.read(), token)):
                return None
            if self.log_store.suspended.pop(name, None) is not None:  # concurrent requests restore it once
                self._restoring_tasks[name] = asyncio.create_task(self._restore_table(name, event_log, client_id))
        if name in self._restoring_tasks:
            await asyncio.shield(self._restoring_tasks[name])
        table = self.tables.get(name)
        if table is None or table.permission_of(token) is None:
            return None
        table.last_used = time.monotonic()
        if self.prewarmed.claim(name):
            self._background_tasks[_PREWARMING] = asyncio.create_task(self._prewarm_table())
        return table

    def tables_json(self) -> list[dict[str, Any]]:
        """Return the tables with their watch tokens, latest first."""
        open_tables = sorted(self.tables.values(), key=lambda table: -table.last_used)
        summaries = [_summarise_table(table) for table in open_tables] + self.log_store.summaries()
        return [summary for summary in summaries if summary["table"] != self.prewarmed.table_name]

    # --- opening and closing -----------------------------------------------------------------------------------------

    async def open_table(
        self, message: dict[str, Any], client_id: str = LOCAL_CLIENT, owner_plays: bool = True
    ) -> WebTable:
        """Open a table with the settings of a request; its owner has the first seat of a person, or no seat.

        Raises:
            GameError: The request is not valid, or there are too many tables.
            KBError: The rules have errors.
        """
        game_name = schemas.get_text(message, "game", self.default_game)
        game = self.game(game_name)
        profile = schemas.get_text(message, "profile", "") or None
        seed = schemas.get_seed(message)
        practice = schemas.get_bool(message, "practice", True)
        seats, think_ms = message.get("seats"), get_think_ms(message)
        if client_id != LOCAL_CLIENT and not self._open_rate_limiter.try_acquire(client_id):
            raise GameError("too many tables in a short time: wait a moment", ErrorCode.TOO_MANY_REQUESTS)
        engine, rules_error = await self.valid_engine(game_name, profile)
        chairs = await self.executor.run(
            lambda: make_seats(self.executor, seats, engine, schemas.get_text(message, "name", ""), think_ms)
        )
        name = secrets.token_urlsafe(9)
        table = await self.executor.run(
            lambda: WebTable(
                name, bilingual_title(game), engine, chairs, seed, practice, self.agents_of(game.name), rules_error
            )
        )
        table.think_ms = think_ms
        if not owner_plays:
            table.owner_seat = None
        self._register(table, game_name, client_id)
        return table

    def _register(self, table: WebTable, game: str, client_id: str, event_log: EventLog | None = None) -> None:
        """Add a table and write its event log, except for tables of drafts.

        Raises:
            GameError: There are too many tables.
        """
        self._evict_table(client_id)
        table.client_id, table.rules_name = client_id, game
        self.tables[table.name] = table
        stored_log = None if game.startswith(LAB_PREFIX) else event_log or self.log_store.create_log(table.name)
        if stored_log is not None:
            table.event_writer = event_replay.make_event_writer(table, game, stored_log)
            self._event_logs[table.name] = stored_log
            if event_log is None:
                stored_log.start(event_replay.make_header(table, game))
        self._agent_tasks[table.name] = asyncio.create_task(run_agents(table, self.executor))
        if self.config.preload_agent and LEARNED_AGENT in table.available_agents and game not in self._background_tasks:
            self._background_tasks[game] = asyncio.create_task(self._preload_agent(table.engine))

    async def _restore_table(self, name: str, event_log: EventLog, client_id: str) -> None:
        """Restore a table from its event log; on an error, keep the log and raise the error."""

        def restore() -> tuple[WebTable, str]:
            lines = event_log.read()
            header = event_replay.read_header(lines)
            game_object = self.game(header["game"])
            engine = self.executor.engine(game_object, header["profile"] or None)
            agents = self.agents_of(game_object.name)
            agent_factory = partial(self.executor.agent, engine=engine)
            return event_replay.restore_table(
                lines, engine, bilingual_title(game_object), agents, agent_factory
            ), header["game"]

        try:
            table, game = await self.executor.run(restore)
            self._register(table, game, client_id, event_log)
        except BaseException as error:
            log.warning("a table cannot be opened again: %s", str(error)[:400])
            self.log_store.add(name, event_log)
            self.prewarmed.claim(name)  # do not offer it to visitors
            raise
        finally:
            del self._restoring_tasks[name]

    # --- prewarmed table ----------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start to prepare a table in the background, if configured."""
        if self.config.prewarm_table:
            prewarming = self._background_tasks[_PREWARMING] = asyncio.create_task(self._prewarm_table())
            self._background_tasks[_TILES] = asyncio.create_task(self._complete_tiles(prewarming))

    async def _complete_tiles(self, prewarming: asyncio.Task[None]) -> None:
        """Read the cards of the tiles once the first table is prepared."""
        await asyncio.wait([prewarming])
        self.on_first_view()
        await self.executor.run_long(self.tiles.complete)

    async def _prewarm_table(self) -> None:
        """Prepare the table that the next visitor receives with the page."""
        if self.prewarmed.table_name not in self.log_store.suspended:  # none is stored, or it was deleted
            self.prewarmed.clear()
        with suppress(GameError, KBError):  # reported when a table is opened
            if not self.prewarmed.table_name:
                table = await self.open_table({"seats": None})
                permission = table.permission_of(table.owner_token)
                assert permission is not None
                while table.is_agents_turn:  # until it is the visitor's turn
                    await asyncio.sleep(_POLL_INTERVAL)
                async with table.lock:
                    messages = await self.executor.run(
                        lambda: (make_welcome(table, permission), make_snapshot(table, permission))
                    )
                self.prewarmed.store(table.name, table.owner_token, messages, self.game(self.default_game).folder.path)
            else:
                await self.executor.run(lambda: self.executor.engine(self.game(self.default_game), None))

    def _evict_table(self, client_id: str) -> None:
        """Suspend a table if there are too many for a new one of a client; raises GameError if none can be."""
        tables = self.tables.values()
        try:
            table = choose_eviction(
                client_id, tables, MAX_TABLES, MAX_TABLES_PER_CLIENT, lambda item: bool(item.viewers)
            )
        except CapacityError:
            num_tables = len(self.tables)
            message = f"all {num_tables} tables are in use: close one of yours, or wait"
            raise GameError(message, ErrorCode.TABLES_IN_USE, [num_tables]) from None
        if table is not None:
            self.suspend_table(table.name)

    def suspend_table(self, name: str) -> None:
        """Close a table; a table with an event log is restored when it is requested again."""
        event_log = self._remove_table(name, CLOSE_SUSPENDED)
        if event_log is not None:
            self.log_store.add(name, event_log)

    def close_table(self, name: str) -> None:
        """Close a table for good and delete its event log."""
        event_log = self._remove_table(name, CLOSE_BY_OWNER)
        if event_log is not None:
            event_log.delete()

    def delete_table(self, name: str) -> None:
        """Close an open or stored table for good."""
        if name in self.tables:
            self.close_table(name)
        elif (event_log := self.log_store.suspended.pop(name, None)) is not None:
            event_log.delete()
        elif name in self._restoring_tasks:
            self._restoring_tasks[name].add_done_callback(lambda _: self.delete_table(name))

    def _remove_table(self, name: str, code: int) -> EventLog | None:
        """Remove a table, close its connections with this code, and return its event log."""
        task = self._agent_tasks.pop(name, None)
        if task is not None:
            task.cancel()
        table = self.tables.pop(name)
        table.stop_writing()
        for viewer in list(table.viewers):
            viewer.close(code)
        self.prewarmed.claim(name)
        return self._event_logs.pop(name, None)

    def close(self) -> None:
        """Close all tables and stop the threads; event logs stay."""
        for tasks in (self._background_tasks, self._restoring_tasks, self._agent_tasks):
            for task in tasks.values():
                task.cancel()
        for table in self.tables.values():
            table.stop_writing()
        self.tables.clear()
        self.tiles.close()
        self.labs.close()
        self.executor.close()

    async def _preload_agent(self, engine: Engine) -> None:
        """Load the learned agent after a delay, because its libraries take seconds to import."""
        await asyncio.sleep(PRELOAD_DELAY)
        with suppress(GameError, KBError):  # reported with the first hint
            await self.executor.run_long(lambda: self.executor.agent(LEARNED_AGENT, engine))


def make_seats(
    executor: EngineExecutor, requested: Any, engine: Engine, name: str, think_ms: int = 0
) -> list[TableSeat]:
    """Return the seats of a request, by default a person against agents; raises GameError."""
    seats = engine.rules.seating.seats
    if requested is None:
        requested = [PERSON, *[default_agent()] * (seats - 1)]
    if (
        not isinstance(requested, list)
        or len(requested) != seats
        or not all(isinstance(player, str) and len(player) <= schemas.MAX_TEXT_LENGTH for player in requested)
    ):
        raise GameError(f"seats: expected a list of {seats}, each '{PERSON}' or an agent", ErrorCode.INVALID_REQUEST)
    return [TableSeat(PERSON, sanitise_name(name)) if player == PERSON else
            make_agent_seat(player, executor.agent(player, engine, think_ms))
            for player in requested]  # fmt: skip


def _summarise_table(table: WebTable) -> dict[str, Any]:
    """Return what the list of tables shows of an open table, without anybody's cards."""
    players = [{"name": seat.name, "kind": seat.kind, "taken": seat.is_taken} for seat in table.seats]
    is_acting = not (table.is_over or table.is_waiting)
    return {
        "table": table.name, "title": table.title, "game": table.engine.game, "profile": table.engine.rules.profile,
        "players": players, "state": "over" if table.is_over else "end" if table.is_waiting else "open",
        "turn": table.seat if is_acting else None, "since": table.changed_at,
        "episode": int(table.tables.num_episodes[0]), "watch": table.watch_token, "looking": len(table.viewers),
    }  # fmt: skip


PRELOAD_DELAY = 1.5
"""Seconds between the first table of a game and the loading of its agent."""
