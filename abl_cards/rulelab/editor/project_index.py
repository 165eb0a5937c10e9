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

from abl_cards.asp import FileTooLargeError, KBError, NotAFileError, Signature, is_inside, read_regular_file, scan_text
from abl_cards.games.description import COMMON_DIR, resolve_layers
from abl_cards.rulelab.editor.symbols import CONSTANT, DEFINING_ROLES, EXTERNAL, SymbolOccurrence, find_occurrences
from abl_cards.rulelab.editor.tokens import SourceText

MAX_INDEXED_FILES = 400
MAX_FILE_CHARS = 1 << 20
"""Characters; what longer files say is not looked up."""
SUBFOLDERS = ("profiles", "science", "common")
"""Subfolders of a folder of rules."""
_FLUENT_DECLARATIONS = {Signature("one", 2), Signature("any", 2), Signature("count", 2)}


class Symbol(NamedTuple):
    """A predicate, or a constant or function of any number of arguments."""

    name: str
    arity: int | None

    def __str__(self) -> str:
        return self.name if self.arity is None else f"{self.name}/{self.arity}"


@dataclass(frozen=True)
class SourceFile:
    """A rule file."""

    path: Path
    text: SourceText
    occurrences: tuple[SymbolOccurrence, ...]

    @classmethod
    def from_text(cls, path: Path, text: str) -> SourceFile:
        """Read off a text."""
        found = SourceText(text)
        return cls(path, found, tuple(find_occurrences(found)))

    def occurrence_at(self, offset: int) -> SymbolOccurrence | None:
        """The name that a cursor touches."""
        return next((each for each in self.occurrences if each.start <= offset <= each.end), None)


class FileOccurrence(NamedTuple):
    """A mention in a file."""

    source_file: SourceFile
    occurrence: SymbolOccurrence

    def __str__(self) -> str:
        return f"{self.source_file.path.name}:{self.source_file.text.line_and_column(self.occurrence.start)[0] + 1}"

    @property
    def comment(self) -> str:
        """Comment behind or above the occurrence."""
        line, _ = self.source_file.text.line_and_column(self.occurrence.start)
        above = self.source_file.text.lines[line - 1].lstrip() if line else ""
        return self.source_file.text.comment_at(line) or (above.lstrip("% ").strip() if above.startswith("%") else "")


def find_rule_folder(file: Path) -> Path:
    """The folder of rules that a file belongs to."""
    return file.parent.parent if file.parent.name in SUBFOLDERS else file.parent


@dataclass(frozen=True)
class ProjectIndex:
    """The files that are read together."""

    folder: Path
    open_texts: Mapping[Path, str] = field(default_factory=dict)  # what is open, by resolved paths

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """The folder's own files first."""
        waiting = [*_rule_files(self.folder)]
        for parent in reversed(self._parents):
            waiting += _rule_files(parent)
        found: dict[Path, SourceFile] = {}
        inside = [folder.resolve() for folder in (self.folder, *self._parents, *self._libraries)]
        for path in waiting:
            real = path.resolve()
            if real in found or len(found) >= MAX_INDEXED_FILES or not is_inside(real, inside):
                continue
            page = self._load_file(path, real)
            if page is not None:
                found[real] = page
                waiting += _included_files(page, self._libraries)
        return tuple(found.values())

    @cached_property
    def _parents(self) -> tuple[Path, ...]:
        try:
            return resolve_layers(self.folder).folders[:-1]
        except KBError:  # the check says what is wrong there
            return ()

    @property
    def _libraries(self) -> tuple[Path, ...]:
        own = (folder / "common" for folder in (self.folder, *reversed(self._parents)))
        return (*own, COMMON_DIR)

    def _load_file(self, path: Path, real: Path) -> SourceFile | None:
        if real in self.open_texts:
            return _make_open_file(path, self.open_texts[real])
        try:
            stat = os.stat(real)
        except OSError:
            return None
        return _read_source_file(path, stat.st_mtime_ns, stat.st_size)

    def find_file(self, path: Path) -> SourceFile | None:
        """A file by its path; None where it is not read with the others."""
        real = path.resolve()
        return next((page for page in self.files if page.path.resolve() == real), None)

    def is_own_file(self, source_file: SourceFile) -> bool:
        """Return whether a file belongs to the folder itself."""
        return source_file.path.resolve().is_relative_to(self.folder.resolve())

    @cached_property
    def occurrences_by_name(self) -> Mapping[str, tuple[FileOccurrence, ...]]:
        """Every mention by its name."""
        found: dict[str, list[FileOccurrence]] = {}
        for page in self.files:
            for mention in page.occurrences:
                found.setdefault(mention.name, []).append(FileOccurrence(page, mention))
        return {name: tuple(some) for name, some in found.items()}

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Names that ``one/2``, ``any/2`` or ``count/2`` declare: predicates that stand in terms as well."""
        return frozenset(
            after.name
            for page in self.files
            for mention, after in zip(page.occurrences, page.occurrences[1:], strict=False)
            if mention.signature in _FLUENT_DECLARATIONS and mention.is_predicate
        )

    def resolve_symbol(self, occurrence: SymbolOccurrence) -> Symbol:
        """Return the symbol that a name refers to."""
        if occurrence.is_predicate:
            return Symbol(occurrence.name, occurrence.arity)
        if occurrence.name in self.fluents:
            declared = (
                place.occurrence
                for place in self.occurrences_by_name[occurrence.name]
                if place.occurrence.role == EXTERNAL
            )
            first = next(declared, None)
            if first is not None:
                return Symbol(first.name, first.arity)
        return Symbol(occurrence.name, None)

    def references(self, symbol: Symbol) -> list[FileOccurrence]:
        """Every place where it is spoken of."""
        return [
            place
            for place in self.occurrences_by_name.get(symbol.name, ())
            if (place.occurrence.is_predicate and place.occurrence.arity == symbol.arity)
            or (not place.occurrence.is_predicate and (symbol.arity is None or symbol.name in self.fluents))
        ]

    def definitions(self, symbol: Symbol) -> list[FileOccurrence]:
        """Return the declarations of a symbol, or else its derivations; of a constant #const or first use."""
        known = self.references(symbol)
        if symbol.arity is None:
            return [place for place in known if place.occurrence.role == CONSTANT] or known[:1]
        inputs = [place for place in known if place.occurrence.role == EXTERNAL]
        return inputs or [place for place in known if place.occurrence.role in DEFINING_ROLES]

    def predicates(self) -> Iterator[tuple[Signature, FileOccurrence]]:
        """Everything that is declared or derived, each at its first place."""
        seen: set[Signature] = set()
        for page in self.files:
            for mention in page.occurrences:
                if mention.role in DEFINING_ROLES and mention.signature not in seen:
                    seen.add(mention.signature)
                    yield mention.signature, FileOccurrence(page, mention)


def _rule_files(folder: Path) -> list[Path]:
    return [file for part in ("", *SUBFOLDERS[:2]) for file in sorted((folder / part).glob("*.lp"))]


def _included_files(page: SourceFile, shelves: tuple[Path, ...]) -> list[Path]:
    found = []
    for include in scan_text(page.text.text).includes:
        if include.is_library and include.path.isidentifier():
            found += [shelf / f"{include.path}.lp" for shelf in shelves if (shelf / f"{include.path}.lp").exists()][:1]
        elif include.path and not include.is_library and "/" not in include.path:
            found.append(page.path.parent / include.path)
    return found


@lru_cache(maxsize=512)
def _read_source_file(path: Path, changed: int, size: int) -> SourceFile | None:
    try:
        return SourceFile.from_text(path, read_regular_file(str(path), MAX_FILE_CHARS).decode("utf-8-sig", "replace"))
    except (OSError, NotAFileError, FileTooLargeError):
        return None


@lru_cache(maxsize=64)
def _make_open_file(path: Path, text: str) -> SourceFile:
    return SourceFile.from_text(path, text if len(text) <= MAX_FILE_CHARS else "")
