"""What the section Review asks for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from abl_cards.agents import Reasoned
from abl_cards.errors import GameError
from abl_cards.page import frames
from abl_cards.page.bounds import LONGEST_BODY
from abl_cards.page.fairness import LOCAL
from abl_cards.page.reviews import MOST_DEALS, MOST_LINES, Sheet, Shelf, read_records
from abl_cards.platforms.botzone import log_record

if TYPE_CHECKING:
    from abl_cards.page.house import House

LEAST_DEALS = 4


class Reviewing:
    """Records looked over for browsers."""

    def __init__(self, house: House) -> None:
        """In this house; nothing is kept yet."""
        self._house, self._shelf = house, Shelf()
        self._jobs: set[asyncio.Task[None]] = set()

    async def open(self, message: dict[str, Any], person: str = LOCAL) -> dict[str, Any]:
        """A record to look over; raises GameError, KBError."""
        found = self._house.game(frames.word(message, "game"))
        text, line = message.get("text"), frames.number(message, "line", 1, MOST_LINES, 1)
        if not isinstance(text, str) or len(text) > LONGEST_BODY:
            raise GameError("text: records are wanted, one a line")
        records = await self._house.desk.ask(lambda: read_records(text))
        if line > len(records):
            raise GameError(f"there are {len(records)} records, and no number {line}")
        said = log_record.profile_of(records[line - 1], found.folder.profiles)
        profile = frames.word(message, "profile", "") or said
        engine, refused = await self._house.sound(frames.word(message, "game"), profile)
        sheet = await self._house.desk.ask(
            lambda: Sheet(found.name, self._house.title(found.name), engine, records, line)
        )
        sheet.person = person
        self._shelf.keep(sheet)
        return sheet.to_json() | ({"refused": refused} if refused else {})

    async def find(self, name: str) -> dict[str, Any]:
        """One that is kept."""
        return self._shelf.find(name).to_json()

    async def progress(self, name: str) -> dict[str, Any]:
        """How far its mistakes are looked for."""
        return self._shelf.find(name).progress()

    async def decision(self, name: str, place: str, agent: str, language: str) -> dict[str, Any]:
        """One of its decisions; raises GameError."""
        sheet = self._shelf.find(name)
        if not place.isascii() or not place.isdecimal() or len(place) > 6 or language not in ("en", "zh"):
            raise GameError("place: a number is wanted, lang: en or zh")
        return await self._house.desk.ask(lambda: sheet.decision(self._reasoned(agent, sheet), int(place), language))

    def _reasoned(self, agent: str, sheet: Sheet) -> Reasoned:
        player = self._house.desk.agent(agent, sheet.engine)
        if not isinstance(player, Reasoned):
            raise GameError(f"agent '{agent}' decides by no preferences: ask kb, or a variant of it")
        return player

    async def look_over(self, message: dict[str, Any]) -> dict[str, Any]:
        """Begin to find the mistakes of one; raises GameError."""
        sheet = self._shelf.find(frames.word(message, "review"))
        names = frames.word(message, "agent", "kb"), frames.word(message, "onward", "greedy")
        deals = frames.number(message, "deals", LEAST_DEALS, MOST_DEALS, 40)
        language = frames.word(message, "lang", "en")
        if language not in ("en", "zh"):
            raise GameError("lang: en or zh is wanted")
        if sheet.state == "working":
            raise GameError("it is being looked over already")
        players = await self._house.desk.ask(lambda: [self._house.desk.agent(each, sheet.engine) for each in names])
        self._shelf.check_work(sheet.person)
        sheet.state = "working"
        job = asyncio.create_task(
            self._house.desk.work(lambda: sheet.look_over(players[0], players[1], deals, language))
        )
        self._jobs.add(job)
        job.add_done_callback(self._over)
        return sheet.progress()

    def _over(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        if not job.cancelled() and job.exception() is not None:
            import logging

            logging.getLogger(__name__).error("a review has failed", exc_info=job.exception())
