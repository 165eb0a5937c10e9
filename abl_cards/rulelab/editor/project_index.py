"""Index of the rule files that are read together: those of a folder, of its parents, and common ones.

Files are read again when they change. Texts open in an editor replace files on disk.
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
"""Largest size of an indexed file in characters; longer files are ignored."""
SUBFOLDERS = ("profiles", "science", "common")
"""Subfolders of a rule folder."""
_FLUENT_DECLARATIONS = {Signature("one", 2), Signature("any", 2), Signature("count", 2)}


class Symbol(NamedTuple):
    """Predicate with its arity, or constant or function with arity None."""

    name: str
    arity: int | None

    def __str__(self) -> str:
        return self.name if self.arity is None else f"{self.name}/{self.arity}"


@dataclass(frozen=True)
class SourceFile:
    """Rule file with its tokens and occurrences of symbols."""

    path: Path
    text: SourceText
    occurrences: tuple[SymbolOccurrence, ...]

    @classmethod
    def from_text(cls, path: Path, text: str) -> SourceFile:
        """Parse the text of a file.

        Args:
            path: Path of the file.
            text: Text of the file, saved or not.

        Returns:
            File with the occurrences of its symbols.
        """
        source_text = SourceText(text)
        return cls(path, source_text, tuple(find_occurrences(source_text)))

    def occurrence_at(self, offset: int) -> SymbolOccurrence | None:
        """Find the occurrence of a symbol at a cursor.

        Args:
            offset: Offset of the cursor in the text.

        Returns:
            Occurrence that includes the cursor or ends at it; None if there is none.
        """
        return next(
            (occurrence for occurrence in self.occurrences if occurrence.start <= offset <= occurrence.end), None
        )


class FileOccurrence(NamedTuple):
    """Occurrence of a symbol, with its file."""

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
    """Return the rule folder of a file.

    Args:
        file: Path of a rule file.

    Returns:
        Its folder, or the parent of the subfolder that it is in.
    """
    return file.parent.parent if file.parent.name in SUBFOLDERS else file.parent


@dataclass(frozen=True)
class ProjectIndex:
    """Index of the rule files that are read together.

    Attributes:
        folder: Rule folder.
        open_texts: Unsaved texts by resolved path.
    """

    folder: Path
    open_texts: Mapping[Path, str] = field(default_factory=dict)

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """Rule files, those of the folder first, then parents, then included ones."""
        paths = [*_rule_files(self.folder)]
        for parent in reversed(self._parents):
            paths += _rule_files(parent)
        files: dict[Path, SourceFile] = {}
        folders = [folder.resolve() for folder in (self.folder, *self._parents, *self._libraries)]
        for path in paths:
            resolved = path.resolve()
            if resolved in files or len(files) >= MAX_INDEXED_FILES or not is_inside(resolved, folders):
                continue
            source_file = self._load_file(path, resolved)
            if source_file is not None:
                files[resolved] = source_file
                paths += _included_files(source_file, self._libraries)
        return tuple(files.values())

    @cached_property
    def _parents(self) -> tuple[Path, ...]:
        try:
            return resolve_layers(self.folder).folders[:-1]
        except KBError:  # reported by the check of the folder
            return ()

    @property
    def _libraries(self) -> tuple[Path, ...]:
        own = (folder / "common" for folder in (self.folder, *reversed(self._parents)))
        return (*own, COMMON_DIR)

    def _load_file(self, path: Path, resolved: Path) -> SourceFile | None:
        if resolved in self.open_texts:
            return _make_open_file(path, self.open_texts[resolved])
        try:
            stat = os.stat(resolved)
        except OSError:
            return None
        return _read_source_file(path, stat.st_mtime_ns, stat.st_size)

    def find_file(self, path: Path) -> SourceFile | None:
        """Find a file of the index.

        Args:
            path: Path of the file.

        Returns:
            The file; None if it is not in the index.
        """
        resolved = path.resolve()
        return next((source_file for source_file in self.files if source_file.path.resolve() == resolved), None)

    def is_own_file(self, source_file: SourceFile) -> bool:
        """Return whether a file belongs to the folder itself.

        Args:
            source_file: File of the index.

        Returns:
            False for files of parents and common files.
        """
        return source_file.path.resolve().is_relative_to(self.folder.resolve())

    @cached_property
    def occurrences_by_name(self) -> Mapping[str, tuple[FileOccurrence, ...]]:
        """Occurrences of symbols by name."""
        occurrences: dict[str, list[FileOccurrence]] = {}
        for source_file in self.files:
            for occurrence in source_file.occurrences:
                occurrences.setdefault(occurrence.name, []).append(FileOccurrence(source_file, occurrence))
        return {name: tuple(items) for name, items in occurrences.items()}

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Names declared by ``one/2``, ``any/2`` or ``count/2``: predicates that occur as terms too."""
        return frozenset(
            following.name
            for source_file in self.files
            for occurrence, following in zip(source_file.occurrences, source_file.occurrences[1:], strict=False)
            if occurrence.signature in _FLUENT_DECLARATIONS and occurrence.is_predicate
        )

    def resolve_symbol(self, occurrence: SymbolOccurrence) -> Symbol:
        """Return the symbol that an occurrence refers to.

        Args:
            occurrence: Occurrence of a name.

        Returns:
            A predicate; or a constant or function, with arity None.
        """
        if occurrence.is_predicate:
            return Symbol(occurrence.name, occurrence.arity)
        if occurrence.name in self.fluents:
            declared = (
                item.occurrence
                for item in self.occurrences_by_name[occurrence.name]
                if item.occurrence.role == EXTERNAL
            )
            first = next(declared, None)
            if first is not None:
                return Symbol(first.name, first.arity)
        return Symbol(occurrence.name, None)

    def references(self, symbol: Symbol) -> list[FileOccurrence]:
        """List all occurrences of a symbol.

        Args:
            symbol: Predicate, constant or function.

        Returns:
            Occurrences in the order of the files.
        """
        return [
            item
            for item in self.occurrences_by_name.get(symbol.name, ())
            if (item.occurrence.is_predicate and item.occurrence.arity == symbol.arity)
            or (not item.occurrence.is_predicate and (symbol.arity is None or symbol.name in self.fluents))
        ]

    def definitions(self, symbol: Symbol) -> list[FileOccurrence]:
        """List the definitions of a symbol.

        Args:
            symbol: Predicate, constant or function.

        Returns:
            Declarations of a predicate as input, or else its derivations; of a constant #const or the first use.
        """
        references = self.references(symbol)
        if symbol.arity is None:
            return [item for item in references if item.occurrence.role == CONSTANT] or references[:1]
        inputs = [item for item in references if item.occurrence.role == EXTERNAL]
        return inputs or [item for item in references if item.occurrence.role in DEFINING_ROLES]

    def predicates(self) -> Iterator[tuple[Signature, FileOccurrence]]:
        """Yield the declared and derived predicates, each with its first definition."""
        seen: set[Signature] = set()
        for source_file in self.files:
            for occurrence in source_file.occurrences:
                if occurrence.role in DEFINING_ROLES and occurrence.signature not in seen:
                    seen.add(occurrence.signature)
                    yield occurrence.signature, FileOccurrence(source_file, occurrence)


def _rule_files(folder: Path) -> list[Path]:
    return [file for subfolder in ("", *SUBFOLDERS[:2]) for file in sorted((folder / subfolder).glob("*.lp"))]


def _included_files(source_file: SourceFile, libraries: tuple[Path, ...]) -> list[Path]:
    paths = []
    for include in scan_text(source_file.text.text).includes:
        if include.is_library and include.path.isidentifier():
            paths += [
                library / f"{include.path}.lp" for library in libraries if (library / f"{include.path}.lp").exists()
            ][:1]
        elif include.path and not include.is_library and "/" not in include.path:
            paths.append(source_file.path.parent / include.path)
    return paths


@lru_cache(maxsize=512)
def _read_source_file(path: Path, changed: int, size: int) -> SourceFile | None:
    try:
        return SourceFile.from_text(path, read_regular_file(str(path), MAX_FILE_CHARS).decode("utf-8-sig", "replace"))
    except (OSError, NotAFileError, FileTooLargeError):
        return None


@lru_cache(maxsize=64)
def _make_open_file(path: Path, text: str) -> SourceFile:
    return SourceFile.from_text(path, text if len(text) <= MAX_FILE_CHARS else "")
