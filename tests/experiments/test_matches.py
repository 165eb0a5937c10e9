"""Matches of experiments: points of episodes, seen from both sides; players by what they play by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.games import Engine, GameError
from experiments.desk import Desk
from experiments.matches import Points, matches
from experiments.players import players, variant


def test_both_sides_of_an_outcome(engine: Engine, tmp_path: Path) -> None:
    greedy, random = players(["greedy", "random"], engine)
    desk = Desk(tmp_path)
    found, turned = (matches(desk, engine, pair, 4, 3) for pair in ((greedy, random), (random, greedy)))
    assert found.rate == 1.0
    assert turned.rate == 0.0  # the same deals with the teams swapped: the same games, seen from the other side
    assert found.turned().interval == pytest.approx(turned.interval)
    assert len(found.scores) > 4 * 4
    assert set(np.unique(found.scores)) <= {-3, -2, -1, 1, 2, 3}
    assert found.scores.sum() > 4 * 12 - 4  # from level 2 to beyond A takes twelve levels and the last one
    points = Points.of(found.scores)
    assert points.total == found.scores[found.scores > 0].sum()
    assert points.won == (found.scores > 0).mean()
    assert sum(share or 0.0 for share in points.shares.values()) == pytest.approx(1)
    assert points.total - Points.of(-found.scores).total == found.scores.sum()


def test_of_no_episodes_there_are_no_shares() -> None:
    """Nobody knows what episodes would be worth to a player who has won none."""
    lost = Points.of(np.array([-1, -3], np.int8))
    assert (lost.total, lost.won, set(lost.shares.values())) == (0, 0.0, {None})
    assert Points.of(np.zeros(0, np.int8)).won is None


def test_the_mark_follows_the_weights(engine: Engine, tiny_agent: str) -> None:
    (before,) = players([tiny_agent], engine)
    file = Path(tiny_agent.partition("=")[2])
    file.with_suffix(".json").touch()
    assert players([tiny_agent], engine)[0].mark == before.mark
    names = players([tiny_agent, variant(tiny_agent, "no-projection"), "kb"], engine)
    assert names[1].name == f"abl:no-projection,weights={file}"
    assert names[2].mark != before.mark


def test_nobody_plays_twice(engine: Engine) -> None:
    with pytest.raises(GameError, match="named twice"):
        players(["kb", "greedy", "kb"], engine)
