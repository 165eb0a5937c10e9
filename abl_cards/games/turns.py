"""Whose turn it is: a table that is filled once from the circuit of ``turn/1`` for every trick there can be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import blame, several
from abl_cards.games.questions import Axes, Bools, Question, one_hot
from abl_cards.logic import KnowledgeBase

NEXT_SEAT, TRICK_OVER, OVER, UNDECIDED = 3, 4, 8, 16
"""Bits of an entry of the turn table; where it is undecided, ``turn/1`` names no seat or several."""

_SEATS = ("acted", "owner")  # predicates of one seat; the others are of any number


def turn_table(kb: KnowledgeBase, inputs: Mapping[str, Axes], over: str, trick: tuple[str, ...]) -> NDArray[np.uint8]:
    """Ask about every trick: the axes are those of ``trick``, a seat for who acted, seats as bits for who passed.

    ``over`` is the predicate of the end.
    """
    seats = len(inputs[trick[0]][0])
    shape = tuple(seats if name in _SEATS else 1 << seats for name in trick)
    answer = _ask(kb, inputs, over, dict(zip(trick, np.indices(shape).reshape(len(shape), -1), strict=True)))
    going_on = (answer["turn"].sum(axis=0) != 1) & (answer[over] == 0)
    codes = answer["turn"].argmax(axis=0) | answer["trick_over"] * TRICK_OVER | answer[over] * OVER
    return (codes | going_on * UNDECIDED).astype(np.uint8).reshape(shape)


def undecided(kb: KnowledgeBase, inputs: Mapping[str, Axes], over: str, trick: Mapping[str, int]) -> str:
    """What is wrong with the turn after a trick, in words."""
    answer = _ask(kb, inputs, over, {name: np.array([value]) for name, value in trick.items()})
    named = np.flatnonzero(answer["turn"][:, 0]).tolist()
    state = ", ".join(f"{name} {_spelled(name, value)}" for name, value in trick.items())
    found = f"it is the turn of seats {several(named)} at once" if named else "it is nobody's turn"
    return f"{found}: `turn/1` must name one seat{blame(kb, 'turn/1')} ({state})"


def _ask(
    kb: KnowledgeBase, inputs: Mapping[str, Axes], over: str, trick: Mapping[str, NDArray[np.int64]]
) -> dict[str, Bools]:
    seats = inputs["acted"][0]
    question = Question(
        kb.circuit("turn/1", "trick_over/0", f"{over}/0"), inputs, {"turn": (seats,), "trick_over": (), over: ()}
    )
    facts = {
        name: one_hot(values, len(seats)) if name in _SEATS else _bits(values, len(seats))
        for name, values in trick.items()
    }
    return question.ask(len(trick["acted"]), **facts)


def _bits(masks: NDArray[np.int64], seats: int) -> Bools:
    return ((masks >> np.arange(seats)[:, None]) & 1).astype(np.uint8)


def _spelled(name: str, value: int) -> str:
    """A seat, or the seats of some bits."""
    if name in _SEATS:
        return str(value)
    return " ".join(str(seat) for seat in range(value.bit_length()) if value >> seat & 1) or "nobody"
