"""Ranges of the numbers that the variables of a rule can be, from the ground atoms that its literals match.

A variable of `n(X)` has the range of the numbers in `n/1`. Comparisons narrow it where their own arithmetic cannot
overflow: with a sum that wraps around, `X + Y < 5` implies no bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from clingo import ast
from clingo.ast import ASTType, BinaryOperator, ComparisonOperator, Sign, UnaryOperator

from abl_cards.asp.intervals import (
    EMPTY_INTERVAL,
    INT32_RANGE,
    IntInterval,
    absolute_value,
    apply_binary,
    bitwise_complement,
    exact_quotients,
    negate,
    singleton,
)
from abl_cards.asp.terms import Atom, Signature, Term

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
_MAX_ROUNDS = 8  # of narrowing by comparisons; ranges that need more rounds stay wider
_NUMBER = re.compile(r"-?\d+")
_BELOW = {ComparisonOperator.LessThan: 1, ComparisonOperator.LessEqual: 0}
_ABOVE = {ComparisonOperator.GreaterThan: 1, ComparisonOperator.GreaterEqual: 0}


class TermRange(NamedTuple):
    """Values that a term can have.

    Attributes:
        numbers: Range of its numbers.
        only_numbers: Whether all its values are numbers.
        no_overflow: Whether no arithmetic in it overflows.
        max_distinct: Most distinct values; None if only the range bounds them.
    """

    numbers: IntInterval
    only_numbers: bool = True
    no_overflow: bool = True
    max_distinct: int | None = None


class ArgumentDomains:
    """Ranges of the arguments of ground atoms, by predicate."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        """Index the atoms by predicate."""
        self._atoms: dict[Signature, list[Atom]] = {}
        for atom in atoms:
            self._atoms.setdefault(Signature(atom.name, len(atom.args)), []).append(atom)
        self._cache: dict[tuple[Signature, int], TermRange] = {}

    def argument_range(self, signature: Signature, index: int) -> TermRange:
        """Return the range of an argument of a predicate; it includes the numbers inside of terms."""
        key = (signature, index)
        if key not in self._cache:
            self._cache[key] = _enclosing_range({atom.args[index] for atom in self._atoms.get(signature, [])})
        return self._cache[key]


def _enclosing_range(terms: set[Term]) -> TermRange:
    numbers = [term for term in terms if isinstance(term, int)]
    texts = [term for term in terms if isinstance(term, str)]
    numbers += [int(number) for text in texts if "(" in text for number in _NUMBER.findall(text)]
    interval = IntInterval(min(numbers), max(numbers)) & INT32_RANGE if numbers else EMPTY_INTERVAL
    return TermRange(interval, not texts, max_distinct=len(terms))


@dataclass
class VariableScope:
    """The variables that are bound so far, and their ranges."""

    domains: ArgumentDomains
    constants: Mapping[str, TermRange]
    variable_ranges: dict[str, TermRange] = field(default_factory=dict)

    def nested(self, literals: Sequence[ast.AST]) -> VariableScope:
        """Return the scope of a condition inside of this one."""
        scope = VariableScope(self.domains, self.constants, dict(self.variable_ranges))
        scope.bind_body(literals)
        return scope

    def bind_body(self, literals: Sequence[ast.AST]) -> None:
        """Bind the variables of a body, then narrow their ranges by its comparisons and aggregates."""
        atoms = [literal.atom.symbol for literal in literals if _is_positive(literal, ASTType.SymbolicAtom)]
        comparisons = [literal.atom for literal in literals if _is_positive(literal, ASTType.Comparison)]
        aggregates = [literal.atom for literal in literals if _is_positive(literal, ASTType.BodyAggregate)]
        for symbol in atoms:
            self._match(symbol)
        for _ in range(_MAX_ROUNDS):
            previous = dict(self.variable_ranges)
            for symbol in atoms:
                self._match(symbol, again=True)
            for comparison in comparisons:
                self._apply_comparison(comparison)
            for aggregate in aggregates:
                self._apply_assignment(aggregate)
            if self.variable_ranges == previous:
                break

    def term_range(self, term: ast.AST) -> TermRange:
        """Compute the range of a term in exact arithmetic."""
        kind = term.ast_type
        if kind == ASTType.Variable:
            return self.variable_ranges.get(term.name, TermRange(INT32_RANGE, only_numbers=False))
        if kind == ASTType.SymbolicTerm:
            return self._symbol(term)
        if kind == ASTType.Function:
            return self._constant(term.name) if not term.arguments else TermRange(EMPTY_INTERVAL, only_numbers=False)
        if kind == ASTType.BinaryOperation:
            left, right = self.term_range(term.left), self.term_range(term.right)
            result = apply_binary(OPERATORS[term.operator_type], left.numbers, right.numbers)
            return TermRange(
                result & INT32_RANGE, no_overflow=left.no_overflow and right.no_overflow and result.fits_int32
            )
        if kind == ASTType.UnaryOperation:
            return self._unary(term)
        if kind == ASTType.Interval:
            left, right = self.term_range(term.left), self.term_range(term.right)
            return TermRange(
                IntInterval(left.numbers.low, right.numbers.high), no_overflow=left.no_overflow and right.no_overflow
            )
        if kind == ASTType.Pool:
            values = [self.term_range(argument) for argument in term.arguments]
            return _union(values)
        return TermRange(INT32_RANGE, only_numbers=False)

    def _symbol(self, term: ast.AST) -> TermRange:
        if term.symbol.type.name == "Number":
            return TermRange(singleton(term.symbol.number), max_distinct=1)
        return self._constant(str(term.symbol))

    def _constant(self, name: str) -> TermRange:
        return self.constants.get(name, TermRange(EMPTY_INTERVAL, only_numbers=False, max_distinct=1))

    def _unary(self, term: ast.AST) -> TermRange:
        inner = self.term_range(term.argument)
        operation = {UnaryOperator.Minus: negate, UnaryOperator.Negation: bitwise_complement}.get(
            term.operator_type, absolute_value
        )
        result = EMPTY_INTERVAL if inner.numbers.is_empty else operation(inner.numbers)
        return TermRange(
            result & INT32_RANGE, only_numbers=inner.only_numbers, no_overflow=inner.no_overflow and result.fits_int32
        )

    def aggregate_range(self, aggregate: ast.AST) -> tuple[IntInterval, bool]:
        """Return the range of the value of an aggregate, and whether it can only be a number."""
        total, size, weights = singleton(0), 0, EMPTY_INTERVAL
        for element in aggregate.elements:
            scope = self.nested(element.condition)
            count = scope.count_combinations([name for term in element.terms for name in variable_names(term)], self)
            weight = scope.term_range(element.terms[0]).numbers if element.terms else EMPTY_INTERVAL
            size, weights = size + count, weights | weight
            if not weight.is_empty:
                total = IntInterval(total.low + count * min(weight.low, 0), total.high + count * max(weight.high, 0))
        if aggregate.function == ast.AggregateFunction.Count:
            return IntInterval(0, size), True
        if aggregate.function == ast.AggregateFunction.Sum:
            return total, True
        if aggregate.function == ast.AggregateFunction.SumPlus:
            return IntInterval(0, total.high), True
        return weights, False

    def count_combinations(self, names: Iterable[str], outside: VariableScope) -> int:
        """Return the most combinations of values of these variables, without those that are bound outside."""
        product = 1
        for name in set(names) - outside.variable_ranges.keys():
            product *= _max_distinct(self.variable_ranges.get(name, TermRange(INT32_RANGE)))
        return product

    def _match(self, symbol: ast.AST, again: bool = False) -> None:
        """Bind the variables of an atom in the body; with `again`, narrow those in arithmetic as well."""
        if symbol.ast_type != ASTType.Function:
            return  # variables that only a pool binds have no range
        signature = Signature(symbol.name, len(symbol.arguments))
        for index, argument in enumerate(symbol.arguments):
            domain = self.domains.argument_range(signature, index)
            if again:
                self._narrow(argument, domain)
            else:
                for name in _matched_variables(argument):
                    is_variable = argument.ast_type == ASTType.Variable
                    self._intersect(name, domain if is_variable else domain._replace(only_numbers=False))

    def _intersect(self, name: str, value: TermRange) -> None:
        current = self.variable_ranges.get(name)
        if current is None:
            self.variable_ranges[name] = value._replace(numbers=value.numbers & INT32_RANGE, no_overflow=True)
        else:
            max_distinct = min(_max_distinct(current), _max_distinct(value))
            self.variable_ranges[name] = TermRange(
                current.numbers & value.numbers, current.only_numbers or value.only_numbers, max_distinct=max_distinct
            )

    def _apply_comparison(self, comparison: ast.AST) -> None:
        terms = [comparison.term, *(guard.term for guard in comparison.guards)]
        for (left, right), guard in zip(pairwise(terms), comparison.guards, strict=True):
            if guard.comparison == ComparisonOperator.Equal:
                self._apply_equality(left, right)
                self._apply_equality(right, left)
            elif guard.comparison in _BELOW:
                self._apply_inequality(left, right, _BELOW[guard.comparison])
            elif guard.comparison in _ABOVE:
                self._apply_inequality(right, left, _ABOVE[guard.comparison])

    def _apply_equality(self, target: ast.AST, source: ast.AST) -> None:
        """Narrow one side of an equality to the range of the other; `F = run(_,N)` takes N out of F."""
        if target.ast_type != ASTType.Function or not target.arguments:
            self._narrow(target, self.term_range(source))
        elif source.ast_type == ASTType.Variable and source.name in self.variable_ranges:
            for name in _matched_variables(target):
                self._intersect(name, self.variable_ranges[source.name]._replace(only_numbers=False))
        elif source.ast_type == ASTType.Function and len(source.arguments) == len(target.arguments):
            for argument, source_argument in zip(target.arguments, source.arguments, strict=True):
                self._apply_equality(argument, source_argument)

    def _apply_inequality(self, lower: ast.AST, upper: ast.AST, distance: int) -> None:
        low, high = self.term_range(lower), self.term_range(upper)
        if low.only_numbers and high.only_numbers and not low.numbers.is_empty and not high.numbers.is_empty:
            self._narrow(
                lower,
                TermRange(IntInterval(INT32_RANGE.low, high.numbers.high - distance), no_overflow=high.no_overflow),
            )
            self._narrow(
                upper, TermRange(IntInterval(low.numbers.low + distance, INT32_RANGE.high), no_overflow=low.no_overflow)
            )

    def _apply_assignment(self, aggregate: ast.AST) -> None:
        guard = aggregate.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            numbers, only_numbers = self.aggregate_range(aggregate)
            self._narrow(guard.term, TermRange(numbers & INT32_RANGE, only_numbers, no_overflow=numbers.fits_int32))

    def _narrow(self, term: ast.AST, value: TermRange) -> None:
        """Narrow the variables of a term that has this value, unless either may have wrapped around."""
        kind = term.ast_type
        if kind == ASTType.Variable:
            self._intersect(term.name, value if value.no_overflow else TermRange(INT32_RANGE, value.only_numbers))
        elif (
            kind == ASTType.BinaryOperation
            and value.no_overflow
            and (self._has_unbound(term) or self.term_range(term).no_overflow)
        ):
            self._invert_arithmetic(term, value.numbers)
        elif kind == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus and value.no_overflow:
            self._narrow(term.argument, TermRange(negate(value.numbers)))

    def _has_unbound(self, term: ast.AST) -> bool:
        """Return whether matching the term binds a variable, for which clingo then solves."""
        return any(name not in self.variable_ranges for name in variable_names(term))

    def _invert_arithmetic(self, term: ast.AST, numbers: IntInterval) -> None:
        if numbers.is_empty:
            return
        left, right = self.term_range(term.left).numbers, self.term_range(term.right).numbers
        operator = OPERATORS[term.operator_type]
        if operator == "+":
            self._narrow(term.left, TermRange(apply_binary("-", numbers, right)))
            self._narrow(term.right, TermRange(apply_binary("-", numbers, left)))
        elif operator == "-":
            self._narrow(term.left, TermRange(apply_binary("+", numbers, right)))
            self._narrow(term.right, TermRange(apply_binary("-", left, numbers)))
        elif operator == "*":
            for operand, factor in ((term.left, right), (term.right, left)):
                if factor.low == factor.high != 0:
                    self._narrow(operand, TermRange(exact_quotients(numbers, factor.low)))


def _is_positive(literal: ast.AST, kind: ASTType) -> bool:
    return bool(literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign and literal.atom.ast_type == kind)


def _matched_variables(term: ast.AST) -> Iterable[str]:
    """Yield the variables that matching a term binds without arithmetic."""
    if term.ast_type == ASTType.Variable and term.name != "_":
        yield term.name
    elif term.ast_type == ASTType.Function:
        for argument in term.arguments:
            yield from _matched_variables(argument)


def variable_names(term: ast.AST) -> Iterable[str]:
    """Yield all variables of a term, with repetitions."""
    if term.ast_type == ASTType.Variable:
        yield term.name
    for child in child_nodes(term):
        yield from variable_names(child)


def child_nodes(node: ast.AST) -> Iterable[ast.AST]:
    """Yield the direct children of a syntax node."""
    for key in node.child_keys:
        value = getattr(node, key)
        if isinstance(value, ast.AST):
            yield value
        elif value is not None:
            yield from value


def _max_distinct(value: TermRange) -> int:
    if value.max_distinct is not None:
        return value.max_distinct
    return max(value.numbers.high - value.numbers.low + 1, 0)


def _union(values: Sequence[TermRange]) -> TermRange:
    numbers = EMPTY_INTERVAL
    for value in values:
        numbers |= value.numbers
    return TermRange(numbers, all(value.only_numbers for value in values), all(value.no_overflow for value in values))
