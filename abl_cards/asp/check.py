"""Static checks of the statements of a knowledge base, before it is ground."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.errors import Diagnostic, Location, did_you_mean, make_error, make_warning
from abl_cards.asp.intervals import INT32_MAX, INT32_MIN
from abl_cards.asp.program_summary import PredicateUse, ProgramSummary, find_first_uses
from abl_cards.asp.sources import RuleSource, RuleSources
from abl_cards.asp.statements import VIOLATED
from abl_cards.asp.terms import Input, Signature, Term
from abl_cards.core import ErrorCode

COST, PREFERENCE, SAYS = Signature("cost", 2), Signature("preference", 2), Signature("says", 3)
BELIEF, HINT = Signature("belief", 3), Signature("hint", 2)
PLACEHOLDER = re.compile(r"\{(\d+)(\^?)\}")
"""``{1}`` or ``{1^}`` in a sentence of ``says/3``: the number of an argument, and ``^`` for the greatest of all."""
RESERVED_NAMES = {VIOLATED.name: "integrity constraints", "_asked": "the checks", "_fired": "the checks"}
MAX_SUGGESTIONS = 100
"""Most unknown predicates for which a similar name is searched: the search is slow."""
_WORD = re.compile(r"(?<![\w'])[_']*[a-z][\w']*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMPARISON = re.compile(
    r"[<>]=?\s*(?P<right>[a-z]\w*)(?![\w'(])|(?:!=|=)\s*(?P<equal>[a-z]\w*)(?![\w'(])"
    r"|(?<![\w'])(?P<left>[a-z]\w*)\s*(?=[<>])"
)
_UNKNOWN_REMEDY = "derive it, or declare it by #defined"
CONVENTION_PREDICATES = {COST, PREFERENCE, SAYS, BELIEF, HINT}


def check_program(
    program: ProgramSummary, inputs: Sequence[Input], outputs: Collection[Signature], constants: Mapping[str, Term]
) -> list[Diagnostic]:
    """Run all static checks except the check of reserved names.

    Args:
        program: Summary of the statements.
        inputs: Inputs that the engine supplies.
        outputs: Predicates that the engine reads.
        constants: Values of constants that replace those of `#const`.

    Returns:
        Errors and warnings, those of the summary first.
    """
    declared = {declaration.signature for declaration in inputs}
    return [
        *program.problems,
        *_check_constants(program, constants),
        *_check_externals(program, declared),
        *_check_unknown_predicates(program, declared),
        *_check_missing_outputs(program, outputs),
        *_check_unused_predicates(program, outputs),
        *_check_directives(program, outputs),
        *_check_unread_facts(program, outputs),
        *_check_unused_constants(program),
        *_check_compared_names(program),
    ]


def check_reserved_names(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find uses of reserved predicates with another meaning; such rules are not ground.

    Args:
        program: Summary of the statements.

    Yields:
        Errors with the locations of the uses.
    """
    for use in (*program.heads, *program.bodies, *program.externals):
        if use.signature.name in RESERVED_NAMES:
            message = f"'{use.signature.name}' is reserved for {RESERVED_NAMES[use.signature.name]}"
            yield make_error(use.location, message, "rename the predicate", ErrorCode.RESERVED_NAME)
    for use in program.bodies:
        if use.signature.name == COST.name:
            remedy = "costs are only added up: give the condition a predicate"
            yield make_error(use.location, "'cost' in a body", remedy, ErrorCode.RESERVED_NAME)
    for use in program.heads:
        if use.signature.name == COST.name and use.signature != COST:
            message = f"'{use.signature}' is not a cost"
            yield make_error(use.location, message, "write cost(Name, Weight)", ErrorCode.RESERVED_NAME)


def find_contradictions(statements: Sequence[ast.AST], sources: RuleSources) -> Iterator[Diagnostic]:
    """Find bodies with an atom and its negation.

    Args:
        statements: Syntax trees of all files.
        sources: The files.

    Yields:
        A warning for each.
    """
    for statement in statements:
        if statement.ast_type == ASTType.Rule:
            literals = [literal for literal in statement.body if literal.ast_type == ASTType.Literal]
            negated = [literal for literal in literals if literal.sign == ast.Sign.Negation]
            atoms = {str(literal.atom) for literal in literals if negated and literal.sign != ast.Sign.Negation}
            for literal in negated:
                if str(literal.atom) in atoms:
                    message = f"a body with '{literal.atom}' and '{literal}': the rule never fires"
                    location = sources.node_location(literal)
                    yield make_warning(location, message, "remove one of them", ErrorCode.NEVER_DERIVED)


def _check_constants(program: ProgramSummary, constants: Mapping[str, Term]) -> Iterator[Diagnostic]:
    for name, value in constants.items():
        if isinstance(value, int) and not INT32_MIN <= value <= INT32_MAX:
            comparison = f"constant '{name}' is {value}, {'more' if value > 0 else 'less'} than"
            message = f"{comparison} {INT32_MAX if value > 0 else INT32_MIN}"
            yield make_error(None, message, "numbers have 32 bits", ErrorCode.INTEGER_OVERFLOW)
        if name not in program.constants:
            remedy = did_you_mean(name, program.constants) or "declare it by #const"
            yield make_error(None, f"unknown constant '{name}'", remedy, ErrorCode.INVALID_CONSTANT)


def _check_externals(program: ProgramSummary, declared: set[Signature]) -> Iterator[Diagnostic]:
    heads: dict[Signature, Location] = {}
    for use in program.heads:
        heads.setdefault(use.signature, use.location)
    used = {use.signature for use in program.bodies}
    for use in find_first_uses(program.externals):
        if use.signature not in declared:
            remedy = did_you_mean(str(use.signature), map(str, declared)) or "the engine supplies no such input"
            yield make_error(use.location, f"unknown input '{use.signature}'", remedy, ErrorCode.UNKNOWN_INPUT)
        elif use.signature in heads:
            message = f"input '{use.signature}' is also the head of a rule or a fact"
            yield make_error(heads[use.signature], message, "rename one of them", ErrorCode.DERIVED_INPUT)
        elif use.signature not in used:
            message = f"input '{use.signature}' is used by no rule"
            yield make_warning(use.location, message, "remove the declaration", ErrorCode.UNUSED_DEFINITION)


def _check_unknown_predicates(program: ProgramSummary, declared: set[Signature]) -> Iterator[Diagnostic]:
    external = {use.signature for use in program.externals}
    derived = {use.signature for use in program.heads}
    known = external | derived | set(program.defined)
    num_suggestions = 0
    for use in program.bodies:
        if use.signature in known:
            continue
        if use.signature in declared:
            name, arity = use.signature
            ranges = f"{name}(…), with the ranges of its arguments" if arity else name
            remedy = f"declare it by #external {ranges}"
            yield make_error(use.location, f"input '{use.signature}' is not declared", remedy, ErrorCode.MISSING_INPUT)
            continue
        num_suggestions += 1
        is_searched = num_suggestions <= MAX_SUGGESTIONS
        remedy = _suggest_predicate(use.signature, known | declared) if is_searched else _UNKNOWN_REMEDY
        yield make_error(use.location, f"unknown predicate '{use.signature}'", remedy, ErrorCode.UNKNOWN_PREDICATE)


def _suggest_predicate(signature: Signature, known: Collection[Signature]) -> str:
    """Suggest the nearest known predicate; first one with equal name and another arity."""
    same = sorted(str(other) for other in known if other.name == signature.name)
    if same:
        return f"known with another number of arguments: {', '.join(same)}"
    return did_you_mean(str(signature), map(str, known)) or _UNKNOWN_REMEDY


def _check_missing_outputs(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    derived = {use.signature for use in program.heads}
    for output in sorted(outputs):
        if output not in derived | {*program.defined, COST, VIOLATED}:
            remedy = did_you_mean(str(output), map(str, derived)) or "the engine needs it: write a rule for it"
            yield make_error(None, f"no rule derives the output '{output}'", remedy, ErrorCode.MISSING_OUTPUT)


def _check_unused_predicates(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    for use in program.unused_heads({*outputs, *CONVENTION_PREDICATES}).values():
        if use.signature.name not in (VIOLATED.name, COST.name):
            others = {other.signature.name for other in program.bodies if other.signature.arity == use.signature.arity}
            remedy = did_you_mean(use.signature.name, others) or "remove it, or #show it"
            message = f"'{use.signature}' is derived but used nowhere"
            yield make_warning(use.location, message, remedy, ErrorCode.UNUSED_DEFINITION)


def _check_directives(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    """Find `#show` of predicates that no rule derives, and `#defined` of predicates that stand nowhere else."""
    derived = {use.signature for use in (*program.heads, *program.externals)}
    used = {use.signature for use in program.bodies}
    for signature, location in program.shown.items():
        if signature not in {*derived, *program.defined, VIOLATED}:
            remedy = did_you_mean(str(signature), map(str, derived)) or "write a rule for it, or remove the statement"
            message = f"#show {signature} shows nothing, as no rule derives it"
            yield make_warning(location, message, remedy, ErrorCode.UNKNOWN_PREDICATE)
    for signature, location in program.defined.items():
        if signature not in {*derived, *used, *outputs, *program.shown}:
            remedy = did_you_mean(str(signature), map(str, used)) or "remove it"
            message = f"#defined {signature} has no effect, as no rule reads it"
            yield make_warning(location, message, remedy, ErrorCode.UNUSED_DEFINITION)


def _check_unread_facts(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    """Find facts that no rule reads, such as a misspelt switch, where all rules read certain values only."""
    reads_by_signature: dict[Signature, list[PredicateUse]] = {}
    for use in program.bodies:
        if use not in program.domain_checks:  # which restrict the values of a switch, and read none
            reads_by_signature.setdefault(use.signature, []).append(use)
    for use in program.facts:
        reads = reads_by_signature.get(use.signature, [])
        elsewhere = use.signature in {*outputs, *program.shown, *CONVENTION_PREDICATES}
        allowed = {
            value
            for check, values in program.domain_checks.items()
            if check.signature == use.signature
            for value in values
        }
        is_read = any(use.matches(other.pattern) for other in reads) or not allowed.isdisjoint(use.pattern)
        if not reads or elsewhere or is_read:
            continue
        pairs = [pair for read in reads for pair in zip(use.pattern, read.pattern, strict=True) if None not in pair]
        values = sorted(
            {str(read_value) for value, read_value in pairs if value != read_value} | set(map(str, allowed))
        )
        near = (did_you_mean(str(value), values) for value, read_value in pairs if value != read_value)
        remedy = next(filter(None, near), f"rules read {', '.join(values[:8])}")
        message = f"no rule reads {use.signature.name}({format_pattern(use.pattern)})"
        yield make_error(use.location, message, remedy, ErrorCode.UNUSED_DEFINITION)


def format_pattern(pattern: Sequence[Term | None]) -> str:
    """Format arguments as in rule files, with `_` for those that are not constant.

    Args:
        pattern: Constant arguments; None for the others.

    Returns:
        The arguments, separated by commas.
    """
    return ",".join("_" if argument is None else str(argument) for argument in pattern)


def _blank_strings(source: RuleSource) -> str:
    """Return the code of a file with blanks for strings."""
    return _STRING.sub(lambda text: " " * len(text[0]), source.scan.code)


def count_identifiers(sources: RuleSources) -> Counter[str]:
    """Count the identifiers in files, such as names of predicates and constants; comments and texts do not count.

    Args:
        sources: Rule files.
    """
    return Counter(word for source in sources.files for word in _WORD.findall(_blank_strings(source)))


def _check_compared_names(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find names in comparisons that stand nowhere else, so that they are no constant and no value of an argument.

    clingo takes such a name for greater than every number. In an equation it is reported if it resembles a constant.
    """
    counts = count_identifiers(program.sources)
    for source in program.sources.files:
        for found in _COMPARISON.finditer(_blank_strings(source)):
            group = next(name for name in ("right", "equal", "left") if found[name])
            name = found[group]
            suggestion = did_you_mean(name, program.constants)
            if counts[name] != 1 or name in program.constants or (group == "equal" and not suggestion):
                continue
            message = f"'{name}' is compared here, and stands nowhere else"
            remedy = suggestion or f"write a number or the name of a constant, or add #const {name} = …"
            yield make_warning(source.location(*found.span(group)), message, remedy, ErrorCode.UNKNOWN_NAME)


def _check_unused_constants(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find constants whose names stand nowhere else."""
    counts = count_identifiers(program.sources)
    for name, (location, _) in program.constants.items():
        if counts[name] == 1:
            remedy = did_you_mean(name, set(program.constants) - {name}) or "use it in a rule, or remove it"
            message = f"constant '{name}' is used nowhere"
            yield make_warning(location, message, remedy, ErrorCode.UNUSED_DEFINITION)
