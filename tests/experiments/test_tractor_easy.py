"""EasyTractor's tables: who meets whom, what is counted, and that what was learned before is not learned again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from abl_cards.games import Engine, game
from experiments.desk import Desk
from experiments.options import options_table
from experiments.tractor_easy import ABL, BOTH, EXPERIMENT, NOTHING, SUPERVISED, Levels, School, _meetings, report
from learners.networks import GameShape, Networks
from learners.presets import PRESETS
from learners.store import Card, save_networks

SETTINGS = replace(EXPERIMENT.budget(smoke=True), stages=2)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return game("tractor").engine(None, SETTINGS.profile)


def test_every_run_is_measured_as_it_grows_and_the_paper_s_pairs_at_the_end() -> None:
    meetings = _meetings(SETTINGS)
    assert len(meetings) == 1 + 4 * SETTINGS.stages + 2 + 3
    assert [SETTINGS.after(stage) for stage in (0, 1, 2)] == [0, 300, 600]
    assert {each[:2] for each in meetings if each.stage == 2 and each.second == SUPERVISED} == {(BOTH, SUPERVISED)}


def test_the_report_has_the_paper_beside_what_was_found(tmp_path: Path, engine: Engine) -> None:
    desk = Desk(tmp_path)
    levels = Levels(8, (9, 3), 0.75, (0.4, 0.9), (0.1, 1.4))
    counted = options_table(desk, engine, 2, 0)
    found = report(SETTINGS, dict.fromkeys(_meetings(SETTINGS), levels), School(SETTINGS, desk, engine), counted)
    tables = {table.name: table for table in found.tables}
    assert set(tables) == {"options", "levels", "abl", "kb"}  # nothing has learned yet
    assert [row[-2:] for row in tables["levels"].rows] == [[840, 696], [738, 624]]
    assert all(len(set(table.columns)) == len(table.columns) for table in found.tables)
    steps, whole = tables["options"].rows
    assert isinstance(whole[2], float)
    assert isinstance(steps[2], float)
    assert whole[2] >= steps[2] > 1
    (curve,) = found.plots
    assert set(curve.to_json()["lines"]) == {BOTH, NOTHING, ABL, "abl without estimate"}


def test_weights_that_are_there_play(tmp_path: Path, engine: Engine) -> None:
    school = School(SETTINGS, Desk(tmp_path), engine)
    file = school._folder(NOTHING) / "after-300.safetensors"
    file.parent.mkdir()
    networks = Networks(PRESETS["planes-small"], GameShape.of(engine))
    save_networks(file, networks, Card("tractor", "planes-small", abln=False, seed=0, steps=1))
    player = school.player(NOTHING, 1)
    assert player.name == "PPO 1"
    assert player.mark != school.player("kb", 1).mark
