"""Write snapshots of served tables to a folder, for spectators in the browser.

``serve --spectator-dir DIR`` writes a file per table, ``table-N.table.json``, atomically and a few times a second
when there is something new; ``web --watch DIR`` shows them. Snapshots never contain hands.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError, atomic_write
from abl_cards.games import Engine
from abl_cards.games.tables import Tables
from abl_cards.web.game_log import GameLog
from abl_cards.web.runs import find_files, read_json_file
from abl_cards.web.seats import Permission, TableSeat
from abl_cards.web.snapshot import make_view, make_welcome
from abl_cards.web.texts import BilingualText

if TYPE_CHECKING:
    from abl_cards.server import ServedTable as Served

SNAPSHOT_PATTERN = "*.table.json"
SNAPSHOT_INTERVAL = 0.3
"""Seconds between two pictures of a table."""
MAX_TABLES_SHOWN = 64
"""Tables of which pictures are kept."""
_MAX_BYTES = 1 << 20  # bytes of a picture
_MAX_NAME_LENGTH = 80  # characters of a name in the list
_SPECTATOR = Permission()


@dataclass
class ServedTableView:
    """A table of somebody else, to look at."""

    name: str
    title: BilingualText
    engine: Engine
    seed: int
    game_log: GameLog
    served_table: Served
    revision: int = 0
    changed_at: float = 0.0
    is_seed_random: bool = True
    available_agents: Sequence[str] = ()
    is_practice: bool = False
    watch_token: str = ""
    agent_delay: float = 0.0
    problem: str = ""
    rules_error: str = ""
    is_waiting: bool = False

    @property
    def tables(self) -> Tables:
        """The one table."""
        return self.served_table.tables

    @property
    def seats(self) -> list[TableSeat]:
        """[seats] who sits there."""
        return [TableSeat("agent", name, name) for name in self.served_table.players]

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return bool(self.tables.winner[0] != -1)

    def can_take_back(self, permission: Permission) -> bool:
        """Nobody has."""
        return False

    def is_present(self, seat: int) -> bool:
        """Return False: players of served tables have no page."""
        return True


class SpectatorFeed:
    """Keeps the pictures of some tables up to date."""

    def __init__(self, folder: Path, title: BilingualText, engine: Engine, seed: int) -> None:
        """In this folder, which must be there."""
        self._folder, self._title, self._engine, self._seed = folder, title, engine, seed
        self._game_logs: dict[int, GameLog] = {}

    def create_listener(self, number: int) -> GameLog:
        """Make the listener of a table."""
        self._game_logs[number] = GameLog(self._engine)
        return self._game_logs[number]

    async def run(self, tables: Sequence[Served]) -> None:
        """Until it is cancelled; then the last pictures are written."""
        scenes = [ServedTableView(f"table-{each.number}", self._title, self._engine, self._seed,
                              self._game_logs[each.number], each) for each in tables[:MAX_TABLES_SHOWN]]  # fmt: skip
        for old in self._folder.glob(SNAPSHOT_PATTERN):  # now that tables are played
            old.unlink()
        try:
            while True:
                for scene in scenes:
                    self._write_snapshot(scene)
                await asyncio.sleep(SNAPSHOT_INTERVAL)
        finally:
            for scene in scenes:
                self._write_snapshot(scene)

    def _write_snapshot(self, scene: ServedTableView) -> None:
        """Another picture, if there is anything new to see."""
        if scene.game_log.num_events == scene.revision or not scene.served_table.players:
            return
        scene.revision, scene.changed_at = scene.game_log.num_events, time.time()
        shown = {
            "written": scene.changed_at,
            "welcome": make_welcome(scene, _SPECTATOR),
            "seen": make_view(scene, _SPECTATOR),
        }
        with atomic_write(self._folder / SNAPSHOT_PATTERN.replace("*", scene.name), durable=False) as stream:
            stream.write(json.dumps(shown, ensure_ascii=False).encode())


# --- read again -------------------------------------------------------------------------------------------------------


def list_served_tables(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The tables whose pictures lie in some folders: what is played there, by whom, and how long ago."""
    some = []
    for name, file in find_files(folders, SNAPSHOT_PATTERN):
        shown = _read_snapshot(file)
        if shown is not None:
            seen, title = shown["seen"], shown["welcome"].get("title")
            players = [str(each.get("name"))[:_MAX_NAME_LENGTH] for each in seen["seats"]]
            some.append({"name": name, "title": title, "players": players,
                         "episode": seen.get("episode"), "over": seen.get("phase") == "over",
                         "written": shown["written"]})  # fmt: skip
    return some


def read_served_table(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """The picture of one of them; raises GameError where there is none."""
    for known, file in find_files(folders, SNAPSHOT_PATTERN):
        if known == name and (shown := _read_snapshot(file)) is not None:
            return shown
    raise GameError("there is no such table", ErrorCode.NOT_FOUND)


def _read_snapshot(file: Path) -> dict[str, Any] | None:
    """A picture; None for a file that is none."""
    shown = read_json_file(file, _MAX_BYTES)
    if not isinstance(shown, dict) or type(shown.get("written")) not in (int, float):
        return None
    told = all(isinstance(shown.get(part), dict) for part in ("welcome", "seen"))
    seats = shown["seen"].get("seats") if told else None
    return shown if isinstance(seats, list) and all(isinstance(each, dict) for each in seats) else None
