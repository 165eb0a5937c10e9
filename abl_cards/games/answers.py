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

_WORD = 64


@dataclass(frozen=True)
class Answers:
    """The order of the labels, as ``beats/1`` of a knowledge base has it."""

    beats: NDArray[np.uint64]  # [contexts, labels, words] bit m of a label is set where it beats label m

    @classmethod
    def of(cls, kb: KnowledgeBase, forms: Sequence[Term], contexts: Sequence[Atom | None] = (None,)) -> Answers:
        """Labels stand for one form each; a context is a fact that their order depends on."""
        beats = beats_of(kb, forms, contexts).swapaxes(1, 2)
        room = -len(forms) % _WORD
        bits = np.packbits(np.pad(beats, [(0, 0), (0, 0), (0, room)]), axis=2, bitorder="little")
        return cls(np.ascontiguousarray(bits).view(np.uint64))

    def within(self, held: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n, labels] whether hands that could lead the labels held [labels, n] beat each label, in contexts [n]."""
        answered = np.empty(held.shape[::-1], np.uint8)
        each_share(len(answered), lambda lo, hi: _within(held, self.beats, context, lo, hi, answered))
        return answered


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


@njit(cache=True, nogil=True)
def _within(held, beats, context, lo, hi, answered):
    """Fill rows lo..hi-1."""
    beaten = np.zeros(beats.shape[2], np.uint64)
    for i in range(lo, hi):
        beaten[:] = 0
        for label in range(len(held)):
            if held[label, i]:
                for word in range(len(beaten)):
                    beaten[word] |= beats[context[i], label, word]
        for label in range(len(held)):
            answered[i, label] = (beaten[label // _WORD] >> np.uint64(label % _WORD)) & np.uint64(1)
