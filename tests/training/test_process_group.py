"""Process groups, tested here with threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import torch

from abl_cards.learners.batches import to_training_batch
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.symmetry import Symmetries
from abl_cards.training.experience import Experience
from abl_cards.training.joint_loop import learn
from abl_cards.training.process_group import (
    LOCALHOST,
    GlooProcessGroup,
    ProcessGroup,
    ProcessRank,
    SingleProcess,
    create_store,
)
from abl_cards.training.trainer import Trainer
from abl_cards.training.updates import PPOLearner
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings

T = TypeVar("T")


def run_ranks(size: int, act: Callable[[ProcessGroup, int], T]) -> list[T]:
    """Run a function as every rank of a group, and return the results."""
    port = create_store(size)

    def one(rank: int) -> T:
        post = ProcessRank(rank, size)
        return act(
            GlooProcessGroup(post, port) if rank == 0 else GlooProcessGroup.connect(post, LOCALHOST, port.port), rank
        )

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(one, range(size)))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_shards_cover_the_range_without_overlap(size: int) -> None:
    posts = [ProcessRank(rank, size) for rank in range(size)]
    assert [table for post in posts for table in post.shard_range(16)] == list(range(16))
    assert {post.shard_size(16) for post in posts} == {-(-16 // size)}


def test_all_reduce_mean_is_equal_and_deterministic() -> None:
    values = np.random.default_rng(1).standard_normal((3, 10_000)).astype(np.float32)

    def mean(crew: ProcessGroup, rank: int) -> bytes:
        own = torch.from_numpy(values[rank].copy())
        crew.all_reduce_mean_([own[:9_999].view(99, 101), own[9_999:]])
        return own.numpy().tobytes()

    means = {mine for _ in range(3) for mine in run_ranks(3, mean)}
    assert len(means) == 1
    np.testing.assert_allclose(np.frombuffer(means.pop(), np.float32), values.mean(axis=0), atol=1e-6)


def test_all_gather_joins_values_in_rank_order() -> None:
    for joined in run_ranks(3, lambda crew, rank: crew.all_gather(np.array([rank, 10 * rank], np.float32))):
        assert joined.tolist() == [0, 0, 1, 10, 2, 20]
    assert SingleProcess().all_gather(np.ones(2, np.float32)).tolist() == [1, 1]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trainer:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    return Trainer.from_config(settings(tmp_path))


def train_weights(run: Trainer, crew: ProcessGroup, rows: Experience) -> torch.Tensor:
    """Return the weights after one PPO step and one ABLN step, each on all rows, from the same start."""
    networks = deepcopy(run.networks)
    networks.preset = replace(
        TINY, ppo=replace(TINY.ppo, minibatch_size=len(rows), max_grad_norm=0.05), abln_train_share=0.0
    )
    trainer = PPOLearner(networks, Symmetries.from_orders(run.engine.symmetries, run.engine.observation_features))
    trainer.process_group = crew
    learn(trainer, rows, np.random.default_rng(0))
    trainer.train_abln_step(to_training_batch(rows, networks.device, dtype=networks.dtype))
    return torch.nn.utils.parameters_to_vector(networks.parameters()).detach()


def test_two_ranks_step_like_one_with_all_rows(run: Trainer) -> None:
    while run.self_play.buffer.num_ready < 200:
        run.self_play.step()
    rows = run.self_play.buffer.pop_ready(200)
    before = torch.nn.utils.parameters_to_vector(run.networks.parameters()).detach()
    alone = train_weights(run, SingleProcess(), rows) - before
    first, second = run_ranks(2, lambda crew, rank: train_weights(run, crew, rows.at(np.arange(rank, 200, 2))) - before)
    assert torch.equal(first, second)
    # Adam's first step is nearly the sign of the gradient: where there is none, rounding decides.
    near = torch.isclose(first, alone, atol=1e-4).float().mean()
    assert near > 0.99
    apart = train_weights(run, SingleProcess(), rows.at(np.arange(0, 200, 2))) - before
    assert torch.isclose(apart, alone, atol=1e-4).float().mean() < 0.9


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this system does not say who listens where")
def test_store_listens_on_loopback_only() -> None:
    store = create_store(2)
    tables = (Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6"))
    ours = {line.split()[1] for table in tables for line in table if line.split()[1].endswith(f":{store.port:04X}")}
    assert ours == {f"0100007F:{store.port:04X}"}
