"""What the statements of a knowledge base declare and use: the facts that the static checks are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.errors import Diagnostic, Location, make_error
from abl_cards.asp.lexer import MAX_CACHED_TEXT
from abl_cards.asp.program import RuleSource, RuleSources, parse_sources
from abl_cards.asp.terms import Signature, Term
from abl_cards.core import check_budget

CLINGO_REMEDY = "have clingo answer: kb solve, ClingoReasoner"
"""What to do where rules have no circuit: docs/how-to/rules-without-a-circuit.md."""

UNSUPPORTED: dict[ASTType, tuple[str, str]] = {
    ASTType.Script: ("#script is not supported", "write rules only"),
    ASTType.Minimize: (
        "#minimize, #maximize, weak constraints and @priorities are not supported",
        "derive cost(Name, Weight) instead",
    ),
    ASTType.Edge: ("#edge is not supported", "write rules only"),
    ASTType.Heuristic: ("#heuristic is not supported", "remove it"),
    ASTType.ProjectAtom: ("#project is not supported", "remove it"),
    ASTType.ProjectSignature: ("#project is not supported", "remove it"),
    ASTType.TheoryDefinition: ("theories are not supported", "write rules only"),
    ASTType.TheoryAtom: ("theory atoms are not supported", "write rules only"),
    ASTType.Disjunction: (
        "disjunctions and conditional literals in heads have no circuit",
        f"write one rule for each head, or {CLINGO_REMEDY}",
    ),
    ASTType.Aggregate: ("choice rules have no circuit", f"make the atom an input, or {CLINGO_REMEDY}"),
    ASTType.HeadAggregate: ("aggregates in heads have no circuit", f"make the atoms inputs, or {CLINGO_REMEDY}"),
}

VIOLATED = Signature("violated", 1)
"""What an integrity constraint derives."""

OPEN_HEADS = {ASTType.Disjunction, ASTType.Aggregate, ASTType.HeadAggregate}
"""Heads that have no circuit, and that clingo answers all the same."""


_NO_PATH = ""  # where a text lies of which it does not matter
_TOO_DEEP = ("terms or literals are nested too deeply", "take the statement apart")


@dataclass(frozen=True)
class PredicateUse:
    """One occurrence of a predicate; `pattern` holds its constant arguments, None where a variable is."""

    signature: Signature
    location: Location
    pattern: tuple[Term | None, ...]
    negated: bool = False
    functor: str = ""  # of the first argument


@dataclass(frozen=True)
class Constraint:
    """An integrity constraint; its index among the constraints is the K of `violated(K)`."""

    location: Location
    text: str


_ConstantValues = tuple[tuple[str, Term | None], ...]
"""What `#const` names stand for."""
_LocatedT = TypeVar("_LocatedT", Constraint, Diagnostic)


@dataclass
class ProgramSummary:
    """Everything the checks need to know about the statements, collected in one walk."""

    sources: RuleSources
    open_heads: bool = False  # clingo answers: choices and disjunctions are no problem
    heads: list[PredicateUse] = field(default_factory=list)
    facts: list[PredicateUse] = field(default_factory=list)  # the heads of rules without a body, again
    bodies: list[PredicateUse] = field(default_factory=list)
    domain_checks: dict[PredicateUse, set[Term]] = field(
        default_factory=dict
    )  # atoms alone in a constraint, and what it compares with
    externals: list[PredicateUse] = field(default_factory=list)
    shown: set[Signature] = field(default_factory=set)
    defined: set[Signature] = field(default_factory=set)
    constants: dict[str, tuple[Location, Term | None]] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    dependencies: dict[Signature, set[Signature]] = field(default_factory=dict)  # of a head on the bodies of its rules
    reads: list[tuple[Signature, PredicateUse]] = field(
        default_factory=list
    )  # the head of a rule, and what its body reads
    problems: list[Diagnostic] = field(default_factory=list)

    def reachable_predicates(self, outputs: Iterable[Signature]) -> set[Signature]:
        """The predicates on the way to some outputs, these among them."""
        reached = set(outputs)
        waiting = list(reached)
        for output in waiting:
            for other in self.dependencies.get(output, set()) - reached:
                reached.add(other)
                waiting.append(other)
        return reached

    def relocate(self, path: str) -> ProgramSummary:
        """What the same text says in a file at this path; constants belong to no file."""
        moved: dict[int, PredicateUse] = {}

        def use(found: PredicateUse) -> PredicateUse:
            if id(found) not in moved:
                location = replace(found.location, file=path)
                moved[id(found)] = PredicateUse(found.signature, location, found.pattern, found.negated, found.functor)
            return moved[id(found)]

        def there(found: _LocatedT) -> _LocatedT:
            return replace(found, location=found.location and replace(found.location, file=path))

        return replace(
            self,
            sources=RuleSources(tuple(replace(source, path=path) for source in self.sources.files)),
            heads=list(map(use, self.heads)),
            facts=list(map(use, self.facts)),
            bodies=list(map(use, self.bodies)),
            externals=list(map(use, self.externals)),
            domain_checks={use(found): values for found, values in self.domain_checks.items()},
            constraints=list(map(there, self.constraints)),
            reads=[(head, use(read)) for head, read in self.reads],
            problems=list(map(there, self.problems)),
        )

    def add_error(self, node: ast.AST, message: str, remedy: str) -> None:
        """Note what is wrong with a syntax node."""
        self.problems.append(make_error(self.sources.node_location(node), message, remedy))


def summarise_statements(
    statements: Sequence[ast.AST], sources: RuleSources, overrides: Mapping[str, Term], open_heads: bool = False
) -> ProgramSummary:
    """Walk over the statements once; where clingo is to answer, heads may leave open what holds."""
    program = ProgramSummary(sources, open_heads)
    collect_constants(statements, program, overrides)
    collect_statements(statements, program)
    return program


def summarise_files(sources: RuleSources, overrides: Mapping[str, Term]) -> ProgramSummary:
    """The same of whole files; those of usual length are walked over once, wherever they are found again."""
    whole = ProgramSummary(sources)
    trees = [_parse_text(source.text) for source in sources.files]
    for source, statements in zip(sources.files, trees, strict=True):  # a place is one of its own file
        part = ProgramSummary(RuleSources((replace(source, line_offset=1),)), constants=whole.constants)
        collect_constants(statements, part, overrides)
        whole.problems += part.problems
    known = tuple((name, value) for name, (_, value) in whole.constants.items())
    found = (_summarise_source(*each, known) for each in zip(sources.files, trees, strict=True))
    return merge_programs(found, whole)


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
    """Add what statements declare and use; the constants are known by then."""
    for statement in statements:
        check_budget()
        try:
            _collect(statement, program)
        except RecursionError:
            program.add_error(statement, *_TOO_DEEP)


def collect_constants(statements: Sequence[ast.AST], program: ProgramSummary, overrides: Mapping[str, Term]) -> None:
    """Add what ``#const`` declares."""
    for statement in statements:
        if statement.ast_type == ASTType.Definition:
            try:
                _constant(statement, program, overrides)
            except RecursionError:
                program.add_error(statement, *_TOO_DEEP)


def merge_programs(parts: Iterable[ProgramSummary], into: ProgramSummary) -> ProgramSummary:
    """One program of its parts, beside the constants that it has already."""
    for part in parts:
        for name in ("heads", "facts", "bodies", "externals", "constraints", "reads", "problems"):
            getattr(into, name).extend(getattr(part, name))
        into.domain_checks.update(part.domain_checks)
        into.shown |= part.shown
        into.defined |= part.defined
        for head, read in part.dependencies.items():
            into.dependencies.setdefault(head, set()).update(read)
    return into


def _collect(statement: ast.AST, program: ProgramSummary) -> None:
    handler = _HANDLERS.get(statement.ast_type)
    if handler is not None:
        handler(statement, program)
    elif statement.ast_type in UNSUPPORTED:
        program.add_error(statement, *UNSUPPORTED[statement.ast_type])


def _constant(statement: ast.AST, program: ProgramSummary, overrides: Mapping[str, Term]) -> None:
    if not statement.is_default:
        program.add_error(
            statement, f"#const {statement.name} with [override]", "change the #const that there is instead"
        )
    value = overrides.get(statement.name, evaluate_constant(statement.value, program))
    program.constants.setdefault(statement.name, (program.sources.node_location(statement), value))


def _rule(statement: ast.AST, program: ProgramSummary) -> None:
    head, body = statement.head, list(statement.body)  # each look at a node is a call of clingo
    kind, heads, bodies = head.ast_type, len(program.heads), len(program.bodies)
    constraint = _is_constraint(head)
    if kind in OPEN_HEADS:
        _open_head(head, program)  # what it derives is no unknown predicate elsewhere
        if not program.open_heads:
            program.add_error(head, *UNSUPPORTED[kind])
    elif kind in UNSUPPORTED:
        program.add_error(head, *UNSUPPORTED[kind])
    elif constraint:
        where = program.sources.node_location(statement)
        program.constraints.append(Constraint(where, str(statement).replace("#false :-", ":-")))
    elif (atom := head.atom).ast_type == ASTType.SymbolicAtom and not head.sign:
        program.heads.extend(_uses(atom, program))
    else:
        program.add_error(head, f"'{head}' cannot be a head", "write an atom")
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
    """The atoms among which there is a choice, and what it depends on."""
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
        program.add_error(statement, "an #external with a value", remedy)
    for literal in statement.body:
        _body(literal, program)


def _show(statement: ast.AST, program: ProgramSummary) -> None:
    program.shown.add(Signature(statement.name, statement.arity))


def _show_term(statement: ast.AST, program: ProgramSummary) -> None:
    for literal in statement.body:
        _body(literal, program)


def _defined(statement: ast.AST, program: ProgramSummary) -> None:
    program.defined.add(Signature(statement.name, statement.arity))


def _program(statement: ast.AST, program: ProgramSummary) -> None:
    if statement.name != "base" or statement.parameters:
        remedy = "write everything in one program"
        program.add_error(statement, "#program parts are not supported", remedy)


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
    """The predicates of an atom: several when it is a pool."""
    waiting = [atom.symbol]
    for term in waiting:
        kind = term.ast_type
        if kind == ASTType.Pool:
            waiting.extend(term.arguments)
        elif kind == ASTType.UnaryOperation:
            remedy = "write 'not', or a predicate of its own"
            program.add_error(term, "classical negation is not supported", remedy)
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


def evaluate_constant(term: ast.AST, program: ProgramSummary) -> Term | None:
    """The value of a term without variables where it is plain to see, else None."""
    kind = term.ast_type  # each look at a node is a call of clingo
    if kind == ASTType.Variable:
        return None
    if kind == ASTType.SymbolicTerm:
        symbol = term.symbol
        text = str(symbol)
        known = program.constants.get(text)
        return known[1] if known else symbol.number if symbol.type.name == "Number" else text
    if kind == ASTType.Function and not term.arguments and not term.external and term.name:
        known = program.constants.get(term.name)
        return known[1] if known else str(term.name)
    if kind == ASTType.UnaryOperation and term.operator_type == ast.UnaryOperator.Minus:
        value = evaluate_constant(term.argument, program)
        return -value if isinstance(value, int) else None
    return _arithmetic(term, program) if kind == ASTType.BinaryOperation else None


def _arithmetic(term: ast.AST, program: ProgramSummary) -> int | None:
    left, right = evaluate_constant(term.left, program), evaluate_constant(term.right, program)
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if term.operator_type == ast.BinaryOperator.Plus:
        return left + right
    if term.operator_type == ast.BinaryOperator.Minus:
        return left - right
    return left * right if term.operator_type == ast.BinaryOperator.Multiplication else None
