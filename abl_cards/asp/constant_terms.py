"""Terms whose value is known without grounding: numbers, constants and arithmetic of both."""

from __future__ import annotations

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.program_summary import ProgramSummary
from abl_cards.asp.terms import Term


def evaluate_constant(term: ast.AST, program: ProgramSummary) -> Term | None:
    """Evaluate a term without variables.

    Args:
        term: Syntax node of a term.
        program: Summary with the values of the constants.

    Returns:
        The value of a constant, of `+`, `-` and `*` on numbers, or of a function of such values; None for any other
        term.
    """
    kind = term.ast_type  # each access to a node is a call of clingo
    if kind == ASTType.Variable:
        return None
    if kind == ASTType.SymbolicTerm:
        symbol = term.symbol
        text = str(symbol)
        definition = program.constants.get(text)
        return definition[1] if definition else symbol.number if symbol.type.name == "Number" else text
    if kind == ASTType.Function and not term.external and term.name:
        return _function(term, program)
    if kind == ASTType.UnaryOperation and term.operator_type == ast.UnaryOperator.Minus:
        value = evaluate_constant(term.argument, program)
        return -value if isinstance(value, int) else None
    return _arithmetic(term, program) if kind == ASTType.BinaryOperation else None


def _function(term: ast.AST, program: ProgramSummary) -> Term | None:
    definition = None if term.arguments else program.constants.get(term.name)
    if definition or not term.arguments:
        return definition[1] if definition else str(term.name)
    values = [evaluate_constant(argument, program) for argument in term.arguments]
    return None if None in values else f"{term.name}({','.join(map(str, values))})"


def _arithmetic(term: ast.AST, program: ProgramSummary) -> int | None:
    left, right = evaluate_constant(term.left, program), evaluate_constant(term.right, program)
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if term.operator_type == ast.BinaryOperator.Plus:
        return left + right
    if term.operator_type == ast.BinaryOperator.Minus:
        return left - right
    return left * right if term.operator_type == ast.BinaryOperator.Multiplication else None
