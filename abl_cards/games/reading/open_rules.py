"""Folders with rules that have no circuit: choices, disjunctions, loops through a negation.

The files with such rules are set aside. What is left is a game like any other, if it is one at all; clingo answers the
whole folder (abl_cards.logic.solver).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from abl_cards.games.reading.fluents import declared_fluents
from abl_cards.games.reading.folder import Folder, declarations
from abl_cards.games.reading.loading import read_knowledge
from abl_cards.games.reading.variants import text_of
from abl_cards.games.telling.columns import INPUTS
from abl_cards.logic import Input, KBError, Signature
from abl_cards.logic.build import Request
from abl_cards.logic.check_ground import NOT_STRATIFIED
from abl_cards.logic.errors import Diagnostic
from abl_cards.logic.statements import OPEN_HEADS, REFUSED, Program


@dataclass(frozen=True)
class OpenRules:
    """A folder and a profile of it, with all its files, as clingo is asked about it."""

    folder: Folder
    profile: str | None = None

    def closed(self) -> Folder:
        """The folder without the files that have no circuit; raises KBError for what is wrong with the others."""
        folder = replace(self.folder, set_aside=frozenset(_open_files(self._program().problems)))
        while True:
            try:
                read_knowledge(folder, self.profile)
            except KBError as problem:
                loops = set(_looping(problem.diagnostics)) & {str(file) for file in folder.files(self.profile)}
                if not loops:
                    raise
                folder = replace(folder, set_aside=folder.set_aside | loops)
            else:
                return folder

    def request(self) -> Request:
        """What clingo grounds: a game may ask what games are told, any other folder whatever it declares."""
        program = self._program()
        declared = {use.signature for use in program.externals}
        if Signature("pack", 2) in {use.signature for use in program.heads}:
            declared = set(INPUTS) | set(declared_fluents(declarations(program)))
        inputs = tuple(Input(name, arity=arity) for name, arity in sorted(declared))
        return Request(tuple(self.folder.files(self.profile)), inputs, (), {}, self.folder.library)

    def open_predicates(self, closed: Folder) -> frozenset[str]:
        """The predicates, such as "plan/2", that files which were set aside derive; all of no game."""
        aside = [Path(name) for name in closed.set_aside]
        heads = text_of(aside, self.folder.library).heads if aside else []
        return frozenset(str(use.signature) for use in heads if use.signature.name not in _TOLD)

    def _program(self) -> Program:
        return self.folder.program(self.profile)


_TOLD = {"preference", "says", "cost"}
"""Of costs the sum is told."""
_OPEN_MESSAGES = {REFUSED[kind][0] for kind in OPEN_HEADS}


def _open_files(problems: Iterable[Diagnostic]) -> Iterator[str]:
    for each in problems:
        if each.message in _OPEN_MESSAGES and each.location is not None:
            yield each.location.file


def _looping(problems: Iterable[Diagnostic]) -> Iterator[str]:
    for each in problems:
        if each.message.startswith(NOT_STRATIFIED) and each.location is not None:
            yield each.location.file
