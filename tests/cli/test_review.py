"""Reviews of records that other programs wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli_runs import run


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the beginning of a match: a review takes as long as it has plays."""
    file = tmp_path_factory.mktemp("review") / "games.jsonl"
    run("match", "president", "greedy", "random", "--games", "1", "--record", str(file))
    whole: dict[str, Any] = json.loads(file.read_text())
    return {**whole, "acts": whole["acts"][:6]}


@pytest.mark.parametrize("players", [5, "abc", {"a": 1}, ["\x1b]0;title\x07"] * 4, [None] * 9])
def test_invalid_player_names_are_not_printed(tmp_path: Path, record: dict[str, Any], players: Any) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({**record, "players": players}))
    result = run("review", "president", str(file), "--deals", "4", "--moves", "2")
    assert result.exit_code == 0, result.stderr
    assert "\x1b]" not in result.output
