"""What the arguments of predicates stand for: a rank, a suit, a number of cards.

The rules hand their variables on, so it is enough to know a few predicates: from `held/2` speaking of a rank follows
that `break_bomb(R)` does, where R is also the rank of a `held(R,4)`. Only words for people depend on this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.build import Limits
from abl_cards.asp.program import read_statements
from abl_cards.asp.terms import Signature

ArgumentTypes = Mapping[Signature, tuple[str | None, ...]]
"""For a predicate or a function of the rule files the sort of each argument; None where there is nothing to say."""

ArgumentPosition = tuple[Signature, int]
"""An argument of a predicate or a function."""


class _RuleVariables(NamedTuple):
    """Where the variables of a rule stand."""

    head: list[tuple[str, ArgumentPosition]]
    body: list[tuple[str, ArgumentPosition]]
    equal_variables: list[tuple[str, str]]  # variables that are compared with each other


def infer_argument_types(
    files: Sequence[Path], known_types: ArgumentTypes, library: Sequence[Path] = ()
) -> dict[ArgumentPosition, str]:
    """The sort of each argument, as far as the rules hand on what is known; where two differ, the first is kept."""
    statements = read_statements(files, Limits().file_bytes, library)
    rules = [_read_rule(statement) for statement in statements if statement.ast_type == ASTType.Rule]
    sorts = {
        (signature, number): sort
        for signature, names in known_types.items()
        for number, sort in enumerate(names)
        if sort is not None
    }
    fixed = {(signature, number) for signature, names in known_types.items() for number in range(len(names))}
    size = -1
    while size != len(sorts):
        size = len(sorts)
        for rule in rules:
            _propagate_types(rule, sorts, fixed)
    return sorts


def _propagate_types(rule: _RuleVariables, sorts: dict[ArgumentPosition, str], fixed: set[ArgumentPosition]) -> None:
    of: dict[str, str] = {}
    for variable, place in rule.body:
        if place in sorts:
            of.setdefault(variable, sorts[place])
    for _ in rule.equal_variables:
        for first, second in rule.equal_variables:
            if first in of:
                of.setdefault(second, of[first])
            elif second in of:
                of[first] = of[second]
    for variable, place in rule.head:
        if variable in of and place not in fixed:
            sorts.setdefault(place, of[variable])


def _read_rule(statement: ast.AST) -> _RuleVariables:
    body = [pair for literal in statement.body for atom in _atoms(literal) for pair in _variables(atom.symbol)]
    links = [pair for literal in statement.body for pair in _compared_variables(literal)]
    return _RuleVariables([pair for atom in _atoms(statement.head) for pair in _variables(atom.symbol)], body, links)


def _atoms(node: ast.AST) -> Iterator[ast.AST]:
    """The atoms beneath a node, also in aggregates and conditions."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield node
        return
    for child in _children(node):
        yield from _atoms(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for key in node.child_keys:
        value = getattr(node, key)
        if isinstance(value, ast.AST):
            yield value
        elif value is not None:
            yield from value


def _variables(term: ast.AST, place: ArgumentPosition | None = None) -> Iterator[tuple[str, ArgumentPosition]]:
    """Each variable of a term that is an argument by itself, and the argument."""
    if term.ast_type == ASTType.Variable and place is not None and term.name != "_":
        yield term.name, place
    elif term.ast_type == ASTType.Function:
        signature = Signature(term.name, len(term.arguments))
        for number, argument in enumerate(term.arguments):
            yield from _variables(argument, (signature, number))


def _compared_variables(literal: ast.AST) -> Iterator[tuple[str, str]]:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return
    comparison = literal.atom
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    names = [term.name for term in terms if term.ast_type == ASTType.Variable]
    yield from pairwise(names)
