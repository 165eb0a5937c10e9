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

from abl_cards.errors import GameError
from abl_cards.games.tables import MOST_SETS, Indices
from abl_cards.logic import KnowledgeBase
from abl_cards.logic.places import files_deriving

Say = Callable[[int], str]
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
def naming(where: Say) -> Iterator[None]:
    """Say of a table where the rules lead nowhere which game of which seed is played there; raises GameError."""
    try:
        yield
    except TableError as problem:
        raise GameError(f"{where(problem.table)}: {problem}") from None


def blame(kb: KnowledgeBase, *predicates: str) -> str:
    """The file to look at, or that there is none: the end of a message about some predicates."""
    files = files_deriving(kb, predicates)
    return f"; {', '.join(files)}" if files else f"; no rule derives {' or '.join(predicates)}"


def stop_where(wrong: NDArray[np.bool_], which: Indices, say: Say) -> None:
    """Raise TableError for the first of tables which [n] that is wrong [n]."""
    if wrong.any():
        row = int(wrong.argmax())
        raise TableError(int(which[row]), say(row))


def several(names: Sequence[object]) -> str:
    """``2 and 4``, or ``none``."""
    return " and ".join(map(str, names)) or "none"


# --- a seat that is to choose -----------------------------------------------------------------------------------------


class Chooser(Protocol):
    """Decisions, as messages about them need them."""

    @property
    def which(self) -> Indices:
        """[n] the tables."""

    @property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask."""

    def who(self, row: int) -> str:
        """The seat to decide."""

    def state(self, row: int) -> str:
        """What it holds, and what there is to beat."""


def check_laid(
    kb: KnowledgeBase, form: NDArray[np.int16], labels: NDArray[np.int16], names: Sequence[str], asked: Chooser
) -> None:
    """Raise TableError where a label could not be laid down: form [n] is negative; labels [n].

    Whoever chooses among nothing chooses no label, and ends here too; the masks need not be looked at before.
    """
    if form.min(initial=0) >= 0:
        return

    def say(row: int) -> str:
        label = int(labels[row])
        return _without_choice(kb, asked, row, names[label] if 0 <= label < len(names) else f"label {label}")

    stop_where(form < 0, asked.which, say)


def check_lists(kb: KnowledgeBase, start: NDArray[np.int64], asked: Chooser) -> None:
    """Raise TableError where there is not a single move: start [n + 1] as in MoveLists."""
    stop_where(
        start[1:] == start[:-1], asked.which, lambda row: _without_choice(kb, asked, row, "any of its legal labels")
    )


def check_few(kb: KnowledgeBase, many: NDArray[np.bool_], label: str, asked: Chooser) -> None:
    """Raise TableError for the first decision of too many card sets to list, many [n], most of them of this label."""

    def say(row: int) -> str:
        return (
            f"{asked.who(row)} has more than {MOST_SETS:,} card sets to choose from, too many to list, most of them "
            f"{label}: let its forms take fewer cards or kickers (needs/4, kickers/3, kicker/3"
            f"{blame(kb, 'needs/4', 'kickers/3', 'kicker/3')}), or ask agents that draw one, such as random "
            f"({asked.state(row)})"
        )

    stop_where(many, asked.which, say)


def _without_choice(kb: KnowledgeBase, asked: Chooser, row: int, wanted: str = "") -> str:
    """That nothing is legal, or that a hand lacks the cards for what is."""
    if asked.legal[:, row].any():
        place = blame(kb, "legal/1", "form/2")
        found = f"{asked.who(row)} has no cards for {wanted}: `legal/1` and the cards of the forms{place}"
    else:
        found = f"no legal move and no pass for {asked.who(row)}: `legal/1` is empty{blame(kb, 'legal/1')}"
    return f"{found} ({asked.state(row)})"
