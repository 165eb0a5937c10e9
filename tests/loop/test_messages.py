"""What processes say to each other."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from abl_cards.loop.crew import Post, Separated
from abl_cards.loop.helpers import Beginning
from abl_cards.loop.messages import made, plain, receive, send
from abl_cards.loop.samples import Pooled
from abl_cards.loop.selfplay import Score
from abl_cards.loop.settings import Settings
from abl_cards.loop.updates import Update
from abl_cards.loop.worker import Turn
from learners.presets import PRESETS
from tests.loop.test_checkpoint import plant


def test_a_beginning_arrives_as_it_was_sent() -> None:
    settings = replace(Settings(Path("runs/a")), start=Path("b"), rows=64, threads=None, entropy=0.1)
    sent = Beginning(settings, PRESETS["small"], Post(1, 2), "127.0.0.1", 4711, {"update": 3}, {})
    stream = BytesIO()
    send(stream, sent)
    stream.seek(0)
    assert made(Beginning, receive(stream)) == sent


def test_a_turn_arrives_as_it_was_sent() -> None:
    score = Score(np.array([1, 2]), np.array([0.5, 1.0]), np.array([0, 1]))
    sent = Turn(7, score, Update(*range(6)), Pooled(5, 1))
    got = made(Turn, plain(sent))
    assert (got.decisions, got.learned, got.pooled) == (7, sent.learned, sent.pooled)
    assert (got.score.points == score.points).all()


@pytest.mark.parametrize("rest", [0, 1, 30])
def test_what_is_no_message_ends_it(tmp_path: Path, rest: int) -> None:
    stream = BytesIO()
    send(stream, {"a": np.arange(4)})
    with pytest.raises(Separated):
        receive(BytesIO(stream.getvalue()[:rest]))
    trace = plant(tmp_path / "message")
    with pytest.raises(Separated):
        receive(BytesIO((tmp_path / "message").read_bytes()))
    assert not trace.exists()
