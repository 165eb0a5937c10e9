"""Load, check and ground a knowledge base: from files to a ground program, or to diagnostics.

Trusted files are built in this process, others in a child process.
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
from abl_cards.asp.program import MAX_MESSAGES, MessageLog, parse_sources
from abl_cards.asp.program_summary import Constraint
from abl_cards.asp.sources import RuleSources, read_sources
from abl_cards.asp.statements import VIOLATED, summarise_files
from abl_cards.asp.terms import Input, Signature, Term
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import ErrorCode, pause_gc

_UNKNOWN_NAMES = {ErrorCode.UNKNOWN_PREDICATE, ErrorCode.MISSING_INPUT}
MAX_STATIC_ERRORS = 100
"""Most errors of the static checks for which the rules are still ground to find further ones."""


@dataclass(frozen=True)
class Limits:
    """Bounds on knowledge bases; all but `file_bytes` apply to untrusted ones only.

    Attributes:
        seconds: Processor time for grounding and for making circuits, in seconds.
        memory: Memory of the child process, in bytes.
        rules: Most ground rules.
        literals: Most literals of all ground rules, and most inputs.
        file_bytes: Largest size of a file, in bytes.
    """

    seconds: float = 20.0
    memory: int = 2 << 30
    rules: int = 1_000_000
    literals: int = 5_000_000
    file_bytes: int = 4 << 20


@dataclass(frozen=True)
class BuildRequest:
    """Knowledge base to be built.

    Attributes:
        files: Rule files.
        inputs: Inputs that the engine supplies.
        outputs: Predicates that the engine reads.
        constants: Values that replace those of `#const`.
        library: Folders in which `#include <name>.` finds files, in this order.
    """

    files: tuple[Path, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Signature, ...]
    constants: Mapping[str, Term]
    library: tuple[Path, ...] = ()


@dataclass(frozen=True)
class BuildResult:
    """Result of building a knowledge base.

    Attributes:
        ground: The ground program; None exactly when a diagnostic is an error.
        constraints: The integrity constraints; the index is the K of `violated(K)`.
        diagnostics: Errors and warnings, sorted by location.
    """

    ground: GroundProgram | None
    constraints: tuple[Constraint, ...]
    diagnostics: tuple[Diagnostic, ...]


@pause_gc()
def build_program(request: BuildRequest, limits: Limits, ground_limits: Limits | None = None) -> BuildResult:
    """Read, check and ground a knowledge base.

    Args:
        request: Files, inputs, outputs and constants.
        limits: Bounds, of which only the size of files applies here.
        ground_limits: Bounds on the ground rules and their literals; None for no bounds.

    Returns:
        The ground program, or the diagnostics that reject the knowledge base.

    Raises:
        TooManyRules: The ground program exceeds `ground_limits`.
        MemoryError: clingo has no memory left.
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
    reserved = list(check.check_reserved_names(program))
    if program.problems or reserved or sum(map(_is_error, problems)) > MAX_STATIC_ERRORS:
        return _failed_build([*problems, *reserved])
    unknown_names = any(problem.code in _UNKNOWN_NAMES for problem in problems if _is_error(problem))
    problems += check.find_contradictions(statements, sources)
    shadows = input_ranges.make_shadow_rules(statements, program, request.inputs)
    shadow_rules = [shadow.rule for shadow in shadows]
    ground, messages = ground_statements(statements, sources, request.constants, ground_limits, shadow_rules)
    problems += grounding_diagnostics(messages)
    if ground is None:
        return _failed_build(problems)
    collected = [name for name in ground.atoms if name.name == input_ranges.SHADOW_PREDICATE]
    ground = ground.without_predicate(input_ranges.SHADOW_PREDICATE)
    found = list(input_ranges.find_out_of_range(shadows, collected, set(ground.atoms)))
    found += check_ground.check_ground_program(ground, program, request.inputs, request.library)
    problems += [problem for problem in found if not (unknown_names and _may_follow_from_unknown_name(problem))]
    if not unknown_names:  # else variables have no bounds that those names would give them
        problems += overflow.find_overflows(statements, sources, ground, request.constants)
    if any(map(_is_error, problems)):
        return _failed_build(problems)
    return BuildResult(ground, tuple(program.constraints), sort_diagnostics(problems))


def read_rewritten_statements(request: BuildRequest, limits: Limits) -> tuple[list[ast.AST], RuleSources]:
    """Read the statements of checked files in the form in which they are ground.

    Args:
        request: Files and library.
        limits: Bound on the size of files.

    Returns:
        The statements, with constraint K rewritten to a rule for `violated(K)`, and the files.
    """
    sources, _ = read_sources(request.files, limits.file_bytes, request.library)
    return _rewrite_constraints(parse_sources(sources)[0]), sources


def _is_error(problem: Diagnostic) -> bool:
    return problem.severity == Severity.ERROR


def _may_follow_from_unknown_name(problem: Diagnostic) -> bool:
    """Return whether a problem may be gone once all names are known: no instance, out of range, or never derived."""
    return not _is_error(problem) or problem.code == ErrorCode.INPUT_OUT_OF_RANGE


def _failed_build(problems: Sequence[Diagnostic]) -> BuildResult:
    return BuildResult(None, (), sort_diagnostics(problems))


def clingo_arguments(constants: Mapping[str, Term]) -> list[str]:
    """Return clingo's command line arguments that set constants.

    Args:
        constants: Values by name.

    Returns:
        ``-c NAME=VALUE`` for each constant.
    """
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]


def ground_statements(
    statements: Sequence[ast.AST],
    sources: RuleSources,
    constants: Mapping[str, Term],
    ground_limits: Limits | None,
    extra_rules: Sequence[str] = (),
) -> tuple[GroundProgram | None, MessageLog]:
    """Ground statements with clingo, with constraint K rewritten to a rule for `violated(K)`.

    Args:
        statements: Syntax trees of all files.
        sources: The files, for the locations of messages.
        constants: Values that replace those of `#const`.
        ground_limits: Bounds on the ground rules and their literals; None for no bounds.
        extra_rules: Texts of further rules.

    Returns:
        The ground program, None when clingo refuses the rules; and clingo's messages.

    Raises:
        TooManyRules: The ground program exceeds `ground_limits`.
        MemoryError: clingo has no memory left.
    """
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
            failing = profiler.find_failing_rule(_rewrite_constraints(statements), sources, clingo_arguments(constants))
            location, reason = failing or (None, failure)
            overflow = f"the weights of a sum add up to more than {INT32_MAX}"
            message = overflow if "Integer overflow" in str(reason) else str(reason)
            messages.entries.append((clingo.MessageCode.RuntimeError, location, f"error: {message}"))
        return None, messages
    return observer.to_ground_program(control), messages


def _rewrite_constraints(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """Rewrite constraint K to a rule for violated(K); other statements stay."""
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
    location = statement.location
    constant = ast.SymbolicTerm(location, clingo.Number(index))
    function = ast.Function(location, VIOLATED.name, [constant], 0)
    return ast.Literal(location, ast.Sign.NoSign, ast.SymbolicAtom(function))


_REMEDIES = {
    clingo.MessageCode.OperationUndefined: (
        "all arguments must be numbers, weights included", ErrorCode.UNDEFINED_OPERATION
    ),
    clingo.MessageCode.VariableUnbounded: ("bound the variable", ErrorCode.UNSAFE_VARIABLE),
    clingo.MessageCode.GlobalVariable: (
        "rename the variable, or move it out of the aggregate", ErrorCode.UNSAFE_VARIABLE
    ),
}  # fmt: skip
_OTHER_REMEDY = "", ErrorCode.GROUNDING_FAILED


def grounding_diagnostics(messages: MessageLog) -> list[Diagnostic]:
    """Convert messages of clingo to errors: clingo's errors, and its notes about rules that it drops.

    Args:
        messages: Messages of grounding.

    Returns:
        Errors with their locations in the files.
    """
    problems = messages.errors()
    static = {clingo.MessageCode.AtomUndefined, clingo.MessageCode.FileIncluded, clingo.MessageCode.RuntimeError}
    for code, location, text in messages.entries:
        of_shadow = location is not None and location.file == "<block>"  # the rule itself has an equal message
        if code in static or of_shadow or _is_harmless(code, text):
            continue
        message = text.removeprefix("info: ").removeprefix("warning: ")
        problems.append(make_error(location, message, *_REMEDIES.get(code, _OTHER_REMEDY)))
    return problems


def _is_harmless(code: clingo.MessageCode, text: str) -> bool:
    """Return whether a message is about a negative weight in #sum+, which drops those by definition."""
    weight = text.partition("tuple ignored:")[2].strip().partition(",")[0]
    return code == clingo.MessageCode.OperationUndefined and weight.lstrip("-").isdigit()


COST_STATEMENTS = ":~ cost(Name,Weight). [Weight,Name] #defined cost/2."  # the engine's only weak constraint


def ground_with_costs(control: clingo.Control, statements: Iterable[ast.AST]) -> None:
    """Ground statements with a weak constraint that sums up their costs.

    Args:
        control: clingo, in which the inputs stay free, to be set by assumptions.
        statements: Syntax trees of all files.
    """
    with ast.ProgramBuilder(control) as builder:
        for statement in statements:
            builder.add(statement)
    control.add("base", [], COST_STATEMENTS)
    control.ground([("base", [])])
