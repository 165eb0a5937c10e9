"""The rule files of a game: where they are, and what crosses between them and Python."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import kb
from abl_cards.logic import Input, KBError, KnowledgeBase
from abl_cards.logic.errors import error


@dataclass(frozen=True)
class RuleFiles:
    """A folder of rule files with its profiles, and the predicates that the engine of the game supplies and asks."""

    game: str
    default_profile: str
    inputs: tuple[Input, ...]
    outputs: tuple[tuple[str, int], ...]  # what the engine asks
    facts: tuple[tuple[str, int], ...]  # what the engine reads once

    @property
    def home(self) -> Path:
        """The files that come with the package."""
        return Path(kb.__file__).parent / self.game

    def files(self, directory: Path | None = None, profile: str | None = None) -> list[Path]:
        """Everything in the directory, and one profile; raises KBError where there is none."""
        folder, profile = directory or self.home, profile or self.default_profile
        if not folder.is_dir():
            remedy = f"name a folder of rule files, such as a copy of kb/{self.game}"
            raise kb_error(f"{folder} is no directory", remedy)
        chosen = folder / "profiles" / f"{profile}.lp"
        if Path(profile).name != profile or not os.path.lexists(chosen):  # what is no file is told when it is read
            known = sorted(path.stem for path in (folder / "profiles").glob("*.lp"))
            raise kb_error(f"unknown profile '{profile}'", f"{folder}/profiles has: {', '.join(known) or 'none'}")
        return [*sorted(folder.glob("*.lp")), chosen]

    def load(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check; files from outside the package are grounded within bounds. Raises KBError."""
        return KnowledgeBase.load(
            self.files(directory, profile),
            inputs=self.inputs,
            outputs=(*self.outputs, *self.facts),
            trusted=directory is None or os.path.realpath(directory) == os.path.realpath(self.home),
            cache=cache,
        )


def kb_error(message: str, remedy: str) -> KBError:
    """A knowledge base that is sound logic and yet none of this game."""
    return KBError([error(None, message, remedy)])
