"""Places of errors in a variant: the line of the edited folder, where an error shows in rules that it takes over.

A parent that passes the check by itself is not at fault, so its error is caused by what the variant adds, replaces or
leaves out. The place where it shows becomes part of the message.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.loading import alike
from abl_cards.games.reading.variants import HOME, VARIANT, text_of
from abl_cards.logic import Diagnostic, KBError, Location, Severity, Signature
from abl_cards.logic.statements import Program, Use

_NAMED = re.compile(r"(\w+)(?:/(\d+)|(?=\())")
_PARENT, _TAKEN_AWAY = Signature("parent", 1), {Signature("leaves_out", 1), Signature("replaces", 1)}


def in_edited_folder(problem: KBError, folder: Folder, profile: str | None) -> KBError:
    """Return the errors of a folder, each at a line of its own files as far as one can be named."""
    try:
        layers = folder.layers.folders
        places = _Places(folder, profile, layers, folder.program(profile))
    except KBError:  # the text itself cannot be read: its errors name their lines
        return problem
    return KBError([places.moved(each) for each in problem.diagnostics])


@dataclass(frozen=True)
class _Places:
    folder: Folder
    profile: str | None
    layers: tuple[Path, ...]
    program: Program

    def moved(self, problem: Diagnostic) -> Diagnostic:
        """An error at the line of the edited folder that causes it."""
        where = problem.location
        if problem.severity != Severity.ERROR or (where is not None and self._owns(where)):
            return problem
        if problem.message in self._of_parent:
            return self._of_parent[problem.message]
        cause = self._cause(problem)
        if cause is None or cause == where:
            return problem
        message = problem.message if where is None else f"{problem.message}; it shows at {where}"
        return replace(problem, location=cause, message=message)

    @cached_property
    def _own(self) -> Path:
        return self.folder.path.resolve()

    def _owns(self, where: Location) -> bool:
        return Path(where.file).resolve().is_relative_to(self._own)

    @cached_property
    def _of_parent(self) -> Mapping[str, Diagnostic]:
        """The errors that the parent has by itself, by message; a game that comes with the package has none."""
        from abl_cards.games.game import Game

        if len(self.layers) < 2 or self.layers[-2].resolve().parent == HOME.resolve():
            return {}
        parent = Folder(self.layers[-2])
        try:
            Game(parent).knowledge(None, self.profile if self.profile in parent.profiles else None)
        except KBError as problem:
            return {each.message.partition("; it shows at ")[0]: each for each in problem.diagnostics}
        return {}

    def _cause(self, problem: Diagnostic) -> Location | None:
        """The first line that can be named: what is missing, what is derived, what that depends on, what is left."""
        said = list(dict.fromkeys(match[1] for match in _NAMED.finditer(problem.message)))
        named = [use for name in said for use in self._uses if use.signature.name == name]
        if not named and problem.location is not None:
            named = [use for use in self._uses if _at(use.location, problem.location)]
        known = {use.signature for use in self.program.heads} | {use.signature for use in self.program.externals}
        missing = [name for name in said if name not in {signature.name for signature in known}]
        signatures = list(dict.fromkeys(use.signature for use in named))
        found = (
            self._left_out(missing),
            self._derived(signatures, problem.message),
            self._leading_to(signatures, problem.message),
            self._with_term_of(problem.message),
            next(self._constants(), None),
            *(use.location for use in self._taken_away),
            *(use.location for use in self._heads[:1]),
            *(use.location for use in self._said if use.signature == _PARENT),
        )
        return next((place for place in found if place is not None), None)

    @cached_property
    def _uses(self) -> list[Use]:
        return [*self.program.heads, *self.program.bodies, *self.program.externals]

    @cached_property
    def _heads(self) -> list[Use]:
        """The heads and declarations in the folder's own files."""
        own = [use for use in (*self.program.heads, *self.program.externals) if self._owns(use.location)]
        return [use for use in own if Path(use.location.file).name != VARIANT]

    def _derived(self, signatures: Collection[Signature], message: str) -> Location | None:
        """An own rule for a predicate, one about the terms of the message before others."""
        for signature in signatures:
            mine = [use for use in self._heads if use.signature == signature]
            if mine:
                return max(mine, key=lambda use: alike(use, message)).location
        return None

    def _leading_to(self, signatures: Collection[Signature], message: str) -> Location | None:
        """An own rule for the nearest predicate that some predicates depend on."""
        seen, level = set(signatures), set(signatures)
        while level:
            level = {each for one in level for each in self.program.depends.get(one, ())} - seen
            seen |= level
            found = self._derived(sorted(level), message)
            if found is not None:
                return found
        return None

    def _with_term_of(self, message: str) -> Location | None:
        """An own fact or rule about a term that the message names."""
        found = max(self._heads, key=lambda use: alike(use, message), default=None)
        return found.location if found is not None and alike(found, message) else None

    def _constants(self) -> Iterator[Location]:
        for where, _ in self.program.constants.values():
            if self._owns(where):
                yield where

    # --- variant.lp ---------------------------------------------------------------------------------------------------

    @cached_property
    def _said(self) -> list[Use]:
        file = self.folder.path / VARIANT
        return text_of([file]).facts if file.is_file() else []

    @property
    def _taken_away(self) -> list[Use]:
        return [use for use in self._said if use.signature in _TAKEN_AWAY]

    def _left_out(self, names: Collection[str]) -> Location | None:
        """The line that leaves out or replaces a file of the parent with rules for such a predicate."""
        for use in self._taken_away if names else ():
            file = self._parents_file(str(use.pattern[0]).strip('"'))
            text = text_of([file]) if file is not None else None
            if text and {each.signature.name for each in (*text.heads, *text.externals)} & set(names):
                return use.location
        return None

    def _parents_file(self, name: str) -> Path | None:
        files = (folder / f"{name}.lp" for folder in reversed(self.layers[:-1]))
        return next((file for file in files if file.is_file()), None)


def _at(use: Location, where: Location) -> bool:
    return use.file == where.file and where.line <= use.line <= where.end_line
