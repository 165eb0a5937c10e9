"""A game as a folder of rule files: where it is, and what its text declares before anything is grounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import kb
from abl_cards.games.reading.fluents import MANNERS, declared_fluents
from abl_cards.games.rule_files import kb_error
from abl_cards.logic import Input, KBError, KnowledgeBase, Limits, Signature, Term
from abl_cards.logic.program import parse, read
from abl_cards.logic.statements import Program, collect

HOME = Path(kb.__file__).parent
COMMON = HOME / "common"


@dataclass(frozen=True)
class Folder:
    """Some rule files with their profiles."""

    path: Path

    @property
    def name(self) -> str:
        """The word for the game."""
        return self.path.resolve().name

    @property
    def trusted(self) -> bool:
        """Whether it came with the package."""
        return self.path.resolve().parent == HOME.resolve()

    @property
    def library(self) -> tuple[Path, ...]:
        """Where ``#include <name>.`` looks: a copy carries its own common files along."""
        return tuple(folder for folder in (self.path / "common", COMMON) if folder.is_dir())

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of the profiles."""
        return tuple(sorted(file.stem for file in (self.path / "profiles").glob("*.lp")))

    def files(self, profile: str | None = None) -> list[Path]:
        """Everything in the folder, and one profile; raises KBError where there is none."""
        if not self.path.is_dir():
            raise kb_error(f"{self.path} is no directory", "name a game, or a folder of rule files")
        files = sorted(self.path.glob("*.lp"))
        if not files:
            raise kb_error(f"{self.path} has no rule files", "write labels.lp, or copy a game: abl-cards kb copy")
        chosen = profile or self.default_profile
        if chosen is None:
            return files
        if chosen not in self.profiles:
            known = ", ".join(self.profiles) or "none"
            raise kb_error(f"unknown profile '{chosen}'", f"{self.path}/profiles has: {known}")
        return [*files, self.path / "profiles" / f"{chosen}.lp"]

    @cached_property
    def default_profile(self) -> str | None:
        """What ``default_profile/1`` says, else the only profile; None where there are none."""
        if not self.profiles:
            return None
        said = [str(use.pattern[0]) for use in self._text(sorted(self.path.glob("*.lp"))).heads
                if use.signature == Signature("default_profile", 1)]  # fmt: skip
        if said:
            return said[0]
        if len(self.profiles) == 1:
            return self.profiles[0]
        raise kb_error(f"{self.path} has several profiles", "say in game.lp which is the usual one: default_profile(…).")

    def _text(self, files: list[Path]) -> Program:
        sources, _ = read(files, Limits().file_bytes, self.library)
        statements, _ = parse(sources)
        return collect(statements, sources, {})

    def program(self, profile: str | None = None) -> Program:
        """What the text declares and uses."""
        return self._text(self.files(profile))


def declarations(program: Program) -> Iterator[tuple[str, tuple[Term | None, ...]]]:
    """The facts that declare fluents."""
    for use in program.heads:
        if use.signature.name in MANNERS and use.signature.arity == 2:
            yield use.signature.name, use.pattern


def load(folder: Folder, profile: str | None, outputs: set[Signature], inputs: set[Signature], cache: bool = True) -> KnowledgeBase:
    """Load and check; of the outputs those that the rules derive. Raises KBError."""
    program = folder.program(profile)
    derived = {use.signature for use in program.heads} | program.defined
    fluents = set(declared_fluents(declarations(program)))
    try:
        return KnowledgeBase.load(
            folder.files(profile),
            inputs=[Input(*each[:1], arity=each.arity) for each in sorted(inputs | fluents)],
            outputs=sorted(outputs & derived),
            trusted=folder.trusted,
            cache=cache,
            library=folder.library,
        )
    except KBError as problem:
        raise KBError(_without_library(problem.diagnostics, folder)) from None


def _without_library(diagnostics: tuple, folder: Folder) -> tuple:
    return diagnostics
