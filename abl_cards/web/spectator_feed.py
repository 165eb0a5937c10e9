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
"""Least seconds between two snapshots of a table."""
MAX_TABLES_SHOWN = 64
"""Largest number of tables with snapshots."""
_MAX_BYTES = 1 << 20  # bytes of a snapshot
_MAX_NAME_LENGTH = 80  # characters of a name in the list
_SPECTATOR = Permission()


@dataclass
class ServedTableView:
    """Served table as a viewable table without private data."""

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
    rules_name: str = ""
    is_waiting: bool = False

    @property
    def tables(self) -> Tables:
        """Tables object with this single table."""
        return self.served_table.tables

    @property
    def seats(self) -> list[TableSeat]:
        """Seats with their players, [seats]."""
        return [TableSeat("agent", name, name) for name in self.served_table.players]

    @property
    def is_over(self) -> bool:
        """True if the match is over."""
        return bool(self.tables.winner[0] != -1)

    def can_take_back(self, permission: Permission) -> bool:
        """Return False: spectators have no decisions."""
        return False

    def is_present(self, seat: int) -> bool:
        """Return True: players of served tables are connected by other means."""
        return True


class SpectatorFeed:
    """Writes snapshots of served tables to a folder whenever they change."""

    def __init__(self, folder: str | Path, title: BilingualText, engine: Engine, seed: int) -> None:
        """Make a feed.

        Args:
            folder: Existing folder for the snapshots.
            title: Title of the game.
            engine: Engine of the game.
            seed: Seed of the matches.
        """
        folder = Path(folder)
        self._folder, self._title, self._engine, self._seed = folder, title, engine, seed
        self._game_logs: dict[int, GameLog] = {}

    def create_listener(self, number: int) -> GameLog:
        """Make the listener of a table.

        Args:
            number: Number of the table.

        Returns:
            Log of the events of the table.
        """
        self._game_logs[number] = GameLog(self._engine)
        return self._game_logs[number]

    async def run(self, tables: Sequence[Served]) -> None:
        """Write snapshots until the task is cancelled, and once more then.

        Args:
            tables: Served tables; the first MAX_TABLES_SHOWN are written.
        """
        views = [ServedTableView(f"table-{table.number}", self._title, self._engine, self._seed,
                              self._game_logs[table.number], table) for table in tables[:MAX_TABLES_SHOWN]]  # fmt: skip
        for snapshot_file in self._folder.glob(SNAPSHOT_PATTERN):  # of an earlier run
            snapshot_file.unlink()
        try:
            while True:
                for view in views:
                    self._write_snapshot(view)
                await asyncio.sleep(SNAPSHOT_INTERVAL)
        finally:
            for view in views:
                self._write_snapshot(view)

    def _write_snapshot(self, view: ServedTableView) -> None:
        """Write a snapshot if the table has changed."""
        if view.game_log.num_events == view.revision or not view.served_table.players:
            return
        view.revision, view.changed_at = view.game_log.num_events, time.time()
        snapshot = {
            "written": view.changed_at,
            "welcome": make_welcome(view, _SPECTATOR),
            "seen": make_view(view, _SPECTATOR),
        }
        with atomic_write(self._folder / SNAPSHOT_PATTERN.replace("*", view.name), durable=False) as stream:
            stream.write(json.dumps(snapshot, ensure_ascii=False).encode())


# --- reading ----------------------------------------------------------------------------------------------------------


def list_served_tables(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """List the tables with snapshots in watched folders: title, players, episode and time."""
    tables = []
    for name, file in find_files(folders, SNAPSHOT_PATTERN):
        snapshot = _read_snapshot(file)
        if snapshot is not None:
            view, title = snapshot["seen"], snapshot["welcome"].get("title")
            players = [str(seat.get("name"))[:_MAX_NAME_LENGTH] for seat in view["seats"]]
            tables.append({"name": name, "title": title, "players": players,
                         "episode": view.get("episode"), "over": view.get("phase") == "over",
                         "written": snapshot["written"]})  # fmt: skip
    return tables


def read_served_table(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """Return the snapshot of a served table; raises GameError for an unknown table."""
    for known, file in find_files(folders, SNAPSHOT_PATTERN):
        if known == name and (snapshot := _read_snapshot(file)) is not None:
            return snapshot
    raise GameError("unknown table", ErrorCode.NOT_FOUND)


def _read_snapshot(file: Path) -> dict[str, Any] | None:
    """Read a snapshot; None for an invalid file."""
    snapshot = read_json_file(file, _MAX_BYTES)
    if not isinstance(snapshot, dict) or type(snapshot.get("written")) not in (int, float):
        return None
    has_parts = all(isinstance(snapshot.get(part), dict) for part in ("welcome", "seen"))
    seats = snapshot["seen"].get("seats") if has_parts else None
    return snapshot if isinstance(seats, list) and all(isinstance(seat, dict) for seat in seats) else None
