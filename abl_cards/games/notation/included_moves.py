"""Add moves to a decision of which not all legal moves are listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation.composition import append_move
from abl_cards.games.notation.derivations import parse_play
from abl_cards.games.notation.match_moves import match_plays
from abl_cards.games.notation.play_writer import notate_moves
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import Moves


def include_move(rules: CompiledGame, decision_point: DecisionPoint, moves: Moves) -> tuple[DecisionPoint, int]:
    """Add a legal move to the moves of a decision about plays, unless it is among them.

    Args:
        rules: Compiled game.
        decision_point: The decision.
        moves: One legal move.

    Returns:
        The decision with the move, and the row of the move.
    """
    decision, lists = decision_point.decision, decision_point.move_lists
    (row,) = lists.find(moves).tolist()
    if row >= 0 or not is_play_decision(decision):
        return decision_point, row
    lists, row = append_move(lists, moves)
    lists = lists._replace(start=np.array([0, row + 1]))
    label = rules.label_texts[decision.labels_of(moves.form)[0]]
    action = notate_moves(rules, moves.form, moves.cards, decision.context)[0]
    labels, actions = (*decision_point.labels, label), (*decision_point.actions, action)
    return replace(decision_point, move_lists=lists, labels=labels, actions=actions), row


def include_play(rules: CompiledGame, decision_point: DecisionPoint, text: str) -> DecisionPoint:
    """Add the legal moves that some cards form to a decision of which not all moves are listed.

    Args:
        rules: Compiled game.
        decision_point: The decision.
        text: A play as JSON, a word, or cards separated by blanks.

    Returns:
        The decision with these moves; as it was for a choice or a complete list.

    Raises:
        GameError: The text is not a play.
    """
    decision = decision_point.decision
    if decision_point.is_complete or not is_play_decision(decision):
        return decision_point
    lists, (rows,) = match_plays(decision, [parse_play(rules, text)])
    for row in rows:
        decision_point, _ = include_move(rules, decision_point, lists.select(np.array([row])))
    return decision_point
