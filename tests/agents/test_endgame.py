"""Endgames: labels are valued by solving the sampled deals one by one."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from abl_cards.agents import belief_reweighting
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import Tables
from abl_cards.learners.presets import PRESETS
from abl_cards.reasoners.hidden_hands import draw_deals, observation_keys
from tests.games.endgame.minimax import small_hands, values

endgame = pytest.importorskip("abl_cards.agents.endgame")

DEALS = 4


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


@pytest.fixture(scope="module")
def player(engine: Any, untrained: str) -> Any:
    return make_agent(untrained, engine)


@pytest.fixture(scope="module")
def solved(engine: Any, player: Any) -> Any:
    tables = small_hands(engine, 12, 8, 6)
    decisions = tables.decisions(np.arange(len(tables)))
    view = player.policy.features(decisions)
    proposed = np.where(view.legal, np.float32(-1), np.float32(-np.inf))
    solver = endgame.EndgameSearch(player.policy, max_cards=8, num_deals=DEALS)
    return decisions, view, proposed, solver.improve_policy(decisions, view, proposed)


def test_label_values_equal_minimax_on_the_sampled_deals(engine: Any, player: Any, solved: Any) -> None:
    decisions, view, _, result = solved
    assert (result.deals == DEALS).all()
    for row in range(min(3, len(view.open_rows))):
        here = int(view.open_rows[row])
        one = decisions.select(np.array([here]))
        keys = splitmix64_array(observation_keys(view.observation[[row]]), belief_reweighting._DEALS_STREAM)
        deals = draw_deals(view.estimate[[row]], one.information_set(), keys, DEALS)[0]
        seat = int(one.view.seats[0])
        for label in np.flatnonzero(view.legal[row]):
            tables = Tables.determinize(decisions, np.full(DEALS, here), deals)
            tables.play(np.arange(DEALS), view.survey.lists.select(np.full(DEALS, view.survey.best_row[here, label])))
            running = tables.winner == -1
            running &= tables.state.stage == 0
            worth = tables.points[:, seat].astype(float)
            if running.any():
                mine = np.where((tables.seat - seat) % 2 == 0, 1.0, -1.0)
                worth = np.where(running, values(engine, tables) * mine, worth)
            assert result.expected_points[row, label] == pytest.approx(worth.mean(), abs=1e-5)
            assert result.wins[row, label] == (worth > 0).sum()


def test_best_label_becomes_the_most_probable(solved: Any) -> None:
    _, view, _, result = solved
    for row in range(len(view.open_rows)):
        best = np.nanmax(result.expected_points[row])
        assert result.expected_points[row, result.log_probs[row].argmax()] == best
        assert np.exp(result.log_probs[row]).sum() == pytest.approx(1, abs=1e-4)


def test_solved_points_outweigh_the_policy_more_than_critic_values(solved: Any) -> None:
    _, _, proposed, result = solved
    surer = endgame.reweight_by_points(
        proposed, result.expected_points, endgame.TEMPERATURE / endgame.TEMPERATURE_DIVISOR
    )
    np.testing.assert_array_equal(result.log_probs, surer)
    assert endgame.TEMPERATURE_DIVISOR > 1


def test_decisions_beyond_card_and_node_limits_are_unchanged(engine: Any, player: Any, solved: Any) -> None:
    decisions, view, proposed, _ = solved
    for solver in (
        endgame.EndgameSearch(player.policy, max_cards=3),
        endgame.EndgameSearch(player.policy, max_cards=16, max_nodes=4),
    ):
        result = solver.improve_policy(decisions, view, proposed)
        unsolved = result.deals == 0
        assert unsolved.sum() > len(unsolved) // 2
        assert (result.log_probs[unsolved] == proposed[unsolved]).all()
        assert np.isnan(result.expected_points[unsolved]).all()


def test_decisions_beyond_the_outcome_limit_are_unchanged(
    player: Any, solved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions, view, proposed, _ = solved
    monkeypatch.setattr("abl_cards.games.endgame.outcomes.MAX_OUTCOMES", 1)
    monkeypatch.setattr("abl_cards.games.endgame.outcomes._outcome_cache", lambda rules: {})
    result = endgame.EndgameSearch(player.policy, max_cards=16).improve_policy(decisions, view, proposed)
    assert not result.deals.any()
    assert (result.log_probs == proposed).all()


def test_solving_a_batch_equals_solving_each_decision(player: Any, solved: Any) -> None:
    decisions, view, proposed, result = solved
    solver = endgame.EndgameSearch(player.policy, max_cards=8, num_deals=DEALS)
    for row in range(len(view.open_rows)):
        here = decisions.select(view.open_rows[[row]])
        alone = solver.improve_policy(here, player.policy.features(here), proposed[[row]])
        np.testing.assert_array_equal(alone.expected_points[0], result.expected_points[row])
        assert (alone.wins[0] == result.wins[row]).all()


def test_equal_deals_are_merged() -> None:
    deals = np.array([[[1, 0]], [[0, 1]], [[0, 1]], [[1, 1]], [[0, 1]], [[1, 0]]], np.uint8)
    rows, often = endgame._unique_deals(deals)
    assert rows.tolist() == [1, 0, 3]
    assert often.tolist() == [3, 2, 1]


def test_endgame_option_of_agent_names(engine: Any, untrained: str) -> None:
    off: Any = make_agent(f"{untrained},endgame=0", engine)
    on: Any = make_agent(f"{untrained},endgame=12", engine)
    assert off._endgame is None
    assert (on._endgame is None) == (on._lookahead is None)
    with pytest.raises(GameError) as error:
        make_agent(f"{untrained},endgame=x", engine)
    assert error.value.code == ErrorCode.INVALID_AGENT_OPTION


def test_preset_sets_the_number_of_endgame_cards(engine: Any) -> None:
    usual: Any = make_agent("abl", engine)
    assert usual._endgame._max_cards == usual.policy.networks.preset.endgame_cards > 0
    custom: Any = make_agent("abl:endgame=8,think=100", engine)
    assert custom._endgame._max_cards == 8
    for name in ("abl:endgame=0", "abl:no-lookahead", "abl:supervised"):
        without: Any = make_agent(name, engine)
        assert without._endgame is None


def test_unsupported_games_are_played_without_endgame_search(
    player: Any, solved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions, view, proposed, _ = solved
    monkeypatch.setattr("abl_cards.games.endgame.applicability._obstacles", lambda rules: ("it plays in tricks",))
    result = endgame.EndgameSearch(player.policy, max_cards=8).improve_policy(decisions, view, proposed)
    assert not result.deals.any()
    with pytest.raises(GameError, match="it plays in tricks"):
        make_agent("abl:endgame=8", player.policy.engine)


def test_time_limit_bounds_positions_and_weighted_deals(engine: Any) -> None:
    solver = cast(Any, make_agent("abl", engine))._endgame
    short, long = solver.with_time_limit(0.002), solver.with_time_limit(10.0)
    assert (short._pool_size, long._pool_size) == (endgame.MIN_POOL, solver._pool_size)
    assert endgame.MIN_POOL < solver._pool_size == PRESETS["small"].rollout.pool_size
    assert short._max_nodes < long._max_nodes
