"""Self-play tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.agents.preference_agent import PreferenceAgent
from abl_cards.games.game import load
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import Moves
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, Preset
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.training.joint_loop import MIN_READY_SHARE, SelfPlay
from abl_cards.training.opponents import assign_players
from tests.effort import long
from tests.learners.tiny import TINY


class Counting:
    """The agent kb with a list of its batch sizes."""

    def __init__(self, engine: Any) -> None:
        self._kb, self.asked = PreferenceAgent(Minimiser(engine.preference_model())), list[int]()

    def play(self, decisions: Decisions, keys: Any) -> Moves:
        self.asked.append(len(decisions.rows))
        return self._kb.play(decisions, keys)

    def choose(self, choices: Choices, keys: Any) -> NDArray[np.uint8]:
        return self._kb.choose(choices, keys)


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


def test_opponents_decide_in_batches_without_starvation(engine: Any) -> None:
    seats = assign_players(24, 2, (0.5,))
    opponent = Counting(engine)
    mind = NeuroSymbolicPolicy(engine, engine.preference_model(), Networks(TINY, GameShape.of(engine)))
    play = SelfPlay(engine, mind, [opponent], seats, TINY.ppo, seed=1)
    made = play.tables.num_decisions.sum()
    for _ in range(60):
        play.step()
    assert min(opponent.asked) >= MIN_READY_SHARE * 12
    assert max(opponent.asked) <= 12
    assert play.num_decisions == play.tables.num_decisions.sum() - made
    met, alone = play.tables.num_decisions[:12], play.tables.num_decisions[12:]
    assert met.min() > 20
    assert met.mean() > 0.7 * alone.mean()


def test_all_real_choices_are_stored_with_critic_inputs(engine: Any) -> None:
    mind = NeuroSymbolicPolicy(engine, engine.preference_model(), Networks(TINY, GameShape.of(engine)))
    play: Any = SelfPlay(engine, mind, [], np.zeros((8, 2), np.int8), TINY.ppo, seed=2)
    for _ in range(5):
        play.step()
    used = np.flatnonzero(play.buffer.state)
    rows = play.buffer.rows.at(used)
    assert (rows.legal.sum(axis=1) > 1).all()
    context = np.repeat(play.tables.state.context[play.buffer.table[used]], 3)
    plays = engine.min_plays(context, rows.hands.reshape(-1, 54)).reshape(-1, 3)
    assert (plays == rows.hidden_plays_left).all()
    assert (plays[rows.hands.any(axis=2)] > 0).all()
    openings = np.unpackbits(rows.lead_mask, axis=2)[..., : len(engine.labels)].astype(bool)
    assert (openings[:, 1:].any(axis=2) == rows.hands.any(axis=2)).all()
    leads = rows.to_beat < 0
    assert (openings[leads, 0] >= rows.legal[leads]).all()


@pytest.mark.parametrize(
    ("game", "preset"),
    [
        ("hearts", replace(TINY, ppo=replace(TINY.ppo, trick_point_reward=0.01))),
        pytest.param("tractor", PRESETS["planes-small"], marks=long),
    ],
)
def test_trick_rewards_equal_card_points(game: str, preset: Preset) -> None:
    """The points in piles and the buried points add up to all points; rewards are points less those of the others."""
    engine = load(game).engine()
    mind = NeuroSymbolicPolicy(engine, engine.preference_model(), Networks(preset, GameShape.of(engine)).eval())
    play = SelfPlay(engine, mind, [], assign_players(3, int(engine.teams.max()) + 1, ()), preset.ppo, 0)
    totals: list[tuple[float, float, float]] = []
    sides = int(engine.teams.max()) + 1
    finish = play.buffer.finish_episodes

    def note(tables: Any, rewards: Any, discount: float, trace: float, earned: Any) -> None:
        state = play.tables.state
        for table, table_rewards in zip(tables, earned, strict=True):
            aside = engine.rules.pack.copies - state.played[table].sum(axis=0)
            taken = play.trick_points.won[table].sum()
            expected = preset.ppo.trick_point_reward * taken * (2 - sides) * len(engine.teams) / sides
            totals.append((taken + aside @ engine.rules.card_points, table_rewards.sum(), expected))
        finish(tables, rewards, discount, trace, earned)

    play.buffer.finish_episodes = note  # type: ignore[method-assign, assignment]
    while not totals:
        play.step()
    in_pack = engine.rules.pack.copies @ engine.rules.card_points
    assert in_pack > 0
    assert all(whole == in_pack and abs(balance - expected) < 1e-5 for whole, balance, expected in totals)
    assert not play.trick_points.won[play.tables.num_episodes > 0].any()
