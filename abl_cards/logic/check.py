"""What is wrong with the statements of a knowledge base, before anything is grounded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from abl_cards.logic.errors import Diagnostic, Location, error, suggestion, warning
from abl_cards.logic.intervals import INT32_MAX, INT32_MIN
from abl_cards.logic.statements import VIOLATED, Program, Use
from abl_cards.logic.terms import Input, Signature, Term

COST, PREFERENCE, SAYS = Signature("cost", 2), Signature("preference", 2), Signature("says", 3)
BELIEF, HINT = Signature("belief", 3), Signature("hint", 2)
RESERVED = {VIOLATED.name: "integrity constraints", "_asked": "the checks", "_fired": "the checks"}
MOST_GUESSES = 100
"""Unknown predicates for which a known one is looked for: looking takes long."""
_WORD = re.compile(r"(?<![\w'])[_']*[a-z][\w']*")
_UNKNOWN = "derive it, or declare it by #defined"
CONVENTIONS = {COST, PREFERENCE, SAYS, BELIEF, HINT}


def static(
    program: Program, inputs: Sequence[Input], outputs: Collection[Signature], constants: Mapping[str, Term]
) -> list[Diagnostic]:
    """All the checks of this module."""
    declared = {declaration.signature for declaration in inputs}
    return [
        *program.problems,
        *_constants(program, constants),
        *_external_names(program, declared),
        *_unknown_predicates(program, declared),
        *_missing_outputs(program, outputs),
        *_unused(program, outputs),
        *_unread(program, outputs),
        *_unused_constants(program),
    ]


def reserved(program: Program) -> Iterator[Diagnostic]:
    """Names that have a meaning of their own: nothing is ground where they are used for something else."""
    for use in (*program.heads, *program.bodies, *program.externals):
        if use.signature.name in RESERVED:
            what = f"'{use.signature.name}' is reserved for {RESERVED[use.signature.name]}"
            yield error(use.location, what, "rename the predicate")
    for use in program.bodies:
        if use.signature.name == COST.name:
            yield error(use.location, "'cost' in a body", "costs are only added up: give the condition a predicate")
    for use in program.heads:
        if use.signature.name == COST.name and use.signature != COST:
            yield error(use.location, f"'{use.signature}' is not a cost", "write cost(Name, Weight)")


def _constants(program: Program, constants: Mapping[str, Term]) -> Iterator[Diagnostic]:
    for name, value in constants.items():
        if isinstance(value, int) and not INT32_MIN <= value <= INT32_MAX:
            what = f"constant '{name}' is {value}, {'more' if value > 0 else 'less'} than"
            yield error(None, f"{what} {INT32_MAX if value > 0 else INT32_MIN}", "numbers have 32 bits")
        if name not in program.constants:
            remedy = suggestion(name, program.constants) or "declare it by #const"
            yield error(None, f"unknown constant '{name}'", remedy)


def _external_names(program: Program, declared: set[Signature]) -> Iterator[Diagnostic]:
    heads: dict[Signature, Location] = {}
    for use in program.heads:
        heads.setdefault(use.signature, use.location)
    used = {use.signature for use in program.bodies}
    for use in _first_uses(program.externals):
        if use.signature not in declared:
            remedy = suggestion(str(use.signature), map(str, declared)) or "the engine supplies no such input"
            yield error(use.location, f"unknown input '{use.signature}'", remedy)
        elif use.signature in heads:
            remedy = "rename one of them"
            yield error(heads[use.signature], f"input '{use.signature}' is also the head of a rule or a fact", remedy)
        elif use.signature not in used:
            yield warning(use.location, f"input '{use.signature}' is used by no rule", "remove the declaration")


def _unknown_predicates(program: Program, declared: set[Signature]) -> Iterator[Diagnostic]:
    external = {use.signature for use in program.externals}
    derived = {use.signature for use in program.heads}
    known = external | derived | program.defined
    guesses = 0
    for use in program.bodies:
        if use.signature in known:
            continue
        if use.signature in declared:
            remedy = "declare it by #external in the vocabulary"
            yield error(use.location, f"input '{use.signature}' is not declared", remedy)
            continue
        guesses += 1
        remedy = _near(use.signature, known | declared) if guesses <= MOST_GUESSES else _UNKNOWN
        yield error(use.location, f"unknown predicate '{use.signature}'", remedy)


def _near(signature: Signature, known: Collection[Signature]) -> str:
    """The nearest known predicate; the same name with another arity before anything else."""
    same = sorted(str(other) for other in known if other.name == signature.name)
    if same:
        return f"known with another number of arguments: {', '.join(same)}"
    names = {
        other.name: str(other)
        for other in sorted(known, key=lambda other: (other.arity != signature.arity, other), reverse=True)
    }
    near = suggestion(signature.name, names)
    name = near.partition("'")[2].partition("'")[0]
    return f"did you mean '{names[name]}'?" if near else _UNKNOWN


def _missing_outputs(program: Program, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    derived = {use.signature for use in program.heads}
    for output in sorted(outputs):
        if output not in derived | program.defined | {COST, VIOLATED}:
            remedy = suggestion(str(output), map(str, derived)) or "the engine needs it: write a rule for it"
            yield error(None, f"no rule derives the output '{output}'", remedy)


def _unused(program: Program, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    used = {use.signature for use in program.bodies} | set(outputs) | program.shown | CONVENTIONS | program.defined
    for use in _first_uses(program.heads):
        if use.signature not in used and use.signature.name not in (VIOLATED.name, COST.name):
            others = {other.signature.name for other in program.bodies if other.signature.arity == use.signature.arity}
            remedy = suggestion(use.signature.name, others) or "remove it, or #show it"
            yield warning(use.location, f"'{use.signature}' is derived but used nowhere", remedy)


def _unread(program: Program, outputs: Collection[Signature]) -> Iterator[Diagnostic]:
    """Facts that no rule asks for, such as a misspelt switch; only where all rules ask for certain values."""
    asked: dict[Signature, list[Use]] = {}
    for use in program.bodies:
        if use not in program.checks:  # which say what a switch can be, and read nothing
            asked.setdefault(use.signature, []).append(use)
    for use in program.facts:
        known = asked.get(use.signature, [])
        elsewhere = use.signature in {*outputs, *program.shown, *CONVENTIONS}
        allowed = {
            value for check, some in program.checks.items() if check.signature == use.signature for value in some
        }
        read = any(_meet(use.pattern, other.pattern) for other in known) or not allowed.isdisjoint(use.pattern)
        if not known or elsewhere or read:
            continue
        pairs = [pair for each in known for pair in zip(use.pattern, each.pattern, strict=True) if None not in pair]
        values = sorted({str(asked_for) for told, asked_for in pairs if told != asked_for} | set(map(str, allowed)))
        near = (suggestion(str(told), values) for told, asked_for in pairs if told != asked_for)
        remedy = next(filter(None, near), f"rules ask for {', '.join(values[:8])}")
        yield error(use.location, f"no rule asks for {use.signature.name}({shape_of(use.pattern)})", remedy)


def _meet(one: Sequence[Term | None], other: Sequence[Term | None]) -> bool:
    return all(first == second or None in (first, second) for first, second in zip(one, other, strict=True))


def shape_of(pattern: Sequence[Term | None]) -> str:
    """Arguments as they are written, with `_` for what is not constant."""
    return ",".join("_" if argument is None else str(argument) for argument in pattern)


def _unused_constants(program: Program) -> Iterator[Diagnostic]:
    """Constants that nobody uses and that may be meant to be another one; names that merely wait are no mistake."""
    words = Counter(word for source in program.sources.files for word in _WORD.findall(source.scan.code))
    for name, (where, _) in program.constants.items():
        near = suggestion(name, set(program.constants) - {name}) if words[name] == 1 else ""
        if near:
            yield warning(where, f"constant '{name}' is used nowhere", near)


def _first_uses(uses: Iterable[Use]) -> Iterable[Use]:
    """The first use of every predicate."""
    first: dict[Signature, Use] = {}
    for use in uses:
        first.setdefault(use.signature, use)
    return first.values()
