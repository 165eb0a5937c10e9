"""Tables where a learner plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents import Kb
from abl_cards.agents.mind import Mind
from abl_cards.games import Decisions, Moves, game
from abl_cards.loop.players import seating
from abl_cards.loop.selfplay import COMPANY, SelfPlay
from learners.networks import GameShape, Networks
from learners.presets import PRESETS
from reasoners.minimiser import Minimiser
from tests.learners.tiny import TINY


class Counting:
    """The agent kb, who remembers how many decisions it made at once."""

    def __init__(self, engine: Any) -> None:
        self._kb, self.asked = Kb(Minimiser(engine.judge())), list[int]()

    def play(self, decisions: Decisions, keys: Any) -> Moves:
        self.asked.append(len(decisions.which))
        return self._kb.play(decisions, keys)


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("guandan").engine()


def test_opponents_decide_in_company_and_nobody_waits_for_ever(engine: Any) -> None:
    seats = seating(24, 2, (0.5,))
    opponent = Counting(engine)
    mind = Mind(engine, engine.judge(), Networks(TINY, GameShape.of(engine)))
    play = SelfPlay(engine, mind, [opponent], seats, TINY.ppo, seed=1)
    made = play.tables.clock.sum()
    for _ in range(60):
        play.step()
    assert min(opponent.asked) >= COMPANY * 12
    assert max(opponent.asked) <= 12
    assert play.decisions == play.tables.clock.sum() - made
    met, alone = play.tables.clock[:12], play.tables.clock[12:]
    assert met.min() > 20
    assert met.mean() > 0.7 * alone.mean()


def test_every_decision_with_a_choice_is_remembered_with_what_the_critic_is_told(engine: Any) -> None:
    mind = Mind(engine, engine.judge(), Networks(TINY, GameShape.of(engine)))
    play: Any = SelfPlay(engine, mind, [], np.zeros((8, 2), np.int8), TINY.ppo, seed=2)
    for _ in range(5):
        play.step()
    used = np.flatnonzero(play.memory.state)
    rows = play.memory.rows.at(used)
    assert (rows.legal.sum(axis=1) > 1).all()
    context = np.repeat(play.tables.state.context[play.memory.table[used]], 3)
    plays = engine.plays_to_go(context, rows.hands.reshape(-1, 54)).reshape(-1, 3)
    assert (plays == rows.to_go).all()
    assert (plays[rows.hands.any(axis=2)] > 0).all()
    openings = np.unpackbits(rows.openings, axis=2)[..., : len(engine.labels)].astype(bool)
    assert (openings[:, 1:].any(axis=2) == rows.hands.any(axis=2)).all()
    leads = rows.to_beat < 0
    assert (openings[leads, 0] >= rows.legal[leads]).all()


def test_tricks_earn_what_they_are_worth() -> None:
    """All points but those that are buried lie in piles at the end, and what one side has the other lacks."""
    engine = game("tractor").engine()
    preset = PRESETS["planes-small"]
    mind = Mind(engine, engine.judge(), Networks(preset, GameShape.of(engine)).eval())
    play = SelfPlay(engine, mind, [], seating(3, 2, ()), preset.ppo, 0)
    found: list[tuple[float, float]] = []
    finish = play.memory.finish

    def note(which: Any, rewards: Any, discount: float, trace: float, earned: Any) -> None:
        state = play.tables.state
        for table, each in zip(which, earned, strict=True):
            aside = engine.rules.pack.copies - state.played[table].sum(axis=0)
            found.append((play.piles.taken[table].sum() + aside @ engine.rules.worth, each.sum()))
        finish(which, rewards, discount, trace, earned)

    play.memory.finish = note  # type: ignore[method-assign, assignment]
    while not found:
        play.step()
    assert all(whole == 200 and abs(balance) < 1e-5 for whole, balance in found)
    assert not play.piles.taken[play.tables.episode > 0].any()
