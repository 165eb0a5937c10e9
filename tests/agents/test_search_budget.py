"""Rounds of the look-ahead, their depth and the time that they take."""

from __future__ import annotations

import time

import pytest

from abl_cards.agents import search_budget as effort

DEALS_PER_ROUND = effort.POLICY_COSTS.deals_per_round


CHOICES = [(depth,) for depth in effort.DEPTHS]


def test_deepest_affordable_round_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.agents.search_budget.time.monotonic", lambda: 5.0)
    pace = effort.RoundTimer()
    assert pace.find_deepest_round(2, 5.0, CHOICES) is None
    assert pace.find_deepest_round(2, 5.04, CHOICES) == effort.SearchRound(DEALS_PER_ROUND, (4,))
    assert pace.find_deepest_round(2, 5.031, CHOICES) == effort.SearchRound(DEALS_PER_ROUND // 2, (4,))
    assert pace.find_deepest_round(2, 6.0, CHOICES) == effort.SearchRound(DEALS_PER_ROUND, (16,))
    slow = effort.RoundTimer()
    for _ in range(40):
        slow.update(10, (0,), 5 - 10 * pace.estimate_seconds(10))
    assert slow.estimate_seconds(10) == pytest.approx(10 * pace.estimate_seconds(10), rel=0.01)


def test_timed_rounds_keep_the_depth_of_play_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play to the end without the critic; with the critic, evaluate first and search deeper where it may err."""
    assert effort.plan_timed_rounds(effort.SearchRound(16)) == (effort.TIMED_ROUNDS, CHOICES)
    at_once = effort.plan_timed_rounds(effort.SearchRound(16), effort.COMPILED_ROLLOUT_COSTS)  # which has no depths
    assert at_once == (effort.TIMED_ROUNDS, [(0,)])
    steps, later = effort.plan_timed_rounds(effort.SearchRound(32, (0, 40)))
    assert {step.depths for step in steps} == set(later) == {(0, 40)}
    monkeypatch.setattr("abl_cards.agents.search_budget.time.monotonic", lambda: 5.0)
    assert effort.RoundTimer().find_deepest_round(2, 6.0, later) == effort.SearchRound(DEALS_PER_ROUND, (0, 40))


def test_depths_with_a_time_limit_follow_a_round_as_without_one() -> None:
    """The first round is cheap, as it is played however short the time is; so are later ones if time is short."""
    costs = effort.COMPILED_ROLLOUT_COSTS
    steps, later = effort.plan_timed_rounds(effort.SearchRound(32, (8,)), costs, (0, 8, 900))
    assert steps == (effort.SearchRound(costs.deals_per_round // 2, (8,)),)
    assert later == [(0, 8, 900), (8,)]
    more = costs.estimate_seconds(40, later[0]) - costs.estimate_seconds(40, later[1])
    assert more == pytest.approx(2 * 40 * costs.table_seconds)
    assert more > 0


def test_other_depths_need_time_for_many_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few deals at other depths know less than those before, whose results are dropped."""
    monkeypatch.setattr("abl_cards.agents.search_budget.time.monotonic", lambda: 5.0)
    costs = effort.COMPILED_ROLLOUT_COSTS
    timer, choices = effort.RoundTimer(costs), [(0, 8, 900), (8,)]
    enough = costs.estimate_seconds(2 * costs.min_deals, choices[0])
    assert costs.min_deals > costs.deals_per_round
    for seconds, depths in ((0.9 * enough, choices[1]), (1.1 * enough, choices[0])):
        assert timer.find_deepest_round(2, 5.0 + seconds, choices) == effort.SearchRound(costs.deals_per_round, depths)


@pytest.mark.parametrize(("depth", "later"), [(4, (16, 8, 4)), (8, (16, 8)), (16, (16,)), (20, (20,))])
def test_timed_rounds_are_no_shallower_than_the_preset(depth: int, later: tuple[int, ...]) -> None:
    """Such a critic does not tell labels apart at once, so a round at depth 0 would drop the best ones."""
    steps, depths = effort.plan_timed_rounds(effort.SearchRound(8, (depth,)))
    assert [step.depths for step in steps] == [(depth,), (depth,)]
    assert depths == [(more,) for more in later]


def test_pool_fits_a_part_of_the_time() -> None:
    timer = effort.RoundTimer()
    assert timer.limit_pool(1e-6) == timer.limit_pool(0.0)
    least, most = timer.limit_pool(0.0), timer.limit_pool(1e6)
    assert 0 < least < most
    timer.update_pool(100, time.monotonic() - 1.0)  # 10 ms a deal
    assert timer.limit_pool(1e6) == most
    sizes = [timer.limit_pool(seconds) for seconds in (0.05, 0.5, 2.0, 4.0)]
    assert sizes == sorted(sizes)
    assert 2 * least < sizes[-1] < most
    assert sizes[-1] * 0.01 <= 4.0 / 2


def test_clock_that_stands_still_gives_the_largest_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.agents.search_budget.time.monotonic", lambda: 5.0)
    timer = effort.RoundTimer()
    timer.update_pool(16, 5.0)
    assert timer.limit_pool(0.05) == timer.limit_pool(1e6)
