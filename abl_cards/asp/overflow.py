"""Arithmetic that passes 32 bits: clingo cuts its numbers without a word, so such rules are refused.

Each operation is computed in exact ranges: those of the ground atoms that bind its variables, narrowed by comparisons.
If none of them passes 32 bits, nothing can have wrapped. The reverse does not hold: X*Y is refused when X and Y can be
large, even if they are never large together.
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
from abl_cards.asp.program import RuleSources
from abl_cards.asp.terms import Term

_ARITHMETIC = re.compile(r"[-+*/\\&?^~|]|#sum")
_NO_ARITHMETIC = re.compile(r'"(?:\\.|[^"\\])*"| :- ')  # strings, and what stands between a head and its body
_UNARY = {
    ast.UnaryOperator.Minus: negate,
    ast.UnaryOperator.Negation: bitwise_complement,
    ast.UnaryOperator.Absolute: absolute_value,
}


def find_overflows(
    statements: Sequence[ast.AST], sources: RuleSources, ground: GroundProgram, overrides: Mapping[str, Term]
) -> list[Diagnostic]:
    """What may pass 32 bits; the places are those of the innermost operations."""
    check = _OverflowChecker(sources, ArgumentDomains(ground.atoms), _constants(statements, overrides))
    for statement in statements:
        if _ARITHMETIC.search(_NO_ARITHMETIC.sub("", str(statement))):
            check.check_statement(statement)
    return check.diagnostics or list(_check_sums(ground))


def _constants(statements: Sequence[ast.AST], overrides: Mapping[str, Term]) -> dict[str, TermRange]:
    """What the constants stand for; they may be defined by others that come later."""
    definitions = {each.name: each.value for each in statements if each.ast_type == ASTType.Definition}
    values: dict[str, TermRange] = {
        name: TermRange(singleton(value), max_distinct=1) for name, value in overrides.items() if isinstance(value, int)
    }
    for _ in definitions:
        before = dict(values)
        scope = VariableScope(ArgumentDomains(()), values)
        values = {
            name: values[name] if name in overrides else scope.term_range(term) for name, term in definitions.items()
        }
        if values == before:
            break
    return values


class _OverflowChecker:
    """Goes through statements and notes what may overflow."""

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
        before = len(self.diagnostics)
        for child in child_nodes(node):
            self._visit(child, scope)
        if len(self.diagnostics) > before:
            return  # the innermost says it all
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
        what = "a sum" if node.ast_type == ASTType.BodyAggregate else str(node)[:60]
        remedy = "numbers have 32 bits" if verb == "is" else "numbers have 32 bits: use smaller ones, or bound them"
        value = str(extreme) if abs(extreme) < 10**15 else "far"
        self.diagnostics.append(make_error(self.sources.node_location(node), f"{what} {verb} {value}, {bound}", remedy))


def _check_sums(ground: GroundProgram) -> Iterator[Diagnostic]:
    """Sums that are as large when they are ground, for whatever reason."""
    for rule, kind in enumerate(ground.kinds):
        if kind == WEIGHTED:
            total = sum(map(abs, ground.weights[ground.starts[rule] : ground.starts[rule + 1]]))
            if total > INT32_MAX:
                yield make_error(
                    None, f"the weights of a sum add up to {total}, more than {INT32_MAX}", "use smaller weights"
                )
                return
