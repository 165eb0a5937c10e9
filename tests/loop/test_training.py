"""Training runs: repeatable, resumable, and told about."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from abl_cards import archive
from abl_cards.errors import GameError
from abl_cards.loop.checkpoint import save_checkpoint
from abl_cards.loop.lock import only_here
from abl_cards.loop.metrics import read_metrics
from abl_cards.loop.settings import Settings
from abl_cards.loop.training import Report, Run
from abl_cards.loop.updates import Average
from abl_cards.parallel import THREADS
from learners.presets import PRESETS
from learners.store import load_card, load_networks
from tests.effort import long
from tests.learners.tiny import TINY
from tests.loop.test_checkpoint import plant
from tests.test_files import files_end_after

TIMES = ("seconds", "pace")


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)


def settings(directory: Path, **changes: Any) -> Settings:
    return replace(
        Settings(
            directory,
            game="president",
            preset="tiny",
            decisions=2500,
            tables=16,
            save_every=2,
            remember_every=3,
            threads=1,
        ),
        **changes,
    )


def lines(directory: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in line.items() if key not in TIMES} for line in read_metrics(directory)]


def weights(run: Run) -> dict[str, torch.Tensor]:
    return run.networks.state_dict()


def test_a_run_of_other_networks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost: the checkpoint stays as it is."""
    run = Run(settings(tmp_path, decisions=1))
    run.go()
    kept = run.checkpoint.read_bytes()
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, critic_width=24))
    with pytest.raises(GameError, match="another version began it; choose another folder"):
        Run(settings(tmp_path))
    assert run.checkpoint.read_bytes() == kept


def same(first: Run, second: Run) -> bool:
    one, other = weights(first), weights(second)
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=long)])
def test_a_run_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path, whole: Run, workers: int) -> None:
    if workers > 1:
        whole = Run(settings(tmp_path / "whole", workers=workers))
        whole.go()
    half = settings(tmp_path / "parts", workers=workers, decisions=1200)
    Run(half).go()
    with (half.directory / "metrics.jsonl").open("a") as file:  # lines after the checkpoint, as a kill leaves them
        file.write('{"update": 99}\n{"upd')
    rest = Run(replace(half, decisions=2500))
    rest.go()
    assert lines(whole.settings.directory) == lines(half.directory)
    assert [line["update"] for line in lines(half.directory)] == list(range(1, whole.update + 1))
    assert same(whole, rest)


def test_a_finished_run_needs_nobody(tmp_path: Path, whole: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(whole.settings.directory, tmp_path / "run")
    monkeypatch.setattr(Run, "together", None)
    again = Run(settings(tmp_path / "run"))
    again.weights.unlink()
    again.go()
    assert again.weights.exists()


def test_a_run_says_what_it_does(whole: Run, reports: list[Report]) -> None:
    assert [report.update for report in reports] == list(range(1, whole.update + 1))
    told = lines(whole.settings.directory)
    assert {"decisions", "policy_loss", "value_loss", "entropy", "hands_loss"} <= set(told[-1])
    assert any("wins against kb" in line for line in told)
    assert whole.weights.exists()
    assert whole.weights.with_suffix(".json").exists()


def test_what_was_not_measured_is_null(tmp_path: Path) -> None:
    """The critic learns alone at first; a zero would say that the others make no error."""
    Run(settings(tmp_path, critic_first=2)).go()
    first, *rest = lines(tmp_path)
    of_others = ("policy_loss", "entropy", "divergence", "clipped", "hands_loss")
    assert [first[name] for name in of_others] == [None] * len(of_others)
    assert '"hands_loss": null' in (tmp_path / "metrics.jsonl").read_text("utf-8")
    assert all(rest[-1][name] is not None for name in of_others)
    assert all(line["value_loss"] > 0 for line in (first, *rest))


def test_the_critic_learns_first(tmp_path: Path) -> None:
    run = Run(settings(tmp_path, decisions=1))
    before = {name: tensor.clone() for name, tensor in weights(run).items()}
    run.go()
    changed = {name.split(".")[0] for name, tensor in weights(run).items() if not torch.equal(tensor, before[name])}
    assert changed == {"critic"}


def test_other_settings_do_not_go_on_with_a_checkpoint(tmp_path: Path) -> None:
    Run(settings(tmp_path, decisions=1)).go()
    with pytest.raises(GameError, match=r"seed: begun with 0; revealed: begun with 1\.0"):
        Run(settings(tmp_path, seed=8, revealed=0.5))
    (tmp_path / "checkpoint.state").write_bytes(b"half a file")
    with pytest.raises(GameError, match=r"checkpoint\.state: not a checkpoint"):
        Run(settings(tmp_path))


@pytest.mark.parametrize("device", ["nowhere", "cuda:99"])
def test_a_device_that_is_not_there_is_named(tmp_path: Path, device: str) -> None:
    with pytest.raises(GameError, match=f"device={device}: "):
        Run(settings(tmp_path, device=device))


@pytest.mark.parametrize("name", ["checkpoint.state", "checkpoint.pt"])
def test_a_planted_checkpoint_does_not_run(tmp_path: Path, name: str) -> None:
    trace = plant(tmp_path / name)
    with pytest.raises(GameError, match=rf"{name}: .*; choose another folder, or move it away to start anew"):
        Run(settings(tmp_path))
    assert not trace.exists()


def test_planted_copies_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(settings(tmp_path, critic_lessons=100))
    monkeypatch.setattr(run, "_rng", SimpleNamespace(integers=lambda first, end: first))
    run.league.size = 1  # so that the first copy is met again
    for name, act in (("past/0001.state", run._remember), ("critic-0.state", run.value_positions)):
        trace = plant(tmp_path / name)
        with pytest.raises(GameError, match=rf"{name}: not a checkpoint"):
            act()
        assert not trace.exists()
    save_checkpoint(tmp_path / "past" / "0001.state", {"decision.policy.weight": torch.zeros(3)})
    with pytest.raises(GameError, match=r"0001\.state: of other settings, or another version"):
        run._remember()
    (tmp_path / "past" / "0001.state").unlink()
    run._remember()  # a copy that is gone is not met


@pytest.mark.parametrize("state", [{"settings": {}}, {}, {"settings": 3, "parts": []}, [1], None])
def test_a_checkpoint_of_another_shape_is_said_in_a_line(tmp_path: Path, state: Any) -> None:
    file = tmp_path / "checkpoint.state"
    file.write_bytes(archive.pack(state))
    kept = file.read_bytes()
    with pytest.raises(GameError, match=r"checkpoint\.state: .*choose another folder") as told:
        Run(settings(tmp_path))
    assert "\n" not in str(told.value)
    assert file.read_bytes() == kept


def test_one_run_at_a_time_in_a_folder(tmp_path: Path) -> None:
    """Nor may a run that was taken up go on once another one has."""
    first, second = Run(settings(tmp_path, decisions=1)), Run(settings(tmp_path, decisions=1))
    with only_here(tmp_path):
        with pytest.raises(GameError, match=f"process {os.getpid()} is at work here"):
            first.go()
        with pytest.raises(GameError, match="is at work here"):
            Run(settings(tmp_path))
    first.go()
    with pytest.raises(GameError, match="another process has gone on with this run"):
        second.go()
    assert len(lines(tmp_path)) == first.update == 1


def test_a_run_without_room_keeps_its_checkpoint(tmp_path: Path) -> None:
    run = Run(settings(tmp_path, decisions=1))
    run.go()
    kept = run.checkpoint.read_bytes()
    again = Run(settings(tmp_path, decisions=10**6))
    with files_end_after(len(kept) // 2), pytest.raises(OSError, match=r"File too large.*checkpoint\.state"):
        again.go()
    assert run.checkpoint.read_bytes() == kept
    assert not list(tmp_path.glob(".*.partial"))
    assert Run(settings(tmp_path)).update == run.update


KILLED = """
import sys
from pathlib import Path
from typing import Any
from learners.presets import PRESETS
from learners.store import load_card, load_networks
from tests.learners.tiny import TINY
from tests.loop.test_training import settings
from abl_cards.loop.training import Run
PRESETS["tiny"] = TINY
Run(settings(Path(sys.argv[1]), workers=int(sys.argv[2]), decisions=10**9)).go()
"""


@pytest.mark.parametrize(("workers", "kills"), [pytest.param(1, 2, marks=long), (2, 1)])
def test_a_run_that_is_killed_resumes(tmp_path: Path, workers: int, kills: int) -> None:
    command, done = [sys.executable, "-c", KILLED, str(tmp_path), str(workers)], 0
    for _ in range(kills):
        process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE)
        metrics = tmp_path / "metrics.jsonl"
        while process.poll() is None and (not metrics.exists() or metrics.read_bytes().count(b"\n") < done + 5):
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()  # every worker can say something until it ends: this waits for the last
        resumed = Run(settings(tmp_path, workers=workers))
        assert resumed.update >= done
        assert resumed.update >= metrics.read_bytes().count(b"\n") - 3  # at most the last interval is lost
        done = resumed.update
    updates = [line["update"] for line in lines(tmp_path)][:done]
    assert updates == list(range(1, done + 1))


def test_hands_that_are_not_shown_are_abduced_from_what_was_laid_down(tmp_path: Path) -> None:
    run = Run(settings(tmp_path, revealed=0.5))
    while run.play.memory.ready < 200:
        run.play.step()
    rows = run.play.memory.take(200)
    assert 0 < rows.shown.mean() < 1
    assert (rows.later <= rows.hands).all()
    assert rows.later.sum() > 0
    given = run.trainer._abduce(rows)
    assert (given.hands[rows.shown] == rows.hands[rows.shown]).all()
    hidden = ~rows.shown
    assert (given.hands[hidden] >= rows.later[hidden] - 1e-4).all()
    assert rows.constraints.at(hidden).consistent(given.hands[hidden], 1e-3).all()
    nearer = ((given.hands - rows.hands) ** 2).sum(axis=(1, 2)) <= ((rows.prior - rows.hands) ** 2).sum(axis=(1, 2)) + 1
    assert nearer.mean() > 0.9


@long
def test_a_run_may_go_on_at_another_pace_and_says_so(tmp_path: Path) -> None:
    chosen = settings(tmp_path, decisions=1200)
    Run(chosen).go()
    rest = Run(replace(chosen, decisions=2500, learning_rate=1e-4, entropy=0.02))
    assert [group["lr"] for group in rest.trainer.policy.param_groups] == [1e-4]
    rest.go()
    first, _, second = load_card(rest.weights).command.partition("; then ")
    assert "learning_rate" not in first
    assert "--set learning_rate=0.0001 --set entropy=0.02" in second
    with pytest.raises(GameError, match="seed: begun with 0"):
        Run(replace(chosen, seed=5))


@long
def test_a_run_may_go_on_at_more_tables_with_other_opponents(tmp_path: Path) -> None:
    chosen = settings(tmp_path, decisions=1200)
    first = Run(chosen)
    first.go()
    wider = replace(chosen, decisions=2500, tables=24, against_kb=0.5)
    rest = Run(wider)
    assert (rest.update, rest.decisions) == (first.update, first.decisions)
    assert same(first, rest)
    assert len(rest.play.tables.keys) == 24
    assert not set(rest.play.tables.keys.tolist()) & set(
        Run(replace(chosen, directory=tmp_path / "new")).play.tables.keys.tolist()
    )
    rest.go()
    again = Run(wider)
    assert (again.play.tables.keys == rest.play.tables.keys).all()
    assert same(rest, again)


@long
def test_a_run_may_go_on_with_more_workers(tmp_path: Path) -> None:
    chosen = settings(tmp_path, decisions=600)
    first = Run(chosen)
    first.go()
    rest = Run(replace(chosen, decisions=1800, workers=2))
    assert (rest.update, rest.decisions) == (first.update, first.decisions)
    assert same(first, rest)
    rest.go()
    assert not set(rest.play.tables.keys.tolist()) & set(first.play.tables.keys.tolist())
    assert "--set workers=2" in load_card(rest.weights).command
    alone = Run(chosen)
    assert (alone.update, alone.decisions, len(alone.play.tables.keys)) == (rest.update, rest.decisions, 16)
    assert same(rest, alone)


def test_how_many_workers() -> None:
    chosen = Settings(Path())
    assert chosen.crew == THREADS
    assert replace(chosen, threads=1).crew == replace(chosen, device="cuda").crew == 1
    assert replace(chosen, threads=1, workers=3).crew == 3
    assert replace(chosen, tables=2, workers=3).crew == 2


def test_the_mean_of_the_weights_plays(whole: Run) -> None:
    kept = load_networks(whole.weights, whole.engine).decision.state_dict()
    for name, tensor in whole.trainer.average.weights.items():
        torch.testing.assert_close(kept[name], tensor.half().float())
    assert any(not torch.equal(tensor, kept[name]) for name, tensor in whole.networks.decision.state_dict().items())


def test_a_running_mean() -> None:
    module = torch.nn.Linear(1, 1, bias=False)
    average, seen = Average(module, 0.9), []
    for value in range(200):
        module.weight.data.fill_(value)
        average.add()
        seen.append(float(average.weights["weight"]))
    assert seen[0] == 0
    assert seen[199] == pytest.approx(190, abs=0.1)  # in the long run it lags by memory / (1 - memory) steps
    assert seen == sorted(seen)
