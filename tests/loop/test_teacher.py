"""The learner looks ahead, and learns what it would have done then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.effort import Step
from abl_cards.agents.lookahead import Lookahead
from abl_cards.agents.mind import Mind
from abl_cards.errors import GameError
from abl_cards.games import game
from abl_cards.loop.metrics import read_metrics
from abl_cards.loop.selfplay import SelfPlay
from abl_cards.loop.settings import Settings
from abl_cards.loop.teacher import Teacher, Teaching
from abl_cards.loop.training import Run
from abl_cards.loop.updates import Trainer
from learners.networks import GameShape, Networks
from learners.presets import PPO, PRESETS
from learners.symmetry import Symmetries
from tests.effort import long
from tests.learners.tiny import TINY
from tests.loop.test_training import lines, same, settings


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("guandan").engine()


def tables(engine: Any, teaching: Teaching | None) -> SelfPlay:
    mind = Mind(engine, engine.judge(), Networks(TINY, GameShape.of(engine)))
    return SelfPlay(engine, mind, [], np.zeros((16, 2), np.int8), TINY.ppo, seed=5, teaching=teaching)


def taken(play: SelfPlay, rows: int = 96) -> Any:
    while play.memory.ready < rows:
        play.step()
    return play.memory.take(rows)


def test_who_learns_plays_no_other_cards_for_looking_ahead(engine: Any) -> None:
    """And where it does not, there is nothing to keep."""
    without, half = taken(tables(engine, None)), taken(tables(engine, Teaching(0.5, temperature=0.1)))
    for name in ("observation", "label", "log_probability", "advantage", "total", "later"):
        assert (getattr(without, name) == getattr(half, name)).all()
    assert without.foreseen.shape == (96, 0)
    assert np.isnan(without.worth).all()
    looked = half.foreseen.any(axis=1)
    assert 0.2 < looked.mean() < 0.7  # of those with several likely labels, half
    assert (looked == ~np.isnan(half.worth)).all()
    np.testing.assert_allclose(half.foreseen[looked].astype(float).sum(axis=1), 1, atol=2e-3)
    assert (half.foreseen[~half.legal] == 0).all()


def test_the_deal_that_lies_there_comes_first(engine: Any) -> None:
    """With it alone the points are those of the look-ahead on the true hands."""
    play = tables(engine, None)
    for _ in range(8):
        play.step()
    which = play.tables.playing()
    decisions = play.tables.decisions(which)
    view = play.mind.look(decisions)
    proposed, keys = play.mind.weigh(view), np.arange(len(view.choice), dtype=np.uint64)
    truth = play.tables.open_hands(which[view.choice])[:, 1:]
    one, three = (
        Teacher(play.mind, Teaching(1.0, deals)).lessons(decisions, view, proposed, truth, keys) for deals in (1, 3)
    )
    np.testing.assert_allclose(one.worth, three.worth, rtol=0.5, atol=0.2)  # the weights differ, the deal does not
    assert (one.foreseen != three.foreseen).any()
    ahead = Lookahead(play.mind, [Step(1)]).consider(decisions, view, proposed, truth=truth)
    swapped = Lookahead(play.mind, [Step(1)]).consider(decisions, view, proposed, truth=truth[:, ::-1])
    tried = ~np.isnan(ahead.points)
    assert (ahead.points[tried] == ahead.first[tried]).all()
    assert (ahead.points[tried] != swapped.points[tried]).any()
    rows = np.flatnonzero(tried.any(axis=1))
    assert (one.worth[rows] >= np.nanmin(ahead.points[rows], axis=1) - 1e-5).all()
    assert (one.worth[rows] <= np.nanmax(ahead.points[rows], axis=1) + 1e-5).all()


def test_the_policy_comes_nearer_to_what_was_foreseen(engine: Any) -> None:
    rows = taken(tables(engine, Teaching(1.0, temperature=0.1)))
    networks = Networks(TINY, GameShape.of(engine))
    teaching = Teaching(1.0, weight=20.0)
    learner = Trainer(
        networks,
        Symmetries.of(engine.symmetries, engine.observation),
        replace(TINY.ppo, learning_rate=1e-2),
        teaching=teaching,
    )
    seen = [learner.update(rows, np.random.default_rng(3)).foresight or 0.0 for _ in range(12)]
    assert 0 < seen[-1] < 0.8 * seen[0]


def test_the_critic_learns_a_share_of_what_was_foreseen(engine: Any) -> None:
    rows = taken(tables(engine, Teaching(0.5)))
    networks = Networks(TINY, GameShape.of(engine))
    learner = Trainer(
        networks, Symmetries.of(engine.symmetries, engine.observation), teaching=Teaching(0.5, values=0.25)
    )
    mixed, looked = learner._valued(rows).total, ~np.isnan(rows.worth)
    np.testing.assert_allclose(mixed[looked], 0.75 * rows.total[looked] + 0.25 * rows.worth[looked], rtol=1e-5)
    assert (mixed[~looked] == rows.total[~looked]).all()


@long
def test_a_run_with_foresight_goes_on_as_if_it_had_not_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    whole = Run(settings(tmp_path / "whole", foresight=0.3, foresight_values=0.5, critic_first=1, decisions=1800))
    whole.go()
    assert read_metrics(tmp_path / "whole")[-1]["foresight"] > 0
    half = replace(whole.settings, directory=tmp_path / "parts", decisions=900)
    Run(half).go()
    rest = Run(replace(half, decisions=1800))
    rest.go()
    assert same(whole, rest)
    assert lines(tmp_path / "whole") == lines(tmp_path / "parts")


@long
def test_a_run_may_go_on_with_foresight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It deals anew then."""
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    run = Run(settings(tmp_path, decisions=500, critic_first=0))
    run.go()
    assert read_metrics(tmp_path)[-1]["foresight"] is None
    Run(replace(run.settings, decisions=run.decisions + 500, foresight=1.0)).go()
    assert read_metrics(tmp_path)[-1]["foresight"] > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"foresight": 1.5}, "foresight: 1.5 is no share"),
        ({"foresight_values": -1.0}, "foresight_values: -1.0 is no share"),
        ({"foresight_deals": 0}, "foresight_deals: 0 deals show nothing"),
        ({"foresight_temperature": 0.0}, "foresight_temperature: 0.0 leaves nothing open"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(GameError, match=message):
        Teaching.of(replace(Settings(Path()), **changes), PPO())  # type: ignore[arg-type]


def test_where_tricks_are_rewarded_there_is_nothing_to_foresee() -> None:
    with pytest.raises(GameError, match="give worth=0"):
        Teaching.of(Settings(Path(), foresight=0.5), PPO(worth=0.01))
    assert not Teaching.of(Settings(Path()), PPO(worth=0.01)).share
