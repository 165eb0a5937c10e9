"""The ground program: what clingo's grounder makes of the rules, in arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

import clingo

from abl_cards.asp.terms import Atom, term_from_symbol

NORMAL, WEIGHTED = 0, 1

# Clingo's own number of a term, where it is to be had, is compared without asking clingo.
_term_key: Callable[[clingo.Symbol], Hashable]
_term_key = attrgetter("_rep") if hasattr(clingo.Number(0), "_rep") else lambda symbol: symbol


class UnsupportedRule(ValueError):
    """The grounder delivered a rule that has no circuit: a choice, a disjunction, or a contradiction.

    Where the rules have none of these, they come from an aggregate over atoms that depend on it.
    """


class TooManyRules(ValueError):
    """The ground program passed the limits on its rules and their literals."""


@dataclass(frozen=True)
class GroundProgram:
    """Rules over atom numbers 1, 2, …; a body literal is a number, negative when negated.

    Rule r has the head `heads[r]` and the body `literals[starts[r]:starts[r + 1]]`; a WEIGHTED rule fires when the
    weights of its true literals add up to `bounds[r]`, a NORMAL one when all are true.
    """

    atoms: tuple[Atom, ...]  # the named atoms, in clingo's order of symbols
    numbers: array[int]  # [atoms]
    externals: array[int]  # numbers of the input atoms, in the order of `atoms`
    heads: array[int]  # [rules]
    kinds: array[int]  # [rules]
    starts: array[int]  # [rules + 1]
    literals: array[int]
    weights: array[int]  # parallel to literals
    bounds: array[int]  # [rules]

    @property
    def num_rules(self) -> int:
        return len(self.heads)

    def without_predicate(self, predicate: str) -> GroundProgram:
        """The same program with the atoms of a predicate unnamed."""
        kept = [(name, number) for name, number in zip(self.atoms, self.numbers, strict=True) if name.name != predicate]
        return replace(self, atoms=tuple(name for name, _ in kept), numbers=array("i", [number for _, number in kept]))


@dataclass
class GroundProgramObserver:
    """Receives the ground program while clingo grounds it."""

    limits: tuple[int, int] | None = None  # on the rules, and on their literals and on the inputs
    heads: array[int] = field(default_factory=lambda: array("i"))
    kinds: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    literals: array[int] = field(default_factory=lambda: array("i"))
    weights: array[int] = field(default_factory=lambda: array("i"))
    bounds: array[int] = field(default_factory=lambda: array("i"))
    externals: set[int] = field(default_factory=set)

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        self._start_rule(choice, head, NORMAL, len(body))
        self.literals.extend(body)
        self.starts.append(len(self.literals))

    def weight_rule(self, choice: bool, head: Sequence[int], bound: int, body: Sequence[tuple[int, int]]) -> None:
        self._start_rule(choice, head, WEIGHTED, bound)
        self._fill_unit_weights()
        self.literals.extend(literal for literal, _ in body)
        self.weights.extend(weight for _, weight in body)
        self.starts.append(len(self.literals))

    def _fill_unit_weights(self) -> None:
        """Every literal of the rules before has a weight of 1."""
        self.weights.extend(array("i", [1]) * (len(self.literals) - len(self.weights)))

    def external(self, number: int, value: object) -> None:
        self.externals.add(number)
        if self.limits is not None and len(self.externals) > self.limits[1]:
            raise TooManyRules(f"more than {self.limits[1]} inputs")

    def _start_rule(self, choice: bool, head: Sequence[int], kind: int, bound: int) -> None:
        if choice or len(head) != 1:
            raise UnsupportedRule("a loop through an aggregate that more atoms can make false has no circuit")
        if self.limits is not None and (len(self.heads) >= self.limits[0] or len(self.literals) > self.limits[1]):
            raise TooManyRules("more than {} ground rules or {} literals".format(*self.limits))
        self.heads.append(head[0])
        self.kinds.append(kind)
        self.bounds.append(bound)

    def to_ground_program(self, control: clingo.Control) -> GroundProgram:
        """The finished program with the names of its atoms."""
        self._fill_unit_weights()
        atoms, numbers = number_atoms(control.symbolic_atoms)
        return GroundProgram(
            atoms,
            array("i", numbers),
            array("i", [number for number in numbers if number in self.externals]),
            self.heads,
            self.kinds,
            self.starts,
            self.literals,
            self.weights,
            self.bounds,
        )


def number_atoms(atoms: clingo.SymbolicAtoms) -> tuple[tuple[Atom, ...], list[int]]:
    """The atoms with their numbers in clingo's order, which is by arity, by name, and by the arguments.

    Clingo is asked once what a term says and where it stands in the order: there are far fewer terms than arguments.
    """
    known: dict[Hashable, clingo.Symbol] = {}
    found: list[tuple[str, list[tuple[list[Hashable], int]]]] = []
    for name, arity, positive in sorted(atoms.signatures, key=lambda each: (not each[2], each[1], each[0])):
        rows = []
        for each in atoms.by_signature(name, arity, positive):
            arguments = each.symbol.arguments if arity else []
            terms = list(map(_term_key, arguments))
            known.update(zip(terms, arguments, strict=True))
            rows.append((terms, each.literal))
        found.append((name, rows))
    ranks = {key: rank for rank, (key, _) in enumerate(sorted(known.items(), key=lambda pair: pair[1]))}
    values = {key: term_from_symbol(symbol) for key, symbol in known.items()}
    names: list[Atom] = []
    numbers: list[int] = []
    for name, rows in found:
        rows.sort(key=lambda row: tuple(map(ranks.__getitem__, row[0])))
        names.extend([Atom(name, tuple(map(values.__getitem__, terms))) for terms, _ in rows])
        numbers.extend(number for _, number in rows)
    return tuple(names), numbers
