"""Look-ahead over sampled deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents import belief_reweighting
from abl_cards.agents.belief_reweighting import BeliefSampler
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import Tables
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.hidden_hands import observation_keys
from abl_cards.reasoners.hidden_hands.hands import draw_deals
from tests.agents.policies import remaining_value
from tests.effort import amount
from tests.positions import shared_positions

lookahead = pytest.importorskip("abl_cards.agents.lookahead")
imagining = pytest.importorskip("abl_cards.agents.determinized_rollouts")
effort = pytest.importorskip("abl_cards.agents.search_budget")
SIXTEEN = [effort.SearchRound(16)]


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


def policy(view: Any, seed: int) -> np.ndarray:
    """Return log-probabilities of the legal labels, several of them likely."""
    weights = np.where(view.legal, np.random.default_rng(seed).exponential(size=view.legal.shape), 0)
    return np.log(np.maximum(weights / weights.sum(axis=1, keepdims=True), 1e-30)).astype(np.float32)


def run_lookahead(
    engine: Any, neural_policy: Any, decisions: Any, seed: int = 0, steps: Any = effort.DEFAULT_ROUNDS
) -> Any:
    view = neural_policy.features(decisions)
    return (
        view,
        policy(view, seed),
        lookahead.Lookahead(neural_policy, steps).improve_policy(decisions, view, policy(view, seed)),
    )


def test_sample_deals_equal_those_of_the_search(
    engine: Any, neural_policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = shared_positions(engine, 60, 2)
    row = int(neural_policy.features(decisions).open_rows[0])
    one = decisions.select(np.array([row]))
    view = neural_policy.features(one)
    seen: list[Any] = []
    imagine = Tables.determinize

    def record_call(*arguments: Any) -> Any:
        seen.append(arguments[2])
        return imagine(*arguments)

    monkeypatch.setattr(Tables, "determinize", record_call)
    player = lookahead.Lookahead(neural_policy, SIXTEEN)
    player.improve_policy(one, view, np.log(np.where(view.legal, 0.2, 1e-9)).astype(np.float32))
    deals = player.sample_deals(BeliefSampler(neural_policy, one, view), 4)
    assert (deals == seen[0][:4]).all()
    hidden = one.information_set()
    assert (deals.sum(axis=1) == hidden.unseen[0]).all()
    assert (deals.sum(axis=2) == hidden.cards_left[0]).all()


def test_only_probable_labels_are_searched_and_others_keep_their_odds(engine: Any, neural_policy: Any) -> None:
    view, proposed, ahead = run_lookahead(engine, neural_policy, shared_positions(engine, 60, 2))
    tried, preset = ~np.isnan(ahead.expected_points), neural_policy.networks.preset
    most, least = preset.top_k, preset.min_prob
    assert tried.any()
    np.testing.assert_allclose(np.exp(ahead.log_probs).sum(axis=1), 1, atol=1e-4)
    for row in range(len(proposed)):
        first = np.argsort(-proposed[row])[:most]
        likely = {int(place) for place in first if proposed[row, place] > np.log(least)}
        assert set(np.flatnonzero(tried[row])) == (likely if len(likely) > 1 else set())
        legal = np.flatnonzero(view.legal[row])
        change, points = (ahead.log_probs - proposed)[row, legal], ahead.expected_points[row, legal]
        others, among = np.isnan(points), ~np.isnan(points)
        np.testing.assert_allclose(change[others], change[others].mean() if others.any() else 0, atol=1e-4)
        if among.any():
            gain = change[among] * lookahead.TEMPERATURE
            np.testing.assert_allclose(gain - gain[0], points[among] - points[among][0], atol=1e-4)
        else:
            assert (change == 0).all()


def test_search_does_not_depend_on_hidden_hands(engine: Any, neural_policy: Any) -> None:
    """Search sampled deals and not the true one; results do not depend on other decisions of the batch."""
    decisions: Any = sample_from_play(engine, 40, 5)
    _, _, before = run_lookahead(engine, neural_policy, decisions)
    state = decisions.view.state
    hands, seats = state.hands, state.seat[decisions.rows]
    swapped = hands.copy()
    first, second = (seats + 1) % 4, (seats + 3) % 4
    rows = decisions.rows
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
    view, proposed, after = run_lookahead(engine, neural_policy, decisions)
    assert (before.expected_points == after.expected_points)[~np.isnan(before.expected_points)].all()
    assert (np.isnan(before.expected_points) == np.isnan(after.expected_points)).all()
    rounds = [effort.SearchRound(4), effort.SearchRound(4), effort.SearchRound(4, (2,))]
    _, _, among = run_lookahead(engine, neural_policy, decisions, steps=rounds)
    row = int(np.flatnonzero(~np.isnan(before.expected_points).all(axis=1))[0])
    one = decisions.select(view.open_rows[[row]])
    for steps, expected in ((effort.DEFAULT_ROUNDS, after), (rounds, among)):
        alone = lookahead.Lookahead(neural_policy, steps).improve_policy(
            one, neural_policy.features(one), proposed[[row]]
        )
        np.testing.assert_allclose(alone.expected_points[0], expected.expected_points[row], rtol=1e-4)


def test_empty_batch_is_accepted(engine: Any, neural_policy: Any) -> None:
    """Accept an empty batch, as when every sampled deal ends."""
    decisions: Any = sample_from_play(engine, 4, 3)
    nowhere = np.zeros(0, np.int64)
    opened = neural_policy.privileged_inputs(
        Tables.determinize(decisions, nowhere, np.zeros((0, 3, 54), np.uint8)), nowhere, nowhere
    )
    assert opened.lead_mask.shape == (0, 4, 21)
    view = neural_policy.features(decisions.select(nowhere))
    assert neural_policy.value(view, opened).shape == (0,)


def test_points_equal_the_mean_over_single_deals(engine: Any, neural_policy: Any) -> None:
    """Points equal the mean of deals that are evaluated one by one through the public interfaces."""
    decisions = sample_from_play(engine, 30, 9)
    view, _, ahead = run_lookahead(engine, neural_policy, decisions, steps=SIXTEEN)
    checked = 0
    for row in np.flatnonzero(~np.isnan(ahead.expected_points).all(axis=1))[:6]:
        here = int(view.open_rows[row])
        one = decisions.select(np.array([here]))
        keys = splitmix64_array(observation_keys(view.observation[[row]]), belief_reweighting._DEALS_STREAM)
        deals = draw_deals(view.estimate[[row]], one.information_set(), keys, 16)[0]
        for label in np.flatnonzero(~np.isnan(ahead.expected_points[row])):
            worth = [
                _worth(engine, neural_policy, one, view.survey.lists.select(view.survey.best_row[[here], label]), deal)
                for deal in deals
            ]
            assert ahead.expected_points[row, label] == pytest.approx(np.mean(worth), rel=1e-3, abs=1e-4)
            checked += 1
    assert checked > 6


def _worth(engine: Any, neural_policy: Any, decisions: Any, moves: Any, deal: np.ndarray) -> float:
    tables = Tables.determinize(decisions, np.zeros(1, np.int64), deal[None])
    me = int(tables.seat[0])
    tables.play(np.zeros(1, np.int64), moves)
    return remaining_value(engine, neural_policy, tables, me, 0)


def test_rounds_eliminate_labels_and_keep_points(engine: Any, neural_policy: Any) -> None:
    """Labels that remain are tried on all deals, with the same points as without rounds."""
    decisions: Any = shared_positions(engine, 60, 2)
    _, _, ahead = run_lookahead(
        engine, neural_policy, decisions, steps=[effort.SearchRound(4), effort.SearchRound(4), effort.SearchRound(8)]
    )
    _, _, whole = run_lookahead(engine, neural_policy, decisions, steps=SIXTEEN)
    assert (np.isnan(ahead.expected_points) == np.isnan(whole.expected_points)).all()
    there = ~np.isnan(ahead.expected_points)
    assert (ahead.first_deal_points[there] == whole.first_deal_points[there]).all()
    same = np.isclose(ahead.expected_points, whole.expected_points, rtol=1e-3, atol=1e-4)
    assert same.any()
    assert not same[there].all()
    chosen = ahead.log_probs.argmax(axis=1) == whole.log_probs.argmax(axis=1)
    assert chosen[there.any(axis=1)].mean() > 0.8


def test_search_respects_the_time_limit(engine: Any, neural_policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Respect the time limit by a simulated clock."""
    now = [100.0]
    monkeypatch.setattr(lookahead.time, "monotonic", lambda: now[0])
    rounds: list[tuple[int, tuple[int, ...]]] = []

    class Timed(imagining.DeterminizedRollout):  # type: ignore[name-defined, misc]
        def evaluate(self, tables: Any, seats: Any, depths: tuple[int, ...] = (0,)) -> Any:
            rounds.append((len(tables), depths))
            now[0] += effort.RoundTimer().estimate_seconds(*rounds[-1])
            return super().evaluate(tables, seats, depths)

    monkeypatch.setattr(lookahead, "DeterminizedRollout", Timed)
    decisions: Any = shared_positions(engine, 30, 2)
    view = neural_policy.features(decisions)
    limits = neural_policy.networks.preset.top_k, neural_policy.networks.preset.min_prob
    row = int(np.flatnonzero(lookahead.select_candidates(policy(view, 0), *limits).any(axis=1))[0])
    one = decisions.select(view.open_rows[[row]])
    for think, most in ((0.001, 1), (0.012, 3), (amount(300, 1000) / 1000, 99)):
        now[0], rounds[:] = 100.0, []
        player = lookahead.Lookahead(neural_policy, think_seconds=think)
        ahead = player.improve_policy(
            one, neural_policy.features(one), np.full((1, 21), -2, np.float32), start_time=100.0
        )
        assert 1 <= len(rounds) <= most
        assert not np.isnan(ahead.expected_points).all()
        assert len(rounds) == 1 or now[0] <= 100 + think
    assert rounds[-1][1] == (effort.DEPTHS[0],)
