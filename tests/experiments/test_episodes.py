"""Single episodes: both sides see the same, matches begin with them, and what was played is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.arena import play_match
from abl_cards.games import Engine
from experiments.desk import Desk
from experiments.episodes import episodes, play
from experiments.players import players


def test_they_are_the_first_of_the_matches_of_the_arena(engine: Engine) -> None:
    one, two = players(["greedy", "random"], engine)
    firsts: dict[int, float] = {}

    def note(games: np.ndarray, points: np.ndarray) -> None:
        for game, point in zip(games.tolist(), points.tolist(), strict=True):
            firsts.setdefault(game, point)

    play_match(engine, (one.name, two.name), (one.agent, two.agent), 6, 3, points=note)
    found = play(engine, (one.agent, two.agent), 6, 3, lambda done, remark: None)
    assert found.tolist() == [firsts[game] for game in range(6)]


def test_both_sides_see_the_same(engine: Engine, tmp_path: Path) -> None:
    greedy, kb = players(["greedy", "kb"], engine)
    desk = Desk(tmp_path)
    found, turned = (episodes(desk, engine, pair, 20, 1) for pair in ((greedy, kb), (kb, greedy)))
    assert found.won + turned.won == pytest.approx(1)  # the same deals with the teams swapped
    assert found.points == pytest.approx(-turned.points)
    assert found.bounds[0] < found.won < found.bounds[1]
    assert found.bounds == pytest.approx((1 - turned.bounds[1], 1 - turned.bounds[0]))
    assert episodes(Desk(tmp_path), engine, (greedy, kb), 20, 1) == found
    assert len((tmp_path / "cells.jsonl").read_text("utf-8").splitlines()) == 2
