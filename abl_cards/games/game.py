"""A game by its rule files, and what is told of games beside their play.

A *Game* is light: it knows its rule files. Its *Engine* is a knowledge base compiled into circuits; it lays *Tables*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.loading import read_knowledge
from abl_cards.games.reading.science import read_all
from abl_cards.games.reading.variants import HOME
from abl_cards.games.tables import Listener
from abl_cards.games.verdicts import known_flawless, known_sound
from abl_cards.logic import Diagnostic, KnowledgeBase

if TYPE_CHECKING:
    from abl_cards.games.engine import Engine


class GameError(ValueError):
    """Something asked of a game that it cannot do, said in one line."""


class TooManyAtOnce(GameError):
    """More card sets of several decisions than are listed in one call; fewer decisions may do."""


@dataclass(frozen=True)
class Traits:
    """What the plain heuristics need to know of the labels."""

    kind: NDArray[np.int16]  # [labels] labels of one type share a number
    cards: NDArray[np.int8]  # [labels] cards of the label's smallest form
    bomb: NDArray[np.bool_]  # [labels] beats other types
    pass_label: int
    tricks: bool = False  # cards are laid into tricks, and some are worth something there


@dataclass(frozen=True)
class Disagreement:
    """A line of a record that the rules do not confirm."""

    line: int  # from 1
    text: str


@dataclass(frozen=True)
class Replay:
    """What came of playing records again."""

    episodes: int
    plays: int
    disagreements: tuple[Disagreement, ...]


class Recorder(Listener, Protocol):
    """A listener that writes matches down."""

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of the match at a table as JSON objects; forgets them."""


@dataclass(frozen=True)
class Game:
    """A game by its rule files."""

    folder: Folder

    @property
    def name(self) -> str:
        """The word for it in commands: a folder that did not come with the package goes by its path."""
        shipped = self.folder.path.resolve().parent == HOME.resolve()
        return self.folder.name if shipped else str(self.folder.path)

    @property
    def title(self) -> str:
        """Its names, as ``title/2`` has them."""
        return self.folder.title

    @property
    def home(self) -> Path:
        """Where the rule files lie."""
        return self.folder.path

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files, the game's own by default, and what they describe; raises KBError."""
        from abl_cards.games.foreseen import foreseen

        folder = self._folder(directory)
        with foreseen(folder, profile):
            kb = read_knowledge(folder, profile) if cache else None
        if kb is None or not known_sound(kb, folder):
            from abl_cards.games.soundness import sound_rules  # imports numba and all kernels: only where it must

            kb = sound_rules(folder, profile, cache).kb
        return kb

    def warnings(
        self, kb: KnowledgeBase, directory: Path | None = None, profile: str | None = None
    ) -> list[Diagnostic]:
        """Return what `kb check` reports of sound rules beside the warnings of their knowledge base."""
        folder = self._folder(directory)
        if known_flawless(kb, folder):
            return []
        from abl_cards.games.soundness import sound_rules, warnings

        return list(warnings(sound_rules(folder, profile)))

    def science(
        self, directory: Path | None = None, profile: str | None = None, cache: bool = True
    ) -> Iterator[KnowledgeBase]:
        """Load and check its rules beside play, if it has any; raises KBError."""
        return read_all(self._folder(directory), profile, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile and check the rule files; raises KBError with the errors of `kb check`."""
        from abl_cards.games.engine import engine_of

        return engine_of(self._folder(directory), profile, self.name)

    def _folder(self, directory: Path | None) -> Folder:
        """The folder as it is now: a folder remembers which files it had."""
        return replace(self.folder) if directory is None else Folder(directory)
