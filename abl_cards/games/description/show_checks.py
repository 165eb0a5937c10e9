"""Predicates of ``show.lp``, and the checks of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from abl_cards.asp import Diagnostic, KBError, ProgramSummary, Signature, Term, did_you_mean, make_error, split_term
from abl_cards.core import LANGUAGES, ErrorCode
from abl_cards.games.description.fluents import COUNTER, SINGLE_VALUED, Fluent
from abl_cards.games.description.known_names import KnownNames
from abl_cards.games.description.shown_fluents import fluent_owner, is_number, shown_cards, value_owner

BY_RANK, BY_SUIT = "rank", "suit"
ASCENDING, DESCENDING = "ascending", "descending"
FINISH = "finish"
"""Item of ``show_result/1``: the order in which the seats were out."""
PREFIX = "show_"

ShowProblem = tuple[str, str, ErrorCode]
"""Message, remedy and code of a wrong statement."""


class ShowStatement(NamedTuple):
    """Statement of ``show.lp``."""

    signature: Signature
    terms: tuple[Term, ...]

    @property
    def text(self) -> str:
        """Text of the statement."""
        return f"{self.signature.name}({','.join(map(str, self.terms))})" if self.terms else self.signature.name


def find_wrong_statements(program: ProgramSummary, known: KnownNames, is_strict: bool) -> Iterator[Diagnostic]:
    """Find statements without effect: unknown predicates, other arities, inputs, and constraints.

    Args:
        program: Summary of ``show.lp``.
        known: Names of the game.
        is_strict: Search all rule files for the predicates that bodies read.

    Yields:
        An error for each.
    """
    read = {use.signature for use in program.bodies}
    for use in program.heads:
        if use.signature in SHOW_PREDICATES:
            continue
        if not use.signature.name.startswith(PREFIX):
            message = f"'{use.signature}' is derived in show.lp, whose predicates begin with {PREFIX}"
            remedy = "rename it, or write the rule in another file"
            yield make_error(use.location, message, remedy, ErrorCode.RESERVED_NAME)
        elif use.signature not in read:
            yield make_error(use.location, *_explain_unknown(use.signature))
    for external in program.externals:
        message = "an #external in show.lp, which is evaluated once"
        yield make_error(external.location, message, "let facts decide it", ErrorCode.CONDITIONAL_FACT)
    for constraint in program.constraints:
        message = "a constraint in show.lp has no effect"
        yield make_error(constraint.location, message, "remove it", ErrorCode.MISPLACED_FACT)
    yield from _find_wrong_bodies(program, known, is_strict)


def _explain_unknown(signature: Signature) -> ShowProblem:
    arities = [str(other) for other in SHOW_PREDICATES if other.name == signature.name]
    if arities:
        message = f"'{signature}' is stated, but the table reads {' or '.join(arities)}"
        return message, "give it these arguments", ErrorCode.WRONG_ARITY
    names = [str(other) for other in SHOW_PREDICATES]
    remedy = did_you_mean(str(signature), names) or f"there are: {', '.join(names)}"
    return f"the table reads no '{signature}'", remedy, ErrorCode.UNKNOWN_PREDICATE


def _find_wrong_bodies(program: ProgramSummary, known: KnownNames, is_strict: bool) -> Iterator[Diagnostic]:
    """Find predicates of bodies that depend on inputs, or that no file of the game derives."""
    own = {use.signature for use in program.heads} | set(program.defined)
    for use in {use.signature: use for use in reversed(program.bodies) if use.signature not in own}.values():
        instances = known.kb.instances(*use.signature)
        if len(instances) != len(known.kb.facts(*use.signature)):
            message = f"'{use.signature}' depends on inputs, and show.lp is evaluated once"
            yield make_error(use.location, message, "let facts decide it", ErrorCode.CONDITIONAL_FACT)
        elif not instances and is_strict and use.signature not in (derived := _derived_predicates(known)):
            remedy = did_you_mean(str(use.signature), map(str, derived)) or "state it in a rule file"
            message = f"unknown predicate '{use.signature}'"
            yield make_error(use.location, message, remedy, ErrorCode.UNKNOWN_PREDICATE)


def _derived_predicates(known: KnownNames) -> set[Signature]:
    """Return the predicates that the files of any profile derive or define."""
    programs = [known.program]
    for profile in known.folder.profiles:
        with suppress(KBError):  # what cannot be parsed derives nothing
            programs.append(known.folder.program(profile))
    return {use.signature for program in programs for use in program.heads}.union(
        *(program.defined for program in programs)
    )


def find_problem(instance: ShowStatement, known: KnownNames) -> ShowProblem | None:
    """Return the problem of a statement; None if it takes effect.

    Args:
        instance: Statement.
        known: Names of the game.
    """
    return SHOW_PREDICATES[instance.signature](known, instance.terms)


def find_conflicts(instance: ShowStatement, instances: Sequence[ShowStatement]) -> ShowProblem | None:
    """Return the conflict of a statement with another one; None if there is none.

    Args:
        instance: Statement.
        instances: All statements that are right by themselves.
    """
    name, terms = instance.signature.name, instance.terms
    others = [other for other in instances if other != instance]
    if name in _PLACES and any(other.signature.name in _PLACES and other.terms[0] == terms[0] for other in others):
        return "it is shown twice", "keep one of them", ErrorCode.CONFLICTING_FACTS
    keys = {"show_order": 0, "show_scale": 1, "show_name": 2}
    if name in keys and any(other.signature.name == name and other.terms[: keys[name]] == terms[: keys[name]]
                            for other in others):  # fmt: skip
        return "there is another one", "keep one of them", ErrorCode.CONFLICTING_FACTS
    if name == "show_scale" and not any(other.signature.name in _NUMBERS and other.terms[0] == terms[0]
                                        for other in others):  # fmt: skip
        remedy = f"show it by {', '.join(sorted(_NUMBERS))}, or remove the scale"
        return f"no number of {terms[0]} is shown", remedy, ErrorCode.UNUSED_DEFINITION
    return None


_PLACES = {"show_bar", "show_level", "show_value", "show_doublings"}
_NUMBERS = {"show_bar", "show_value", "show_badge", "show_result"}


def _find_fluent(known: KnownNames, term: Term) -> Fluent | ShowProblem:
    fluent = known.fluents.find(str(term))
    if fluent is not None:
        return fluent
    names = sorted(map(str, known.fluent_names))
    remedy = did_you_mean(str(term), names) or f"there are: {', '.join(names) or 'none'}"
    return f"there is no fluent '{term}'", remedy, ErrorCode.UNKNOWN_NAME


def _owner(known: KnownNames, fluent: Fluent) -> str | None:
    return fluent_owner(fluent, known.seats, _teams(known))


def _teams(known: KnownNames) -> set[Term]:
    members = known.argument_tuples(Signature("member", 2), (1,))
    return {team for (team,) in members}


def _wrong(message: str, remedy: str) -> ShowProblem:
    return message, remedy, ErrorCode.INVALID_ARGUMENT


def _check_number(known: KnownNames, term: Term) -> ShowProblem | None:
    fluent = _find_fluent(known, term)
    if not isinstance(fluent, Fluent):
        return fluent
    if not is_number(fluent) or _owner(known, fluent) is None:
        return _wrong(f"{term} is no number of the table, of each seat or of each side", "name such a fluent")
    return None


def _check_bar(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    name, low, high, target = terms
    numbers = [term for term in (low, high, target) if isinstance(term, int)]
    if len(numbers) < 3 or not numbers[0] < numbers[1] or not numbers[0] <= numbers[2] <= numbers[1]:
        return _wrong("the bar has no range with the target in it", "write show_bar(Fluent,Low,High,Target)")
    return _check_number(known, name)


def _check_level(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    fluent = _find_fluent(known, terms[0])
    if not isinstance(fluent, Fluent):
        return fluent
    if fluent.value_type != SINGLE_VALUED or _owner(known, fluent) is None:
        return _wrong(f"{terms[0]} is no value of the table, of each seat or of each side", "name such a fluent")
    return None


def _check_value(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    fluent = _find_fluent(known, terms[0])
    return None if isinstance(fluent, Fluent) else fluent


def _check_doublings(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    fluent = _find_fluent(known, terms[0])
    if not isinstance(fluent, Fluent):
        return fluent
    if fluent.value_type != COUNTER or fluent.keys != ((),):
        return _wrong(f"{terms[0]} is no single count", "name a fluent that count/2 declares")
    return None


def _check_scale(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    name, factor, offset = terms
    if not isinstance(factor, int) or not isinstance(offset, int) or factor == 0:
        return _wrong("factor and offset are numbers, the factor is not 0", "write show_scale(Fluent,Factor,Offset)")
    return _check_number(known, name)


def _check_badge(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    if terms[0] in known.roles:
        return None
    fluent = known.fluents.find(str(terms[0]))
    if fluent is None:
        names = sorted(map(str, known.fluent_names | known.roles))
        remedy = did_you_mean(str(terms[0]), names) or f"there are: {', '.join(names) or 'none'}"
        return f"there is no role and no fluent '{terms[0]}'", remedy, ErrorCode.UNKNOWN_NAME
    if fluent_owner(fluent, known.seats, ()) == "seat" or value_owner(fluent, known.seats, _teams(known)):
        return None
    return _wrong(f"{terms[0]} belongs to no seat", "name a role, a fluent whose value is a seat, or one of each seat")


def _check_partner(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    if known.kb.instances("side", 2) or len(_teams(known)) < len(known.argument_tuples(Signature("member", 2), (0,))):
        return None
    return _wrong("no two seats play together", "remove it")


def _check_revealed(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    fluent = _find_fluent(known, terms[0])
    if not isinstance(fluent, Fluent):
        return fluent
    if shown_cards(fluent, known.cards, known.seats) is None:
        return _wrong(f"{terms[0]} names no cards", "name a fluent of cards, or of ranks and suits")
    return None


def _check_order(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    if terms[0] in (BY_RANK, BY_SUIT) and terms[1] in (ASCENDING, DESCENDING):
        return None
    return _wrong("no such order", f"write {BY_RANK} or {BY_SUIT}, and {ASCENDING} or {DESCENDING}")


def _check_trump(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    if terms[0] in known.cells:
        return None
    return f"no card acts as {terms[0]}", "name a cell of acts_as/2, or a card", ErrorCode.UNKNOWN_NAME


def _check_result(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    if terms[0] == FINISH:
        return None
    fluent = _find_fluent(known, terms[0])
    if not isinstance(fluent, Fluent):
        return fluent
    if fluent.value_type not in (SINGLE_VALUED, COUNTER) or _owner(known, fluent) is None:
        return _wrong(f"{terms[0]} has no value of the table, of each seat or of each side", f"or write {FINISH}")
    return None


def _check_name(known: KnownNames, terms: tuple[Term, ...]) -> ShowProblem | None:
    subject, language, text = terms
    if language not in LANGUAGES:
        return _wrong(f"{language} is no language", f"write {' or '.join(LANGUAGES)}")
    if not (isinstance(text, str) and text.startswith('"')) or text == '""':
        return _wrong(f"{text} is no text", 'write it as "…"')
    if subject in known.fluent_names | known.roles:
        return None
    name, places = split_term(subject)
    if name == "place" and len(places) == 1 and isinstance(places[0], int) and 1 <= places[0] <= len(known.seats):
        return None
    remedy = did_you_mean(str(subject), map(str, known.fluent_names | known.roles)) or "or place(P) from 1"
    return f"{subject} is no fluent, role or place", remedy, ErrorCode.UNKNOWN_NAME


SHOW_PREDICATES: Mapping[Signature, Callable[[KnownNames, tuple[Term, ...]], ShowProblem | None]] = {
    Signature("show_bar", 4): _check_bar,
    Signature("show_level", 1): _check_level,
    Signature("show_value", 1): _check_value,
    Signature("show_doublings", 1): _check_doublings,
    Signature("show_scale", 3): _check_scale,
    Signature("show_badge", 1): _check_badge,
    Signature("show_partner", 0): _check_partner,
    Signature("show_revealed", 1): _check_revealed,
    Signature("show_order", 2): _check_order,
    Signature("show_trump", 1): _check_trump,
    Signature("show_result", 1): _check_result,
    Signature("show_name", 3): _check_name,
}
"""Predicates that the table reads, with the check of each."""
