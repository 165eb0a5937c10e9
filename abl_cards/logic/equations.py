"""The rules of a ground program by head: an atom is true when one of its bodies is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from abl_cards.budget import tick
from abl_cards.logic.ground import WEIGHTED, GroundProgram


class Body(NamedTuple):
    """One way to derive an atom; `weights` is empty for a conjunction. A negated literal is a negative atom number."""

    literals: tuple[int, ...]
    weights: tuple[int, ...] = ()
    bound: int = 0


Equations = dict[int, list[Body]]  # an atom is true when one of its bodies is


class NotStratified(ValueError):
    """Atoms that depend on their own negation; `loop` are their numbers, each depending on the next."""

    def __init__(self, loop: Sequence[int]) -> None:
        super().__init__(f"atoms {list(loop)} depend on their own negation")
        self.loop = tuple(loop)


def equations_of(ground: GroundProgram) -> Equations:
    """The rules of a ground program by head."""
    equations: Equations = {}
    literals, weights = ground.literals.tolist(), ground.weights.tolist()
    starts, bounds, kinds = ground.starts.tolist(), ground.bounds.tolist(), ground.kinds.tolist()
    for rule, head in enumerate(ground.heads):
        tick()
        first, end = starts[rule], starts[rule + 1]
        bodies = equations.setdefault(head, [])
        if kinds[rule] == WEIGHTED and first < end:
            bodies.append(Body(tuple(literals[first:end]), tuple(weights[first:end]), bounds[rule]))
        elif kinds[rule] != WEIGHTED or bounds[rule] <= 0:
            bodies.append(Body(tuple(literals[first:end])))
    return equations
