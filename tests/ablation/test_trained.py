"""Ablations of learned parts: twins of equal budget over seeds, parts of play, resuming, and errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abl_cards.ablation import trained
from abl_cards.ablation.parts import GROUP_PREFIX
from abl_cards.ablation.results import Ablation, AblationRow
from abl_cards.ablation.runner import ablate
from abl_cards.ablation.seed_runner import TrainingPlan, planned_looks
from abl_cards.ablation.trained import TRAINING_FILE, TwinTrainer, create_twin_config, list_learned_parts
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import load_card
from abl_cards.matches.seed_intervals import combine_seeds
from abl_cards.training.settings import NO_LIMIT
from abl_cards.training.trainer import Trainer
from tests.effort import amount
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT

ROLLOUT = amount(32, 128)
SETTINGS = {"preset": "tiny", "num_envs": 16, "rollout_size": ROLLOUT, "minibatch_size": 32, "workers": 1, "threads": 1}
PLAN = TrainingPlan(0.001, amount(1, 2), amount(60, 300), SETTINGS)
PARTS = ["abln", "kb:structure"]
GAMES = amount(6, 12)


@pytest.fixture(autouse=True)
def _tiny_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, TINY.name, TINY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ablation")


@pytest.fixture(scope="module")
def result(folder: Path) -> Ablation:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, TINY.name, TINY)
        return ablate(SHORT, "abl:no-lookahead", PARTS, GAMES, training=PLAN, folder=folder)


def test_interval_covers_seeds_and_deals(result: Ablation) -> None:
    for row in result.rows:
        assert len(row.seed_rates) == 2
        assert row.games == 24
        assert row.rate == pytest.approx(sum(row.seed_rates) / 2, abs=1e-6)
        over_seeds = combine_seeds(row.seed_rates, bounds=(0, 1)).interval
        assert over_seeds
        assert row.interval[0] <= over_seeds[0] + 1e-5
        assert row.interval[1] >= over_seeds[1] - 1e-5
    assert result.training
    assert any("2 training seeds and deals together" in note for note in result.notes)
    plain = result.to_json()
    assert plain["training"]["seeds"] == 2
    assert {row["part"] for row in plain["rows"]} == set(PARTS)
    assert all(len(row["seed_rates"]) == 2 for row in plain["rows"])
    assert result.table().count("\n") > 4


def test_twins_have_equal_budgets(result: Ablation, folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / TRAINING_FILE).read_text("utf-8").splitlines()]
    assert len(lines) == 4  # two seeds of the whole and its twin: parts of play need none
    settings = [line["cell"]["training"] for line in lines]
    assert [setting["seed"] for setting in settings] == [1, 1, 2, 2]
    assert [setting["abln"] for setting in settings] == [True, False, True, False]
    assert {line["cell"]["budget"]["decisions"] for line in lines} == {300}
    cards = [load_card(file) for file in sorted(folder.glob("*/*.safetensors"))]
    assert sorted(card.abln for card in cards) == [False, False, True, True]
    steps = [card.steps for card in cards]
    assert min(steps) >= 300
    assert max(steps) < 300 + 2 * min(steps)  # an update more at most


def test_repeated_ablation_reuses_the_training(result: Ablation, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError("trains again")

    monkeypatch.setattr(TwinTrainer, "_run", refuse)
    assert ablate(SHORT, "abl:no-lookahead", PARTS, GAMES, training=PLAN, folder=folder) == result


def test_decided_parts_stop_before_all_seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a twin that always loses, three seeds of six suffice; the level is divided by the looks."""
    levels: list[float] = []

    def won(*arguments: Any) -> tuple[float, float]:
        levels.append(arguments[2])
        return (0.6, 0.9)

    monkeypatch.setattr(
        AblationRow, "from_seeds",
        classmethod(lambda cls, *values: _decided(cls, values, won(0, 0, values[-1]))),
    )  # fmt: skip
    plan = TrainingPlan(0.001, 6, 150, SETTINGS)
    (row,) = ablate(SHORT, "abl:no-lookahead", ["abln"], 6, training=plan, folder=tmp_path).rows
    assert row.seed_rates == (1.0, 1.0, 1.0)
    assert levels == pytest.approx([0.975])


def _decided(cls: Any, values: tuple[Any, ...], interval: tuple[float, float]) -> Any:
    from abl_cards.ablation.results import AblationVerdict

    name, description, variant, scores = values[:4]
    rates = tuple(1.0 for _ in scores)
    return cls(name, description, variant, 1, 1, 0, 1.0, interval, AblationVerdict.HELPS, 1, rates, None)


def test_planned_looks_are_at_intervals_of_seeds() -> None:
    assert planned_looks(1) == [1]
    assert planned_looks(3) == [3]
    assert planned_looks(7) == [3, 6, 7]


def test_learned_parts_depend_on_the_settings() -> None:
    engine = load("president").engine()
    config = create_twin_config(engine)
    assert [part.name for part in list_learned_parts(config)] == ["abln", "prior", "true-hands", "opponents"]
    others = create_twin_config(engine, {"abln": False, "kb_opponent_share": 0.0, "past_opponent_share": 0.0})
    assert [part.name for part in list_learned_parts(others)] == ["prior"]
    without_estimate = create_twin_config(engine, {"preset": "quick"})
    assert [part.name for part in list_learned_parts(without_estimate)] == ["prior", "opponents"]
    without_costs = create_twin_config(engine, {"preset": "paper"})
    assert [part.name for part in list_learned_parts(without_costs)] == ["abln", "true-hands", "opponents"]


def test_a_budget_of_time_has_no_other_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learning rate falls until the decisions of the settings, or until those of the plan where these are more."""
    limits: list[tuple[int, int]] = []

    def fit(trainer: Trainer, minutes: float | None, decisions: int, callbacks: Any) -> None:
        limits.append((decisions, trainer.settings.total_decisions))

    monkeypatch.setattr(Trainer, "fit", fit)
    engine = load("president").engine()
    config = replace(create_twin_config(engine, SETTINGS | {"anneal_lr": True}), total_decisions=50)
    TwinTrainer(engine, config, tmp_path, 1).train(None, 0)
    TwinTrainer(engine, config, tmp_path, 1, decisions=100).train(None, 0)
    assert limits == [(NO_LIMIT, 50), (NO_LIMIT, 100)]


@pytest.mark.parametrize("part", ["gamma=", "abln=true", "true-hands"])
def test_a_twin_that_is_trained_alike_is_refused(part: str) -> None:
    plan = TrainingPlan(1, 1, settings=SETTINGS | {"labelled_fraction": 0.0})
    with pytest.raises(GameError) as error:
        ablate(SHORT, "abl:no-lookahead", [part], training=plan)
    assert error.value.code == ErrorCode.UNKNOWN_PART


def test_twin_config_uses_the_given_rules(idle_folder: Path) -> None:
    own = create_twin_config(load(str(idle_folder)).engine())
    assert own.load_engine().rules.folder.path.resolve() == idle_folder.resolve()
    copied = create_twin_config(load("president").engine(idle_folder))
    assert copied.kb == idle_folder
    assert copied.load_engine().rules.folder.path.resolve() == idle_folder.resolve()


def test_training_minutes_set_the_budget(tmp_path: Path) -> None:
    trainer = TwinTrainer(
        load("president").engine(), create_twin_config(load("president").engine(), SETTINGS), tmp_path, 0.001
    )
    twin = trainer.train(None, 1)  # of another seed: the first one is trained before it
    assert trainer.decisions
    assert trainer.budget <= twin.decisions
    assert len((tmp_path / TRAINING_FILE).read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"agent": "kb"}, ErrorCode.AGENT_NOT_APPLICABLE),
        ({"agent": "abl:no-abln"}, ErrorCode.AGENT_NOT_APPLICABLE),
        ({"parts": ["nothing"]}, ErrorCode.UNKNOWN_PART),
        ({"parts": ["gamma=2"]}, ErrorCode.INVALID_SETTING),
        ({"training": TrainingPlan(1.0, settings={"seed": 3})}, ErrorCode.INVALID_SETTING),
        ({"training": TrainingPlan(1.0, settings={"nothing": 3})}, ErrorCode.INVALID_SETTING),
        ({"training": TrainingPlan(0.0)}, ErrorCode.INVALID_VALUE),
        ({"training": TrainingPlan(float("nan"))}, ErrorCode.INVALID_VALUE),
        ({"training": TrainingPlan(1.0, seeds="2")}, ErrorCode.INVALID_VALUE),  # type: ignore[arg-type]
        ({"training": TrainingPlan(1.0, decisions=-3)}, ErrorCode.INVALID_VALUE),
        ({"training": TrainingPlan(1.0, settings={"gamma": float("nan")})}, ErrorCode.INVALID_SETTING),
        ({"training": TrainingPlan(1.0, settings=["gamma=1"])}, ErrorCode.INVALID_SETTING),  # type: ignore[arg-type]
        ({"variants": ["kb"]}, ErrorCode.INVALID_VALUE),
    ],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        ablate("president", **{"agent": "abl:no-lookahead", "training": PLAN, **arguments})
    assert error.value.code == code


def test_find_learned_part_reads_settings() -> None:
    config = create_twin_config(load("president").engine())
    part = trained.find_learned_part("gamma=0.9", config)
    assert part
    assert part.settings == {"gamma": 0.9}
    assert trained.find_learned_part(f"{GROUP_PREFIX}structure", config) is None
