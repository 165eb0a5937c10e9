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

from abl_cards import budget
from abl_cards.errors import GameError
from abl_cards.files import write_text
from abl_cards.games import Engine, Game
from abl_cards.games.engine import passing_engine
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.variants import HOME, SCIENCE, VARIANT
from abl_cards.lab.book import Book
from abl_cards.lab.checking import checked
from abl_cards.lab.copying import make_variant
from abl_cards.logic import Diagnostic, KBError, Limits
from abl_cards.logic.child import keep_warm
from abl_cards.logic.files import read_regular
from abl_cards.selftest.cases import FILE as CASES

_NAME = re.compile(rf"(?:(?:profiles|{SCIENCE})/)?[a-z][a-z0-9_]{{0,39}}\.lp|{re.escape(CASES)}")
MOST_FILES = 100


@dataclass(frozen=True)
class RuleFile:
    """A file of the folder, or of its parents."""

    name: str
    own: bool  # written here; the others are the parent's

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "own": self.own}


@dataclass
class Workbench:
    """See the module."""

    game: Game  # before the edit
    profile: str | None
    folder: Path
    refused: KBError | None = None  # why `sound` was an earlier version
    _after: dict[str | None, tuple[object, Engine]] = field(default_factory=dict)  # by profile, as the files were
    _sound: dict[str | None, Engine] = field(default_factory=dict)  # by profile, the last version that passed the check

    @classmethod
    def begin(cls, game: Game, folder: Path, profile: str | None = None) -> Workbench:
        """A new variant, in a folder that is not there yet; of somebody's folder a copy. Raises GameError, KBError."""
        if folder.exists():
            raise GameError(f"{folder} is there already, and nothing is overwritten; name a new folder")
        if game.home.resolve().parent == HOME.resolve():
            make_variant(game, folder, [])
        else:
            _copy(game, folder)
        keep_warm()
        return cls(game, profile, folder)

    # --- files -------------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[RuleFile]:
        """What may be read, and written; raises KBError where the folder says nothing that holds together."""
        own = {name: RuleFile(name, True) for name in _own(self.folder)}
        found = {name: RuleFile(name, name in own) for name in self._parents}
        return sorted(
            (found | own).values(),
            key=lambda file: (file.name != VARIANT, file.name == CASES, "/" in file.name, file.name),
        )

    @cached_property
    def _parents(self) -> Mapping[str, Path]:
        layers = self.game.folder.layers
        beside = {"profiles": layers.profiles, SCIENCE: layers.science}
        named = {f"{folder}/{file.name}": file for folder, some in beside.items() for file in some.values()}
        rules = {file.name: file for file in layers.files if file.name != VARIANT} | named
        tested = [each / CASES for each in layers.folders if (each / CASES).is_file()]
        return rules | ({CASES: tested[-1]} if tested else {})

    def read(self, name: str) -> str:
        """A file's text; raises GameError."""
        mine = self.folder / _checked(name)
        file = mine if mine.is_file() else self._parents.get(name)
        if file is None:
            raise GameError(f"there is no {name} here")
        return read_regular(file, Limits().file_bytes).decode("utf-8-sig", "replace")

    def write(self, name: str, text: str) -> None:
        """Write a file; one of the parent's is replaced from now on. Raises GameError."""
        if len(text.encode()) > Limits().file_bytes:
            raise GameError(f"{name}: {Limits().file_bytes >> 20} MiB at most")
        new = not (self.folder / _checked(name)).exists()
        if new and len(_own(self.folder)) >= MOST_FILES:
            raise GameError(f"{MOST_FILES} files at most")
        (self.folder / name).parent.mkdir(exist_ok=True)
        write_text(self.folder / name, text)
        if new and name in self._parents and "/" not in name and name != CASES:
            self._say(f"replaces({Path(name).stem}).", True)

    def revert(self, name: str) -> None:
        """Take what was written away: the parent's file is there again, if it has one. Raises GameError."""
        if _checked(name) == VARIANT:
            raise GameError(f"{VARIANT} says what the folder is: it stays")
        (self.folder / name).unlink(missing_ok=True)
        self._say(f"replaces({Path(name).stem}).", False)

    def _say(self, fact: str, said: bool) -> None:
        if not (self.folder / VARIANT).is_file():
            return
        lines = (self.folder / VARIANT).read_text("utf-8-sig").splitlines()
        others = [line for line in lines if line.strip() != fact]
        write_text(self.folder / VARIANT, "\n".join([*others, *([fact] if said else [])]) + "\n")

    # --- what comes of it --------------------------------------------------------------------------------------------

    def check(self) -> list[Diagnostic]:
        """Everything that is wrong with the folder as it is."""
        return checked(self.folder, self.profile)

    @property
    def before(self) -> Engine:
        """The game as it was; raises KBError, GameError."""
        return self.game.engine(None, self.profile)

    @property
    def after(self) -> Engine:
        """The game as it is written now, compiled when it has changed; raises KBError, GameError."""
        return self.by_profile(self.profile)

    @property
    def sound(self) -> Engine:
        """The last version that passed the check, the game as it was before any; sets `refused`."""
        return self.sound_by(self.profile)

    def sound_by(self, profile: str | None) -> Engine:
        """Compile a profile, or return its last sound version and set `refused`; raises KBError."""
        try:
            self._sound[profile], self.refused = self.by_profile(profile), None
        except KBError as problem:
            self.refused = problem
            return self._sound.get(profile) or self.game.engine(None, profile)
        return self._sound[profile]

    def by_profile(self, profile: str | None) -> Engine:
        """The same by another profile."""
        folder = Folder(self.folder)
        state = folder.state(profile)
        if profile not in self._after or self._after[profile][0] != state:
            self._after.pop(profile, None)
            with budget.shared():
                self._after[profile] = state, passing_engine(folder, profile, self.game.name)
        return self._after[profile][1]

    def book(self, texts: Mapping[str, str] | None = None) -> Book:
        """The files as text, some of them as they are being typed."""
        open_files = {(self.folder / _checked(name)).resolve(): text for name, text in (texts or {}).items()}
        return Book(self.folder, open_files)


def _checked(name: str) -> str:
    """A file's name; raises GameError for what leads elsewhere."""
    if not _NAME.fullmatch(name):
        raise GameError(
            f"a rule file is called like rules.lp, profiles/mine.lp or science/deals.lp; cases are in {CASES}"
        )
    return name


def _copy(game: Game, folder: Path) -> None:
    """The rule files of a folder; its parents, where they are no games of ours, lie beside it as they did before."""
    for each in game.folder.layers.folders:
        if each.resolve().parent == HOME.resolve():
            continue
        to = folder if each == game.home else folder.parent / each.resolve().name
        for part in ("", "profiles", SCIENCE, "common"):
            for file in sorted([*(each / part).glob("*.lp"), *(each / part).glob(CASES)]):
                (to / part).mkdir(parents=True, exist_ok=True)
                (to / part / file.name).write_bytes(read_regular(file, Limits().file_bytes))


def _own(folder: Path) -> list[str]:
    found = [file for part in ("", "profiles", SCIENCE) for file in sorted((folder / part).glob("*.lp"))]
    found += [folder / CASES] if (folder / CASES).is_file() else []
    return [file.relative_to(folder).as_posix() for file in found]
