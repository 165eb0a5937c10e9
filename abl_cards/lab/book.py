"""All that is written in the files which a rule file is read with: its folder's, those of its parents, common ones.

Files are read once and again when they change; what is open in an editor counts before what is on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from abl_cards.games.reading.variants import COMMON, layers_of
from abl_cards.lab.mentions import CONSTANT, DEFINING, INPUT, Mention, mentions
from abl_cards.lab.tokens import Text
from abl_cards.logic import KBError, Signature
from abl_cards.logic.files import NotAFile, TooLarge, lies_in, read_regular
from abl_cards.logic.lexis import scan

MOST_FILES = 400
LONGEST_FILE = 1 << 20
"""Characters; what longer files say is not looked up."""
INNER = ("profiles", "science", "common")
"""Subfolders of a folder of rules."""
_MANNERS = {Signature("one", 2), Signature("any", 2), Signature("count", 2)}


class Symbol(NamedTuple):
    """A predicate, or a constant or function of any number of arguments."""

    name: str
    arity: int | None

    def __str__(self) -> str:
        return self.name if self.arity is None else f"{self.name}/{self.arity}"


@dataclass(frozen=True)
class Page:
    """A rule file."""

    path: Path
    text: Text
    mentions: tuple[Mention, ...]

    @classmethod
    def of(cls, path: Path, text: str) -> Page:
        """Read off a text."""
        found = Text(text)
        return cls(path, found, tuple(mentions(found)))

    def at(self, offset: int) -> Mention | None:
        """The name that a cursor touches."""
        return next((each for each in self.mentions if each.start <= offset <= each.end), None)


class Place(NamedTuple):
    """A mention in a file."""

    page: Page
    mention: Mention

    def __str__(self) -> str:
        return f"{self.page.path.name}:{self.page.text.place(self.mention.start)[0] + 1}"

    @property
    def comment(self) -> str:
        """What stands behind it, or above it."""
        line, _ = self.page.text.place(self.mention.start)
        above = self.page.text.lines[line - 1].lstrip() if line else ""
        return self.page.text.comment_at(line) or (above.lstrip("% ").strip() if above.startswith("%") else "")


def folder_of(file: Path) -> Path:
    """The folder of rules that a file belongs to."""
    return file.parent.parent if file.parent.name in INNER else file.parent


@dataclass(frozen=True)
class Book:
    """The files that are read together."""

    folder: Path
    texts: Mapping[Path, str] = field(default_factory=dict)  # what is open, by resolved paths

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """The folder's own files first."""
        waiting = [*_rule_files(self.folder)]
        for parent in reversed(self._parents):
            waiting += _rule_files(parent)
        found: dict[Path, Page] = {}
        inside = [folder.resolve() for folder in (self.folder, *self._parents, *self._shelves)]
        for path in waiting:
            real = path.resolve()
            if real in found or len(found) >= MOST_FILES or not lies_in(real, inside):
                continue
            page = self._page(path, real)
            if page is not None:
                found[real] = page
                waiting += _included(page, self._shelves)
        return tuple(found.values())

    @cached_property
    def _parents(self) -> tuple[Path, ...]:
        try:
            return layers_of(self.folder).folders[:-1]
        except KBError:  # the check says what is wrong there
            return ()

    @property
    def _shelves(self) -> tuple[Path, ...]:
        own = (folder / "common" for folder in (self.folder, *reversed(self._parents)))
        return (*own, COMMON)

    def _page(self, path: Path, real: Path) -> Page | None:
        if real in self.texts:
            return _open_page(path, self.texts[real])
        try:
            stat = os.stat(real)
        except OSError:
            return None
        return _read_page(path, stat.st_mtime_ns, stat.st_size)

    def page(self, path: Path) -> Page | None:
        """A file by its path; None where it is not read with the others."""
        real = path.resolve()
        return next((page for page in self.pages if page.path.resolve() == real), None)

    def owns(self, page: Page) -> bool:
        """Whether a file is the folder's own."""
        return page.path.resolve().is_relative_to(self.folder.resolve())

    @cached_property
    def places(self) -> Mapping[str, tuple[Place, ...]]:
        """Every mention by its name."""
        found: dict[str, list[Place]] = {}
        for page in self.pages:
            for mention in page.mentions:
                found.setdefault(mention.name, []).append(Place(page, mention))
        return {name: tuple(some) for name, some in found.items()}

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Names that ``one/2``, ``any/2`` or ``count/2`` declare: predicates that stand in terms as well."""
        return frozenset(
            after.name
            for page in self.pages
            for mention, after in zip(page.mentions, page.mentions[1:], strict=False)
            if mention.signature in _MANNERS and mention.predicate
        )

    def symbol(self, mention: Mention) -> Symbol:
        """What a name stands for."""
        if mention.predicate:
            return Symbol(mention.name, mention.arity)
        if mention.name in self.fluents:
            declared = (place.mention for place in self.places[mention.name] if place.mention.role == INPUT)
            first = next(declared, None)
            if first is not None:
                return Symbol(first.name, first.arity)
        return Symbol(mention.name, None)

    def references(self, symbol: Symbol) -> list[Place]:
        """Every place where it is spoken of."""
        return [
            place
            for place in self.places.get(symbol.name, ())
            if (place.mention.predicate and place.mention.arity == symbol.arity)
            or (not place.mention.predicate and (symbol.arity is None or symbol.name in self.fluents))
        ]

    def definitions(self, symbol: Symbol) -> list[Place]:
        """Where it is declared, else where it is derived; of a constant its #const, else where it comes up first."""
        known = self.references(symbol)
        if symbol.arity is None:
            return [place for place in known if place.mention.role == CONSTANT] or known[:1]
        inputs = [place for place in known if place.mention.role == INPUT]
        return inputs or [place for place in known if place.mention.role in DEFINING]

    def predicates(self) -> Iterator[tuple[Signature, Place]]:
        """Everything that is declared or derived, each at its first place."""
        seen: set[Signature] = set()
        for page in self.pages:
            for mention in page.mentions:
                if mention.role in DEFINING and mention.signature not in seen:
                    seen.add(mention.signature)
                    yield mention.signature, Place(page, mention)


def _rule_files(folder: Path) -> list[Path]:
    return [file for part in ("", *INNER[:2]) for file in sorted((folder / part).glob("*.lp"))]


def _included(page: Page, shelves: tuple[Path, ...]) -> list[Path]:
    found = []
    for include in scan(page.text.text).includes:
        if include.library and include.path.isidentifier():
            found += [shelf / f"{include.path}.lp" for shelf in shelves if (shelf / f"{include.path}.lp").exists()][:1]
        elif include.path and not include.library and "/" not in include.path:
            found.append(page.path.parent / include.path)
    return found


@lru_cache(maxsize=512)
def _read_page(path: Path, changed: int, size: int) -> Page | None:
    try:
        return Page.of(path, read_regular(str(path), LONGEST_FILE).decode("utf-8-sig", "replace"))
    except (OSError, NotAFile, TooLarge):
        return None


@lru_cache(maxsize=64)
def _open_page(path: Path, text: str) -> Page:
    return Page.of(path, text if len(text) <= LONGEST_FILE else "")
