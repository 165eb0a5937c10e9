"""What the variables of a rule can be: ranges of numbers, read off the ground atoms that its literals match.

A variable of `n(X)` has the range of the numbers in `n/1`. Comparisons make it narrower, as far as their own arithmetic
cannot overflow: with a sum that wraps around, `X + Y < 5` says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from clingo import ast
from clingo.ast import ASTType, BinaryOperator, ComparisonOperator, Sign, UnaryOperator

from abl_cards.logic.intervals import ALL, NONE, Interval, absolute, binary, complement, negated, point, quotients
from abl_cards.logic.terms import Atom, Signature, Term

OPERATORS = {
    BinaryOperator.Plus: "+",
    BinaryOperator.Minus: "-",
    BinaryOperator.Multiplication: "*",
    BinaryOperator.Division: "/",
    BinaryOperator.Modulo: "\\",
    BinaryOperator.Power: "**",
    BinaryOperator.And: "&",
    BinaryOperator.Or: "?",
    BinaryOperator.XOr: "^",
}
_ROUNDS = 8  # in which comparisons hand ranges on; fewer than needed leave them wider
_NUMBER = re.compile(r"-?\d+")
_BELOW = {ComparisonOperator.LessThan: 1, ComparisonOperator.LessEqual: 0}
_ABOVE = {ComparisonOperator.GreaterThan: 1, ComparisonOperator.GreaterEqual: 0}


class Value(NamedTuple):
    """What a term can be."""

    numbers: Interval
    pure: bool = True  # nothing but numbers
    exact: bool = True  # nothing in it overflows
    terms: int | None = None  # at most so many different ones, as far as anybody knows


class Domains:
    """The arguments of the ground atoms."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._atoms: dict[Signature, list[Atom]] = {}
        for atom in atoms:
            self._atoms.setdefault(Signature(atom.name, len(atom.args)), []).append(atom)
        self._known: dict[tuple[Signature, int], Value] = {}

    def argument(self, signature: Signature, index: int) -> Value:
        """What stands in a place of a predicate, the numbers inside of terms included."""
        key = (signature, index)
        if key not in self._known:
            self._known[key] = _hull({atom.args[index] for atom in self._atoms.get(signature, [])})
        return self._known[key]


def _hull(terms: set[Term]) -> Value:
    numbers = [term for term in terms if isinstance(term, int)]
    texts = [term for term in terms if isinstance(term, str)]
    numbers += [int(number) for text in texts if "(" in text for number in _NUMBER.findall(text)]
    interval = Interval(min(numbers), max(numbers)) & ALL if numbers else NONE
    return Value(interval, not texts, terms=len(terms))


@dataclass
class Scope:
    """The variables that are bound so far, and what they can be."""

    domains: Domains
    constants: Mapping[str, Value]
    bound: dict[str, Value] = field(default_factory=dict)

    def inner(self, literals: Sequence[ast.AST]) -> Scope:
        """The scope of a condition inside of this one."""
        scope = Scope(self.domains, self.constants, dict(self.bound))
        scope.enter(literals)
        return scope

    def enter(self, literals: Sequence[ast.AST]) -> None:
        """Bind what the literals of a body bind, then hand ranges on."""
        atoms = [literal.atom.symbol for literal in literals if _is_positive(literal, ASTType.SymbolicAtom)]
        comparisons = [literal.atom for literal in literals if _is_positive(literal, ASTType.Comparison)]
        aggregates = [literal.atom for literal in literals if _is_positive(literal, ASTType.BodyAggregate)]
        for symbol in atoms:
            self._match(symbol)
        for _ in range(_ROUNDS):
            before = dict(self.bound)
            for symbol in atoms:
                self._match(symbol, again=True)
            for comparison in comparisons:
                self._compare(comparison)
            for aggregate in aggregates:
                self._assign(aggregate)
            if self.bound == before:
                break

    def value(self, term: ast.AST) -> Value:
        """What a term can be, computed exactly."""
        kind = term.ast_type
        if kind == ASTType.Variable:
            return self.bound.get(term.name, Value(ALL, pure=False))
        if kind == ASTType.SymbolicTerm:
            return self._symbol(term)
        if kind == ASTType.Function:
            return self._constant(term.name) if not term.arguments else Value(NONE, pure=False)
        if kind == ASTType.BinaryOperation:
            left, right = self.value(term.left), self.value(term.right)
            result = binary(OPERATORS[term.operator_type], left.numbers, right.numbers)
            return Value(result & ALL, exact=left.exact and right.exact and result.fits)
        if kind == ASTType.UnaryOperation:
            return self._unary(term)
        if kind == ASTType.Interval:
            left, right = self.value(term.left), self.value(term.right)
            return Value(Interval(left.numbers.low, right.numbers.high), exact=left.exact and right.exact)
        if kind == ASTType.Pool:
            values = [self.value(argument) for argument in term.arguments]
            return _either(values)
        return Value(ALL, pure=False)

    def _symbol(self, term: ast.AST) -> Value:
        if term.symbol.type.name == "Number":
            return Value(point(term.symbol.number), terms=1)
        return self._constant(str(term.symbol))

    def _constant(self, name: str) -> Value:
        return self.constants.get(name, Value(NONE, pure=False, terms=1))

    def _unary(self, term: ast.AST) -> Value:
        inner = self.value(term.argument)
        operation = {UnaryOperator.Minus: negated, UnaryOperator.Negation: complement}.get(term.operator_type, absolute)
        result = NONE if inner.numbers.empty else operation(inner.numbers)
        return Value(result & ALL, pure=inner.pure, exact=inner.exact and result.fits)

    def result(self, aggregate: ast.AST) -> tuple[Interval, bool]:
        """What an aggregate adds up to, and whether it is a number only."""
        total, size, weights = point(0), 0, NONE
        for element in aggregate.elements:
            scope = self.inner(element.condition)
            count = scope.combinations([name for term in element.terms for name in variables(term)], self)
            weight = scope.value(element.terms[0]).numbers if element.terms else NONE
            size, weights = size + count, weights | weight
            if not weight.empty:
                total = Interval(total.low + count * min(weight.low, 0), total.high + count * max(weight.high, 0))
        if aggregate.function == ast.AggregateFunction.Count:
            return Interval(0, size), True
        if aggregate.function == ast.AggregateFunction.Sum:
            return total, True
        if aggregate.function == ast.AggregateFunction.SumPlus:
            return Interval(0, total.high), True
        return weights, False

    def combinations(self, names: Iterable[str], outside: Scope) -> int:
        """So many different values at most have these variables together, apart from those that are bound outside."""
        product = 1
        for name in set(names) - outside.bound.keys():
            product *= _terms(self.bound.get(name, Value(ALL)))
        return product

    def _match(self, symbol: ast.AST, again: bool = False) -> None:
        """Bind the variables of an atom of the body; arithmetic in it once everything else is bound."""
        if symbol.ast_type != ASTType.Function:
            return  # what only a pool binds may be anything
        signature = Signature(symbol.name, len(symbol.arguments))
        for index, argument in enumerate(symbol.arguments):
            domain = self.domains.argument(signature, index)
            if again:
                self._narrow(argument, domain)
            else:
                for name in _matched(argument):
                    whole = argument.ast_type == ASTType.Variable
                    self._meet(name, domain if whole else domain._replace(pure=False))

    def _meet(self, name: str, value: Value) -> None:
        known = self.bound.get(name)
        if known is None:
            self.bound[name] = value._replace(numbers=value.numbers & ALL, exact=True)
        else:
            terms = min(_terms(known), _terms(value))
            self.bound[name] = Value(known.numbers & value.numbers, known.pure or value.pure, terms=terms)

    def _compare(self, comparison: ast.AST) -> None:
        places = [comparison.term, *(guard.term for guard in comparison.guards)]
        for (left, right), guard in zip(pairwise(places), comparison.guards, strict=True):
            if guard.comparison == ComparisonOperator.Equal:
                self._equate(left, right)
                self._equate(right, left)
            elif guard.comparison in _BELOW:
                self._order(left, right, _BELOW[guard.comparison])
            elif guard.comparison in _ABOVE:
                self._order(right, left, _ABOVE[guard.comparison])

    def _equate(self, one: ast.AST, other: ast.AST) -> None:
        """Make one what the other is; `F = run(_,N)` takes N out of F."""
        if one.ast_type != ASTType.Function or not one.arguments:
            self._narrow(one, self.value(other))
        elif other.ast_type == ASTType.Variable and other.name in self.bound:
            for name in _matched(one):
                self._meet(name, self.bound[other.name]._replace(pure=False))
        elif other.ast_type == ASTType.Function and len(other.arguments) == len(one.arguments):
            for argument, same in zip(one.arguments, other.arguments, strict=True):
                self._equate(argument, same)

    def _order(self, lower: ast.AST, upper: ast.AST, distance: int) -> None:
        low, high = self.value(lower), self.value(upper)
        if low.pure and high.pure and not low.numbers.empty and not high.numbers.empty:
            self._narrow(lower, Value(Interval(ALL.low, high.numbers.high - distance), exact=high.exact))
            self._narrow(upper, Value(Interval(low.numbers.low + distance, ALL.high), exact=low.exact))

    def _assign(self, aggregate: ast.AST) -> None:
        guard = aggregate.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            numbers, pure = self.result(aggregate)
            self._narrow(guard.term, Value(numbers & ALL, pure, exact=numbers.fits))

    def _narrow(self, term: ast.AST, value: Value) -> None:
        """What the variables of a term are when the term is this value; nothing where either may have wrapped."""
        kind = term.ast_type
        if kind == ASTType.Variable:
            self._meet(term.name, value if value.exact else Value(ALL, value.pure))
        elif kind == ASTType.BinaryOperation and value.exact and (self._open(term) or self.value(term).exact):
            self._invert(term, value.numbers)
        elif kind == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus and value.exact:
            self._narrow(term.argument, Value(negated(value.numbers)))

    def _open(self, term: ast.AST) -> bool:
        """Whether matching the term binds a variable: clingo solves for it."""
        return any(name not in self.bound for name in variables(term))

    def _invert(self, term: ast.AST, numbers: Interval) -> None:
        if numbers.empty:
            return
        left, right = self.value(term.left).numbers, self.value(term.right).numbers
        operator = OPERATORS[term.operator_type]
        if operator == "+":
            self._narrow(term.left, Value(binary("-", numbers, right)))
            self._narrow(term.right, Value(binary("-", numbers, left)))
        elif operator == "-":
            self._narrow(term.left, Value(binary("+", numbers, right)))
            self._narrow(term.right, Value(binary("-", left, numbers)))
        elif operator == "*":
            for one, factor in ((term.left, right), (term.right, left)):
                if factor.low == factor.high != 0:
                    self._narrow(one, Value(quotients(numbers, factor.low)))


def _is_positive(literal: ast.AST, kind: ASTType) -> bool:
    return bool(literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign and literal.atom.ast_type == kind)


def _matched(term: ast.AST) -> Iterable[str]:
    """The variables that matching a term binds without arithmetic."""
    if term.ast_type == ASTType.Variable and term.name != "_":
        yield term.name
    elif term.ast_type == ASTType.Function:
        for argument in term.arguments:
            yield from _matched(argument)


def variables(term: ast.AST) -> Iterable[str]:
    """All the variables of a term."""
    if term.ast_type == ASTType.Variable:
        yield term.name
    for child in children(term):
        yield from variables(child)


def children(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes right beneath a node."""
    for key in node.child_keys:
        value = getattr(node, key)
        if isinstance(value, ast.AST):
            yield value
        elif value is not None:
            yield from value


def _terms(value: Value) -> int:
    if value.terms is not None:
        return value.terms
    return max(value.numbers.high - value.numbers.low + 1, 0)


def _either(values: Sequence[Value]) -> Value:
    numbers = NONE
    for value in values:
        numbers |= value.numbers
    return Value(numbers, all(value.pure for value in values), all(value.exact for value in values))
