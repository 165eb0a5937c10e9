"""Training on Ray: whoever is lost, the run goes on, and nothing is counted twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abl_cards import archive
from abl_cards.cluster.playing import Fleet
from abl_cards.cluster.staff import OnRay, processors_for
from abl_cards.cluster.start import Cluster
from abl_cards.errors import GameError
from abl_cards.loop.messages import made, plain
from abl_cards.loop.settings import Settings
from abl_cards.loop.training import Report, Run
from learners.presets import PRESETS, Preset
from tests.learners.tiny import TINY
from tests.loop.test_training import lines, same, settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)


def without_gap(told: Sequence[dict[str, Any]], run: Run) -> None:
    """A line an update, and decisions that only grow."""
    assert [line["update"] for line in told] == list(range(1, run.update + 1))
    counted = [0, *(line["decisions"] for line in told)]
    assert all(before < after for before, after in pairwise(counted))
    assert counted[-1] == run.decisions


def test_a_run_goes_on_when_an_actor_is_killed(tmp_path: Path, cluster: Cluster) -> None:
    """And without Ray afterwards."""
    chosen = settings(tmp_path, game="president", actors=2, decisions=4000, stale=1, pool=400)
    run, seen = Run(chosen, staff=OnRay(cluster)), list[Report]()

    def watch(report: Report) -> None:
        seen.append(report)
        if len(seen) == 2:
            assert isinstance(run._troupe, Fleet)
            cluster.ray.kill(run._troupe.actors[0])

    run.go(watch)
    told = lines(tmp_path)
    without_gap(told, run)
    assert sum(line["actors lost"] for line in told) == 1
    assert run._troupe
    assert run._troupe.born == 3
    assert all(line["staleness"] <= 1 for line in told)
    assert any("wins against kb" in line for line in told)
    alone = Run(replace(chosen, actors=0, decisions=5000))
    assert alone.decisions == run.decisions
    alone.go()
    without_gap(lines(tmp_path), alone)


LEARNER = """
import sys
from pathlib import Path
from learners.presets import PRESETS, Preset
from tests.learners.tiny import TINY
from tests.loop.test_training import settings
from abl_cards.cluster.staff import OnRay
from abl_cards.cluster.start import joined
from abl_cards.loop.training import Run
PRESETS["tiny"] = TINY
with joined(sys.argv[2]) as cluster:
    Run(settings(Path(sys.argv[1]), game="president", actors=1, decisions=10**9), staff=OnRay(cluster)).go()
"""


def address(cluster: Cluster) -> str:
    return str(cluster.ray.get_runtime_context().gcs_address)


def until(there: Any, seconds: float = 120.0) -> None:
    """Wait, but not for ever."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_learner_that_is_killed_goes_on_from_its_checkpoint(tmp_path: Path, cluster: Cluster) -> None:
    """Its actors end with it. It had joined a Ray that was there, by its address and token."""
    command = [sys.executable, "-c", LEARNER, str(tmp_path), address(cluster)]
    process = subprocess.Popen(command, cwd=ROOT)
    metrics = tmp_path / "metrics.jsonl"
    until(lambda: process.poll() is not None or (metrics.exists() and metrics.read_bytes().count(b"\n") > 4))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    until(lambda: cluster.ray.available_resources().get("CPU") == 2)
    run = Run(settings(tmp_path, game="president", actors=1), staff=OnRay(cluster))
    assert (run.update, run._born) >= (4, 1)
    run.settings = replace(run.settings, decisions=run.decisions + 1000)
    run.go()
    without_gap(lines(tmp_path), run)
    assert run._troupe
    assert run._troupe.born >= 2


def test_workers_on_ray_learn_what_workers_behind_pipes_do(tmp_path: Path, cluster: Cluster) -> None:
    """Bit for bit; and when one is lost, from the last checkpoint on."""
    chosen = settings(tmp_path / "pipes", game="president", workers=2, actors=0)
    piped = Run(chosen)
    piped.go()
    run = Run(replace(chosen, directory=tmp_path / "ray"), staff=OnRay(cluster))

    def watch(report: Report) -> None:
        if report.update == 3 and not report.pooled.lost and not killed:
            killed.append(report.update)
            run._helpers.each[0].end()

    killed: list[int] = []
    run.go(watch)
    assert killed == [3]
    told, others = lines(tmp_path / "ray"), lines(tmp_path / "pipes")
    without_gap(told, run)
    assert [line.pop("actors lost") for line in told] == [0, 0, 1, *[0] * (run.update - 3)]
    assert [line.pop("actors lost") for line in others] == [0] * piped.update
    assert told == others
    assert same(run, piped)


def test_a_machine_that_is_taken_away_takes_its_actor_along(tmp_path: Path, cluster: Cluster) -> None:
    """The run goes on with the others, and with another machine as soon as there is one."""
    alone = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_TOKEN": "c" * 64}  # not open to the network
    command = [sys.executable, "-m", "tests.cluster.nodes", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | alone, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    updates, decisions, born = map(int, done.stdout.split()[-3:])
    told = lines(tmp_path)
    assert [line["update"] for line in told] == list(range(1, updates + 1))
    assert (told[-1]["decisions"], sum(line["actors lost"] for line in told), born) == (decisions, 1, 3)


@pytest.mark.parametrize("name", PRESETS)
def test_networks_travel(name: str) -> None:
    """An actor makes them of what it is told."""
    assert made(Preset, archive.unpack(archive.pack(plain(PRESETS[name])))) == PRESETS[name]


def test_an_actor_hands_over_what_it_has_in_time(tmp_path: Path) -> None:
    """Where play is slow it says in time that it is there, with what is ready or with nothing."""
    run = Run(settings(tmp_path, game="president"))
    assert run.actor.portions(100, 0.0) == []
    while not run.play.memory.ready:
        run.play.step()
    (portion,) = run.actor.portions(10**9, 0.0)
    assert portion.rows == len(portion.open()) > 0


def test_who_works_on_a_run(cluster: Cluster) -> None:
    staff, chosen = OnRay(cluster), Settings(Path())
    assert (staff.actors(chosen), staff.workers(chosen)) == (2, 1)
    synchronous = replace(chosen, actors=0)
    assert (staff.actors(synchronous), staff.workers(synchronous)) == (0, 3)
    assert (staff.actors(replace(chosen, workers=2)), processors_for(replace(chosen, workers=2))) == (0, 1)
    assert processors_for(replace(chosen, actors=5)) == 5
    with pytest.raises(GameError, match="leave one out"):
        staff.actors(replace(chosen, actors=2, workers=2))
    with pytest.raises(GameError, match="give --ray"):
        Run(replace(chosen, actors=2))
