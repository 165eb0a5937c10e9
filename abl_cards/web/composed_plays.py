"""Explanations of whole plays in games where plays are composed card by card, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abl_cards.agents import ExplainableAgent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import ONLY_TABLE, Indices, Moves, copy_rows
from abl_cards.reasoners.explain import Explanation, MoveAssessment, explain

MAX_STEPS = 64
ZERO_KEY = np.zeros(1, np.uint64)


class _PlayListener(NullListener):
    """Listener that keeps the first play."""

    moves: Moves | None = None

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Keep the first play."""
        self.moves = self.moves or moves


@dataclass(frozen=True)
class ExplainedStep:
    """Step of a composed play, with reasons for and against it."""

    explanation: Explanation
    verdict: MoveAssessment
    moves: Moves


@dataclass(frozen=True)
class ExplainedPlay:
    """A complete play with its steps."""

    moves: Moves
    steps: tuple[ExplainedStep, ...]


def explain_composed_play(
    engine: Engine, tables: Tables, player: ExplainableAgent, language: str, parts: Sequence[Moves] = ()
) -> ExplainedPlay:  # fmt: skip
    """Explain the play that an agent makes at one table, or the play with these parts; raises GameError.

    The play is made at a copy of the table. If it is not complete after the parts, it ends with a pass.
    """
    listener, steps = _PlayListener(), list[ExplainedStep]()
    copy = Tables(tables.rules, 1, listener)
    copy_rows(tables.state, ONLY_TABLE, copy.state)
    copy.auto_next_episode, copy.keys[:] = False, tables.keys
    for index in range(MAX_STEPS):
        decisions = copy.decisions(ONLY_TABLE)
        decision_point = engine.decision_point_at(decisions)
        explanation = explain(
            engine, player.preference_model, decision_point, language, player.compute_model_explanation(decision_point)
        )
        if index < len(parts):
            moves = parts[index]
        else:
            moves = (
                _pass_move(engine, decision_point.move_lists.cards.shape[1])
                if parts
                else player.play(decisions, ZERO_KEY)
            )
        (row,) = decision_point.move_lists.find(moves).tolist()
        if row < 0:
            raise GameError("the cards cannot be played in this order", ErrorCode.ILLEGAL_MOVE)
        steps.append(ExplainedStep(explanation, explanation.assess(row), moves))
        copy.play(ONLY_TABLE, moves)
        if listener.moves is not None:
            return ExplainedPlay(listener.moves, tuple(steps))
    raise GameError("the agent does not complete its play", ErrorCode.RULES_STUCK)


def _pass_move(engine: Engine, width: int) -> Moves:
    from abl_cards.games.types import NO_CARD

    return Moves(np.array([engine.rules.forms.pass_form], np.int16), np.full((1, width), NO_CARD, np.uint8))
