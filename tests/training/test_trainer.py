"""Training runs with custom networks, reasoners and callbacks."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import MoveLists, Moves
from abl_cards.learners.model_interface import Batch, PolicyOutput
from abl_cards.learners.model_networks import ModelNetworks, load_model
from abl_cards.learners.networks import GameShape
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import load_card
from abl_cards.learners.weights_io import load_networks
from abl_cards.matches.match_runner import play_match
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.training.callbacks import Metrics, TrainerCallback
from abl_cards.training.checkpoint import load_checkpoint
from abl_cards.training.launcher import LocalLauncher
from abl_cards.training.model_agent import TrainedAgent, load_model_agent, make_model_agent
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer, fit_whole_run
from tests.effort import amount, long
from tests.forked import Forked
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT


class TwoLayers(torch.nn.Module):
    """A network of two layers with an odd width, dropout and an optional estimate of hands."""

    def __init__(self, shape: GameShape, width: int = 13, hands: bool = False, options: bool = True) -> None:
        super().__init__()
        self.trunk = torch.nn.Sequential(
            torch.nn.Linear(shape.num_features, width), torch.nn.ReLU(), torch.nn.Dropout(0.2)
        )
        self.logits = torch.nn.Linear(width, shape.num_actions if options else shape.num_labels)
        self.value = torch.nn.Linear(width, 1)
        self.hands = torch.nn.Linear(width, shape.num_others * shape.num_cards) if hands else None

    def forward(self, batch: Batch) -> PolicyOutput:
        hidden = self.trunk(batch.observation)
        hands = None if self.hands is None else self.hands(hidden).view_as(batch.prior)
        return PolicyOutput(self.logits(hidden), self.value(hidden).squeeze(-1), hands)


class OtherNetwork(TwoLayers):
    """Network like `TwoLayers` under another name."""


def network(game: str = SHORT, **sizes: Any) -> TwoLayers:
    torch.manual_seed(3)
    return TwoLayers(GameShape.of(load(game).engine()), **sizes)


def config(directory: Path, **changes: Any) -> TrainConfig:
    return replace(
        TrainConfig(
            directory, total_decisions=amount(800, 3000), num_envs=amount(24, 8),
            rollout_size=amount(16, 64), minibatch_size=amount(8, 32),
            checkpoint_interval=2, snapshot_interval=3, workers=1, threads=1,
        ),
        **changes,
    )  # fmt: skip


def decisions_at_tables(engine: Engine, num_tables: int = 40) -> Decisions:
    """Return the first plays of some matches, after choices by the preferences."""
    tables = engine.start_matches(np.arange(num_tables, dtype=np.uint64))
    return tables.decisions(tables.rows_to_play())


def equal_weights(first: torch.nn.Module, second: torch.nn.Module) -> bool:
    one, other = first.state_dict(), second.state_dict()
    return all(torch.equal(one[name], other[name]) for name in one)


def test_custom_network_trains_and_plays(tmp_path: Path) -> None:
    model, first = network(hands=True), network(hands=True)
    trainer = Trainer(load(SHORT), model=model, config=config(tmp_path, num_epochs=1, gamma=0.9))
    metrics = trainer.fit(decisions=amount(400, 3000))
    assert trainer.learner.ppo.gamma == 0.9
    assert not equal_weights(model, first)
    assert metrics["update"].tolist() == list(range(1, trainer.num_updates + 1))
    for name in ("policy_loss", "value_loss", "hands_loss", "entropy"):
        assert metrics[name].shape == (trainer.num_updates,)
        assert np.isfinite(metrics[name]).all()
    assert not model.training
    card = load_card(trainer.weights_path)
    assert card.model_class == f"{__name__}.TwoLayers"
    assert card.model_file == "test_trainer.py"
    engine, agent = trainer.engine, trainer.agent()
    result = play_match(engine, [agent, "kb"], games=2, seed=1)
    assert result.games == 2
    again = load_model_agent(SHORT, trainer.weights_path, network(hands=True))
    decisions = decisions_at_tables(engine)
    keys = np.zeros(len(decisions.rows), np.uint64)
    assert (agent.play(decisions, keys).cards == again.play(decisions, keys).cards).all()


def test_weights_card_does_not_import_code(tmp_path: Path) -> None:
    """The card names class and file of the network; nothing is imported from that name."""
    trainer = Trainer(SHORT, model=network(), config=config(tmp_path, total_decisions=1))
    trainer.fit()
    card_file, trap = trainer.weights_path.with_suffix(".json"), tmp_path / "trap.py"
    card = json.loads(card_file.read_text("utf-8"))
    trap.write_text("from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\nclass TwoLayers: ...\n")
    card_file.write_text(json.dumps(card | {"model_class": "trap.TwoLayers", "model_file": str(trap)}))
    with pytest.raises(GameError) as error:
        load_networks(trainer.weights_path, trainer.engine)
    assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED
    load_model(trainer.weights_path, network())
    assert not trap.with_suffix(".ran").exists()
    card_file.write_text(json.dumps(card | {"model_class": "trap.Other"}))
    with pytest.raises(GameError) as error:
        load_model(trainer.weights_path, network())
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH
    card_file.write_text(json.dumps(card))
    with pytest.raises(GameError) as error:
        load_model(trainer.weights_path, network(width=14))
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH


DECISIONS = amount(1000, 2000)
"""Decisions of a run: sixteen updates and more, so that one that is killed after two is not finished."""


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=long)])
def test_killed_and_resumed_run_equals_uninterrupted_run(tmp_path: Path, workers: int) -> None:
    """Resume a killed run with the same result, including the random numbers of dropout."""
    whole = Trainer(SHORT, model=network(), config=config(tmp_path / "whole", workers=workers))
    whole.fit(decisions=DECISIONS)
    folder = tmp_path / "killed"
    endless = config(folder, workers=workers, total_decisions=10**9)
    wait = [lambda metrics: time.sleep(0.05)]  # so that it is killed in time on a busy machine
    run = Forked(lambda: Trainer(SHORT, model=network(), config=endless).fit(callbacks=wait))
    metrics = folder / "metrics.jsonl"
    while run.is_running() and (not metrics.exists() or metrics.read_bytes().count(b"\n") < 2):
        time.sleep(0.01)
    run.kill()
    state = load_checkpoint(folder / "checkpoint.state")
    assert state is not None
    assert state["update"] < whole.num_updates
    resumed = Trainer(SHORT, model=network(width=13), config=config(folder, workers=workers))
    resumed.fit(decisions=DECISIONS)
    assert resumed.num_updates == whole.num_updates
    assert equal_weights(whole.networks, resumed.networks)
    for name in ("decisions", "policy_loss", "value_loss"):
        assert (whole.metrics[name] == resumed.metrics[name]).all()
    other = config(folder, workers=workers)
    with pytest.raises(GameError) as error:
        Trainer(SHORT, model=OtherNetwork(GameShape.of(whole.engine)), config=other)
    assert error.value.code == ErrorCode.RUN_MISMATCH


def test_network_with_option_actions_learns_choices(tmp_path: Path) -> None:
    engine = load("doudizhu").engine(None, "contest")
    labels = len(engine.labels)
    model = TwoLayers(GameShape.of(engine))
    trainer = Trainer("doudizhu", model=model, config=config(tmp_path, num_envs=16, profile="contest"))
    assert isinstance(trainer.networks, ModelNetworks)
    assert trainer.networks.decides_choices
    play, stored = trainer.self_play, 0
    while play.buffer.num_ready < 64:
        play.step()
        stored = max(stored, int((play.buffer.rows.label[play.buffer.state > 0] >= labels).sum()))
    assert stored > 4
    trainer.fit(decisions=amount(200, 500))
    rows = play.buffer.rows.at(play.buffer.state > 0)
    assert (rows.legal[np.arange(len(rows)), rows.label]).all()
    assert ((rows.label >= labels) == rows.legal[:, labels:].any(axis=1)).all()
    agent = trainer.agent()
    tables = engine.start_matches(np.arange(12, dtype=np.uint64))
    choices = tables.choices(tables.rows_to_choose())
    chosen = agent.choose(choices, np.zeros(len(choices.rows), np.uint64))
    assert (choices.options[np.arange(len(chosen)), chosen] == 1).all()
    with torch.no_grad():
        for weights in (model.logits.weight, model.logits.bias):
            weights.zero_()
        model.logits.bias[labels:] = torch.arange(engine.num_options)  # the highest option is the most probable
    highest = make_model_agent(engine, model).choose(choices, np.zeros(len(choices.rows), np.uint64))
    assert (highest == engine.num_options - 1 - choices.options[:, ::-1].argmax(axis=1)).all()
    narrow = TwoLayers(GameShape.of(engine), options=False)
    kb = Minimiser(engine.preference_model()).choose(choices)
    assert (make_model_agent(engine, narrow).choose(choices, np.zeros(len(kb), np.uint64)) == kb).all()


class CountingReasoner:
    """A reasoner that counts its calls and takes the last legal card set."""

    def __init__(self, engine: Engine) -> None:
        self._minimiser, self.calls, self.labels = Minimiser(engine.preference_model()), 0, list[NDArray[np.int16]]()

    def realise(self, decisions: Decisions, label_probabilities: NDArray[Any]) -> Moves:
        self.calls += 1
        self.labels.append(label_probabilities.argmax(axis=1).astype(np.int16))
        lists = decisions.moves()
        return lists.select(lists.start[1:] - 1)

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        return self._minimiser.choose(choices)


def test_custom_reasoner_sets_moves_and_training_labels(tmp_path: Path) -> None:
    reasoner = CountingReasoner(load(SHORT).engine())
    trainer = Trainer(SHORT, model=network(), reasoner=reasoner, config=config(tmp_path, kb_opponent_share=0.0))
    play = trainer.self_play
    for _ in range(30):
        play.step()
    assert reasoner.calls >= 30
    rows = play.buffer.rows.at(play.buffer.state > 0)
    last = rows.legal.shape[1] - 1 - rows.legal[:, ::-1].argmax(axis=1)
    assert (rows.label == last).mean() > 0.5  # lists are in the order of forms, whose labels rise but for a few
    assert any((labels != labels[0]).any() for labels in reasoner.labels)
    trainer.fit(decisions=amount(200, 600))
    calls = reasoner.calls
    trainer.agent().play(decisions_at_tables(trainer.engine, 5), np.zeros(5, np.uint64))
    assert reasoner.calls == calls + 1


def test_custom_network_is_rejected_on_other_machines(tmp_path: Path) -> None:
    elsewhere: Any = SimpleNamespace(
        count_actors=lambda settings: 0, count_workers=lambda settings: 1, spawn_workers=print, run_actors=print
    )
    with pytest.raises(GameError) as error:
        Trainer(SHORT, model=network(), config=config(tmp_path), launcher=elsewhere)
    assert error.value.code == ErrorCode.SETTING_CONFLICT


@pytest.mark.parametrize("launcher", [3, None, LocalLauncher])
def test_value_that_is_no_launcher_is_rejected(tmp_path: Path, launcher: Any) -> None:
    with pytest.raises(GameError) as error:
        Trainer(SHORT, config=config(tmp_path), launcher=launcher)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("workers", [1, 2])
def test_consistency_function_excludes_moves_of_a_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    passing = load(SHORT).engine().label_traits.pass_label

    def no_pass(decisions: Any, lists: MoveLists) -> NDArray[np.bool_]:
        if isinstance(decisions, Choices):
            return np.ones(len(lists.form), np.bool_)
        return decisions.labels_of(lists.form) != passing

    chosen = config(tmp_path, preset="tiny", workers=workers, total_decisions=amount(200, 500))
    trainer = Trainer(SHORT, reasoner=no_pass, config=chosen)
    trainer.fit()
    rows = trainer.self_play.buffer.rows.at(trainer.self_play.buffer.state > 0)
    assert len(rows)
    assert not rows.legal[:, passing].any()
    tables, agent = trainer.engine.start_matches(np.arange(20, dtype=np.uint64)), trainer.agent()
    passes = np.zeros(2, np.int64)
    for _ in range(6):
        at = tables.rows_to_play()
        decisions = tables.decisions(at)
        moves = agent.play(decisions, np.zeros(len(at), np.uint64))
        could = decisions.legal_mask.sum(axis=0) > decisions.legal_mask[passing]
        passes += (
            (could & (decisions.legal_mask[passing] > 0)).sum(),
            (decisions.labels_of(moves.form)[could] == passing).sum(),
        )
        tables.play(at, moves)
    assert passes[0] > 20
    assert passes[1] == 0


class Recording(TrainerCallback):
    """Record the arguments of all calls, and stop after two updates."""

    def __init__(self) -> None:
        self.updates, self.checkpoints, self.ends = list[int](), list[Path](), list[Metrics]()
        self.trainer: Trainer | None = None

    def on_update(self, metrics: Metrics) -> None:
        self.updates.append(metrics["update"])
        if self.trainer and len(self.updates) == 2:
            self.trainer.stop()

    def on_checkpoint(self, file: Path) -> None:
        self.checkpoints.append(file)

    def on_fit_end(self, metrics: Metrics) -> None:
        self.ends.append(metrics)


def test_callbacks_are_called_in_order(tmp_path: Path) -> None:
    recording, functions = Recording(), list[Metrics]()
    trainer = Trainer(SHORT, model=network(), config=config(tmp_path), callbacks=[recording])
    recording.trainer = trainer
    metrics = trainer.fit(callbacks=[functions.append])
    assert recording.updates == [1, 2] == [line["update"] for line in functions]
    assert set(recording.checkpoints) == {trainer.checkpoint_path}
    assert [line["update"] for line in recording.ends] == [2]
    assert list(functions[-1]) == [name for name in metrics if name in functions[-1]]
    trainer.fit(minutes=1e-9)
    assert trainer.num_updates == 3
    assert trainer.metrics["update"].tolist() == [1, 2, 3]


def test_a_run_by_time_makes_more_decisions_than_those_its_learning_rate_falls_until(tmp_path: Path) -> None:
    settings, shares = config(tmp_path, total_decisions=1, anneal_lr=True), list[float]()
    trainer = Trainer(SHORT, model=network(), config=settings)

    def on_update(metrics: Metrics) -> None:
        shares.append(trainer.learner.policy_optimiser.param_groups[0]["lr"] / trainer.learner.ppo.learning_rate)
        if len(shares) == 2:
            trainer.stop()

    fit_whole_run(trainer, 60, [on_update])
    fit_whole_run(trainer, 1e-9)
    assert shares == pytest.approx([1, 0.1])
    assert (trainer.num_updates, trainer.settings.total_decisions) == (2, 1)


def test_metrics_frame_requires_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    metrics = Trainer(SHORT, model=network(), config=config(tmp_path, total_decisions=1)).fit()
    with pytest.raises(GameError) as error:
        metrics.to_frame()
    assert error.value.code == ErrorCode.MISSING_LIBRARY


@pytest.mark.parametrize(
    ("name", "value"), [("lookahead_share", 0.5), ("records", Path("games.jsonl")), ("prior_scale", 1.0)]
)
def test_preset_settings_are_rejected_with_a_custom_network(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(GameError, match=name) as error:
        Trainer(SHORT, model=network(), config=config(tmp_path, **{name: value}))
    assert error.value.code == ErrorCode.SETTING_CONFLICT


def test_custom_network_run_requires_its_model_to_resume(tmp_path: Path) -> None:
    trainer = Trainer(SHORT, model=network(), config=config(tmp_path, total_decisions=1))
    trainer.fit()
    with pytest.raises(GameError) as error:
        Trainer.from_config(trainer.settings)
    assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED
    with pytest.raises(GameError) as error:
        Trainer(SHORT, model=TwoLayers, config=config(tmp_path / "other"))  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.MODEL_FAILED


def test_buffers_and_lazy_layers_are_saved_and_resumed(tmp_path: Path) -> None:
    class Normalised(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.LazyLinear(9), torch.nn.BatchNorm1d(9), torch.nn.ReLU())
            self.logits, self.value = (
                torch.nn.LazyLinear(len(load(SHORT).engine().labels)),
                torch.nn.Linear(9, 1),
            )

        def forward(self, batch: Batch) -> PolicyOutput:
            hidden = self.body(batch.observation)
            return PolicyOutput(self.logits(hidden), self.value(hidden)[:, 0])

    chosen = config(tmp_path, workers=2)
    trainer = Trainer(SHORT, model=Normalised(), config=chosen)
    trainer.fit(decisions=amount(200, 600))
    steps = trainer.networks.state_dict()["module.body.1.num_batches_tracked"]
    assert steps > 0
    resumed = Trainer(SHORT, model=Normalised(), config=chosen)
    assert equal_weights(trainer.networks, resumed.networks)
    fresh = Normalised()
    make_model_agent(SHORT, fresh)  # its lazy layers get their sizes
    load_model(trainer.weights_path, fresh)
    assert torch.equal(fresh.state_dict()["body.1.num_batches_tracked"], steps)


def test_preset_requires_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    chosen = config(tmp_path, preset="tiny", total_decisions=1, critic_warmup_updates=0)
    trainer = Trainer(load(SHORT), config=chosen)
    assert len(trainer.fit()["update"]) == trainer.num_updates
    agent = trainer.agent()
    assert not isinstance(agent, TrainedAgent)
    named = make_agent(f"abl:weights={trainer.weights_path}", trainer.engine)
    decisions = decisions_at_tables(trainer.engine, 20)
    keys = np.zeros(len(decisions.rows), np.uint64)
    assert (agent.play(decisions, keys).cards == named.play(decisions, keys).cards).all()
