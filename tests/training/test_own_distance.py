"""Custom distances, consistency functions and reasoners choose the moves that a run trains on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.tables.choices import Choices
from abl_cards.games.types.moves import MoveLists
from abl_cards.learners.weights_files import load_card
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.training.abduction import ReasonerParts, resolve_reasoner
from abl_cards.training.distance import MoveCandidates
from abl_cards.training.trainer import Trainer
from tests.training.test_joint_loop import SHORT
from tests.training.test_own_parts import cheapest, config, shape, stored
from tests.training.test_trainer import CountingReasoner, decisions_at_tables


def test_custom_distance_selects_consistent_moves(tmp_path: Path) -> None:
    lengths: list[int] = []

    def distance(candidates: MoveCandidates) -> NDArray[np.int32]:
        lengths.append(len(candidates))
        assert (candidates.probability > 1).sum() > 0
        assert candidates.is_consistent.shape == candidates.labels.shape == candidates.cost.shape
        return candidates.cost

    trainer = Trainer(SHORT, distance=distance, config=config(tmp_path, kb_opponent_share=0.0))
    rows = stored(trainer)
    assert lengths
    assert (rows.regret[np.arange(len(rows)), rows.label] == 0).all()  # the cheapest label, whichever was sampled
    trainer.fit(decisions=200)
    assert "distance=" in load_card(trainer.weights_path).command
    decisions = decisions_at_tables(trainer.engine, 20)
    moves = trainer.agent().play(decisions, np.zeros(20, np.uint64))
    best = Minimiser(trainer.engine.preference_model()).best(decisions)
    assert (decisions.labels_of(moves.form) == decisions.labels_of(best.form)).mean() > 0.9  # costs by an estimate


def test_default_distance_equals_its_definition(tmp_path: Path) -> None:
    def ours(candidates: MoveCandidates) -> NDArray[np.float64]:
        return -candidates.probability.astype(np.float64) * 1e9 + candidates.cost

    first = stored(Trainer(SHORT, config=config(tmp_path / "ours")))
    second = stored(Trainer(SHORT, distance=ours, config=config(tmp_path / "mine")))
    assert np.array_equal(first.label, second.label)
    assert np.array_equal(first.observation, second.observation)


def test_consistency_function_works_with_each_reasoner(tmp_path: Path) -> None:
    engine = load(SHORT).engine()
    passing = engine.label_traits.pass_label

    def no_pass(decisions: Any, lists: MoveLists) -> NDArray[np.bool_]:
        if isinstance(decisions, Choices):
            return np.ones(len(lists.form), np.bool_)
        return decisions.labels_of(lists.form) != passing

    for number, parts in enumerate(({}, {"reasoner": Minimiser(engine)}, {"distance": cheapest})):
        chosen = config(tmp_path / str(number))
        trainer = Trainer(SHORT, consistency=no_pass, config=chosen, **parts)  # type: ignore[arg-type]
        rows = stored(trainer)
        assert not rows.legal[:, passing].any()
        assert (rows.label != passing).all()

    class Passing(CountingReasoner):
        def realise(self, decisions: Any, label_probabilities: Any, estimate: Any = None) -> Any:
            lists = decisions.moves()
            order = np.lexsort((decisions.labels_of(lists.form) != passing, lists.decision_index))
            return lists.select(order[lists.start[:-1]])

    own = config(tmp_path / "own", kb_opponent_share=0.0)
    trainer = Trainer(SHORT, consistency=no_pass, reasoner=Passing(engine), config=own)
    with pytest.raises(GameError) as error:
        stored(trainer)
    assert error.value.code == ErrorCode.INVALID_REASONER


@pytest.mark.parametrize(
    "wrong", [lambda moves: np.zeros(3), lambda moves: np.full(len(moves), np.nan), lambda moves: ["a"] * len(moves)]
)
def test_invalid_distances_are_rejected(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(GameError) as error:
        stored(Trainer(SHORT, distance=wrong, config=config(tmp_path)))
    assert error.value.code == ErrorCode.INVALID_REASONER


@pytest.mark.parametrize("name", ["form", "cards", "start"])
@pytest.mark.parametrize("part", ["consistency", "distance"])
def test_functions_of_users_cannot_change_the_moves(name: str, part: str) -> None:
    def write(*arguments: Any) -> Any:
        getattr(arguments[1] if part == "consistency" else arguments[0].lists, name)[:] = 0

    engine = load(SHORT).engine()
    decisions = decisions_at_tables(engine, 4)
    before = [array.tolist() for array in decisions.moves()]
    abduction = resolve_reasoner(engine, ReasonerParts(**{part: write}))
    reasoner = abduction.reasoner or Minimiser(abduction.preference_model)
    with pytest.raises(GameError, match="read-only") as error:
        reasoner.realise(decisions, np.zeros((4, len(engine.labels)), np.float32))
    assert error.value.code == ErrorCode.INVALID_REASONER
    assert [array.tolist() for array in decisions.moves()] == before


@pytest.mark.parametrize("name", ["labels", "probability", "cost", "is_consistent"])
def test_distances_cannot_change_what_they_are_given(name: str) -> None:
    def write(candidates: MoveCandidates) -> Any:
        getattr(candidates, name)[:] = 0

    engine = load(SHORT).engine()
    reasoner = resolve_reasoner(engine, ReasonerParts(distance=write)).reasoner
    assert reasoner
    with pytest.raises(GameError, match="read-only"):
        reasoner.realise(decisions_at_tables(engine, 4), np.zeros((4, len(engine.labels)), np.float32))


def test_custom_reasoner_of_a_preset_gets_the_hand_estimate(tmp_path: Path) -> None:
    estimates = []

    class Estimating(CountingReasoner):
        def realise(self, decisions: Any, label_probabilities: Any, estimate: Any = None) -> Any:
            estimates.append(estimate)
            return super().realise(decisions, label_probabilities)

    engine = load(SHORT).engine()
    stored(Trainer(SHORT, reasoner=Estimating(engine), config=config(tmp_path, kb_opponent_share=0.0)), 8)
    sizes = shape()
    assert estimates[0].shape[1:] == (sizes.num_others, sizes.num_cards)
    assert estimates[-1].any()
