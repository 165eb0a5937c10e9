"""Looking ahead over imagined deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents import agent
from abl_cards.games import game
from abl_cards.positions import met_in_play
from abl_cards.streams import mix_all

lookahead = pytest.importorskip("abl_cards.agents.lookahead")


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("guandan").engine()


@pytest.fixture(scope="module")
def mind(engine: Any, untrained: str) -> Any:
    player: Any = agent(untrained, engine)
    return player.mind


def policy(view: Any, seed: int) -> np.ndarray:
    """Log-probabilities of the legal labels, several of them likely."""
    weights = np.where(view.legal, np.random.default_rng(seed).exponential(size=view.legal.shape), 0)
    return np.log(np.maximum(weights / weights.sum(axis=1, keepdims=True), 1e-30)).astype(np.float32)


def looked(engine: Any, mind: Any, decisions: Any, seed: int = 0) -> Any:
    view = mind.look(decisions)
    return view, policy(view, seed), lookahead.Lookahead(mind).consider(decisions, view, policy(view, seed))


def test_only_likely_labels_are_tried_and_the_rest_keep_their_odds(engine: Any, mind: Any) -> None:
    view, proposed, ahead = looked(engine, mind, met_in_play(engine, 60, 2))
    tried = ~np.isnan(ahead.points)
    assert tried.any()
    np.testing.assert_allclose(np.exp(ahead.log_probabilities).sum(axis=1), 1, atol=1e-4)
    for row in range(len(proposed)):
        first = np.argsort(-proposed[row])[: lookahead.LABELS]
        likely = {int(place) for place in first if proposed[row, place] > np.log(lookahead.LEAST)}
        assert set(np.flatnonzero(tried[row])) == (likely if len(likely) > 1 else set())
        legal = np.flatnonzero(view.legal[row])
        change, points = (ahead.log_probabilities - proposed)[row, legal], ahead.points[row, legal]
        others, among = np.isnan(points), ~np.isnan(points)
        np.testing.assert_allclose(change[others], change[others].mean() if others.any() else 0, atol=1e-4)
        if among.any():
            gain = change[among] * lookahead.TEMPERATURE
            np.testing.assert_allclose(gain - gain[0], points[among] - points[among][0], atol=1e-4)
        else:
            assert (change == 0).all()


def test_the_others_hands_change_nothing(engine: Any, mind: Any) -> None:
    """It looks at imagined deals, never at the table's; and what is decided alone is decided as among many."""
    decisions: Any = met_in_play(engine, 40, 5)
    _, _, before = looked(engine, mind, decisions)
    state = decisions.view.state
    hands, seats = state.hands, state.seat[decisions.which]
    swapped = hands.copy()
    first, second = (seats + 1) % 4, (seats + 3) % 4
    rows = decisions.which
    least = np.minimum(hands[rows, first].astype(int).sum(axis=1), hands[rows, second].astype(int).sum(axis=1))
    for row, one, other, cards in zip(rows, first, second, least, strict=True):
        for _ in range(cards):  # as many cards change sides as both have, so that everybody keeps the number
            given, taken = (np.flatnonzero(swapped[row, seat])[-1 if seat == one else 0] for seat in (one, other))
            swapped[row, one, given] -= 1
            swapped[row, other, given] += 1
            swapped[row, other, taken] -= 1
            swapped[row, one, taken] += 1
    assert (swapped != hands).any()
    hands[:] = swapped
    view, proposed, after = looked(engine, mind, decisions)
    assert (before.points == after.points)[~np.isnan(before.points)].all()
    assert (np.isnan(before.points) == np.isnan(after.points)).all()
    row = int(np.flatnonzero(~np.isnan(before.points).all(axis=1))[0])
    one = decisions.at(view.choice[[row]])
    alone = lookahead.Lookahead(mind).consider(one, mind.look(one), proposed[[row]])
    np.testing.assert_allclose(alone.points[0], after.points[row], rtol=1e-4)


def test_an_end_is_worth_what_the_rules_say(engine: Any, mind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partner is out and the seat lays down its last card: three points, whatever the critic thinks."""
    monkeypatch.setattr(mind, "value", lambda told, opened: np.full(len(opened.hands), np.nan, np.float32))
    decisions: Any = met_in_play(engine, 40, 7)
    course, here = decisions.view.state, decisions.which
    seats = course.seat[here]
    partner = (seats + 2) % 4
    course.hands[here, seats] = course.hands[here, partner] = 0
    course.hands[here, seats, 4] = 1
    course.out[here], course.passed[here], course.gone_by[here], course.to_beat[here] = 1 << partner, 0, 0, -1
    course.order[here] = -1
    course.order[here, 0] = partner
    others = course.hands[here[:, None], (seats[:, None] + np.arange(1, 4)) % 4]
    tables = engine.imagine(decisions, np.arange(40), others)
    last = tables.decisions(tables.playing())
    moves = last.realise_first(last.legal.argmax(axis=0).astype(np.int16))
    assert (lookahead.Lookahead(mind)._play_on(tables, moves) == 3).all()


def test_nothing_is_worth_nothing(engine: Any, mind: Any) -> None:
    """Where every imagined deal runs to its end there is nobody to ask about."""
    decisions: Any = met_in_play(engine, 4, 3)
    nowhere = np.zeros(0, np.int64)
    opened = mind.lay_open(engine.imagine(decisions, nowhere, np.zeros((0, 3, 54), np.uint8)), nowhere, nowhere)
    assert opened.openings.shape == (0, 4, 21)
    view = mind.look(decisions.at(nowhere))
    assert mind.value(view, opened).shape == (0,)


def test_points_are_the_mean_over_the_deals_from_the_eyes_of_who_decides(engine: Any, mind: Any) -> None:
    """Against the same thing done one deal at a time, by the public interfaces."""
    decisions = met_in_play(engine, 30, 9)
    view, _, ahead = looked(engine, mind, decisions)
    checked = 0
    for row in np.flatnonzero(~np.isnan(ahead.points).all(axis=1))[:6]:
        here = int(view.choice[row])
        one = decisions.at(np.array([here]))
        keys = mix_all(lookahead.keys_of(view.observation[[row]]), lookahead._AHEAD)
        deals = lookahead.draw(view.estimate[[row]], one.hidden(), keys, lookahead.DEALS)[0]
        for label in np.flatnonzero(~np.isnan(ahead.points[row])):
            worth = [
                _worth(engine, mind, one, view.survey.lists.rows(view.survey.row[[here], label]), deal)
                for deal in deals
            ]
            assert ahead.points[row, label] == pytest.approx(np.mean(worth), rel=1e-3, abs=1e-4)
            checked += 1
    assert checked > 6


def _worth(engine: Any, mind: Any, decisions: Any, moves: Any, deal: np.ndarray) -> float:
    tables = engine.imagine(decisions, np.zeros(1, np.int64), deal[None])
    me = int(tables.seat[0])
    tables.play(np.zeros(1, np.int64), moves)
    while tables.playing().size:
        now = tables.decisions(np.zeros(1, np.int64))
        view = mind.look(now)
        if len(view.choice):
            value = float(mind.value(view, mind.lay_open(tables, np.zeros(1, np.int64), now.context))[0])
            return value if (int(tables.seat[0]) - me) % 2 == 0 else -value
        tables.play(np.zeros(1, np.int64), view.survey.realise(view.complete(np.zeros(0, np.int16))))
    return float(engine.rewards(tables, np.zeros(1, np.int64))[0, me])
