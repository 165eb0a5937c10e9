"""Tests of played deals: their features and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.hand_analysis.deal_classes import DealFeatures, cluster_deals
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deal_values import GameOutcomes, OutcomeListener
from abl_cards.hand_analysis.simulated_deals import DealSample, collect_sample, parse_pairing, play_fixed_deals
from abl_cards.matches.match_runner import play_match
from tests.games.doudizhu.decided import engine_of
from tests.training.test_checkpoint import write_malicious_pickle


def test_outcomes_equal_those_of_the_records() -> None:
    rules, records = DealRules.from_engine(engine_of()), list[dict[str, Any]]()
    hands = rules.deal_sampler.deal(np.arange(30, dtype=np.uint64))
    dealt, player = rules.with_deals(hands), make_agent("greedy", rules.engine)
    outcomes = play_fixed_deals(dealt, 30, (player, player))
    play_match(
        dealt, (player, player), 60, 0, names=("greedy", "greedy"), write_record=records.append, use_fixed_deals=True
    )
    records.sort(key=lambda record: int(record["match"]))
    for deal, record in enumerate(records[::2]):  # both games of a deal are equal, because greedy is deterministic
        played = [seat for seat, cards in record["acts"] if cards != "pass"]
        assert outcomes.won[deal] == (record["finish"][0] == 0)
        assert outcomes.plays[deal] == len(played)
        assert outcomes.play_share[deal] == pytest.approx(played.count(0) / len(played))
        worth = record["points"][0] / 2
        assert outcomes.unit_score[deal] == np.sign(worth) * (1 + np.log2(abs(worth)))
    assert (outcomes.bids == 0).all()


def test_outcome_listener_reads_recorded_games(douzero_records: list[Mapping[str, Any]]) -> None:
    records = douzero_records[:25]
    engine = engine_of(None, "douzero")
    played = OutcomeListener(25)
    assert not engine.replay(records, played).mismatches
    assert played.finished.all()
    assert DealRules.from_engine(engine).deal_sampler.is_valid(played.deals).all()
    assert played.outcomes.won.tolist() == [float(record["points"][0] > 0) for record in records]


def test_sample_outcomes_are_means_and_round_trip(tmp_path: Path) -> None:
    rules = DealRules.from_engine(engine_of())
    sample = collect_sample(rules, None, 12, ["greedy", "greedy/random"], 3)
    alone = [collect_sample(rules, None, 12, [pairing], 3).outcomes for pairing in ("greedy", "greedy/random")]
    np.testing.assert_allclose(sample.outcomes, GameOutcomes.mean(alone), atol=1e-6)
    assert sample.features.shape == (12, 5)
    assert sample.recorded_features.shape == (0, 5)
    np.testing.assert_array_equal(sample.self_play_wins, [alone[0].won])  # games with greedy at all seats
    np.testing.assert_allclose(sample.features[:, 1], sample.hand_points[:, 1] + sample.hand_points[:, 2])
    sample.save(tmp_path / "some.state")
    back = DealSample.load(tmp_path / "some.state")
    assert back.digest() == sample.digest()
    assert (back.deals.hand_keys == sample.deals.hand_keys).all()


def test_pickled_samples_are_not_executed(tmp_path: Path) -> None:
    trace = write_malicious_pickle(tmp_path / "some.state")
    with pytest.raises(GameError, match=r"some\.state"):
        DealSample.load(tmp_path / "some.state")
    assert not trace.exists()
    with pytest.raises(GameError, match=r"none\.state") as caught:
        DealSample.load(tmp_path / "none.state")
    assert caught.value.code == ErrorCode.CHECKPOINT_NOT_READABLE


def test_recorded_deals_precede_sampled_deals(douzero_records: list[Mapping[str, Any]]) -> None:
    records = douzero_records[:10]
    rules = DealRules.from_engine(engine_of())
    sample = collect_sample(rules, (engine_of(None, "douzero"), records), 5, ["greedy"], 0)
    alone = collect_sample(rules, None, 5, ["greedy"], 0)
    assert (len(sample), len(sample.recorded_features)) == (15, 10)
    np.testing.assert_allclose(sample.features[10:], alone.features)
    won = sample.outcomes.won[:10]
    assert set(won) <= {0.0, 0.5, 1.0}
    assert (abs(won - sample.recorded_outcomes.won) <= 0.5).all()


def test_parse_pairing_reads_agent_names() -> None:
    assert parse_pairing("kb") == ("kb", "kb")
    assert parse_pairing("kb:without=bombs/greedy") == ("kb:without=bombs", "greedy")
    with pytest.raises(GameError, match="kb/greedy/kb") as caught:
        parse_pairing("kb/greedy/kb")
    assert caught.value.code == ErrorCode.INVALID_VALUE


def test_classes_are_ordered_by_landlord_win_rate() -> None:
    random = np.random.default_rng(2)
    strength = random.normal(size=400)
    features = np.column_stack([strength, random.normal(size=400)])
    won = (strength > 0).astype(np.float32)
    clusters = cluster_deals(DealFeatures(features, won, features, won[None]), 200, 3, 0)
    assert list(clusters.won) == sorted(clusters.won)
    assert sum(clusters.shares) == pytest.approx(1)
    label = clusters.classes(features)
    assert [(strength[label == number] > 0).mean() for number in range(3)] == pytest.approx(list(clusters.won))
    # Features determine the class, so the surest deals are like the others.
    assert np.array(clusters.sure).shape == (1, 3)
    assert clusters.sure[0][0] < 0.2 < 0.8 < clusters.sure[0][2]
    assert clusters.min_win_rate_gap == pytest.approx(min(np.diff(clusters.won).min(), np.diff(clusters.sure[0]).min()))
