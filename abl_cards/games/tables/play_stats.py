"""Play statistics of seats in an episode: ranks played, strengths led, and strengths passed over.

They are bit sets by seat and kind of play, inputs of ``belief/3`` (``knowledge.py``), recorded if the rules read them.
A rank is an index of ``InputSchema.shown_ranks``, a strength an integer from 0 on in ``strength/2``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import MIN_LIGHT_ITEMS_PER_THREAD, kernel, map_ranges
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import SHOWN_BITS, generalise_kind
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

PLAYED, LED, PASSED_OVER = range(3)


class FormTraits(NamedTuple):
    """Traits of forms for play statistics."""

    kind: NDArray[np.int16]  # [forms] index of InputSchema.play_kinds, -1 for the pass
    ranks: NDArray[np.uint64]  # [forms] ranks as bits
    strength: NDArray[np.int16]  # [contexts, forms] strength, -1 for none in the range of bits
    team: NDArray[np.int8]  # [seats]


def record_acts(rules: CompiledGame, state: TableState, rows: Indices, form: NDArray[np.int16]) -> None:
    """Add plays and passes to the play statistics, before they take effect.

    Args:
        rules: Compiled rules.
        state: State of all tables; ``play_stats`` is changed in place.
        rows: int64 [n], tables where the seat to decide is about to act.
        form: int16 [n], forms about to be played, passes included.
    """
    if state.play_stats.shape[3]:
        traits, passing = _form_traits(rules), rules.forms.pass_form
        map_ranges(
            len(rows),
            lambda lo, hi: _record_acts(state, traits, passing, rows, lo, hi, form),
            min_size=MIN_LIGHT_ITEMS_PER_THREAD,
        )


@cache_per_game
def _form_traits(rules: CompiledGame) -> FormTraits:
    """Return the traits of the forms of a game, computed once."""
    forms, schema = rules.forms, rules.schema
    kind = np.full(len(forms), -1, np.int16)
    ranks = np.zeros(len(forms), np.uint64)
    rank_bits = {rank: np.uint64(1) << np.uint64(index) for index, rank in enumerate(schema.shown_ranks)}
    for index, form in enumerate(forms.forms):
        if index != forms.pass_form:
            kind[index] = schema.play_kinds.index(generalise_kind(form.kind))
        for group in form.groups:
            ranks[index] |= rank_bits.get(rules.cells.names[group.cell], np.uint64(0))
    return FormTraits(kind, ranks, _strengths(rules), np.array(rules.seating.teams, np.int8))


def _strengths(rules: CompiledGame) -> NDArray[np.int16]:
    """Return the strength of each form (``strength/2``) by context [contexts, forms], -1 for none."""
    strengths = np.full((len(rules.contexts), len(rules.forms)), -1, np.int16)
    query = rules.build_query("strength/2")
    if query is not None:
        truths = rules.contexts.evaluate(query.circuit)
        for (_, (form, strength)), truth in zip(query.circuit.outputs, truths, strict=True):
            if form in rules.forms.index and isinstance(strength, int) and 0 <= strength < SHOWN_BITS:
                strengths[truth == 1, rules.forms.index[form]] = strength
    return strengths


@kernel
def _record_acts(state, traits, passing, rows, lo, hi, form):
    """Update play statistics of tables rows[lo:hi]."""
    play_stats, bit = state.play_stats, np.uint64(1)
    for i in range(lo, hi):
        table = rows[i]
        seat, to_beat, context = state.seat[table], np.int64(state.to_beat[table]), state.context[table]
        if form[i] == passing:
            if to_beat >= 0 and traits.team[state.owner[table]] != traits.team[seat]:
                strength = traits.strength[context, to_beat]
                if strength >= 0:
                    play_stats[table, seat, PASSED_OVER, traits.kind[to_beat]] |= bit << np.uint64(strength)
            continue
        kind = traits.kind[form[i]]
        play_stats[table, seat, PLAYED, kind] |= traits.ranks[form[i]]
        if to_beat < 0:
            strength = traits.strength[context, form[i]]
            if strength >= 0:
                play_stats[table, seat, LED, kind] |= bit << np.uint64(strength)
