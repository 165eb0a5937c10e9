"""Tests of the progress of a first start."""

import importlib
from typing import Any

import numba
import pytest

from abl_cards.web.config import WebConfig
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.start_progress import StartProgress, observe_kernels, read_weights
from abl_cards.web.startup_app import StartupApp
from tests.web.asgi import request


class Clock:
    """Clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_share_never_falls_and_the_time_left_is_right() -> None:
    """The time left follows from the time that kernels took so far; waiting between them does not count."""
    clock = Clock()
    progress, shares = StartProgress({"a": 1.0, "b": 2.0, "c": 7.0}, clock), list[float]()
    assert progress.to_json() == {"ready": False, "kernels": 0, "share": None, "seconds": None}
    for name, inner, seconds in (("a", [], 3.0), ("other", [], 0.0), ("c", ["b"], 27.0)):
        progress.begin_kernel()
        for part in inner:
            progress.begin_kernel()
            clock.now += 6.0
            progress.end_kernel(part)
            shares.append(progress.to_json()["share"])
            assert progress.to_json()["seconds"] == pytest.approx(21.0)
        clock.now += seconds - 6.0 * len(inner)
        progress.end_kernel(name)
        shares.append(progress.to_json()["share"])
        clock.now += 50.0
    assert shares == sorted(shares) == [0.1, 0.1, 0.3, 0.99]
    assert progress.to_json()["kernels"] == 4
    progress.finish()
    assert progress.to_json()["share"] is None


def test_kernels_of_the_weights_exist() -> None:
    """A kernel that was renamed would leave the share short of the whole: measure the weights anew."""
    weights = read_weights()
    assert sum(weights.values()) == pytest.approx(1.0, abs=0.05)
    for name in weights:
        module, _, function = name.rpartition(".")
        if "<locals>" not in name and module.startswith("abl_cards."):
            assert hasattr(importlib.import_module(module), function), name


def test_compiled_kernels_are_counted() -> None:
    progress = StartProgress({f"{__name__}.add_one": 1.0})
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
        progress = StartProgress({"a": 1.0, "b": 1.0})
        app = StartupApp(config, PrewarmedTable(config), never, progress=progress)
        progress.begin_kernel()
        progress.end_kernel("a")
        answer = await request(app, "GET", "/api/start")
        assert (answer.status, answer.json()["share"]) == (200, 0.5)

    asyncio.run(ask())
