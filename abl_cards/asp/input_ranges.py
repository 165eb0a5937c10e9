"""Find input literals whose arguments, known only after grounding, never lie in the declared range.

clingo silently drops a rule instance with an undeclared input, such as `held(4,9)`. So for every rule with an input
literal whose variables the static part of the body binds, a shadow rule collects the arguments:

    playable(F) :- needs(F,R,N), held(R,N).     _asked(0,R,N) :- needs(F,R,N).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.errors import Diagnostic, Location, make_error
from abl_cards.asp.program_summary import ProgramSummary
from abl_cards.asp.sources import RuleSources
from abl_cards.asp.terms import Atom, Input, Signature, Term
from abl_cards.core import ErrorCode

SHADOW_PREDICATE = "_asked"  # the predicate of the shadow rules
_VARIABLE = re.compile(r'"[^"]*"|\b_*[A-Z]\w*')
_BLANK = re.compile(r"(?<![\w'])_(?![\w'])")


@dataclass(frozen=True)
class ShadowRule:
    """Input literal, and the text of the rule that collects its arguments."""

    location: Location
    name: str
    is_negated: bool
    rule: str


def make_shadow_rules(
    statements: Sequence[ast.AST], program: ProgramSummary, inputs: Sequence[Input]
) -> list[ShadowRule]:
    """Make the shadow rules of a program.

    Args:
        statements: Syntax trees of all files.
        program: Summary of the statements.
        inputs: Inputs that the engine supplies.

    Returns:
        The shadow rules; the first argument of a rule's head is its index.
    """
    declared = {declaration.signature for declaration in inputs}
    dynamic = _dynamic(program, declared)
    shadow_rules: list[ShadowRule] = []
    for statement in statements:
        if statement.ast_type == ASTType.Rule and statement.body:
            signatures = [(literal, _signature(literal)) for literal in statement.body]
            input_literals = [literal for literal, signature in signatures if signature in declared]
            if not input_literals:
                continue
            static = [
                literal
                for literal, signature in signatures
                if signature and signature not in dynamic and literal.sign == ast.Sign.NoSign
            ]
            if static:
                shadow_rules.extend(
                    _make_shadows(statement, input_literals, static, len(shadow_rules), program.sources)
                )
    return shadow_rules


def _make_shadows(
    statement: ast.AST, input_literals: Sequence[ast.AST], static: Sequence[ast.AST], index: int, sources: RuleSources
) -> Iterator[ShadowRule]:
    bound = {name for literal in static for name in _bound_variables(literal.atom.symbol.arguments)}
    tests = [
        literal
        for literal in statement.body
        if literal.ast_type == ASTType.Literal
        and literal.atom.ast_type == ASTType.Comparison
        and _variables(str(literal)) <= bound
    ]
    body = "; ".join(str(literal) for literal in (*static, *tests))
    for literal in input_literals:
        function = literal.atom.symbol
        text = ",".join(map(str, function.arguments))
        names = _variables(text)
        if names and names <= bound and not _BLANK.search(text):
            rule = f"{SHADOW_PREDICATE}({index},{text}) :- {body}."
            is_negated = literal.sign == ast.Sign.Negation
            yield ShadowRule(sources.node_location(function), function.name, is_negated, rule)
            index += 1


def _signature(literal: ast.AST) -> Signature | None:
    """Return the signature of a literal of an atom; None for other literals. Each attribute of a tree takes long."""
    if literal.ast_type != ASTType.Literal:
        return None
    atom = literal.atom
    if atom.ast_type != ASTType.SymbolicAtom:
        return None
    function = atom.symbol
    is_function = function.ast_type == ASTType.Function
    return Signature(function.name, len(function.arguments)) if is_function else None


def _dynamic(program: ProgramSummary, declared: set[Signature]) -> set[Signature]:
    """Return the predicates that depend on inputs."""
    dynamic = set(declared)
    size = -1
    while size != len(dynamic):
        size = len(dynamic)
        dynamic |= {head for head, bodies in program.dependencies.items() if bodies & dynamic}
    return dynamic


def _bound_variables(terms: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the variables that matching these terms binds."""
    for term in terms:
        if term.ast_type == ASTType.Variable:
            yield term.name
        elif term.ast_type == ASTType.Function:
            yield from _bound_variables(term.arguments)


def _variables(text: str) -> set[str]:
    return {name for name in _VARIABLE.findall(text) if not name.startswith('"')}


def find_out_of_range(
    shadow_rules: Sequence[ShadowRule], shadow_atoms: Iterable[Atom], ground_atoms: set[Atom]
) -> Iterator[Diagnostic]:
    """Find literals that never match a declared instance; in joins, literals that match sometimes are usual.

    Args:
        shadow_rules: The shadow rules that were ground.
        shadow_atoms: The ground atoms of their heads.
        ground_atoms: All other ground atoms.

    Yields:
        Errors with the locations of the literals.
    """
    arguments: dict[int, list[tuple[Term, ...]]] = {}
    for _, (index, *args) in shadow_atoms:
        arguments.setdefault(int(index), []).append(tuple(args))
    for index, instances in arguments.items():
        shadow = shadow_rules[index]
        atoms = [Atom(shadow.name, args) for args in instances]
        if not ground_atoms.intersection(atoms):
            examples = ", ".join(map(str, atoms[:3])) + (", …" if len(atoms) > 3 else "")
            effect = "'not' always holds" if shadow.is_negated else "the rule never fires"
            message = f"{examples}: outside of the declared range, so {effect}"
            remedy = "check the arguments against its #external"
            yield make_error(shadow.location, message, remedy, ErrorCode.INPUT_OUT_OF_RANGE)
