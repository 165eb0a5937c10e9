"""Games by name or folder: their rule files, engines, legal moves and explanations.

A `Game` is light: it holds the path of the rule files. Its `Engine` is a knowledge base compiled into circuits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.asp import Diagnostic, did_you_mean
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError, check_path, is_one_of, to_plain_json
from abl_cards.games.description import (
    COMMON_DIR,
    KB_ROOT,
    Folder,
    is_known_valid,
    is_known_warning_free,
    load_auxiliary_rules,
    load_game_knowledge,
    store_valid,
)

if TYPE_CHECKING:
    from abl_cards import Explanation
    from abl_cards.games.engine import Engine


@dataclass(frozen=True)
class Game:
    """A game, given by a folder of rule files; `load` makes it.

    Attributes:
        folder: The folder of rule files.
        profile: Profile of the rules that all methods use by default; None for the default profile of the folder.
    """

    folder: Folder
    profile: str | None = None

    def __repr__(self) -> str:
        return f"Game({self.name!r}, profile={self.profile!r})"

    @property
    def name(self) -> str:
        """Name in commands and in `load`: that of a shipped game, or the path of a rule folder."""
        folder = self.folder.current()
        shipped = folder.path.resolve().parent == KB_ROOT.resolve()
        return folder.name if shipped else str(folder.path)

    @property
    def title(self) -> str:
        """Names in all languages, as the facts ``title/2`` give them."""
        return self.folder.current().title

    @property
    def directory(self) -> Path:
        """Path of the rule files."""
        return self.folder.current().path

    def with_profile(self, profile: str | None) -> Game:
        """Return the game with another default profile.

        Args:
            profile: Name of a profile; None for the default profile of the folder.

        Raises:
            GameError: The folder has no such profile.
        """
        if profile is not None:
            _check_profile(self.folder.current(), profile)
        return replace(self, profile=profile)

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles that `load` accepts, those of parent folders included."""
        return self.folder.current().profiles

    def knowledge_base(
        self, directory: str | Path | None = None, profile: str | None = None, cache: bool = True
    ) -> KnowledgeBase:
        """Load and check the rule files, and the game that they describe.

        Args:
            directory: Rule folder to load in place of the game's own.
            profile: Profile to use in place of `Game.profile`.
            cache: Whether to read and write the disk cache.

        Returns:
            The checked rules, ready to be compiled into circuits.

        Raises:
            GameError: ``directory`` is not a path, or ``profile`` is not a name.
            KBError: The rules have errors, as ``abl-cards kb check`` reports them, or there is no such profile.
        """
        from abl_cards.games.guard import guard_rule_errors

        folder, profile = self._current_folder(directory), self._choose_profile(profile)
        with guard_rule_errors(folder, profile):
            kb = load_game_knowledge(folder, profile) if cache else None
        if kb is None or not is_known_valid(kb, folder):
            from abl_cards.games.validation import validated_rules  # imports numba and all kernels: only where it must

            kb = validated_rules(folder, profile, cache).kb
        return kb

    def warnings(
        self, kb: KnowledgeBase, directory: str | Path | None = None, profile: str | None = None
    ) -> list[Diagnostic]:
        """Play a few episodes at random, and return the warnings of ``kb check`` that are not in ``kb.warnings``.

        Args:
            kb: The loaded rules, from `knowledge_base`.
            directory: Rule folder that `kb` was loaded from, in place of the game's own.
            profile: Profile that `kb` was loaded with, in place of `Game.profile`.

        Raises:
            KBError: An error of the rules stops play.
        """
        from abl_cards.games.dead_code import find_unread_files

        folder, profile = self._current_folder(directory), self._choose_profile(profile)
        unread = list(find_unread_files(folder, profile))
        if is_known_warning_free(kb, folder):
            return unread
        from abl_cards.games.validation import find_warnings, require_playable, validated_rules

        rules = validated_rules(folder, profile)
        require_playable(rules)
        warnings = list(find_warnings(rules))
        if not warnings:
            store_valid(kb, folder, is_warning_free=True)
        return unread + warnings

    def show_errors(
        self, kb: KnowledgeBase, directory: str | Path | None = None, profile: str | None = None
    ) -> tuple[Diagnostic, ...]:
        """Return the errors of ``show.lp``, the file that states what a table shows; the rules are valid despite them.

        Args:
            kb: The loaded rules, from `knowledge_base`.
            directory: Rule folder that `kb` was loaded from, in place of the game's own.
            profile: Profile that `kb` was loaded with, in place of `Game.profile`.
        """
        from abl_cards.games.description import check_show_rules

        return check_show_rules(kb, self._current_folder(directory), self._choose_profile(profile))

    def auxiliary_rules(
        self, directory: str | Path | None = None, profile: str | None = None, cache: bool = True
    ) -> Iterator[KnowledgeBase]:
        """Load and check the rules of the subfolder ``science``, where there are any.

        Args:
            directory: Rule folder to load in place of the game's own.
            profile: Profile to use in place of `Game.profile`.
            cache: Whether to read and write the disk cache.

        Raises:
            GameError: ``directory`` is not a path, or ``profile`` is not a name.
            KBError: The rules have errors.
        """
        return load_auxiliary_rules(self._current_folder(directory), self._choose_profile(profile), cache)

    def engine(self, directory: str | Path | None = None, profile: str | None = None) -> Engine:
        """Compile and check the rule files; the engine is kept until a file changes.

        Args:
            directory: Rule folder to compile in place of the game's own.
            profile: Profile to use in place of `Game.profile`.

        Returns:
            The compiled game, which deals, lists moves and plays many matches at once.

        Raises:
            GameError: ``directory`` is not a path, or ``profile`` is not a name.
            KBError: The rules have errors, as ``abl-cards kb check`` reports them, or there is no such profile.
        """
        from abl_cards.games.compilation import cached_engine

        return cached_engine(self._current_folder(directory), self._choose_profile(profile), self.name)

    def legal_moves(self, state: Mapping[str, Any]) -> list[Any]:
        """List the legal moves of a state.

        Args:
            state: View of the seat to move, in the JSON form of docs/reference/formats.md. A field ``profile``
                selects a profile of the rules for this state.

        Returns:
            The moves in the JSON form of the game, in the order of ``abl-cards legal``.

        Raises:
            GameError: A field of the state is missing or wrong; the message names it.
            KBError: The rules have errors.
        """
        (moves,) = self.engine(None, self.profile_for(state)).legal_moves([to_plain_json(state)])
        if isinstance(moves, GameError):
            raise moves
        return moves

    def explain(self, state: Mapping[str, Any], move: Any = None, language: str = "en") -> Explanation:
        """Explain a decision by the preferences of the rules: reasons with weights and sentences.

        Args:
            state: View of the seat to move, in the JSON form of docs/reference/formats.md.
            move: A legal move to assess beside the best one, as an item of `legal_moves` or as text such as
                ``"H4 C4"``. None to explain only the best move.
            language: Language of the sentences, ``"en"`` or ``"zh"``.

        Returns:
            The explanation. `Explanation.chosen` is the best move with its reasons, `Explanation.made` the assessment
            of ``move``; ``str()`` gives the text of ``abl-cards explain``, `Explanation.to_json` plain values.

        Raises:
            GameError: The state is incomplete or wrong, the move is not legal, or the language is unknown.
            KBError: The rules have errors.
        """
        from abl_cards import Explanation  # explanations lie above games: loaded by the table of the root package

        return Explanation.of_state(self.engine(None, self.profile_for(state)), state, move, language)

    def profile_for(self, state: object, directory: str | Path | None = None) -> str | None:
        """Return the profile that a state names in its field ``profile``, else `Game.profile`.

        Args:
            state: A state in JSON form.
            directory: Rule folder whose profiles count, in place of the game's own.

        Raises:
            GameError: The state names an unknown profile, or the directory is not a path.
        """
        name = state.get("profile") if isinstance(state, Mapping) else None
        if not isinstance(name, str):
            return self.profile
        folder = self.folder.current() if directory is None else Folder(check_path("directory", directory))
        _check_profile(folder, name)
        return name

    def _current_folder(self, directory: str | Path | None) -> Folder:
        """Return the folder without the files that it has read, so that edits count; raises GameError for no path."""
        return replace(self.folder.current()) if directory is None else Folder(check_path("directory", directory))

    def _choose_profile(self, profile: str | None) -> str | None:
        """Return the profile that is given, else that of the game; raises GameError where it is no name."""
        if profile is not None and (not isinstance(profile, str) or not profile):
            raise GameError(f"profile={profile!r:.60}: give its name, or None", ErrorCode.UNKNOWN_PROFILE)
        return self.profile if profile is None else profile


def game_names() -> list[str]:
    """Return the names of the games that come with the package: the folders of ``kb`` with rule files."""
    return sorted(path.name for path in KB_ROOT.iterdir() if path.name != COMMON_DIR.name and _has_rule_files(path))


def _has_rule_files(path: Path) -> bool:
    """Return whether a path is a folder of rule files; unlike `Path.glob`, raises OSError if it may not be read."""
    return path.is_dir() and any(name.endswith(".lp") for name in os.listdir(path))


def load(name: str | Path, profile: str | None = None) -> Game:
    """Load a game by name, or by the path of a folder of rule files.

    Args:
        name: A shipped game, such as ``"guandan"``, or the path of a folder with ``.lp`` files.
        profile: Profile of the rules, such as ``"platform"``; None for the default profile of the folder.

    Returns:
        The game. Rule files are read when a method needs them.

    Raises:
        GameError: There is no such game, or it has no such profile.
    """
    given: object = name
    if not isinstance(given, str | Path):
        problem = f"{given!r:.60} is no game: give its name, the path of a rule folder, a game or an engine"
        raise GameError(problem, ErrorCode.UNKNOWN_GAME)
    is_shipped = str(name) != COMMON_DIR.name and str(name) in os.listdir(KB_ROOT)
    path = KB_ROOT / name if is_shipped else Path(name)
    try:
        has_rules = bool(str(name)) and _has_rule_files(path)
    except OSError as problem:  # a name that is too long, or a folder that may not be read
        text = f"{str(name)!r:.60} cannot be read as a folder of rule files ({problem.strerror}); name another one"
        raise GameError(text, ErrorCode.UNKNOWN_GAME) from None
    if not has_rules:
        raise GameError(_unknown_game_text(str(name)), ErrorCode.UNKNOWN_GAME, [str(name)])
    return Game(Folder(path)).with_profile(profile)


def _unknown_game_text(name: str) -> str:
    known = ", ".join(game_names())
    if not name:
        return f"the name of the game is empty (there are: {known}; or name a folder of rule files)"
    if Path(name).is_dir():
        return f"{name} has no rule files (name a folder of rule files, or begin one: abl-cards kb new)"
    if Path(name).is_file() or "/" in name or os.sep in name:
        return f"{name} is no folder (name a folder of rule files, or a game: {known})"
    suggestion = did_you_mean(name, game_names())
    rest = f"there are: {known}; or name a folder of rule files"
    return f"unknown game '{name}' ({f'{suggestion} ' if suggestion else ''}{rest})"


def _check_profile(folder: Folder, profile: str) -> None:
    """Raise GameError where a folder has no such profile."""
    if not is_one_of(profile, folder.profiles):
        known, name = ", ".join(sorted(folder.profiles)), str(profile)[:60]
        text = f"unknown profile '{name}' (there are: {known})" if known else f"'{name}', but there are no profiles"
        raise GameError(f"profile: {text} in {folder.path}", ErrorCode.UNKNOWN_PROFILE, [str(profile)])
