"""Strength of folder-game preferences: two seats of ``kb`` against two of ``greedy``, in every seating."""

from __future__ import annotations

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.games.game import game_names, load
from abl_cards.matches.match_runner import play_match
from tests.effort import amount, long, thorough

DEALS = amount(20, 60, 2_000)


@pytest.mark.parametrize(
    "name",
    [
        "president",
        "paodekuai",
        "bigtwo",
        *(pytest.param(name, marks=long) for name in ("hearts", "tienlen", "gongzhu", "daifugo")),
    ],
)
def test_preferences_beat_greedy(name: str) -> None:
    """Over 2,000 deals the interval of first places lies above 60 %, that of the points above 0.

    Matches of Hearts, Gong Zhu and Daifugo last several deals; those of Whist, a game of tricks too, are below.
    """
    engine, names = load(name).engine(), ("kb", "greedy")
    games = DEALS * len(engine.agent_seatings)
    kb, _ = play_match(
        engine, [make_agent(agent_name, engine) for agent_name in names], games, 0, names=names
    ).standings
    print(f"{name}: first {kb.first:.3f} {kb.first_interval}, points {kb.points:+.3f} {kb.points_interval}")
    assert kb.points_interval
    if thorough():
        assert kb.first_interval[0] > 0.6
        assert kb.points_interval[0] > 0
    assert kb.first > 0.55


def test_preferences_beat_greedy_in_whist_pairs() -> None:
    """Of deals of Whist, which luck decides more than anything, more than half go to ``kb``."""
    engine, names = load("whist").engine(), ("kb", "greedy")
    result = play_match(engine, [make_agent(name, engine) for name in names], 4 * DEALS, 0, names=names)
    print(f"whist: {result.rate:.3f} {result.interval}")
    if thorough():
        assert result.interval[0] > 0.6
    assert result.rate > 0.55


@long
def test_preferences_win_tractor_matches() -> None:
    """Nine of ten matches from 2 to beyond the ace."""
    engine, names = load("tractor").engine(), ("kb", "greedy")
    result = play_match(engine, [make_agent(name, engine) for name in names], 200 if thorough() else 4, 0, names=names)
    print(f"tractor: {result.rate:.3f} {result.interval}")
    assert result.rate >= (0.9 if thorough() else 0.7)


@pytest.mark.parametrize("name", [name for name in game_names() if name not in ("guandan", "big2")])
def test_games_have_at_least_ten_preferences(name: str) -> None:
    """Their texts are checked by ``kb check`` and required for loading."""
    assert len(load(name).knowledge_base().preference_groups) >= 10
