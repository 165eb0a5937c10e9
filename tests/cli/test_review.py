"""Reviews of records that other programs wrote."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from abl_cards.cli.app import app


@pytest.mark.parametrize("players", [5, "abc", {"a": 1}, ["\x1b]0;title\x07"] * 4, [None] * 9])
def test_names_of_players_are_names_or_nothing(tmp_path: Path, players: Any) -> None:
    file = tmp_path / "games.jsonl"
    CliRunner().invoke(app, ["match", "president", "greedy", "random", "--games", "1", "--record", str(file)])
    file.write_text(json.dumps({**json.loads(file.read_text()), "players": players}))
    result = CliRunner().invoke(app, ["review", "president", str(file), "--deals", "4", "--moves", "2"])
    assert result.exit_code == 0
    assert "\x1b]" not in result.output
