"""Positions of played games, written as bare states with all that is public, answer as the games themselves do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import game_names, load
from abl_cards.games.tables.decision_point import DecisionPoint, is_play_decision
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.reasoners.search.endgame_solver import EndgameUnsolved, open_hand_tables, solve_endgame
from tests.effort import amount
from tests.games.every_game import every_game
from tests.games.random_play import match_keys, step

MOST_CARDS, NODES = 20, 4_000
SOLVED = {"big2", "doudizhu", "guandan"}


@dataclass(frozen=True)
class Sample:
    """Numbers of positions and games in a sample."""

    games: int
    every: int  # steps between two positions
    solved: int  # positions at most


def _positions(engine: Engine, sample: Sample) -> Iterator[DecisionPoint]:
    """Positions of random episodes, now of one table and now of another."""
    tables = Tables.begin(engine.rules, match_keys(sample.games, 11))
    tables.auto_next_episode = False
    steps, random = 0, np.random.default_rng(5)
    while True:
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        waiting = np.concatenate([playing, choosing])
        if waiting.size and steps % sample.every == 0:
            one = random.choice(waiting, 1)
            yield engine.decision_point_at(tables.decisions(one) if one[0] in playing else tables.choices(one))
        steps += 1
        if not step(tables):
            return


def _values(engine: Engine, moment: DecisionPoint) -> Any:
    """The value and the points of each move; else why it is not solved."""
    assert isinstance(moment.decision, Decisions)
    try:
        solution = solve_endgame(open_hand_tables(moment.decision), NODES)
    except (GameError, EndgameUnsolved) as problem:
        return str(problem)
    return solution.value, solution.move_points.tolist()


def _with_faces(engine: Engine, moment: DecisionPoint, state: Mapping[str, Any]) -> dict[str, Any]:
    """The state with open hands."""
    return {
        **state,
        "face": [engine.rules.card_codes.write_hand(hand) for hand in moment.decision.view.hidden_hands[0]],
    }


def check(engine: Engine, sample: Sample) -> int:
    """Compare positions with their states; returns how many were solved."""
    judge, solved, states, moves = engine.preference_model(), 0, [], []
    for moment in _positions(engine, sample):
        state = json.loads(json.dumps(dict(moment.state)))
        bare = engine.read_decision_point(state, for_explanation=True)
        assert bare.actions == moment.actions, state
        assert (
            judge.costs(bare.decision, bare.move_lists)[0].tolist()
            == judge.costs(moment.decision, moment.move_lists)[0].tolist()
        ), state
        states.append(state)
        moves.append(sorted(json.dumps(action.to_json()) for action in moment.actions))
        few = int(moment.decision.view.state.hands[moment.decision.view.rows[0]].sum()) <= MOST_CARDS
        if few and is_play_decision(moment.decision) and solved < sample.solved:
            open_state = engine.read_decision_point(_with_faces(engine, moment, state))
            assert _values(engine, open_state) == _values(engine, moment), state
            solved += 1
    answers = engine.legal_moves(states)
    move_lists = [None if isinstance(answer, GameError) else sorted(map(json.dumps, answer)) for answer in answers]
    assert move_lists == moves
    return solved


@pytest.mark.parametrize("name", every_game())
def test_bare_states_answer_as_their_game(name: str) -> None:
    solved = check(load(name).engine(), Sample(amount(4, 20), amount(10, 5), amount(2, 12) if name in SOLVED else 0))
    assert bool(solved) == (name in SOLVED)


@pytest.mark.long
@pytest.mark.parametrize("name", game_names())
def test_bare_states_of_a_thousand_games_a_profile(name: str) -> None:
    for profile in load(name).engine().rules.folder.profiles or [None]:
        check(load(name).engine(profile=profile), Sample(1000, 1, 400))
