"""EasyTractor's tables: pairings, counts, and reuse of trained networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from abl_cards.experiments.branching_factors import branching_table
from abl_cards.experiments.tractor_easy import (
    ABL,
    EXPERIMENT,
    PPO_ONLY,
    SUPERVISED,
    SUPERVISED_PPO,
    Curriculum,
    LevelsSummary,
    _list_pairings,
    report,
)
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import save_networks

SETTINGS = replace(EXPERIMENT.make_settings(smoke=True), stages=2)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("tractor").engine(None, SETTINGS.profile)


def test_pairings_cover_every_stage_and_those_of_the_paper() -> None:
    meetings = _list_pairings(SETTINGS)
    assert len(meetings) == 1 + 4 * SETTINGS.stages + 2 + 3
    assert [SETTINGS.decisions_after(stage) for stage in (0, 1, 2)] == [0, 300, 600]
    assert {pairing[:2] for pairing in meetings if pairing.stage == 2 and pairing.second == SUPERVISED} == {
        (SUPERVISED_PPO, SUPERVISED)
    }


def test_report_compares_with_the_values_of_the_paper(tmp_path: Path, engine: Engine) -> None:
    desk = ExperimentWorkspace(tmp_path)
    levels = LevelsSummary(8, (9, 3), 0.75, (0.4, 0.9), (0.1, 1.4))
    counted = branching_table(desk, engine, 2, 0)
    built = report(
        SETTINGS, dict.fromkeys(_list_pairings(SETTINGS), levels), Curriculum(SETTINGS, desk, engine), counted
    )
    tables = {table.name: table for table in built.tables}
    assert set(tables) == {"options", "levels", "abl", "kb"}  # no network is trained yet
    assert [row[-2:] for row in tables["levels"].rows] == [[840, 696], [738, 624]]
    assert all(len(set(table.columns)) == len(table.columns) for table in built.tables)
    steps, whole = tables["options"].rows
    assert isinstance(whole[2], float)
    assert isinstance(steps[2], float)
    assert whole[2] >= steps[2] > 1
    (curve,) = built.plots
    assert set(curve.to_json()["lines"]) == {SUPERVISED_PPO, PPO_ONLY, ABL, "abl without estimate"}


def test_existing_weights_are_reused(tmp_path: Path, engine: Engine) -> None:
    school = Curriculum(SETTINGS, ExperimentWorkspace(tmp_path), engine)
    file = school._folder(PPO_ONLY) / "after-300.safetensors"
    file.parent.mkdir()
    networks = Networks(PRESETS["planes-small"], GameShape.of(engine))
    save_networks(file, networks, WeightsCard("tractor", "planes-small", abln=False, seed=0, steps=1))
    player = school.agent_after(PPO_ONLY, 1)
    assert player.name == "PPO 1"
    assert player.fingerprint != school.agent_after("kb", 1).fingerprint
