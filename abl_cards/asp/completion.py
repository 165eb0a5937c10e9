"""The rules of a ground program by head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from abl_cards.asp.ground_program import WEIGHTED, GroundProgram
from abl_cards.core import check_budget


class Body(NamedTuple):
    """One way to derive an atom; `weights` is empty for a conjunction. A negated literal is a negative atom number."""

    literals: tuple[int, ...]
    weights: tuple[int, ...] = ()
    bound: int = 0


class Equations(Protocol):
    """The bodies of atoms: an atom is true when one of its bodies is."""

    def __getitem__(self, number: int, /) -> list[Body]: ...

    def get(self, number: int, default: tuple[()], /) -> Sequence[Body]: ...


class NotStratified(ValueError):
    """Atoms that depend on their own negation; `loop` are their numbers, each depending on the next."""

    def __init__(self, loop: Sequence[int]) -> None:
        super().__init__(f"atoms {list(loop)} depend on their own negation")
        self.loop = tuple(loop)


class GroundEquations:
    """The rules of a ground program by head, each made when it is asked for: circuits need a part of them only."""

    def __init__(self, ground: GroundProgram) -> None:
        heads = ground.heads
        counts = [0] * (max(heads, default=0) + 2)
        for head in heads:
            counts[head + 1] += 1
        self._rules = sorted(range(len(heads)), key=heads.__getitem__)
        self._rule_starts = list(accumulate(counts))  # [heads + 1] where the rules of each head begin
        self._ground, self._cache = ground, dict[int, list[Body]]()

    def __getitem__(self, number: int) -> list[Body]:
        found = self._cache.get(number)
        if found is None:
            rules = self._rules[self._rule_starts[number] : self._rule_starts[number + 1]]
            found = self._cache[number] = [body for rule in rules for body in self._bodies(rule)]
        return found

    def get(self, number: int, default: tuple[()]) -> Sequence[Body]:
        """The bodies of an atom, none of one that no rule derives."""
        return self[number] if number < len(self._rule_starts) - 1 else default

    def _bodies(self, rule: int) -> Iterator[Body]:
        """The body of a rule; none where it never fires."""
        check_budget()
        ground = self._ground
        first, end, bound = ground.starts[rule], ground.starts[rule + 1], ground.bounds[rule]
        if ground.kinds[rule] == WEIGHTED and first < end:
            yield Body(tuple(ground.literals[first:end]), tuple(ground.weights[first:end]), bound)
        elif ground.kinds[rule] != WEIGHTED or bound <= 0:
            yield Body(tuple(ground.literals[first:end]))
