"""Errors of rules that leave a table without a continuation, with the predicates and files that cause them.

Rule files may be valid programs and still derive no seat to move, or several. Code that reads the next seat or a move
from a circuit checks it with these functions, because kernels use such numbers unchecked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import KnowledgeBase, find_deriving_files
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.types import MAX_CARD_SETS, Indices

DescribeRow = Callable[[int], str]
"""Function that returns a text about a table, by its index among the rows of the call."""


class TableError(GameError):
    """Error for a state of a table that the rules do not continue.

    Attributes:
        table: Index of the table.
    """

    def __init__(self, table: int, text: str, code: ErrorCode = ErrorCode.RULES_STUCK) -> None:
        """Make an error.

        Args:
            table: Index of the table.
            text: Description of the problem, without the game and the seed of the table.
            code: Kind of the error.
        """
        super().__init__(text, code)
        self.table = table


@contextmanager
def attribute_table_errors(describe: DescribeRow) -> Iterator[None]:
    """Prefix errors about a table with a description of the match that is played there.

    Args:
        describe: Returns the description of a table, such as its seed, by the index of the table.

    Raises:
        GameError: The block raised a TableError.
    """
    try:
        yield
    except TableError as error:
        raise GameError(f"{describe(error.table)}: {error}", error.code) from None


def source_hint(kb: KnowledgeBase, *predicates: str) -> str:
    """Return the end of a message about predicates: the files that derive them, or that there are none.

    Args:
        kb: Knowledge base of the game.
        *predicates: Names with arities, such as ``legal/1``.
    """
    files = find_deriving_files(kb, predicates)
    return f"; {', '.join(files)}" if files else f"; no rule derives {' or '.join(predicates)}"


def raise_where(
    is_wrong: NDArray[np.bool_], rows: Indices, describe: DescribeRow, code: ErrorCode = ErrorCode.RULES_STUCK
) -> None:
    """Raise an error for the first table where a condition holds.

    Args:
        is_wrong: bool [n], condition.
        rows: int64 [n], indices of tables.
        describe: Returns the message, by the index in ``rows``.
        code: Kind of the error.

    Raises:
        TableError: The condition holds somewhere.
    """
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise TableError(int(rows[row]), describe(row), code)


def join_names(names: Sequence[object]) -> str:
    """Join names by "and"; return "none" for an empty sequence."""
    return " and ".join(map(str, names)) or "none"


# --- decisions without a move -----------------------------------------------------------------------------------------


class SeatContext(Protocol):
    """Properties of seats to decide that error messages use."""

    @property
    def rows(self) -> Indices:
        """[n] indices of tables."""

    def seat_text(self, row: int) -> str:
        """Return the name of the seat to decide."""

    def state_text(self, row: int) -> str:
        """Return the hand of the seat and the play to beat, as text."""


class ErrorContext(SeatContext, Protocol):
    """Properties of decisions that error messages use."""

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """[labels, n] mask of legal labels."""


def check_sampled(
    kb: KnowledgeBase,
    form: NDArray[np.int16],
    labels: NDArray[np.int16],
    label_texts: Sequence[str],
    decisions: ErrorContext,
) -> None:
    """Check that each sampled label has a move.

    Decisions without any legal label are found as well, so callers need not check masks first.

    Args:
        kb: Knowledge base of the game.
        form: int16 [n], form of each sampled move; negative where the hand has no cards for the label.
        labels: int16 [n], sampled labels.
        label_texts: Names of the labels.
        decisions: Decisions that the moves were sampled for.

    Raises:
        TableError: A label has no move.
    """
    if form.min(initial=0) >= 0:
        return

    def describe(row: int) -> str:
        label = int(labels[row])
        return _no_move_text(
            kb, decisions, row, label_texts[label] if 0 <= label < len(label_texts) else f"label {label}"
        )

    raise_where(form < 0, decisions.rows, describe)


def check_nonempty(kb: KnowledgeBase, start: NDArray[np.int64], decisions: ErrorContext) -> None:
    """Check that each decision has a move.

    Args:
        kb: Knowledge base of the game.
        start: int64 [n + 1], offsets as in MoveLists.
        decisions: Decisions whose moves were listed.

    Raises:
        TableError: A decision has no move.
    """
    raise_where(
        start[1:] == start[:-1],
        decisions.rows,
        lambda row: _no_move_text(kb, decisions, row, "any of its legal labels"),
    )


def raise_too_many(kb: KnowledgeBase, is_too_long: NDArray[np.bool_], label: str, seats: SeatContext) -> None:
    """Raise an error for the first decision with too many card sets to list.

    Args:
        kb: Knowledge base of the game.
        is_too_long: bool [n], decision has more than MAX_CARD_SETS card sets.
        label: Name of the label with the most card sets.
        seats: Seats whose moves were listed.

    Raises:
        TableError: A decision has too many card sets.
    """

    def describe(row: int) -> str:
        return (
            f"{seats.seat_text(row)} has more than {MAX_CARD_SETS:,} card sets to choose from, too many to list, "
            f"most of them {label}: let its forms take fewer cards or kickers (needs/4, kickers/3, kicker/3"
            f"{source_hint(kb, 'needs/4', 'kickers/3', 'kicker/3')}), or list the labels only "
            f"(abl-cards legal --labels) ({seats.state_text(row)})"
        )

    raise_where(is_too_long, seats.rows, describe, ErrorCode.TOO_MANY_MOVES)


def _no_move_text(kb: KnowledgeBase, decisions: ErrorContext, row: int, needed_for: str = "") -> str:
    """Describe why a decision has no move: no label is legal, or the hand lacks the cards."""
    if decisions.legal_mask[:, row].any():
        hint = source_hint(kb, "legal/1", "form/2")
        problem = (
            f"{decisions.seat_text(row)} has no cards for {needed_for}: `legal/1` and the cards of the forms{hint}"
        )
    else:
        problem = (
            f"no legal move and no pass for {decisions.seat_text(row)}: `legal/1` is empty{source_hint(kb, 'legal/1')}"
        )
    return f"{problem} ({decisions.state_text(row)})"
