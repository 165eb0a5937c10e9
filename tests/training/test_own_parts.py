"""Custom policy, critic, ABLN, reasoner, consistency and distance, each alone with the default other parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.types.moves import MoveLists
from abl_cards.learners.model_interface import Batch, CriticBatch, HandsBatch, PolicyOutput
from abl_cards.learners.networks import GameShape
from abl_cards.learners.weights_files import load_card
from abl_cards.learners.weights_io import load_networks
from abl_cards.matches.match_runner import play_match
from abl_cards.training.distance import MoveCandidates
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from tests.effort import amount, long
from tests.training import own_networks
from tests.training.own_networks import LinearCritic, LinearHands, LinearPolicy, Whole
from tests.training.test_joint_loop import SHORT
from tests.training.test_trainer import CountingReasoner, decisions_at_tables

PARTS: dict[str, type[torch.nn.Module]] = {"policy": LinearPolicy, "critic": LinearCritic, "abln": LinearHands}
NETWORKS = {"policy": "decision", "critic": "critic", "abln": "abln"}


DECISIONS = amount(500, 700)
"""Decisions of a run: updates of the critic alone, and then of all networks."""


def config(directory: Path, **changes: Any) -> TrainConfig:
    return replace(
        TrainConfig(
            directory, preset="tiny", total_decisions=DECISIONS, num_envs=24, rollout_size=amount(16, 64),
            minibatch_size=amount(8, 32), workers=1, checkpoint_interval=2, snapshot_interval=3, threads=1,
            critic_warmup_updates=1,
        ),
        **changes,
    )  # fmt: skip


def shape() -> GameShape:
    return GameShape.of(load(SHORT).engine())


def make(name: str) -> torch.nn.Module:
    torch.manual_seed(5)
    return PARTS[name](shape())


def option(name: str) -> str:
    """Return the option of an agent that names the class of a part."""
    return f"{name}={own_networks.__file__}:{PARTS[name].__name__}"


@pytest.mark.parametrize("name", PARTS)
def test_custom_network_is_trained_with_the_others(tmp_path: Path, name: str) -> None:
    own: dict[str, Any] = {name: make(name)}
    trainer = Trainer(SHORT, config=config(tmp_path), **own)
    before = {key: tensor.clone() for key, tensor in trainer.networks.state_dict().items()}
    metrics = trainer.fit()
    after = trainer.networks.state_dict()
    for network in NETWORKS.values():
        changed = [not torch.equal(before[key], after[key]) for key in after if key.startswith(f"{network}.")]
        assert any(changed), network
    assert trainer.networks.state_dict()[f"{NETWORKS[name]}.module.{next(iter(own[name].state_dict()))}"].equal(
        next(iter(own[name].state_dict().values()))  # trained in place
    )
    assert not own[name].training
    for measured in ("policy_loss", "value_loss", "hands_loss"):
        assert np.isfinite(metrics[measured][1:]).all(), measured

    card = load_card(trainer.weights_path)
    assert card.own_parts == {
        name: {"class": f"tests.training.own_networks.{PARTS[name].__name__}", "file": "own_networks.py"}
    }
    assert card.abln
    assert f"{name}=tests.training.own_networks.{PARTS[name].__name__}(…)" in card.command
    agent = trainer.agent()
    named = make_agent(f"abl:weights={trainer.weights_path},{option(name)}", trainer.engine)
    decisions = decisions_at_tables(trainer.engine, 20)
    keys = np.zeros(20, np.uint64)
    assert (agent.play(decisions, keys).cards == named.play(decisions, keys).cards).all()
    assert agent.looks_ahead
    assert play_match(trainer.engine, [named, "kb"], games=2, seed=1).games == 2
    with pytest.raises(GameError, match=rf"{name}=own_networks\.py:{PARTS[name].__name__}") as error:
        load_networks(trainer.weights_path, trainer.engine)
    assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED


def test_custom_networks_get_typed_batches(tmp_path: Path) -> None:
    own = {name: make(name) for name in PARTS}
    trainer = Trainer(SHORT, config=config(tmp_path), **own)  # type: ignore[arg-type]
    for _ in range(8):
        trainer.self_play.step()
    seen: dict[str, Any] = {name: network.seen[0] for name, network in own.items()}  # type: ignore[index]
    sizes = shape()
    n, hands = len(seen["policy"]), (sizes.num_others, sizes.num_cards)
    assert {name: type(batch) for name, batch in seen.items()} == {
        "policy": Batch,
        "critic": CriticBatch,
        "abln": HandsBatch,
    }
    expected = {
        "policy": {
            "observation": ((n, sizes.num_features), torch.float32),
            "action_mask": ((n, sizes.num_actions), torch.bool),
            "is_choice": ((n,), torch.bool),
            "to_beat": ((n,), torch.int64),
            "regret": ((n, sizes.num_actions), torch.float32),
            "plays_left": ((n, sizes.num_labels), torch.float32),
            "prior": ((n, *hands), torch.float32),
            "estimate": ((n, *hands), torch.float32),
        },
        "critic": {
            "observation": ((n, sizes.num_features), torch.float32),
            "action_mask": ((n, sizes.num_labels), torch.bool),
            "to_beat": ((n,), torch.int64),
            "plays_left": ((n, sizes.num_labels), torch.float32),
            "hands": ((n, *hands), torch.float32),
            "hidden_plays_left": ((n, sizes.num_others), torch.float32),
        },
    }
    for name, fields in expected.items():
        actual = {field: (tuple(tensor.shape), tensor.dtype) for field, tensor in vars(seen[name]).items()}
        assert actual == fields
    assert set(vars(seen["abln"])) == {"observation", "prior"}
    assert seen["abln"].prior.shape[1:] == hands
    known = seen["policy"]
    assert torch.isfinite(known.regret).all()
    assert (known.action_mask.sum(dim=1) > 1).all()
    assert (known.prior.sum(dim=(1, 2)) > 0).all()
    assert (known.prior != 0).any()


def test_batch_estimate_is_from_abln_or_the_prior(tmp_path: Path) -> None:
    for abln in (True, False):
        policy = make("policy")
        trainer = Trainer(SHORT, policy=policy, config=config(tmp_path / str(abln), abln=abln))
        with torch.no_grad():
            for weight in trainer.networks.abln.parameters() if trainer.networks.abln else ():
                weight.add_(0.3 * torch.randn(weight.shape))
        for _ in range(8):
            trainer.self_play.step()
        (batch,) = policy.seen  # type: ignore[misc]
        assert (batch.estimate.sum() - batch.prior.sum()).abs() < 0.01 * batch.prior.sum()  # as many cards are hidden
        assert torch.equal(batch.estimate, batch.prior) == (not abln)


def test_custom_abln_adds_an_estimate_to_a_preset(tmp_path: Path) -> None:
    chosen = config(tmp_path, preset="quick", rollout_size=64, minibatch_size=32)
    trainer = Trainer(SHORT, abln=make("abln"), config=chosen)
    assert trainer.networks.preset.uses_abln
    trainer.fit(decisions=200)
    named = make_agent(f"abl:weights={trainer.weights_path},{option('abln')}", trainer.engine)
    assert named.policy.has_hand_estimator  # type: ignore[attr-defined]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=long)])
def test_resumed_run_of_custom_networks_equals_uninterrupted_run(tmp_path: Path, workers: int) -> None:
    def trainer(folder: str, **own: Any) -> Trainer:
        networks = own or {name: make(name) for name in PARTS}
        return Trainer(SHORT, config=config(tmp_path / folder, workers=workers), **networks)

    whole, half = trainer("whole"), trainer("half")
    whole.fit(decisions=DECISIONS)
    half.fit(decisions=DECISIONS // 2)
    assert half.num_updates < whole.num_updates
    resumed = trainer("half")
    assert resumed.num_updates == half.num_updates
    resumed.fit(decisions=DECISIONS)
    first, other = whole.networks.state_dict(), resumed.networks.state_dict()
    assert first.keys() == other.keys()
    assert all(torch.equal(first[name], other[name]) for name in first)
    incomplete: tuple[dict[str, Any], ...] = {}, {"policy": make("policy")}
    for networks in incomplete:
        with pytest.raises(GameError) as error:
            Trainer(SHORT, config=config(tmp_path / "half", workers=workers), **networks)
        assert error.value.code == ErrorCode.MODEL_CLASS_NEEDED
    with pytest.raises(GameError) as error:
        trainer("half", policy=make("critic"), critic=make("critic"), abln=make("abln"))
    assert error.value.code == ErrorCode.MODEL_OUTPUT_TYPE or error.value.code == ErrorCode.MODEL_FAILED


def test_preset_run_rejects_resume_with_a_custom_network(tmp_path: Path) -> None:
    Trainer(SHORT, config=config(tmp_path)).fit(decisions=1)
    with pytest.raises(GameError) as error:
        Trainer(SHORT, policy=make("policy"), config=config(tmp_path))
    assert error.value.code == ErrorCode.RUN_MISMATCH


def test_frozen_weights_do_not_change(tmp_path: Path) -> None:
    policy = make("policy").requires_grad_(False)
    before = policy.logits.weight.clone()  # type: ignore[union-attr,operator]
    trainer = Trainer(SHORT, policy=policy, config=config(tmp_path, critic_warmup_updates=0))
    critic = [weight.clone() for weight in trainer.networks.critic.parameters()]
    trainer.fit(decisions=300)
    assert torch.equal(policy.logits.weight, before)  # type: ignore[union-attr,arg-type]
    assert not all(
        torch.equal(one, other) for one, other in zip(critic, trainer.networks.critic.parameters(), strict=True)
    )


@pytest.mark.parametrize("is_hidden", [False, True])
def test_networks_without_trainable_weights_are_refused(tmp_path: Path, is_hidden: bool) -> None:
    """Where nothing learns, or where layers lie in a plain list, which `parameters()` does not see."""
    own: dict[str, Any] = {name: make(name).requires_grad_(False) for name in PARTS}
    if is_hidden:
        own = {"policy": make("policy")}
        layer = own["policy"].logits
        own["policy"].logits = torch.nn.Identity()
        own["policy"].logits.forward = lambda inputs: layer(inputs)
    with pytest.raises(GameError) as error:
        Trainer(SHORT, config=config(tmp_path / "run"), **own)
    assert error.value.code == ErrorCode.MODEL_FAILED


def test_init_from_loads_matching_weights(tmp_path: Path) -> None:
    """Networks of one's own keep their weights, our others take those of the file."""
    first = Trainer(SHORT, config=config(tmp_path / "first"))
    first.fit(decisions=300)
    policy = make("policy")
    mine = Trainer(
        SHORT,
        policy=policy,
        config=config(tmp_path / "mine", init_from=first.weights_path, critic_warmup_updates=0),
    )
    half = first.networks.critic.value[0].weight.half().float()  # type: ignore[union-attr,index]
    assert torch.equal(mine.networks.critic.value[0].weight, half)  # type: ignore[union-attr,index]
    assert torch.equal(policy.logits.weight, make("policy").logits.weight)  # type: ignore[union-attr,arg-type]
    mine.fit(decisions=300)
    again = make("policy")
    other = Trainer(SHORT, policy=again, config=config(tmp_path / "again", init_from=mine.weights_path))
    average = mine.learner.ema.weights["module.logits.weight"]
    assert torch.equal(again.logits.weight, average)  # type: ignore[union-attr,arg-type]
    assert not torch.equal(average, make("policy").logits.weight)  # type: ignore[union-attr,arg-type]
    assert other.num_updates == 0


def test_card_has_abln_only_if_one_was_trained(tmp_path: Path) -> None:
    trainer = Trainer(SHORT, model=Whole(shape()), config=config(tmp_path / "whole"))
    trainer.fit(decisions=1)
    assert not load_card(trainer.weights_path).abln
    quick = Trainer(SHORT, config=config(tmp_path / "quick", preset="quick", rollout_size=64, minibatch_size=32))
    quick.fit(decisions=1)
    assert not load_card(quick.weights_path).abln
    assert make_agent(f"abl:weights={quick.weights_path}", quick.engine)


def test_model_option_loads_the_class_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(SHORT, model=Whole(shape()), config=config(tmp_path / "run"))
    trainer.fit(decisions=200)
    monkeypatch.chdir(tmp_path)
    source = Path(own_networks.__file__).read_text("utf-8")
    (tmp_path / "mine.py").write_text(source + "\n\ndef whole(shape):\n    return Whole(shape)\n", "utf-8")
    decisions, keys = decisions_at_tables(trainer.engine, 20), np.zeros(20, np.uint64)
    moves = trainer.agent().play(decisions, keys)
    for name in ("Whole", "whole"):
        named = make_agent(f"abl:weights={trainer.weights_path},model=mine.py:{name}", trainer.engine)
        assert (named.play(decisions, keys).cards == moves.cards).all()
    for options, code in {
        "model=mine.py:LinearCritic": ErrorCode.MODEL_OUTPUT_TYPE,
        "model=mine.py:Missing": ErrorCode.INVALID_AGENT_OPTION,
        "model=missing.py:Whole": ErrorCode.UNKNOWN_AGENT,
        "model=mine.py": ErrorCode.INVALID_AGENT_OPTION,
        "policy=mine.py:LinearPolicy": ErrorCode.MODEL_CLASS_NEEDED,
        "model=mine.py:Whole,think=5": ErrorCode.INVALID_AGENT_OPTION,
    }.items():
        with pytest.raises(GameError) as error:
            make_agent(f"abl:weights={trainer.weights_path},{options}", trainer.engine)
        assert error.value.code in (code, ErrorCode.MODEL_FAILED), options
    with pytest.raises(GameError) as error:
        make_agent("abl:model=mine.py:Whole", trainer.engine)
    assert error.value.code == ErrorCode.INVALID_AGENT_OPTION


class Normalised(torch.nn.Module):
    """A policy with lazy layers, and buffers of floats and of whole numbers."""

    def __init__(self, sizes: GameShape) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.LazyLinear(9), torch.nn.BatchNorm1d(9), torch.nn.ReLU())
        self.logits = torch.nn.LazyLinear(sizes.num_labels)

    def forward(self, batch: Batch) -> torch.Tensor:
        logits: torch.Tensor = self.logits(self.body(batch.observation))
        return logits


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_buffers_and_lazy_layers_are_saved_and_loaded(tmp_path: Path, precision: str) -> None:
    trainer = Trainer(
        SHORT, policy=Normalised(shape()), config=config(tmp_path, precision=precision, critic_warmup_updates=0)
    )
    trainer.fit(decisions=300)
    steps = trainer.networks.state_dict()["decision.module.body.1.num_batches_tracked"]
    assert steps.dtype == torch.int64
    assert steps > 0
    named: Any = make_agent(f"abl:weights={trainer.weights_path},policy={__file__}:Normalised", trainer.engine)
    state = named.policy.networks.state_dict()
    assert torch.equal(state["decision.module.body.1.num_batches_tracked"], steps)
    average = trainer.learner.ema.weights["module.body.0.weight"]
    assert torch.equal(state["decision.module.body.0.weight"], average)  # in full precision


def test_conflicting_parts_are_rejected(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], ErrorCode]] = [
        ({"model": Whole(shape()), "policy": make("policy")}, {}, ErrorCode.SETTING_CONFLICT),
        ({"abln": make("abln")}, {"abln": False}, ErrorCode.SETTING_CONFLICT),
        ({"policy": LinearPolicy}, {}, ErrorCode.MODEL_FAILED),
        ({"policy": Whole(shape())}, {}, ErrorCode.MODEL_OUTPUT_TYPE),
        ({"critic": torch.nn.Identity()}, {}, ErrorCode.MODEL_OUTPUT_TYPE),
        ({"abln": 3}, {}, ErrorCode.MODEL_FAILED),
        ({"distance": 3}, {}, ErrorCode.INVALID_REASONER),
        ({"consistency": everything, "reasoner": everything}, {}, ErrorCode.SETTING_CONFLICT),
        (
            {"distance": cheapest, "reasoner": CountingReasoner(load(SHORT).engine())},
            {},
            ErrorCode.SETTING_CONFLICT,
        ),
    ]
    for number, (parts, changes, code) in enumerate(cases):
        with pytest.raises(GameError) as error:
            Trainer(SHORT, config=config(tmp_path / str(number), **changes), **parts)
        assert error.value.code == code, parts


class WrongPolicy(LinearPolicy):
    """A policy with a modified output."""

    change: Any = None

    def forward(self, batch: Batch) -> Any:
        return self.change(super().forward(batch)) if self.change else super().forward(batch)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda logits: logits[:, :3], ErrorCode.MODEL_OUTPUT_SHAPE),
        (lambda logits: logits.double(), ErrorCode.MODEL_OUTPUT_DTYPE),
        (lambda logits: logits / 0, ErrorCode.MODEL_OUTPUT_NOT_FINITE),
        (lambda logits: 1 / 0, ErrorCode.MODEL_FAILED),
        (lambda logits: PolicyOutput(logits, logits[:, 0]), ErrorCode.MODEL_OUTPUT_TYPE),
    ],
)
def test_invalid_model_outputs_are_rejected(tmp_path: Path, change: Any, code: ErrorCode) -> None:
    policy = WrongPolicy(shape())
    policy.change = change
    with pytest.raises(GameError, match="WrongPolicy") as error:
        Trainer(SHORT, policy=policy, config=config(tmp_path))
    assert error.value.code == code


class TiedWeightsPolicy(LinearPolicy):
    """A policy with one layer under two names."""

    def __init__(self, sizes: GameShape) -> None:
        super().__init__(sizes)
        self.same = self.logits


def test_tied_weights_are_saved_and_loaded(tmp_path: Path) -> None:
    trainer = Trainer(SHORT, policy=TiedWeightsPolicy(shape()), config=config(tmp_path))
    trainer.save_weights(trainer.weights_path)
    named: Any = make_agent(f"abl:weights={trainer.weights_path},policy={__file__}:TiedWeightsPolicy", trainer.engine)
    state = named.policy.networks.state_dict()
    assert torch.equal(state["decision.module.same.weight"], trainer.learner.ema.weights["module.logits.weight"])


class BatchWritingPolicy(LinearPolicy):
    """A policy that writes into an input of the others."""

    def forward(self, batch: Batch) -> torch.Tensor:
        batch.observation.zero_()
        return super().forward(batch)


class ExtraStatePolicy(LinearPolicy):
    """A policy whose state is no tensor."""

    def get_extra_state(self) -> dict[str, int]:
        return {"steps": 1}


@pytest.mark.parametrize("policy", [BatchWritingPolicy, ExtraStatePolicy])
def test_unsafe_networks_are_rejected(tmp_path: Path, policy: Callable[[GameShape], LinearPolicy]) -> None:
    with pytest.raises(GameError, match=policy.__name__) as error:
        Trainer(SHORT, policy=policy(shape()), config=config(tmp_path))
    assert error.value.code == ErrorCode.MODEL_FAILED


def test_fit_rejects_invalid_bounds(tmp_path: Path) -> None:
    trainer = Trainer(SHORT, policy=make("policy"), config=config(tmp_path))
    wrong: list[dict[str, Any]] = [{"minutes": float("nan")}, {"minutes": "1"}, {"decisions": 1.5}, {"decisions": -1}]
    for arguments in wrong:
        with pytest.raises(GameError) as error:
            trainer.fit(**arguments)
        assert error.value.code == ErrorCode.INVALID_VALUE, arguments


def test_changed_working_directory_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trainer = Trainer(SHORT, policy=make("policy"), config=config(Path("run")))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    for use in (trainer.fit, trainer.agent):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.SETTING_CONFLICT
    assert not any(Path.cwd().iterdir())


def everything(decisions: Any, lists: MoveLists) -> NDArray[np.bool_]:
    return np.ones(len(lists.form), np.bool_)


def cheapest(candidates: MoveCandidates) -> NDArray[np.int32]:
    return candidates.cost


def stored(trainer: Trainer, steps: int = 15) -> Any:
    for _ in range(steps):
        trainer.self_play.step()
    rows = trainer.self_play.buffer.rows.at(trainer.self_play.buffer.state > 0)
    assert len(rows) > 20
    return rows


def test_custom_network_has_its_own_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    networks = PARTS["critic"](GameShape.of(load("president").engine()))
    trainer = Trainer("president", critic=networks, config=config(Path()))
    trainer.fit(decisions=1)
    assert trainer.weights_path == Path("runs/president-LinearCritic/president-tiny.safetensors")
    assert json.loads(trainer.weights_path.with_suffix(".json").read_text("utf-8"))["own_parts"]["critic"]


def test_output_without_a_gradient_is_rejected(tmp_path: Path) -> None:
    policy = WrongPolicy(shape())
    policy.change = torch.Tensor.detach
    with pytest.raises(GameError, match="WrongPolicy") as error:
        Trainer(SHORT, policy=policy, config=config(tmp_path, critic_warmup_updates=0)).fit()
    assert error.value.code == ErrorCode.MODEL_FAILED
