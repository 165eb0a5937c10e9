"""The loop by way of ABLkit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.games import GameError
from abl_cards.loop.bridge import DrawingReasoner, JointBridge, LabelsKB
from abl_cards.loop.training import Run
from learners.presets import PRESETS
from tests.learners.tiny import TINY
from tests.loop.test_training import lines, same, settings


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.chdir(tmp_path)


def test_a_run_by_way_of_ablkit_is_the_same_run(tmp_path: Path) -> None:
    alone = Run(settings(tmp_path / "alone", decisions=1500))
    alone.go()
    bridge = JointBridge(Run(settings(tmp_path / "bridge", decisions=1500)))
    bridge.train()
    assert len(lines(tmp_path / "alone")) == len(lines(tmp_path / "bridge"))
    first, other = ({key: value for key, value in lines(tmp_path / way)[0].items() if value is not None}
                    for way in ("alone", "bridge"))  # fmt: skip
    assert first == pytest.approx(other, rel=1e-4)
    assert "value_loss" in first
    assert not same(alone, Run(settings(tmp_path / "fresh")))


def test_one_part_can_be_replaced(tmp_path: Path) -> None:
    class Timid(DrawingReasoner):
        """Takes the last consistent label, whatever the learner says."""

        def batch_abduce(self, data_examples: Any) -> Any:
            legal = data_examples.X[0][0].batch.to_decide.legal
            last = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
            data_examples.abduced_pseudo_label = [[self.idx_to_label[int(label)]] for label in last]
            return data_examples.abduced_pseudo_label

    run = Run(replace(settings(tmp_path), decisions=1))
    JointBridge(run, reasoner=Timid(LabelsKB(run.engine.labels)))
    for _ in range(40):
        run.play.step()
    kept = run.play.memory.rows.at(run.play.memory.state > 0)
    assert len(kept) > 50
    assert np.array_equal(kept.label, kept.legal.shape[1] - 1 - kept.legal[:, ::-1].argmax(axis=1))


def test_parts_are_swapped_in_one_process_only(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="workers=1"):
        JointBridge(Run(settings(tmp_path, workers=2)))


def test_the_knowledge_base_knows_what_is_consistent(tmp_path: Path) -> None:
    run = Run(settings(tmp_path))
    from abl_cards.loop.bridge import Batch

    view = run.play.mind.look(run.play.tables.decisions(run.play.tables.playing()))
    examples = Batch(view).examples()
    kb = LabelsKB(run.engine.labels)
    for row in range(3):
        allowed = [kb.logic_forward([label], examples.X[row]) for label in run.engine.labels]
        assert np.array_equal(allowed, view.legal[row])
