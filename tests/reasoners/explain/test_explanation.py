"""Tests that explanations add up, agree with the agent, and cite the constraints that drop a move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent, make_preference_model
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.preferences.preference_model import PreferenceModel
from abl_cards.games.tables.decisions import Decisions
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.explain.assessments import compare_moves
from abl_cards.reasoners.explain.explanation import Explanation, explain
from abl_cards.reasoners.explain.explanation_text import assessment_lines, render_explanation
from tests.effort import amount

LEAD = {"level": "8", "hand": ["H4", "H4", "C4", "D4", "H8", "SA"], "to_beat": None}
FOLLOW = {"level": "8", "hand": ["H4", "H4", "C4", "H8"], "to_beat": ["Pair", "3", ["S3", "D3"]], "top": "partner"}


def positions(engine: Any) -> list[Decisions]:
    return [sample_from_play(engine, amount(10, 60), seed=5), engine.sample_decisions(amount(5, 20), seed=5)]


def test_shown_weights_sum_to_the_cost() -> None:
    """Weights of the chosen move, the runner-up and all candidates add up to costs and differences."""
    engine = load("guandan").engine()
    scorer = make_preference_model("kb", engine)
    for decisions in positions(engine):
        for row in range(len(decisions.rows)):
            moment = engine.decision_point_at(decisions, row)
            explanation = explain(engine, scorer, moment)
            costs, _ = scorer.costs(moment.decision, moment.move_lists)
            by_action = {str(action): int(cost) for action, cost in zip(moment.actions, costs, strict=True)}
            verdicts = [
                explanation.chosen,
                *([explanation.runner_up] if explanation.runner_up else []),
                *explanation.candidates,
            ]
            for verdict in verdicts:
                score = by_action[str(verdict.action)]
                assert verdict.cost == sum(reason.weight for reason in verdict.reasons) == score
                more = sum(comparison.cost_difference for comparison in compare_moves(explanation.chosen, verdict))
                assert more == verdict.cost - explanation.chosen.cost >= 0
            assert explanation.chosen.cost == costs.min()
            assert explanation.chosen is not explanation.runner_up
            assert len(explanation.candidates) == sum(label == explanation.chosen.label for label in moment.labels)


def test_chosen_move_equals_the_move_of_the_agent() -> None:
    engine = load("guandan").engine()
    for name in ("kb", "kb:without=bombs"):
        scorer, player = make_preference_model(name, engine), make_agent(name, engine)
        for decisions in positions(engine):
            moves = player.play(decisions, np.zeros(len(decisions.rows), np.uint64))
            for row in range(len(decisions.rows)):
                explanation = explain(engine, scorer, engine.decision_point_at(decisions, row))
                assert str(explanation.chosen.action) == str(engine.notate_move(int(moves.form[row]), moves.cards[row]))


def test_state_is_explained_for_a_game_its_name_or_its_engine() -> None:
    game = load("guandan")
    of_engine = Explanation.of_state(game.engine(), LEAD).to_json()
    assert Explanation.of_state(game, LEAD).to_json() == of_engine
    assert Explanation.of_state("guandan", LEAD).to_json() == of_engine
    with pytest.raises(GameError) as error:
        Explanation.of_state(None, LEAD)  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.UNKNOWN_GAME


def test_runner_up_is_the_best_move_of_another_label() -> None:
    engine = load("guandan").engine()
    moment = engine.read_decision_point(FOLLOW)
    explanation = explain(engine, make_preference_model("kb", engine), moment)
    assert explanation.runner_up is not None
    assert explanation.runner_up.label != explanation.chosen.label
    others = [label for label in moment.labels if label != explanation.chosen.label]
    assert explanation.runner_up.rank <= 1 + len(moment.labels) - len(others) + 1
    only = explain(
        engine, make_preference_model("kb", engine), engine.read_decision_point({"level": "8", "hand": ["S3", "D3"]})
    )
    assert only.runner_up is not None
    single = explain(
        engine, make_preference_model("kb", engine), engine.read_decision_point({"level": "8", "hand": ["S3"]})
    )
    assert single.runner_up is None
    assert "the only move" in render_explanation(single)


def test_inconsistent_moves_cite_file_and_line(strict_guandan: Engine) -> None:
    explanation = explain(
        strict_guandan, make_preference_model("kb", strict_guandan), strict_guandan.read_decision_point(LEAD)
    )
    assert not explanation.chosen.violations
    assert {str(verdict.action).split()[0] for verdict in explanation.dropped} == {"Bomb", "Single"}
    lines = {
        (str(verdict.action).split()[0], violation.location.file.rpartition("/")[2], violation.location.line)
        for verdict in explanation.dropped
        for violation in verdict.violations
    }
    assert lines == {("Bomb", "more.lp", 2), ("Single", "more.lp", 3)}
    text = render_explanation(explanation)
    assert "inconsistent with the knowledge base: " in text
    assert "more.lp:2: :- leading" in text
    dropped = explanation.to_json()["dropped"]
    assert dropped[0]["violates"][0]["line"] in (2, 3)
    bomb = next(verdict for verdict in explanation.dropped if "Bomb" in str(verdict.action))
    assessment = "\n".join(assessment_lines(explanation, bomb))
    assert "it is inconsistent with the knowledge base" in assessment


def test_cheapest_move_is_chosen_when_all_are_inconsistent(strict_guandan: Engine) -> None:
    explanation = explain(
        strict_guandan,
        make_preference_model("kb", strict_guandan),
        strict_guandan.read_decision_point({"level": "8", "hand": ["H8"]}),
    )
    assert explanation.chosen.violations
    assert len(explanation.dropped) == 1
    assert "more.lp:3" in render_explanation(explanation)


def in_both_languages(engine: Any, scorer: PreferenceModel, state: dict) -> tuple[Explanation, Explanation]:
    moment = engine.read_decision_point(state)
    return explain(engine, scorer, moment, "en"), explain(engine, scorer, moment, "zh")


def test_chinese_and_english_explanations_correspond() -> None:
    """Both languages have equal names and weights, and different texts and headings."""
    engine = load("guandan").engine()
    english, chinese = in_both_languages(engine, make_preference_model("kb", engine), FOLLOW)
    one, two = english.to_json(), chinese.to_json()
    assert (one["language"], two["language"]) == ("en", "zh")
    for reason, wording in zip(one["chosen"]["reasons"], two["chosen"]["reasons"], strict=True):
        assert {**reason, "words": ""} == {**wording, "words": ""}
        assert reason["words"] != wording["words"]
    text = render_explanation(chinese)
    assert text.startswith("选择：")
    assert "次选：" in text
    assert "的候选动作：" in text


def test_numbers_below_a_heading_sum_to_its_number() -> None:
    """The numbers below a heading add up to the number in it."""
    engine = load("guandan").engine()
    for state in (FOLLOW, LEAD):
        explanation = explain(engine, make_preference_model("kb", engine), engine.read_decision_point(state))
        block = render_explanation(explanation).split("\n\n")[0].split("\n")
        assert block[0].startswith(f"chosen: {explanation.chosen.action}   cost {explanation.chosen.cost}")
        assert sum(int(line.split()[0]) for line in block[1:]) == explanation.chosen.cost


def test_excluded_groups_are_not_mentioned() -> None:
    engine = load("guandan").engine()
    explanation = explain(
        engine, make_preference_model("kb:without=structure", engine), engine.read_decision_point(LEAD)
    )
    assert all(reason.group != "structure" for verdict in explanation.candidates for reason in verdict.reasons)


def test_tribute_is_explained() -> None:
    engine = load("guandan").engine()
    state = {"level": "8", "hand": ["S3", "D5", "C5", "SA"], "stage": "back"}
    explanation = explain(engine, make_preference_model("kb", engine), engine.read_decision_point(state))
    assert {verdict.label for verdict in explanation.candidates} == {"back"}
    assert len(explanation.candidates) == 3
    assert str(explanation.chosen.action).startswith("back back ")
