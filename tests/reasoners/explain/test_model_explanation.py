"""Tests of explanations with probabilities of labels, and of the map of expected hands, without a network."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from abl_cards.games.game import load
from abl_cards.games.notation.card_grid import NO_KIND, CardGrid, build_card_grid
from abl_cards.games.tables.decision_point import DecisionPoint, is_play_decision
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.protocols.common.cards import CARD_NAMES
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.reasoners.explain.explanation import explain
from abl_cards.reasoners.explain.explanation_text import MAX_LISTED_LABELS, render_explanation
from abl_cards.reasoners.explain.heat_map import IMPOSSIBLE_MARK, render_heat_map
from abl_cards.reasoners.explain.model_explanation import HandEstimateReport, ModelExplanation, seat_names
from abl_cards.reasoners.hidden_hands.hands import uniform_estimate
from tests.effort import amount


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


@pytest.fixture(scope="module")
def decision_points(engine: Any) -> list[DecisionPoint]:
    decisions = sample_from_play(engine, amount(16, 40), seed=8)
    return [engine.decision_point_at(decisions, row) for row in range(len(decisions.rows))]


def opinion_of(engine: Any, moment: DecisionPoint, seed: int) -> ModelExplanation:
    """Return random probabilities of the legal labels, and the minimiser's move for them."""
    assert is_play_decision(moment.decision)
    legal = moment.decision.legal_mask[:, 0] > 0
    weights = np.where(legal, np.random.default_rng(seed).exponential(size=len(legal)), 0)
    chances = weights / weights.sum()
    with np.errstate(divide="ignore"):
        logarithms = np.log(chances).astype(np.float32)
    moves = Minimiser(engine.preference_model()).realise(moment.decision, chances[None])
    same = (moment.move_lists.cards == moves.cards[0]).all(axis=1) & (moment.move_lists.form == moves.form[0])
    return ModelExplanation(int(same.argmax()), logarithms, estimate=estimate_of(moment))


@cache
def grid() -> CardGrid:
    return build_card_grid(load("guandan").engine().rules.card_codes)


def estimate_of(moment: DecisionPoint) -> HandEstimateReport:
    assert is_play_decision(moment.decision)
    facts = moment.decision.information_set()
    return HandEstimateReport(uniform_estimate(facts)[0], facts, True, seat_names([0, 1, 0, 1]), grid())


def test_labels_are_ordered_by_probability_and_card_sets_by_cost(
    engine: Any, decision_points: list[DecisionPoint]
) -> None:
    for seed, moment in enumerate(decision_points):
        explanation = explain(
            engine, engine.preference_model(), moment, model_explanation=opinion_of(engine, moment, seed)
        )
        chances = [verdict.probability or 0.0 for verdict in explanation.labels]
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) == pytest.approx(1, abs=1e-5)
        assert {verdict.label for verdict in explanation.labels} == set(moment.labels)
        assert explanation.chosen == explanation.candidates[0] == explanation.labels[0]
        assert explanation.chosen.rank == 1
        if len(explanation.labels) > 1:
            assert explanation.runner_up == explanation.labels[1]


def test_labels_are_shown_by_their_cheapest_card_set(engine: Any, decision_points: list[DecisionPoint]) -> None:
    for seed, moment in enumerate(decision_points[:10]):
        explanation = explain(
            engine, engine.preference_model(), moment, model_explanation=opinion_of(engine, moment, seed)
        )
        assert explanation.model_explanation is not None
        costs, _ = engine.preference_model().costs(
            moment.decision, moment.move_lists, explanation.model_explanation.preference_estimate
        )
        for verdict in explanation.labels:
            same = [cost for cost, label in zip(costs, moment.labels, strict=True) if label == verdict.label]
            assert verdict.cost == min(same)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_explanation_text_lists_the_probabilities(
    language: str, engine: Any, decision_points: list[DecisionPoint]
) -> None:
    """Show probabilities in both languages, with the sum of the labels that are not listed."""
    long = 0
    for seed, moment in enumerate(decision_points):
        explanation = explain(engine, engine.preference_model(), moment, language, opinion_of(engine, moment, seed))
        labels = render_explanation(explanation).split("\n\n")[0].split("\n")
        assert len(labels) == 1 + min(len(explanation.labels), MAX_LISTED_LABELS + 1)
        label = explanation.chosen.label
        assert labels[1].startswith(f"> {label if language == 'en' else engine.play_name(label)}")
        shares = [float(share) for line in labels[1:] for share in re.findall(r"([\d.]+)%", line)]
        assert sum(shares) == pytest.approx(100, abs=1)
        long += len(explanation.labels) > MAX_LISTED_LABELS
    assert long


def test_random_card_set_is_not_called_the_cheapest(engine: Any) -> None:
    state = {"level": "8", "hand": ["H4", "H4", "C4", "D4", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}
    moment = engine.read_decision_point(state)
    logarithms = np.where(np.array(engine.labels) == "pair(4)", np.float32(0), np.float32(-np.inf))
    row = max(place for place, label in enumerate(moment.labels) if label == "pair(4)")
    text = render_explanation(
        explain(
            engine,
            engine.preference_model(),
            moment,
            model_explanation=ModelExplanation(row, logarithms, is_sampled=True),
        )
    )
    assert "drawn from " in text
    assert "the lowest" not in text
    (marked,) = [line for line in text.splitlines() if line.startswith("> Pair")]
    assert str(moment.actions[row]) in marked


def test_equally_probable_labels_are_ordered_by_index() -> None:
    logarithms = np.full(5, -np.inf, np.float32)
    logarithms[[1, 3]] = np.log(0.5)
    assert ModelExplanation(0, logarithms).rank.tolist() == [2, 0, 3, 1, 4]


def test_seat_names_follow_the_teams() -> None:
    assert seat_names([0, 1, 0, 1]) == ("next", "partner", "previous")
    assert seat_names([0, 1, 2, 3]) == ("next", "opposite", "previous")
    assert seat_names([0, 1, 1]) == ("next", "previous")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_heat_map_shows_every_card_once_a_seat(language: str, decision_points: list[DecisionPoint]) -> None:
    estimate = estimate_of(decision_points[5])
    lines = list(render_heat_map(estimate, language))
    cells = [piece for line in lines for piece in line if piece.heat is not None]
    assert len(cells) == 3 * len(CARD_NAMES)
    shown = sum(float(piece.text) for piece in cells if IMPOSSIBLE_MARK not in piece.text)
    assert shown == pytest.approx(estimate.copies.sum(), abs=0.6)
    assert all(len("".join(piece.text for piece in line)) <= 80 for line in lines[1:])


def test_heat_map_of_an_unprojected_estimate_shows_all_cards(decision_points: list[DecisionPoint]) -> None:
    """Show copies where none are possible, because the estimate has them."""
    fine = estimate_of(decision_points[5])
    assert not fine.is_possible.all()
    raw = HandEstimateReport(np.ones_like(fine.copies), fine.constraints, False, fine.names, grid())
    text = "\n".join("".join(piece.text for piece in line) for line in render_heat_map(raw, "en"))
    assert text.count("1.00") == 3 * len(CARD_NAMES)
    assert "as the network says" in text


def test_card_grid_without_suits_has_one_row() -> None:
    letters = load("doudizhu").engine().rules.card_codes
    suitless = build_card_grid(letters)
    assert suitless.column_headers == suitless.texts == letters.kind_texts
    assert suitless.row_headers == ("",)
    assert suitless.kinds.tolist() == [list(range(len(letters.kind_texts)))]
    assert (grid().kinds != NO_KIND).sum() == len(grid().texts)
