"""Tests of the progress of a first start."""

import importlib
from pathlib import Path
from typing import Any

import numba
import pytest

from abl_cards.web.config import WebConfig
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.start_progress import (
    IMPORTS,
    RULES,
    TABLE,
    StartProgress,
    is_first_start,
    observe_kernels,
    read_weights,
)
from abl_cards.web.startup_app import StartupApp
from tests.web.asgi import request


class Clock:
    """Clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


WEIGHTS = {IMPORTS: 3.0, RULES: 2.0, **{f"kernel {number}": 1.0 + number % 3 for number in range(20)}, TABLE: 1.0}

OTHER = {IMPORTS: 3.0, RULES: 9.0, **{f"kernel {number}": 5.0 for number in range(30, 60)}, TABLE: 1.0}
"""Steps of a game that has no kernel of the first one."""


@pytest.mark.parametrize("slowness", [0.5, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("left_out", [range(0), range(3, 6), range(0, 20, 4)])
def test_share_is_monotonic_and_remaining_time_accurate(slowness: float, left_out: range) -> None:
    """From five seconds on the remaining time is right within a factor of two, whatever the speed of the machine."""
    clock = Clock()
    progress, shares, predicted = (
        StartProgress({"game": WEIGHTS, "other": OTHER}, clock),
        list[float](),
        list[tuple[float, float]](),
    )
    assert progress.to_json() == {"ready": False, "kernels": 0, "share": None, "seconds": None}
    names = [name for name in WEIGHTS if name not in {f"kernel {number}" for number in left_out}]
    for name in names:
        if name == names[2]:
            progress.begin_kernel()
        for _ in range(4):
            clock.now += WEIGHTS[name] * slowness / 4
            answer = progress.to_json()
            if answer["share"] is not None:
                shares.append(answer["share"])
                predicted.append((clock.now, answer["seconds"] or 0.0))
        if name == IMPORTS:
            progress.end_imports()
        elif name.startswith("kernel"):
            progress.end_kernel(name)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5 < shares[-1] <= 0.99
    for at, seconds in predicted:
        actual = clock.now - at
        if at >= 105.0 and actual > 2.0 * slowness:
            assert actual / 2 <= seconds <= actual * 2, (at, actual, seconds)
    assert progress.to_json()["kernels"] == 20 - len(left_out)
    progress.finish()
    assert progress.to_json()["share"] is None


def test_first_start_reports_a_share_from_the_beginning(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "games" / "__pycache__").mkdir(parents=True)
    assert is_first_start(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert is_first_start(tmp_path / "elsewhere")
    (tmp_path / "games" / "__pycache__" / "kernel.nbi").touch()
    assert not is_first_start(tmp_path / "elsewhere")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert not is_first_start(tmp_path)
    clock = Clock()
    progress = StartProgress({"game": WEIGHTS}, clock)
    progress.expect_kernels()
    clock.now += 5.0
    answer = progress.to_json()
    assert 0 < answer["share"] < 0.5
    assert answer["seconds"] == pytest.approx(sum(WEIGHTS.values()) - 5.0, rel=0.5)


def test_weighted_kernels_exist() -> None:
    """A kernel that was renamed would leave the share short of the whole: measure the weights anew."""
    weights = read_weights()
    assert len(weights) > 1
    for steps in weights.values():
        assert [name for name in steps if name.startswith("(")] == [IMPORTS, RULES, TABLE]
    for name in {name for steps in weights.values() for name in steps}:
        module, _, function = name.rpartition(".")
        if "<locals>" not in name and module.startswith("abl_cards."):
            assert hasattr(importlib.import_module(module), function), name


def test_compiled_kernels_are_counted() -> None:
    progress = StartProgress({"game": {f"{__name__}.add_one": 1.0, TABLE: 0.0}})
    observe_kernels(progress)
    numba.njit(add_one)(1)
    assert progress.to_json()["kernels"] >= 1
    assert progress.to_json()["share"] == 0.99


def add_one(number: Any) -> Any:
    return number + 1


def test_progress_is_reported_while_the_engine_is_loading() -> None:
    import asyncio

    config = WebConfig()

    async def never() -> Any:
        await asyncio.sleep(600)

    async def ask() -> None:
        progress = StartProgress({"game": {"a": 1.0, "b": 1.0}})
        app = StartupApp(config, PrewarmedTable(config), never, progress=progress)
        progress.begin_kernel()
        progress.end_kernel("a")
        answer = await request(app, "GET", "/api/start")
        assert answer.status == 200
        assert 0 <= answer.json()["share"] < 0.5

    asyncio.run(ask())
