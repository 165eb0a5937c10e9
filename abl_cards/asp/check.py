"""What is wrong with the statements of a knowledge base, before anything is grounded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from abl_cards.asp.errors import Diagnostic, Location, did_you_mean, make_error, make_warning
from abl_cards.asp.intervals import INT32_MAX, INT32_MIN
from abl_cards.asp.statements import VIOLATED, PredicateUse, ProgramSummary
from abl_cards.asp.terms import Input, Signature, Term

COST, PREFERENCE, SAYS = Signature("cost", 2), Signature("preference", 2), Signature("says", 3)
BELIEF, HINT = Signature("belief", 3), Signature("hint", 2)
RESERVED_NAMES = {VIOLATED.name: "integrity constraints", "_asked": "the checks", "_fired": "the checks"}
MAX_SUGGESTIONS = 100
"""Unknown predicates for which a known one is looked for: looking takes long."""
_WORD = re.compile(r"(?<![\w'])[_']*[a-z][\w']*")
_UNKNOWN_REMEDY = "derive it, or declare it by #defined"
CONVENTION_PREDICATES = {COST, PREFERENCE, SAYS, BELIEF, HINT}


def check_program(
    program: ProgramSummary, inputs: Sequence[Input], outputs: Collection[Signature], constants: Mapping[str, Term]
) -> list[Diagnostic]:
    """All the checks of this module."""
    declared = {declaration.signature for declaration in inputs}
    return [
        *program.problems,
        *_check_constants(program, constants),
        *_check_externals(program, declared),
        *_check_unknown_predicates(program, declared),
        *_check_missing_outputs(program, outputs),
        *_check_unused_predicates(program, outputs),
        *_check_unread_facts(program, outputs),
        *_check_unused_constants(program),
    ]


def check_reserved_names(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Names that have a meaning of their own: nothing is ground where they are used for something else."""
    for use in (*program.heads, *program.bodies, *program.externals):
        if use.signature.name in RESERVED_NAMES:
            what = f"'{use.signature.name}' is reserved for {RESERVED_NAMES[use.signature.name]}"
            yield make_error(use.location, what, "rename the predicate")
    for use in program.bodies:
        if use.signature.name == COST.name:
            yield make_error(
                use.location, "'cost' in a body", "costs are only added up: give the condition a predicate"
            )
    for use in program.heads:
        if use.signature.name == COST.name and use.signature != COST:
            yield make_error(use.location, f"'{use.signature}' is not a cost", "write cost(Name, Weight)")


def _check_constants(program: ProgramSummary, constants: Mapping[str, Term]) -> Iterator[Diagnostic]:
    for name, value in constants.items():
        if isinstance(value, int) and not INT32_MIN <= value <= INT32_MAX:
            what = f"constant '{name}' is {value}, {'more' if value > 0 else 'less'} than"
            yield make_error(None, f"{what} {INT32_MAX if value > 0 else INT32_MIN}", "numbers have 32 bits")
        if name not in program.constants:
            remedy = did_you_mean(name, program.constants) or "declare it by #const"
            yield make_error(None, f"unknown constant '{name}'", remedy)


def _check_externals(program: ProgramSummary, declared: set[Signature]) -> Iterator[Diagnostic]:
    heads: dict[Signature, Location] = {}
    for use in program.heads:
        heads.setdefault(use.signature, use.location)
    used = {use.signature for use in program.bodies}
    for use in _first_uses(program.externals):
        if use.signature not in declared:
            remedy = did_you_mean(str(use.signature), map(str, declared)) or "the engine supplies no such input"
            yield make_error(use.location, f"unknown input '{use.signature}'", remedy)
        elif use.signature in heads:
            remedy = "rename one of them"
            yield make_error(
                heads[use.signature], f"input '{use.signature}' is also the head of a rule or a fact", remedy
            )
        elif use.signature not in used:
            yield make_warning(use.location, f"input '{use.signature}' is used by no rule", "remove the declaration")


def _check_unknown_predicates(program: ProgramSummary, declared: set[Signature]) -> Iterator[Diagnostic]:
    external = {use.signature for use in program.externals}
    derived = {use.signature for use in program.heads}
    known = external | derived | program.defined
    guesses = 0
    for use in program.bodies:
        if use.signature in known:
            continue
        if use.signature in declared:
            remedy = "declare it by #external in the vocabulary"
            yield make_error(use.location, f"input '{use.signature}' is not declared", remedy)
            continue
        guesses += 1
        remedy = _suggest_predicate(use.signature, known | declared) if guesses <= MAX_SUGGESTIONS else _UNKNOWN_REMEDY
        yield make_error(use.location, f"unknown predicate '{use.signature}'", remedy)


def _suggest_predicate(signature: Signature, known: Collection[Signature]) -> str:
    """The nearest known predicate; the same name with another arity before anything else."""
    same = sorted(str(other) for other in known if other.name == signature.name)
    if same:
        return f"known with another number of arguments: {', '.join(same)}"
    names = {
        other.name: str(other)
        for other in sorted(known, key=lambda other: (other.arity != signature.arity, other), reverse=True)
    }
    near = did_you_mean(signature.name, names)
    name = near.partition("'")[2].partition("'")[0]
    return f"did you mean '{names[name]}'?" if near else _UNKNOWN_REMEDY


def _check_missing_outputs(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    derived = {use.signature for use in program.heads}
    for output in sorted(outputs):
        if output not in derived | program.defined | {COST, VIOLATED}:
            remedy = did_you_mean(str(output), map(str, derived)) or "the engine needs it: write a rule for it"
            yield make_error(None, f"no rule derives the output '{output}'", remedy)


def _check_unused_predicates(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    used = (
        {use.signature for use in program.bodies}
        | set(outputs)
        | program.shown
        | CONVENTION_PREDICATES
        | program.defined
    )
    for use in _first_uses(program.heads):
        if use.signature not in used and use.signature.name not in (VIOLATED.name, COST.name):
            others = {other.signature.name for other in program.bodies if other.signature.arity == use.signature.arity}
            remedy = did_you_mean(use.signature.name, others) or "remove it, or #show it"
            yield make_warning(use.location, f"'{use.signature}' is derived but used nowhere", remedy)


def _check_unread_facts(program: ProgramSummary, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    """Facts that no rule asks for, such as a misspelt switch; only where all rules ask for certain values."""
    asked: dict[Signature, list[PredicateUse]] = {}
    for use in program.bodies:
        if use not in program.domain_checks:  # which say what a switch can be, and read nothing
            asked.setdefault(use.signature, []).append(use)
    for use in program.facts:
        known = asked.get(use.signature, [])
        elsewhere = use.signature in {*outputs, *program.shown, *CONVENTION_PREDICATES}
        allowed = {
            value for check, some in program.domain_checks.items() if check.signature == use.signature for value in some
        }
        read = any(_may_unify(use.pattern, other.pattern) for other in known) or not allowed.isdisjoint(use.pattern)
        if not known or elsewhere or read:
            continue
        pairs = [pair for each in known for pair in zip(use.pattern, each.pattern, strict=True) if None not in pair]
        values = sorted({str(asked_for) for told, asked_for in pairs if told != asked_for} | set(map(str, allowed)))
        near = (did_you_mean(str(told), values) for told, asked_for in pairs if told != asked_for)
        remedy = next(filter(None, near), f"rules ask for {', '.join(values[:8])}")
        yield make_error(use.location, f"no rule asks for {use.signature.name}({format_pattern(use.pattern)})", remedy)


def _may_unify(one: Sequence[Term | None], other: Sequence[Term | None]) -> bool:
    return all(first == second or None in (first, second) for first, second in zip(one, other, strict=True))


def format_pattern(pattern: Sequence[Term | None]) -> str:
    """Arguments as they are written, with `_` for what is not constant."""
    return ",".join("_" if argument is None else str(argument) for argument in pattern)


def _check_unused_constants(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Constants that nobody uses and that may be meant to be another one; names that merely wait are no mistake."""
    words = Counter(word for source in program.sources.files for word in _WORD.findall(source.scan.code))
    for name, (where, _) in program.constants.items():
        near = did_you_mean(name, set(program.constants) - {name}) if words[name] == 1 else ""
        if near:
            yield make_warning(where, f"constant '{name}' is used nowhere", near)


def _first_uses(uses: Iterable[PredicateUse]) -> Iterable[PredicateUse]:
    """The first use of every predicate."""
    first: dict[Signature, PredicateUse] = {}
    for use in uses:
        first.setdefault(use.signature, use)
    return first.values()
