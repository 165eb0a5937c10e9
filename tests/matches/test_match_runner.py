"""Matches of several agents: seatings, duplicate deals, points and places with their bounds."""

from __future__ import annotations

import doctest
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import GreedyAgent
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types.moves import Moves
from abl_cards.matches import intervals, results
from abl_cards.matches.intervals import effective_sample_size, mean_interval, share_interval, wilson_interval
from abl_cards.matches.match_runner import compute_seatings, play_match
from abl_cards.matches.results import MatchResult, PlacementTally, compute_places
from tests.cli_runs import run
from tests.effort import amount
from tests.games.notation.folders import sets

FIVE = sets("seat(0..4). rank(3..7). pack(R,4) :- rank(R). deals(S,4) :- seat(S). leads(0). match_over.", copies=4)


@pytest.mark.parametrize("module", [intervals, results])
def test_doctests_pass(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def match(engine: Engine, *names: str, games: int, seed: int = 0, **more: Any) -> MatchResult:
    return play_match(engine, [make_agent(name, engine) for name in names], games, seed, names=names, **more)


def test_compute_seatings_returns_all_rotations() -> None:
    engine = load("president").engine()
    assert compute_seatings(engine, 4).tolist() == [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
    assert compute_seatings(load("sixteen").engine(), 3).tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    assert (compute_seatings(engine, 2) == engine.agent_seatings).all()


@pytest.mark.parametrize(("name", "agents"), [("president", 3), ("guandan", 4)])
def test_wrong_number_of_agents_is_rejected(name: str, agents: int) -> None:
    with pytest.raises(GameError) as error:
        compute_seatings(load(name).engine(), agents)
    assert error.value.code == ErrorCode.WRONG_AGENT_COUNT


def test_every_deal_is_played_in_all_rotations() -> None:
    records: list[dict[str, Any]] = []
    names = ("kb", "greedy", "random", "zhiduoxing")
    match(load("president").engine(), *names, games=8, write_record=records.append)
    records.sort(key=lambda record: record["match"])
    for deal in (records[:4], records[4:]):
        assert len({json.dumps(record["hands"]) for record in deal}) == 1
        for seat in range(4):
            assert {record["players"][seat] for record in deal} == set(names)
    assert records[0]["hands"] != records[4]["hands"]


def test_points_and_places_of_standings_are_consistent() -> None:
    result = match(load("paodekuai").engine(), "kb", "greedy", "random", "zhiduoxing", games=40)
    assert [standing.agent for standing in result.standings] == list(result.agents)
    assert sum(standing.points for standing in result.standings) == pytest.approx(0, abs=1e-5)
    assert sum(standing.place for standing in result.standings) == pytest.approx(10, abs=1e-5)
    assert sum(standing.first for standing in result.standings) == pytest.approx(1, abs=1e-5)
    assert result.rate == pytest.approx(result.standings[0].first, abs=1e-6)
    assert sum(result.wins) + result.draws == 40
    for standing in result.standings:
        assert standing.place_interval
        assert standing.points_interval
        assert standing.first_interval[0] <= standing.first <= standing.first_interval[1]
        assert standing.place_interval[0] <= standing.place <= standing.place_interval[1]
        assert standing.points_interval[0] <= standing.points <= standing.points_interval[1]


def test_agents_with_one_name_share_a_standing() -> None:
    result = match(load("president").engine(), "greedy", "random", "random", "random", games=16)
    assert result.agents == ("greedy", "random")
    greedy, random = result.standings
    assert greedy.points + 3 * random.points == pytest.approx(0, abs=1e-5)
    assert greedy.place + 3 * random.place == pytest.approx(10, abs=1e-5)
    assert greedy.first + random.first == pytest.approx(1)


@pytest.mark.parametrize("agents", [2, 5])
def test_points_and_places_with_five_seats(tmp_path: Path, agents: int) -> None:
    (tmp_path / "game.lp").write_text(FIVE)
    names = ("greedy", "random", "zhiduoxing", "random", "random")[:agents]
    result = match(load(str(tmp_path)).engine(), *names, games=20)
    seats = Counter(names) if agents == 5 else dict.fromkeys(names, 2.5)
    for what, whole in (("points", 0), ("place", 15)):
        of_all = sum(seats[standing.agent] * getattr(standing, what) for standing in result.standings)
        assert of_all == pytest.approx(whole, abs=1e-4)
    assert {standing.agent for standing in result.standings} == set(names)


def test_two_agents_have_standings_in_games_without_teams() -> None:
    result = match(load("sixteen").engine(), "greedy", "random", games=12)
    assert [standing.agent for standing in result.standings] == ["greedy", "random"]
    assert result.standings[0].place < result.standings[1].place
    assert match(load("big2").engine(), "greedy", "random", games=2).standings == ()


@pytest.mark.parametrize(("name", "games"), [("sixteen", 12), ("guandan", amount(2, 12))])
def test_records_name_the_agent_of_each_seat(name: str, games: int) -> None:
    records: list[dict[str, Any]] = []
    match(load(name).engine(), "greedy", "random", games=games, write_record=records.append)
    headings = [record for record in records if "match" in record]
    assert headings
    engine, agents = load(name).engine(), np.array(["greedy", "random"])
    seatings = [tuple(agents[seating]) for seating in engine.agent_seatings]
    for record in headings:
        assert tuple(record["players"]) == seatings[record["match"] % len(seatings)]
    assert {tuple(record["players"]) for record in headings} == {*seatings[:games]}


def test_games_are_independent_of_the_number_of_games() -> None:
    engine, names = load("president").engine(), ("kb", "greedy", "random", "zhiduoxing")
    few, many = list[dict[str, Any]](), list[dict[str, Any]]()
    match(engine, *names, games=3, seed=9, write_record=few.append)
    match(engine, *names, games=12, seed=9, write_record=many.append)
    many.sort(key=lambda record: record["match"])
    assert sorted(few, key=lambda record: record["match"]) == many[:3]


def test_one_deal_has_no_interval() -> None:
    result = match(load("president").engine(), "kb", "greedy", "random", "zhiduoxing", games=4)
    assert {standing.points_interval for standing in result.standings} == {None}


@pytest.mark.parametrize("games", [2, 6, 20])
def test_games_of_one_deal_count_as_one_game(games: int) -> None:
    shares = np.arange(games, dtype=np.float64) % 2
    assert share_interval(shares, 20) == wilson_interval(0.5, 1)
    assert share_interval(np.tile(shares, 20), 20 * games) == wilson_interval(0.5, 1)


def test_games_of_deals_with_one_game_each_are_independent() -> None:
    assert share_interval(np.array([1.0, 0.0]), 1) == wilson_interval(0.5, 2)
    assert share_interval(np.array([1.0]), 1) == wilson_interval(1, 1)


def test_mean_interval_covers_95_percent() -> None:
    """The bounds of points cover the true value in about 95% of 400 matches of equal players."""
    draw, inside = np.random.default_rng(1), Counter[bool]()
    for _ in range(400):
        luck = np.repeat(draw.normal(size=40), 4)  # of the deal
        bounds = mean_interval(luck + draw.normal(size=160), 4)
        assert bounds
        inside[bounds[0] <= 0 <= bounds[1]] += 1
    assert 0.91 <= inside[True] / 400 <= 0.98


def test_seats_with_equal_points_share_places() -> None:
    points = np.array([[4.0, -2.0, -2.0], [1.0, 1.0, -2.0]])
    assert compute_places(points).tolist() == [[1, 2.5, 2.5], [1.5, 1.5, 3]]
    tally = PlacementTally.empty(2)
    tally.add_games(np.arange(2), points, np.array([[True, False, True], [False, True, False]]))
    assert (tally.seats.tolist(), tally.first.tolist(), tally.places.tolist()) == ([2, 1], [1, 0.5], [3.5, 1.5])
    assert tally.points.tolist() == [2, 1]


def test_match_command_prints_standings() -> None:
    report = json.loads(run("match", "president", "kb", "greedy", "random", "random", "--games", "8", "--json").stdout)
    assert list(report)[-1] == "standings"
    assert list(report["standings"][0]) == [
        "agent", "first", "first_interval", "place", "place_interval", "points", "points_interval",
    ]  # fmt: skip
    table = run("match", "president", "kb", "greedy", "random", "random", "--games", "8").stdout
    assert "first places" in table
    assert "8 games, " in table
    wrong = run("match", "president", "kb", "greedy", "random")
    assert wrong.exit_code == 2
    assert "2 agents, or 4 can play, not 3" in wrong.stderr
    assert run("match", "president", "kb").exit_code == 2


@pytest.mark.parametrize("asks", [False, True])
def test_history_is_recorded_only_for_agents_that_need_it(asks: bool) -> None:
    """Record history only for agents that need it, since recording is as costly as play."""
    has_history = []

    class LooksBack(GreedyAgent):
        needs_history = asks

        def play(self, decisions: Any, keys: Any) -> Moves:
            has_history.append(decisions.view.history is not None)
            return super().play(decisions, keys)

    engine = load("president").engine()
    play_match(engine, [LooksBack(engine.label_traits), make_agent("random", engine)], 4, 0, names=["it", "random"])
    assert set(has_history) == {asks}


@pytest.mark.parametrize(("agents", "games"), [("kb", 2), (["kb", "greedy"], "2"), (["kb", "greedy"], 0)])
def test_arguments_of_wrong_type_are_rejected(agents: Any, games: Any) -> None:
    with pytest.raises(GameError) as error:
        play_match("president", agents, games)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize(
    "call",
    [
        lambda: effective_sample_size(0.5, (0.5, 0.5)),
        lambda: effective_sample_size(0.5, (0.6, 0.4)),
        lambda: mean_interval(np.ones(4), 0),
        lambda: mean_interval(np.ones((2, 2)), 1),
        lambda: mean_interval(np.array(["a", "b"]), 1),
    ],
)
def test_intervals_of_other_values_are_rejected(call: Callable[[], object]) -> None:
    """These were divisions by zero, or the mean over all numbers of a table."""
    with pytest.raises(GameError) as error:
        call()
    assert error.value.code == ErrorCode.INVALID_VALUE
