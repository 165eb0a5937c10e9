"""Training on Ray: the run survives lost workers, and counts every decision once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from abl_cards.cluster.ray_actors import CALLS_PER_ACTOR, RayActorPool
from abl_cards.cluster.ray_serialization import pack_result
from abl_cards.cluster.ray_workers import RayLauncher, count_local_processes
from abl_cards.cluster.start import RayCluster
from abl_cards.core import archive
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.presets import PRESETS, Preset
from abl_cards.training.callbacks import Metrics
from abl_cards.training.ipc import from_plain, to_plain
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import lines, same, settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)


def check_lines(metric_lines: Sequence[dict[str, Any]], run: Trainer) -> None:
    """Check that there is one line for each update, with growing numbers of decisions."""
    assert [line["update"] for line in metric_lines] == list(range(1, run.num_updates + 1))
    counted = [0, *(line["decisions"] for line in metric_lines)]
    assert all(before < after for before, after in pairwise(counted))
    assert counted[-1] == run.decisions


def test_run_continues_after_an_actor_is_killed(tmp_path: Path, cluster: RayCluster) -> None:
    """Continue the run, and later continue it without Ray."""
    chosen = settings(tmp_path, game="president", actors=2, total_decisions=4000, max_policy_lag=1, queue_capacity=400)
    run, seen = Trainer.from_config(chosen, launcher=RayLauncher(cluster)), list[Metrics]()

    def watch(metrics: Metrics) -> None:
        seen.append(metrics)
        if len(seen) == 2:
            assert isinstance(run.worker_group.actor_pool, RayActorPool)
            cluster.ray.kill(run.worker_group.actor_pool.actors[0])

    run.fit(callbacks=[watch])
    metric_lines = lines(tmp_path)
    check_lines(metric_lines, run)
    assert sum(line["actors lost"] for line in metric_lines) == 1
    assert run.worker_group.actor_pool
    assert run.worker_group.actor_pool.num_started == 3
    assert all(line["staleness"] <= 1 for line in metric_lines)
    assert any("wins against kb" in line for line in metric_lines)
    alone = Trainer.from_config(replace(chosen, actors=0, total_decisions=5000))
    assert alone.decisions == run.decisions
    alone.fit()
    check_lines(lines(tmp_path), alone)


LEARNER = """
import sys
from pathlib import Path
from abl_cards.learners.presets import PRESETS, Preset
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings
from abl_cards.cluster.ray_workers import RayLauncher
from abl_cards.cluster.start import connect_ray
from abl_cards.training.trainer import Trainer
PRESETS["tiny"] = TINY
with connect_ray(sys.argv[2]) as cluster:
    chosen = settings(Path(sys.argv[1]), game="president", actors=1, decisions=10**9)
    Trainer.from_config(chosen, launcher=RayLauncher(cluster)).fit()
"""


def address(cluster: RayCluster) -> str:
    return str(cluster.ray.get_runtime_context().gcs_address)


def wait_until(there: Any, seconds: float = 120.0) -> None:
    """Wait for a condition, with a time limit."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_killed_learner_resumes_from_its_checkpoint(tmp_path: Path, cluster: RayCluster) -> None:
    """Stop the actors of a killed learner that had joined a running cluster; then resume."""
    command = [sys.executable, "-c", LEARNER, str(tmp_path), address(cluster)]
    process = subprocess.Popen(command, cwd=ROOT)
    metrics = tmp_path / "metrics.jsonl"
    wait_until(lambda: process.poll() is not None or (metrics.exists() and metrics.read_bytes().count(b"\n") > 4))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_until(lambda: cluster.ray.available_resources().get("CPU") == 2)
    run = Trainer.from_config(settings(tmp_path, game="president", actors=1), launcher=RayLauncher(cluster))
    assert (run.num_updates, run.worker_group.num_started) >= (4, 1)
    run.settings = replace(run.settings, total_decisions=run.decisions + 1000)
    run.fit()
    check_lines(lines(tmp_path), run)
    assert run.worker_group.actor_pool
    assert run.worker_group.actor_pool.num_started >= 2


def test_ray_workers_equal_pipe_workers(tmp_path: Path, cluster: RayCluster) -> None:
    """Results are identical, also after the loss of a worker."""
    chosen = settings(tmp_path / "pipes", game="president", workers=2, actors=0)
    piped = Trainer.from_config(chosen)
    piped.fit()
    run = Trainer.from_config(replace(chosen, directory=tmp_path / "ray"), launcher=RayLauncher(cluster))

    def watch(metrics: Metrics) -> None:
        if metrics["update"] == 3 and not metrics["actors lost"] and not killed:
            killed.append(metrics["update"])
            run.worker_group.worker_pool.workers[0].terminate()

    killed: list[int] = []
    run.fit(callbacks=[watch])
    assert killed == [3]
    metric_lines, others = lines(tmp_path / "ray"), lines(tmp_path / "pipes")
    check_lines(metric_lines, run)
    assert [line.pop("actors lost") for line in metric_lines] == [0, 0, 1, *[0] * (run.num_updates - 3)]
    assert [line.pop("actors lost") for line in others] == [0] * piped.num_updates
    assert metric_lines == others
    assert same(run, piped)


def test_run_continues_after_a_machine_is_removed(tmp_path: Path, cluster: RayCluster) -> None:
    """Continue with the remaining actors, and use a new machine when there is one."""
    alone = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_TOKEN": "c" * 64}  # not open to the network
    command = [sys.executable, "-m", "tests.cluster.nodes", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | alone, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    updates, decisions, born = map(int, done.stdout.split()[-3:])
    metric_lines = lines(tmp_path)
    assert [line["update"] for line in metric_lines] == list(range(1, updates + 1))
    assert (metric_lines[-1]["decisions"], sum(line["actors lost"] for line in metric_lines), born) == (decisions, 1, 3)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_round_trip(name: str) -> None:
    """An actor builds the networks from their description."""
    assert from_plain(Preset, archive.unpack_archive(archive.pack_archive(to_plain(PRESETS[name])))) == PRESETS[name]


def test_collect_rollouts_returns_within_the_time_limit(tmp_path: Path) -> None:
    """An actor with slow play sends what is ready, or an empty message, in time."""
    run = Trainer.from_config(settings(tmp_path, game="president"))
    assert run.actor.collect_rollouts(100, 0.0) == []
    while not run.self_play.buffer.num_ready:
        run.self_play.step()
    (portion,) = run.actor.collect_rollouts(10**9, 0.0)
    assert portion.rows == len(portion.load_rows()) > 0


class FinishedCalls:
    """Ray of which every call has finished at once, with an empty message."""

    def __init__(self) -> None:
        self.num_calls = 0

    def put(self, value: Any) -> Any:
        return value

    def get(self, references: Sequence[Any]) -> Any:
        return [pack_result(lambda: None) for _ in references]

    def wait(self, references: Sequence[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return list(references[:num_returns]), list(references[num_returns:])

    def remote(self, *arguments: Any) -> tuple[int, int]:
        self.num_calls += 1
        return 2 * self.num_calls, 2 * self.num_calls + 1  # references to the header and the rows


def test_all_finished_calls_are_collected_at_once(tmp_path: Path) -> None:
    ray = FinishedCalls()
    handle = SimpleNamespace(collect_rollout=SimpleNamespace(options=lambda num_returns: ray))
    pretended: Any = SimpleNamespace(ray=ray, start_actor=lambda actor_class, init: handle)
    pool = RayActorPool(pretended, Trainer.from_config(settings(tmp_path, game="president")), num_actors=3)
    begun = ray.num_calls
    assert begun == 3 * CALLS_PER_ACTOR
    assert pool.collect_rollouts(min_rows=0) == []
    assert ray.num_calls == 2 * begun  # each call that has finished is followed by another one


def test_numbers_of_actors_and_workers_follow_the_settings(cluster: RayCluster) -> None:
    staff, chosen = RayLauncher(cluster), TrainConfig(Path())
    assert (staff.count_actors(chosen), staff.count_workers(chosen)) == (2, 1)
    synchronous = replace(chosen, actors=0)
    assert (staff.count_actors(synchronous), staff.count_workers(synchronous)) == (0, 3)
    assert (staff.count_actors(replace(chosen, workers=2)), count_local_processes(replace(chosen, workers=2))) == (0, 1)
    assert count_local_processes(replace(chosen, actors=5)) == 5
    with pytest.raises(GameError) as error:
        staff.count_actors(replace(chosen, actors=2, workers=2))
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    with pytest.raises(GameError, match="actors=2") as error:
        Trainer.from_config(replace(chosen, actors=2))
    assert error.value.code == ErrorCode.SETTING_CONFLICT
