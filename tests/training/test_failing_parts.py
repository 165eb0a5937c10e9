"""Errors of the parts that a user writes: a network, a reasoner, a function or a callback that fails or misbehaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import Moves
from abl_cards.learners.model_interface import Batch, PolicyOutput
from abl_cards.learners.model_networks import load_model
from abl_cards.learners.networks import GameShape
from abl_cards.learners.weights_files import load_card
from abl_cards.learners.weights_io import load_networks
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.training.model_agent import load_model_agent, make_model_agent
from abl_cards.training.trainer import Trainer
from tests.effort import amount
from tests.training.test_joint_loop import SHORT
from tests.training.test_trainer import CountingReasoner, TwoLayers, config, network


class IllegalReasoner(CountingReasoner):
    def realise(self, decisions: Decisions, label_probabilities: NDArray[Any]) -> Moves:
        moves = super().realise(decisions, label_probabilities)
        return Moves(moves.form, np.full_like(moves.cards, 3))


@pytest.mark.parametrize("reasoner", [object(), IllegalReasoner, lambda decisions, lists: np.ones(3, np.int8)])
def test_invalid_reasoners_are_rejected(tmp_path: Path, reasoner: Any) -> None:
    given = reasoner(load(SHORT).engine()) if isinstance(reasoner, type) else reasoner
    with pytest.raises(GameError) as error:
        Trainer(SHORT, model=network(), reasoner=given, config=config(tmp_path)).self_play.step()
    assert error.value.code == ErrorCode.INVALID_REASONER


class RaisingReasoner(CountingReasoner):
    def realise(self, decisions: Decisions, label_probabilities: NDArray[Any], estimate: Any = None) -> Moves:
        raise KeyError


def raise_key_error(*arguments: Any) -> Any:
    raise KeyError


class FailingTrainingModel(TwoLayers):
    def forward(self, batch: Batch) -> PolicyOutput:
        return raise_key_error() if self.training else super().forward(batch)


class FailingTrainingPolicy(torch.nn.Linear):
    def forward(self, batch: Any) -> torch.Tensor:
        return raise_key_error() if self.training else super().forward(batch.observation)


@pytest.mark.parametrize(
    ("part", "name", "code"),
    [
        ("consistency", "consistency function", ErrorCode.INVALID_REASONER),
        ("distance", "distance function", ErrorCode.INVALID_REASONER),
        ("reasoner", "RaisingReasoner.realise", ErrorCode.INVALID_REASONER),
        ("model", "FailingTrainingModel.forward", ErrorCode.MODEL_FAILED),
        ("policy", "FailingTrainingPolicy.forward", ErrorCode.MODEL_FAILED),
    ],
)
def test_error_of_custom_part_names_it_and_keeps_cause(tmp_path: Path, part: str, name: str, code: ErrorCode) -> None:
    engine = load(SHORT).engine()
    shape = GameShape.of(engine)
    parts: dict[str, Any] = {
        "consistency": raise_key_error, "distance": raise_key_error, "reasoner": RaisingReasoner(engine),
        "model": FailingTrainingModel(shape), "policy": FailingTrainingPolicy(shape.num_features, shape.num_labels),
    }  # fmt: skip
    with pytest.raises(GameError) as error:
        Trainer(SHORT, config=config(tmp_path, critic_warmup_updates=0), **{part: parts[part]}).fit()
    assert error.value.code is code
    assert name in str(error.value)
    assert f"{Path(__file__).name}:" in str(error.value)
    assert isinstance(error.value.__cause__, KeyError)


def test_exceptions_of_callbacks_propagate(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        Trainer(SHORT, model=network(), config=config(tmp_path), callbacks=[raise_key_error]).fit()


class WritingNetwork(TwoLayers):
    def forward(self, batch: Batch) -> PolicyOutput:
        batch.action_mask[:] = True
        return super().forward(batch)


def test_network_writing_into_its_batch_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        Trainer(SHORT, model=WritingNetwork(GameShape.of(load(SHORT).engine())), config=config(tmp_path))
    assert error.value.code == ErrorCode.MODEL_FAILED
    assert "batch.action_mask" in str(error.value)


class ChangedOutput(TwoLayers):
    """A network with a modified output."""

    def __init__(self, shape: GameShape, change: Any) -> None:
        super().__init__(shape)
        self.change = change

    def forward(self, batch: Batch) -> Any:
        return self.change(super().forward(batch))


def test_non_finite_output_stops_the_run(tmp_path: Path) -> None:
    model = network()
    trainer = Trainer(SHORT, model=model, config=config(tmp_path, workers=2))
    trainer.fit(decisions=200)
    saved = trainer.checkpoint_path.read_bytes()
    with torch.no_grad():
        model.value.bias.fill_(torch.nan)
    with pytest.raises(GameError, match=r"TwoLayers\.forward: value") as error:
        trainer.fit(decisions=2000)
    assert error.value.code == ErrorCode.MODEL_OUTPUT_NOT_FINITE
    assert trainer.checkpoint_path.read_bytes() == saved


def test_output_without_a_gradient_is_rejected(tmp_path: Path) -> None:
    def detach(output: PolicyOutput) -> PolicyOutput:
        return PolicyOutput(output.logits.detach(), output.value.detach())

    trainer = Trainer(SHORT, model=ChangedOutput(GameShape.of(load(SHORT).engine()), detach), config=config(tmp_path))
    with pytest.raises(GameError, match="ChangedOutput: the output depends on no weight") as error:
        trainer.fit()
    assert error.value.code == ErrorCode.MODEL_FAILED


def test_logits_without_a_gradient_beside_a_value_with_one_are_rejected(tmp_path: Path) -> None:
    """Only where all weights are to learn: a network with frozen weights may keep its policy as it is."""

    def detach(output: PolicyOutput) -> PolicyOutput:
        return PolicyOutput(output.logits.detach(), output.value)

    def changed() -> ChangedOutput:
        return ChangedOutput(GameShape.of(load(SHORT).engine()), detach)

    with pytest.raises(GameError, match="ChangedOutput: logits depend on no weight") as error:
        Trainer(SHORT, model=changed(), config=config(tmp_path / "detached")).fit()
    assert error.value.code == ErrorCode.MODEL_FAILED
    frozen = changed()
    frozen.logits.requires_grad_(False)
    Trainer(SHORT, model=frozen, config=config(tmp_path / "frozen")).fit(decisions=amount(200, 3000))


@pytest.mark.parametrize(
    "change",
    [
        lambda moves: Moves(moves.form.astype(float), moves.cards),
        lambda moves: Moves(moves.form, moves.cards[:, 0]),
        lambda moves: Moves(moves.form, moves.cards * np.nan),
        lambda moves: Moves(moves.form, None),  # type: ignore[arg-type]
    ],
)
def test_moves_of_other_types_are_rejected(tmp_path: Path, change: Any) -> None:
    with pytest.raises(GameError, match="ChangingReasoner") as error:
        Trainer(SHORT, model=network(), reasoner=ChangingReasoner(change), config=config(tmp_path)).self_play.step()
    assert error.value.code == ErrorCode.INVALID_REASONER


def test_cards_of_a_move_may_come_in_any_order(tmp_path: Path) -> None:
    reasoner = ChangingReasoner(lambda moves: Moves(moves.form.tolist(), moves.cards[:, ::-1]))
    trainer = Trainer(SHORT, model=network(), reasoner=reasoner, config=config(tmp_path))
    for _ in range(20):
        trainer.self_play.step()


class ChangingReasoner(CountingReasoner):
    """A reasoner whose moves are changed."""

    def __init__(self, change: Any) -> None:
        super().__init__(load(SHORT).engine())
        self.change = change

    def realise(self, decisions: Decisions, label_probabilities: NDArray[Any], estimate: Any = None) -> Moves:
        return self.change(super().realise(decisions, label_probabilities))


def test_reasoner_of_another_game_is_rejected(tmp_path: Path) -> None:
    for reasoner in (Minimiser("whist"), load("whist").engine().preference_model()):
        with pytest.raises(GameError, match="whist") as error:
            Trainer(SHORT, model=network(), reasoner=reasoner, config=config(tmp_path))
        assert error.value.code == ErrorCode.INVALID_REASONER


def test_settings_that_are_none_are_named(tmp_path: Path) -> None:
    for given in ({"total_decisions": 3}, "small"):
        with pytest.raises(GameError, match="config") as error:
            Trainer(SHORT, config=given)  # type: ignore[arg-type]
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_sizes_of_a_game_in_every_form() -> None:
    game = load(SHORT)
    shape = GameShape.of(game.engine())
    for form in (game, game.directory, str(game.directory)):
        other = GameShape.of(form)
        assert (other.num_features, other.num_actions, other.copies) == (
            shape.num_features, shape.num_actions, shape.copies,
        )  # fmt: skip
    with pytest.raises(GameError) as error:
        GameShape.of("no-such-game")
    assert error.value.code == ErrorCode.UNKNOWN_GAME


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"model": TwoLayers}, ErrorCode.MODEL_FAILED),
        ({"model": "mine.py"}, ErrorCode.MODEL_FAILED),
        ({"precision": "half"}, ErrorCode.INVALID_VALUE),
    ],
)
def test_agents_of_no_network_or_an_unknown_precision_are_rejected(changes: dict[str, Any], code: ErrorCode) -> None:
    """Another precision is not float32 by another name."""
    with pytest.raises(GameError) as error:
        make_model_agent(SHORT, **{"model": network(), **changes})
    assert error.value.code == code


@pytest.mark.parametrize("file", ["", ".", 3, None])
def test_files_of_weights_that_are_none_are_named(file: Any) -> None:
    model = network()
    for load_file in (
        lambda: load_networks(file, SHORT), lambda: load_card(file), lambda: load_model(file, model),
        lambda: load_model_agent(SHORT, file, model),
    ):  # fmt: skip
        with pytest.raises(GameError) as error:
            load_file()
        assert error.value.code in (ErrorCode.INVALID_VALUE, ErrorCode.WEIGHTS_NOT_READABLE)


def test_metrics_have_no_gap_after_an_interruption(tmp_path: Path) -> None:
    """An interrupted call leaves the run as it is in memory, past its last checkpoint, and the next one goes on."""
    updates: list[Any] = []

    def interrupt(metrics: Any) -> None:
        updates.append(metrics)
        if len(updates) == 3:
            raise KeyboardInterrupt

    trainer = Trainer(SHORT, model=network(), config=config(tmp_path, checkpoint_interval=2))
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(decisions=100_000, callbacks=[interrupt])
    assert trainer.metrics["update"].tolist() == [1, 2, 3]
    trainer.fit(decisions=trainer.decisions + 1)
    assert trainer.metrics["update"].tolist() == [1, 2, 3, 4]
    again = Trainer(SHORT, model=network(), config=config(tmp_path))
    assert again.metrics["update"].tolist() == [1, 2, 3, 4]
