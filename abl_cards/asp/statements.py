"""Collect the declarations and uses in the statements of a knowledge base, as input of the static checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.constant_terms import evaluate_constant
from abl_cards.asp.errors import Location
from abl_cards.asp.lexer import MAX_CACHED_TEXT
from abl_cards.asp.program import parse_sources
from abl_cards.asp.program_summary import Constraint, PredicateUse, ProgramSummary, merge_programs
from abl_cards.asp.sources import RuleSource, RuleSources
from abl_cards.asp.terms import Signature, Term
from abl_cards.core import ErrorCode, check_budget

CLINGO_REMEDY = "have clingo answer: kb solve, ClingoReasoner"
"""Remedy for rules without a circuit; see docs/how-to/rules-without-a-circuit.md."""
_REFUSED, _NO_CIRCUIT = ErrorCode.UNSUPPORTED_CONSTRUCT, ErrorCode.NO_CIRCUIT
UNSUPPORTED: dict[ASTType, tuple[str, str, ErrorCode]] = {
    ASTType.Script: ("#script is not supported", "write rules only", _REFUSED),
    ASTType.Minimize: (
        "#minimize, #maximize, weak constraints and @priorities are not supported",
        "derive cost(Name, Weight) instead",
        _REFUSED,
    ),
    ASTType.Edge: ("#edge is not supported", "write rules only", _REFUSED),
    ASTType.Heuristic: ("#heuristic is not supported", "remove it", _REFUSED),
    ASTType.ProjectAtom: ("#project is not supported", "remove it", _REFUSED),
    ASTType.ProjectSignature: ("#project is not supported", "remove it", _REFUSED),
    ASTType.TheoryDefinition: ("theories are not supported", "write rules only", _REFUSED),
    ASTType.TheoryAtom: ("theory atoms are not supported", "write rules only", _REFUSED),
    ASTType.Disjunction: (
        "disjunctions and conditional literals in heads have no circuit",
        f"write one rule for each head, or {CLINGO_REMEDY}",
        _NO_CIRCUIT,
    ),
    ASTType.Aggregate: ("choice rules have no circuit", f"make the atom an input, or {CLINGO_REMEDY}", _NO_CIRCUIT),
    ASTType.HeadAggregate: (
        "aggregates in heads have no circuit", f"make the atoms inputs, or {CLINGO_REMEDY}", _NO_CIRCUIT
    ),
}  # fmt: skip
"""Message, remedy and code for each construct that rule files may not use."""
VIOLATED = Signature("violated", 1)
"""Predicate that an integrity constraint derives in place of an empty head."""
OPEN_HEADS = {ASTType.Disjunction, ASTType.Aggregate, ASTType.HeadAggregate}
"""Heads without a circuit that clingo can solve."""
_NO_PATH = ""  # for texts whose path does not matter
_TOO_DEEP = ("terms or literals are nested too deeply", "take the statement apart", ErrorCode.NESTED_TOO_DEEPLY)
_ConstantValues = tuple[tuple[str, Term | None], ...]
"""Names and values of `#const` definitions."""


def summarise_statements(
    statements: Sequence[ast.AST], sources: RuleSources, overrides: Mapping[str, Term], open_heads: bool = False
) -> ProgramSummary:
    """Collect the declarations and uses in statements.

    Args:
        statements: Syntax trees of all files.
        sources: The files.
        overrides: Values of constants that replace those of `#const`.
        open_heads: Whether choices and disjunctions are allowed.

    Returns:
        The summary, with the errors found.
    """
    program = ProgramSummary(sources, open_heads)
    collect_constants(statements, program, overrides)
    collect_statements(statements, program)
    return program


def summarise_files(sources: RuleSources, overrides: Mapping[str, Term]) -> ProgramSummary:
    """Parse files and collect their declarations and uses; summaries of texts of usual length are cached.

    Args:
        sources: Files that passed `check_source_texts` and have no syntax errors.
        overrides: Values of constants that replace those of `#const`.

    Returns:
        The summary of all files, with the errors found.
    """
    whole = ProgramSummary(sources)
    trees = [_parse_text(source.text) for source in sources.files]
    for source, statements in zip(sources.files, trees, strict=True):  # locations refer to the file alone
        part = ProgramSummary(RuleSources((replace(source, line_offset=1),)), constants=whole.constants)
        collect_constants(statements, part, overrides)
        whole.problems += part.problems
    constants = tuple((name, value) for name, (_, value) in whole.constants.items())
    parts = (_summarise_source(*source_tree, constants) for source_tree in zip(sources.files, trees, strict=True))
    return merge_programs(parts, whole)


def _parse_text(text: str) -> Sequence[ast.AST]:
    return (_parse_tree_cached if len(text) <= MAX_CACHED_TEXT else _parse_tree)(text)


def _summarise_source(source: RuleSource, statements: Sequence[ast.AST], constants: _ConstantValues) -> ProgramSummary:
    if len(source.text) <= MAX_CACHED_TEXT:
        return _summarise_text_cached(source.text, constants).relocate(source.path)
    return _summarise_text(source.text, statements, constants).relocate(source.path)


def _parse_tree(text: str) -> tuple[ast.AST, ...]:
    return tuple(parse_sources(RuleSources((RuleSource(_NO_PATH, text, 1),)))[0])


_parse_tree_cached = lru_cache(maxsize=256)(_parse_tree)


@lru_cache(maxsize=256)
def _summarise_text_cached(text: str, constants: _ConstantValues) -> ProgramSummary:
    return _summarise_text(text, _parse_tree_cached(text), constants)


def _summarise_text(text: str, statements: Sequence[ast.AST], constants: _ConstantValues) -> ProgramSummary:
    nowhere = Location(_NO_PATH, 1, 1, 1, 1)
    program = ProgramSummary(RuleSources((RuleSource(_NO_PATH, text, 1),)))
    program.constants.update({name: (nowhere, value) for name, value in constants})
    collect_statements(statements, program)
    return program


def collect_statements(statements: Sequence[ast.AST], program: ProgramSummary) -> None:
    """Add the declarations and uses in statements to a summary that has the constants already."""
    for statement in statements:
        check_budget()
        try:
            _collect(statement, program)
        except RecursionError:
            program.add_error(statement, *_TOO_DEEP)


def collect_constants(statements: Sequence[ast.AST], program: ProgramSummary, overrides: Mapping[str, Term]) -> None:
    """Add the constants that ``#const`` defines to a summary."""
    for statement in statements:
        if statement.ast_type == ASTType.Definition:
            try:
                _constant(statement, program, overrides)
            except RecursionError:
                program.add_error(statement, *_TOO_DEEP)


def _collect(statement: ast.AST, program: ProgramSummary) -> None:
    handler = _HANDLERS.get(statement.ast_type)
    if handler is not None:
        handler(statement, program)
    elif statement.ast_type in UNSUPPORTED:
        program.add_error(statement, *UNSUPPORTED[statement.ast_type])


def _constant(statement: ast.AST, program: ProgramSummary, overrides: Mapping[str, Term]) -> None:
    if not statement.is_default:
        message = f"#const {statement.name} with [override]"
        program.add_error(statement, message, "change the existing #const instead", ErrorCode.INVALID_CONSTANT)
    value = overrides.get(statement.name, evaluate_constant(statement.value, program))
    program.constants.setdefault(statement.name, (program.sources.node_location(statement), value))


def _rule(statement: ast.AST, program: ProgramSummary) -> None:
    head, body = statement.head, list(statement.body)  # each access to a node is a call of clingo
    kind, heads, bodies = head.ast_type, len(program.heads), len(program.bodies)
    constraint = _is_constraint(head)
    if kind in OPEN_HEADS:
        _open_head(head, program)  # its predicates are known elsewhere
        if not program.open_heads:
            program.add_error(head, *UNSUPPORTED[kind])
    elif kind in UNSUPPORTED:
        program.add_error(head, *UNSUPPORTED[kind])
    elif constraint:
        location = program.sources.node_location(statement)
        program.constraints.append(Constraint(location, str(statement).replace("#false :-", ":-")))
    elif (atom := head.atom).ast_type == ASTType.SymbolicAtom and not head.sign:
        program.heads.extend(_uses(atom, program))
    else:
        program.add_error(head, f"'{head}' cannot be a head", "write an atom", _REFUSED)
    if not body and kind not in OPEN_HEADS:
        program.facts.extend(program.heads[heads:])
    for literal in body:
        _body(literal, program)
    if constraint and len(program.bodies) == bodies + 1:
        compared = (term for literal in body for term in _compared_terms(literal))
        values = {evaluate_constant(term, program) for term in compared}
        program.domain_checks[program.bodies[-1]] = {value for value in values if value is not None}
    reads = program.bodies[bodies:]
    needed = {use.signature for use in reads}
    if constraint:
        program.dependencies.setdefault(VIOLATED, set()).update(needed)
    for use in program.heads[heads:]:
        program.dependencies.setdefault(use.signature, set()).update(needed)
        program.reads.extend((use.signature, read) for read in reads)


def _open_head(head: ast.AST, program: ProgramSummary) -> None:
    """Collect the atoms of a choice or disjunction, and its conditions."""
    for element in head.elements:
        choice = element.condition if head.ast_type == ASTType.HeadAggregate else element
        if choice.literal.atom.ast_type == ASTType.SymbolicAtom and not choice.literal.sign:
            program.heads.extend(_uses(choice.literal.atom, program))
        else:
            _body(choice.literal, program)
        for literal in choice.condition:
            _body(literal, program)


def _is_constraint(head: ast.AST) -> bool:
    if head.ast_type != ASTType.Literal or head.atom.ast_type != ASTType.BooleanConstant:
        return False
    return bool(head.atom.value) == bool(head.sign % 2)


def _compared_terms(literal: ast.AST) -> list[ast.AST]:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return []
    return [literal.atom.term, *(guard.term for guard in literal.atom.guards)]


def _external(statement: ast.AST, program: ProgramSummary) -> None:
    program.externals.extend(_uses(statement.atom, program))
    if str(statement.external_type) != "false":
        remedy = "inputs are set by the engine: drop the annotation"
        program.add_error(statement, "an #external with a value", remedy, _REFUSED)
    for literal in statement.body:
        _body(literal, program)


def _show(statement: ast.AST, program: ProgramSummary) -> None:
    program.shown.setdefault(Signature(statement.name, statement.arity), program.sources.node_location(statement))


def _show_term(statement: ast.AST, program: ProgramSummary) -> None:
    for literal in statement.body:
        _body(literal, program)


def _defined(statement: ast.AST, program: ProgramSummary) -> None:
    program.defined.setdefault(Signature(statement.name, statement.arity), program.sources.node_location(statement))


def _program(statement: ast.AST, program: ProgramSummary) -> None:
    if statement.name != "base" or statement.parameters:
        remedy = "write everything in one program"
        program.add_error(statement, "#program parts are not supported", remedy, _REFUSED)


_HANDLERS = {
    ASTType.Rule: _rule,
    ASTType.External: _external,
    ASTType.ShowSignature: _show,
    ASTType.ShowTerm: _show_term,
    ASTType.Defined: _defined,
    ASTType.Program: _program,
}


def _body(node: ast.AST, program: ProgramSummary, negated: bool = False) -> None:
    """Collect the atoms of a body literal, also inside aggregates and conditions."""
    kind = node.ast_type
    if kind == ASTType.Literal:
        _body(node.atom, program, node.sign != ast.Sign.NoSign)
    elif kind == ASTType.SymbolicAtom:
        program.bodies.extend(_uses(node, program, negated))
    elif kind == ASTType.ConditionalLiteral:
        for literal in (node.literal, *node.condition):
            _body(literal, program)
    elif kind == ASTType.BodyAggregate:
        for element in node.elements:
            for literal in element.condition:
                _body(literal, program)
    elif kind == ASTType.Aggregate:
        for element in node.elements:
            _body(element, program)
    elif kind == ASTType.TheoryAtom:
        program.add_error(node, *UNSUPPORTED[node.ast_type])


def _uses(atom: ast.AST, program: ProgramSummary, negated: bool = False) -> Iterator[PredicateUse]:
    """Yield the predicates of an atom: several when it is a pool."""
    terms = [atom.symbol]
    for term in terms:
        kind = term.ast_type
        if kind == ASTType.Pool:
            terms.extend(term.arguments)
        elif kind == ASTType.UnaryOperation:
            remedy = "write 'not', or a predicate of its own"
            program.add_error(term, "classical negation is not supported", remedy, _REFUSED)
        elif kind == ASTType.Function:
            arguments = list(term.arguments)
            pattern = tuple(evaluate_constant(argument, program) for argument in arguments)
            signature = Signature(term.name, len(pattern))
            yield PredicateUse(
                signature, program.sources.node_location(term), pattern, negated, _first_functor(arguments)
            )
        elif kind == ASTType.SymbolicTerm:
            yield PredicateUse(Signature(term.symbol.name, 0), program.sources.node_location(term), (), negated)


def _first_functor(arguments: Sequence[ast.AST]) -> str:
    return str(arguments[0]).partition("(")[0] if arguments else ""
