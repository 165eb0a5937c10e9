"""Explanations add up, agree with the agent, and cite the constraints that drop a move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent, make_preference_model
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.preferences.preference_model import PreferenceModel
from abl_cards.games.tables.decisions import Decisions
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.explain.explanation import Explanation, compare_moves, explain
from abl_cards.reasoners.explain.explanation_text import assessment_lines, render_explanation
from tests.edited import STRICT, edited

LEAD = {"level": "8", "hand": ["H4", "H4", "C4", "D4", "H8", "SA"], "to_beat": None}
FOLLOW = {"level": "8", "hand": ["H4", "H4", "C4", "H8"], "to_beat": ["Pair", "3", ["S3", "D3"]], "top": "partner"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load("guandan").engine(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT))


def positions(engine: Any) -> list[Decisions]:
    return [sample_from_play(engine, 60, seed=5), engine.sample_decisions(20, seed=5)]


def test_the_shown_weights_add_up_to_the_score() -> None:
    """Weights of the chosen move, the runner-up and all candidates add up to costs and differences."""
    engine = load("guandan").engine()
    scorer = make_preference_model("kb", engine)
    for decisions in positions(engine):
        for row in range(len(decisions.rows)):
            moment = engine.decision_point_at(decisions, row)
            found = explain(engine, scorer, moment)
            costs, _ = scorer.costs(moment.decision, moment.move_lists)
            by_action = {str(action): int(cost) for action, cost in zip(moment.actions, costs, strict=True)}
            verdicts = [found.chosen, *([found.runner_up] if found.runner_up else []), *found.candidates]
            for verdict in verdicts:
                score = by_action[str(verdict.action)]
                assert verdict.cost == sum(reason.weight for reason in verdict.reasons) == score
                more = sum(each.cost_difference for each in compare_moves(found.chosen, verdict))
                assert more == verdict.cost - found.chosen.cost >= 0
            assert found.chosen.cost == costs.min()
            assert found.chosen is not found.runner_up
            assert len(found.candidates) == sum(label == found.chosen.label for label in moment.labels)


def test_the_chosen_move_is_the_agents() -> None:
    engine = load("guandan").engine()
    for name in ("kb", "kb:without=bombs"):
        scorer, player = make_preference_model(name, engine), make_agent(name, engine)
        for decisions in positions(engine):
            moves = player.play(decisions, np.zeros(len(decisions.rows), np.uint64))
            for row in range(len(decisions.rows)):
                found = explain(engine, scorer, engine.decision_point_at(decisions, row))
                assert str(found.chosen.action) == str(engine.notate_move(int(moves.form[row]), moves.cards[row]))


def test_the_runner_up_is_the_best_of_another_label() -> None:
    engine = load("guandan").engine()
    moment = engine.read_decision_point(FOLLOW)
    found = explain(engine, make_preference_model("kb", engine), moment)
    assert found.runner_up is not None
    assert found.runner_up.label != found.chosen.label
    others = [label for label in moment.labels if label != found.chosen.label]
    assert found.runner_up.rank <= 1 + len(moment.labels) - len(others) + 1
    only = explain(
        engine, make_preference_model("kb", engine), engine.read_decision_point({"level": "8", "hand": ["S3", "D3"]})
    )
    assert only.runner_up is not None
    single = explain(
        engine, make_preference_model("kb", engine), engine.read_decision_point({"level": "8", "hand": ["S3"]})
    )
    assert single.runner_up is None
    assert "the only move" in render_explanation(single)


def test_inconsistent_moves_are_dropped_with_file_and_line(strict: Engine) -> None:
    found = explain(strict, make_preference_model("kb", strict), strict.read_decision_point(LEAD))
    assert not found.chosen.violations
    assert {str(verdict.action).split()[0] for verdict in found.dropped} == {"Bomb", "Single"}
    lines = {
        (str(verdict.action).split()[0], each.location.file.rpartition("/")[2], each.location.line)
        for verdict in found.dropped
        for each in verdict.violations
    }
    assert lines == {("Bomb", "more.lp", 2), ("Single", "more.lp", 3)}
    text = render_explanation(found)
    assert "inconsistent with the knowledge base: " in text
    assert "more.lp:2: :- leading" in text
    dropped = found.to_json()["dropped"]
    assert dropped[0]["violates"][0]["line"] in (2, 3)
    bomb = next(verdict for verdict in found.dropped if "Bomb" in str(verdict.action))
    said = "\n".join(assessment_lines(found, bomb))
    assert "it is inconsistent with the knowledge base" in said


def test_when_every_move_is_inconsistent_the_cheapest_is_played(strict: Engine) -> None:
    found = explain(
        strict, make_preference_model("kb", strict), strict.read_decision_point({"level": "8", "hand": ["H8"]})
    )
    assert found.chosen.violations
    assert len(found.dropped) == 1
    assert "more.lp:3" in render_explanation(found)


def in_both_languages(engine: Any, scorer: PreferenceModel, state: dict) -> tuple[Explanation, Explanation]:
    moment = engine.read_decision_point(state)
    return explain(engine, scorer, moment, "en"), explain(engine, scorer, moment, "zh")


def test_chinese() -> None:
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


def test_the_text_shows_every_share() -> None:
    """The numbers below a heading add up to the number in it."""
    engine = load("guandan").engine()
    for state in (FOLLOW, LEAD):
        found = explain(engine, make_preference_model("kb", engine), engine.read_decision_point(state))
        block = render_explanation(found).split("\n\n")[0].split("\n")
        assert block[0].startswith(f"chosen: {found.chosen.action}   cost {found.chosen.cost}")
        assert sum(int(line.split()[0]) for line in block[1:]) == found.chosen.cost


def test_groups_left_out_are_not_spoken_of() -> None:
    engine = load("guandan").engine()
    found = explain(engine, make_preference_model("kb:without=structure", engine), engine.read_decision_point(LEAD))
    assert all(reason.group != "structure" for verdict in found.candidates for reason in verdict.reasons)


def test_tribute_is_explained() -> None:
    engine = load("guandan").engine()
    state = {"level": "8", "hand": ["S3", "D5", "C5", "SA"], "stage": "back"}
    found = explain(engine, make_preference_model("kb", engine), engine.read_decision_point(state))
    assert {verdict.label for verdict in found.candidates} == {"back"}
    assert len(found.candidates) == 3
    assert str(found.chosen.action).startswith("back back ")
