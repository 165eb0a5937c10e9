"""Plays and choices that are written somewhere, among those that are legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, whole_hand_moves
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation.composition import append_move, compose_move
from abl_cards.games.notation.plays import (
    ParsedPlay,
    ambiguity_message,
    matches_form,
    order_key,
    play_text,
    read_option,
    read_play,
)
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import MoveLists


def find_moves(decisions: Decisions, plays: Sequence[ParsedPlay]) -> tuple[MoveLists, NDArray[np.int64]]:
    """The legal moves with the cards of each of the plays, and the row of each play among them; -1 for none.

    Of several forms of the same cards the first one that is meant; ``find_plays`` asks which.
    """
    lists, found = _match_plays(decisions, plays)
    return lists, np.array([rows[0] if rows else -1 for rows in found], np.int64)


def _match_plays(decisions: Decisions, plays: Sequence[ParsedPlay]) -> tuple[MoveLists, list[list[int]]]:
    """The legal moves with these cards, and the rows of those that each of the plays can be.

    Only the cards that are wanted are laid out: the list of a full hand is long.
    """
    rules, hand = decisions.rules, decisions.view.hand
    asked = np.zeros_like(hand)
    for row, each in enumerate(plays):
        asked[row] = counts_from_cards(each.cards, hand.shape[1])
    includes = decisions.required_cards
    lacking = ((includes > 0) & (asked.T == 0)[: len(includes)]).any(axis=0)
    held = (asked <= hand).all(axis=1) & ~lacking
    lists = whole_hand_moves(
        rules, asked, decisions.context, decisions.to_beat < 0, decisions.legal_mask, decisions.form_mask
    )
    found = []
    for row, each in enumerate(plays):
        rows = range(int(lists.start[row]), int(lists.start[row + 1])) if held[row] else range(0)
        fitting = [number for number in rows if matches_form(rules, each, int(lists.form[number]))]
        found.append(
            [number for number in fitting if each.label is not None or not rules.partial_forms[lists.form[number]]]
        )
    return lists, found


def find_plays(decisions: Decisions, values: Sequence[Any]) -> tuple[MoveLists, list[int | GameError]]:
    """Find JSON plays among the legal moves; returns an error for illegal and ambiguous ones."""
    rules, problems, wanted = decisions.rules, dict[int, GameError](), list[ParsedPlay]()
    for number, value in enumerate(values):
        try:
            wanted.append(read_play(rules, value))
        except GameError as problem:
            problems[number] = problem
            wanted.append(ParsedPlay(()))
    lists, found = _match_plays(decisions, wanted)
    answers: list[int | GameError] = []
    for number, rows in enumerate(found):
        each, context = wanted[number], int(decisions.context[number])
        if number in problems:
            answers.append(problems[number])
        elif not rows and rules.has_composed_plays and (whole := compose_move(decisions, number, each.cards)):
            lists, row = append_move(lists, whole)
            answers.append(row)
        elif not rows:
            seat = int(decisions.view.seats[number])
            answers.append(GameError(f"{play_text(rules, each)} is not legal for seat {seat}", ErrorCode.ILLEGAL_MOVE))
        elif len({_meaning_key(rules, lists, row, context) for row in rows}) > 1:
            answers.append(
                GameError(
                    ambiguity_message(rules, each, [int(lists.form[row]) for row in rows]), ErrorCode.AMBIGUOUS_MOVE
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
    """The number of the option that each value is, or what is wrong with it."""
    answers: list[int | GameError] = []
    for number, value in enumerate(values):
        try:
            option = read_option(choices.rules, value)
            if not choices.options[number, option]:
                raise GameError(
                    f"{value!r} may not be chosen by seat {int(choices.view.seats[number])}", ErrorCode.ILLEGAL_MOVE
                )
            answers.append(option)
        except GameError as problem:
            answers.append(problem)
    return answers
