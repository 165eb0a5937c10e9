"""Tests of snapshots of served tables and of access to them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import GameError
from abl_cards.web.config import WebConfig
from abl_cards.web.spectator_feed import SNAPSHOT_INTERVAL, list_served_tables, read_served_table
from tests.web.served import TITLE, serve_table


def test_served_table_writes_snapshots_without_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No snapshot contains a hand while the episode is played."""
    monkeypatch.setattr("abl_cards.web.spectator_feed.SNAPSHOT_INTERVAL", 0)
    assert SNAPSHOT_INTERVAL > 0
    pictures = serve_table(tmp_path)
    assert len(pictures) > 20
    for picture in pictures:
        seen = picture["seen"]
        assert (seen["me"], seen["owner"], seen["asked"], picture["welcome"]["watch"]) == (None, False, None, "")
        assert "hand" not in seen
        assert picture["welcome"]["seed"] is None  # the seed determines all hands
        assert all("face" not in seat and "token" not in seat for seat in seen["seats"])
        assert seen["ended"] is None or seen["phase"] == "over"
    assert len({picture["seen"]["at"] for picture in pictures}) > 20
    last = pictures[-1]
    assert last["seen"]["phase"] == "over"
    assert last["seen"]["ended"]["over"]
    (summary,) = list_served_tables([tmp_path])
    assert summary["players"] == ["greedy", "random", "kb", "random"]
    assert (summary["over"], summary["title"], summary["written"]) == (True, TITLE, last["written"])
    assert read_served_table([tmp_path], summary["name"]) == last


@pytest.mark.parametrize(
    "text", ["", "[" * 9999, "[]", '{"written": 1}', '{"written": 1, "welcome": {}, "seen": {"seats": [1]}}',
             '{"written": "x", "welcome": {}, "seen": {"seats": []}}',
             '{"written": NaN, "welcome": {}, "seen": {"seats": []}}',
             '{"written": 1e999, "welcome": {}, "seen": {"seats": []}}',
             r'{"written": 1, "welcome": {"title": ["\ud800", ""]}, "seen": {"seats": []}}'],
)  # fmt: skip
def test_invalid_snapshots_are_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "table-0.table.json").write_text(text)
    assert list_served_tables([tmp_path]) == []
    with pytest.raises(GameError):
        read_served_table([tmp_path], f"{tmp_path.name}/table-0.table.json")


def test_watch_request_lists_valid_snapshots(with_page: Any, tmp_path: Path) -> None:
    picture = {"written": 1, "welcome": {"title": TITLE}, "seen": {"seats": [{"name": "<b>"}], "episode": 2}}
    (tmp_path / "table-3.table.json").write_text(json.dumps(picture))

    async def test(page: Any) -> None:
        (summary,) = (await page.get("/api/watch", **page.headers)).json()["served"]
        assert (summary["players"], summary["episode"], summary["over"]) == (["<b>"], 2, False)
        assert (await page.get("/api/served", **page.headers)).status == 400
        assert (await page.get("/api/served")).status == 403
        for name, text in {
            "table-4.table.json": '{"written": NaN, "welcome": {}, "seen": {"seats": []}}',
            "match.json": r'{"agents": ["\udfff", "kb"], "games": NaN, "rate": 1, "interval": [0, 1]}',
            os.fsdecode(b"\xff.table.json"): json.dumps(picture),
        }.items():
            (tmp_path / name).write_text(text)
        assert (await page.get("/api/watch", **page.headers)).json()["served"] == [summary]

    with_page(test, WebConfig(watch_folders=(tmp_path,)))
