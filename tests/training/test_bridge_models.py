"""ABLkit's reasoners, and custom models, in the joint loop through ABLkit's classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ablkit.learning import ABLModel, BasicNN
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.networks import GameShape
from abl_cards.learners.own_parts import InputRow
from abl_cards.learners.weights_files import load_card
from abl_cards.training.bridge import BatchRow, DecisionBatch, JointBridge, LabelsKB, SamplingReasoner
from abl_cards.training.trainer import Trainer
from tests.training import own_networks
from tests.training.own_networks import FrequencyModel, LinearPolicy, MeanHands, MeanModel
from tests.training.test_joint_loop import SHORT
from tests.training.test_own_parts import DECISIONS, config, shape, stored
from tests.training.test_trainer import decisions_at_tables


def trainer_in(directory: Path, **changes: Any) -> Trainer:
    return Trainer(SHORT, config=config(directory, **changes))


def labels_of(trainer: Trainer) -> LabelsKB:
    return LabelsKB(trainer.engine.labels)


def favour_last(data_example: Any, candidates: Any, candidate_idxs: Any, reasoning_results: Any) -> NDArray[np.int64]:
    return -np.array(candidate_idxs)[:, 0]


@pytest.mark.parametrize("dist_func", ["confidence", "hamming", favour_last])
def test_ablkit_reasoner_trains_and_moves_are_legal(tmp_path: Path, dist_func: Any) -> None:
    trainer = trainer_in(tmp_path)
    bridge = JointBridge(trainer, reasoner=Reasoner(labels_of(trainer), dist_func=dist_func))
    before = {name: tensor.clone() for name, tensor in trainer.networks.state_dict().items()}
    rows = stored(trainer)
    assert rows.legal[np.arange(len(rows)), rows.label].all()
    bridge.train()
    after = trainer.networks.state_dict()
    for network in ("decision", "critic", "abln"):
        assert any(not torch.equal(before[name], after[name]) for name in after if name.startswith(f"{network}."))
    assert trainer.decisions >= DECISIONS
    assert np.isfinite(trainer.metrics["policy_loss"][1:]).all()
    agent = make_agent(f"abl:weights={trainer.weights_path}", trainer.engine)
    decisions = decisions_at_tables(trainer.engine, 20)
    lists = decisions.moves()
    assert (lists.find(agent.play(decisions, np.zeros(20, np.uint64))) >= 0).all()


def test_ablkit_reasoner_revises_illegal_labels(tmp_path: Path) -> None:
    """A model that takes no rules into account predicts illegal labels; the nearest legal one is abduced."""
    trainer = trainer_in(tmp_path, kb_opponent_share=0.0, past_opponent_share=0.0)
    labels = trainer.engine.labels
    model = FrequencyModel(shape())
    model.counts = np.arange(1.0, len(labels) + 1)  # the last label is the most probable
    JointBridge(trainer, model=ABLModel(model), reasoner=Reasoner(labels_of(trainer)))
    rows = stored(trainer)
    last = rows.legal.shape[1] - 1 - rows.legal[:, ::-1].argmax(axis=1)
    assert np.array_equal(rows.label, last)


def test_custom_knowledge_base_is_the_consistency_function(tmp_path: Path) -> None:
    trainer = trainer_in(tmp_path, kb_opponent_share=0.0, past_opponent_share=0.0)
    passing = trainer.engine.labels[trainer.engine.label_traits.pass_label]

    class NoPass(LabelsKB):
        """A knowledge base that never passes."""

        def logic_forward(self, pseudo_label: Any, x: Any) -> bool:
            return pseudo_label[0] != passing and super().logic_forward(pseudo_label, x)

    JointBridge(trainer, reasoner=Reasoner(NoPass(trainer.engine.labels)))
    rows = stored(trainer)
    assert (rows.label != trainer.engine.label_traits.pass_label).all()
    assert rows.legal[:, trainer.engine.label_traits.pass_label].any()


def test_candidates_equal_exhaustive_search(tmp_path: Path) -> None:
    """Only legal labels are tried, in the same order as ABLkit tries all of them."""
    trainer = trainer_in(tmp_path)
    kb, play = labels_of(trainer), trainer.self_play
    view = play.policy.features(play.tables.decisions(play.tables.rows_to_play()))
    data = DecisionBatch(view).to_list_data()
    for x in data.X[:3]:
        illegal = trainer.engine.labels[int(view.legal[x[0].row].argmin())]
        assert kb.revise_at_idx([illegal], True, x, [0]) == KBBase.revise_at_idx(kb, [illegal], True, x, [0])
        assert kb.abduce_candidates([illegal], True, x, 1, 0)[0]
        assert kb.abduce_candidates([illegal], True, x, 0, 0)[0] == []


class Refusing(LabelsKB):
    """A knowledge base that no label is consistent with."""

    def logic_forward(self, pseudo_label: Any, x: Any) -> bool:
        return False


class Lawless(LabelsKB):
    """A knowledge base that every label is consistent with."""

    def logic_forward(self, pseudo_label: Any, x: Any) -> bool:
        return True


@pytest.mark.parametrize("kb", [Refusing, Lawless])
def test_knowledge_base_without_legal_labels_is_rejected(tmp_path: Path, kb: type[LabelsKB]) -> None:
    trainer = trainer_in(tmp_path)
    JointBridge(trainer, model=ABLModel(FrequencyModel(shape())), reasoner=Reasoner(kb(trainer.engine.labels)))
    with pytest.raises(GameError, match="Reasoner") as error:
        stored(trainer)
    assert error.value.code == ErrorCode.INVALID_REASONER


class FailingKB(LabelsKB):
    """A knowledge base with a mistake."""

    def logic_forward(self, pseudo_label: Any, x: Any) -> bool:
        raise KeyError(pseudo_label[0])


class UnknownLabelReasoner(SamplingReasoner):
    """A reasoner that returns labels which there are not."""

    def batch_abduce(self, data_examples: Any) -> Any:
        data_examples.abduced_pseudo_label = [["no label"] for _ in data_examples.X]
        return data_examples.abduced_pseudo_label


class FailingModel(FrequencyModel):
    """A model that fails in one of its methods."""

    failing = ""

    def predict_proba(self, X: list[InputRow]) -> NDArray[np.float64]:
        if self.failing == "predict_proba":
            raise KeyError
        return super().predict_proba(X)

    def fit(self, X: list[InputRow], y: list[int]) -> float:
        if self.failing == "fit":
            raise KeyError
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("FailingKB", ErrorCode.INVALID_REASONER),
        ("UnknownLabelReasoner", ErrorCode.INVALID_REASONER),
        ("predict_proba", ErrorCode.MODEL_FAILED),
        ("fit", ErrorCode.MODEL_FAILED),
    ],
)
def test_error_of_custom_part_names_it_and_keeps_cause(tmp_path: Path, part: str, code: ErrorCode) -> None:
    trainer, model = trainer_in(tmp_path), FailingModel(shape())
    labels = trainer.engine.labels
    reasoners = {
        "FailingKB": Reasoner(FailingKB(labels)),
        "UnknownLabelReasoner": UnknownLabelReasoner(LabelsKB(labels)),
    }
    JointBridge(trainer, model=ABLModel(model), reasoner=reasoners.get(part))
    model.failing = part
    with pytest.raises(GameError, match=part) as error:
        trainer.fit()
    assert error.value.code is code
    assert isinstance(error.value.__cause__, KeyError)


def test_custom_model_trains_with_default_critic_and_abln(tmp_path: Path) -> None:
    trainer, model = trainer_in(tmp_path), FrequencyModel(shape())
    bridge = JointBridge(trainer, model=ABLModel(model))
    before = {name: tensor.clone() for name, tensor in trainer.networks.state_dict().items()}
    bridge.train()
    after = trainer.networks.state_dict()
    for network in ("critic", "abln"):
        assert any(not torch.equal(before[name], after[name]) for name in after if name.startswith(f"{network}."))
    assert not torch.equal(before["decision.state.counts"], after["decision.state.counts"])
    assert model.counts.sum() > len(model.counts)
    assert (trainer.metrics["policy_loss"][1:] == 1.5).all()
    card = load_card(trainer.weights_path)
    assert card.own_parts == {
        "policy": {"class": "tests.training.own_networks.FrequencyModel", "file": "own_networks.py"}
    }
    assert card.abln
    decisions, keys = decisions_at_tables(trainer.engine, 20), np.zeros(20, np.uint64)
    moves = trainer.agent().play(decisions, keys)
    for option in ("model", "policy"):
        spec = f"abl:weights={trainer.weights_path},{option}={own_networks.__file__}:FrequencyModel"
        named = make_agent(spec, trainer.engine)
        assert np.array_equal(named.policy.networks.decision.base_model.counts, model.counts)  # type: ignore[attr-defined]
        assert (named.play(decisions, keys).cards == moves.cards).all()
    with pytest.raises(GameError) as error:
        make_agent(f"abl:weights={trainer.weights_path}", trainer.engine)
    assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED


def models() -> dict[str, ABLModel]:
    return {
        "model": ABLModel(FrequencyModel(shape())),
        "critic": ABLModel(MeanModel()),
        "abln": ABLModel(MeanHands(shape())),
    }


def test_all_ablkit_models_are_trained_and_resumed(tmp_path: Path) -> None:
    whole, half = (JointBridge(trainer_in(tmp_path / name), **models()) for name in ("whole", "half"))
    whole.trainer.fit(decisions=700)
    half.trainer.fit(decisions=300)
    metrics = whole.trainer.metrics
    for name in ("policy_loss", "value_loss", "hands_loss"):
        assert np.isfinite(metrics[name][1:]).all()
    waiting = trainer_in(tmp_path / "half")
    for call in (waiting.fit, waiting.agent, lambda: waiting.save_weights(waiting.weights_path)):
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED
    resumed = JointBridge(waiting, **models())
    assert waiting.num_updates == half.trainer.num_updates > 0
    resumed.trainer.fit(decisions=700)
    first, other = whole.trainer.networks.state_dict(), resumed.trainer.networks.state_dict()
    assert first.keys() == other.keys()
    assert all(torch.equal(first[name], other[name]) for name in first)
    direct = {("policy" if name == "model" else name): model for name, model in models().items()}
    again: Any = Trainer(SHORT, config=config(tmp_path / "half"), **direct)
    assert np.array_equal(again.networks.decision.base_model.counts, first["decision.state.counts"].numpy())
    file = own_networks.__file__
    spec = f"policy={file}:FrequencyModel,critic={file}:MeanModel,abln={file}:MeanHands"
    assert make_agent(f"abl:weights={waiting.weights_path},{spec}", waiting.engine)
    other_class = models() | {"critic": ABLModel(MeanHands(shape()))}
    with pytest.raises(GameError) as error:
        JointBridge(trainer_in(tmp_path / "half"), **other_class)
    assert error.value.code in (ErrorCode.RUN_MISMATCH, ErrorCode.MODEL_FAILED)


class Columns(LinearPolicy):
    """A module for ABLkit's BasicNN, which reads observations alone."""

    def __init__(self, sizes: GameShape) -> None:
        super().__init__(sizes)
        self.logits = torch.nn.Linear(sizes.num_features, sizes.num_labels)

    def forward(self, observation: Any) -> torch.Tensor:
        logits: torch.Tensor = self.logits(observation)
        return logits


def observation_of(row: BatchRow | InputRow) -> torch.Tensor:
    return row.inputs.observation[row.row]


def make_basic_nn(sizes: GameShape) -> BasicNN:
    torch.manual_seed(2)
    module = Columns(sizes)
    return BasicNN(
        module, torch.nn.CrossEntropyLoss(), torch.optim.Adam(module.parameters(), lr=0.01),
        train_transform=observation_of, test_transform=observation_of,
    )  # fmt: skip


def test_basic_nn_is_trained_saved_and_resumed(tmp_path: Path) -> None:
    whole, half = (
        JointBridge(trainer_in(tmp_path / name), model=ABLModel(make_basic_nn(shape()))) for name in ("whole", "half")
    )
    whole.trainer.fit(decisions=DECISIONS)
    half.trainer.fit(decisions=DECISIONS // 2)
    resumed = JointBridge(trainer_in(tmp_path / "half"), model=ABLModel(make_basic_nn(shape())))
    resumed.trainer.fit(decisions=DECISIONS)
    first, other = whole.trainer.networks.state_dict(), resumed.trainer.networks.state_dict()
    assert all(torch.equal(first[name], other[name]) for name in first)
    assert not torch.equal(first["decision.module.logits.weight"], make_basic_nn(shape()).model.logits.weight)
    spec = f"abl:weights={whole.trainer.weights_path},model={__file__}:make_basic_nn"
    named = make_agent(spec, whole.trainer.engine)
    decisions, keys = decisions_at_tables(whole.trainer.engine, 20), np.zeros(20, np.uint64)
    assert (named.play(decisions, keys).cards == whole.trainer.agent().play(decisions, keys).cards).all()


def test_bridge_labels_are_realised_by_the_trainer_reasoner(tmp_path: Path) -> None:
    """The labels of a bridge are realised by the reasoner of the run."""
    from abl_cards.training.distance import MoveCandidates

    def distance(candidates: MoveCandidates) -> NDArray[np.int32]:
        return candidates.cost

    chosen = replace(config(tmp_path), kb_opponent_share=0.0)
    trainer = Trainer(SHORT, distance=distance, config=chosen)
    JointBridge(trainer, reasoner=SamplingReasoner(labels_of(trainer)))
    rows = stored(trainer)
    assert (rows.regret[np.arange(len(rows)), rows.label] == 0).all()


@pytest.mark.parametrize("change", [lambda labels: labels[:-1], lambda labels: []])
def test_reasoner_that_drops_decisions_is_rejected(tmp_path: Path, change: Any) -> None:
    class Dropping(SamplingReasoner):
        """A reasoner that returns too few labels."""

        def batch_abduce(self, data_examples: Any) -> Any:
            data_examples.abduced_pseudo_label = change(super().batch_abduce(data_examples))
            return data_examples.abduced_pseudo_label

    trainer = trainer_in(tmp_path)
    JointBridge(trainer, reasoner=Dropping(labels_of(trainer)))
    with pytest.raises(GameError, match="Dropping returned labels of") as error:
        stored(trainer)
    assert error.value.code == ErrorCode.INVALID_REASONER


def test_sampling_reasoner_follows_a_knowledge_base_that_refuses_labels(tmp_path: Path) -> None:
    trainer = trainer_in(tmp_path, kb_opponent_share=0.0, past_opponent_share=0.0)
    passing = trainer.engine.label_traits.pass_label

    class NoPass(LabelsKB):
        """A knowledge base that never passes."""

        def logic_forward(self, pseudo_label: Any, x: Any) -> bool:
            return pseudo_label[0] != trainer.engine.labels[passing] and super().logic_forward(pseudo_label, x)

    JointBridge(trainer, reasoner=SamplingReasoner(NoPass(trainer.engine.labels)))
    rows = stored(trainer)
    assert rows.legal[:, passing].any()
    assert (rows.label != passing).all()


def test_sampling_reasoner_draws_legal_labels_in_proportion(tmp_path: Path) -> None:
    """A model that knows no rules gives most of its probability to illegal labels."""
    trainer = trainer_in(tmp_path, kb_opponent_share=0.0, past_opponent_share=0.0)
    JointBridge(trainer, model=ABLModel(FrequencyModel(shape())))  # all labels are equally probable
    rows = stored(trainer)
    last = rows.legal.shape[1] - 1 - rows.legal[:, ::-1].argmax(axis=1)
    expected = (1 / rows.legal.sum(axis=1)).sum()
    assert abs((rows.label == last).sum() - expected) < 4 * np.sqrt(expected)


class WrongProbabilities(FrequencyModel):
    """A model whose probabilities are changed."""

    def __init__(self, change: Any) -> None:
        super().__init__(shape())
        self.change = change

    def predict_proba(self, X: Any) -> Any:
        return self.change(super().predict_proba(X))


@pytest.mark.parametrize(
    "change", [np.log, lambda shares: shares * 0, lambda shares: 2 * shares, lambda shares: shares * np.nan]
)
def test_numbers_that_are_no_probabilities_are_rejected(tmp_path: Path, change: Any) -> None:
    trainer = trainer_in(tmp_path / "first")
    with pytest.raises(GameError, match="WrongProbabilities") as error:
        JointBridge(trainer, model=ABLModel(WrongProbabilities(change)))
    assert error.value.code in (ErrorCode.MODEL_FAILED, ErrorCode.MODEL_OUTPUT_NOT_FINITE)
    trainer, model = trainer_in(tmp_path / "later"), WrongProbabilities(lambda shares: shares)
    JointBridge(trainer, model=ABLModel(model))
    model.change = change  # after it has learned, say
    with pytest.raises(GameError, match="WrongProbabilities") as error:
        stored(trainer)
    assert error.value.code in (ErrorCode.MODEL_FAILED, ErrorCode.MODEL_OUTPUT_NOT_FINITE)


def test_loss_that_is_no_number_stops_the_run_before_it_is_written(tmp_path: Path) -> None:
    class Diverging(FrequencyModel):
        """A model whose loss is not a number."""

        def fit(self, X: Any, y: Any) -> float:
            return float("nan")

    trainer = trainer_in(tmp_path)
    with pytest.raises(GameError, match=r"Diverging\.fit") as error:
        JointBridge(trainer, model=ABLModel(Diverging(shape()))).train()
    assert error.value.code == ErrorCode.MODEL_OUTPUT_NOT_FINITE
    assert not len(trainer_in(tmp_path / "other").metrics)
    assert b"NaN" not in (tmp_path / "metrics.jsonl").read_bytes()


def test_arguments_that_are_no_parts_of_a_bridge_are_named(tmp_path: Path) -> None:
    trainer = trainer_in(tmp_path)
    few = SamplingReasoner(LabelsKB(trainer.engine.labels[:3]))
    wrong: list[tuple[Any, dict[str, Any], ErrorCode]] = [
        ("president", {}, ErrorCode.INVALID_VALUE),
        (trainer, {"model": FrequencyModel(shape())}, ErrorCode.MODEL_FAILED),
        (trainer, {"reasoner": LabelsKB(trainer.engine.labels)}, ErrorCode.INVALID_REASONER),
        (trainer, {"reasoner": few}, ErrorCode.INVALID_REASONER),
    ]
    for given, arguments, code in wrong:
        with pytest.raises(GameError) as error:
            JointBridge(given, **arguments).decide(*decision_inputs(trainer))
        assert error.value.code == code


def decision_inputs(trainer: Trainer) -> tuple[Any, Any]:
    """Return the features of the decisions at the tables of a run, and random bits."""
    tables = trainer.self_play.tables
    view = trainer.self_play.policy.features(tables.decisions(tables.rows_to_play()))
    return view, tables.keys[: len(view.open_rows)]


@pytest.mark.parametrize(
    "state", [None, [1], {1: np.zeros(1)}, {"counts": object()}, {"counts": "text"}, KeyError("x")]
)
def test_a_state_that_cannot_be_saved_names_the_model(tmp_path: Path, state: Any) -> None:
    class Stateful(FrequencyModel):
        def state_dict(self) -> Any:
            if isinstance(state, Exception):
                raise state
            return state

    with pytest.raises(GameError, match=r"Stateful\.state_dict") as error:
        JointBridge(trainer_in(tmp_path), model=ABLModel(Stateful(shape()))).train()
    assert error.value.code == ErrorCode.MODEL_FAILED


def test_a_state_that_is_not_restored_names_the_model(tmp_path: Path) -> None:
    class Forgetful(FrequencyModel):
        is_lost = False

        def load_state_dict(self, state: Any) -> None:
            if self.is_lost:
                raise KeyError("lost")
            super().load_state_dict(state)

    def bridge() -> JointBridge:
        return JointBridge(trainer_in(tmp_path), model=ABLModel(Forgetful(shape())))

    bridge().train()
    Forgetful.is_lost = True
    with pytest.raises(GameError, match=r"Forgetful\.load_state_dict") as error:
        bridge()
    assert error.value.code == ErrorCode.MODEL_FAILED
