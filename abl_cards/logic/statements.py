"""What the statements of a knowledge base declare and use: the facts that the static checks are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from clingo import ast
from clingo.ast import ASTType

from abl_cards.budget import tick
from abl_cards.logic.errors import Diagnostic, Location, error
from abl_cards.logic.lexis import USUAL
from abl_cards.logic.program import Source, Sources, parse
from abl_cards.logic.terms import Signature, Term

BY_CLINGO = "have clingo answer: kb solve, ClingoReasoner"
"""What to do where rules have no circuit: docs/whole-asp.md."""

REFUSED: dict[ASTType, tuple[str, str]] = {
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
        f"write one rule for each head, or {BY_CLINGO}",
    ),
    ASTType.Aggregate: ("choice rules have no circuit", f"make the atom an input, or {BY_CLINGO}"),
    ASTType.HeadAggregate: ("aggregates in heads have no circuit", f"make the atoms inputs, or {BY_CLINGO}"),
}

VIOLATED = Signature("violated", 1)
"""What an integrity constraint derives."""

OPEN_HEADS = {ASTType.Disjunction, ASTType.Aggregate, ASTType.HeadAggregate}
"""Heads that have no circuit, and that clingo answers all the same."""


_SOMEWHERE = ""  # where a text lies of which it does not matter
_NESTED = ("terms or literals are nested too deeply", "take the statement apart")


@dataclass(frozen=True)
class Use:
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


_Known = tuple[tuple[str, Term | None], ...]
"""What `#const` names stand for."""
_Placed = TypeVar("_Placed", Constraint, Diagnostic)


@dataclass
class Program:
    """Everything the checks need to know about the statements, collected in one walk."""

    sources: Sources
    open: bool = False  # clingo answers: choices and disjunctions are no problem
    heads: list[Use] = field(default_factory=list)
    facts: list[Use] = field(default_factory=list)  # the heads of rules without a body, again
    bodies: list[Use] = field(default_factory=list)
    checks: dict[Use, set[Term]] = field(default_factory=dict)  # atoms alone in a constraint, and what it compares with
    externals: list[Use] = field(default_factory=list)
    shown: set[Signature] = field(default_factory=set)
    defined: set[Signature] = field(default_factory=set)
    constants: dict[str, tuple[Location, Term | None]] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    depends: dict[Signature, set[Signature]] = field(default_factory=dict)  # of a head on the bodies of its rules
    reads: list[tuple[Signature, Use]] = field(default_factory=list)  # the head of a rule, and what its body reads
    problems: list[Diagnostic] = field(default_factory=list)

    def reached(self, outputs: Iterable[Signature]) -> set[Signature]:
        """The predicates on the way to some outputs, these among them."""
        reached = set(outputs)
        waiting = list(reached)
        for output in waiting:
            for other in self.depends.get(output, set()) - reached:
                reached.add(other)
                waiting.append(other)
        return reached

    def at(self, path: str) -> Program:
        """What the same text says in a file at this path; constants belong to no file."""
        moved: dict[int, Use] = {}

        def use(found: Use) -> Use:
            if id(found) not in moved:
                location = replace(found.location, file=path)
                moved[id(found)] = Use(found.signature, location, found.pattern, found.negated, found.functor)
            return moved[id(found)]

        def there(found: _Placed) -> _Placed:
            return replace(found, location=found.location and replace(found.location, file=path))

        return replace(
            self,
            sources=Sources(tuple(replace(source, path=path) for source in self.sources.files)),
            heads=list(map(use, self.heads)),
            facts=list(map(use, self.facts)),
            bodies=list(map(use, self.bodies)),
            externals=list(map(use, self.externals)),
            checks={use(found): values for found, values in self.checks.items()},
            constraints=list(map(there, self.constraints)),
            reads=[(head, use(read)) for head, read in self.reads],
            problems=list(map(there, self.problems)),
        )

    def refuse(self, node: ast.AST, message: str, remedy: str) -> None:
        """Note what is wrong with a syntax node."""
        self.problems.append(error(self.sources.location_of(node), message, remedy))


def collect(
    statements: Sequence[ast.AST], sources: Sources, overrides: Mapping[str, Term], open_heads: bool = False
) -> Program:
    """Walk over the statements once; where clingo is to answer, heads may leave open what holds."""
    program = Program(sources, open_heads)
    collect_constants(statements, program, overrides)
    collect_all(statements, program)
    return program


def collect_files(sources: Sources, overrides: Mapping[str, Term]) -> Program:
    """The same of whole files; those of usual length are walked over once, wherever they are found again."""
    whole = Program(sources)
    trees = [_parsed(source.text) for source in sources.files]
    for source, statements in zip(sources.files, trees, strict=True):  # a place is one of its own file
        part = Program(Sources((replace(source, before=1),)), constants=whole.constants)
        collect_constants(statements, part, overrides)
        whole.problems += part.problems
    known = tuple((name, value) for name, (_, value) in whole.constants.items())
    found = (_collected(*each, known) for each in zip(sources.files, trees, strict=True))
    return joined(found, whole)


def _parsed(text: str) -> Sequence[ast.AST]:
    return (_remembered_tree if len(text) <= USUAL else _tree)(text)


def _collected(source: Source, statements: Sequence[ast.AST], known: _Known) -> Program:
    if len(source.text) <= USUAL:
        return _remembered_part(source.text, known).at(source.path)
    return _part(source.text, statements, known).at(source.path)


def _tree(text: str) -> tuple[ast.AST, ...]:
    return tuple(parse(Sources((Source(_SOMEWHERE, text, 1),)))[0])


_remembered_tree = lru_cache(maxsize=256)(_tree)


@lru_cache(maxsize=256)
def _remembered_part(text: str, known: _Known) -> Program:
    return _part(text, _remembered_tree(text), known)


def _part(text: str, statements: Sequence[ast.AST], known: _Known) -> Program:
    nowhere = Location(_SOMEWHERE, 1, 1, 1, 1)
    program = Program(Sources((Source(_SOMEWHERE, text, 1),)))
    program.constants.update({name: (nowhere, value) for name, value in known})
    collect_all(statements, program)
    return program


def collect_all(statements: Sequence[ast.AST], program: Program) -> None:
    """Add what statements declare and use; the constants are known by then."""
    for statement in statements:
        tick()
        try:
            _collect(statement, program)
        except RecursionError:
            program.refuse(statement, *_NESTED)


def collect_constants(statements: Sequence[ast.AST], program: Program, overrides: Mapping[str, Term]) -> None:
    """Add what ``#const`` declares."""
    for statement in statements:
        if statement.ast_type == ASTType.Definition:
            try:
                _constant(statement, program, overrides)
            except RecursionError:
                program.refuse(statement, *_NESTED)


def joined(parts: Iterable[Program], whole: Program) -> Program:
    """One program of its parts, beside the constants that it has already."""
    for part in parts:
        for name in ("heads", "facts", "bodies", "externals", "constraints", "reads", "problems"):
            getattr(whole, name).extend(getattr(part, name))
        whole.checks.update(part.checks)
        whole.shown |= part.shown
        whole.defined |= part.defined
        for head, read in part.depends.items():
            whole.depends.setdefault(head, set()).update(read)
    return whole


def _collect(statement: ast.AST, program: Program) -> None:
    handler = _HANDLERS.get(statement.ast_type)
    if handler is not None:
        handler(statement, program)
    elif statement.ast_type in REFUSED:
        program.refuse(statement, *REFUSED[statement.ast_type])


def _constant(statement: ast.AST, program: Program, overrides: Mapping[str, Term]) -> None:
    if not statement.is_default:
        program.refuse(statement, f"#const {statement.name} with [override]", "change the #const that there is instead")
    value = overrides.get(statement.name, constant_value(statement.value, program))
    program.constants.setdefault(statement.name, (program.sources.location_of(statement), value))


def _rule(statement: ast.AST, program: Program) -> None:
    head, body = statement.head, list(statement.body)  # each look at a node is a call of clingo
    kind, heads, bodies = head.ast_type, len(program.heads), len(program.bodies)
    constraint = _is_constraint(head)
    if kind in OPEN_HEADS:
        _open_head(head, program)  # what it derives is no unknown predicate elsewhere
        if not program.open:
            program.refuse(head, *REFUSED[kind])
    elif kind in REFUSED:
        program.refuse(head, *REFUSED[kind])
    elif constraint:
        where = program.sources.location_of(statement)
        program.constraints.append(Constraint(where, str(statement).replace("#false :-", ":-")))
    elif (atom := head.atom).ast_type == ASTType.SymbolicAtom and not head.sign:
        program.heads.extend(_uses(atom, program))
    else:
        program.refuse(head, f"'{head}' cannot be a head", "write an atom")
    if not body and kind not in OPEN_HEADS:
        program.facts.extend(program.heads[heads:])
    for literal in body:
        _body(literal, program)
    if constraint and len(program.bodies) == bodies + 1:
        compared = (term for literal in body for term in _compared(literal))
        values = {constant_value(term, program) for term in compared}
        program.checks[program.bodies[-1]] = {value for value in values if value is not None}
    reads = program.bodies[bodies:]
    needed = {use.signature for use in reads}
    if constraint:
        program.depends.setdefault(VIOLATED, set()).update(needed)
    for use in program.heads[heads:]:
        program.depends.setdefault(use.signature, set()).update(needed)
        program.reads.extend((use.signature, read) for read in reads)


def _open_head(head: ast.AST, program: Program) -> None:
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


def _compared(literal: ast.AST) -> list[ast.AST]:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return []
    return [literal.atom.term, *(guard.term for guard in literal.atom.guards)]


def _external(statement: ast.AST, program: Program) -> None:
    program.externals.extend(_uses(statement.atom, program))
    if str(statement.external_type) != "false":
        remedy = "inputs are set by the engine: drop the annotation"
        program.refuse(statement, "an #external with a value", remedy)
    for literal in statement.body:
        _body(literal, program)


def _show(statement: ast.AST, program: Program) -> None:
    program.shown.add(Signature(statement.name, statement.arity))


def _show_term(statement: ast.AST, program: Program) -> None:
    for literal in statement.body:
        _body(literal, program)


def _defined(statement: ast.AST, program: Program) -> None:
    program.defined.add(Signature(statement.name, statement.arity))


def _program(statement: ast.AST, program: Program) -> None:
    if statement.name != "base" or statement.parameters:
        remedy = "write everything in one program"
        program.refuse(statement, "#program parts are not supported", remedy)


_HANDLERS = {
    ASTType.Rule: _rule,
    ASTType.External: _external,
    ASTType.ShowSignature: _show,
    ASTType.ShowTerm: _show_term,
    ASTType.Defined: _defined,
    ASTType.Program: _program,
}


def _body(node: ast.AST, program: Program, negated: bool = False) -> None:
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
        program.refuse(node, *REFUSED[node.ast_type])


def _uses(atom: ast.AST, program: Program, negated: bool = False) -> Iterator[Use]:
    """The predicates of an atom: several when it is a pool."""
    waiting = [atom.symbol]
    for term in waiting:
        kind = term.ast_type
        if kind == ASTType.Pool:
            waiting.extend(term.arguments)
        elif kind == ASTType.UnaryOperation:
            remedy = "write 'not', or a predicate of its own"
            program.refuse(term, "classical negation is not supported", remedy)
        elif kind == ASTType.Function:
            arguments = list(term.arguments)
            pattern = tuple(constant_value(argument, program) for argument in arguments)
            signature = Signature(term.name, len(pattern))
            yield Use(signature, program.sources.location_of(term), pattern, negated, _functor(arguments))
        elif kind == ASTType.SymbolicTerm:
            yield Use(Signature(term.symbol.name, 0), program.sources.location_of(term), (), negated)


def _functor(arguments: Sequence[ast.AST]) -> str:
    return str(arguments[0]).partition("(")[0] if arguments else ""


def constant_value(term: ast.AST, program: Program) -> Term | None:
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
        value = constant_value(term.argument, program)
        return -value if isinstance(value, int) else None
    return _arithmetic(term, program) if kind == ASTType.BinaryOperation else None


def _arithmetic(term: ast.AST, program: Program) -> int | None:
    left, right = constant_value(term.left, program), constant_value(term.right, program)
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if term.operator_type == ast.BinaryOperator.Plus:
        return left + right
    if term.operator_type == ast.BinaryOperator.Minus:
        return left - right
    return left * right if term.operator_type == ast.BinaryOperator.Multiplication else None
