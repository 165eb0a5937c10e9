"""Evaluate moves by rollouts, and explain past decisions by the information of their seats, as JSON values."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ExplainableAgent
from abl_cards.core import LANGUAGES, ErrorCode, GameError, derive_key
from abl_cards.games import Engine
from abl_cards.games.description import SUIT_SYMBOLS
from abl_cards.games.notation import include_move
from abl_cards.games.tables import DecisionPoint, Decisions, Tables
from abl_cards.games.types import ONLY_TABLE, Moves
from abl_cards.matches import ReviewConfig, evaluate_moves
from abl_cards.reasoners.explain import Explanation, explain
from abl_cards.web import hints
from abl_cards.web.seats import TableDecision
from abl_cards.web.texts import BilingualText, label_text, move_text

NUM_DEALS, MAX_DEALS = 32, 256
"""Sampled deals on which each move is played on: in one round, and in all rounds of a judgement."""
MAX_SECONDS = 1.2
"""Time after which no further round begins."""
MAX_MOVES = 5
"""Most moves that are compared."""
_Z_POINTS, _Z_LOSS = 1.96, 2.5
"""Normal quantiles: of the interval of one move, and of a difference that counts among several comparisons."""
_FAIR_LOSS, _BAD_LOSS = 0.1, 0.35
"""Least losses of the lights fair and bad, in standard deviations of the points of the best move."""


def judge_moves(
    engine: Engine, player: ExplainableAgent, rollout_agent: Agent, tables: Tables, key: int,
    language: str, made: TableDecision | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Compare the moves of a decision about plays by the points of sampled deals.

    Args:
        engine: Engine of the game.
        player: Agent whose best moves are compared, with its reasons.
        rollout_agent: Agent that plays on for all seats.
        tables: One table at which the decision is due.
        key: Key of the sampled deals.
        language: Language of the reasons.
        made: The move that was made; None before the move.

    Returns:
        Moves, the best first: their points with the half width of a 95 % interval, what they lose against the best,
        and their light (``good``, ``fair``, ``bad``). Only the light depends on a threshold.

    Raises:
        GameError: The decision is a choice, not a play.
    """
    if not tables.rows_to_play().size:
        raise GameError("only plays are judged", ErrorCode.NOT_FOUND)
    decisions = tables.decisions(ONLY_TABLE)
    point, made_row = _find_made(engine, engine.decision_point_at(decisions), made)
    explanation = explain(engine, player.preference_model, point, language, player.compute_model_explanation(point))
    rows = _rows_to_compare(explanation, made_row)
    points = _sample_points(engine, rollout_agent, decisions, point, rows, key)
    order = sorted(range(len(rows)), key=lambda index: (-points[index].mean(), index))
    best = points[order[0]]
    moves = [
        _move_json(explanation, rows[index], points[index], best) | {"made": rows[index] == made_row} for index in order
    ]
    return {
        "moves": moves, "legal": len(point.actions), "deals": len(best),
        "difference": _difference_json(explanation, rows[order[0]], made_row),
    }  # fmt: skip


def _find_made(engine: Engine, point: DecisionPoint, made: TableDecision | None) -> tuple[DecisionPoint, int | None]:
    """Return a decision that has the move that was made among its moves, and the row of this move."""
    if made is None:
        return point, None
    moves = made.moves if made.moves is not None else Moves(
        np.array([-1], np.int16), np.array([[made.option]], np.uint8)
    )  # fmt: skip
    return include_move(engine.rules, point, moves)


def _rows_to_compare(explanation: Explanation, made_row: int | None) -> list[int]:
    """Select the move that was made, the agent's, and its best moves of other labels."""
    order, labels = explanation.scores.order, explanation.decision_point.labels
    rows = [] if made_row is None else [made_row]
    chosen = order[explanation.chosen.rank - 1]
    if chosen not in rows:
        rows.append(chosen)
    seen = {labels[row] for row in rows}
    ranked = [order[verdict.rank - 1] for verdict in explanation.labels] if explanation.model_explanation else order
    for row in ranked:
        if len(rows) < MAX_MOVES and labels[row] not in seen:
            rows.append(row)
            seen.add(labels[row])
    return rows


def _sample_points(
    engine: Engine, rollout_agent: Agent, decisions: Decisions, point: DecisionPoint, rows: list[int], key: int
) -> list[NDArray[np.float64]]:
    """Return the points [deals] of each move; all moves are played on the same deals."""
    if len(rows) == 1:
        return [np.zeros(NUM_DEALS)]
    rounds, start = list[dict[int, NDArray[np.float64]]](), time.monotonic()
    while len(rounds) * NUM_DEALS < MAX_DEALS and (not rounds or time.monotonic() - start < MAX_SECONDS):
        config = ReviewConfig(engine, rollout_agent, rollout_agent, NUM_DEALS, seed=len(rounds))
        keys = np.array([derive_key(key, len(rounds))], np.uint64)
        rounds.append(evaluate_moves(config, decisions, point.move_lists, [rows], keys))
    return [np.concatenate([points[row] for points in rounds]) for row in rows]


def _move_json(
    explanation: Explanation, row: int, points: NDArray[np.float64], best: NDArray[np.float64]
) -> dict[str, Any]:
    difference, root = best - points, float(np.sqrt(len(points)))
    loss, error = float(difference.mean()), float(difference.std(ddof=1) / root)
    spread = float(best.std(ddof=1))
    counts = loss > _Z_LOSS * error and loss >= _FAIR_LOSS * spread
    light = "good" if not counts else "bad" if loss >= _BAD_LOSS * spread else "fair"
    verdict = hints.verdict_json(explanation, explanation.assess(row))
    label = explanation.decision_point.labels[row]
    return {
        "text": _move_texts(explanation.texts.engine, label, verdict["cards"]),
        "value": verdict["value"], "cards": verdict["cards"], "reasons": verdict["reasons"],
        "points": round(float(points.mean()), 4), "half": round(_Z_POINTS * float(points.std(ddof=1)) / root, 4),
        "loss": round(loss, 4), "loss_half": round(_Z_POINTS * error, 4), "light": light,
    }  # fmt: skip


def _move_texts(engine: Engine, label: str, cards: list[str]) -> BilingualText:
    """Return the name of a play and its marked cards, unless the name has a suit and so says which card it is."""
    has_suit = any(symbol in label_text(engine, label)[0] for symbol in SUIT_SYMBOLS.values())
    return [move_text(engine, label, [] if has_suit and len(cards) == 1 else cards, language) for language in LANGUAGES]


def _difference_json(explanation: Explanation, best_row: int, made_row: int | None) -> list[dict[str, Any]]:
    """Return the preferences in which the move that was made differs from the best one."""
    if made_row is None or made_row == best_row:
        return []
    return hints.compare_json(explanation, best_row, made_row)


def explain_past_decision(
    engine: Engine, player: ExplainableAgent, tables: Tables, made: TableDecision, language: str
) -> dict[str, Any]:
    """Explain a past decision by the information of its seat.

    Args:
        engine: Engine of the game.
        player: Agent whose preferences and predictions explain the decision.
        tables: One table at which the decision is due.
        made: The decision.
        language: Language of the reasons.

    Returns:
        The move with the reasons for and against it; the agent's own choice and the difference, if it is another.
    """
    is_play = bool(tables.rows_to_play().size)
    decision = tables.decisions(ONLY_TABLE) if is_play else tables.choices(ONLY_TABLE)
    point, row = _find_made(engine, engine.decision_point_at(decision), made)
    explanation = explain(engine, player.preference_model, point, language, player.compute_model_explanation(point))
    assert row is not None
    verdict = explanation.assess(row)
    is_same = verdict.rank == explanation.chosen.rank
    return {
        "made": hints.verdict_json(explanation, verdict), "moves": len(point.actions),
        "is_play": is_play,
        "best": None if is_same else hints.verdict_json(explanation, explanation.chosen),
        "difference": [] if is_same else hints.difference_json(explanation, verdict),
    }  # fmt: skip
