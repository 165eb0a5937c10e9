"""Locate the errors of a variant at lines of the edited folder, also errors found in inherited rules.

A parent that passes the check by itself is not the cause. So the cause is a line by which the variant adds, replaces or
leaves out rules. The location where the error was found becomes part of the message.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from abl_cards.asp import Diagnostic, KBError, Location, PredicateUse, ProgramSummary, Severity, Signature, make_warning
from abl_cards.core import ErrorCode
from abl_cards.games.dead_code import find_unread_files
from abl_cards.games.description import (
    ENGINE_SIGNATURES,
    KB_ROOT,
    VARIANT_FILE,
    Folder,
    count_named_arguments,
    find_similar_head,
    parse_files,
    suggest_similar_predicate,
)

_PREDICATE = re.compile(r"(\w+)(?:/(\d+)|(?=\())")
_PARENT_FACT, _REMOVAL_FACTS = Signature("parent", 1), {Signature("leaves_out", 1), Signature("replaces", 1)}


def relocate_errors(problem: KBError, folder: Folder, profile: str | None) -> KBError:
    """Return the errors of a folder, each at a line of its own files where one can be named.

    Args:
        problem: The errors.
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
    """
    try:
        layers = folder.layers.folders
        locator = _ErrorLocator(folder, profile, layers, folder.program(profile))
    except KBError:  # the text cannot be parsed: these errors have their lines
        return problem
    diagnostics = [locator.relocate(locator.explain_misspelt(diagnostic)) for diagnostic in problem.diagnostics]
    with suppress(KBError):  # another profile cannot be parsed
        diagnostics += find_unread_files(folder, profile)
    return KBError([*diagnostics, *locator.find_misspelt(diagnostics)])


@dataclass(frozen=True)
class _ErrorLocator:
    folder: Folder
    profile: str | None
    layers: tuple[Path, ...]
    program: ProgramSummary

    def explain_misspelt(self, problem: Diagnostic) -> Diagnostic:
        """Place an error about a predicate that no rule derives at a rule for a similar name that nothing uses."""
        if problem.severity != Severity.ERROR or problem.code == ErrorCode.UNKNOWN_PREDICATE:
            return problem
        names = {match[1] for match in _PREDICATE.finditer(f"{problem.message} {problem.remedy}")}
        for missing in self._underived_outputs:
            if missing.name in names and (similar := find_similar_head(missing, self._unused_heads)):
                remedy = f"'{similar.signature}' is used nowhere: did you mean '{missing}'?"
                return replace(problem, location=similar.location, remedy=remedy)
        return problem

    def find_misspelt(self, reported: Collection[Diagnostic]) -> Iterator[Diagnostic]:
        """Warn of rules of the folder itself for names that nothing uses and the engine's are similar to.

        An error tells what is missing without such a rule, at other lines.
        """
        texts = "\n".join(f"{diagnostic.message} {diagnostic.remedy}" for diagnostic in reported)
        for signature, use in self._unused_heads.items():
            remedy = suggest_similar_predicate(signature, ENGINE_SIGNATURES)
            if remedy and self._is_own(use.location) and f"'{signature}'" not in texts:
                message = f"'{signature}' is derived but used nowhere"
                yield make_warning(use.location, message, remedy, ErrorCode.UNUSED_DEFINITION)

    @cached_property
    def _underived_outputs(self) -> list[Signature]:
        """Predicates that the engine reads and no rule derives."""
        return sorted(ENGINE_SIGNATURES - {use.signature for use in self.program.heads})

    @cached_property
    def _unused_heads(self) -> Mapping[Signature, PredicateUse]:
        return self.program.unused_heads(ENGINE_SIGNATURES)

    def relocate(self, problem: Diagnostic) -> Diagnostic:
        """Return an error at the line of the edited folder that causes it."""
        location = problem.location
        if problem.severity != Severity.ERROR or (location is not None and self._is_own(location)):
            return problem
        if problem.message in self._parent_errors:
            return self._parent_errors[problem.message]
        cause = self._find_cause(problem)
        if cause is None or cause == location:
            return problem
        message = problem.message if location is None else f"{problem.message}; it shows at {location}"
        return replace(problem, location=cause, message=message)

    @cached_property
    def _own_path(self) -> Path:
        return self.folder.path.resolve()

    def _is_own(self, location: Location) -> bool:
        return Path(location.file).resolve().is_relative_to(self._own_path)

    @cached_property
    def _parent_errors(self) -> Mapping[str, Diagnostic]:
        """Errors of the parent by itself, by message; shipped games have none."""
        from abl_cards.games.game import Game

        if len(self.layers) < 2 or self.layers[-2].resolve().parent == KB_ROOT.resolve():
            return {}
        parent = Folder(self.layers[-2])
        try:
            Game(parent).knowledge_base(None, self.profile if self.profile in parent.profiles else None)
        except KBError as problem:
            return {item.message.partition("; it shows at ")[0]: item for item in problem.diagnostics}
        return {}

    def _find_cause(self, problem: Diagnostic) -> Location | None:
        """Return the likeliest cause: a removed file, an own rule, one that it depends on, an include, any own line."""
        predicates = dict.fromkeys((match[1], match[2]) for match in _PREDICATE.finditer(problem.message))
        uses = [use for predicate in predicates for use in self._uses if _is_named(use.signature, *predicate)]
        if not uses and problem.location is not None:
            uses = [use for use in self._uses if _contains(use.location, problem.location)]
        known = {use.signature for use in self.program.heads} | {use.signature for use in self.program.externals}
        missing = [name for name, arity in predicates if not any(_is_named(other, name, arity) for other in known)]
        signatures = list(dict.fromkeys(use.signature for use in uses))
        candidates = (
            self._removal_of(missing),
            self._own_rule_for(signatures, problem.message),
            *(self._causes_of_stuck_play(signatures, problem.message) if problem.code == ErrorCode.RULES_STUCK else ()),
            self._own_dependency_of(signatures, problem.message),
            self._own_rule_with_term(problem.message) if not missing else None,
            self._own_include_of(problem.location),
            next(self._own_constants(), None) if len(self.layers) > 1 else None,
            *(use.location for use in self._removal_facts),
            *(use.location for use in self._heads[:1]),
            *(use.location for use in self._variant_facts if use.signature == _PARENT_FACT),
        )
        return next((location for location in candidates if location is not None), None)

    @cached_property
    def _uses(self) -> list[PredicateUse]:
        return [*self.program.heads, *self.program.bodies, *self.program.externals]

    @cached_property
    def _heads(self) -> list[PredicateUse]:
        """Heads and declarations in the folder's own files."""
        own = [use for use in (*self.program.heads, *self.program.externals) if self._is_own(use.location)]
        return [use for use in own if Path(use.location.file).name != VARIANT_FILE]

    def _own_rule_for(self, signatures: Collection[Signature], message: str) -> Location | None:
        """Return an own rule for a predicate, preferably one about the terms of the message."""
        for signature in signatures:
            heads = [use for use in self._heads if use.signature == signature]
            if heads:
                return max(heads, key=lambda use: count_named_arguments(use, message)).location
        return None

    def _causes_of_stuck_play(self, signatures: Collection[Signature], message: str) -> Iterator[Location | None]:
        """Yield locations of own rules that may leave no move.

        Rules that name a label without cards come first. Where no label is legal, a rule for a predicate follows that
        shared files negate, such as barred/1: rules that a move needs are seldom at fault.
        """
        label = message.partition("`")[0]  # the rest describes the state
        for use in (*self._heads, *filter(lambda use: self._is_own(use.location), self.program.bodies)):
            if any(f" {term}:" in label for term in use.pattern if "(" in str(term)):
                yield use.location
        if "is empty" not in message:
            return
        reached = self.program.reachable_predicates(signatures)
        removing = {
            use.signature
            for head, use in self.program.reads
            if use.negated and head in reached and not self._is_own(use.location)
        }
        yield self._own_rule_for(sorted(removing), message)

    def _own_dependency_of(self, signatures: Collection[Signature], message: str) -> Location | None:
        """Return an own rule for the nearest predicate that the predicates depend on."""
        visited, level = set(signatures), set(signatures)
        while level:
            level = {item for signature in level for item in self.program.dependencies.get(signature, ())} - visited
            visited |= level
            location = self._own_rule_for(sorted(level), message)
            if location is not None:
                return location
        return None

    def _own_rule_with_term(self, message: str) -> Location | None:
        """Return an own fact or rule about a term that the message names."""

        def count_named_words(use: PredicateUse) -> int:
            names = tuple(term for term in use.pattern if isinstance(term, str))  # a number may be any number
            return count_named_arguments(replace(use, pattern=names), message)

        head = max(self._heads, key=count_named_words, default=None)
        return head.location if head is not None and count_named_words(head) else None

    def _own_include_of(self, location: Location | None) -> Location | None:
        """Return the own ``#include`` that brings in the shared file where an error shows."""
        if location is None:
            return None
        return self.program.sources.find_include(location.file, self.folder.include_paths, [self._own_path])

    def _own_constants(self) -> Iterator[Location]:
        for location, _ in self.program.constants.values():
            if self._is_own(location):
                yield location

    # --- variant.lp ---------------------------------------------------------------------------------------------------

    @cached_property
    def _variant_facts(self) -> list[PredicateUse]:
        file = self.folder.path / VARIANT_FILE
        return parse_files([file]).facts if file.is_file() else []

    @property
    def _removal_facts(self) -> list[PredicateUse]:
        return [use for use in self._variant_facts if use.signature in _REMOVAL_FACTS]

    def _removal_of(self, names: Collection[str]) -> Location | None:
        """Return the line that leaves out or replaces a file of the parent with rules for one of the predicates."""
        for use in self._removal_facts if names else ():
            file = self._parent_file(str(use.pattern[0]).strip('"'))
            text = parse_files([file]) if file is not None else None
            if text and {head.signature.name for head in (*text.heads, *text.externals)} & set(names):
                return use.location
        return None

    def _parent_file(self, name: str) -> Path | None:
        files = (folder / f"{name}.lp" for folder in reversed(self.layers[:-1]))
        return next((file for file in files if file.is_file()), None)


def _is_named(signature: Signature, name: str, arity: str | None) -> bool:
    return signature.name == name and arity in (None, str(signature.arity))


def _contains(use: Location, location: Location) -> bool:
    return use.file == location.file and location.line <= use.line <= location.end_line
