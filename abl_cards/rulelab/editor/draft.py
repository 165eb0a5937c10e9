"""Drafts: a variant that is being edited in a folder of its own, and the game that it was made from.

Files of the parent are copied when they are first written. Only rule files and test cases in the folder are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from abl_cards.asp import Diagnostic, KBError, Limits, keep_warm_process, read_regular_file
from abl_cards.core import ErrorCode, GameError, shared_budget, write_text
from abl_cards.games import Engine, Game, uncached_engine
from abl_cards.games.description import AUXILIARY_DIR, KB_ROOT, SHOW_FILE, VARIANT_FILE, Folder
from abl_cards.rulelab.editor.copying import make_variant
from abl_cards.rulelab.editor.diagnostics import check_folder
from abl_cards.rulelab.editor.project_index import ProjectIndex
from abl_cards.rulelab.testing import CASES_FILE as CASES

_NAME = re.compile(rf"(?:(?:profiles|{AUXILIARY_DIR})/)?[a-z][a-z0-9_]{{0,39}}\.lp|{re.escape(CASES)}")
MAX_DRAFT_FILES = 100


@dataclass(frozen=True)
class DraftFile:
    """File of the draft folder or of its parents.

    Attributes:
        name: Path relative to the folder.
        is_own: True for a file in the draft folder, False for a parent's.
    """

    name: str
    is_own: bool

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON."""
        return {"name": self.name, "own": self.is_own}


@dataclass
class RuleDraft:
    """Rules that are being edited in a folder of their own.

    Attributes:
        original_game: Game before the edit.
        profile: Profile that is edited; None for the default one.
        folder: Folder of the draft.
        compile_error: Error for which ``last_valid_engine`` returned an earlier version; None if it did not.
        opened_files: Texts of the own files when the draft was opened, by name.
    """

    original_game: Game
    profile: str | None
    folder: Path
    compile_error: KBError | None = None
    opened_files: Mapping[str, str] = field(default_factory=dict)
    _engines: dict[str | None, tuple[object, Engine]] = field(default_factory=dict)  # by profile, with fingerprint
    _valid_engines: dict[str | None, Engine] = field(default_factory=dict)  # by profile, last version without errors

    @classmethod
    def create(cls, game: Game, folder: Path, profile: str | None = None) -> RuleDraft:
        """Create a draft: a variant of a shipped game, or a copy of another rule folder.

        Args:
            game: Game to edit.
            folder: New folder.
            profile: Profile to edit; None for the default one.

        Returns:
            The draft.

        Raises:
            GameError: The folder exists, or cannot have this parent.
            KBError: The folder of the game names its parents inconsistently.
        """
        if folder.exists():
            raise GameError(f"{folder} already exists; name a new folder", ErrorCode.ALREADY_EXISTS)
        if game.directory.resolve().parent == KB_ROOT.resolve():
            make_variant(game, folder, [])
        else:
            _copy_rules(game, folder)
        keep_warm_process()
        return cls(game, profile, folder)

    def for_profile(self, profile: str | None) -> RuleDraft:
        """Return a view of the draft by another profile; it shares files and compiled rules.

        Args:
            profile: Profile of the draft; None for the default one.
        """
        return replace(self, profile=profile)

    # --- files -------------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[DraftFile]:
        """Return the files that can be read and written; raises KBError if the folder has inconsistent parents."""
        own = {name: DraftFile(name, True) for name in _own_files(self.folder)}
        inherited = {name: DraftFile(name, name in own) for name in self._parent_files}
        return sorted(
            (inherited | own).values(),
            key=lambda file: (file.name != VARIANT_FILE, file.name == CASES, "/" in file.name, file.name),
        )

    @cached_property
    def _parent_files(self) -> Mapping[str, Path]:
        layers = self.original_game.folder.layers
        named_folders = {"profiles": layers.profiles, AUXILIARY_DIR: layers.auxiliary_files}
        files_in_folders = {
            f"{folder}/{file.name}": file for folder, files in named_folders.items() for file in files.values()
        }
        rules = {file.name: file for file in layers.files if file.name != VARIANT_FILE} | files_in_folders
        if layers.show_file:
            rules[SHOW_FILE] = layers.show_file
        case_files = [layer / CASES for layer in layers.folders if (layer / CASES).is_file()]
        return rules | ({CASES: case_files[-1]} if case_files else {})

    def read(self, name: str) -> str:
        """Read a file of the draft or of its parents.

        Args:
            name: Path relative to the folder.

        Returns:
            Text of the file; invalid UTF-8 is replaced.

        Raises:
            GameError: The name is malformed, or the file does not exist.
        """
        own_file = self.folder / _check_file_name(name)
        file = own_file if own_file.is_file() else self._parent_files.get(name)
        if file is None:
            raise GameError(f"the draft has no file {name}", ErrorCode.NOT_FOUND)
        return read_regular_file(file, Limits().file_bytes).decode("utf-8-sig", "replace")

    def read_original_files(self) -> dict[str, str]:
        """Return the texts of the files of the original game by name.

        Returns:
            Rule files, profiles, auxiliary rules and cases; those of parents included.
        """
        return {
            name: read_regular_file(file, Limits().file_bytes).decode("utf-8-sig", "replace")
            for name, file in self._parent_files.items()
        }

    def write(self, name: str, text: str) -> None:
        """Write a file; it replaces a parent's file of the same name.

        Args:
            name: Path relative to the folder.
            text: New text of the file.

        Raises:
            GameError: The name is malformed, or the text or the number of files exceeds its limit.
            OSError: The file cannot be written; the draft is unchanged.
        """
        if len(_own_files(self.folder)) >= MAX_DRAFT_FILES and not (self.folder / _check_file_name(name)).exists():
            raise GameError(f"a draft has at most {MAX_DRAFT_FILES} files", ErrorCode.TOO_LARGE)
        self._write_file(name, text)

    def _write_file(self, name: str, text: str) -> None:
        if len(text.encode()) > Limits().file_bytes:
            raise GameError(f"{name}: larger than {Limits().file_bytes >> 20} MiB", ErrorCode.TOO_LARGE)
        new = not (self.folder / _check_file_name(name)).exists()
        (self.folder / name).parent.mkdir(exist_ok=True)
        write_text(self.folder / name, text)
        if new and name in self._parent_files and "/" not in name and name not in (CASES, SHOW_FILE):
            try:
                self._set_variant_fact(f"replaces({Path(name).stem}).", True)
            except OSError:  # without the fact, the file would count beside the parent's
                (self.folder / name).unlink()
                raise

    def revert(self, name: str) -> None:
        """Delete a file of the draft, so that the parent's file applies again.

        Args:
            name: Path relative to the folder.

        Raises:
            GameError: The name is malformed, or the file names the parent.
        """
        if _check_file_name(name) == VARIANT_FILE:
            raise GameError(f"{VARIANT_FILE} names the parent and cannot be reverted", ErrorCode.NOT_ALLOWED)
        (self.folder / name).unlink(missing_ok=True)
        self._set_variant_fact(f"replaces({Path(name).stem}).", False)

    def restore(self, files: Mapping[str, str]) -> None:
        """Replace all files of the draft; files not in ``files`` are deleted, except the one that names the parent.

        Args:
            files: Texts by file name.

        Raises:
            GameError: A name is malformed, or a text or the number of files exceeds its limit.
            OSError: A file cannot be written; no file is deleted.
        """
        for name in files:
            _check_file_name(name)
        if len({VARIANT_FILE, *files}) > MAX_DRAFT_FILES:
            raise GameError(f"a draft has at most {MAX_DRAFT_FILES} files", ErrorCode.TOO_LARGE)
        for name in files:
            if name != VARIANT_FILE:
                self._write_file(name, files[name])
        for name in _own_files(self.folder):
            if name not in files and name != VARIANT_FILE:
                self.revert(name)
        if VARIANT_FILE in files:  # its facts name the other files
            self._write_file(VARIANT_FILE, files[VARIANT_FILE])

    def _set_variant_fact(self, fact: str, is_present: bool) -> None:
        if not (self.folder / VARIANT_FILE).is_file():
            return
        lines = (self.folder / VARIANT_FILE).read_text("utf-8-sig").splitlines()
        others = [line for line in lines if line.strip() != fact]
        write_text(self.folder / VARIANT_FILE, "\n".join([*others, *([fact] if is_present else [])]) + "\n")

    # --- results ------------------------------------------------------------------------------------------------------

    def check(self) -> list[Diagnostic]:
        """Return the errors, or else the warnings, of the current rules."""
        return check_folder(self.folder, self.profile)

    @property
    def original_engine(self) -> Engine:
        """Engine of the game before the edit, with the default profile for a new one. Raises KBError, GameError."""
        return self._original_engine_for(self.profile)

    def _original_engine_for(self, profile: str | None) -> Engine:
        return self.original_game.engine(None, profile if profile in self.original_game.folder.profiles else None)

    @property
    def current_engine(self) -> Engine:
        """Engine of the current rules, compiled when they have changed; raises KBError, GameError."""
        return self.engine_for_profile(self.profile)

    @property
    def last_valid_engine(self) -> Engine:
        """Engine of the last rules without errors, at first of the original game; sets ``compile_error``."""
        return self.last_valid_engine_for(self.profile)

    def last_valid_engine_for(self, profile: str | None) -> Engine:
        """Compile a profile, or return its last valid version and set ``compile_error``.

        Args:
            profile: Profile of the draft; None for the default one.

        Returns:
            Engine of the current or of the last valid rules.

        Raises:
            KBError: The rules of the original game have errors.
        """
        try:
            self._valid_engines[profile], self.compile_error = self.engine_for_profile(profile), None
        except KBError as error:
            self.compile_error = error
            return self._valid_engines.get(profile) or self._original_engine_for(profile)
        return self._valid_engines[profile]

    def engine_for_profile(self, profile: str | None) -> Engine:
        """Compile the current rules of a profile; engines are kept until files change.

        Args:
            profile: Profile of the draft; None for the default one.

        Returns:
            Engine of the rules.

        Raises:
            KBError: The rules have errors.
            GameError: The folder cannot be read.
        """
        folder = Folder(self.folder)
        state = folder.fingerprint(profile)
        if profile not in self._engines or self._engines[profile][0] != state:
            self._engines.pop(profile, None)
            with shared_budget():
                self._engines[profile] = state, uncached_engine(folder, profile, self.original_game.name)
        return self._engines[profile][1]

    def build_index(self, texts: Mapping[str, str] | None = None) -> ProjectIndex:
        """Index the files of the draft.

        Args:
            texts: Unsaved texts by file name, which replace the files.

        Returns:
            Index of the files that are read together.

        Raises:
            GameError: A name is malformed.
        """
        open_files = {(self.folder / _check_file_name(name)).resolve(): text for name, text in (texts or {}).items()}
        return ProjectIndex(self.folder, open_files)


def own_texts(draft: RuleDraft) -> dict[str, str]:
    """Return the texts of the own files of a draft.

    Args:
        draft: Rules that are being edited.

    Returns:
        Texts by file name.
    """
    return {name: draft.read(name) for name in _own_files(draft.folder)}


def _check_file_name(name: str) -> str:
    """Return the name of a file; raises GameError for a name outside the allowed forms."""
    if not _NAME.fullmatch(name):
        raise GameError(
            f"invalid file name; examples: rules.lp, profiles/mine.lp, science/deals.lp, {CASES}",
            ErrorCode.INVALID_NAME,
        )
    return name


def _copy_rules(game: Game, folder: Path) -> None:
    """Copy the rule files of a folder; parents that are not shipped are copied beside it."""
    for layer in game.folder.layers.folders:
        if layer.resolve().parent == KB_ROOT.resolve():
            continue
        target = folder if layer == game.directory else folder.parent / layer.resolve().name
        for subfolder in ("", "profiles", AUXILIARY_DIR, "common"):
            for file in sorted([*(layer / subfolder).glob("*.lp"), *(layer / subfolder).glob(CASES)]):
                (target / subfolder).mkdir(parents=True, exist_ok=True)
                (target / subfolder / file.name).write_bytes(read_regular_file(file, Limits().file_bytes))


def _own_files(folder: Path) -> list[str]:
    files = [
        file for subfolder in ("", "profiles", AUXILIARY_DIR) for file in sorted((folder / subfolder).glob("*.lp"))
    ]
    files += [folder / CASES] if (folder / CASES).is_file() else []
    return [file.relative_to(folder).as_posix() for file in files]
