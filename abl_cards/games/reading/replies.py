"""Which plays a hand could lead and answer: the first is asked hand by hand, which label beats which once.

A hand answers a label where some label that it could lead beats it. A label stands for its smallest form.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.view import View
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING
from abl_cards.games.telling.columns import GROUP_OF, test_of
from abl_cards.games.telling.writer import Told, columns_of, lazily
from abl_cards.logic import Signature
from abl_cards.parallel import each_share

_WORD = 64
_AT_ONCE = 256  # forms to beat that are asked about together: each has an answer for every form
_LATE = 1 << 14  # acts: the duties of a first play are over


def openings(rules: Rules, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[labels, n] which labels hands [n, kinds] could lead, in contexts [n]; raises GameError for games of tricks."""
    if rules.taking is not None:
        raise GameError(f"{rules.folder.name} is played in tricks: what may be led hangs on more than a hand")
    n, state = len(hands), rules.tables(len(hands))
    state.hands[:, 0], state.context[:], state.acts[:] = hands, context, _LATE
    state.fluents[:] = rules.contexts.states[context]
    view = View(rules, state, np.arange(n), np.zeros(n, np.int8), at_table=False)
    return _opening(rules).ask(n, view.fills)


def _opening(rules: Rules) -> Told:
    """The circuit of the labels alone, where nothing is to beat."""
    key = "openings", id(rules)
    if key not in rules.kb.kept:
        circuit, groups = rules.play.circuit, frozenset({"trick"})
        trick = Told.of(circuit, rules.words, groups)
        nothing = trick.rows(1, {"trick": lazily(lambda _: np.array([LEADING]))})[:, 0]
        tested = {atom: test_of(rules.words, atom) for atom in circuit.inputs}
        known = {
            atom: bool(holds)
            for (atom, test), holds in zip(tested.items(), nothing, strict=True)
            if test and test.group in groups
        }
        labels = with_outputs(circuit, circuit.outputs[: len(rules.labels)])
        rules.kb.kept[key] = rules, Told.of(labels.specialise(known), rules.words)
    found: Told = rules.kb.kept[key][1]
    return found


def answers(rules: Rules, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n, labels] whether hands [n, kinds] could answer each label, in contexts [n]; raises GameError."""
    held = np.ascontiguousarray(openings(rules, context, hands))
    order, found = _order_of(rules), np.zeros((len(hands), len(rules.labels)), np.uint8)
    for each in np.unique(context):
        rows = np.flatnonzero(context == each)
        beaten = order.beaten(int(each))
        each_share(len(rows), partial(_answer, held, beaten, rows, found))
    return found


@dataclass(frozen=True)
class _Order:
    """Which labels each label beats, found out context by context."""

    rules: Rules
    beats: Told
    barred: Told | None
    known: dict[int, NDArray[np.uint64]]

    def beaten(self, context: int) -> NDArray[np.uint64]:
        """[labels, words] bit m of a label is set where it beats label m."""
        if context not in self.known:
            self.known[context] = self._ask(context)
        return self.known[context]

    def _ask(self, context: int) -> NDArray[np.uint64]:
        forms = self.rules.forms
        labels, passing = len(forms.labels), forms.passing
        beaten = np.zeros((labels, -(-labels // _WORD)), np.uint64)
        _, smallest = np.unique(forms.label_of, return_index=True)  # small forms of a label come first
        asked = smallest[smallest != passing]
        for first in range(0, len(asked), _AT_ONCE):
            rivals = asked[first : first + _AT_ONCE]
            over = self._beats(context, rivals)[asked]  # [labels but the pass, rivals]
            for column, label in enumerate(forms.label_of[rivals]):
                bit = np.uint64(1) << np.uint64(label % _WORD)
                beaten[forms.label_of[asked[over[:, column] == 1]], label // _WORD] |= bit
        return beaten

    def _beats(self, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        over = self._of_forms(self.beats, context, rivals)
        return over if self.barred is None else over & (1 - self._of_forms(self.barred, context, rivals))

    def _of_forms(self, told: Told, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        n, rules = len(rivals), self.rules
        fluents = np.repeat(rules.contexts.states[context][:, None], n, axis=1)
        fills = {"trick": columns_of([rivals, np.full(n, LEADING)]), "fluents": columns_of(fluents)}
        answered, found = told.ask(n, fills), np.zeros((len(rules.forms), n), np.uint8)
        for (_, (form,)), row in zip(told.circuit.outputs, answered, strict=True):
            if form in rules.forms.number:
                found[rules.forms.number[form]] = row
        return found


def _order_of(rules: Rules) -> _Order:
    key = "answers", id(rules)
    if key not in rules.kb.kept:  # what is kept holds the rules, so no others can have their id
        beats, barred = rules.told("beats/1"), rules.told("barred/1")
        if beats is None:
            raise GameError(f"{rules.folder.name} does not say what beats what: no rule derives beats/1")
        rules.kb.kept[key] = _Order(rules, beats, barred if barred and _knows(rules, barred) else None, {})
    found: _Order = rules.kb.kept[key]
    return found


def _knows(rules: Rules, told: Told) -> bool:
    """Whether it is about the trick and what is remembered alone, and so the same for every hand."""
    read = {Signature(name, len(args)) for name, args in told.circuit.inputs} - set(rules.fluents.signatures)
    return all(GROUP_OF[signature] == "trick" for signature in read)


@njit(cache=True, nogil=True)
def _answer(held, beaten, rows, found, lo, hi):
    """Fill the rows[lo:hi] of found [n, labels] from held [labels, n]."""
    labels, words = held.shape[0], beaten.shape[1]
    any_ = np.zeros(words, np.uint64)
    for i in range(lo, hi):
        row = rows[i]
        any_[:] = 0
        for label in range(labels):
            if held[label, row]:
                for word in range(words):
                    any_[word] |= beaten[label, word]
        for label in range(labels):
            found[row, label] = np.uint8((any_[label // _WORD] >> np.uint64(label % _WORD)) & np.uint64(1))
