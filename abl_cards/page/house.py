"""The tables of the page: they are opened, found, and forgotten."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Game, game, game_names
from abl_cards.logic import KBError
from abl_cards.page import frames, restoring
from abl_cards.page.bounds import (
    ALL_TOGETHER,
    IDLE,
    MOST_KEPT,
    MOST_TABLES,
    MOST_TABLES_EACH,
    OPENED,
    OPENED_AT_ONCE,
    printable,
)
from abl_cards.page.chairs import PERSON, Chair
from abl_cards.page.desk import Desk, Sound
from abl_cards.page.fairness import LOCAL, Full, Holding, Rates, yielding
from abl_cards.page.labs import Labs
from abl_cards.page.laid import Laid
from abl_cards.page.ledger import Cupboard, Ledger
from abl_cards.page.plan import Plan
from abl_cards.page.seen import snapshot, welcome
from abl_cards.page.table import PageTable
from abl_cards.page.words import Pair

ASLEEP = 4408
"""The code by which a socket closes whose table was put away."""
EDITED = "lab:"
"""Before the name of a folder that is being edited."""
_SHORTLY = 0.05  # seconds
log = logging.getLogger(__name__)


class House:
    """Tables by name, and what may be opened."""

    def __init__(self, plan: Plan, laid: Laid | None = None) -> None:
        """No tables yet but those that are kept; raises GameError for a game that there is none of."""
        self.laid = laid or Laid(plan)
        self.kept = Cupboard(plan.keep, MOST_KEPT)
        self.plan, self.desk, self.labs = plan, Desk(plan.games, plan.agents), Labs(plan.save)
        self.games: dict[str, Game] = {name: game(name) for name in game_names()}
        for name in plan.games:
            found = game(name)
            self.games[found.name] = found
        first = game(plan.game).name if plan.game else usual_game(list(self.games))
        self.games.setdefault(first, game(plan.game) if plan.game else game(first))
        self.first = first
        self.tables: dict[str, PageTable] = {}
        self._ledgers: dict[str, Ledger] = {}
        self._opened = Rates(OPENED, OPENED_AT_ONCE, ALL_TOGETHER)
        self._coming: dict[str, asyncio.Task[None]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._later: dict[str, asyncio.Task[None]] = {}  # by game who gives the hints, and the table ahead

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
        engine, refused = await self.sound(name, profile or None)
        about = {"name": name, "seats": engine.rules.table.seats, "teams": engine.teams.tolist()}
        return about | ({"refused": refused} if refused else {})

    async def sound(self, name: str, profile: str | None) -> Sound:
        """The last sound version of a game by its name; raises GameError, KBError where there is none."""
        if name.startswith(EDITED):
            return await self.labs.sound(name.removeprefix(EDITED), profile)
        found = self.game(name)
        return await self.desk.ask(lambda: self.desk.sound(found, profile))

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

    def known(self, name: str) -> bool:
        """Whether there is a table of this name, open or kept."""
        return name in self.tables or name in self.kept.waiting or name in self._coming

    async def table(self, name: str, token: str, person: str = LOCAL) -> PageTable | None:
        """A table by its name, for who has a token of it; None for who has none, or where there is no such table.

        One that was open before the page was started anew, or was put away, is opened again; raises GameError, KBError
        where that cannot be now. Then its file stays as it is, for another time.
        """
        ledger = self.kept.waiting.get(name)
        if ledger is not None:
            if not await self.desk.ask(lambda: restoring.opens(ledger.read(), token)):
                return None
            if self.kept.waiting.pop(name, None) is not None:  # several browsers may ask
                self._coming[name] = asyncio.create_task(self._restore(name, ledger, person))
        if name in self._coming:
            await asyncio.shield(self._coming[name])
        found = self.tables.get(name)
        if found is None or found.right_of(token) is None:
            return None
        found.used = time.monotonic()
        if self.laid.claim(name):
            self._later[""] = asyncio.create_task(self._lay_ahead())
        return found

    def watched(self) -> list[dict[str, Any]]:
        """The tables, the latest first, with what it takes to look at them."""
        return [
            {"table": each.name, "title": each.title, "players": [chair.name for chair in each.chairs],
             "episode": int(each.tables.episode[0]), "watch": each.watch_token, "looking": len(each.looking)}
            for each in sorted(self.tables.values(), key=lambda each: -each.used) if each.name != self.laid.table
        ] + [each for each in self.kept.listed() if each["table"] != self.laid.table]  # fmt: skip

    # --- opening and closing -----------------------------------------------------------------------------------------

    async def open(self, message: dict[str, Any], person: str = LOCAL) -> PageTable:
        """A table as a client wants it; raises GameError, KBError."""
        wanted = frames.word(message, "game", self.first)
        found = self.game(wanted)
        profile = frames.word(message, "profile", "") or None
        seed = frames.seed(message)
        practice = frames.flag(message, "practice", True)
        seats = message.get("seats")
        if person != LOCAL and not self._opened.take(person):
            raise GameError("too many tables in a short time: wait a moment")
        engine, refused = await self.sound(wanted, profile)
        chairs = await self.desk.ask(lambda: self._chairs(seats, engine, frames.word(message, "name", "")))
        name = secrets.token_urlsafe(9)
        made = await self.desk.ask(
            lambda: PageTable(
                name, title_of(found), engine, chairs, seed, practice, self.agents_of(found.name), refused
            )
        )
        self._put(made, wanted, person)
        return made

    def _put(self, made: PageTable, game: str, person: str, ledger: Ledger | None = None) -> None:
        """A table among the others, which is written down as it goes on; one of edited rules goes with them.

        Raises GameError where there are too many tables.
        """
        self._make_room(person)
        made.person = person
        self.tables[made.name] = made
        kept = None if game.startswith(EDITED) else ledger or self.kept.ledger(made.name)
        if kept is not None:
            made.written = restoring.writing(made, game, kept)
            self._ledgers[made.name] = kept
            if ledger is None:
                kept.begin(restoring.heading(made, game))
        self._tasks[made.name] = asyncio.create_task(self._drive(made))
        if self.plan.warm and LEARNED in made.offered and game not in self._later:
            self._later[game] = asyncio.create_task(self._warm(made.engine))

    async def _restore(self, name: str, ledger: Ledger, person: str) -> None:
        """Open a table again that was kept; raises GameError, KBError where that cannot be, and lets it wait on."""

        def again() -> tuple[PageTable, str]:
            lines = ledger.read()
            told = restoring.check_heading(lines)
            found = self.game(told["game"])
            engine = self.desk.engine(found, told["profile"] or None)
            offered = self.agents_of(found.name)
            seating = partial(self.desk.agent, engine=engine)
            return restoring.restored(lines, engine, title_of(found), offered, seating), told["game"]

        try:
            made, game = await self.desk.ask(again)
            self._put(made, game, person, ledger)
        except BaseException as problem:
            log.warning("a table cannot be opened again: %s", str(problem)[:400])
            self.kept.put(name, ledger)
            self.laid.claim(name)  # nobody is given it
            raise
        finally:
            del self._coming[name]

    # --- a table ahead -----------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Have ready what somebody will ask for first; nobody waits for it here."""
        if self.plan.ahead:
            self._later[""] = asyncio.create_task(self._lay_ahead())

    async def _lay_ahead(self) -> None:
        """Lay the table that the next browser is given with the page itself."""
        if self.laid.table not in self.kept.waiting:  # none, or one that is no more
            self.laid.forget()
        with suppress(GameError, KBError):  # who asks for a table is told
            if not self.laid.table:
                made = await self.open({"seats": None})
                right = made.right_of(made.owner_token)
                assert right is not None
                while made.agents_turn:  # who comes is to act
                    await asyncio.sleep(_SHORTLY)
                async with made.lock:
                    shown = await self.desk.ask(lambda: (welcome(made, right), snapshot(made, right)))
                self.laid.lay(made.name, made.owner_token, shown, self.game(self.first).folder.path)
            else:
                await self.desk.ask(lambda: self.desk.engine(self.game(self.first), None))

    def _chairs(self, wanted: Any, engine: Any, name: str) -> list[Chair]:
        seats = engine.rules.table.seats
        if wanted is None:
            wanted = [PERSON, *[usual_agent()] * (seats - 1)]
        if not isinstance(wanted, list) or len(wanted) != seats or not all(isinstance(each, str) for each in wanted):
            raise GameError(f"seats: a list of {seats} is wanted, each '{PERSON}' or an agent")
        return [Chair(PERSON, printable(name)) if each == PERSON else
                Chair("agent", each[:80], each[:80], self.desk.agent(each, engine)) for each in wanted]  # fmt: skip

    def _make_room(self, person: str) -> None:
        """Put a table away where there are too many for one more of a person; raises GameError where none gives way."""
        holdings = [Holding(each.name, each.person, bool(each.looking), each.used) for each in self.tables.values()]
        try:
            name = yielding(person, holdings, MOST_TABLES, MOST_TABLES_EACH, time.monotonic(), IDLE)
        except Full:
            raise GameError(f"people play at all {len(self.tables)} tables: close one of yours, or wait") from None
        if name is not None:
            self.put_away(name)

    def put_away(self, name: str) -> None:
        """Close a table; where its file is kept it is opened again when somebody comes back to it."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
        table = self.tables.pop(name)
        table.written = lambda what, line: None
        for visitor in list(table.looking):
            visitor.leave(ASLEEP)
        self.laid.claim(name)
        ledger = self._ledgers.pop(name, None)
        if ledger is not None:
            self.kept.put(name, ledger)

    def close(self) -> None:
        """Forget all but what is written down."""
        for task in (*self._later.values(), *self._coming.values()):
            task.cancel()
        for task in self._tasks.values():
            task.cancel()
        self.tables.clear()
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
    return bool(_presets_of(name))


def _presets_of(name: str) -> list[int]:
    """The presets of its weights that come with the package, by their places: the plain ones come first."""
    from learners.presets import PRESETS, SHIPPED

    return [place for place, preset in enumerate(PRESETS) if (SHIPPED / f"{name}-{preset}.safetensors").exists()]


def usual_game(names: Sequence[str]) -> str:
    """The game with weights of the plainest preset that come with the package, else the first of all."""
    return min(names, key=lambda name: min(_presets_of(name), default=1 << 10))


def title_of(found: Game) -> Pair:
    """What a game is called in both languages."""
    titles = found.folder.titles
    usual = next(iter(titles.values()), found.folder.name)
    english = titles.get("en") or found.folder.name.replace("_", " ").capitalize()
    return [english, titles.get("zh", usual)]
