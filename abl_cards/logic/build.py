"""Load, check and ground a knowledge base: from files to a ground program, or to the reasons why not.

The same function runs in this process for trusted files and in a child process for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import clingo
from clingo import ast

from abl_cards import garbage
from abl_cards.logic import blame, check, check_ground, overflow, ranges
from abl_cards.logic.errors import Diagnostic, Severity, error, in_order
from abl_cards.logic.ground import GroundProgram, Observer, UnsupportedRule
from abl_cards.logic.intervals import INT32_MAX
from abl_cards.logic.program import MOST_MESSAGES, Messages, Sources, parse, read
from abl_cards.logic.refusal import refused_text
from abl_cards.logic.statements import VIOLATED, Constraint, collect_files
from abl_cards.logic.terms import Input, Signature, Term

ENOUGH_ERRORS = 100
"""With more errors than this in the rules as they are written nothing is ground to find further ones."""


@dataclass(frozen=True)
class Limits:
    """Bounds on knowledge bases; all but the size of files bind the untrusted ones only."""

    seconds: float = 20.0  # of processor time, for grounding and for circuits
    memory: int = 2 << 30  # bytes
    rules: int = 1_000_000
    literals: int = 5_000_000  # in all the rules, and as many inputs at most
    file_bytes: int = 4 << 20


@dataclass(frozen=True)
class Request:
    """What is to be built."""

    files: tuple[Path, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Signature, ...]
    constants: Mapping[str, Term]
    library: tuple[Path, ...] = ()  # where `#include <name>.` looks; a folder's own files come first


@dataclass(frozen=True)
class Built:
    """The result: `ground` is None exactly when a diagnostic is an error."""

    ground: GroundProgram | None
    constraints: tuple[Constraint, ...]
    diagnostics: tuple[Diagnostic, ...]


@garbage.none_made()
def build(request: Request, limits: Limits, within: Limits | None = None) -> Built:
    """Read, check, ground.

    Raises TooManyRules where the ground program passes the bounds that it is to stay within.
    """
    sources, problems = read(request.files, limits.file_bytes, request.library)
    problems.extend(refused_text(sources.files))
    if problems:
        return _refused(problems)
    statements, problems = parse(sources)
    if problems:
        return _refused(problems)
    program = collect_files(sources, request.constants)
    problems = check.static(program, request.inputs, set(request.outputs), request.constants)
    unusual = list(check.reserved(program))
    if program.problems or unusual or sum(map(_is_error, problems)) > ENOUGH_ERRORS:
        return _refused([*problems, *unusual])
    shadows = ranges.shadows(statements, program, request.inputs)
    more = [shadow.rule for shadow in shadows]
    ground, messages = ground_statements(statements, sources, request.constants, within, more)
    problems += grounding_problems(messages)
    if ground is None:
        return _refused(problems)
    asked = [name for name in ground.atoms if name.name == ranges.ASKED]
    ground = ground.without(ranges.ASKED)
    problems += ranges.outside(shadows, asked, set(ground.atoms))
    problems += check_ground.grounded(ground, program, request.inputs)
    problems += overflow.overflows(statements, sources, ground, request.constants)
    if any(map(_is_error, problems)):
        return _refused(problems)
    return Built(ground, tuple(program.constraints), in_order(problems))


def rules_to_ground(request: Request, limits: Limits) -> tuple[list[ast.AST], Sources]:
    """The statements of files that passed the checks on their text, as clingo grounds them."""
    sources, _ = read(request.files, limits.file_bytes, request.library)
    return _without_constraints(parse(sources)[0]), sources


def _is_error(problem: Diagnostic) -> bool:
    return problem.severity == Severity.ERROR


def _refused(problems: Sequence[Diagnostic]) -> Built:
    return Built(None, (), in_order(problems))


def arguments(constants: Mapping[str, Term]) -> list[str]:
    """Clingo's command line for overridden constants."""
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]


def ground_statements(
    statements: Sequence[ast.AST],
    sources: Sources,
    constants: Mapping[str, Term],
    within: Limits | None,
    more: Sequence[str] = (),
) -> tuple[GroundProgram | None, Messages]:
    """Ground the program and more rules, its constraints rewritten to `violated(K)`; None when clingo refuses."""
    messages = Messages(sources)
    observer = Observer((within.rules, within.literals) if within is not None else None)
    try:
        control = clingo.Control([*arguments(constants), "--warn=all"], logger=messages, message_limit=MOST_MESSAGES)
        control.register_observer(observer)  # type: ignore[arg-type]
        with ast.ProgramBuilder(control) as builder:
            for statement in _without_constraints(statements):
                builder.add(statement)
        control.add("base", [], "\n".join(more))
        control.ground([("base", [])])
    except (RuntimeError, UnsupportedRule) as failure:
        if "bad_alloc" in str(failure):
            raise MemoryError from failure
        if not messages.errors():
            met = blame.stumbling_block(_without_constraints(statements), sources, arguments(constants))
            place, reason = met or (None, failure)
            known = f"the weights of a sum add up to more than {INT32_MAX}"
            text = known if "Integer overflow" in str(reason) else str(reason)
            messages.entries.append((clingo.MessageCode.RuntimeError, place, f"error: {text}"))
        return None, messages
    return observer.program(control), messages


def _without_constraints(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """Constraint K becomes a rule for violated(K); everything else stays."""
    rewritten = []
    index = 0
    for statement in statements:
        if statement.ast_type == ast.ASTType.Rule and _is_constraint(statement):
            head = _violated(statement, index)
            statement = statement.update(head=head)
            index += 1
        rewritten.append(statement)
    return rewritten


def _is_constraint(statement: ast.AST) -> bool:
    head = statement.head
    return bool(
        head.ast_type == ast.ASTType.Literal
        and head.atom.ast_type == ast.ASTType.BooleanConstant
        and bool(head.atom.value) == bool(head.sign % 2)
    )


def _violated(statement: ast.AST, index: int) -> ast.AST:
    place = statement.location
    number = ast.SymbolicTerm(place, clingo.Number(index))
    function = ast.Function(place, VIOLATED.name, [number], 0)
    return ast.Literal(place, ast.Sign.NoSign, ast.SymbolicAtom(function))


_REMEDIES = {
    clingo.MessageCode.OperationUndefined: "all arguments must be numbers, weights included",
    clingo.MessageCode.AtomUndefined: "derive it, or declare it by #defined",
    clingo.MessageCode.VariableUnbounded: "bound the variable",
    clingo.MessageCode.GlobalVariable: "rename the variable, or move it out of the aggregate",
}


def grounding_problems(messages: Messages) -> list[Diagnostic]:
    """Errors of clingo, and its infos that mean a rule does not say what its writer thinks."""
    problems = messages.errors()
    static = {clingo.MessageCode.AtomUndefined, clingo.MessageCode.FileIncluded, clingo.MessageCode.RuntimeError}
    for code, location, text in messages.entries:
        of_shadow = location is not None and location.file == "<block>"  # the rule itself says the same
        if code in static or of_shadow or _harmless(code, text):
            continue
        problems.append(error(location, text.removeprefix("info: ").removeprefix("warning: "), _REMEDIES.get(code, "")))
    return problems


def _harmless(code: clingo.MessageCode, text: str) -> bool:
    """#sum+ leaves negative weights out by definition."""
    weight = text.partition("tuple ignored:")[2].strip().partition(",")[0]
    return code == clingo.MessageCode.OperationUndefined and weight.lstrip("-").isdigit()


COSTS = ":~ cost(Name,Weight). [Weight,Name] #defined cost/2."  # the engine's only weak constraint


def ground(control: clingo.Control, statements: Iterable[ast.AST]) -> None:
    """Ground statements with what their costs add up to; inputs are free, and told by assumptions."""
    with ast.ProgramBuilder(control) as builder:
        for statement in statements:
            builder.add(statement)
    control.add("base", [], COSTS)
    control.ground([("base", [])])
