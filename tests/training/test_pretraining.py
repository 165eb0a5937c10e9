"""Pretraining before self-play: from records and own games, saved and resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, RESPONSE_DEALS, Preset
from abl_cards.learners.symmetry import Symmetries
from abl_cards.learners.weights_files import load_card
from abl_cards.matches.records import read_valid_records, sample_records_path, write_records
from abl_cards.training.decision_dataset import dataset_from_records, num_round_tables
from abl_cards.training.pretraining import Pretrainer, check_pretraining, pretrain
from abl_cards.training.run_settings import write_settings
from abl_cards.training.settings import TrainConfig, read_config
from abl_cards.training.supervised import add_estimates, create_abln_run
from abl_cards.training.trainer import Trainer
from tests.effort import amount
from tests.learners.tiny import TINY
from tests.training.test_checkpoint import write_malicious_pickle
from tests.training.test_joint_loop import SHORT

SAMPLE = sample_records_path("guandan")


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


@pytest.fixture(scope="module")
def few_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of recorded deals: one match and the beginning of another."""
    file = tmp_path_factory.mktemp("records") / "some.jsonl"
    write_records(file, read_valid_records(SAMPLE)[: amount(14, 100)])
    return file


def settings(directory: Path, **changes: Any) -> TrainConfig:
    few = {
        "abln_pretrain_steps": 3,
        "policy_pretrain_steps": 3,
        "pretrain_decisions": amount(100, 2000),
        "held_out_matches": 1,
    }
    return replace(TrainConfig(directory, preset="tiny", threads=1), **(few | changes))


def pretrain_networks(chosen: TrainConfig, engine: Any, preset: Preset = TINY) -> Networks:
    networks = Networks(preset, GameShape.of(engine), chosen.seed).eval()
    pretrain(chosen, engine, networks, lambda done, what: None)
    return networks


def test_pretraining_without_data_writes_nothing(tmp_path: Path, engine: Any) -> None:
    pretrain_networks(settings(tmp_path, game="guandan"), engine)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("changes", [{"pretrain_episodes": 3}, {"held_out_matches": 0, "pretrain_decisions": 0}])
def test_pretraining_without_held_out_matches(tmp_path: Path, few_records: Path, changes: dict[str, Any]) -> None:
    """Fewer than five own games leave no fifth to hold out; it stopped with a bare ``ValueError``."""
    game, file = (SHORT, None) if "pretrain_episodes" in changes else ("guandan", few_records)
    chosen = settings(tmp_path, game=game, records=file, **changes)
    networks = pretrain_networks(chosen, chosen.load_engine())
    assert networks.abln is not None
    assert not load_card(tmp_path / "supervised.safetensors").results


def test_pretraining_from_records(tmp_path: Path, engine: Any, few_records: Path) -> None:
    chosen = settings(tmp_path, game="guandan", records=few_records)
    networks = pretrain_networks(chosen, engine)
    card = load_card(tmp_path / "supervised.safetensors")
    assert "without its last 1 matches and games of kb for ABLN" in card.data
    agreement = card.results["agreement with the last matches"]
    assert 0 < agreement["not_passed"] < 1
    again = pretrain_networks(
        replace(chosen, seed=1), engine
    )  # the weights are there: what they learned is not learned again
    assert all(
        torch.equal(one, other)
        for one, other in zip(networks.decision.parameters(), again.decision.parameters(), strict=True)
    )


def test_pretraining_from_agent_games(tmp_path: Path) -> None:
    """Train the policy on games of kb, and test it on every fifth table."""
    tractor = load("tractor").engine()
    preset = replace(PRESETS["planes-small"], dropout=0.0)
    chosen = settings(
        tmp_path, game="tractor", pretrain_agent="kb", pretrain_episodes=5, preset="planes-small", abln=False
    )
    pretrain_networks(chosen, tractor, preset)
    card = load_card(tmp_path / "supervised.safetensors")
    assert card.data == "5 games of kb without a fifth"
    ((held, scores),) = card.results.items()
    assert held.endswith("decisions of a fifth")
    assert 0 < scores["choice"] < 1


def test_pretraining_of_abln_from_random_games(tmp_path: Path, engine: Any) -> None:
    chosen = settings(tmp_path, game="guandan", pretrain_agent="random")
    untrained = Networks(TINY, GameShape.of(engine), chosen.seed)
    networks = pretrain_networks(chosen, engine)
    card = load_card(tmp_path / "supervised.safetensors")
    assert card.data == "games of random for ABLN"
    assert card.results == {}
    assert networks.abln is not None
    assert untrained.abln is not None
    assert any(
        not torch.equal(one.half(), other.half())
        for one, other in zip(networks.abln.parameters(), untrained.abln.parameters(), strict=True)
    )
    with pytest.raises(GameError, match="unknown agent"):
        pretrain_networks(settings(tmp_path / "nobody", game="guandan", pretrain_agent="nobody"), engine)


@pytest.mark.parametrize("name", ["supervised.safetensors", "hidden-hands.state", "decisions.state"])
def test_what_was_learned_by_other_settings_is_refused(tmp_path: Path, name: str) -> None:
    """A run that ends before its first checkpoint goes on with what it has learned."""
    chosen = settings(tmp_path, game="guandan", pretrain_agent="random")
    write_settings(chosen)
    check_pretraining(replace(chosen, seed=1))
    (tmp_path / name).touch()
    check_pretraining(replace(chosen, num_envs=4))
    check_pretraining(replace(chosen, seed=1, pretrain_agent=None))
    changes: tuple[dict[str, Any], ...] = (
        {"seed": 1},
        {"pretrain_agent": "kb"},
        {"records": SAMPLE},
        {"abln_pretrain_steps": 4},
    )
    for changed in changes:
        with pytest.raises(GameError) as error:
            Trainer.from_config(replace(chosen, **changed))
        assert error.value.code == ErrorCode.RUN_MISMATCH
    assert read_config(tmp_path) == chosen


def test_pretraining_without_abln_plays_no_games(tmp_path: Path, engine: Any, few_records: Path) -> None:
    chosen = settings(tmp_path, game="guandan", records=few_records, abln=False)
    pretrain_networks(chosen, engine, TINY.without_abln())
    assert "games of" not in load_card(tmp_path / "supervised.safetensors").data
    assert not (tmp_path / "hidden-hands.state").exists()


def test_examples_have_the_estimates_a_player_would_have(engine: Any) -> None:
    lessons = dataset_from_records(engine, engine.preference_model(), read_valid_records(SAMPLE)[:1], SAMPLE)
    networks = Networks(TINY, GameShape.of(engine)).eval()
    examples = add_estimates(engine, networks, lessons).examples
    held = examples.estimate.sum(axis=2, dtype=np.float32)
    np.testing.assert_allclose(held, lessons.constraints.cards_left, atol=0.05)
    assert 0 < examples.response_counts.mean() < RESPONSE_DEALS
    assert (examples.response_counts[..., engine.label_traits.pass_label] == 0).all()


@pytest.mark.parametrize("name", ["hidden hands", "decisions"])
def test_pickled_pretraining_states_are_not_executed(tmp_path: Path, engine: Any, name: str) -> None:
    file = tmp_path / f"{name.replace(' ', '-')}.state"
    trace = write_malicious_pickle(file)
    networks = Networks(TINY, GameShape.of(engine))
    preparation = Pretrainer(settings(tmp_path, game="guandan"), engine, networks, lambda done, what: None)
    fit = create_abln_run(networks, Symmetries.from_orders(engine.symmetries, engine.observation_features), 1)
    with pytest.raises(GameError, match=rf"{file.name}: "), preparation._create_checkpointer(fit, name):
        pass
    assert not trace.exists()


def test_too_few_or_foreign_records_are_rejected(tmp_path: Path, engine: Any) -> None:
    with pytest.raises(GameError, match=SAMPLE.name) as error:
        pretrain_networks(settings(tmp_path, game="guandan", records=SAMPLE, held_out_matches=40), engine)
    assert error.value.code == ErrorCode.NO_RECORDS
    file = tmp_path / "games.jsonl"
    write_records(file, [*read_valid_records(SAMPLE), {"game": "hearts", "acts": []}])
    with pytest.raises(GameError, match=rf"games\.jsonl:{len(read_valid_records(SAMPLE)) + 1}: ") as error:
        pretrain_networks(settings(tmp_path, game="guandan", records=file), engine)
    assert error.value.code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(
    ("num_decisions", "max_tables", "num_tables"),
    [(1_048_576, 1024, 512), (262_144, 1024, 128), (262_144, 100, 100), (20_000, 1024, 32), (20_000, 8, 8)],
)
def test_tables_of_a_round_come_to_the_end_of_matches(num_decisions: int, max_tables: int, num_tables: int) -> None:
    assert num_round_tables(num_decisions, max_tables) == num_tables
