"""Find arithmetic beyond 32 bits: clingo wraps such numbers around silently, so these rules are refused.

Each operation is computed in exact intervals: those of the ground atoms that bind its variables, narrowed by
comparisons. If none of them exceeds 32 bits, no operation overflows. The reverse does not hold: X*Y is rejected when X
and Y can be large, even if they are never large together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.domains import OPERATORS, ArgumentDomains, TermRange, VariableScope, child_nodes
from abl_cards.asp.errors import Diagnostic, make_error
from abl_cards.asp.ground_program import WEIGHTED, GroundProgram
from abl_cards.asp.intervals import (
    INT32_MAX,
    INT32_MIN,
    IntInterval,
    absolute_value,
    apply_binary,
    bitwise_complement,
    negate,
    singleton,
)
from abl_cards.asp.sources import RuleSources
from abl_cards.asp.terms import Term
from abl_cards.core import ErrorCode

_ARITHMETIC = re.compile(r"[-+*/\\&?^~|]|#sum")
_NO_ARITHMETIC = re.compile(r'"(?:\\.|[^"\\])*"| :- ')  # strings, and the arrow between head and body
_UNARY = {
    ast.UnaryOperator.Minus: negate,
    ast.UnaryOperator.Negation: bitwise_complement,
    ast.UnaryOperator.Absolute: absolute_value,
}


def find_overflows(
    statements: Sequence[ast.AST], sources: RuleSources, ground: GroundProgram, overrides: Mapping[str, Term]
) -> list[Diagnostic]:
    """Find operations whose results may exceed 32 bits.

    Args:
        statements: Syntax trees of all files.
        sources: The files, for the locations.
        ground: The ground program, for the ranges of variables.
        overrides: Values of constants that replace those of `#const`.

    Returns:
        Errors with the locations of the innermost operations.
    """
    check = _OverflowChecker(sources, ArgumentDomains(ground.atoms), _constants(statements, overrides))
    for statement in statements:
        if _ARITHMETIC.search(_NO_ARITHMETIC.sub("", str(statement))):
            check.check_statement(statement)
    return check.diagnostics or list(_check_sums(ground))


def _constants(statements: Sequence[ast.AST], overrides: Mapping[str, Term]) -> dict[str, TermRange]:
    """Evaluate the constants; their definitions may use later ones."""
    definitions = {
        statement.name: statement.value for statement in statements if statement.ast_type == ASTType.Definition
    }
    values: dict[str, TermRange] = {
        name: TermRange(singleton(value), max_distinct=1) for name, value in overrides.items() if isinstance(value, int)
    }
    for _ in definitions:
        previous = dict(values)
        scope = VariableScope(ArgumentDomains(()), values)
        values = {
            name: values[name] if name in overrides else scope.term_range(term) for name, term in definitions.items()
        }
        if values == previous:
            break
    return values


class _OverflowChecker:
    """Collects the operations of statements that may overflow."""

    def __init__(self, sources: RuleSources, domains: ArgumentDomains, constants: Mapping[str, TermRange]) -> None:
        self.sources, self.outer_scope = sources, VariableScope(domains, constants)
        self.diagnostics: list[Diagnostic] = []

    def check_statement(self, statement: ast.AST) -> None:
        body = list(statement.body) if "body" in statement.child_keys else []
        scope = self.outer_scope.nested(body)
        for child in child_nodes(statement):
            self._visit(child, scope)

    def _visit(self, node: ast.AST, scope: VariableScope) -> None:
        kind = node.ast_type
        if kind in (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement):
            scope = scope.nested(node.condition)
        num_diagnostics = len(self.diagnostics)
        for child in child_nodes(node):
            self._visit(child, scope)
        if len(self.diagnostics) > num_diagnostics:
            return  # the innermost operation is enough
        if kind == ASTType.BinaryOperation:
            left, right = scope.term_range(node.left).numbers, scope.term_range(node.right).numbers
            self._check_result(node, apply_binary(OPERATORS[node.operator_type], left, right))
        elif kind == ASTType.UnaryOperation:
            inner = scope.term_range(node.argument).numbers
            if not inner.is_empty:
                self._check_result(node, _UNARY[node.operator_type](inner))
        elif kind == ASTType.BodyAggregate:
            self._check_result(node, scope.aggregate_range(node)[0])

    def _check_result(self, node: ast.AST, result: IntInterval) -> None:
        if result.fits_int32:
            return
        extreme = result.high if result.high > INT32_MAX else result.low
        verb = "is" if result.low == result.high else "can be"
        bound = f"more than {INT32_MAX}" if extreme > 0 else f"less than {INT32_MIN}"
        description = "a sum" if node.ast_type == ASTType.BodyAggregate else str(node)[:60]
        remedy = "numbers have 32 bits" if verb == "is" else "numbers have 32 bits: use smaller ones, or bound them"
        shown_extreme = str(extreme) if abs(extreme) < 10**15 else "far"
        message = f"{description} {verb} {shown_extreme}, {bound}"
        location = self.sources.node_location(node)
        self.diagnostics.append(make_error(location, message, remedy, ErrorCode.INTEGER_OVERFLOW))


def _check_sums(ground: GroundProgram) -> Iterator[Diagnostic]:
    """Find the first ground sum whose weights add up to more than 32 bits."""
    for rule, kind in enumerate(ground.kinds):
        if kind == WEIGHTED:
            total = sum(map(abs, ground.weights[ground.starts[rule] : ground.starts[rule + 1]]))
            if total > INT32_MAX:
                message = f"the weights of a sum add up to {total}, more than {INT32_MAX}"
                yield make_error(None, message, "use smaller weights", ErrorCode.INTEGER_OVERFLOW)
                return
