"""Single episodes: the same deals for both sides, the first of each match, and saved results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.episodes import measure_episodes, play_episodes
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.engine import Engine
from abl_cards.matches.match_runner import play_match
from tests.effort import amount


def test_episodes_equal_the_first_episodes_of_matches(engine: Engine) -> None:
    one, two = load_agents(["greedy", "random"], engine)
    firsts: dict[int, float] = {}
    games = amount(2, 6)

    def note(games: np.ndarray, points: np.ndarray) -> None:
        for game, point in zip(games.tolist(), points.tolist(), strict=True):
            firsts.setdefault(game, point)

    play_match(engine, (one.agent, two.agent), games, 3, names=(one.name, two.name), on_points=note)
    points_by_game = play_episodes(engine, (one.agent, two.agent), games, 3, lambda done, remark: None)
    assert points_by_game.tolist() == [firsts[game] for game in range(games)]


def test_swapped_agents_play_the_same_deals(engine: Engine, tmp_path: Path) -> None:
    greedy, kb = load_agents(["greedy", "kb"], engine)
    desk = ExperimentWorkspace(tmp_path)
    summary, turned = (measure_episodes(desk, engine, pair, 20, 1) for pair in ((greedy, kb), (kb, greedy)))
    assert summary.win_rate + turned.win_rate == pytest.approx(1)  # the same deals with the teams swapped
    assert summary.mean_points == pytest.approx(-turned.mean_points)
    assert summary.interval[0] < summary.win_rate < summary.interval[1]
    assert summary.interval == pytest.approx((1 - turned.interval[1], 1 - turned.interval[0]))
    assert measure_episodes(ExperimentWorkspace(tmp_path), engine, (greedy, kb), 20, 1) == summary
    assert len((tmp_path / "cells.jsonl").read_text("utf-8").splitlines()) == 2
