"""Find plays and choices in JSON among the legal ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, whole_hand_moves
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation.card_forms import order_key
from abl_cards.games.notation.composition import append_move, compose_move
from abl_cards.games.notation.play_reader import ambiguity_message, matches_form, read_option, read_play
from abl_cards.games.notation.plays import ParsedPlay, play_text
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import MoveLists


def find_moves(decisions: Decisions, plays: Sequence[ParsedPlay]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Find parsed plays among the legal moves; of several matching forms the first.

    Args:
        decisions: Decisions of tables.
        plays: A play for each decision.

    Returns:
        Legal moves with the cards of the plays; int64 [n], the row of each play among them, -1 for none.
    """
    lists, matches = match_plays(decisions, plays)
    return lists, np.array([rows[0] if rows else -1 for rows in matches], np.int64)


def match_plays(decisions: Decisions, plays: Sequence[ParsedPlay]) -> tuple[MoveLists, list[list[int]]]:
    """Find all legal moves that parsed plays stand for.

    Moves are enumerated for these cards only: the list of a full hand is long.

    Args:
        decisions: Decisions of tables.
        plays: A play for each decision.

    Returns:
        Legal moves with the cards of the plays; the rows of each play among them.
    """
    rules, hand = decisions.rules, decisions.view.hand
    requested = np.zeros_like(hand)
    for row, play in enumerate(plays):
        requested[row] = counts_from_cards(play.cards, hand.shape[1])
    includes = decisions.required_cards
    lacks_required = ((includes > 0) & (requested.T == 0)[: len(includes)]).any(axis=0)
    held = (requested <= hand).all(axis=1) & ~lacks_required
    lists = whole_hand_moves(
        rules, requested, decisions.context, decisions.to_beat < 0, decisions.legal_mask, decisions.form_mask
    )
    matches = []
    for row, play in enumerate(plays):
        rows = range(int(lists.start[row]), int(lists.start[row + 1])) if held[row] else range(0)
        matching = [move for move in rows if matches_form(rules, play, int(lists.form[move]))]
        matches.append(
            [move for move in matching if play.label is not None or not rules.partial_forms[lists.form[move]]]
        )
    return lists, matches


def find_plays(decisions: Decisions, values: Sequence[Any]) -> tuple[MoveLists, list[int | GameError]]:
    """Find JSON plays among the legal moves.

    Args:
        decisions: Decisions of tables.
        values: A JSON play for each decision.

    Returns:
        Moves, and for each play its row among them, or the error of an invalid, illegal or ambiguous play.
    """
    rules, errors, parsed = decisions.rules, dict[int, GameError](), list[ParsedPlay]()
    for index, value in enumerate(values):
        try:
            parsed.append(read_play(rules, value))
        except GameError as error:
            errors[index] = error
            parsed.append(ParsedPlay(()))
    lists, matches = match_plays(decisions, parsed)
    answers: list[int | GameError] = []
    for index, rows in enumerate(matches):
        play, context = parsed[index], int(decisions.context[index])
        if index in errors:
            answers.append(errors[index])
        elif not rows and rules.has_composed_plays and (composed := compose_move(decisions, index, play.cards)):
            lists, row = append_move(lists, composed)
            answers.append(row)
        elif not rows:
            seat = int(decisions.view.seats[index])
            answers.append(GameError(f"{play_text(rules, play)} is not legal for seat {seat}", ErrorCode.ILLEGAL_MOVE))
        elif len({_meaning_key(rules, lists, row, context) for row in rows}) > 1:
            answers.append(
                GameError(
                    ambiguity_message(rules, play, [int(lists.form[row]) for row in rows]), ErrorCode.AMBIGUOUS_MOVE
                )
            )
        else:
            answers.append(rows[0])
    return lists, answers


def _meaning_key(rules: CompiledGame, lists: MoveLists, row: int, context: int) -> tuple[Any, ...]:
    """Return a key that distinguishes moves with equal cards."""
    form = int(lists.form[row])
    return (int(rules.forms.label_of[form]), *order_key(rules, form, context))


def find_options(choices: Choices, values: Sequence[Any]) -> list[int | GameError]:
    """Find JSON choices among the available options.

    Args:
        choices: Choices of tables.
        values: A JSON choice for each of them.

    Returns:
        For each value, the index of its option, or the error of an invalid or illegal one.
    """
    answers: list[int | GameError] = []
    for index, value in enumerate(values):
        try:
            option = read_option(choices.rules, value)
            if not choices.options[index, option]:
                raise GameError(
                    f"{value!r} is not legal for seat {int(choices.view.seats[index])}", ErrorCode.ILLEGAL_MOVE
                )
            answers.append(option)
        except GameError as error:
            answers.append(error)
    return answers
