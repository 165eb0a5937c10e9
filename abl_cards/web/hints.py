"""Hints of agents with reasons, and comparisons with other moves, as JSON values in one language."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from abl_cards.agents import ExplainableAgent
from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.notation import (
    PASS,
    compose_parts,
    derive_readings,
    include_play,
    options_json,
    read_play,
)
from abl_cards.games.tables import DecisionPoint, Decisions, Tables, is_play_decision
from abl_cards.games.types import Moves
from abl_cards.reasoners.explain import (
    Explanation,
    FiredPreference,
    MoveAssessment,
    PreferenceDifference,
    compare_moves,
    explain,
    merge_instances,
)
from abl_cards.web.composed_plays import ExplainedPlay, explain_composed_play
from abl_cards.web.game_log import play_text
from abl_cards.web.marked_text import card_marks, with_tens
from abl_cards.web.stage_choices import choose_like_agent, count_card_choices
from abl_cards.web.texts import card_kinds, label_kind_text, label_text, move_text, option_text, reading_text

if TYPE_CHECKING:
    from abl_cards.reasoners.explain import ModelExplanation

MAX_REASONS, MAX_LABELS, MAX_ALTERNATIVES = 12, 6, 2


def compute_hint(
    engine: Engine, player: ExplainableAgent, decision_point: DecisionPoint, language: str, tables: Tables
) -> dict[str, Any]:
    """Compute the best and next best moves of an agent with reasons, and its probabilities and estimates.

    In games with composed plays, the cards are those of the whole play, with the reasons of every step.
    """
    model_explanation = player.compute_model_explanation(decision_point)
    explanation = explain(engine, player.preference_model, decision_point, language, model_explanation)
    next_best = _next_best_verdicts(explanation)
    labels = explanation.labels[:MAX_LABELS] if model_explanation is not None else ()
    best = verdict_json(explanation, explanation.chosen)
    if engine.rules.has_composed_plays and is_play_decision(decision_point.decision):
        composed_play = explain_composed_play(engine, tables, player, language)
        codes, cards = engine.rules.card_codes, card_kinds(composed_play.moves.cards[0])
        best |= {"cards": [codes.kind_texts[card] for card in cards], "value": codes.write(cards) or PASS,
                 "steps": steps_json(composed_play)}  # fmt: skip
    elif not is_play_decision(decision_point.decision) and (count_card_choices(tables) or 0) > 1:
        best |= _stage_cards_json(engine, tables, player, explanation)
    return {
        "best": best,
        "next": [
            verdict_json(explanation, verdict) | {"difference": difference_json(explanation, verdict)}
            for verdict in next_best
        ],
        "moves": len(decision_point.actions),
        "labels": [label_json(explanation, verdict) for verdict in labels],
        "estimate": None if model_explanation is None else estimate_json(engine, model_explanation),
        "imagined": None if model_explanation is None else sampled_deals_json(engine, model_explanation),
    }  # fmt: skip


def _stage_cards_json(
    engine: Engine, tables: Tables, player: ExplainableAgent, explanation: Explanation
) -> dict[str, Any]:
    """Return all cards that an agent chooses in a stage of several cards."""
    row = explanation.scores.order[explanation.chosen.rank - 1]
    first = int(explanation.decision_point.move_lists.cards[row][0])
    kinds, index = engine.rules.schema.options, engine.rules.pack.index
    chosen = choose_like_agent(tables, player, first)
    cards = [engine.rules.card_codes.kind_texts[index[kinds[option]]] for option in chosen]
    return {"cards": cards, "text": card_marks(cards)}


def steps_json(play: ExplainedPlay) -> list[dict[str, Any]]:
    """Return the steps of a composed play; empty for a single step."""
    return [verdict_json(step.explanation, step.verdict) for step in play.steps] if len(play.steps) > 1 else []


def _next_best_verdicts(explanation: Explanation) -> list[MoveAssessment]:
    """Return the best moves of other labels, best first."""
    seen, others = {explanation.chosen.label}, list[MoveAssessment]()
    for row in explanation.scores.order:
        label = explanation.decision_point.labels[row]
        if label not in seen and len(others) < MAX_ALTERNATIVES:
            seen.add(label)
            others.append(explanation.assess(row))
    return others or ([explanation.runner_up] if explanation.runner_up is not None else [])


def explain_move(
    engine: Engine, player: ExplainableAgent, decision_point: DecisionPoint, value: Any, language: str, tables: Tables
) -> dict[str, Any]:  # fmt: skip
    """Explain any play or option: legality with its proof, and its cost compared with the best move."""
    decision_point = include_play(engine.rules, decision_point, json.dumps(value))
    explanation = explain(
        engine, player.preference_model, decision_point, language, player.compute_model_explanation(decision_point)
    )
    decision = decision_point.decision
    parts = _composed_steps(engine, decision, value) if is_play_decision(decision) else None
    if parts is not None and len(parts) > 1:
        composed_play = explain_composed_play(engine, tables, player, language, parts)
        text = play_text(engine, int(parts[-1].form[0]), len(value))[language == "zh"]
        return {"best": verdict_json(explanation, explanation.chosen),
                "readings": [{"label": text, "legal": True, "steps": steps_json(composed_play)}]}  # fmt: skip
    readings = []
    for reading in derive_readings(engine.rules, decision_point, json.dumps(value)):
        verdict_fields = {} if reading.move_row is None else _legal_reading_json(explanation, reading.move_row)
        readings.append({"label": reading_text(engine, decision, reading.label)[LANGUAGES.index(language)],
                         "legal": reading.move_row is not None,
                         "why": reading.proof.to_json()} | verdict_fields)  # fmt: skip
    return {"best": verdict_json(explanation, explanation.chosen), "readings": readings}


def _composed_steps(engine: Engine, decision: Decisions, value: Any) -> list[Moves] | None:
    """Return the acts of a composed play with these cards; None if they are not one."""
    if not engine.rules.has_composed_plays or not isinstance(value, list) or len(value) < 2:
        return None
    return compose_parts(decision, 0, read_play(engine.rules, value).cards)


def _legal_reading_json(explanation: Explanation, row: int) -> dict[str, Any]:
    verdict = explanation.assess(row)
    return {
        "legal": True,
        "verdict": verdict_json(explanation, verdict),
        "difference": difference_json(explanation, verdict),
    }


def verdict_json(explanation: Explanation, verdict: MoveAssessment) -> dict[str, Any]:
    """Return a move with the reasons for and against it."""
    move = explanation.scores.order[verdict.rank - 1]
    row_cards, rules = explanation.decision_point.move_lists.cards[move], explanation.texts.engine.rules
    is_play, codes = is_play_decision(explanation.decision_point.decision), rules.card_codes
    cards = card_kinds(row_cards) if is_play else []
    value = (
        verdict.action.to_json() if is_play else options_json(rules)[int(row_cards[0])]
    )  # in the form used by options and choices
    lookahead = verdict.lookahead
    return {
        "text": verdict_text(explanation, move), "value": value,
        "cards": [codes.kind_texts[card] for card in cards], "place": verdict.rank, "cost": verdict.cost,
        "probability": verdict.probability, "points": None if lookahead is None else lookahead.expected_points,
        "reasons": _reasons_json(explanation, verdict.reasons),
    }  # fmt: skip


def verdict_text(explanation: Explanation, move: int, with_cards: bool = False) -> str:
    """Return the name of a move in the language of an explanation; options by their words, cards as marks.

    Args:
        explanation: The explanation.
        move: Row of the move.
        with_cards: Whether the marked cards of a play follow its name.
    """
    point, texts = explanation.decision_point, explanation.texts
    cards = card_kinds(point.move_lists.cards[move])
    if not is_play_decision(point.decision):
        return option_text(texts.engine, cards[0])[LANGUAGES.index(texts.language)]
    names = [texts.engine.rules.card_codes.kind_texts[card] for card in cards] if with_cards else []
    return move_text(texts.engine, point.labels[move], names, texts.language)


def _label_words(explanation: Explanation, verdict: MoveAssessment) -> str:
    """Return the name of a label, with the cards of its best move where the label is named by its kind alone."""
    engine, language = explanation.texts.engine, explanation.texts.language
    if not is_play_decision(explanation.decision_point.decision):
        return verdict_text(explanation, explanation.scores.order[verdict.rank - 1])
    is_kind = label_text(engine, verdict.label) == label_kind_text(engine, verdict.label)
    if is_kind:
        return verdict_text(explanation, explanation.scores.order[verdict.rank - 1], with_cards=True)
    return label_text(engine, verdict.label)[LANGUAGES.index(language)]


def difference_json(explanation: Explanation, verdict: MoveAssessment) -> list[dict[str, Any]]:
    """Return the preferences by which a move differs from the chosen one."""
    return _reasons_json(explanation, explanation.differences(verdict))


def compare_json(explanation: Explanation, first_row: int, second_row: int) -> list[dict[str, Any]]:
    """Return the preferences in which the second move differs from the first."""
    return _reasons_json(explanation, compare_moves(explanation.assess(first_row), explanation.assess(second_row)))


def _reasons_json(
    explanation: Explanation, reasons: Iterable[FiredPreference | PreferenceDifference]
) -> list[dict[str, Any]]:
    """Return preferences with their shares, largest first; instances of one preference are merged."""
    lines = merge_instances(reasons, explanation.texts)[:MAX_REASONS]
    return [{"words": with_tens(reason.text), "weight": reason.weight, "name": reason.name} for reason in lines]


def label_json(explanation: Explanation, verdict: MoveAssessment) -> dict[str, Any]:
    """Return a label with its probability and the result of the look-ahead."""
    lookahead = verdict.lookahead
    return {
        "text": _label_words(explanation, verdict), "probability": verdict.probability,
        "points": None if lookahead is None else lookahead.expected_points,
        "before": None if lookahead is None else lookahead.prior_probability,
    }  # fmt: skip


def sampled_deals_json(engine: Engine, model_explanation: ModelExplanation) -> list[list[list[str]]] | None:
    """Return the sampled deals of an agent's look-ahead: the hands of the other seats by deal."""
    if model_explanation.sampled_deals is None:
        return None
    texts, order = engine.rules.card_codes.kind_texts, range(len(engine.rules.pack))
    return [
        [[texts[kind] for kind in order for _ in range(int(hand[kind]))] for hand in deal]
        for deal in model_explanation.sampled_deals
    ]


def estimate_json(engine: Engine, model_explanation: ModelExplanation) -> dict[str, Any] | None:
    """Return an agent's estimate of hidden hands: expected copies by seat and card."""
    estimate = model_explanation.estimate
    if estimate is None:
        return None
    texts, unseen = engine.rules.card_codes.kind_texts, estimate.constraints.unseen[0]
    kinds = [kind for kind in range(len(texts)) if unseen[kind]]
    return {
        "cards": [texts[kind] for kind in kinds],
        "hands": [
            [round(float(estimate.copies[index, kind]), 3) for kind in kinds] for index in range(len(estimate.left))
        ],
        "left": estimate.left,
    }  # fmt: skip
