"""Load, check and ground a knowledge base: from files to a ground program, or to the reasons why not.

The same function runs in this process for trusted files and in a child process for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import clingo
from clingo import ast

from abl_cards.asp import check, check_ground, input_ranges, overflow, profiler
from abl_cards.asp.errors import Diagnostic, Severity, make_error, sort_diagnostics
from abl_cards.asp.ground_program import GroundProgram, GroundProgramObserver, UnsupportedRule
from abl_cards.asp.intervals import INT32_MAX
from abl_cards.asp.program import MAX_MESSAGES, MessageLog, RuleSources, parse_sources, read_sources
from abl_cards.asp.statements import VIOLATED, Constraint, summarise_files
from abl_cards.asp.terms import Input, Signature, Term
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import pause_gc

MAX_STATIC_ERRORS = 100
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
class BuildRequest:
    """What is to be built."""

    files: tuple[Path, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Signature, ...]
    constants: Mapping[str, Term]
    library: tuple[Path, ...] = ()  # where `#include <name>.` looks; a folder's own files come first


@dataclass(frozen=True)
class BuildResult:
    """The result: `ground` is None exactly when a diagnostic is an error."""

    ground: GroundProgram | None
    constraints: tuple[Constraint, ...]
    diagnostics: tuple[Diagnostic, ...]


@pause_gc()
def build_program(request: BuildRequest, limits: Limits, ground_limits: Limits | None = None) -> BuildResult:
    """Read, check, ground.

    Raises TooManyRules where the ground program passes the bounds that it is to stay within.
    """
    sources, problems = read_sources(request.files, limits.file_bytes, request.library)
    problems.extend(check_source_texts(sources.files))
    if problems:
        return _failed_build(problems)
    statements, problems = parse_sources(sources)
    if problems:
        return _failed_build(problems)
    program = summarise_files(sources, request.constants)
    problems = check.check_program(program, request.inputs, set(request.outputs), request.constants)
    unusual = list(check.check_reserved_names(program))
    if program.problems or unusual or sum(map(_is_error, problems)) > MAX_STATIC_ERRORS:
        return _failed_build([*problems, *unusual])
    shadows = input_ranges.make_shadow_rules(statements, program, request.inputs)
    more = [shadow.rule for shadow in shadows]
    ground, messages = ground_statements(statements, sources, request.constants, ground_limits, more)
    problems += grounding_diagnostics(messages)
    if ground is None:
        return _failed_build(problems)
    asked = [name for name in ground.atoms if name.name == input_ranges.SHADOW_PREDICATE]
    ground = ground.without_predicate(input_ranges.SHADOW_PREDICATE)
    problems += input_ranges.find_out_of_range(shadows, asked, set(ground.atoms))
    problems += check_ground.check_ground_program(ground, program, request.inputs)
    problems += overflow.find_overflows(statements, sources, ground, request.constants)
    if any(map(_is_error, problems)):
        return _failed_build(problems)
    return BuildResult(ground, tuple(program.constraints), sort_diagnostics(problems))


def read_rewritten_statements(request: BuildRequest, limits: Limits) -> tuple[list[ast.AST], RuleSources]:
    """The statements of files that passed the checks on their text, as clingo grounds them."""
    sources, _ = read_sources(request.files, limits.file_bytes, request.library)
    return _rewrite_constraints(parse_sources(sources)[0]), sources


def _is_error(problem: Diagnostic) -> bool:
    return problem.severity == Severity.ERROR


def _failed_build(problems: Sequence[Diagnostic]) -> BuildResult:
    return BuildResult(None, (), sort_diagnostics(problems))


def clingo_arguments(constants: Mapping[str, Term]) -> list[str]:
    """Clingo's command line for overridden constants."""
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]


def ground_statements(
    statements: Sequence[ast.AST],
    sources: RuleSources,
    constants: Mapping[str, Term],
    ground_limits: Limits | None,
    extra_rules: Sequence[str] = (),
) -> tuple[GroundProgram | None, MessageLog]:
    """Ground the program and more rules, its constraints rewritten to `violated(K)`; None when clingo refuses."""
    messages = MessageLog(sources)
    observer = GroundProgramObserver(
        (ground_limits.rules, ground_limits.literals) if ground_limits is not None else None
    )
    try:
        control = clingo.Control(
            [*clingo_arguments(constants), "--warn=all"], logger=messages, message_limit=MAX_MESSAGES
        )
        control.register_observer(observer)  # type: ignore[arg-type]
        with ast.ProgramBuilder(control) as builder:
            for statement in _rewrite_constraints(statements):
                builder.add(statement)
        control.add("base", [], "\n".join(extra_rules))
        control.ground([("base", [])])
    except (RuntimeError, UnsupportedRule) as failure:
        if "bad_alloc" in str(failure):
            raise MemoryError from failure
        if not messages.errors():
            met = profiler.find_failing_rule(_rewrite_constraints(statements), sources, clingo_arguments(constants))
            place, reason = met or (None, failure)
            known = f"the weights of a sum add up to more than {INT32_MAX}"
            text = known if "Integer overflow" in str(reason) else str(reason)
            messages.entries.append((clingo.MessageCode.RuntimeError, place, f"error: {text}"))
        return None, messages
    return observer.to_ground_program(control), messages


def _rewrite_constraints(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """Constraint K becomes a rule for violated(K); everything else stays."""
    rewritten = []
    index = 0
    for statement in statements:
        if statement.ast_type == ast.ASTType.Rule and _is_constraint(statement):
            head = _violated_head(statement, index)
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


def _violated_head(statement: ast.AST, index: int) -> ast.AST:
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


def grounding_diagnostics(messages: MessageLog) -> list[Diagnostic]:
    """Errors of clingo, and its infos that mean a rule does not say what its writer thinks."""
    problems = messages.errors()
    static = {clingo.MessageCode.AtomUndefined, clingo.MessageCode.FileIncluded, clingo.MessageCode.RuntimeError}
    for code, location, text in messages.entries:
        of_shadow = location is not None and location.file == "<block>"  # the rule itself says the same
        if code in static or of_shadow or _is_harmless(code, text):
            continue
        problems.append(
            make_error(location, text.removeprefix("info: ").removeprefix("warning: "), _REMEDIES.get(code, ""))
        )
    return problems


def _is_harmless(code: clingo.MessageCode, text: str) -> bool:
    """#sum+ leaves negative weights out by definition."""
    weight = text.partition("tuple ignored:")[2].strip().partition(",")[0]
    return code == clingo.MessageCode.OperationUndefined and weight.lstrip("-").isdigit()


COST_STATEMENTS = ":~ cost(Name,Weight). [Weight,Name] #defined cost/2."  # the engine's only weak constraint


def ground_with_costs(control: clingo.Control, statements: Iterable[ast.AST]) -> None:
    """Ground statements with what their costs add up to; inputs are free, and told by assumptions."""
    with ast.ProgramBuilder(control) as builder:
        for statement in statements:
            builder.add(statement)
    control.add("base", [], COST_STATEMENTS)
    control.ground([("base", [])])
