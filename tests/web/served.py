"""Serve a table and collect all its snapshots."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.games.game import load
from abl_cards.web.spectator_feed import SpectatorFeed

TITLE = ["President", "总统"]


def show(folder: Path, games: int = 1) -> list[dict[str, Any]]:
    """Serve a table with named seats, and return all its snapshots."""
    pytest.importorskip("websockets", reason="serve needs websockets: pip install 'abl-cards[serve]'")
    from abl_cards import server

    engine = load("president").engine()
    seats = dict(enumerate(["greedy", "random", "kb", "random"]))
    shown = SpectatorFeed(folder, TITLE, engine, 5)
    house = server.GameServer(
        server.ServeConfig("president", engine, seats, games, 5, port=0), listener_factory=shown.create_listener
    )
    pictures: list[dict[str, Any]] = []
    write = shown._write_snapshot

    def note(scene: Any) -> None:
        scene.revision = -1
        write(scene)
        if scene.served_table.players:
            pictures.append(json.loads((folder / "table-0.table.json").read_text()))

    shown._write_snapshot = note  # type: ignore[method-assign,assignment]

    async def play() -> None:
        keeping = asyncio.create_task(shown.run(house.tables))
        await house.serve()
        keeping.cancel()
        await asyncio.wait([keeping])

    asyncio.run(play())
    return pictures
