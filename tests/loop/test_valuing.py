"""What positions are worth: the critic's last lessons."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.games import game
from abl_cards.loop import preparation, valuing
from abl_cards.loop.training import Run
from abl_cards.loop.valuing import OwnGames
from learners.networks import GameShape, Networks
from learners.presets import PRESETS
from learners.store import load_networks
from tests.effort import long
from tests.learners.tiny import TINY
from tests.loop.test_training import lines, settings


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.setattr(valuing, "PORTION", 256)
    monkeypatch.setattr(valuing, "ROUND", 256)


def test_a_decision_is_worth_the_discounted_end_of_its_episode() -> None:
    engine = game("guandan").engine()
    games = OwnGames(engine, Networks(TINY, GameShape.of(engine)), TINY.ppo, seed=3, tables=8).decisions(400)
    assert len(games) == 512
    steps = np.log(np.abs(games.total)[:, None] / [1, 2, 3]) / np.log(TINY.ppo.discount)
    assert (np.abs(steps - steps.round()) < 0.01).any(axis=1).all()
    assert games.regret.shape == (512, 0)
    assert games.hands.any()


@long
def test_the_critic_alone_learns_from_the_games_of_what_plays(tmp_path: Path, whole: Run) -> None:
    """It learns once; the run is saved with it, and goes on as it would have."""
    run = Run(settings(tmp_path, decisions=1, critic_lessons=400, critic_steps=30))
    run.go()
    run.value_positions()
    before = load_networks(run.weights, run.engine).state_dict()
    losses: list[str] = []
    again = Run(settings(tmp_path, decisions=1, critic_lessons=400, critic_steps=30))
    again.go()
    plain = load_networks(run.weights, run.engine)
    assert plain.valued
    again.value_positions(lambda done, remark: losses.append(remark))
    assert not losses  # what was learned is kept beside the run
    after = load_networks(run.weights, run.engine).state_dict()
    changed = {name.split(".")[0] for name in before if not torch.equal(before[name], plain.state_dict()[name])}
    assert changed == {"critic"}
    assert all(torch.equal(before[name], after[name]) for name in before)
    rest = Run(settings(tmp_path, decisions=2500))
    rest.go()
    assert lines(tmp_path) == lines(whole.settings.directory)


@long
def test_an_interrupted_fit_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "KEEP_EVERY", 20)
    chosen = settings(tmp_path / "whole", decisions=1, critic_lessons=400, critic_steps=30)
    whole = Run(chosen)
    whole.go()
    whole.value_positions()
    parts = replace(chosen, directory=tmp_path / "parts")
    run = Run(parts)
    run.go()

    def stop(done: int, remark: str) -> None:
        if remark.startswith("critic: ") and done == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.value_positions(stop)
    told: list[int] = []
    rest = Run(parts)
    rest.go()
    rest.value_positions(lambda done, remark: told.append(done) if remark.startswith("critic: ") else None)
    assert told[0] == 21  # steps up to the last that were kept are not made again
    one, other = (load_networks(each.weights, rest.engine).state_dict() for each in (whole, rest))
    assert all(torch.equal(one[name], other[name]) for name in one)


class Stopped(Exception):
    """Somebody pulled the plug."""


@long
def test_lessons_that_were_stopped_between_two_rounds_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rounds that were learned from are not played again, and the critic ends as it would have."""
    asked = {"decisions": 1, "critic_lessons": 700, "critic_steps": 30}
    whole = Run(settings(tmp_path / "whole", **asked))
    whole.go()
    whole.value_positions()
    played: list[int] = []
    decisions = OwnGames.decisions

    def stopping(self: OwnGames, least: int, number: int = 0, tell: preparation.Tell = lambda done, what: None) -> Any:
        played.append(number)
        if played == [0, 1]:
            raise Stopped
        return decisions(self, least, number, tell)

    monkeypatch.setattr(preparation, "KEEP_EVERY", 5)
    monkeypatch.setattr(OwnGames, "decisions", stopping)
    run = Run(settings(tmp_path / "run", **asked))
    run.go()
    with pytest.raises(Stopped):
        run.value_positions()
    again = Run(settings(tmp_path / "run", **asked))
    again.go()
    again.value_positions()
    assert played == [0, 1, 1, 2]
    one, other = (load_networks(each.weights, each.engine).state_dict() for each in (whole, again))
    assert all(torch.equal(one[name], other[name]) for name in one)
