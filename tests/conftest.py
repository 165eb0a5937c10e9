"""Shared fixtures of all tests: hypothesis profiles, and the data beside the repository."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from abl_cards.core import gc_control
from tests import cpu_times
from tests.compiling import keep_bytecode, share_compilations
from tests.effort import include_long, thorough
from tests.long_tests import LONG_TESTS, names_of
from tests.scheduling import FileScheduling, run_order

ROOT = Path(__file__).resolve().parent.parent

# `make test` runs a worker per processor; threads of torch would compete, and use the processor while they wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
keep_bytecode()
gc_control.reduce_gc()
gc.set_threshold(20_000, 20, 500)  # the engines of all games stay; a full collection takes a second
if "PYTEST_XDIST_WORKER" in os.environ:
    share_compilations()
if "--long" in sys.argv:  # before options are read, other conftest files of the command line import tests
    include_long()

# No deadline, since a first call may compile; fixed examples, so that failures in CI are reproducible.
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("ci"), derandomize=False, max_examples=2000)
settings.load_profile("ci")  # pytest --hypothesis-profile=thorough for the long search


@pytest.fixture(autouse=True, scope="session")
def _no_progress_lines() -> None:
    """Print no lines of progress, however long a command takes on a busy machine."""
    from abl_cards.cli import progress

    progress.LINE_SECONDS = float("inf")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the long tests of ``make test-long``."""
    parser.addoption("--long", action="store_true", help="run the long tests too")
    cpu_times.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take the larger numbers of examples with the long tests, and sum up processor time."""
    if config.getoption("--long"):
        include_long()
    config.pluginmanager.register(cpu_times.CpuTimes(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests, and sort the others."""
    if not (config.getoption("--long") or thorough()):
        kept: list[pytest.Item] = []
        left: list[pytest.Item] = []
        for item in items:
            (left if item.get_closest_marker("long") or names_of(item) & LONG_TESTS else kept).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = kept
    order = cache(lambda file: run_order(file.relative_to(ROOT / "tests").as_posix()))
    items.sort(key=lambda item: order(item.path))


def pytest_collection_finish() -> None:
    """Keep the tests themselves out of all later collections of garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    """Keep files together, by a scheduler of our own: ``--dist loadgroup`` does nothing with pytest 9.2."""
    return FileScheduling(config, log)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of recorded games: ABL_CARDS_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("ABL_CARDS_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("recorded games are not here: set ABL_CARDS_DATA to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of this checkout."""
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling: pip install -e '.[test]'")
    from tests.wheels import build

    return build(tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="session")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield ``abl:weights=FILE`` for tiny untrained networks that react to every input."""
    from abl_cards.learners.presets import PRESETS
    from tests.learners.tiny import TINY, save_untrained

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, TINY.name, TINY)
        yield f"abl:weights={save_untrained(tmp_path_factory.mktemp('weights'))}"


@pytest.fixture(scope="session")
def untrained_twin(untrained: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the untrained agent without an estimate of the hidden hands."""
    from tests.learners.tiny import save_untrained

    return f"abl:weights={save_untrained(tmp_path_factory.mktemp('twin'), abln=False)}"


def pytest_unconfigure() -> None:
    """Leave all that is there to the end of the process: pytest would look through it for what can be freed."""
    gc.freeze()
