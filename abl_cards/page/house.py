"""The tables of the page: they are opened, found, and forgotten."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abl_cards.games import Game, GameError, game, game_names
from abl_cards.logic import KBError
from abl_cards.page import frames
from abl_cards.page.bounds import IDLE, MOST_TABLES, printable
from abl_cards.page.desk import Desk
from abl_cards.page.labs import Labs
from abl_cards.page.table import PERSON, Chair, PageTable
from abl_cards.page.words import Pair

EDITED = "lab:"
"""Before the name of a folder that is being edited."""
_HIGHEST_SEED = 2**31 - 1
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """How the page is served."""

    game: str = ""  # the first table's; the first game that comes with an agent that has learned it
    games: tuple[str, ...] = ()  # folders beside the games that come with the package
    agents: tuple[str, ...] = ()  # that may be seated besides the usual ones
    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()  # more names by which browsers may ask for this host
    save: Path | None = None  # where folders of the rules lab may be saved
    watch: tuple[Path, ...] = ()  # folders of runs and results
    warm: bool = False  # have ready who gives the hints, before the first is asked for
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))

    @property
    def local(self) -> bool:
        """Whether only this machine can ask."""
        return self.host in ("127.0.0.1", "localhost", "::1")


class House:
    """Tables by name, and what may be opened."""

    def __init__(self, plan: Plan) -> None:
        """No tables yet; raises GameError for a game that there is none of."""
        self.plan, self.desk, self.labs = plan, Desk(plan.games, plan.agents), Labs(plan.save)
        self.games: dict[str, Game] = {name: game(name) for name in game_names()}
        for name in plan.games:
            found = game(name)
            self.games[found.name] = found
        first = game(plan.game).name if plan.game else usual_game(list(self.games))
        self.games.setdefault(first, game(plan.game) if plan.game else game(first))
        self.first = first
        self.tables: dict[str, PageTable] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._warmed: dict[str, asyncio.Task[None]] = {}

    # --- what there is -----------------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """The games with their titles and profiles, and who may be seated."""
        games = [
            {"name": name, "title": title_of(each), "profiles": sorted(each.folder.profiles),
             "profile": each.folder.default_profile, "agents": self.agents_of(name)}
            for name, each in self.games.items()
        ]  # fmt: skip
        return {"games": games, "first": self.first}

    async def about(self, name: str, profile: str) -> dict[str, Any]:
        """What a game has that only its compiled rules say."""
        engine = await self.desk.ask(lambda: self.desk.engine(self.game(name), profile or None))
        return {"name": name, "seats": engine.rules.table.seats, "teams": engine.teams.tolist()}

    def agents_of(self, name: str) -> list[str]:
        """Who may be seated at a game, by name; variants besides."""
        return [*USUAL_AGENTS, *([LEARNED] if has_learned(name) else []), *self.plan.agents]

    def title(self, name: str) -> Pair:
        """What a game is called."""
        return title_of(self.games[name])

    def game(self, name: str) -> Game:
        """A game that is offered; raises GameError for another one."""
        if name.startswith(EDITED):
            return self.labs.game(name.removeprefix(EDITED))
        if name not in self.games:
            raise GameError(f"no game '{name[:80]}' is offered here")
        return self.games[name]

    def table(self, name: str) -> PageTable:
        """A table by its name; raises GameError."""
        if name not in self.tables:
            raise GameError("there is no such table: it was closed, or the page was started anew")
        return self.tables[name]

    def watched(self) -> list[dict[str, Any]]:
        """The tables, the latest first, with what it takes to look at them."""
        return [
            {"table": each.name, "title": each.title, "players": [chair.name for chair in each.chairs],
             "episode": int(each.tables.episode[0]), "watch": each.watch_token, "looking": len(each.looking)}
            for each in sorted(self.tables.values(), key=lambda each: -each.used)
        ]  # fmt: skip

    # --- opening and closing -----------------------------------------------------------------------------------------

    async def open(self, message: dict[str, Any]) -> PageTable:
        """A table as a client wants it; raises GameError, KBError."""
        found = self.game(frames.word(message, "game", self.first))
        profile = frames.word(message, "profile", "") or None
        seed = frames.number(message, "seed", 0, _HIGHEST_SEED, secrets.randbelow(_HIGHEST_SEED))
        practice = frames.flag(message, "practice", True)
        wanted = message.get("seats")
        self._make_room()
        engine = await self.desk.ask(lambda: self.desk.engine(found, profile))
        chairs = await self.desk.ask(lambda: self._chairs(wanted, engine, frames.word(message, "name", "")))
        name = secrets.token_urlsafe(9)
        made = await self.desk.ask(
            lambda: PageTable(name, title_of(found), engine, chairs, seed, practice, self.agents_of(found.name))
        )
        self.tables[name] = made
        self._tasks[name] = asyncio.create_task(self._drive(made))
        if self.plan.warm and LEARNED in made.offered and found.name not in self._warmed:
            self._warmed[found.name] = asyncio.create_task(self._warm(engine))
        return made

    def _chairs(self, wanted: Any, engine: Any, name: str) -> list[Chair]:
        seats = engine.rules.table.seats
        if wanted is None:
            wanted = [PERSON, *[usual_agent()] * (seats - 1)]
        if not isinstance(wanted, list) or len(wanted) != seats or not all(isinstance(each, str) for each in wanted):
            raise GameError(f"seats: a list of {seats} is wanted, each '{PERSON}' or an agent")
        return [Chair(PERSON, printable(name)) if each == PERSON else
                Chair("agent", each[:80], each[:80], self.desk.agent(each, engine)) for each in wanted]  # fmt: skip

    def _make_room(self) -> None:
        """Close a table that nobody looks at where there are too many; raises GameError where there is none."""
        if len(self.tables) < MOST_TABLES:
            return
        idle = [each for each in self.tables.values() if not each.looking]
        oldest = min(idle, key=lambda each: each.used, default=None)
        if oldest is None or time.monotonic() - oldest.used < IDLE:
            raise GameError(f"there are {MOST_TABLES} tables already: close one")
        self.close_table(oldest.name)

    def close_table(self, name: str) -> None:
        """Forget a table."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
        self.tables.pop(name, None)

    def close(self) -> None:
        """Forget all."""
        for task in self._warmed.values():
            task.cancel()
        for name in list(self.tables):
            self.close_table(name)
        self.labs.close()
        self.desk.close()

    async def _warm(self, engine: Any) -> None:
        """Load the agent that has learned when the table is laid: its libraries take seconds."""
        await asyncio.sleep(WARM_AFTER)
        with suppress(GameError, KBError):  # who asks for a hint is told
            await self.desk.work(lambda: self.desk.agent(LEARNED, engine))

    # --- how a table goes on -----------------------------------------------------------------------------------------

    async def _drive(self, table: PageTable) -> None:
        """Let agents decide as long as it is their turn, at a pace that people can follow."""
        while True:
            news = True
            try:
                while table.agents_turn:
                    if news and table.looking:
                        await asyncio.sleep(table.pace)
                    async with table.lock:
                        news = await self.desk.ask(table.let_agent)
                    table.told()
            except Exception:  # of somebody's agent: the table stands still, and says so
                log.exception("table %s", table.name)
                table.problem = "the agent has failed; see the log of the page"
                table.told()
            await table.wake.wait()
            table.wake.clear()


WARM_AFTER = 1.5
"""Seconds after the first table of a game."""
USUAL_AGENTS = ("kb", "greedy", "random")
LEARNED = "abl"


def usual_agent() -> str:
    """Who sits at the first table."""
    return USUAL_AGENTS[0]


def has_learned(name: str) -> bool:
    """Whether weights for a game come with the package."""
    from learners import presets

    folder = Path(presets.__file__).parent / "weights"
    return any((folder / f"{name}-{preset}.safetensors").exists() for preset in presets.PRESETS)


def usual_game(names: Sequence[str]) -> str:
    """The first game with weights that come with the package, else the first of all."""
    return next((name for name in names if has_learned(name)), names[0])


def title_of(found: Game) -> Pair:
    """What a game is called in both languages."""
    titles = found.folder.titles
    usual = next(iter(titles.values()), found.folder.name)
    english = titles.get("en") or found.folder.name.replace("_", " ").capitalize()
    return [english, titles.get("zh", usual)]
