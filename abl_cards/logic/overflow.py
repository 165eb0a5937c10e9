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

from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.ground import WEIGHTED, GroundProgram
from abl_cards.logic.intervals import INT32_MAX, INT32_MIN, Interval, absolute, binary, complement, negated, point
from abl_cards.logic.program import Sources
from abl_cards.logic.scope import OPERATORS, Domains, Scope, Value, children
from abl_cards.logic.terms import Term

_ARITHMETIC = re.compile(r"[-+*/\\&?^~|]|#sum")
_NO_ARITHMETIC = re.compile(r'"(?:\\.|[^"\\])*"| :- ')  # strings, and what stands between a head and its body
_UNARY = {
    ast.UnaryOperator.Minus: negated,
    ast.UnaryOperator.Negation: complement,
    ast.UnaryOperator.Absolute: absolute,
}


def overflows(
    statements: Sequence[ast.AST], sources: Sources, ground: GroundProgram, overrides: Mapping[str, Term]
) -> list[Diagnostic]:
    """What may pass 32 bits; the places are those of the innermost operations."""
    check = _Check(sources, Domains(ground.atoms), _constants(statements, overrides))
    for statement in statements:
        if _ARITHMETIC.search(_NO_ARITHMETIC.sub("", str(statement))):
            check.statement(statement)
    return check.found or list(_sums(ground))


def _constants(statements: Sequence[ast.AST], overrides: Mapping[str, Term]) -> dict[str, Value]:
    """What the constants stand for; they may be defined by others that come later."""
    definitions = {each.name: each.value for each in statements if each.ast_type == ASTType.Definition}
    values: dict[str, Value] = {
        name: Value(point(value), terms=1) for name, value in overrides.items() if isinstance(value, int)
    }
    for _ in definitions:
        before = dict(values)
        scope = Scope(Domains(()), values)
        values = {name: values[name] if name in overrides else scope.value(term) for name, term in definitions.items()}
        if values == before:
            break
    return values


class _Check:
    """Goes through statements and notes what may overflow."""

    def __init__(self, sources: Sources, domains: Domains, constants: Mapping[str, Value]) -> None:
        self.sources, self.outermost = sources, Scope(domains, constants)
        self.found: list[Diagnostic] = []

    def statement(self, statement: ast.AST) -> None:
        body = list(statement.body) if "body" in statement.child_keys else []
        scope = self.outermost.inner(body)
        for child in children(statement):
            self._visit(child, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        kind = node.ast_type
        if kind in (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement):
            scope = scope.inner(node.condition)
        before = len(self.found)
        for child in children(node):
            self._visit(child, scope)
        if len(self.found) > before:
            return  # the innermost says it all
        if kind == ASTType.BinaryOperation:
            left, right = scope.value(node.left).numbers, scope.value(node.right).numbers
            self._judge(node, binary(OPERATORS[node.operator_type], left, right))
        elif kind == ASTType.UnaryOperation:
            inner = scope.value(node.argument).numbers
            if not inner.empty:
                self._judge(node, _UNARY[node.operator_type](inner))
        elif kind == ASTType.BodyAggregate:
            self._judge(node, scope.result(node)[0])

    def _judge(self, node: ast.AST, result: Interval) -> None:
        if result.fits:
            return
        extreme = result.high if result.high > INT32_MAX else result.low
        verb = "is" if result.low == result.high else "can be"
        bound = f"more than {INT32_MAX}" if extreme > 0 else f"less than {INT32_MIN}"
        what = "a sum" if node.ast_type == ASTType.BodyAggregate else str(node)[:60]
        remedy = "numbers have 32 bits" if verb == "is" else "numbers have 32 bits: use smaller ones, or bound them"
        value = str(extreme) if abs(extreme) < 10**15 else "far"
        self.found.append(error(self.sources.location_of(node), f"{what} {verb} {value}, {bound}", remedy))


def _sums(ground: GroundProgram) -> Iterator[Diagnostic]:
    """Sums that are as large when they are ground, for whatever reason."""
    for rule, kind in enumerate(ground.kinds):
        if kind == WEIGHTED:
            total = sum(map(abs, ground.weights[ground.starts[rule] : ground.starts[rule + 1]]))
            if total > INT32_MAX:
                yield error(
                    None, f"the weights of a sum add up to {total}, more than {INT32_MAX}", "use smaller weights"
                )
                return
