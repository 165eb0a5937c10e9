"""Packed hands: forms that do not fit in four bits for each rank are left to the general kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.tables.tables import Tables
from tests.games.notation.folders import rules_of

HEAP = """
#include <seats>.
#include <climbing>.
seat(0..1).
rank(1..2). pack(R,4) :- rank(R).
deals(S,4) :- seat(S).
leads(0).
over :- out(_).
match_over.
label(single(R)) :- rank(R). label(heap). label(pass).
form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(heap,heap). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). needs(heap,1,1,COUNT).
strength(single(R),R) :- rank(R). strength(heap,1).
#external held(R,N) : rank(R), N = 1..4.
playable(single(R)) :- rank(R), held(R,1).
playable(heap).
playable(pass).
"""


@pytest.mark.parametrize(("count", "packed"), [(4, True), (8, False)])
def test_large_forms_do_not_borrow_from_the_next_rank(tmp_path: Path, count: int, packed: bool) -> None:
    """Subtracting eight cards of the first rank from a packed hand would borrow from the second rank."""
    rules = rules_of(tmp_path, HEAP.replace("COUNT", str(count)))
    assert (rules.move_query.packed is not None) == packed
    tables = Tables.begin(rules, splitmix64_array(np.arange(40).astype(np.uint64), 3))
    decisions = tables.decisions(tables.rows_to_play())
    lists, heap = decisions.moves(), rules.forms.index["heap"]
    num_heaps = np.bincount(lists.decision_index[lists.form == heap], minlength=40)
    assert num_heaps.tolist() == (decisions.view.hand[:, 0] >= count).tolist()
