"""The ground program: what clingo's grounder makes of the rules, in arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import clingo

from abl_cards.logic.terms import Atom, term

NORMAL, WEIGHTED = 0, 1


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
    def rules(self) -> int:
        return len(self.heads)

    def without(self, predicate: str) -> GroundProgram:
        """The same program with the atoms of a predicate unnamed."""
        kept = [(name, number) for name, number in zip(self.atoms, self.numbers, strict=True) if name.name != predicate]
        return replace(self, atoms=tuple(name for name, _ in kept), numbers=array("i", [number for _, number in kept]))


@dataclass
class Observer:
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
        self._open(choice, head, NORMAL, len(body))
        self.literals.extend(body)
        self.starts.append(len(self.literals))

    def weight_rule(self, choice: bool, head: Sequence[int], bound: int, body: Sequence[tuple[int, int]]) -> None:
        self._open(choice, head, WEIGHTED, bound)
        self._weigh()
        self.literals.extend(literal for literal, _ in body)
        self.weights.extend(weight for _, weight in body)
        self.starts.append(len(self.literals))

    def _weigh(self) -> None:
        """Every literal of the rules before has a weight of 1."""
        self.weights.extend(array("i", [1]) * (len(self.literals) - len(self.weights)))

    def external(self, number: int, value: object) -> None:
        self.externals.add(number)
        if self.limits is not None and len(self.externals) > self.limits[1]:
            raise TooManyRules(f"more than {self.limits[1]} inputs")

    def _open(self, choice: bool, head: Sequence[int], kind: int, bound: int) -> None:
        if choice or len(head) != 1:
            raise UnsupportedRule("a loop through an aggregate that more atoms can make false has no circuit")
        if self.limits is not None and (len(self.heads) >= self.limits[0] or len(self.literals) > self.limits[1]):
            raise TooManyRules("more than {} ground rules or {} literals".format(*self.limits))
        self.heads.append(head[0])
        self.kinds.append(kind)
        self.bounds.append(bound)

    def program(self, control: clingo.Control) -> GroundProgram:
        """The finished program with the names of its atoms."""
        self._weigh()
        atoms, numbers = named(control.symbolic_atoms)
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


def named(atoms: clingo.SymbolicAtoms) -> tuple[tuple[Atom, ...], list[int]]:
    """The atoms with their numbers in clingo's order, which is by arity, by name, and by the arguments.

    To ask clingo for every argument of every atom takes longer than to ground them, so atoms are read from their text,
    and clingo puts only the arguments in order, of which there are few.
    """
    known: dict[str, clingo.Symbol] = {}
    found: list[tuple[str, list[tuple[list[str], int]]]] = []
    for name, arity, positive in sorted(atoms.signatures, key=lambda each: (not each[2], each[1], each[0])):
        rows = []
        for each in atoms.by_signature(name, arity, positive):
            texts = _arguments(each.symbol, known) if arity else []
            rows.append((texts, each.literal))
        found.append((name, rows))
    ranks = {text: rank for rank, (text, _) in enumerate(sorted(known.items(), key=lambda pair: pair[1]))}
    terms = {text: term(symbol) for text, symbol in known.items()}
    names: list[Atom] = []
    numbers: list[int] = []
    for name, rows in found:
        rows.sort(key=lambda row: tuple(map(ranks.__getitem__, row[0])))
        names.extend([Atom(name, tuple(map(terms.__getitem__, texts))) for texts, _ in rows])
        numbers.extend(number for _, number in rows)
    return tuple(names), numbers


def _arguments(symbol: clingo.Symbol, known: dict[str, clingo.Symbol]) -> list[str]:
    """The texts of the arguments of an atom; those that are new become known."""
    text = str(symbol)
    texts = _split(text[text.index("(") + 1 : -1])
    if '"' in text or not all(map(known.__contains__, texts)):  # strings may hold commas and parentheses
        arguments = symbol.arguments
        texts = [str(argument) for argument in arguments]
        known.update(zip(texts, arguments, strict=True))
    return texts


def _split(text: str) -> list[str]:
    """The arguments of a term without strings, from what stands between its parentheses.

    >>> _split("pair(3,h),f((1,),2),-1")
    ['pair(3,h)', 'f((1,),2)', '-1']
    """
    parts = text.split(",")
    if "(" not in text or len(parts) == 1:
        return parts
    joined: list[str] = []
    depth = 0
    for part in parts:
        if depth:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
        depth += part.count("(") - part.count(")")
    return joined
