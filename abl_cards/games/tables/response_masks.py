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

from abl_cards.asp import Signature
from abl_cards.core import GameError, map_ranges
from abl_cards.games.binding import CircuitQuery, make_array_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import INPUT_GROUPS, find_test, with_outputs
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import LEADING

_WORD_BITS = 64
_BATCH_SIZE = 256  # forms to beat that are asked about together: each has an answer for every form
_LATE_ACTS = 1 << 14  # acts: the duties of a first play are over


def compute_lead_mask(rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[labels, n] which labels hands [n, kinds] could lead, in contexts [n]; raises GameError for games of tricks."""
    if rules.trick_query is not None:
        raise GameError(f"{rules.folder.name} is played in tricks: what may be led hangs on more than a hand")
    n, state = len(hands), rules.create_state(len(hands))
    state.hands[:, 0], state.context[:], state.num_acts[:] = hands, context, _LATE_ACTS
    state.fluents[:] = rules.contexts.fluent_states[context]
    view = PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), has_hand_sizes=False)
    return _get_lead_query(rules).evaluate(n, view.column_writers)


def _get_lead_query(rules: CompiledGame) -> CircuitQuery:
    """The circuit of the labels alone, where nothing is to beat."""
    key = "openings", id(rules)
    if key not in rules.kb.memo:
        circuit, groups = rules.play_query.circuit, frozenset({"trick"})
        trick = CircuitQuery.from_circuit(circuit, rules.schema, groups)
        nothing = trick.build_rows(1, {"trick": make_lazy_writer(lambda _: np.array([LEADING]))})[:, 0]
        tested = {atom: find_test(rules.schema, atom) for atom in circuit.inputs}
        known = {
            atom: bool(holds)
            for (atom, test), holds in zip(tested.items(), nothing, strict=True)
            if test and test.group in groups
        }
        labels = with_outputs(circuit, circuit.outputs[: len(rules.labels)])
        rules.kb.memo[key] = rules, CircuitQuery.from_circuit(labels.specialise(known), rules.schema)
    found: CircuitQuery = rules.kb.memo[key][1]
    return found


def compute_response_mask(
    rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """[n, labels] whether hands [n, kinds] could answer each label, in contexts [n]; raises GameError."""
    held = np.ascontiguousarray(compute_lead_mask(rules, context, hands))
    order, found = _get_beats_relation(rules), np.zeros((len(hands), len(rules.labels)), np.uint8)
    for each in np.unique(context):
        rows = np.flatnonzero(context == each)
        beaten = order.find_beaten(int(each))
        map_ranges(len(rows), partial(_fill_responses, held, beaten, rows, found))
    return found


@dataclass(frozen=True)
class _BeatsRelation:
    """Which labels each label beats, found out context by context."""

    rules: CompiledGame
    beats: CircuitQuery
    barred: CircuitQuery | None
    cache: dict[int, NDArray[np.uint64]]

    def find_beaten(self, context: int) -> NDArray[np.uint64]:
        """[labels, words] bit m of a label is set where it beats label m."""
        if context not in self.cache:
            self.cache[context] = self._compute_beaten(context)
        return self.cache[context]

    def _compute_beaten(self, context: int) -> NDArray[np.uint64]:
        forms = self.rules.forms
        labels, passing = len(forms.labels), forms.pass_form
        beaten = np.zeros((labels, -(-labels // _WORD_BITS)), np.uint64)
        _, smallest = np.unique(forms.label_of, return_index=True)  # small forms of a label come first
        asked = smallest[smallest != passing]
        for first in range(0, len(asked), _BATCH_SIZE):
            rivals = asked[first : first + _BATCH_SIZE]
            over = self._compute_beats(context, rivals)[asked]  # [labels but the pass, rivals]
            for column, label in enumerate(forms.label_of[rivals]):
                bit = np.uint64(1) << np.uint64(label % _WORD_BITS)
                beaten[forms.label_of[asked[over[:, column] == 1]], label // _WORD_BITS] |= bit
        return beaten

    def _compute_beats(self, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        over = self._evaluate_forms(self.beats, context, rivals)
        return over if self.barred is None else over & (1 - self._evaluate_forms(self.barred, context, rivals))

    def _evaluate_forms(self, query: CircuitQuery, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        n, rules = len(rivals), self.rules
        fluents = np.repeat(rules.contexts.fluent_states[context][:, None], n, axis=1)
        fills = {"trick": make_array_writer([rivals, np.full(n, LEADING)]), "fluents": make_array_writer(fluents)}
        answered, found = query.evaluate(n, fills), np.zeros((len(rules.forms), n), np.uint8)
        for (_, (form,)), row in zip(query.circuit.outputs, answered, strict=True):
            if form in rules.forms.index:
                found[rules.forms.index[form]] = row
        return found


def _get_beats_relation(rules: CompiledGame) -> _BeatsRelation:
    key = "answers", id(rules)
    if key not in rules.kb.memo:  # what is kept holds the rules, so no others can have their id
        beats, barred = rules.build_query("beats/1"), rules.build_query("barred/1")
        if beats is None:
            raise GameError(f"{rules.folder.name} does not say what beats what: no rule derives beats/1")
        rules.kb.memo[key] = _BeatsRelation(
            rules, beats, barred if barred and _is_hand_independent(rules, barred) else None, {}
        )
    found: _BeatsRelation = rules.kb.memo[key]
    return found


def _is_hand_independent(rules: CompiledGame, query: CircuitQuery) -> bool:
    """Whether it is about the trick and what is remembered alone, and so the same for every hand."""
    read = {Signature(name, len(args)) for name, args in query.circuit.inputs} - set(rules.fluents.signatures)
    return all(INPUT_GROUPS[signature] == "trick" for signature in read)


@njit(cache=True, nogil=True)
def _fill_responses(leadable, beaten, rows, found, lo, hi):
    """Fill the rows[lo:hi] of found [n, labels] from leadable [labels, n]."""
    labels, words = leadable.shape[0], beaten.shape[1]
    any_ = np.zeros(words, np.uint64)
    for i in range(lo, hi):
        row = rows[i]
        any_[:] = 0
        for label in range(labels):
            if leadable[label, row]:
                for word in range(words):
                    any_[word] |= beaten[label, word]
        for label in range(labels):
            found[row, label] = np.uint8((any_[label // _WORD_BITS] >> np.uint64(label % _WORD_BITS)) & np.uint64(1))
