"""A game by its rule files, and what is told of games beside their play.

A *Game* is light: it knows its rule files. Its *Engine* is a knowledge base compiled into circuits; it lays *Tables*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from abl_cards.asp import Diagnostic
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import GameError
from abl_cards.games.description import (
    COMMON_DIR,
    KB_ROOT,
    Folder,
    is_known_valid,
    is_known_warning_free,
    load_auxiliary_rules,
    load_game_knowledge,
)

if TYPE_CHECKING:
    from abl_cards.games.engine import Engine


@dataclass(frozen=True)
class Game:
    """A game by its rule files."""

    folder: Folder

    @property
    def name(self) -> str:
        """The word for it in commands: a folder that did not come with the package goes by its path."""
        shipped = self.folder.path.resolve().parent == KB_ROOT.resolve()
        return self.folder.name if shipped else str(self.folder.path)

    @property
    def title(self) -> str:
        """Its names, as ``title/2`` has them."""
        return self.folder.title

    @property
    def directory(self) -> Path:
        """Where the rule files lie."""
        return self.folder.path

    def knowledge_base(
        self, directory: Path | None = None, profile: str | None = None, cache: bool = True
    ) -> KnowledgeBase:
        """Load and check the rule files, the game's own by default, and what they describe; raises KBError."""
        from abl_cards.games.guard import guard_rule_errors

        folder = self._current_folder(directory)
        with guard_rule_errors(folder, profile):
            kb = load_game_knowledge(folder, profile) if cache else None
        if kb is None or not is_known_valid(kb, folder):
            from abl_cards.games.validation import validated_rules  # imports numba and all kernels: only where it must

            kb = validated_rules(folder, profile, cache).kb
        return kb

    def warnings(
        self, kb: KnowledgeBase, directory: Path | None = None, profile: str | None = None
    ) -> list[Diagnostic]:
        """Return what `kb check` reports of sound rules beside the warnings of their knowledge base."""
        folder = self._current_folder(directory)
        if is_known_warning_free(kb, folder):
            return []
        from abl_cards.games.validation import find_warnings, validated_rules

        return list(find_warnings(validated_rules(folder, profile)))

    def auxiliary_rules(
        self, directory: Path | None = None, profile: str | None = None, cache: bool = True
    ) -> Iterator[KnowledgeBase]:
        """Load and check its rules beside play, if it has any; raises KBError."""
        return load_auxiliary_rules(self._current_folder(directory), profile, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile and check the rule files; raises KBError with the errors of `kb check`."""
        from abl_cards.games.engine import cached_engine

        return cached_engine(self._current_folder(directory), profile, self.name)

    def _current_folder(self, directory: Path | None) -> Folder:
        """The folder as it is now: a folder remembers which files it had."""
        return replace(self.folder) if directory is None else Folder(directory)


def game_names() -> list[str]:
    """The games that come with the package: the folders of ``kb`` but for what they share."""
    return sorted(each.name for each in KB_ROOT.iterdir() if each.name != COMMON_DIR.name and any(each.glob("*.lp")))


def load(name: str) -> Game:
    """A game by its name, or by the path of a folder of rule files; raises GameError for what is neither."""
    if name in game_names():
        return Game(Folder(KB_ROOT / name))
    if Path(name).is_dir() and any(Path(name).glob("*.lp")):
        return Game(Folder(Path(name)))
    known = ", ".join(game_names())
    raise GameError(f"unknown game '{name}' (there are: {known}; or name a folder of rule files)")
