"""Find statements without effect in a folder: dead rules, labels never legal, unset fluents, unread files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from abl_cards.asp import (
    Diagnostic,
    KBError,
    Location,
    PredicateUse,
    Signature,
    Term,
    format_pattern,
    is_inside,
    make_warning,
)
from abl_cards.circuit import TracedRule, find_rules_without_instances
from abl_cards.core import ErrorCode, shared_budget
from abl_cards.games.description import (
    VARIANT_FILE,
    Folder,
    KnownNames,
    SourceOrigins,
    find_fluent_declarations,
    read_known_names,
)

_PASS = "pass"
_SETTING_OUTPUTS = {Signature("next", 1), Signature("adds", 3), Signature("init", 1)}

Place = tuple[str, int, int]
"""File, line and column where a rule begins."""


def find_dead_rules(folder: Folder, profile: str | None) -> Iterator[Diagnostic]:
    """Find rules of the folder itself, without common files and parents, that can fire in no state of any profile.

    A rule that reads a switch is left out, because it applies to other values of the switch: a predicate of
    ``#defined``, or one whose values a constraint restricts. A rule that reads a predicate without an instance is left
    out too, because that predicate is reported.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Yields:
        A warning for each rule, at the condition that never holds if there is one.

    Raises:
        KBError: The rules have errors.
    """
    dead = {_place(rule.location): rule for rule in _dead_rules(folder, profile)}
    for other in _other_profiles(folder, profile, dead.values()) if dead else ():
        if dead:  # to ground another profile takes seconds
            with suppress(KBError), shared_budget():  # each profile has the whole limit
                files = {source.path for source in folder.program(other).sources.files}
                kept = {_place(rule.location) for rule in _dead_rules(folder, other)}
                dead = {place: rule for place, rule in dead.items() if place in kept or place[0] not in files}
    known = read_known_names(folder, profile)
    for rule in dead.values():
        culprit = _find_culprit(rule, known)
        text = f": no {culprit.signature.name}({format_pattern(culprit.pattern)})" if culprit else ""
        yield make_warning(
            culprit.location if culprit else rule.location, f"this rule can never fire{text}",
            "compare the arguments in its body, or remove it", ErrorCode.NEVER_DERIVED,
        )  # fmt: skip


def find_unread_files(folder: Folder, profile: str | None) -> Iterator[Diagnostic]:
    """Find rule files in a folder that no profile reads, such as those of a subfolder that is named wrongly.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Yields:
        A warning for each file.
    """
    layers, shelves = folder.layers, [_real_path(path) for path in folder.include_paths]
    files = {*layers.files, *layers.profiles.values(), *layers.auxiliary_files.values(), layers.show_file}
    known = {_real_path(file) for file in files if file is not None}
    unread = [
        file
        for file in sorted([*folder.path.glob("*"), *folder.path.glob("*/*")])
        if file.suffix.lower() == ".lp"
        and file.is_file()
        and _real_path(file) not in known
        and not is_inside(file, shelves)
        and (file.parent == folder.path or not Folder(file.parent).is_game)
    ]
    for name in (folder.profiles or (profile,)) if unread else ():  # includes
        known |= {_real_path(source.path) for source in folder.program(name).sources.files}
    for file in unread:
        if _real_path(file) not in known and file.name != VARIANT_FILE:
            remedy = "move it beside game.lp or into profiles/, or include it there"
            if file.suffix != ".lp":
                remedy = f"name it {file.stem}.lp"
            location = Location(str(file), 1, 1, 1, 1)
            yield make_warning(location, "this file is not read", remedy, ErrorCode.UNUSED_DEFINITION)


def _real_path(path: str | Path) -> Path:
    """Return a path without links; unlike `Path.resolve`, also one of a link to itself."""
    return Path(os.path.realpath(path))


def find_unset_fluents(folder: Folder, profile: str | None) -> Iterator[Diagnostic]:
    """Find fluents that the folder itself declares, and that no rule of any profile sets: they never hold.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Yields:
        A warning for each fluent, at its ``#external``.
    """
    known = read_known_names(folder, profile)
    program, is_own = known.program, SourceOrigins(known).is_own
    programs = [folder.program(name) for name in folder.profiles] or [program]
    set_names = {use.functor for other in programs for use in other.heads if use.signature in _SETTING_OUTPUTS}
    names = {Signature(str(name), int(str(arity))) for _, (name, arity) in find_fluent_declarations(program)}
    for signature in sorted(names) if "" not in set_names else ():  # a variable may be any fluent
        use = next((use for use in program.externals if use.signature == signature), None)
        if signature.name not in set_names and use is not None and is_own(use.location.file):
            message, remedy = f"no rule sets the fluent {signature}", f"write next({signature.name}…) :- event(…)"
            yield make_warning(use.location, message, remedy, ErrorCode.UNUSED_DEFINITION)


def find_never_legal_labels(folder: Folder, profile: str | None) -> Iterator[Diagnostic]:
    """Find rules of the folder itself whose labels are legal in no state of any profile, though they have forms.

    Labels without a form are left out, because a variant may keep their numbers in masks. Labels with a form in
    ``barred/1`` are left out too. Where plays are composed of parts, ``move/1`` is about single cards.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Yields:
        A warning for each rule for labels of which no instance can be played.
    """
    known = read_known_names(folder, profile)
    origins = SourceOrigins(known)
    rules: dict[Location, list[Term]] = {}
    for signature in (Signature("label", 1), Signature("label", 2)):
        for instance in known.kb.instances(*signature):
            location = origins.find_own_head(signature, instance)
            if location is not None and instance[-1] != _PASS:
                rules.setdefault(location, []).append(instance[-1])
    idle = _unplayable_labels(known) if rules else set()
    rules = {location: labels for location, labels in rules.items() if idle.issuperset(labels)}
    if rules and len(folder.profiles) > 1:
        for other in known.other_profiles:
            idle &= _unplayable_labels(other)
    for location, labels in rules.items():
        if idle.issuperset(labels):
            others = f", nor are {len(labels) - 1} more of this rule" if len(labels) > 1 else ""
            yield make_warning(
                location, f"label({labels[0]}) has a form, and is never legal{others}",
                "derive playable/1 of the form (<playable> does so for forms with kickers, <wilds> for those with wild "
                "cards), or move/1 and legal/1",
                ErrorCode.NEVER_DERIVED,
            )  # fmt: skip


def _other_profiles(folder: Folder, profile: str | None, dead: Collection[TracedRule]) -> list[str]:
    """Return the other profiles, first those with rules for what the conditions of dead rules lack."""
    known = read_known_names(folder, profile)
    lacking = known.program.reachable_predicates(rule.head for rule in dead) - _predicates_with_instances(known)
    others = [name for name in folder.profiles if name != (profile or folder.default_profile)]
    return sorted(others, key=lambda name: -len({use.signature for use in folder.program(name).heads} & lacking))


def _unplayable_labels(known: KnownNames) -> set[Term]:
    """Return the labels of which every form is neither a possible move nor barred, or that are never legal."""
    kb = known.kb
    if kb.instances("more", 0):
        return set()
    moves, legal = ({instance[0] for instance in kb.instances(name, 1)} for name in ("move", "legal"))
    barred = {instance[0] for instance in kb.instances("barred", 1)}
    forms: dict[Term, list[Term]] = {}
    for label, form in kb.instances("form", 2):
        forms.setdefault(label, []).append(form)
    return {
        label
        for label, names in forms.items()
        if not barred.intersection(names) and (label not in legal or not moves.intersection(names))
    }


def _dead_rules(folder: Folder, profile: str | None) -> tuple[TracedRule, ...]:
    return _cached_dead_rules(folder.path, folder.excluded_files, profile, folder.fingerprint(profile))


@lru_cache(maxsize=16)  # each profile of a folder may ask for all the others
def _cached_dead_rules(
    path: Path, excluded_files: frozenset[str], profile: str | None, fingerprint: object
) -> tuple[TracedRule, ...]:
    known = read_known_names(Folder(path, excluded_files), profile)
    kb, program, is_own = known.kb, known.program, SourceOrigins(known).is_own
    derived = _predicates_with_instances(known)
    switches = set(program.defined) | {use.signature for use in program.domain_checks}
    return tuple(
        rule
        for rule in find_rules_without_instances(kb, lambda location: is_own(location.file))
        if (rule.head in derived or rule.head in program.defined)  # others are reported as predicates
        and not any(use.signature in switches or use.signature not in derived for use in _uses_in(rule, program.bodies))
    )


def _predicates_with_instances(known: KnownNames) -> set[Signature]:
    return {Signature(name, len(args)) for name, args in known.kb.ground.atoms}


def _uses_in(rule: TracedRule, uses: Collection[PredicateUse]) -> Iterator[PredicateUse]:
    """Yield the uses of predicates within a rule."""
    whole = rule.location
    start, end = (whole.line, whole.column), (whole.end_line, whole.end_column)
    for use in uses:
        if use.location.file == whole.file and start <= (use.location.line, use.location.column) <= end:
            yield use


def _find_culprit(rule: TracedRule, known: KnownNames) -> PredicateUse | None:
    """Return the first condition that no atom matches by itself; None if only several together never hold."""
    for use in _uses_in(rule, known.program.bodies):
        if not use.negated and not any(map(use.matches, known.kb.instances(*use.signature))):
            return use
    return None


def _place(location: Location) -> Place:
    return location.file, location.line, location.column
