"""What is wrong with the statements of a knowledge base, before anything is grounded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from abl_cards.logic.builder import INT32_MAX
from abl_cards.logic.errors import Diagnostic, Location, error, suggestion, warning
from abl_cards.logic.program import Source, tokens
from abl_cards.logic.statements import Program, Use
from abl_cards.logic.terms import Input, Signature, Term

COST, PREFERENCE, SAYS = Signature("cost", 2), Signature("preference", 2), Signature("says", 3)
BELIEF, HINT = Signature("belief", 3), Signature("hint", 2)
VIOLATED = Signature("violated", 1)
CONVENTIONS = {COST, PREFERENCE, SAYS, BELIEF, HINT}


def refused_text(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """Constructs that run Python, numbers that clingo cuts, letters that stop it: all found in the text."""
    for source in sources:
        for token in tokens(source.text):
            where = source.location(*token.span())
            if token["function"]:
                yield error(where, "@functions and @priorities are not supported", "write rules and large weights")
            elif token["number"] and int(token["number"]) > INT32_MAX:
                yield error(where, f"{token['number']} is more than {INT32_MAX}", "numbers have 32 bits")
            elif token["foreign"]:
                yield error(where, f"unexpected '{token['foreign']}'", "names are ASCII: put other text into quotes")


def static(
    program: Program, inputs: Sequence[Input], outputs: Collection[Signature], constants: Mapping[str, Term]
) -> list[Diagnostic]:
    """All the checks of this module."""
    declared = {declaration.signature for declaration in inputs}
    return [
        *program.problems,
        *_reserved(program),
        *_constants(program, constants),
        *_external_names(program, declared),
        *_unknown_predicates(program, declared),
        *_missing_outputs(program, outputs),
        *_unused(program, outputs),
    ]


def _reserved(program: Program) -> Iterator[Diagnostic]:
    for use in (*program.heads, *program.bodies, *program.externals):
        if use.signature.name == VIOLATED.name:
            yield error(
                use.location, f"'{VIOLATED.name}' is reserved for integrity constraints", "rename the predicate"
            )
    for use in program.bodies:
        if use.signature.name == COST.name:
            yield error(use.location, "'cost' in a body", "costs are only added up: give the condition a predicate")
    for use in program.heads:
        if use.signature.name == COST.name and use.signature != COST:
            yield error(use.location, f"'{use.signature}' is not a cost", "write cost(Name, Weight)")


def _constants(program: Program, constants: Mapping[str, Term]) -> Iterator[Diagnostic]:
    for name in constants:
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
    for use in program.bodies:
        if use.signature in known:
            continue
        if use.signature in declared:
            remedy = "declare it by #external in the vocabulary"
            yield error(use.location, f"input '{use.signature}' is not declared", remedy)
        else:
            yield error(use.location, f"unknown predicate '{use.signature}'", _near(use.signature, known | declared))


def _near(signature: Signature, known: Collection[Signature]) -> str:
    """The nearest known predicate; the same name with another arity before anything else."""
    same = sorted(str(other) for other in known if other.name == signature.name)
    if same:
        return f"known with another number of arguments: {', '.join(same)}"
    names = {
        other.name: str(other)
        for other in sorted(known, key=lambda other: other.arity != signature.arity, reverse=True)
    }
    near = suggestion(signature.name, names)
    name = near.partition("'")[2].partition("'")[0]
    return f"did you mean '{names[name]}'?" if near else "derive it, or declare it by #defined"


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
            yield warning(use.location, f"'{use.signature}' is derived but used nowhere", "remove it, or #show it")


def _first_uses(uses: Iterable[Use]) -> Iterable[Use]:
    """The first use of every predicate."""
    first: dict[Signature, Use] = {}
    for use in uses:
        first.setdefault(use.signature, use)
    return first.values()
