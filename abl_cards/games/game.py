"""A game by its rule files, and what is told of games beside their play.

A *Game* is light: it knows its rule files. Its *Engine* is a knowledge base compiled into circuits; it lays *Tables*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.loading import read_knowledge
from abl_cards.games.reading.science import read_all
from abl_cards.games.reading.variants import HOME
from abl_cards.games.tables import Listener
from abl_cards.games.verdicts import keep_sound, known_sound
from abl_cards.logic import KnowledgeBase

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
        folder = self._folder(directory)
        kb = read_knowledge(folder, profile) if cache else None
        if kb is None or not known_sound(kb):
            from abl_cards.games.engine import checked  # numba and all its kernels: not before somebody plays

            kb = checked(folder, profile, self.name, cache)
            keep_sound(kb)
        return kb

    def science(
        self, directory: Path | None = None, profile: str | None = None, cache: bool = True
    ) -> Iterator[KnowledgeBase]:
        """Load and check its rules beside play, if it has any; raises KBError."""
        return read_all(self._folder(directory), profile, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
        from abl_cards.games.engine import engine_of

        return engine_of(self._folder(directory), profile, self.name)

    def _folder(self, directory: Path | None) -> Folder:
        return self.folder if directory is None else Folder(directory)
