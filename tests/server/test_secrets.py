"""Tests that the seed of a served table is random, and secret until all games are over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from abl_cards.matches.recorder import open_record_file
from abl_cards.matches.records import read_records
from abl_cards.server.server import GameServer, ServeConfig
from tests.cli_runs import run
from tests.server.servers import engine, serve_config, short_rules
from tests.server.servers import run as run_task

FOUR = ("--seat", "0=greedy", "--seat", "1=random", "--seat", "2=greedy", "--seat", "3=random")


def short_matches() -> tuple[str, str]:
    return "--kb", str(short_rules())


def served(*words: str) -> dict[str, Any]:
    answer = run("serve", "guandan", *short_matches(), "--port", "0", *FOUR, "--json", *words)
    assert answer.exit_code == 0, answer.stderr
    result: dict[str, Any] = json.loads(answer.stdout)
    return result


def test_drawn_seed_reproduces_the_match(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = served("--record", str(file))
    assert int(result["seed"]) > 2**64
    words = (
        "match",
        "guandan",
        *short_matches(),
        "greedy",
        "random",
        "--games",
        "1",
        "--seed",
        result["seed"],
        "--json",
    )
    match = json.loads(run(*words).stdout)
    assert {key: result[key] for key in ("seed", "wins", "episodes")} == {
        key: match[key] for key in ("seed", "wins", "episodes")
    }
    records = read_records(file)
    assert {record["seed"] for record in records} == {result["seed"]}  # type: ignore[index]
    assert run("replay", "guandan", *short_matches(), str(file)).exit_code == 0


def test_configs_without_a_seed_draw_different_seeds() -> None:
    seeds = {ServeConfig("guandan", engine()).seed for _ in range(8)}
    assert len(seeds) == 8
    assert min(seeds) > 2**64


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_records_contain_the_seed_only_after_closing(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    with open_record_file(file, final_fields={"seed": "77"}) as write:
        for match in (1, 0):
            write({"match": match})
        assert read_records(file) == [{"match": 1}, {"match": 0}]
    assert read_records(file) == [{"seed": "77", "match": 0}, {"seed": "77", "match": 1}]


def test_records_of_a_running_server_have_no_seed() -> None:
    written: list[dict[str, Any]] = []
    config = serve_config(dict.fromkeys(range(4), "greedy"), "president", games=1, seed=5)
    run_task(GameServer(config, write=written.append).serve())
    assert written
    assert not any("seed" in record for record in written)


@pytest.mark.parametrize(
    ("origin", "allowed", "enters"),
    [
        (None, (), True), ("http://evil.example", (), False), ("http://127.0.0.1:8000", (), False), ("null", (), False),
        ("http://evil.example", ("http://localhost:3000",), False), (None, ("http://localhost:3000",), True),
        ("http://localhost:3000", ("http://localhost:3000",), True), ("http://evil.example", ("*",), True),
        ("http://localhost:30000", ("http://localhost:3000",), False), ("", (), False),
    ],
)  # fmt: skip
def test_origins_not_allowed_are_rejected(origin: str | None, allowed: tuple[str, ...], enters: bool) -> None:
    """A browser sends the origin of the page whose script connects; a program sends none."""

    async def scene() -> int:
        async with GameServer(serve_config(origins=allowed)) as server:
            headers = {} if origin is None else {"Origin": origin}
            try:
                async with connect(f"ws://127.0.0.1:{server.port}/game/x", proxy=None, additional_headers=headers):
                    return 101
            except InvalidStatus as error:
                return error.response.status_code

    assert run_task(scene()) == (101 if enters else 403)


@pytest.mark.parametrize("origin", ["evil.example", "http://", "http://a/b", "HTTP://A b"])
def test_invalid_origin_option_exits_with_2(origin: str) -> None:
    answer = run("serve", "guandan", "--origin", origin)
    assert (answer.exit_code, "--origin" in answer.stderr) == (2, True)
