"""Legal moves, labels and composed plays of states in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError, TooManyMovesError
from abl_cards.games.compiled import CompiledGame, TableError
from abl_cards.games.notation.composed_moves import list_composed_plays
from abl_cards.games.notation.decision_points import list_actions, read_state_decisions
from abl_cards.games.notation.hand_order import hand_orders
from abl_cards.games.notation.play_writer import notate_moves, notate_option
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.states import read_state
from abl_cards.games.state import CHOICE
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import MAX_CARD_SETS


def legal_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """List the legal moves of states.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, its legal moves in JSON form, or the error of the state.

    Raises:
        TooManyMovesError: Several states have more than MAX_CARD_SETS moves together.
    """
    count = 0

    def of_plays(decisions: Decisions) -> list[list[Any]]:
        nonlocal count
        lists = decisions.moves()
        start = lists.start
        count += int(start[-1])
        _check_move_count(count, len(states))
        moves = [move.to_json() for move in list_actions(rules, decisions, lists)]
        return [moves[first:last] for first, last in pairwise(start)]

    def of_choices(choices: Choices) -> list[list[Any]]:
        stages = [str(rules.schema.stages[stage]) for stage in choices.stage]
        return [
            [notate_option(rules, option, stage).to_json() for option in _ordered_options(rules, row, int(context))]
            for stage, row, context in zip(stages, choices.options, choices.view.context, strict=True)
        ]

    return _evaluate_states(rules, states, of_plays, of_choices)


def legal_composed_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """List the legal moves of states, with plays composed card by card as whole plays.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, its legal moves in JSON form, or its error; too many whole plays are an error too.

    Raises:
        TooManyMovesError: Several states have more than MAX_CARD_SETS moves together.
    """
    answers, count = legal_moves(rules, states), 0
    for index, value in enumerate(states):
        if rules.has_composed_plays and not isinstance(answers[index], GameError):
            decisions = read_state_decisions(rules, [read_state(rules, value)])
            if isinstance(decisions, Decisions):
                answers[index] = plays = _composed_json(rules, decisions)
                count += 0 if isinstance(plays, GameError) else len(plays)
                _check_move_count(count, len(states))
    return answers


def _check_move_count(moves: int, states: int) -> None:
    """Raise TooManyMovesError for more moves of several states than are held as JSON at once."""
    if states > 1 and moves > MAX_CARD_SETS:
        raise TooManyMovesError(f"{moves:,} moves of {states} states are too many at once: ask for fewer states")


def _composed_json(rules: CompiledGame, decisions: Decisions) -> list[Any] | GameError:
    try:
        moves = list_composed_plays(decisions, 0)
    except GameError as error:
        return error
    contexts = np.repeat(decisions.context, len(moves.form))
    return [move.to_json() for move in notate_moves(rules, moves.form, moves.cards, contexts)]


def _ordered_options(rules: CompiledGame, options: NDArray[np.uint8], context: int) -> list[int]:
    """Return the available options: cards in the order of hands, then the others."""
    positions = {rules.pack.kinds[kind]: position for position, kind in enumerate(hand_orders(rules)[context].tolist())}
    indices = np.flatnonzero(options).tolist()
    return sorted(indices, key=lambda option: positions.get(rules.schema.options[option], len(positions)))


def legal_labels(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
    """List the legal labels of states.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, the texts of its legal labels (for a choice the stage), or the error of the state.
    """

    def of_plays(decisions: Decisions) -> list[list[str]]:
        return [[rules.label_texts[label] for label in np.flatnonzero(column)] for column in decisions.legal_mask.T]

    def of_choices(choices: Choices) -> list[list[str]]:
        stages = [str(stage) for stage in rules.schema.stages]
        return [[stages[stage]] if row.any() else [] for stage, row in zip(choices.stage, choices.options, strict=True)]

    return _evaluate_states(rules, states, of_plays, of_choices)


def _evaluate_states(
    rules: CompiledGame,
    states: Sequence[Mapping[str, Any]],
    of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:
    """Evaluate all plays in one batch and all choices in another; return results in the order of states."""
    answers: list[list[Any] | GameError] = [[] for _ in states]
    positions: dict[int, TablePosition] = {}
    for index, value in enumerate(states):
        try:
            positions[index] = read_state(rules, value)
        except GameError as error:
            answers[index] = error
    for choosing in (False, True):
        indices = [index for index, position in positions.items() if (position.stage == CHOICE) == choosing]
        if indices:
            for index, answer in zip(
                indices,
                _evaluate_positions(rules, [positions[index] for index in indices], of_plays, of_choices),
                strict=True,
            ):
                answers[index] = answer
    return answers


def _evaluate_positions(
    rules: CompiledGame, positions: Sequence[TablePosition], of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:  # fmt: skip
    """Evaluate positions of one stage in one batch, or in halves where there are too many moves to list."""
    decisions = read_state_decisions(rules, positions)
    try:
        return [*(of_choices(decisions) if isinstance(decisions, Choices) else of_plays(decisions))]
    except TableError as error:
        half = len(positions) // 2
        parts = [positions[:half], positions[half:]] if half else []
        return [answer for part in parts for answer in _evaluate_positions(rules, part, of_plays, of_choices)] or [
            error
        ]
