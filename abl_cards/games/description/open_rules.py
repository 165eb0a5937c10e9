"""Folders with rules that have no circuit: choices, disjunctions, loops through negation.

Files with such rules are excluded. The remaining files may be a game like any other; clingo solves the whole folder
(abl_cards.asp.solver).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from abl_cards.asp import (
    BuildRequest,
    Diagnostic,
    Input,
    KBError,
    ProgramSummary,
    Signature,
    did_you_mean,
)
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description.fluents import read_fluent_types
from abl_cards.games.description.folder import Folder, find_fluent_declarations
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.loading import load_game_knowledge
from abl_cards.games.description.variants import parse_files


@dataclass(frozen=True)
class OpenRules:
    """Rule folder and profile with all files, as clingo solves them."""

    folder: Folder
    profile: str | None = None

    def to_compilable(self) -> Folder:
        """Return the folder without the files that have no circuit.

        Raises:
            KBError: The other files are not valid.
        """
        folder = replace(self.folder, excluded_files=frozenset(_find_open_files(self._program().problems)))
        while True:
            try:
                load_game_knowledge(folder, self.profile)
            except KBError as problem:
                loops = set(_find_looping_files(problem.diagnostics)) & {
                    str(file) for file in folder.files(self.profile)
                }
                if not loops:
                    raise
                folder = replace(folder, excluded_files=folder.excluded_files | loops)
            else:
                return folder

    def build_request(self) -> BuildRequest:
        """Build the request for clingo; the inputs are those of games, or in other folders all that are declared."""
        program = self._program()
        declared = {use.signature for use in program.externals}
        if Signature("pack", 2) in {use.signature for use in program.heads}:
            declared = set(INPUTS) | set(read_fluent_types(find_fluent_declarations(program)))
        inputs = tuple(Input(name, arity=arity) for name, arity in sorted(declared))
        return BuildRequest(tuple(self.folder.files(self.profile)), inputs, (), {}, self.folder.include_paths)

    def open_predicates(self, compilable: Folder) -> frozenset[str]:
        """Return the predicates, such as "plan/2", that the excluded files derive.

        Args:
            compilable: Folder as ``to_compilable`` returns it.
        """
        excluded = [Path(name) for name in compilable.excluded_files]
        heads = parse_files(excluded, self.folder.include_paths).heads if excluded else []
        return frozenset(str(use.signature) for use in heads if use.signature.name not in _SUPPLIED_PREDICATES)

    def check_predicates(self, names: Iterable[str]) -> frozenset[str]:
        """Check predicates that are to be shown.

        Args:
            names: Texts such as "plan/2".

        Returns:
            The predicates.

        Raises:
            GameError: A text has another form, or the predicate is neither derived by a rule nor an input.
        """
        known = {str(use.signature) for use in [*self._program().heads, *self._program().externals]}
        checked = set[str]()
        for name in names:
            try:
                predicate = str(Signature.parse(name))
            except ValueError as problem:
                raise GameError(str(problem), ErrorCode.INVALID_VALUE) from None
            if predicate not in known:
                remedy = did_you_mean(predicate, known) or "name one that the rules derive"
                raise GameError(f"no rule derives '{predicate}': {remedy}", ErrorCode.UNKNOWN_PREDICATE)
            checked.add(predicate)
        return frozenset(checked)

    def _program(self) -> ProgramSummary:
        return self.folder.program(self.profile)


_SUPPLIED_PREDICATES = {"preference", "says", "cost"}
"""Predicates of costs, of which only the sum is shown."""


def _find_open_files(problems: Iterable[Diagnostic]) -> Iterator[str]:
    for problem in problems:
        if problem.code is ErrorCode.NO_CIRCUIT and problem.location is not None:
            yield problem.location.file


def _find_looping_files(problems: Iterable[Diagnostic]) -> Iterator[str]:
    for problem in problems:
        if problem.code is ErrorCode.NOT_STRATIFIED and problem.location is not None:
            yield problem.location.file
