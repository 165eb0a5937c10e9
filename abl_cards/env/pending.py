"""Pending decisions of all environments: masks, checks, and the moves that actions stand for."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, call_part, is_one_of, kernel
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.abduction import check_own_options, find_own_moves

LabelRealiser = Callable[[Decisions, NDArray[np.int16]], Moves]
"""From decisions and one legal label each [n] to card sets."""

ExchangePolicy = Callable[[Choices], NDArray[np.uint8]]
"""From choices [n] to the index of an option each."""


def make_realiser(realise: str | LabelRealiser, engine: Engine) -> LabelRealiser:
    """Return the function that realises labels as card sets; the moves of a user's function are checked.

    Raises GameError for an unknown name.
    """
    if callable(realise):
        is_ours = str(getattr(realise, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]
        return realise if is_ours else partial(_realise_checked, realise)
    if is_one_of(realise, ["first"]):
        return Decisions.first_moves
    if is_one_of(realise, ["preferences"]):
        from abl_cards.reasoners.abduction import Minimiser

        return Minimiser(engine).realise_labels
    raise GameError(f"realise is 'first', 'preferences' or a function, not {realise!r:.60}", ErrorCode.INVALID_VALUE)


def _realise_checked(realise: LabelRealiser, decisions: Decisions, labels: NDArray[np.int16]) -> Moves:
    """Return the moves of a function of a user; raises GameError where it fails, or one is not legal."""
    moves = call_part("realise", realise, lambda: realise(decisions, labels), ErrorCode.INVALID_REASONER)
    return find_own_moves("realise", moves, decisions.moves(labels))


def choose_checked(choose: ExchangePolicy, choices: Choices) -> NDArray[np.uint8]:
    """Return the options that a user's function chooses; raises GameError where it fails, or one is not allowed."""
    chosen = call_part("exchange", choose, lambda: choose(choices), ErrorCode.INVALID_REASONER)
    return check_own_options("exchange", chosen, choices)


def find_pending(tables: Tables | None) -> PendingDecisions:
    """Return the decisions to make at all tables; raises GameError before the first reset."""
    if tables is None:
        raise GameError("call reset() first", ErrorCode.NOT_RESET)
    return PendingDecisions.of(tables)


class PendingDecisions(NamedTuple):
    """The decisions of all environments: plays at some tables, choices at the others."""

    play_rows: Indices
    decisions: Decisions | None
    label_mask: NDArray[np.uint8]  # [labels, plays]
    choice_rows: Indices
    choices: Choices | None
    option_mask: NDArray[np.uint8]  # [choices, options]

    @classmethod
    def of(cls, tables: Tables) -> PendingDecisions:
        """Return the decisions as the tables stand; raises TableError where there is no option."""
        play_rows, choice_rows = tables.rows_to_play(), tables.rows_to_choose()
        decisions = tables.decisions(play_rows) if play_rows.size else None
        choices = tables.choices(choice_rows) if choice_rows.size else None
        label_mask = np.zeros((0, 0), np.uint8) if decisions is None else decisions.legal_mask
        option_mask = np.zeros((0, 0), np.uint8) if choices is None else choices.options
        return cls(play_rows, decisions, label_mask, choice_rows, choices, option_mask)

    def realise(
        self, actions: NDArray[np.int64], realiser: LabelRealiser, num_labels: int
    ) -> tuple[Moves | None, NDArray[np.uint8] | None]:
        """Return the moves of plays and the options of choices for legal actions [envs]; None where there are none."""
        moves, options = None, None
        if self.decisions is not None:
            labels = actions if self.choices is None else actions[self.play_rows]
            moves = realiser(self.decisions, labels.astype(np.int16))
        if self.choices is not None:
            options = (actions[self.choice_rows] - num_labels).astype(np.uint8)
        return moves, options

    def write_mask(self, mask: NDArray[np.bool_]) -> None:
        """Set zeroed mask [envs, actions] where labels and options are legal; raises TableError where no label is."""
        columns = mask.view(np.uint8)
        if self.decisions is not None and not _write_label_mask(self.label_mask, self.play_rows, columns):
            self.decisions.moves()  # raises TableError with the predicate to look at
        if self.choices is not None:
            columns[self.choice_rows, mask.shape[1] - self.option_mask.shape[1] :] = self.option_mask


@kernel
def _write_label_mask(legal, rows, mask):
    """Set zeroed mask [envs, actions] to 1 where legal [labels, n] is, for environments rows [n].

    Few labels are legal, so eight bytes are read at once. Returns whether every environment has a legal label.
    """
    n, flat = legal.shape[1], legal.reshape(legal.size)
    has_any = np.zeros(n, np.bool_)
    num_words = flat.size // 8
    words = flat[: num_words * 8].view(np.uint64)
    label, start = 0, 0  # start: place of the first environment of the label; both grow, so no division is needed
    for word in range(num_words):
        left, place = words[word], 8 * word
        while left != 0:
            while left & np.uint64(255) == 0:
                left, place = left >> np.uint64(8), place + 1
            while place >= start + n:
                label, start = label + 1, start + n
            mask[rows[place - start], label] = 1
            has_any[place - start] = True
            left, place = left >> np.uint64(8), place + 1
    for place in range(8 * num_words, flat.size):
        if flat[place] != 0:
            mask[rows[place % n], place // n] = 1
            has_any[place % n] = True
    return has_any.all()


@kernel
def find_illegal(actions, play_rows, label_mask, choice_rows, option_mask, num_labels):
    """Return the first environment whose action is not legal, or -1; both kinds of rows are sorted."""
    illegal = -1
    for i in range(len(play_rows)):
        action = actions[play_rows[i]]
        if action >= num_labels or label_mask[action, i] == 0:
            illegal = play_rows[i]
            break
    for i in range(len(choice_rows)):
        option = actions[choice_rows[i]] - num_labels
        if option < 0 or option_mask[i, option] == 0:
            return choice_rows[i] if illegal < 0 or choice_rows[i] < illegal else illegal
    return illegal
