"""A play as a whole where plays are laid card by card: which one an agent would make, and the reasons of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abl_cards.agents import ExplainableAgent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, Moves, copy_rows
from abl_cards.reasoners.explain import Explanation, MoveAssessment, explain

ONLY_TABLE = np.array([0])
MAX_STEPS = 64
ZERO_KEY = np.zeros(1, np.uint64)


class _PlayListener(NullListener):
    """Hears the first play."""

    moves: Moves | None = None

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Keep it."""
        self.moves = self.moves or moves


@dataclass(frozen=True)
class ExplainedStep:
    """Next cards to lay, with reasons for and against them."""

    explanation: Explanation
    verdict: MoveAssessment
    moves: Moves


@dataclass(frozen=True)
class ExplainedPlay:
    """A play, and how it is laid."""

    moves: Moves
    steps: tuple[ExplainedStep, ...]


def explain_composed_play(
    engine: Engine, tables: Tables, player: ExplainableAgent, language: str, parts: Sequence[Moves] = ()
) -> ExplainedPlay:  # fmt: skip
    """The play that an agent makes at one table, or the one of these parts, at a copy of it; raises GameError.

    Where the parts come to their end and the play does not, it ends with a pass.
    """
    ear, steps = _PlayListener(), list[ExplainedStep]()
    copy = Tables(tables.rules, 1, ear)
    copy_rows(tables.state, ONLY_TABLE, copy.state)
    copy.auto_next_episode, copy.keys[:] = False, tables.keys
    for number in range(MAX_STEPS):
        decisions = copy.decisions(ONLY_TABLE)
        moment = engine.decision_point_at(decisions)
        found = explain(engine, player.preference_model, moment, language, player.compute_model_explanation(moment))
        if number < len(parts):
            moves = parts[number]
        else:
            moves = _pass_move(engine, moment.move_lists.cards.shape[1]) if parts else player.play(decisions, ZERO_KEY)
        (row,) = moment.move_lists.find(moves).tolist()
        if row < 0:
            raise GameError("the cards cannot be laid in this way", ErrorCode.ILLEGAL_MOVE)
        steps.append(ExplainedStep(found, found.assess(row), moves))
        copy.play(ONLY_TABLE, moves)
        if ear.moves is not None:
            return ExplainedPlay(ear.moves, tuple(steps))
    raise GameError("the agent does not complete its play", ErrorCode.RULES_STUCK)


def _pass_move(engine: Engine, width: int) -> Moves:
    from abl_cards.games.types import NO_CARD

    return Moves(np.array([engine.rules.forms.pass_form], np.int16), np.full((1, width), NO_CARD, np.uint8))
