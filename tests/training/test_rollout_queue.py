"""The rollout queue: ordered, bounded, and with every sample counted once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core import archive
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.presets import PRESETS
from abl_cards.training.experience import Experience
from abl_cards.training.metrics import OPPONENT_NAMES
from abl_cards.training.rollout_queue import QueueStats, Rollout, RolloutQueue
from abl_cards.training.selfplay import Score
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings

FIELDS = Experience.__dataclass_fields__


def rows(first: int, n: int) -> Experience:
    """Return decisions with distinct labels."""
    values: dict[str, Any] = {name: np.zeros((n, 1)) for name in FIELDS}
    return Experience(**(values | {"label": np.arange(first, first + n, dtype=np.int16)}))


def portion(number: int, n: int = 10, version: int = 0, actor: int = 0) -> Rollout:
    score = Score.zero(len(OPPONENT_NAMES))
    return Rollout(actor, number, version, n, 3 * n + 1, score, lambda: rows(100 * number, n))


def labels(pool: RolloutQueue, n: int, version: int = 0) -> tuple[list[int], int]:
    drawn = pool.pop(n, version)
    assert drawn
    return drawn.rows.label.tolist(), drawn.decisions


def test_queue_is_fifo_and_counts_every_decision_once() -> None:
    pool = RolloutQueue(100)
    for number in range(3):
        assert pool.put(portion(number))
    drawn: list[int] = []
    counted = 0
    for n in (4, 9, 13, 4):
        new_labels, decisions = labels(pool, n)
        drawn, counted = drawn + new_labels, counted + decisions
    assert drawn == [*range(10), *range(100, 110), *range(200, 210)]
    assert counted == 3 * 31
    assert pool.pop(1, 0) is None
    assert pool.pop_stats() == QueueStats(drawn=30)
    assert pool.pop_stats() == QueueStats()


def test_full_queue_drops_the_oldest_rows() -> None:
    pool = RolloutQueue(25)
    for number in range(4):
        pool.put(portion(number))
    assert pool.num_rows == 25
    assert labels(pool, 25)[0] == [*range(105, 110), *range(200, 210), *range(300, 310)]
    assert pool.pop_stats() == QueueStats(drawn=25, dropped_full=15)


def test_stale_rollouts_are_dropped() -> None:
    pool = RolloutQueue(100, max_lag=2)
    for number, version in enumerate((3, 0, 4)):
        pool.put(portion(number, version=version))
    assert labels(pool, 15, version=5)[0] == [*range(10), *range(200, 205)]
    pooled = pool.pop_stats()
    assert pooled == QueueStats(drawn=15, total_lag=10 * 2 + 5 * 1, dropped_stale=10)
    assert pooled.staleness == 25 / 15
    assert pool.pop(5, 7) is None
    assert (pool.num_rows, pool.pop_stats()) == (0, QueueStats(dropped_stale=5))


def test_repeated_rollouts_are_dropped() -> None:
    pool = RolloutQueue(100)
    for number, actor in ((0, 0), (1, 0), (0, 7), (1, 0), (0, 0), (0, 7)):
        pool.put(portion(number, actor=actor))
    assert (pool.num_rows, pool.pop_stats()) == (30, QueueStats(dropped_repeated=30))


def test_queue_state_round_trips() -> None:
    pool, again = RolloutQueue(100), RolloutQueue(100)
    for number in range(2):
        pool.put(portion(number))
    first = labels(pool, 13)[1]
    again.load_state_dict(archive.unpack_archive(archive.pack_archive(pool.state_dict())))
    drawn, later = labels(again, 7)
    assert (drawn, first + later) == ([*range(103, 110)], 62)
    assert not again.put(portion(1))


def test_too_small_queue_capacity_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    with pytest.raises(GameError, match="queue_capacity: 3 ") as error:
        Trainer.from_config(settings(tmp_path, queue_capacity=3))
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_metrics_include_queue_statistics(whole: Trainer) -> None:
    metrics = whole.settings.directory / "metrics.jsonl"
    assert '"staleness": ' in metrics.read_text()
    assert '"thrown away, pool full": 0' in metrics.read_text()
