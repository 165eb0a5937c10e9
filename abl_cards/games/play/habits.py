"""What each seat has shown of its habits in an episode: which ranks it laid down how, what it led and passed over.

It is kept as bits, by seat and kind of play, where the rules ask for it; ``belief/3`` is asked about it
(telling/knowledge.py). A rank is a number of ``Words.ranks``, a strength a number from 0 on that ``strength/2`` says.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.state import State
from abl_cards.games.reading.forms import kind_shown
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.games.telling.columns import SHOWN_BITS
from abl_cards.parallel import LIGHT, each_share

LAID, LED, PASSED_OVER = range(3)


class PlayTraits(NamedTuple):
    """What the rules say of each form."""

    kind: NDArray[np.int16]  # [forms] its place in Words.kinds, -1 for the pass
    ranks: NDArray[np.uint64]  # [forms] its ranks as bits
    strength: NDArray[np.int16]  # [contexts, forms] -1 for what is no such number
    team: NDArray[np.int8]  # [seats]


def note_acts(rules: Rules, state: State, which: Indices, form: NDArray[np.int16]) -> None:
    """The seats to decide at these tables are about to play these forms [n], or to pass."""
    if state.habits.shape[3]:
        traits, passing = _traits(rules), rules.forms.passing
        each_share(len(which), lambda lo, hi: _note(state, traits, passing, which, lo, hi, form), least=LIGHT)


def _traits(rules: Rules) -> PlayTraits:
    key = "habits", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, _read(rules)  # what is kept holds the rules, so no others can have their id
    found: PlayTraits = rules.kb.kept[key][1]
    return found


def _read(rules: Rules) -> PlayTraits:
    forms, words = rules.forms, rules.words
    kind = np.full(len(forms), -1, np.int16)
    ranks = np.zeros(len(forms), np.uint64)
    bit = {rank: np.uint64(1) << np.uint64(place) for place, rank in enumerate(words.ranks)}
    for place, form in enumerate(forms.forms):
        if place != forms.passing:
            kind[place] = words.kinds.index(kind_shown(form.kind))
        for group in form.groups:
            ranks[place] |= bit.get(rules.cells.names[group.cell], np.uint64(0))
    return PlayTraits(kind, ranks, _strengths(rules), np.array(rules.table.team, np.int8))


def _strengths(rules: Rules) -> NDArray[np.int16]:
    """[contexts, forms] the numbers of ``strength/2`` themselves."""
    found = np.full((len(rules.contexts), len(rules.forms)), -1, np.int16)
    told = rules.told("strength/2")
    if told is not None:
        truths = rules.contexts.ask(told.circuit)
        for (_, (form, power)), truth in zip(told.circuit.outputs, truths, strict=True):
            if form in rules.forms.number and isinstance(power, int) and 0 <= power < SHOWN_BITS:
                found[truth == 1, rules.forms.number[form]] = power
    return found


@njit(cache=True, nogil=True)
def _note(state, traits, passing, which, lo, hi, form):
    habits, one = state.habits, np.uint64(1)
    for i in range(lo, hi):
        table = which[i]
        seat, rival, context = state.seat[table], np.int64(state.to_beat[table]), state.context[table]
        if form[i] == passing:
            if rival >= 0 and traits.team[state.owner[table]] != traits.team[seat]:
                power = traits.strength[context, rival]
                if power >= 0:
                    habits[table, seat, PASSED_OVER, traits.kind[rival]] |= one << np.uint64(power)
            continue
        kind = traits.kind[form[i]]
        habits[table, seat, LAID, kind] |= traits.ranks[form[i]]
        if rival < 0:
            power = traits.strength[context, form[i]]
            if power >= 0:
                habits[table, seat, LED, kind] |= one << np.uint64(power)
