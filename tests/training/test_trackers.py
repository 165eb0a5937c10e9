"""Callbacks for Weights & Biases and MLflow, tested with replacement modules."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.training.callbacks import MlflowCallback, TrainerCallback, WandbCallback, call_all, check_callbacks
from abl_cards.training.trainer import Trainer

UPDATES: list[dict[str, Any]] = [
    {"update": 1, "entropy": 0.5, "wins against kb": None},
    {"update": 2, "entropy": 0.25, "thrown away, stale": 3},
]


class RecordedRun:
    """Run of a tracker that keeps what is logged."""

    def __init__(self) -> None:
        self.logged: list[tuple[dict[str, float], int]] = []
        self.finished = 0

    def log(self, values: dict[str, float], step: int) -> None:
        self.logged.append((values, step))

    def finish(self) -> None:
        self.finished += 1


def fit(callback: TrainerCallback) -> None:
    """Call a callback as `Trainer.fit` does."""
    for metrics in UPDATES:
        call_all([callback], "on_update", metrics)
    call_all([callback], "on_fit_end", UPDATES[-1])


def test_wandb(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, settings = [RecordedRun(), RecordedRun()], list[Any]()

    def init_wandb(**given: Any) -> RecordedRun:
        settings.append(given)
        return runs[len(settings) - 1]

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init_wandb))
    callback = WandbCallback(project="cards")
    assert not settings  # nothing begins before the first update
    fit(callback)
    assert settings == [{"project": "cards"}]
    assert runs[0].logged == [
        ({"update": 1.0, "entropy": 0.5}, 1),
        ({"update": 2.0, "entropy": 0.25, "thrown away, stale": 3.0}, 2),
    ]
    assert runs[0].finished == 1
    fit(callback)  # a second fit is a run of its own
    assert len(runs[1].logged) == 2


def test_wandb_run_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    run = RecordedRun()
    fit(WandbCallback(run))
    assert len(run.logged) == 2
    assert run.finished == 0


@pytest.mark.parametrize("is_active", [False, True])
def test_mlflow(monkeypatch: pytest.MonkeyPatch, is_active: bool) -> None:
    state: dict[str, Any] = {"run": object() if is_active else None, "ended": 0}
    logged: list[tuple[dict[str, float], int]] = []
    module = SimpleNamespace(
        active_run=lambda: state["run"],
        start_run=lambda **given: state.update(run=given),
        log_metrics=lambda values, step: logged.append((values, step)),
        end_run=lambda: state.update(ended=state["ended"] + 1, run=None),
    )
    monkeypatch.setitem(sys.modules, "mlflow", module)
    fit(MlflowCallback(run_name="first"))
    assert [step for _, step in logged] == [1, 2]
    assert logged[1][0]["thrown away_ stale"] == 3.0
    assert state["ended"] == (0 if is_active else 1)


@pytest.mark.parametrize(("make", "name"), [(WandbCallback, "wandb"), (MlflowCallback, "mlflow")])
def test_missing_library_is_reported(make: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(GameError) as error:
        make()
    assert error.value.code == ErrorCode.MISSING_LIBRARY
    assert f"pip install {name}" in str(error.value)


@pytest.mark.parametrize("callbacks", [None, print, "on_update", TrainerCallback(), [None], [3], [TrainerCallback]])
def test_invalid_callbacks_are_rejected(callbacks: Any) -> None:
    with pytest.raises(GameError) as error:
        Trainer("president", callbacks=callbacks)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_check_callbacks_accepts_all_forms() -> None:
    one_method = SimpleNamespace(on_checkpoint=print)
    assert check_callbacks((TrainerCallback(), print, one_method))[1:] == [print, one_method]
