"""Rules that leave a table without a way on: what is wrong there, by which predicate, and in which file.

Rule files may be sound logic and yet say that nobody is to move, or everybody. Whoever fills a table of numbers from a
circuit, or would choose among nothing, asks here, for what follows takes such numbers as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import KnowledgeBase, find_deriving_files
from abl_cards.core import GameError
from abl_cards.games.types import MAX_CARD_SETS, Indices

DescribeRow = Callable[[int], str]
"""From the place of a table among some to words about it."""


class TableError(GameError):
    """A table where the rules lead nowhere; who knows which game is played there adds that."""

    def __init__(self, table: int, text: str) -> None:
        """What is wrong at the table of this number."""
        super().__init__(text)
        self.table = table

    def __reduce__(self) -> tuple[type[TableError], tuple[int, str]]:
        """What another process makes it of."""
        return TableError, (self.table, str(self))


@contextmanager
def attribute_table_errors(describe: DescribeRow) -> Iterator[None]:
    """Say of a table where the rules lead nowhere which game of which seed is played there; raises GameError."""
    try:
        yield
    except TableError as problem:
        raise GameError(f"{describe(problem.table)}: {problem}") from None


def source_hint(kb: KnowledgeBase, *predicates: str) -> str:
    """The file to look at, or that there is none: the end of a message about some predicates."""
    files = find_deriving_files(kb, predicates)
    return f"; {', '.join(files)}" if files else f"; no rule derives {' or '.join(predicates)}"


def raise_where(is_wrong: NDArray[np.bool_], rows: Indices, describe: DescribeRow) -> None:
    """Raise TableError for the first of tables rows [n] where is_wrong [n] holds."""
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise TableError(int(rows[row]), describe(row))


def join_names(names: Sequence[object]) -> str:
    """``2 and 4``, or ``none``."""
    return " and ".join(map(str, names)) or "none"


# --- a seat that is to choose -----------------------------------------------------------------------------------------


class ErrorContext(Protocol):
    """Decisions, as messages about them need them."""

    @property
    def rows(self) -> Indices:
        """[n] the tables."""

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """[labels, n] the mask."""

    def seat_text(self, row: int) -> str:
        """The seat to decide."""

    def state_text(self, row: int) -> str:
        """What it holds, and what there is to beat."""


def check_sampled(
    kb: KnowledgeBase,
    form: NDArray[np.int16],
    labels: NDArray[np.int16],
    label_texts: Sequence[str],
    decisions: ErrorContext,
) -> None:
    """Raise TableError where a label could not be laid down: form [n] is negative; labels [n].

    Whoever chooses among nothing chooses no label, and ends here too; the masks need not be looked at before.
    """
    if form.min(initial=0) >= 0:
        return

    def say(row: int) -> str:
        label = int(labels[row])
        return _no_move_text(
            kb, decisions, row, label_texts[label] if 0 <= label < len(label_texts) else f"label {label}"
        )

    raise_where(form < 0, decisions.rows, say)


def check_nonempty(kb: KnowledgeBase, start: NDArray[np.int64], decisions: ErrorContext) -> None:
    """Raise TableError where there is not a single move: start [n + 1] as in MoveLists."""
    raise_where(
        start[1:] == start[:-1],
        decisions.rows,
        lambda row: _no_move_text(kb, decisions, row, "any of its legal labels"),
    )


def raise_too_many(kb: KnowledgeBase, is_too_long: NDArray[np.bool_], label: str, decisions: ErrorContext) -> None:
    """Raise TableError for the first decision of too many card sets to list, is_too_long [n], most of this label."""

    def say(row: int) -> str:
        return (
            f"{decisions.seat_text(row)} has more than {MAX_CARD_SETS:,} card sets to choose from, too many to list, "
            f"most of them {label}: let its forms take fewer cards or kickers (needs/4, kickers/3, kicker/3"
            f"{source_hint(kb, 'needs/4', 'kickers/3', 'kicker/3')}), or ask agents that draw one, such as random "
            f"({decisions.state_text(row)})"
        )

    raise_where(is_too_long, decisions.rows, say)


def _no_move_text(kb: KnowledgeBase, decisions: ErrorContext, row: int, needed_for: str = "") -> str:
    """That nothing is legal, or that a hand lacks the cards for what is."""
    if decisions.legal_mask[:, row].any():
        place = source_hint(kb, "legal/1", "form/2")
        found = f"{decisions.seat_text(row)} has no cards for {needed_for}: `legal/1` and the cards of the forms{place}"
    else:
        found = (
            f"no legal move and no pass for {decisions.seat_text(row)}: `legal/1` is empty{source_hint(kb, 'legal/1')}"
        )
    return f"{found} ({decisions.state_text(row)})"
