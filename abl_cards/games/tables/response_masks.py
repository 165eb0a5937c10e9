"""Masks of the labels that a hand could lead, and of the labels that it could beat.

The lead mask is a circuit query for each hand. Which labels beat which is computed once for each order context, with
the smallest form of each label. A hand can beat a label if a label that it could lead beats it.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.core import ErrorCode, GameError, kernel, map_ranges
from abl_cards.games.binding import CircuitQuery, make_array_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import INPUTS, find_test, with_outputs
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import LEADING

_WORD_BITS = 64
_BATCH_SIZE = 256  # forms to beat evaluated together, each of which yields an output for every form
_HANDS_BATCH_SIZE = 1024
_LATE_ACTS = 1 << 14  # acts so far, so that rules about the first play do not apply


def compute_lead_mask(rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Compute the labels that hands could lead.

    Args:
        rules: Compiled rules.
        context: int [n], order contexts.
        hands: uint8 [n, kinds], copies of each card.

    Returns:
        uint8 [labels, n].

    Raises:
        GameError: If the game is played in tricks.
    """
    _check_applicable(rules)
    batches = [np.zeros((len(rules.labels), 0), np.uint8)]
    batches += [_compute_batch_lead_mask(rules, context[batch], hands[batch]) for batch in _batches(len(hands))]
    return np.concatenate(batches, axis=1)


def _check_applicable(rules: CompiledGame) -> None:
    """Raise GameError for a game of tricks."""
    if rules.trick_query is not None:
        raise GameError(
            f"{rules.folder.name} is played in tricks, where legal leads depend on more than the hand",
            ErrorCode.UNSUPPORTED_GAME,
        )


def _batches(num_hands: int) -> list[slice]:
    """Split hands into batches whose masks stay in the processor's cache."""
    return [slice(first, first + _HANDS_BATCH_SIZE) for first in range(0, num_hands, _HANDS_BATCH_SIZE)]


def _compute_batch_lead_mask(
    rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Compute the labels that the hands of a batch could lead: uint8 [labels, n]."""
    n, state = len(hands), rules.create_state(len(hands))
    state.hands[:, 0], state.context[:], state.num_acts[:] = hands, context, _LATE_ACTS
    state.fluents[:] = rules.contexts.fluent_states[context]
    view = PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), has_hand_sizes=False)
    return _get_lead_query(rules).evaluate(n, view.column_writers)


@cache_per_game
def _get_lead_query(rules: CompiledGame) -> CircuitQuery:
    """Return the circuit of the label outputs with nothing to beat, built once."""
    circuit, known_groups = rules.play_query.circuit, frozenset({"trick"})
    trick = CircuitQuery.from_circuit(circuit, rules.schema, known_groups)
    values = trick.build_rows(1, {"trick": make_lazy_writer(lambda _: np.array([LEADING]))})[:, 0]
    tests = {atom: find_test(rules.schema, atom) for atom in circuit.inputs}
    known_inputs = {
        atom: bool(holds)
        for (atom, test), holds in zip(tests.items(), values, strict=True)
        if test and test.group in known_groups
    }
    labels = with_outputs(circuit, circuit.outputs[: len(rules.labels)])
    return CircuitQuery.from_circuit(labels.specialise(known_inputs), rules.schema)


def compute_response_mask(
    rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Compute the labels that hands could beat.

    Fluents outside the order contexts have their initial values, so a rule of the moment, such as locked suits, does
    not limit the answers.

    Args:
        rules: Compiled rules.
        context: int [n], order contexts.
        hands: uint8 [n, kinds], copies of each card.

    Returns:
        uint8 [n, labels], 1 where the hand could beat the label.

    Raises:
        GameError: If the game is played in tricks, or no rule derives ``beats/1``.
    """
    _check_applicable(rules)
    relation, mask = _get_beats_relation(rules), np.zeros((len(hands), len(rules.labels)), np.uint8)
    for batch in _batches(len(hands)):
        batch_context = context[batch]
        leadable = np.ascontiguousarray(_compute_batch_lead_mask(rules, batch_context, hands[batch]))
        for context_index in np.unique(batch_context):
            rows = np.flatnonzero(batch_context == context_index)
            beaten = relation.find_beaten(int(context_index))
            map_ranges(len(rows), partial(_fill_responses, leadable, beaten, rows, mask[batch]))
    return mask


@dataclass(frozen=True)
class _BeatsRelation:
    """Relation of labels that beat each other, computed for each context when first read."""

    rules: CompiledGame
    beats: CircuitQuery
    barred: CircuitQuery | None
    cache: dict[int, NDArray[np.uint64]]

    def find_beaten(self, context: int) -> NDArray[np.uint64]:
        """Return bit sets [labels, words] with bit m set where a label beats label m."""
        if context not in self.cache:
            self.cache[context] = self._compute_beaten(context)
        return self.cache[context]

    def _compute_beaten(self, context: int) -> NDArray[np.uint64]:
        """Compute the bit sets of a context."""
        forms = self.rules.forms
        labels, passing = len(forms.labels), forms.pass_form
        beaten = np.zeros((labels, -(-labels // _WORD_BITS)), np.uint64)
        _, smallest = np.unique(forms.label_of, return_index=True)  # small forms of a label come first
        playable = smallest[smallest != passing]
        for first in range(0, len(playable), _BATCH_SIZE):
            rivals = playable[first : first + _BATCH_SIZE]
            beats = self._compute_beats(context, rivals)[playable]  # [labels but the pass, rivals]
            for column, label in enumerate(forms.label_of[rivals]):
                bit = np.uint64(1) << np.uint64(label % _WORD_BITS)
                beaten[forms.label_of[playable[beats[:, column] == 1]], label // _WORD_BITS] |= bit
        return beaten

    def _compute_beats(self, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return which forms beat forms rivals [m], uint8 [forms, m]."""
        beats = self._evaluate_forms(self.beats, context, rivals)
        return beats if self.barred is None else beats & (1 - self._evaluate_forms(self.barred, context, rivals))

    def _evaluate_forms(self, query: CircuitQuery, context: int, rivals: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Evaluate a query about forms with forms rivals [m] to beat, uint8 [forms, m]."""
        n, rules = len(rivals), self.rules
        fluents = np.repeat(rules.contexts.fluent_states[context][:, None], n, axis=1)
        writers = {"trick": make_array_writer([rivals, np.full(n, LEADING)]), "fluents": make_array_writer(fluents)}
        outputs, by_form = query.evaluate(n, writers), np.zeros((len(rules.forms), n), np.uint8)
        for (_, (form,)), row in zip(query.circuit.outputs, outputs, strict=True):
            if form in rules.forms.index:
                by_form[rules.forms.index[form]] = row
        return by_form


@cache_per_game
def _get_beats_relation(rules: CompiledGame) -> _BeatsRelation:
    """Return the relation of a game, compiled once."""
    beats, barred = rules.build_query("beats/1"), rules.build_query("barred/1")
    if beats is None:
        raise GameError(f"{rules.folder.name}: no rule derives beats/1", ErrorCode.UNSUPPORTED_GAME)
    return _BeatsRelation(rules, beats, barred if barred and _is_hand_independent(rules, barred) else None, {})


def _is_hand_independent(rules: CompiledGame, query: CircuitQuery) -> bool:
    """Return True if a query reads only fluents and the play to beat, so that its outputs hold for every hand."""
    read = {Signature(name, len(args)) for name, args in query.circuit.inputs} - set(rules.fluents.signatures)
    return all(INPUTS[signature].group == "trick" for signature in read)


@kernel
def _fill_responses(leadable, beaten, rows, mask, lo, hi):
    """Fill ``rows[lo:hi]`` of ``mask`` [n, labels] from leadable [labels, n] and bit sets beaten [labels, words]."""
    labels, words = leadable.shape[0], beaten.shape[1]
    beatable = np.zeros((hi - lo, words), np.uint64)
    for label in range(labels):
        for i in range(lo, hi):
            if leadable[label, rows[i]]:
                for word in range(words):
                    beatable[i - lo, word] |= beaten[label, word]
    for i in range(lo, hi):
        row = mask[rows[i]]
        for word in range(words):
            bits, first = beatable[i - lo, word], _WORD_BITS * word
            for bit in range(min(_WORD_BITS, labels - first)):
                row[first + bit] = np.uint8((bits >> np.uint64(bit)) & np.uint64(1))
