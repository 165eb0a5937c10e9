"""Ratings: the maximum of the likelihood on a grid, intervals of the profile, and agents that win everything."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.matches.intervals import share_interval, wilson_interval
from abl_cards.matches.ratings import LIKELIHOOD_DROP, PairResult, fit_ratings, log_likelihood

GAMES = [PairResult("a", "kb", 100, 0.7), PairResult("kb", "c", 60, 0.55), PairResult("a", "c", 80, 0.8)]


def test_ratings_equal_a_grid_search() -> None:
    ladder = fit_ratings(GAMES, "kb")
    wins = np.array([[0, 70, 64], [30, 0, 33], [16, 27, 0]], float)  # a, kb, c
    grid = np.arange(-300.0, 301.0, 4.0)
    values = np.array([[log_likelihood(wins, np.array([one, 0, two])) for two in grid] for one in grid])
    best = np.unravel_index(values.argmax(), values.shape)
    ratings = {rating.agent: rating for rating in ladder.ratings}
    assert not ladder.is_regularised
    for axis, name in enumerate("ac"):
        rating = ratings[name]
        assert rating.value == pytest.approx(grid[best[axis]], abs=4)
        profile = values.max(axis=1 - axis)
        inside = grid[profile >= values.max() - LIKELIHOOD_DROP]
        assert rating.interval == pytest.approx((inside[0], inside[-1]), abs=5)
    assert (ratings["kb"].value, ratings["kb"].interval, ratings["a"].games) == (0, None, 180)
    assert [rating.agent for rating in ladder.ratings] == ["a", "kb", "c"]


def test_dependent_games_widen_the_interval() -> None:
    wide = [PairResult(one.first, one.second, one.games, one.rate, wilson_interval(one.rate, one.games / 4))
            for one in GAMES]  # fmt: skip
    near, far = (fit_ratings(games, "kb").ratings[0] for games in (GAMES, wide))
    assert far.value == pytest.approx(near.value, abs=1)
    assert near.interval
    assert far.interval
    assert far.interval[1] - far.interval[0] > 1.8 * (near.interval[1] - near.interval[0])


def test_agent_that_wins_all_games_has_a_finite_rating() -> None:
    ladder = fit_ratings([PairResult("abl", "kb", 50, 1.0), PairResult("kb", "random", 50, 0.9)], "kb")
    assert ladder.is_regularised
    assert [rating.agent for rating in ladder.ratings] == ["abl", "kb", "random"]
    assert all(np.isfinite(rating.value) for rating in ladder.ratings)


def test_agents_without_games_to_the_reference_have_no_rating() -> None:
    ladder = fit_ratings([PairResult("a", "b", 10, 0.5), PairResult("x", "y", 4, 0.5)])
    assert (ladder.reference, ladder.unrated) == ("a", ("x", "y"))
    with pytest.raises(ValueError, match="no results"):
        fit_ratings([])


@pytest.mark.parametrize(("mean", "games"), [(-0.1, 10), (1.5, 10), (0.5, 0), (0.5, -3), (float("nan"), 10)])
def test_intervals_of_no_share_are_rejected(mean: float, games: float) -> None:
    """A negative number of games had an interval whose bounds were exchanged."""
    with pytest.raises(GameError) as error:
        wilson_interval(mean, games)
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert wilson_interval(1 + 1e-15, 10)[1] == 1
    with pytest.raises(GameError):
        share_interval(np.zeros(0))
