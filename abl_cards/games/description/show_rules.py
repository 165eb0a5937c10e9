"""Read ``show.lp``, the display of a game at a table, which is separate from its rules.

The file is an answer-set program whose predicates begin with ``show_``. It is evaluated once for a profile, with the
facts of the game. No record, weight or fingerprint depends on it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from abl_cards.asp import (
    Diagnostic,
    KBError,
    PredicateUse,
    ProgramSummary,
    RuleSources,
    Severity,
    Signature,
    Term,
    make_error,
    string_value,
)
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.fluents import Fluents, read_fluent_types, read_fluents
from abl_cards.games.description.folder import Folder, find_fluent_declarations
from abl_cards.games.description.known_names import KnownNames
from abl_cards.games.description.rule_lookup import find_best_head
from abl_cards.games.description.show_checks import (
    ASCENDING,
    BY_RANK,
    SHOW_PREDICATES,
    ShowStatement,
    find_conflicts,
    find_problem,
    find_wrong_statements,
)
from abl_cards.games.description.variants import SHOW_FILE, parse_files

_FACTS_FILE = "facts.lp"
_MISPLACED = ErrorCode.MISPLACED_FACT


@dataclass(frozen=True)
class ScoreBar:
    """Score that is drawn as a bar.

    Attributes:
        fluent: Name of the fluent.
        low: Number at the start of the bar.
        high: Number at its end.
        target: Number that is marked.
    """

    fluent: str
    low: int
    high: int
    target: int


@dataclass(frozen=True)
class ShowRules:
    """Statements about the display of a game at a table; fluents are given by their names.

    Attributes:
        is_stated: Whether the folder has a ``show.lp``; otherwise the table shows the public facts of the rules.
        bars: Scores drawn as bars.
        levels: Fluents that are the level of each side.
        values: Fluents shown as text.
        doublings: Fluents that count how often the stake was doubled.
        scales: Factor and offset of the numbers of a fluent, by its name.
        badges: Roles, and fluents of a seat, that are shown at the seat.
        has_partners: Whether seats of one side have the same colour.
        revealed: Fluents whose cards are drawn.
        order: Order of the hand, "rank" or "suit".
        is_descending: Whether the hand begins with its strongest card.
        trumps: Cells whose cards are trumps: sorted apart.
        results: Fluents, and ``finish``, that the result of a deal names.
        names: Texts of fluents, roles and places by the term and the language.
    """

    is_stated: bool = False
    bars: tuple[ScoreBar, ...] = ()
    levels: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    doublings: tuple[str, ...] = ()
    scales: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    badges: tuple[str, ...] = ()
    has_partners: bool = True
    revealed: tuple[str, ...] = ()
    order: str = BY_RANK
    is_descending: bool = False
    trumps: frozenset[Term] = frozenset()
    results: tuple[str, ...] = ()
    names: Mapping[tuple[Term, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class ShowReport:
    """Result of reading ``show.lp``: the valid statements, and the errors of the others."""

    rules: ShowRules
    errors: tuple[Diagnostic, ...] = ()


def read_show_rules(kb: KnowledgeBase, folder: Folder, profile: str | None, fluents: Fluents) -> ShowReport:
    """Read what a table shows of a compiled game.

    Args:
        kb: Knowledge base of the game.
        folder: Rule folder.
        profile: Profile of the rules; None for the default profile.
        fluents: Fluents of the game.
    """
    return _read(KnownNames(kb, ProgramSummary(RuleSources(())), folder, fluents), profile, is_strict=False)


def check_show_rules(kb: KnowledgeBase, folder: Folder, profile: str | None) -> tuple[Diagnostic, ...]:
    """Return the errors of ``show.lp``, and of statements of it in other files.

    Args:
        kb: Knowledge base of the folder, which is valid.
        folder: Rule folder.
        profile: Profile of the rules; None for the default profile.
    """
    program = folder.program(profile)
    misplaced = [
        make_error(use.location, f"{use.signature} is read in {SHOW_FILE} alone", "write it there", _MISPLACED)
        for use in program.heads
        if use.signature in SHOW_PREDICATES
    ]
    if folder.layers.show_file is None:
        return tuple(misplaced)
    fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
    return (*misplaced, *_read(KnownNames(kb, program, folder, fluents), profile, is_strict=True).errors)


def _read(known: KnownNames, profile: str | None, is_strict: bool) -> ShowReport:
    file = known.folder.layers.show_file
    if file is None:
        return ShowReport(ShowRules())
    program = parse_files([file], known.folder.include_paths)
    errors = [] if program.problems else list(find_wrong_statements(program, known, is_strict))
    try:
        kb = _ground(file, program, known, profile)
    except KBError as error:
        found = (problem for problem in error.diagnostics if problem.severity == Severity.ERROR)
        return ShowReport(ShowRules(), tuple(errors) or tuple(found))
    instances = list(_list_instances(kb, program))
    is_inherited = file.parent.resolve() != known.folder.path.resolve()
    valid = []
    for instance, use in instances:
        problem = find_problem(instance, known)
        if problem is None:
            valid.append(instance)
        elif is_strict and not _is_excused(instance, known, is_inherited):
            location = None if use is None else use.location
            errors.append(make_error(location, f"{instance.text}: {problem[0]}", *problem[1:]))
    for instance, use in instances:
        if instance in valid and (conflict := find_conflicts(instance, valid)):
            errors.append(make_error(None if use is None else use.location, f"{instance.text}: {conflict[0]}",
                                     *conflict[1:]))  # fmt: skip
    return ShowReport(_make_rules(valid), tuple(errors))


def _is_excused(instance: ShowStatement, known: KnownNames, is_inherited: bool) -> bool:
    """Return whether a wrong statement is of a parent, or right in another profile."""
    return is_inherited or any(find_problem(instance, other) is None for other in known.other_profiles)


def _ground(file: Path, program: ProgramSummary, known: KnownNames, profile: str | None) -> KnowledgeBase:
    """Ground the file with the facts of the game that it reads."""
    derived = {use.signature for use in program.heads}
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / _FACTS_FILE
        facts.write_text("\n".join(_fact_lines(program, derived, known, profile)), "utf-8")
        return KnowledgeBase.load(
            [facts, file],
            inputs=(),
            outputs=sorted(derived & set(SHOW_PREDICATES)),
            trusted=known.folder.is_trusted,
            library=known.folder.include_paths,
        )


def _fact_lines(
    program: ProgramSummary, derived: set[Signature], known: KnownNames, profile: str | None
) -> Iterator[str]:
    """Yield the constants and the facts of the game, as far as the file may read them."""
    yield "% Facts of the game."
    constants = known.folder.program(profile).constants
    for name, (_, value) in constants.items():
        if value is not None and name not in program.constants:
            yield f"#const {name} = {value}."
    values = {name: value for name, (_, value) in constants.items()}
    patterns: dict[Signature, list[tuple[Term | None, ...]]] = {}
    for use in program.bodies:
        if use.signature not in derived:
            pattern = tuple(None if term is None else values.get(str(term), term) for term in use.pattern)
            patterns.setdefault(use.signature, []).append(pattern)
    for signature, reads in patterns.items():
        yield f"#defined {signature}."
        for terms in known.kb.facts(*signature):
            if any(all(read in (None, term) for read, term in zip(pattern, terms, strict=True)) for pattern in reads):
                yield f"{signature.name}({','.join(map(str, terms))})." if terms else f"{signature.name}."


def _list_instances(kb: KnowledgeBase, program: ProgramSummary) -> Iterator[tuple[ShowStatement, PredicateUse | None]]:
    """Yield the statements with their heads, in the order of the text."""
    instances = []
    for signature in SHOW_PREDICATES:
        uses = [use for use in program.heads if use.signature == signature]
        for terms in kb.facts(*signature):
            instance = ShowStatement(signature, terms)
            use = find_best_head(uses, program, instance.text) or (uses[0] if uses else None)
            place = (0, 0) if use is None else (use.location.line, use.location.column)
            instances.append((place, instance, use))
    yield from ((instance, use) for _, instance, use in sorted(instances, key=lambda item: item[0]))


def _make_rules(instances: list[ShowStatement]) -> ShowRules:
    def arguments(name: str, arity: int) -> list[tuple[Term, ...]]:
        return [instance.terms for instance in instances if instance.signature == (name, arity)]

    def first(name: str) -> tuple[str, ...]:
        return tuple(str(terms[0]) for terms in arguments(name, 1))

    orders = arguments("show_order", 2)
    order, direction = map(str, orders[0]) if orders else (BY_RANK, ASCENDING)
    return ShowRules(
        is_stated=True,
        bars=tuple(ScoreBar(str(name), *map(_number, rest)) for name, *rest in arguments("show_bar", 4)),
        levels=first("show_level"),
        values=first("show_value"),
        doublings=first("show_doublings"),
        scales={str(name): (_number(factor), _number(offset)) for name, factor, offset in arguments("show_scale", 3)},
        badges=first("show_badge"),
        has_partners=bool(arguments("show_partner", 0)),
        revealed=first("show_revealed"),
        order=order,
        is_descending=direction != ASCENDING,
        trumps=frozenset(terms[0] for terms in arguments("show_trump", 1)),
        results=first("show_result"),
        names={(thing, str(language)): string_value(text) for thing, language, text in arguments("show_name", 3)},
    )


def _number(term: Term) -> int:
    assert isinstance(term, int)  # checked
    return term
