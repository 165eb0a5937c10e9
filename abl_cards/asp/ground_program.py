"""The ground program that clingo's grounder produces, in arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

import clingo

from abl_cards.asp.terms import Atom, term_from_symbol

NORMAL, WEIGHTED = 0, 1

# clingo's internal number of a term, where the module exposes it, is compared without a call of clingo.
_term_key: Callable[[clingo.Symbol], Hashable]
_term_key = attrgetter("_rep") if hasattr(clingo.Number(0), "_rep") else lambda symbol: symbol


class UnsupportedRule(ValueError):
    """Error for a ground rule without a circuit: a choice, a disjunction, or an empty head.

    Such ground rules come from an aggregate over atoms that depend on it, where the rules themselves have none.
    """


class TooManyRules(ValueError):
    """Error for a ground program that exceeds the limits on its rules, literals or inputs."""


@dataclass(frozen=True)
class GroundProgram:
    """Rules over atom numbers 1, 2, …; a body literal is an atom number, negative when negated.

    Rule r has the head `heads[r]` and the body `literals[starts[r]:starts[r + 1]]`. A WEIGHTED rule fires when the
    weights of its true literals add up to at least `bounds[r]`. A NORMAL rule fires when all its literals are true.

    Attributes:
        atoms: The named atoms, in clingo's order of symbols.
        numbers: [atoms] Atom number of each named atom.
        externals: [inputs] Atom numbers of the inputs, in the order of `atoms`.
        heads: [rules] Atom number of the head.
        kinds: [rules] NORMAL or WEIGHTED.
        starts: [rules + 1] Index of the first literal of each rule.
        literals: [literals] Body literals of all rules.
        weights: [literals] Weight of each literal; 1 in a NORMAL rule.
        bounds: [rules] Least sum of weights of a WEIGHTED rule.
    """

    atoms: tuple[Atom, ...]
    numbers: array[int]
    externals: array[int]
    heads: array[int]
    kinds: array[int]
    starts: array[int]
    literals: array[int]
    weights: array[int]
    bounds: array[int]

    @property
    def num_rules(self) -> int:
        """Number of ground rules."""
        return len(self.heads)

    def without_predicate(self, predicate: str) -> GroundProgram:
        """Return a copy in which the atoms of a predicate have no names.

        Args:
            predicate: Name of the predicate, of any arity.

        Returns:
            The program with equal rules.
        """
        named_atoms = [
            (name, number) for name, number in zip(self.atoms, self.numbers, strict=True) if name.name != predicate
        ]
        return replace(
            self,
            atoms=tuple(name for name, _ in named_atoms),
            numbers=array("i", [number for _, number in named_atoms]),
        )


@dataclass
class GroundProgramObserver:
    """Observer that receives the ground program from clingo during grounding."""

    limits: tuple[int, int] | None = None  # most rules; most literals and inputs
    heads: array[int] = field(default_factory=lambda: array("i"))
    kinds: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    literals: array[int] = field(default_factory=lambda: array("i"))
    weights: array[int] = field(default_factory=lambda: array("i"))
    bounds: array[int] = field(default_factory=lambda: array("i"))
    externals: set[int] = field(default_factory=set)

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        """Add a normal rule."""
        self._start_rule(choice, head, NORMAL, len(body))
        self.literals.extend(body)
        self.starts.append(len(self.literals))

    def weight_rule(self, choice: bool, head: Sequence[int], bound: int, body: Sequence[tuple[int, int]]) -> None:
        """Add a weighted rule."""
        self._start_rule(choice, head, WEIGHTED, bound)
        self._fill_unit_weights()
        self.literals.extend(literal for literal, _ in body)
        self.weights.extend(weight for _, weight in body)
        self.starts.append(len(self.literals))

    def _fill_unit_weights(self) -> None:
        """Give the literals of the normal rules before a weight of 1."""
        self.weights.extend(array("i", [1]) * (len(self.literals) - len(self.weights)))

    def external(self, number: int, value: object) -> None:
        """Add an input."""
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
        """Return the ground program, with the names of its atoms from clingo."""
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
    """Convert clingo's atoms, sorted by arity, name and arguments as in clingo.

    Each distinct term is converted and ranked once, as there are far fewer terms than arguments.

    Args:
        atoms: Atoms of a ground program.

    Returns:
        The atoms, and the atom number of each.
    """
    symbols_by_key: dict[Hashable, clingo.Symbol] = {}
    predicates: list[tuple[str, list[tuple[list[Hashable], int]]]] = []
    for name, arity, positive in sorted(atoms.signatures, key=lambda atom: (not atom[2], atom[1], atom[0])):
        rows = []
        for atom in atoms.by_signature(name, arity, positive):
            arguments = atom.symbol.arguments if arity else []
            terms = list(map(_term_key, arguments))
            symbols_by_key.update(zip(terms, arguments, strict=True))
            rows.append((terms, atom.literal))
        predicates.append((name, rows))
    ranks = {key: rank for rank, (key, _) in enumerate(sorted(symbols_by_key.items(), key=lambda pair: pair[1]))}
    values = {key: term_from_symbol(symbol) for key, symbol in symbols_by_key.items()}
    names: list[Atom] = []
    numbers: list[int] = []
    for name, rows in predicates:
        rows.sort(key=lambda row: tuple(map(ranks.__getitem__, row[0])))
        names.extend([Atom(name, tuple(map(values.__getitem__, terms))) for terms, _ in rows])
        numbers.extend(number for _, number in rows)
    return tuple(names), numbers
