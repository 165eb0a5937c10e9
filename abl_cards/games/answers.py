"""Which plays a hand could answer: what it could lead is asked hand by hand, which label beats which once for all."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.questions import with_outputs
from abl_cards.logic import Atom, KnowledgeBase, Term, evaluate
from abl_cards.parallel import each_share

_WORD, _BYTE = 64, 8
_BLOCK = 256  # hands whose labels are packed at once, row by row
_SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").view(np.uint64).ravel()
"""The eight bits of a byte as the eight bytes of a word."""


@dataclass(frozen=True)
class Answers:
    """The order of the labels, as ``beats/1`` of a knowledge base has it.

    Eight labels make a byte; a table says for every byte what any of its labels beat, so a hand takes a look-up a byte.
    """

    labels: int
    beats: NDArray[np.uint64]  # [contexts, bytes, 256, words] bit m is set where one of a byte's labels beats label m

    @classmethod
    def of(cls, kb: KnowledgeBase, forms: Sequence[Term], contexts: Sequence[Atom | None] = (None,)) -> Answers:
        """Labels stand for one form each; a context is a fact that their order depends on."""
        beats = beats_of(kb, forms, contexts).swapaxes(1, 2)
        beats = np.pad(beats, [(0, 0), (0, -len(forms) % _BYTE), (0, -len(forms) % _WORD)])
        packed = np.ascontiguousarray(np.packbits(beats, axis=2, bitorder="little")).view(np.uint64)
        each = packed.reshape(len(contexts), -1, _BYTE, packed.shape[2])
        table = np.zeros((*each.shape[:2], 1 << _BYTE, packed.shape[2]), np.uint64)
        for bit in range(_BYTE):
            table[:, :, 1 << bit : 2 << bit] = table[:, :, : 1 << bit] | each[:, :, bit, None]
        return cls(len(forms), table)

    def within(self, held: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n, labels] whether hands that could lead the labels held [labels, n] beat each label, in contexts [n]."""
        answered, held = np.empty((held.shape[1], self.beats.shape[1]), np.uint64), np.ascontiguousarray(held)
        each_share(len(answered), lambda lo, hi: _within(held, self.beats, context, lo, hi, answered))
        return answered.view(np.uint8)[:, : self.labels]


def beats_of(kb: KnowledgeBase, forms: Sequence[Term], contexts: Sequence[Atom | None] = (None,)) -> NDArray[np.bool_]:
    """[contexts, forms, forms] whether the first is beaten by the second; ``beats/1`` is asked about every form once.

    A pass neither beats nor is beaten.
    """
    circuit = with_outputs(kb.circuit("beats/1"), [Atom("beats", (form,)) for form in forms])
    to_beat = {str(form): row for (form,), row in circuit.input_rows("to_beat", 1).items()}
    tables = np.zeros((len(contexts), len(forms), len(forms)), np.bool_)
    for table, context in zip(tables, contexts, strict=True):
        rows = np.zeros((len(circuit.inputs), len(forms)), np.uint8)
        asked = [place for place, form in enumerate(forms) if str(form) in to_beat and str(form) != "pass"]
        rows[[to_beat[str(forms[place])] for place in asked], asked] = 1
        if context in circuit.inputs:
            rows[circuit.inputs.index(context)] = 1
        beats = evaluate(circuit, rows) == 1
        beats[[place for place, form in enumerate(forms) if str(form) == "pass"]] = False
        table[asked] = beats.T[asked]
    return tables


# Flat arrays and unsigned indices: LLVM makes three times as much of them.


@njit(cache=True, nogil=True)
def _within(held, beats, context, lo, hi, answered):
    """Fill rows lo..hi-1 with the bits of each byte as the bytes of a word."""
    size, words = np.uint64(beats.shape[1]), np.uint64(beats.shape[3])
    beaten, packed = np.empty(beats.shape[3], np.uint64), np.empty(beats.shape[1] * _BLOCK, np.uint8)
    entries, answers = beats.reshape(beats.size), answered.reshape(answered.size)
    for first in range(lo, hi, _BLOCK):
        hands = np.uint64(min(_BLOCK, hi - first))
        _pack(held, np.uint64(first), hands, packed)
        for k in range(hands):
            beaten[:] = 0
            start, answer = np.uint64(context[first + k]) * size, (np.uint64(first) + k) * size
            for byte in range(size):
                value = np.uint64(packed[byte * np.uint64(_BLOCK) + k])
                entry = ((start + byte) * np.uint64(256) + value) * words
                for word in range(words):
                    beaten[word] |= entries[entry + word]
            for byte in range(size):
                bits = beaten[byte // np.uint64(8)] >> (byte % np.uint64(8) * np.uint64(8))
                answers[answer + byte] = _SPREAD[bits & np.uint64(255)]


@njit(cache=True, nogil=True)
def _pack(held, first, hands, packed):
    """The labels of some hands, eight to a byte: [bytes, _BLOCK]."""
    source, columns = held.reshape(held.size), np.uint64(held.shape[1])
    packed[:] = 0
    for label in range(np.uint64(len(held))):
        at, to, bit = label * columns + first, label // np.uint64(8) * np.uint64(_BLOCK), np.uint8(label % np.uint64(8))
        for k in range(hands):
            packed[to + k] |= source[at + k] << bit
