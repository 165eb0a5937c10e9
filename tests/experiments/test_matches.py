"""Matches of experiments: points of episodes from both sides, and players by their rules and weights."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents import agent_variant
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.episodes import measure_episodes
from abl_cards.experiments.matches import MatchSummary, PointShares, measure_matches, share_of_episodes
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.intervals import wilson_interval
from abl_cards.matches.match_runner import MAX_PARALLEL_GAMES, play_match
from tests.effort import amount


def test_swapped_agents_give_the_complementary_summary(engine: Engine, tmp_path: Path) -> None:
    greedy, random = load_agents(["greedy", "random"], engine)
    desk, games = ExperimentWorkspace(tmp_path), amount(2, 4)
    summary, turned = (measure_matches(desk, engine, pair, games, 3) for pair in ((greedy, random), (random, greedy)))
    assert summary.win_rate == 1.0
    assert turned.win_rate == 0.0  # the same deals with the teams swapped: the same games, seen from the other side
    assert summary.swap_sides().interval == pytest.approx(turned.interval)
    assert len(summary.episode_points) > games * 4
    assert set(np.unique(summary.episode_points)) <= {-3, -2, -1, 1, 2, 3}
    assert summary.episode_points.sum() > games * 11  # from level 2 to beyond A takes twelve levels and the last one
    points = PointShares.from_scores(summary.episode_points)
    assert points.total_points == summary.episode_points[summary.episode_points > 0].sum()
    assert points.win_rate == (summary.episode_points > 0).mean()
    assert sum(share or 0.0 for share in points.shares.values()) == pytest.approx(1)
    assert (
        points.total_points - PointShares.from_scores(-summary.episode_points).total_points
        == summary.episode_points.sum()
    )


def test_point_shares_without_episodes_are_none() -> None:
    """Give no shares of points to a player without a won episode."""
    lost = PointShares.from_scores(np.array([-1, -3], np.int8))
    assert (lost.total_points, lost.win_rate, set(lost.shares.values())) == (0, 0.0, {None})
    assert PointShares.from_scores(np.zeros(0, np.int8)).win_rate is None


def test_fingerprint_depends_on_the_weights(engine: Engine, tiny_agent: str) -> None:
    (before,) = load_agents([tiny_agent], engine)
    file = Path(tiny_agent.partition("=")[2])
    file.with_suffix(".json").touch()
    assert load_agents([tiny_agent], engine)[0].fingerprint == before.fingerprint
    names = load_agents([tiny_agent, agent_variant(tiny_agent, "no-projection"), "kb"], engine)
    assert names[1].name == f"abl:no-projection,weights={file}"
    assert names[2].fingerprint != before.fingerprint


def test_duplicate_agents_are_rejected(engine: Engine) -> None:
    with pytest.raises(GameError) as error:
        load_agents(["kb", "greedy", "kb"], engine)
    assert error.value.code == ErrorCode.DUPLICATE_AGENT


def _outcome(scores: list[list[int]], rate: float, interval: tuple[float, float]) -> MatchSummary:
    flat = np.array([score for game in scores for score in game], np.int8)
    return MatchSummary(("a", "b"), len(scores), rate, interval, flat, np.array([len(game) for game in scores]))


def test_pooled_rounds_add_their_games() -> None:
    """Two rounds worth 100 independent games each are worth 200."""
    one, two = (
        _outcome([[1]] * 100, 0.6, wilson_interval(0.6, 100)),
        _outcome([[1]] * 100, 0.5, wilson_interval(0.5, 100)),
    )
    both = MatchSummary.pool([one, two])
    assert both.num_games == 200
    assert both.win_rate == pytest.approx(0.55)
    assert both.interval == pytest.approx(wilson_interval(0.55, 200), abs=1e-4)
    assert both.swap_sides().interval == pytest.approx((1 - both.interval[1], 1 - both.interval[0]))


def test_dependent_episodes_widen_the_interval() -> None:
    """Count the episodes of a deal as one when they all end alike."""
    random = np.random.default_rng(0)
    alike = [[1 if won else -1] * 5 for won in np.repeat(random.random(200) < 0.5, 2)]
    apart = [[1 if won else -1 for won in random.random(5) < 0.5] for _ in range(400)]
    widths = []
    for scores in (alike, apart):
        outcome = _outcome(scores, 0.5, (0.4, 0.6))
        rate, low, high = share_of_episodes(outcome, outcome.episode_points > 0, outcome.episode_points != 0)
        assert rate == (outcome.episode_points > 0).mean()
        assert rate is not None
        assert low is not None
        assert high is not None
        assert low < rate < high
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1] * 10**0.5, rel=0.15)
    assert widths[1] == pytest.approx(np.subtract(*wilson_interval(0.5, 2000)[::-1]), rel=0.1)


def test_shares_of_empty_sets_are_none() -> None:
    outcome = _outcome([[-1, -1], [-2]], 0.0, (0.0, 0.8))
    won = outcome.episode_points > 0
    assert share_of_episodes(outcome, won, won) == (None, None, None)
    older = replace(outcome, episodes_per_game=np.zeros(0, np.int64))
    assert share_of_episodes(older, won, ~won) == (0.0, None, None)


def test_points_beyond_int8_are_stored(tmp_path: Path) -> None:
    """Gan Deng Yan pays up to hundreds of points; one seat's points less the mean of all are not always whole."""
    engine = load("gandengyan").engine()
    greedy, random = load_agents(["greedy", "random"], engine)
    workspace = ExperimentWorkspace(tmp_path)
    points = [measure_matches(workspace, engine, (greedy, random), 160, 1).episode_points for _ in range(2)]
    expected: list[float] = []
    play_match(engine, ["greedy", "random"], 160, 1, on_points=lambda _, earned: expected.extend(earned.tolist()))
    assert sorted(points[0].tolist()) == sorted(expected)
    assert points[0].max() > 127
    assert (points[0] == points[1]).all()  # as measured, and as stored


def test_progress_bar_gets_the_number_of_parallel_games(tmp_path: Path) -> None:
    """Regression: the time left of an experiment was stated from the first few games of hundreds that end together."""
    bars = list[tuple[int | None, int]]()

    def progress_bar(
        text: str, total: int | None, side_by_side: int = 1, done: int = 0
    ) -> AbstractContextManager[ProgressCallback]:
        bars.append((total, side_by_side))
        return nullcontext(lambda done, remark: None)

    engine = load("gandengyan").engine()
    (greedy, random), desk = load_agents(["greedy", "random"], engine), ExperimentWorkspace(tmp_path, progress_bar)
    measure_matches(desk, engine, (greedy, random), 2, 3)
    measure_episodes(desk, engine, (greedy, random), 6, 3)
    assert bars == [(2, MAX_PARALLEL_GAMES), (6, 6)]
