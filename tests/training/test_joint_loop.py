"""Training runs: repeatable, resumable and reported."""

import hashlib
import os
import shutil
import time
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from abl_cards.core import archive
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.parallel import NUM_THREADS
from abl_cards.learners import sparse_linear
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import load_card
from abl_cards.learners.weights_io import load_networks
from abl_cards.training.callbacks import Metrics
from abl_cards.training.checkpoint import save_checkpoint
from abl_cards.training.metrics import read_metrics
from abl_cards.training.run_lock import lock_run_folder
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from abl_cards.training.updates import WeightEMA
from tests.core.test_atomic_files import files_end_after
from tests.effort import amount, long
from tests.forked import Forked
from tests.learners.tiny import TINY
from tests.training.test_checkpoint import write_malicious_pickle

TIMES = ("seconds", "pace")
SHORT = str(Path(__file__).parent / "short_president")
"""A game whose episodes end soon, and with them the wait for the first update."""
WHOLE, HALF = amount(1000, 2500), amount(800, 1200)
"""Decisions of a run, and of one that is stopped, with several checkpoints and snapshots in each."""


def settings(directory: Path, **changes: Any) -> TrainConfig:
    return replace(
        TrainConfig(
            directory,
            game=SHORT,
            preset="tiny",
            total_decisions=WHOLE,
            num_envs=amount(32, 16),
            rollout_size=amount(32, 128),
            minibatch_size=amount(16, 64),
            checkpoint_interval=2,
            snapshot_interval=3,
            threads=1,
        ),
        **changes,
    )


def lines(directory: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in line.items() if key not in TIMES} for line in read_metrics(directory)]


def weights(run: Trainer) -> dict[str, torch.Tensor]:
    return run.networks.state_dict()


def test_resume_rejects_other_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reject a run of other networks without a change to the checkpoint."""
    run = Trainer.from_config(settings(tmp_path, total_decisions=1))
    run.fit()
    saved = run.checkpoint_path.read_bytes()
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, critic_width=24))
    with pytest.raises(GameError) as error:
        Trainer.from_config(settings(tmp_path))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    assert run.checkpoint_path.read_bytes() == saved


def same(first: Trainer, second: Trainer) -> bool:
    one, other = weights(first), weights(second)
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=long)])
def test_resumed_run_equals_uninterrupted_run(tmp_path: Path, whole: Trainer, workers: int) -> None:
    if workers > 1:
        whole = Trainer.from_config(settings(tmp_path / "whole", workers=workers))
        whole.fit()
    half = settings(tmp_path / "parts", workers=workers, total_decisions=HALF)
    Trainer.from_config(half).fit()
    with (half.directory / "metrics.jsonl").open("a") as file:  # lines after the checkpoint, as a kill leaves them
        file.write('{"update": 99}\n{"upd')
    resumed = Trainer.from_config(replace(half, total_decisions=WHOLE))
    resumed.fit()
    assert lines(whole.settings.directory) == lines(half.directory)
    assert [line["update"] for line in lines(half.directory)] == list(range(1, whole.num_updates + 1))
    assert same(whole, resumed)


def test_finished_run_starts_no_workers(tmp_path: Path, whole: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(whole.settings.directory, tmp_path / "run")
    monkeypatch.setattr(Trainer, "start_workers", None)
    again = Trainer.from_config(settings(tmp_path / "run"))
    again.weights_path.unlink()
    again.fit()
    assert again.weights_path.exists()


def test_run_writes_metrics_and_weights(whole: Trainer, reports: list[Metrics]) -> None:
    assert [metrics["update"] for metrics in reports] == list(range(1, whole.num_updates + 1))
    metric_lines = lines(whole.settings.directory)
    assert {"decisions", "policy_loss", "value_loss", "entropy", "hands_loss"} <= set(metric_lines[-1])
    assert any("wins against kb" in line for line in metric_lines)
    assert whole.weights_path.exists()
    assert whole.weights_path.with_suffix(".json").exists()


def test_metrics_not_computed_are_null(tmp_path: Path) -> None:
    """Write null for losses that were not computed; zero would mean no error."""
    Trainer.from_config(settings(tmp_path, critic_warmup_updates=2)).fit()
    first, *later = lines(tmp_path)
    of_others = ("policy_loss", "entropy", "divergence", "clipped", "hands_loss")
    assert [first[name] for name in of_others] == [None] * len(of_others)
    assert '"hands_loss": null' in (tmp_path / "metrics.jsonl").read_text("utf-8")
    assert all(later[-1][name] is not None for name in of_others)
    assert all(line["value_loss"] > 0 for line in (first, *later))


def test_warmup_updates_only_the_critic(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path, total_decisions=1))
    before = {name: tensor.clone() for name, tensor in weights(run).items()}
    run.fit()
    changed = {name.split(".")[0] for name, tensor in weights(run).items() if not torch.equal(tensor, before[name])}
    assert changed == {"critic"}


def test_checkpoint_with_former_setting_keys_is_resumed(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path, total_decisions=1))
    run.fit()
    former = {field.name: field.metadata.get("formerly") or field.name for field in fields(TrainConfig)}
    state = run._checkpoint.load()
    assert state is not None
    state["settings"] = {former[key]: value for key, value in state["settings"].items()}
    run._checkpoint.save(state)
    assert Trainer.from_config(settings(tmp_path)).num_updates == run.num_updates


def test_resume_rejects_other_settings(tmp_path: Path) -> None:
    Trainer.from_config(settings(tmp_path, total_decisions=1)).fit()
    with pytest.raises(GameError, match=r"seed: .* 0; labelled_fraction: .* 1\.0") as error:
        Trainer.from_config(settings(tmp_path, seed=8, labelled_fraction=0.5))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    (tmp_path / "checkpoint.state").write_bytes(b"half a file")
    with pytest.raises(GameError, match=r"checkpoint\.state") as error:
        Trainer.from_config(settings(tmp_path))
    assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE


def test_run_without_its_checkpoint_is_not_begun_anew(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path, total_decisions=1))
    run.fit()
    run.checkpoint_path.unlink()
    saved = run.weights_path.read_bytes(), lines(tmp_path)
    for changes in ({}, {"seed": 8}):
        with pytest.raises(GameError) as error:
            Trainer.from_config(settings(tmp_path, **changes))
        assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
    assert (run.weights_path.read_bytes(), lines(tmp_path)) == saved
    run.weights_path.unlink()  # a run that was killed before its first checkpoint has metrics only
    assert Trainer.from_config(settings(tmp_path)).num_updates == 0


@pytest.mark.parametrize("device", ["nowhere", "cuda:99", "meta"])
def test_unavailable_device_is_rejected(tmp_path: Path, device: str) -> None:
    with pytest.raises(GameError, match=f"device={device}") as error:
        Trainer.from_config(settings(tmp_path, device=device))
    assert error.value.code == ErrorCode.DEVICE_NOT_AVAILABLE


def test_pickled_checkpoint_is_not_executed(tmp_path: Path) -> None:
    trace = write_malicious_pickle(tmp_path / "checkpoint.state")
    with pytest.raises(GameError, match=r"checkpoint\.state") as error:
        Trainer.from_config(settings(tmp_path))
    assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
    assert not trace.exists()


def test_pickled_snapshots_are_not_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Trainer.from_config(settings(tmp_path, critic_finetune_decisions=100))
    monkeypatch.setattr(run, "_rng", SimpleNamespace(integers=lambda first, end: first))
    run.league.size = 1  # so that the first copy is met again
    for name, act in (("past/0001.state", run._add_snapshot), ("critic-0.state", run.finetune_critic)):
        trace = write_malicious_pickle(tmp_path / name)
        with pytest.raises(GameError, match=name) as error:
            act()
        assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
        assert not trace.exists()
    save_checkpoint(tmp_path / "past" / "0001.state", {"decision.policy.weight": torch.zeros(3)})
    with pytest.raises(GameError, match=r"0001\.state") as error:
        run._add_snapshot()
    assert error.value.code == ErrorCode.RUN_MISMATCH
    (tmp_path / "past" / "0001.state").unlink()
    run._add_snapshot()  # a deleted copy is no opponent


@pytest.mark.parametrize("state", [{"settings": {}}, {}, {"settings": 3, "parts": []}, [1], None])
def test_invalid_checkpoint_raises_one_line_error(tmp_path: Path, state: Any) -> None:
    file = tmp_path / "checkpoint.state"
    file.write_bytes(archive.pack_archive(state))
    saved = file.read_bytes()
    with pytest.raises(GameError, match=r"checkpoint\.state: .*choose another folder") as error:
        Trainer.from_config(settings(tmp_path))
    assert "\n" not in str(error.value)
    assert file.read_bytes() == saved


def test_run_folder_allows_one_run_at_a_time(tmp_path: Path) -> None:
    """Reject a second run in the folder, and stop a run that another one has replaced."""
    first, second = (Trainer.from_config(settings(tmp_path, total_decisions=1)) for _ in range(2))
    with lock_run_folder(tmp_path):
        with pytest.raises(GameError, match=str(os.getpid())) as error:
            first.fit()
        assert error.value.code == ErrorCode.RUN_LOCKED
        with pytest.raises(GameError) as error:
            Trainer.from_config(settings(tmp_path))
        assert error.value.code == ErrorCode.RUN_LOCKED
    first.fit()
    with pytest.raises(GameError) as error:
        second.fit()
    assert error.value.code == ErrorCode.RUN_LOCKED
    assert len(lines(tmp_path)) == first.num_updates == 1


def test_full_disk_keeps_the_checkpoint(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path, total_decisions=1))
    run.fit()
    saved = run.checkpoint_path.read_bytes()
    again = Trainer.from_config(settings(tmp_path, total_decisions=10**6))
    with files_end_after(len(saved) // 2), pytest.raises(OSError, match=r"File too large.*checkpoint\.state"):
        again.fit()
    assert run.checkpoint_path.read_bytes() == saved
    assert not list(tmp_path.glob(".*.partial"))
    assert Trainer.from_config(settings(tmp_path)).num_updates == run.num_updates


@pytest.mark.parametrize(("workers", "kills"), [pytest.param(1, 2, marks=long), (2, 1)])
def test_killed_run_resumes(tmp_path: Path, workers: int, kills: int) -> None:
    endless, done = settings(tmp_path, workers=workers, total_decisions=10**9), 0
    for _ in range(kills):
        run = Forked(lambda: Trainer.from_config(endless).fit())
        metrics = tmp_path / "metrics.jsonl"
        while run.is_running() and (not metrics.exists() or metrics.read_bytes().count(b"\n") < done + 5):
            time.sleep(0.01)
        assert run.is_running()
        run.kill()
        resumed = Trainer.from_config(settings(tmp_path, workers=workers))
        assert resumed.num_updates >= done
        assert resumed.num_updates >= metrics.read_bytes().count(b"\n") - 3  # at most the last interval is lost
        done = resumed.num_updates
    updates = [line["update"] for line in lines(tmp_path)][:done]
    assert updates == list(range(1, done + 1))


def test_unlabelled_hands_are_abduced_from_played_cards(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path, labelled_fraction=0.5))
    while run.self_play.buffer.num_ready < 200:
        run.self_play.step()
    rows = run.self_play.buffer.pop_ready(200)
    assert 0 < rows.is_revealed.mean() < 1
    assert (rows.played_later <= rows.hands).all()
    assert rows.played_later.sum() > 0
    given = run.learner.abduce_hands(rows)
    assert (given.hands[rows.is_revealed] == rows.hands[rows.is_revealed]).all()
    hidden = ~rows.is_revealed
    assert (given.hands[hidden] >= rows.played_later[hidden] - 1e-4).all()
    assert rows.constraints.select(hidden).is_consistent(given.hands[hidden], 1e-3).all()
    nearer = ((given.hands - rows.hands) ** 2).sum(axis=(1, 2)) <= ((rows.prior - rows.hands) ** 2).sum(axis=(1, 2)) + 1
    assert nearer.mean() > 0.9


@long
def test_run_can_be_resumed_with_other_learning_rates(tmp_path: Path) -> None:
    chosen = settings(tmp_path, total_decisions=1200)
    Trainer.from_config(chosen).fit()
    resumed = Trainer.from_config(replace(chosen, total_decisions=2500, learning_rate=1e-4, ent_coef=0.02))
    assert [group["lr"] for group in resumed.learner.policy_optimiser.param_groups] == [1e-4]
    resumed.fit()
    first, _, second = load_card(resumed.weights_path).command.partition("; then ")
    assert "learning_rate" not in first
    assert "--set learning_rate=0.0001 --set ent_coef=0.02" in second
    with pytest.raises(GameError, match=r"seed: .* 0") as error:
        Trainer.from_config(replace(chosen, seed=5))
    assert error.value.code == ErrorCode.RUN_MISMATCH


@long
def test_run_can_be_resumed_with_more_tables(tmp_path: Path) -> None:
    chosen = settings(tmp_path, total_decisions=1200)
    first = Trainer.from_config(chosen)
    first.fit()
    wider = replace(chosen, total_decisions=2500, num_envs=24, kb_opponent_share=0.5)
    resumed = Trainer.from_config(wider)
    assert (resumed.num_updates, resumed.decisions) == (first.num_updates, first.decisions)
    assert same(first, resumed)
    assert len(resumed.self_play.tables.keys) == 24
    assert not set(resumed.self_play.tables.keys.tolist()) & set(
        Trainer.from_config(replace(chosen, directory=tmp_path / "new")).self_play.tables.keys.tolist()
    )
    resumed.fit()
    again = Trainer.from_config(wider)
    assert (again.self_play.tables.keys == resumed.self_play.tables.keys).all()
    assert same(resumed, again)


@long
def test_run_can_be_resumed_with_more_workers(tmp_path: Path) -> None:
    chosen = settings(tmp_path, total_decisions=600)
    first = Trainer.from_config(chosen)
    first.fit()
    resumed = Trainer.from_config(replace(chosen, total_decisions=1800, workers=2))
    assert (resumed.num_updates, resumed.decisions) == (first.num_updates, first.decisions)
    assert same(first, resumed)
    resumed.fit()
    assert not set(resumed.self_play.tables.keys.tolist()) & set(first.self_play.tables.keys.tolist())
    assert "--set workers=2" in load_card(resumed.weights_path).command
    alone = Trainer.from_config(chosen)
    assert (alone.num_updates, alone.decisions, len(alone.self_play.tables.keys)) == (
        resumed.num_updates,
        resumed.decisions,
        16,
    )
    assert same(resumed, alone)


def test_number_of_processes_follows_settings() -> None:
    chosen = TrainConfig(Path())
    assert chosen.num_processes == NUM_THREADS
    assert replace(chosen, threads=1).num_processes == replace(chosen, device="cuda").num_processes == 1
    assert replace(chosen, threads=1, workers=3).num_processes == 3
    assert replace(chosen, num_envs=2, workers=3).num_processes == 2


def test_saved_weights_are_the_ema_weights(whole: Trainer) -> None:
    saved = load_networks(whole.weights_path, whole.engine).decision.state_dict()
    for name, tensor in whole.learner.ema.weights.items():
        torch.testing.assert_close(saved[name], tensor.half().float())
    assert any(not torch.equal(tensor, saved[name]) for name, tensor in whole.networks.decision.state_dict().items())


def test_running_mean() -> None:
    module = torch.nn.Linear(1, 1, bias=False)
    average, seen = WeightEMA(module, 0.9), []
    for value in range(200):
        module.weight.data.fill_(value)
        average.update()
        seen.append(float(average.weights["weight"]))
    assert seen[0] == 0
    assert seen[199] == pytest.approx(190, abs=0.1)  # in the long run it lags by memory / (1 - memory) steps
    assert seen == sorted(seen)


def weights_digest(trainer: Trainer) -> str:
    """Return the SHA-256 digest of all weights of a run."""
    digest = hashlib.sha256()
    for name, weight in trainer.networks.state_dict().items():
        digest.update(name.encode() + weight.numpy().tobytes())
    return digest.hexdigest()


@long
def test_hundred_updates_are_deterministic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the weights of two runs of preset ``small`` with one thread, by a digest.

    The digest is not compared with a stored one: the order of sums in matrix products depends on the processor, and so
    do the last bits of the weights. Both kinds of products of sparse inputs are made.
    """
    monkeypatch.setattr(sparse_linear, "MIN_SPARSE_ROWS", 16)
    digests = []
    for run in ("first", "second"):
        small = settings(
            tmp_path / run, game="gandengyan", preset="small", rollout_size=32, minibatch_size=32, num_envs=16,
            critic_warmup_updates=2, snapshot_interval=10, workers=1,
        )  # fmt: skip
        trainer = Trainer.from_config(small)
        for _ in range(100):
            trainer.step()
        digests.append(weights_digest(trainer))
    assert digests[0] == digests[1]
