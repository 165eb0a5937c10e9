"""Serve a table and collect all its snapshots."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.games.game import load
from abl_cards.web.spectator_feed import SpectatorFeed

TITLE = ["President", "总统"]


def serve_table(folder: Path, games: int = 1) -> list[dict[str, Any]]:
    """Serve a table with named seats, and return all its snapshots."""
    pytest.importorskip("websockets", reason="serve needs websockets: pip install 'abl-cards[serve]'")
    from abl_cards import server

    engine = load("president").engine()
    seats = dict(enumerate(["greedy", "random", "kb", "random"]))
    feed = SpectatorFeed(folder, TITLE, engine, 5)
    game_server = server.GameServer(
        server.ServeConfig("president", engine, seats, games, 5, port=0), listener_factory=feed.create_listener
    )
    snapshots: list[dict[str, Any]] = []
    write = feed._write_snapshot

    def record_snapshot(view: Any) -> None:
        view.revision = -1
        write(view)
        if view.served_table.players:
            snapshots.append(json.loads((folder / "table-0.table.json").read_text()))

    feed._write_snapshot = record_snapshot  # type: ignore[method-assign]

    async def play() -> None:
        task = asyncio.create_task(feed.run(game_server.tables))
        await game_server.serve()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(play())
    return snapshots
