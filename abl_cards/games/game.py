"""A game by its rule files, and what is told of games beside their play.

A *Game* is light: it knows its rule files. Its *Engine* is a knowledge base compiled into circuits; it lays *Tables*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from abl_cards.errors import GameError
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.loading import read_knowledge
from abl_cards.games.reading.science import read_all
from abl_cards.games.reading.variants import COMMON, HOME
from abl_cards.games.verdicts import known_flawless, known_sound
from abl_cards.logic import Diagnostic, KnowledgeBase

if TYPE_CHECKING:
    from abl_cards.games.engine import Engine


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


def game_names() -> list[str]:
    """The games that come with the package: the folders of ``kb`` but for what they share."""
    return sorted(each.name for each in HOME.iterdir() if each.name != COMMON.name and any(each.glob("*.lp")))


def game(name: str) -> Game:
    """A game by its name, or by the path of a folder of rule files; raises GameError for what is neither."""
    if name in game_names():
        return Game(Folder(HOME / name))
    if Path(name).is_dir() and any(Path(name).glob("*.lp")):
        return Game(Folder(Path(name)))
    known = ", ".join(game_names())
    raise GameError(f"unknown game '{name}' (there are: {known}; or name a folder of rule files)")
