"""Find the forms that played cards can have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame, whole_hand_moves
from abl_cards.games.description import Cards, counts_from_cards

_BATCH_SIZE = 256
"""Card sets per batch; bounds memory, because each has a column of all forms."""


def find_forms(rules: CompiledGame, cards: Cards, context: int) -> tuple[int, ...]:
    """Return the forms that played cards can have in a context."""
    return find_forms_batch(rules, counts_from_cards(cards, len(rules.pack))[None], np.array([context], np.int16))[0]


def find_forms_batch(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    """Return the forms of all cards of each of hands [n, kinds] in contexts [n]."""
    forms: list[tuple[int, ...]] = []
    for first in range(0, len(hands), _BATCH_SIZE):
        forms += _find_forms_chunk(rules, hands[first : first + _BATCH_SIZE], contexts[first : first + _BATCH_SIZE])
    return forms


def _find_forms_chunk(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    lists = whole_hand_moves(rules, hands, contexts, np.zeros(len(hands), np.bool_))
    forms, bounds = lists.form.tolist(), lists.start.tolist()
    return [tuple(sorted(set(forms[first:last]))) for first, last in pairwise(bounds)]


def order_key(rules: CompiledGame, form: int, context: int) -> tuple[Term, int]:
    """Return kind and strength of a form, which decide which forms beat it."""
    return rules.forms.forms[form].kind, int(rules.strength[context, form])


def have_equal_order(rules: CompiledGame, forms: Sequence[int], context: int) -> bool:
    """Return whether all forms are of one kind and strength, so that it makes no difference which one is played."""
    return len(forms) <= 1 or len({order_key(rules, form, context) for form in forms}) <= 1
