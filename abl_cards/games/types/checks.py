"""Checks of arrays that callers pass; kernels use their values as indices without a check of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.types.moves import NO_CARD, Indices, MoveLists, Moves


def check_rows(rows: Any, size: int, name: str = "rows") -> Indices:
    """Return indices [n] as int64.

    Args:
        rows: The argument.
        size: Number of rows.
        name: Name of the argument, for the message.

    Raises:
        GameError: The argument is not an array [n] of whole numbers, or an index is negative or out of range.
    """
    if not (isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind in "iu"):
        raise GameError(f"{name}: expected whole numbers [n], found {rows!r:.60}", ErrorCode.INVALID_VALUE)
    indices: Indices = rows.astype(np.int64, copy=False)
    if len(indices) and int(indices.view(np.uint64).max()) >= size:  # negative numbers are huge without their sign
        text = f"{name}: from 0 to {size - 1}, not from {rows.min()} to {rows.max()}"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    return indices


def check_distinct_rows(rows: Any, size: int, *given: Any) -> Indices:
    """Return indices [n] of different tables as int64, each with an entry in given arrays.

    Args:
        rows: The argument.
        size: Number of tables.
        given: Arrays with an entry for each of these tables.

    Raises:
        GameError: An index is invalid or given twice, or an array does not have a row for each.
    """
    indices = check_rows(rows, size)
    if any(np.ndim(array) == 0 or len(array) != len(indices) for array in given):
        sizes = ", ".join(str(list(np.shape(array))) for array in given)
        raise GameError(f"rows: {len(rows)} tables, but the decisions have the shapes {sizes}", ErrorCode.INVALID_VALUE)
    is_given = np.zeros(size, np.bool_)
    is_given[indices] = True
    if np.count_nonzero(is_given) != len(indices):
        raise GameError("rows: a table is given twice, and makes one play at a time", ErrorCode.INVALID_VALUE)
    return indices


def check_rows_in_stage(rows: Any, stages: NDArray[np.integer], stage: int, *given: Any) -> Indices:
    """Return indices [n] of different tables in one stage as int64.

    Args:
        rows: The argument.
        stages: Stage of each table.
        stage: Stage in which such a decision is due.
        given: Arrays with an entry for each of these tables.

    Raises:
        GameError: An index is invalid or given twice, an array does not have a row for each, or a table is in another
            stage.
    """
    indices = check_distinct_rows(rows, len(stages), *given)
    is_due = stages[indices] == stage
    if not is_due.all():
        problem = f"table {indices[is_due.argmin()]}: this decision is not due there; ask which rows wait for it"
        raise GameError(problem, ErrorCode.OUT_OF_TURN)
    return indices


def check_integers(name: str, values: Any, shape: tuple[int, ...], below: int, least: int = 0) -> NDArray[Any]:
    """Return whole numbers of a shape, within bounds, as an array.

    Args:
        name: Name of the argument, for the message.
        values: The argument.
        shape: Shape that it must have.
        below: Upper bound, exclusive.
        least: Smallest number.

    Raises:
        GameError: The values are not whole numbers, or have another shape, or one is out of bounds.
    """
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in "iu":
        message = f"{name}: expected whole numbers {list(shape)}, found {array.dtype} {list(array.shape)}"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    if array.size and not least <= int(array.min()) <= int(array.max()) < below:
        text = f"{name}: from {least} to {below - 1}, not from {array.min()} to {array.max()}"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    return array


def check_keys(keys: Any, size: int | None = None) -> NDArray[np.uint64]:
    """Return random keys as uint64 [n].

    Args:
        keys: The argument.
        size: Required number of keys; None for any.

    Raises:
        GameError: The keys are not whole numbers [n] from 0 on.
    """
    given = np.asarray(keys)
    is_number = given.dtype.kind == "u" or (given.dtype.kind == "i" and given.min(initial=0) >= 0)
    if given.ndim != 1 or (given.size and not is_number) or (size is not None and len(given) != size):
        expected = f"whole numbers [{'n' if size is None else size}] from 0 to 2**64 - 1"
        message = f"keys: {expected}, not {given.dtype} of shape {given.shape}"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    return given.astype(np.uint64, copy=False)


def check_held(name: str, cards: Any, hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return numbers of copies of cards [n, kinds], no more than hands hold.

    Args:
        name: Name of the argument, for the message.
        cards: The argument.
        hands: uint8 [n, kinds], copies in the hands.

    Raises:
        GameError: The argument has a wrong shape or dtype, or a hand holds fewer copies of a card.
    """
    array: NDArray[np.uint8] = check_integers(name, cards, hands.shape, NO_CARD + 1).astype(np.uint8, copy=False)
    if (array > hands).any():
        row, kind = np.argwhere(array > hands)[0].tolist()
        text = f"{name}: {array[row, kind]} copies of card {kind} in row {row}, but the hand holds {hands[row, kind]}"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    return array


def check_lists(lists: Any, num_decisions: int, forms: range, num_kinds: int) -> None:
    """Check that lists of moves belong to decisions of a game.

    Args:
        lists: The argument.
        num_decisions: Number of decisions.
        forms: Range of valid forms.
        num_kinds: Number of kinds of cards, or of options for choices.

    Raises:
        GameError: The argument is not lists of so many decisions, its arrays do not fit together, or a form or card
            does not exist.
    """
    if not isinstance(lists, MoveLists):
        raise GameError(f"lists: expected MoveLists, found {type(lists).__name__}", ErrorCode.INVALID_VALUE)
    start, num_moves = np.asarray(lists.start), len(lists.form)
    if start.shape != (num_decisions + 1,) or len(lists.cards) != num_moves:
        shapes = ", ".join(str(list(np.shape(array))) for array in lists)
        text = f"lists: start, form and cards have the shapes {shapes}, with {num_decisions} decisions"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    if start[0] != 0 or start[-1] != num_moves or (start[1:] < start[:-1]).any():
        text = f"lists: start rises from 0 to {num_moves}, the number of moves"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    check_integers("lists.form", lists.form, (num_moves,), forms.stop, forms.start)
    _check_kinds("lists.cards", lists.cards, num_kinds)


def check_moves(moves: Moves, num_forms: int, num_kinds: int) -> None:
    """Check that the forms and cards of moves exist.

    Args:
        moves: The argument.
        num_forms: Number of forms.
        num_kinds: Number of kinds of cards.

    Raises:
        GameError: A form or card does not exist.
    """
    check_integers("moves.form", moves.form, (len(moves.form),), num_forms)
    _check_kinds("moves.cards", moves.cards, num_kinds)


def _check_kinds(name: str, cards: Any, num_kinds: int) -> None:
    """Raise GameError where rows of cards [n, width] have a number that is neither a kind of card nor ``NO_CARD``."""
    if not isinstance(cards, np.ndarray) or cards.ndim != 2 or cards.dtype != np.uint8:
        found = f"{cards.dtype} {list(cards.shape)}" if isinstance(cards, np.ndarray) else type(cards).__name__
        raise GameError(f"{name}: expected uint8 [n, cards of a move], found {found}", ErrorCode.INVALID_VALUE)
    if cards.size and int((cards + np.uint8(1)).max()) > num_kinds:  # NO_CARD becomes 0
        kind = cards[(cards >= num_kinds) & (cards != NO_CARD)][0]
        raise GameError(f"{name}: there is no card {kind}, of {num_kinds}", ErrorCode.INVALID_VALUE)
