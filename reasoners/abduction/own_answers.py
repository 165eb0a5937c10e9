"""Checks of moves and options that functions and reasoners of a user return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.tables import Choices
from abl_cards.games.types import MoveLists, Moves


def find_own_moves(subject: str, moves: Any, lists: MoveLists) -> Moves:
    """Return the listed moves that a user's function chose.

    Args:
        subject: Name of the function or reasoner, for messages.
        moves: A move for each of n decisions, its cards in any order.
        lists: The moves that may be chosen.

    Returns:
        The moves as they are listed.

    Raises:
        GameError: The result is not moves of n decisions, or a move is not listed (code ``invalid-reasoner``).
    """
    n = len(lists.start) - 1
    if not isinstance(moves, Moves) or np.shape(moves.form) != (n,) or len(np.atleast_1d(moves.cards)) != n:
        actual = f"{len(np.atleast_1d(moves.form))} moves" if isinstance(moves, Moves) else type(moves).__name__
        raise GameError(f"{subject}: expected Moves of {n} decisions, found {actual}", ErrorCode.INVALID_REASONER)
    form, cards = np.asarray(moves.form), np.asarray(moves.cards)
    if form.dtype.kind not in "iu" or cards.dtype.kind not in "iu" or cards.ndim != 2:
        message = f"expected whole numbers form [{n}] and cards [{n}, most], found {form.dtype} and {cards.dtype}"
        raise GameError(f"{subject}: {message} {list(cards.shape)}", ErrorCode.INVALID_REASONER)
    rows = lists.find(Moves(form, cards))
    if (rows < 0).any():
        row = int((rows < 0).argmax())
        raise GameError(f"{subject}: the move of decision {row} is not legal", ErrorCode.INVALID_REASONER)
    return lists.select(rows)


def check_own_options(subject: str, chosen: Any, choices: Choices) -> NDArray[np.uint8]:
    """Check the options that a user's function chose.

    Args:
        subject: Name of the function or reasoner, for messages.
        chosen: Index of an option for each of n choices.
        choices: The choices.

    Returns:
        uint8 [n], the indices.

    Raises:
        GameError: The result is not indices of n options, or one is not allowed (code ``invalid-reasoner``).
    """
    indices, n, options = np.asarray(chosen), len(choices.view), choices.options
    if indices.shape != (n,) or indices.dtype.kind not in "iu":
        message = f"expected [n] = [{n}] whole numbers, found {list(indices.shape)} {indices.dtype}"
        raise GameError(f"{subject}: {message}", ErrorCode.INVALID_REASONER)
    wrong = (indices < 0) | (indices >= options.shape[1])
    wrong |= options[np.arange(n), np.where(wrong, 0, indices)] == 0
    if wrong.any():
        row = int(wrong.argmax())
        message = f"option {indices[row]} of choice {row} is not allowed"
        raise GameError(f"{subject}: {message}", ErrorCode.INVALID_REASONER)
    return indices.astype(np.uint8)
