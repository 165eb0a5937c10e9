"""Tables that are served elsewhere, as pictures in a folder that a page watches.

``serve --show DIR`` keeps a file for each of its tables, ``table-N.table.json``, written whole a few times a second
while there is something new; ``page --watch DIR`` shows them. What a seat holds is in no picture.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.errors import GameError
from abl_cards.files import written_whole
from abl_cards.games import Engine, Tables
from abl_cards.page.chairs import Chair, Right
from abl_cards.page.course import Course
from abl_cards.page.runs import found, whole
from abl_cards.page.seen import picture, welcome
from abl_cards.page.words import Pair

if TYPE_CHECKING:
    from abl_cards.serve.table import Table as Served

PICTURES = "*.table.json"
OFTEN = 0.3
"""Seconds between two pictures of a table."""
MOST_SHOWN = 64
"""Tables of which pictures are kept."""
_LONGEST = 1 << 20  # bytes of a picture
_NAME = 80  # characters of a name in the list
_LOOKING_ON = Right()


@dataclass
class ServedScene:
    """A table of somebody else, to look at."""

    name: str
    title: Pair
    engine: Engine
    seed: int
    course: Course
    served: Served
    revision: int = 0
    since: float = 0.0
    drawn: bool = True
    offered: Sequence[str] = ()
    practice: bool = False
    watch_token: str = ""
    pace: float = 0.0
    problem: str = ""
    refused: str = ""
    waiting: bool = False

    @property
    def tables(self) -> Tables:
        """The one table."""
        return self.served.tables

    @property
    def chairs(self) -> list[Chair]:
        """[seats] who sits there."""
        return [Chair("agent", name, name) for name in self.served.players]

    @property
    def over(self) -> bool:
        """Whether the match is."""
        return bool(self.tables.winner[0] != -1)

    def may_take_back(self, right: Right) -> bool:
        """Nobody has."""
        return False

    def present(self, seat: int) -> bool:
        """Whoever plays here looks at no page."""
        return True


class Showing:
    """Keeps the pictures of some tables up to date."""

    def __init__(self, folder: Path, title: Pair, engine: Engine, seed: int) -> None:
        """In this folder, which must be there."""
        self._folder, self._title, self._engine, self._seed = folder, title, engine, seed
        self._courses: dict[int, Course] = {}

    def onlooker(self, number: int) -> Course:
        """Who hears what happens at a table."""
        self._courses[number] = Course(self._engine)
        return self._courses[number]

    async def keep(self, tables: Sequence[Served]) -> None:
        """Until it is cancelled; then the last pictures are written."""
        scenes = [ServedScene(f"table-{each.number}", self._title, self._engine, self._seed,
                              self._courses[each.number], each) for each in tables[:MOST_SHOWN]]  # fmt: skip
        for old in self._folder.glob(PICTURES):  # now that tables are played
            old.unlink()
        try:
            while True:
                for scene in scenes:
                    self._write(scene)
                await asyncio.sleep(OFTEN)
        finally:
            for scene in scenes:
                self._write(scene)

    def _write(self, scene: ServedScene) -> None:
        """Another picture, if there is anything new to see."""
        if scene.course.events == scene.revision or not scene.served.players:
            return
        scene.revision, scene.since = scene.course.events, time.time()
        shown = {"written": scene.since, "welcome": welcome(scene, _LOOKING_ON), "seen": picture(scene, _LOOKING_ON)}
        with written_whole(self._folder / PICTURES.replace("*", scene.name), lasting=False) as stream:
            stream.write(json.dumps(shown, ensure_ascii=False).encode())


# --- read again -------------------------------------------------------------------------------------------------------


def served(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The tables whose pictures lie in some folders: what is played there, by whom, and how long ago."""
    some = []
    for name, file in found(folders, PICTURES):
        shown = _read(file)
        if shown is not None:
            seen, title = shown["seen"], shown["welcome"].get("title")
            players = [str(each.get("name"))[:_NAME] for each in seen["seats"]]
            some.append({"name": name, "title": title, "players": players,
                         "episode": seen.get("episode"), "over": seen.get("phase") == "over",
                         "written": shown["written"]})  # fmt: skip
    return some


def served_table(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """The picture of one of them; raises GameError where there is none."""
    for known, file in found(folders, PICTURES):
        if known == name and (shown := _read(file)) is not None:
            return shown
    raise GameError("there is no such table")


def _read(file: Path) -> dict[str, Any] | None:
    """A picture; None for a file that is none."""
    shown = whole(file, _LONGEST)
    if not isinstance(shown, dict) or type(shown.get("written")) not in (int, float):
        return None
    told = all(isinstance(shown.get(part), dict) for part in ("welcome", "seen"))
    seats = shown["seen"].get("seats") if told else None
    return shown if isinstance(seats, list) and all(isinstance(each, dict) for each in seats) else None
