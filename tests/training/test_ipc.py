"""Messages between processes."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from abl_cards.learners.presets import PRESETS
from abl_cards.training.ipc import from_plain, receive, send, to_plain
from abl_cards.training.process_group import PeerLost, ProcessRank
from abl_cards.training.reports import IterationStats
from abl_cards.training.rollout_queue import QueueStats
from abl_cards.training.selfplay import Score
from abl_cards.training.settings import TrainConfig
from abl_cards.training.updates import UpdateStats
from abl_cards.training.workers import WorkerInit
from tests.training.test_checkpoint import write_malicious_pickle


def test_worker_init_round_trips() -> None:
    settings = replace(TrainConfig(Path("runs/a")), init_from=Path("b"), rollout_size=64, threads=None, ent_coef=0.1)
    sent = WorkerInit(settings, PRESETS["small"], ProcessRank(1, 2), "127.0.0.1", 4711, {"update": 3}, {})
    stream = BytesIO()
    send(stream, sent)
    stream.seek(0)
    assert from_plain(WorkerInit, receive(stream)) == sent


def test_iteration_stats_round_trip() -> None:
    score = Score(np.array([1, 2]), np.array([0.5, 1.0]), np.array([0, 1]))
    sent = IterationStats(7, score, UpdateStats(*range(6)), QueueStats(5, 1))
    got = from_plain(IterationStats, to_plain(sent))
    assert (got.decisions, got.update_stats, got.queue_stats) == (7, sent.update_stats, sent.queue_stats)
    assert (got.score.points == score.points).all()


@pytest.mark.parametrize("size", [0, 1, 30])
def test_invalid_messages_raise_peer_lost(tmp_path: Path, size: int) -> None:
    stream = BytesIO()
    send(stream, {"a": np.arange(4)})
    with pytest.raises(PeerLost):
        receive(BytesIO(stream.getvalue()[:size]))
    trace = write_malicious_pickle(tmp_path / "message")
    with pytest.raises(PeerLost):
        receive(BytesIO((tmp_path / "message").read_bytes()))
    assert not trace.exists()
