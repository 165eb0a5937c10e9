"""The rules of a ground program, by head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from abl_cards.asp.ground_program import WEIGHTED, GroundProgram
from abl_cards.core import check_budget


class Body(NamedTuple):
    """One way to derive an atom.

    Attributes:
        literals: Atom numbers, negative when negated.
        weights: Weight of each literal; empty for a conjunction.
        bound: Least sum of the weights of true literals.
    """

    literals: tuple[int, ...]
    weights: tuple[int, ...] = ()
    bound: int = 0


class Equations(Protocol):
    """Bodies by atom number: an atom is true when one of its bodies is."""

    def __getitem__(self, number: int, /) -> list[Body]:
        """Return the bodies of an atom that has rules."""

    def get(self, number: int, default: tuple[()], /) -> Sequence[Body]:
        """Return the bodies of an atom, or the default."""


class NotStratified(ValueError):
    """Error for atoms that depend on their own negation.

    Attributes:
        loop: Their atom numbers, each depending on the next.
    """

    def __init__(self, loop: Sequence[int]) -> None:
        """Make an error for a loop of atoms."""
        super().__init__(f"atoms {list(loop)} depend on their own negation")
        self.loop = tuple(loop)


class GroundEquations:
    """Bodies of a ground program by head, created on first use because circuits need only some of them."""

    def __init__(self, ground: GroundProgram) -> None:
        """Index the rules by head."""
        heads = ground.heads
        counts = [0] * (max(heads, default=0) + 2)
        for head in heads:
            counts[head + 1] += 1
        self._rules = sorted(range(len(heads)), key=heads.__getitem__)
        self._rule_starts = list(accumulate(counts))  # [heads + 1] index of the first rule of each head
        self._ground, self._cache = ground, dict[int, list[Body]]()

    def __getitem__(self, number: int) -> list[Body]:
        """Return the bodies of an atom number below the largest head."""
        bodies = self._cache.get(number)
        if bodies is None:
            rules = self._rules[self._rule_starts[number] : self._rule_starts[number + 1]]
            bodies = self._cache[number] = [body for rule in rules for body in self._bodies(rule)]
        return bodies

    def get(self, number: int, default: tuple[()]) -> Sequence[Body]:
        """Return the bodies of an atom; the default where no rule derives it."""
        return self[number] if number < len(self._rule_starts) - 1 else default

    def _bodies(self, rule: int) -> Iterator[Body]:
        """Yield the body of a rule; nothing where it never fires."""
        check_budget()
        ground = self._ground
        first, end, bound = ground.starts[rule], ground.starts[rule + 1], ground.bounds[rule]
        if ground.kinds[rule] == WEIGHTED and first < end:
            yield Body(tuple(ground.literals[first:end]), tuple(ground.weights[first:end]), bound)
        elif ground.kinds[rule] != WEIGHTED or bound <= 0:
            yield Body(tuple(ground.literals[first:end]))
