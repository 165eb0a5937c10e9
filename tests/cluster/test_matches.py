"""Matches on Ray: the same as in one process."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents import agent
from abl_cards.arena import Part, play_match, play_part, result_of
from abl_cards.cluster import matches
from abl_cards.cluster.matches import Match, parts_of
from abl_cards.cluster.start import Cluster
from abl_cards.errors import GameError
from abl_cards.games import game
from tests.cli_runs import run


def played(name: str, names: tuple[str, ...], games: int) -> Any:
    engine = game(name).engine()
    return engine, play_match(engine, names, [agent(each, engine) for each in names], games, 3)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        pytest.param("doudizhu", ("kb", "greedy"), marks=pytest.mark.long),
        ("president", ("kb", "greedy", "random", "greedy")),
    ],
)
def test_a_match_in_parts_is_the_match(name: str, names: tuple[str, ...]) -> None:
    engine, whole = played(name, names, 13)
    agents = [agent(each, engine) for each in names]
    bounds = (0, 4, 5, 11, 13)
    parts = [play_part(engine, names, agents, range(*each), 3) for each in pairwise(bounds)]
    assert result_of(engine, names, 3, [Part.of(part.plain()) for part in parts]) == whole


@pytest.mark.parametrize(("games", "ways", "most"), [(1, 2, 8), (100, 2, 8), (101, 4, 3), (4096, 1, 8)])
def test_every_game_is_in_one_part_and_every_deal_too(games: int, ways: int, most: int) -> None:
    parts = parts_of(games, ways, most)
    assert [number for part in parts for number in part] == list(range(games))
    assert len(parts) <= most
    assert all(part.start % ways == 0 for part in parts)


def test_a_match_on_ray_is_the_match(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit, though its parts come back in any order."""
    monkeypatch.setattr(matches, "SHARES", 1)
    engine, whole = played("president", ("kb", "greedy", "random", "random"), 160)
    told: list[int] = []
    match = Match("president", None, None, ("kb", "greedy", "random", "random"), 160, 3)
    assert matches.play_match(cluster, match, engine, 4, told.append).to_json() == whole.to_json()
    assert told == [80, 160]


def test_what_is_wrong_there_is_said_here(cluster: Cluster) -> None:
    match = Match("president", Path("nowhere"), None, ("kb", "greedy"), 4, 3)
    with pytest.raises(GameError, match="nowhere"):
        matches.play_match(cluster, match, game("president").engine(), 2, lambda done: None)


@pytest.mark.parametrize("arguments", [("kb", "human"), ("kb", "kb", "--record", "r.jsonl")])
def test_what_one_process_has_to_see_is_refused(arguments: tuple[str, ...]) -> None:
    result = run("match", "president", *arguments, "--games", "2", "--ray")
    assert result.exit_code == 2
    assert "leave --ray out" in result.stderr
