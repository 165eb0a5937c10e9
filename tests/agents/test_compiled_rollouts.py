"""Compiled rollouts against the engine, played move by move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents import make_agent
from abl_cards.agents.compiled_rollouts import CompiledRollouts
from abl_cards.agents.determinized_rollouts import DeterminizedRollout
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import MAX_IDLE_DECISIONS, TableError
from abl_cards.games.game import load
from abl_cards.learners import GameShape, Networks, RolloutNetwork, apply_reward_exponent
from abl_cards.learners.presets import END_OF_EPISODE, PRESETS
from abl_cards.learners.weights_files import WeightsCard, write_weights
from abl_cards.learners.weights_io import save_networks
from tests.agents.rollout_networks import CONFIG, network_log_probs, random_network
from tests.games.rollouts.sampled_tables import sample_tables
from tests.learners.tiny import TINY
from tests.positions import shared_positions

GAMES = [
    ("guandan", None),
    ("doudizhu", "rlcard"),
    ("doudizhu", "contest"),
    ("doudizhu", "douzero"),
    ("president", None),
]


def card_costs(engine: Any, tables: Any) -> NDArray[np.int64]:
    """Return how many card sets that a hand may lead use each card: [n, seats, kinds]."""
    hands = tables.state.hands
    costs = np.zeros(hands.shape, np.int64)
    leads = tables.copy(np.arange(len(tables)))
    leads.state.to_beat[:] = -1
    for seat in range(hands.shape[1]):
        leads.state.seat[:] = seat
        rows = np.flatnonzero(hands[:, seat].any(axis=1))
        lists = leads.decisions(rows).moves()
        for index, cards in zip(lists.decision_index, lists.cards, strict=True):
            for kind in cards[cards < hands.shape[2]]:
                costs[rows[index], seat, kind] += 840 // int(hands[rows[index], seat, kind])
    return costs


def play_by_engine(engine: Any, network: RolloutNetwork, tables: Any, num_choices: NDArray[np.int64]) -> Iterator[int]:
    """Play move by move, up to the choice after a number of choices at each table; yields the number of labels."""
    costs, left = card_costs(engine, tables), num_choices.copy()
    while (due := tables.rows_to_play()).size:
        has_choice = tables.decisions(due).legal_mask.sum(axis=0) > 1
        rows = due[~has_choice | (left[due] > 0)]
        if not rows.size:
            return
        left[due[has_choice]] -= 1
        decisions = tables.decisions(rows)
        legal = decisions.legal_mask.T.astype(bool)
        yield from legal.sum(axis=1)
        labels = network_log_probs(network, tables, rows).argmax(axis=1)
        lists = decisions.moves(labels.astype(np.int16))
        used = np.append(costs[rows, tables.seat[rows]], np.zeros((len(rows), 1), np.int64), axis=1)
        kinds = np.minimum(lists.cards, used.shape[1] - 1)
        cost = used[lists.decision_index[:, None], kinds].sum(axis=1)
        best = [
            first + int(cost[first:last].argmin())
            for first, last in zip(lists.start[:-1], lists.start[1:], strict=True)
        ]
        tables.play(rows, lists.select(np.array(best)))


@pytest.mark.parametrize(("game", "profile"), GAMES)
@pytest.mark.parametrize(("num_plays", "most_choices"), [(0, 1000), (9, 1000), (5, 7)])
def test_tables_go_on_as_the_engine_plays_them(
    game: str, profile: str | None, num_plays: int, most_choices: int
) -> None:
    engine = load(game, profile=profile).engine()
    num_choices = np.append(np.full(6, most_choices), np.arange(6) if most_choices < 1000 else np.full(6, 1000))
    network, tables = random_network(engine), sample_tables(engine, 12, max(1, num_plays))
    expected = tables.copy(np.arange(len(tables)))
    choices = list(play_by_engine(engine, network, expected, num_choices))
    assert max(choices) > 5
    CompiledRollouts(engine, network.to_weights()).play(tables, num_choices)
    assert (tables.points == expected.points).all()
    for field in set(tables.state._fields) - {"play_stats"}:  # which what the critic sees does not have
        assert (getattr(tables.state, field) == getattr(expected.state, field)).all(), field
    if (rows := tables.rows_to_play()).size:
        assert (tables.decisions(rows).observe() == expected.decisions(rows).observe()).all()


def test_tables_do_not_depend_on_each_other() -> None:
    engine = load("guandan").engine()
    rollouts, tables = CompiledRollouts(engine, random_network(engine).to_weights()), sample_tables(engine, 9, 5)
    one = tables.copy(np.array([4]))
    over = tables.copy(np.array([4, 4]))
    for some in (tables, one, over):
        rollouts.play(some)
    assert (one.points[0] == tables.points[4]).all()
    assert (over.points == tables.points[4]).all()
    points = over.points.copy()
    rollouts.play(over)  # whose episodes are over
    assert (over.points == points).all()


def test_tables_where_no_card_is_played_any_more_are_an_error() -> None:
    engine = load("guandan").engine()
    tables = sample_tables(engine, 6, 2)
    tables.state.idle_decisions[3] = MAX_IDLE_DECISIONS + 1
    with pytest.raises(TableError) as caught:
        CompiledRollouts(engine, random_network(engine).to_weights()).play(tables)
    assert caught.value.table == 3


@pytest.mark.parametrize("game", ["whist", "bigtwo", "tractor"])
def test_games_whose_plays_depend_on_more_are_an_error(game: str) -> None:
    engine = load(game).engine()
    with pytest.raises(GameError) as caught:
        CompiledRollouts(engine, random_network(engine).to_weights())
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return weights for Dou dizhu beside a network for compiled rollouts."""
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=CONFIG, endgame_cards=0))
    engine, card = load("doudizhu").engine(), WeightsCard("doudizhu", "tiny", True, seed=5, steps=7)
    save_networks(tmp_path / "some.safetensors", Networks(PRESETS["tiny"], GameShape.of(engine), 5), card)
    write_weights(tmp_path / "some-rollout.safetensors", random_network(engine).state_dict(), card)
    return tmp_path / "some.safetensors"


def test_critic_values_the_tables_that_were_played_on(weights: Path) -> None:
    engine = load("doudizhu").engine()
    policy = cast(Any, make_agent(f"abl:weights={weights}", engine)).policy
    tables = sample_tables(engine, 12, 3)
    rows, seats = np.arange(len(tables)), tables.seat.copy()
    played, ended = tables.copy(rows), tables.copy(rows)
    rollouts, evaluation = CompiledRollouts(engine, policy.networks.rollout_weights), DeterminizedRollout(policy)
    rollouts.play(played, 4)
    rollouts.play(ended)
    values = evaluation.evaluate(tables, seats, (4,))
    assert (values == evaluation.evaluate(played, seats)).all()
    points = apply_reward_exponent(engine.rewards(ended, rows)[rows, seats], policy.networks.preset.ppo.reward_exponent)
    at_once = evaluation.evaluate(tables, seats)
    several = evaluation.evaluate(tables, seats, (0, 4, END_OF_EPISODE))
    assert several == pytest.approx((at_once + values + points) / 3, rel=1e-6)
    assert (evaluation.evaluate(tables, seats, (500,)) == points).all()
    assert (values != points).any()
    assert (values != at_once).any()


@pytest.mark.parametrize("option", ["", ",think=100"])
def test_rollout_network_plays_on_unless_it_is_left_out(
    weights: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    engine, played = load("doudizhu").engine(), list[int]()
    play = CompiledRollouts.play

    def record(self: CompiledRollouts, tables: Any, num_choices: Any) -> None:
        played.append(len(tables))
        play(self, tables, num_choices)

    monkeypatch.setattr(CompiledRollouts, "play", record)
    decisions = shared_positions(engine, 4)
    keys = np.zeros(4, np.uint64)
    cast(Any, make_agent(f"abl:weights={weights}{option}", engine)).play(decisions, keys)
    assert played
    played.clear()
    cast(Any, make_agent(f"abl:weights={weights}{option},no-rollout-network", engine)).play(decisions, keys)
    assert not played


def test_depths_of_the_preset_depend_on_the_time_limit(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, depths=(4,), timed_depths=(0, END_OF_EPISODE))
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=config, endgame_cards=0))
    engine, asked = load("doudizhu").engine(), set[tuple[int, ...]]()
    evaluate = DeterminizedRollout.evaluate

    def record(self: DeterminizedRollout, tables: Any, seats: Any, depths: tuple[int, ...] = (0,)) -> Any:
        asked.add(depths)
        return evaluate(self, tables, seats, depths)

    monkeypatch.setattr(DeterminizedRollout, "evaluate", record)
    decisions, keys = shared_positions(engine, 4), np.zeros(4, np.uint64)
    for option, expected in (("", {(4,)}), (",think=20000", {(4,), (0, END_OF_EPISODE)})):
        asked.clear()
        cast(Any, make_agent(f"abl:weights={weights}{option}", engine)).play(decisions, keys)
        assert asked == expected
