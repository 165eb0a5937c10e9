"""Answers for the forms of one label, for games with so many forms that the answers for all stay packed as bits."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.moves.move_tables import MoveTables, with_form_rows


class LabelForms(NamedTuple):
    """Forms by label, and move tables that read the answers for the forms of one label."""

    move_tables: MoveTables  # row K of the answers is that of form K of its label
    answer_rows: NDArray[np.int32]  # [forms] row of the circuit outputs that allows each form
    first_form: NDArray[np.int32]  # [labels + 1] first form of each label
    max_forms: int  # most forms of a label


def build_label_forms(
    move_tables: MoveTables, label_of: NDArray[np.int16], answer_rows: NDArray[np.int32]
) -> LabelForms:
    """Build the tables of a game.

    Args:
        move_tables: Tables of the game.
        label_of: int16 [forms], label of each form, in ascending order.
        answer_rows: int32 [forms], row of the circuit outputs that allows each form.

    Returns:
        The forms of each label, numbered from 0.
    """
    labels = len(move_tables.label_blocks)
    first_form = np.searchsorted(label_of, np.arange(labels + 1)).astype(np.int32)
    rows = np.arange(len(label_of), dtype=np.int32) - first_form[label_of]
    return LabelForms(
        with_form_rows(move_tables, rows), answer_rows, first_form, int(np.diff(first_form).max(initial=0))
    )


@kernel
def unpack_label_forms(answer_rows, first_form, labels, legal, bits, position, allowed):
    """Write which forms of the labels of n decisions are allowed.

    Args:
        answer_rows: int32 [forms], as in ``LabelForms``.
        first_form: int32 [labels + 1], as in ``LabelForms``.
        labels: int16 [n], a label of each decision; rows of invalid ones are not written.
        legal: uint8 [labels, n], mask of legal labels.
        bits: uint8 [forms of their own, bytes], as in ``PackedOutputs``; rows of the circuit outputs after the labels.
        position: int32 [n], as in ``PackedOutputs``.
        allowed: uint8 [most forms of a label, n], receives the answers for the forms of the label.
    """
    num_labels = len(first_form) - 1
    for i in range(len(labels)):
        label, place = np.int64(labels[i]), np.int64(position[i])
        if not 0 <= label < num_labels:
            continue
        byte, bit, first = place >> 3, np.uint8(place & 7), np.int64(first_form[label])
        for form in range(first, np.int64(first_form[label + 1])):
            row = np.int64(answer_rows[form])
            if row < num_labels:
                allowed[form - first, i] = legal[row, i]
            else:
                allowed[form - first, i] = (bits[row - num_labels, byte] >> bit) & np.uint8(1)
