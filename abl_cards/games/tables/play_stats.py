"""What each seat has shown of its habits in an episode: which ranks it laid down how, what it led and passed over.

It is kept as bits, by seat and kind of play, where the rules ask for it; ``belief/3`` is asked about it (knowledge.py).
A rank is a number of ``InputSchema.shown_ranks``, a strength a number from 0 on that ``strength/2`` says.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import MIN_LIGHT_ITEMS_PER_THREAD, map_ranges
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import SHOWN_BITS, generalise_kind
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

PLAYED, LED, PASSED_OVER = range(3)


class FormTraits(NamedTuple):
    """What the rules say of each form."""

    kind: NDArray[np.int16]  # [forms] its place in InputSchema.play_kinds, -1 for the pass
    ranks: NDArray[np.uint64]  # [forms] its ranks as bits
    strength: NDArray[np.int16]  # [contexts, forms] -1 for what is no such number
    team: NDArray[np.int8]  # [seats]


def record_acts(rules: CompiledGame, state: TableState, rows: Indices, form: NDArray[np.int16]) -> None:
    """The seats to decide at these tables are about to play these forms [n], or to pass."""
    if state.play_stats.shape[3]:
        traits, passing = _form_traits(rules), rules.forms.pass_form
        map_ranges(
            len(rows),
            lambda lo, hi: _record_acts(state, traits, passing, rows, lo, hi, form),
            min_size=MIN_LIGHT_ITEMS_PER_THREAD,
        )


def _form_traits(rules: CompiledGame) -> FormTraits:
    key = "habits", id(rules)
    if key not in rules.kb.memo:
        rules.kb.memo[key] = (
            rules,
            _read_form_traits(rules),
        )  # what is kept holds the rules, so no others can have their id
    found: FormTraits = rules.kb.memo[key][1]
    return found


def _read_form_traits(rules: CompiledGame) -> FormTraits:
    forms, words = rules.forms, rules.schema
    kind = np.full(len(forms), -1, np.int16)
    ranks = np.zeros(len(forms), np.uint64)
    bit = {rank: np.uint64(1) << np.uint64(place) for place, rank in enumerate(words.shown_ranks)}
    for place, form in enumerate(forms.forms):
        if place != forms.pass_form:
            kind[place] = words.play_kinds.index(generalise_kind(form.kind))
        for group in form.groups:
            ranks[place] |= bit.get(rules.cells.names[group.cell], np.uint64(0))
    return FormTraits(kind, ranks, _strengths(rules), np.array(rules.seating.teams, np.int8))


def _strengths(rules: CompiledGame) -> NDArray[np.int16]:
    """[contexts, forms] the numbers of ``strength/2`` themselves."""
    found = np.full((len(rules.contexts), len(rules.forms)), -1, np.int16)
    told = rules.build_query("strength/2")
    if told is not None:
        truths = rules.contexts.evaluate(told.circuit)
        for (_, (form, power)), truth in zip(told.circuit.outputs, truths, strict=True):
            if form in rules.forms.index and isinstance(power, int) and 0 <= power < SHOWN_BITS:
                found[truth == 1, rules.forms.index[form]] = power
    return found


@njit(cache=True, nogil=True)
def _record_acts(state, traits, passing, rows, lo, hi, form):
    habits, one = state.play_stats, np.uint64(1)
    for i in range(lo, hi):
        table = rows[i]
        seat, rival, context = state.seat[table], np.int64(state.to_beat[table]), state.context[table]
        if form[i] == passing:
            if rival >= 0 and traits.team[state.owner[table]] != traits.team[seat]:
                power = traits.strength[context, rival]
                if power >= 0:
                    habits[table, seat, PASSED_OVER, traits.kind[rival]] |= one << np.uint64(power)
            continue
        kind = traits.kind[form[i]]
        habits[table, seat, PLAYED, kind] |= traits.ranks[form[i]]
        if rival < 0:
            power = traits.strength[context, form[i]]
            if power >= 0:
                habits[table, seat, LED, kind] |= one << np.uint64(power)
