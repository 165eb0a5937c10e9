"""Infer the types of arguments of predicates, such as a rank, a suit or a number of cards.

Variables of rules propagate the types of a few known predicates. The first argument of `held/2` is a rank, so that of
`break_bomb(R)` is a rank if its rule has `held(R,4)` in the body. Only generated sentences depend on these types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.build import Limits
from abl_cards.asp.domains import child_nodes
from abl_cards.asp.program import read_statements
from abl_cards.asp.terms import Signature

ArgumentTypes = Mapping[Signature, tuple[str | None, ...]]
"""Type of each argument of predicates and functions of the rule files; None where it is not known."""

ArgumentPosition = tuple[Signature, int]
"""An argument of a predicate or a function: its signature and its index."""


class _RuleVariables(NamedTuple):
    """Positions of the variables of a rule."""

    head: list[tuple[str, ArgumentPosition]]
    body: list[tuple[str, ArgumentPosition]]
    equal_variables: list[tuple[str, str]]  # pairs of variables that are compared


def infer_argument_types(
    files: Sequence[str | Path], known_types: ArgumentTypes, library: Sequence[str | Path] = ()
) -> dict[ArgumentPosition, str]:
    """Infer the types of arguments from those of known predicates.

    Args:
        files: Rule files that passed all checks.
        known_types: Types of the arguments of some predicates and functions.
        library: Folders of common files.

    Returns:
        The type of each argument that has one; where rules imply different ones, the first.
    """
    statements = read_statements(files, Limits().file_bytes, library)
    rules = [_read_rule(statement) for statement in statements if statement.ast_type == ASTType.Rule]
    types = {
        (signature, index): type_name
        for signature, names in known_types.items()
        for index, type_name in enumerate(names)
        if type_name is not None
    }
    fixed = {(signature, index) for signature, names in known_types.items() for index in range(len(names))}
    size = -1
    while size != len(types):
        size = len(types)
        for rule in rules:
            _propagate_types(rule, types, fixed)
    return types


def _propagate_types(rule: _RuleVariables, types: dict[ArgumentPosition, str], fixed: set[ArgumentPosition]) -> None:
    variable_types: dict[str, str] = {}
    for variable, position in rule.body:
        if position in types:
            variable_types.setdefault(variable, types[position])
    for _ in rule.equal_variables:
        for first, second in rule.equal_variables:
            if first in variable_types:
                variable_types.setdefault(second, variable_types[first])
            elif second in variable_types:
                variable_types[first] = variable_types[second]
    for variable, position in rule.head:
        if variable in variable_types and position not in fixed:
            types.setdefault(position, variable_types[variable])


def _read_rule(statement: ast.AST) -> _RuleVariables:
    body = [pair for literal in statement.body for atom in _atoms(literal) for pair in _variables(atom.symbol)]
    links = [pair for literal in statement.body for pair in _compared_variables(literal)]
    return _RuleVariables([pair for atom in _atoms(statement.head) for pair in _variables(atom.symbol)], body, links)


def _atoms(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the atoms beneath a node, also those in aggregates and conditions."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield node
        return
    for child in child_nodes(node):
        yield from _atoms(child)


def _variables(term: ast.AST, position: ArgumentPosition | None = None) -> Iterator[tuple[str, ArgumentPosition]]:
    """Yield each variable that is an argument by itself, with its position."""
    if term.ast_type == ASTType.Variable and position is not None and term.name != "_":
        yield term.name, position
    elif term.ast_type == ASTType.Function:
        signature = Signature(term.name, len(term.arguments))
        for index, argument in enumerate(term.arguments):
            yield from _variables(argument, (signature, index))


def _compared_variables(literal: ast.AST) -> Iterator[tuple[str, str]]:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return
    comparison = literal.atom
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    names = [term.name for term in terms if term.ast_type == ASTType.Variable]
    yield from pairwise(names)
