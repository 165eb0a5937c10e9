"""Matches on Ray: the same results as in one process."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.cluster import matches
from abl_cards.cluster.matches import MatchSpec, split_games
from abl_cards.cluster.start import RayCluster
from abl_cards.core.errors import GameError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import merge_shards, play_match, play_shard
from abl_cards.matches.shard import MatchShard
from tests.cli_runs import run


def play_locally(name: str, names: tuple[str, ...], games: int) -> Any:
    engine = load(name).engine()
    return engine, play_match(engine, [make_agent(agent, engine) for agent in names], games, 3, names=names)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        pytest.param("doudizhu", ("kb", "greedy"), marks=pytest.mark.long),
        ("president", ("kb", "greedy", "random", "greedy")),
    ],
)
def test_merged_shards_equal_the_match(name: str, names: tuple[str, ...]) -> None:
    engine, whole = play_locally(name, names, 13)
    agents = [make_agent(agent, engine) for agent in names]
    bounds = (0, 4, 5, 11, 13)
    parts = [play_shard(engine, names, agents, range(*part_bounds), 3) for part_bounds in pairwise(bounds)]
    assert merge_shards(engine, names, 3, [MatchShard.from_dict(part.to_dict()) for part in parts]) == whole


@pytest.mark.parametrize(("games", "ways", "most"), [(1, 2, 8), (100, 2, 8), (101, 4, 3), (4096, 1, 8)])
def test_split_games_keeps_deals_together(games: int, ways: int, most: int) -> None:
    parts = split_games(games, ways, most)
    assert [number for part in parts for number in part] == list(range(games))
    assert len(parts) <= most
    assert all(part.start % ways == 0 for part in parts)


def test_match_on_ray_equals_local_match(cluster: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are identical for any order of the parts."""
    monkeypatch.setattr(matches, "TASKS_PER_PROCESSOR", 1)
    engine, whole = play_locally("president", ("kb", "greedy", "random", "random"), 160)
    progress: list[int] = []
    match = MatchSpec("president", None, None, ("kb", "greedy", "random", "random"), 160, 3)
    assert matches.play_match_on_ray(cluster, match, engine, 4, progress.append).to_json() == whole.to_json()
    assert progress == [80, 160]


def test_remote_errors_are_raised_locally(cluster: RayCluster) -> None:
    match = MatchSpec("president", Path("nowhere"), None, ("kb", "greedy"), 4, 3)
    with pytest.raises(GameError, match="nowhere"):
        matches.play_match_on_ray(cluster, match, load("president").engine(), 2, lambda done: None)


@pytest.mark.parametrize("arguments", [("kb", "human"), ("kb", "kb", "--record", "r.jsonl")])
def test_options_of_one_process_are_rejected_with_ray(arguments: tuple[str, ...]) -> None:
    result = run("match", "president", *arguments, "--games", "2", "--ray")
    assert result.exit_code == 2
    assert "leave out --ray" in result.stderr
