"""Rank forms by tier and strength."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description import Contexts, Forms, number_terms, require_int


def read_tiers(kb: KnowledgeBase, forms: Forms) -> Mapping[Term, int]:
    """Read the tier of each kind of form, by ``tier/2``; 0 where the rules give none."""
    tiers = {kind: require_int(tier, f"tier({kind},…)") for kind, tier in kb.facts_as_dict("tier").items()}
    return {kind: tiers.get(kind, 0) for kind in {form.kind for form in forms.forms}}


def compute_strengths(
    circuit: Circuit | None, contexts: Contexts, forms: Forms, tiers: Mapping[Term, int]
) -> NDArray[np.int64]:
    """Rank the forms [contexts, forms] by tier before strength; strengths may be any terms."""
    table = np.zeros((len(contexts), len(forms)), np.int64)
    if circuit is not None:
        ranks = number_terms([args[1] for _, args in circuit.outputs])
        for (_, (form, strength)), holds in zip(circuit.outputs, contexts.evaluate(circuit), strict=True):
            if form in forms.index:
                table[holds == 1, forms.index[form]] = ranks[strength]
        _require_strengths(table, forms)
    span = int(table.max(initial=0)) + 1
    return table + span * np.array([tiers[form.kind] for form in forms.forms])


def _require_strengths(table: NDArray[np.int64], forms: Forms) -> None:
    """Raise KBError for a form without a strength if there are other forms of its kind."""
    num_forms = Counter(form.kind for form in forms.forms)
    for index, form in enumerate(forms.forms):
        if num_forms[form.kind] > 1 and not table[:, index].any():
            raise make_kb_error(
                f"form {form.name} has no strength/2, and there are {num_forms[form.kind]} forms of its kind, "
                f"{form.kind}",
                f"write strength({form.name},N): of one kind the higher N beats the lower",
                ErrorCode.MISSING_FACT,
            )
