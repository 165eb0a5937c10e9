"""A game whose rules are being edited: a variant in a folder of its own, and the game that it was made from.

Files of the parent are copied when they are first written. Nothing but rule files is ever written, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from abl_cards.asp import Diagnostic, KBError, Limits, keep_warm_process, read_regular_file
from abl_cards.core import ErrorCode, GameError, shared_budget, write_text
from abl_cards.games import Engine, Game, uncached_engine
from abl_cards.games.description import AUXILIARY_DIR, KB_ROOT, VARIANT_FILE, Folder
from abl_cards.rulelab.editor.copying import make_variant
from abl_cards.rulelab.editor.diagnostics import check_folder
from abl_cards.rulelab.editor.project_index import ProjectIndex
from abl_cards.rulelab.testing import CASES_FILE as CASES

_NAME = re.compile(rf"(?:(?:profiles|{AUXILIARY_DIR})/)?[a-z][a-z0-9_]{{0,39}}\.lp|{re.escape(CASES)}")
MAX_DRAFT_FILES = 100


@dataclass(frozen=True)
class DraftFile:
    """A file of the folder, or of its parents."""

    name: str
    is_own: bool  # written here; the others are the parent's

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "own": self.is_own}


@dataclass
class RuleDraft:
    """See the module."""

    original_game: Game  # before the edit
    profile: str | None
    folder: Path
    compile_error: KBError | None = None  # why `last_valid_engine` was an earlier version
    _engines: dict[str | None, tuple[object, Engine]] = field(default_factory=dict)  # by profile, as the files were
    _valid_engines: dict[str | None, Engine] = field(
        default_factory=dict
    )  # by profile, the last version that passed the check

    @classmethod
    def create(cls, game: Game, folder: Path, profile: str | None = None) -> RuleDraft:
        """A new variant, in a folder that is not there yet; of somebody's folder a copy. Raises GameError, KBError."""
        if folder.exists():
            raise GameError(f"{folder} exists already; name a new folder", ErrorCode.ALREADY_EXISTS)
        if game.directory.resolve().parent == KB_ROOT.resolve():
            make_variant(game, folder, [])
        else:
            _copy_rules(game, folder)
        keep_warm_process()
        return cls(game, profile, folder)

    # --- files -------------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[DraftFile]:
        """Return the files that can be read and written; raises KBError if the folder has inconsistent parents."""
        own = {name: DraftFile(name, True) for name in _own_files(self.folder)}
        found = {name: DraftFile(name, name in own) for name in self._parent_files}
        return sorted(
            (found | own).values(),
            key=lambda file: (file.name != VARIANT_FILE, file.name == CASES, "/" in file.name, file.name),
        )

    @cached_property
    def _parent_files(self) -> Mapping[str, Path]:
        layers = self.original_game.folder.layers
        beside = {"profiles": layers.profiles, AUXILIARY_DIR: layers.auxiliary_files}
        named = {f"{folder}/{file.name}": file for folder, some in beside.items() for file in some.values()}
        rules = {file.name: file for file in layers.files if file.name != VARIANT_FILE} | named
        tested = [each / CASES for each in layers.folders if (each / CASES).is_file()]
        return rules | ({CASES: tested[-1]} if tested else {})

    def read(self, name: str) -> str:
        """A file's text; raises GameError."""
        mine = self.folder / _check_file_name(name)
        file = mine if mine.is_file() else self._parent_files.get(name)
        if file is None:
            raise GameError(f"there is no {name} here", ErrorCode.NOT_FOUND)
        return read_regular_file(file, Limits().file_bytes).decode("utf-8-sig", "replace")

    def write(self, name: str, text: str) -> None:
        """Write a file; one of the parent's is replaced from now on. Raises GameError."""
        if len(text.encode()) > Limits().file_bytes:
            raise GameError(f"{name}: {Limits().file_bytes >> 20} MiB at most", ErrorCode.TOO_LARGE)
        new = not (self.folder / _check_file_name(name)).exists()
        if new and len(_own_files(self.folder)) >= MAX_DRAFT_FILES:
            raise GameError(f"{MAX_DRAFT_FILES} files at most", ErrorCode.TOO_LARGE)
        (self.folder / name).parent.mkdir(exist_ok=True)
        write_text(self.folder / name, text)
        if new and name in self._parent_files and "/" not in name and name != CASES:
            self._set_variant_fact(f"replaces({Path(name).stem}).", True)

    def revert(self, name: str) -> None:
        """Take what was written away: the parent's file is there again, if it has one. Raises GameError."""
        if _check_file_name(name) == VARIANT_FILE:
            raise GameError(f"{VARIANT_FILE} says what the folder is: it stays", ErrorCode.NOT_ALLOWED)
        (self.folder / name).unlink(missing_ok=True)
        self._set_variant_fact(f"replaces({Path(name).stem}).", False)

    def _set_variant_fact(self, fact: str, said: bool) -> None:
        if not (self.folder / VARIANT_FILE).is_file():
            return
        lines = (self.folder / VARIANT_FILE).read_text("utf-8-sig").splitlines()
        others = [line for line in lines if line.strip() != fact]
        write_text(self.folder / VARIANT_FILE, "\n".join([*others, *([fact] if said else [])]) + "\n")

    # --- what comes of it --------------------------------------------------------------------------------------------

    def check(self) -> list[Diagnostic]:
        """Everything that is wrong with the folder as it is."""
        return check_folder(self.folder, self.profile)

    @property
    def original_engine(self) -> Engine:
        """The game as it was; raises KBError, GameError."""
        return self.original_game.engine(None, self.profile)

    @property
    def current_engine(self) -> Engine:
        """The game as it is written now, compiled when it has changed; raises KBError, GameError."""
        return self.engine_for_profile(self.profile)

    @property
    def last_valid_engine(self) -> Engine:
        """The last version that passed the check, the game as it was before any; sets `compile_error`."""
        return self.last_valid_engine_for(self.profile)

    def last_valid_engine_for(self, profile: str | None) -> Engine:
        """Compile a profile, or return its last valid version and set `compile_error`; raises KBError."""
        try:
            self._valid_engines[profile], self.compile_error = self.engine_for_profile(profile), None
        except KBError as problem:
            self.compile_error = problem
            return self._valid_engines.get(profile) or self.original_game.engine(None, profile)
        return self._valid_engines[profile]

    def engine_for_profile(self, profile: str | None) -> Engine:
        """Compile the draft with another profile."""
        folder = Folder(self.folder)
        state = folder.fingerprint(profile)
        if profile not in self._engines or self._engines[profile][0] != state:
            self._engines.pop(profile, None)
            with shared_budget():
                self._engines[profile] = state, uncached_engine(folder, profile, self.original_game.name)
        return self._engines[profile][1]

    def build_index(self, texts: Mapping[str, str] | None = None) -> ProjectIndex:
        """The files as text, some of them as they are being typed."""
        open_files = {(self.folder / _check_file_name(name)).resolve(): text for name, text in (texts or {}).items()}
        return ProjectIndex(self.folder, open_files)


def _check_file_name(name: str) -> str:
    """A file's name; raises GameError for what leads elsewhere."""
    if not _NAME.fullmatch(name):
        raise GameError(
            f"a rule file is called like rules.lp, profiles/mine.lp or science/deals.lp; cases are in {CASES}",
            ErrorCode.INVALID_NAME,
        )
    return name


def _copy_rules(game: Game, folder: Path) -> None:
    """The rule files of a folder; its parents, where they are no games of ours, lie beside it as they did before."""
    for each in game.folder.layers.folders:
        if each.resolve().parent == KB_ROOT.resolve():
            continue
        to = folder if each == game.directory else folder.parent / each.resolve().name
        for part in ("", "profiles", AUXILIARY_DIR, "common"):
            for file in sorted([*(each / part).glob("*.lp"), *(each / part).glob(CASES)]):
                (to / part).mkdir(parents=True, exist_ok=True)
                (to / part / file.name).write_bytes(read_regular_file(file, Limits().file_bytes))


def _own_files(folder: Path) -> list[str]:
    found = [file for part in ("", "profiles", AUXILIARY_DIR) for file in sorted((folder / part).glob("*.lp"))]
    found += [folder / CASES] if (folder / CASES).is_file() else []
    return [file.relative_to(folder).as_posix() for file in found]
