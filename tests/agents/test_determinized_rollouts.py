"""Imagined tables that are played on and valued."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import Tables
from abl_cards.matches.sampled_positions import sample_from_play
from tests.agents.policies import remaining_value, untrained_whist_policy
from tests.games.endgame.minimax import small_hands

imagining = pytest.importorskip("abl_cards.agents.determinized_rollouts")


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


def test_finished_episodes_are_valued_by_the_rules(
    engine: Any, neural_policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Value a finished episode at three points by the rules, without the critic."""
    monkeypatch.setattr(neural_policy, "value", lambda inputs, opened: np.full(len(opened.hands), np.nan, np.float32))
    decisions: Any = sample_from_play(engine, 40, 7)
    course, here = decisions.view.state, decisions.rows
    seats = course.seat[here]
    partner = (seats + 2) % 4
    course.hands[here, seats] = course.hands[here, partner] = 0
    course.hands[here, seats, 4] = 1
    course.seats_out[here], course.passed[here], course.passed_in_trick[here], course.to_beat[here] = (
        1 << partner,
        0,
        0,
        -1,
    )
    course.finish_order[here] = -1
    course.finish_order[here, 0] = partner
    others = course.hands[here[:, None], (seats[:, None] + np.arange(1, 4)) % 4]
    tables = Tables.determinize(decisions, np.arange(40), others)
    last = tables.decisions(tables.rows_to_play())
    moves = last.first_moves(last.legal_mask.argmax(axis=0).astype(np.int16))
    seat = tables.seat.copy()
    tables.play(np.arange(len(tables)), moves)
    assert (imagining.DeterminizedRollout(neural_policy).evaluate(tables, seat) == 3).all()


def test_rollout_answers_follow_the_policy(engine: Any, neural_policy: Any) -> None:
    """With one answer, evaluate the position after it."""
    decisions: Any = sample_from_play(engine, 12, 9)
    every = np.arange(12)
    hands = decisions.view.hidden_hands
    moves = decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16))
    values = []
    for answers in (0, 1):
        tables = Tables.determinize(decisions, every, hands)
        seat = tables.seat.copy()
        tables.play(every, moves)
        values.append(imagining.DeterminizedRollout(neural_policy).evaluate(tables, seat, (answers,)))
    for row in every:
        one = Tables.determinize(decisions, np.array([row]), hands[[row]])
        me = int(one.seat[0])
        one.play(np.zeros(1, np.int64), type(moves)(moves.form[[row]], moves.cards[[row]]))
        assert values[0][row] == pytest.approx(remaining_value(engine, neural_policy, one, me, 0), rel=1e-3, abs=1e-4)
        assert values[1][row] == pytest.approx(remaining_value(engine, neural_policy, one, me, 1), rel=1e-3, abs=1e-4)
    assert (values[0] != values[1]).any()


def test_no_table_needs_the_networks_before_the_others(engine: Any, neural_policy: Any) -> None:
    """Forced moves are played first, so that a rollout asks the policy once for each play with a choice."""
    asked: list[int] = []

    class Counted(imagining.DeterminizedRollout):  # type: ignore[name-defined, misc]
        def _play_responses(self, tables: Any, rows: Any) -> Any:
            if len(rows):
                asked.append(len(rows))
                assert (tables.decisions(rows).legal_mask.sum(axis=0) > 1).all()
            return super()._play_responses(tables, rows)

    tables = small_hands(engine, 24, 12, 8)
    tables.auto_next_episode = False
    alone = [tables.copy(np.array([row])) for row in range(len(tables))]
    together = Counted(neural_policy).evaluate(tables, tables.seat.copy(), (3,))
    assert len(asked) == 3
    assert asked[0] <= 24
    for row, table in enumerate(alone):
        table.auto_next_episode = False
        assert together[row] == pytest.approx(
            imagining.DeterminizedRollout(neural_policy).evaluate(table, table.seat.copy(), (3,))[0], abs=1e-4
        )


def test_rollout_answers_may_follow_kb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use answers of kb in sampled deals, and the policy's where there are no preferences."""
    whist, neural_policy = untrained_whist_policy()
    every, keys = np.arange(12), np.zeros(12, np.uint64)
    player, dealt = make_agent("kb", whist), splitmix64_array(np.arange(12).astype(np.uint64), 3)
    played, imagined = whist.start_matches(dealt), whist.start_matches(dealt)
    seat = imagined.seat.copy()
    while (here := played.rows_to_play()).size:
        played.play(here, player.play(played.decisions(here), keys[: len(here)]))
    looks: list[int] = []
    decide = type(imagined).decisions

    def looked_at(self: Any, rows: Any) -> Any:
        looks.append(len(rows))
        return decide(self, rows)

    with monkeypatch.context() as patched:
        patched.setattr(type(imagined), "decisions", looked_at)
        worth = imagining.DeterminizedRollout(neural_policy).evaluate(imagined, seat, (60,))
    assert looks == [12] * 52  # each trick is looked at once for each seat: what is forced costs no look of its own
    ends = whist.rewards(played, every)[every, seat]
    power = neural_policy.networks.preset.ppo.reward_exponent
    np.testing.assert_allclose(worth, np.sign(ends) * np.abs(ends) ** power, rtol=1e-5)
    num_calls = np.zeros(1, np.int64)
    weigh = type(neural_policy).log_probs

    def counted(self: Any, view: Any) -> Any:
        num_calls[0] += 1
        return weigh(self, view)

    monkeypatch.setattr(type(neural_policy), "log_probs", counted)
    imagining.DeterminizedRollout(neural_policy).evaluate(whist.start_matches(dealt), seat, (2,))
    assert not num_calls[0]
    monkeypatch.setattr(type(neural_policy.preference_model), "preferences", lambda self, estimated=False: {})
    imagining.DeterminizedRollout(neural_policy).evaluate(whist.start_matches(dealt), seat, (2,))
    assert num_calls[0]
