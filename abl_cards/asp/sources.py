"""Read the files of a knowledge base, and follow their includes.

clingo gets text and opens no file. Each file is parsed behind as many empty lines as the files before it have, so that
a line number identifies the file.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from clingo import ast

from abl_cards.asp.bounded_files import FileTooLargeError, NotAFileError, is_inside, read_regular_file, root_folders
from abl_cards.asp.errors import Diagnostic, Location, did_you_mean, make_error
from abl_cards.asp.lexer import Include, ScanResult, scan_text
from abl_cards.core import ErrorCode

MAX_FILES = 1000
"""Most files of a knowledge base, included ones among them."""

CLINGO_TEXT_NAME = "<string>"
"""clingo's file name for text without a file."""
_LONE_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True)
class RuleSource:
    """One rule file.

    Attributes:
        path: Path as it was passed, or relative to the file that includes it.
        text: Content.
        line_offset: Lines before it in the text that clingo parses.
    """

    path: str
    text: str
    line_offset: int = 0

    @cached_property
    def scan(self) -> ScanResult:
        """Code without comments and includes, and the tokens that clingo must not see."""
        return scan_text(self.text)

    @property
    def num_lines(self) -> int:
        """Number of lines; an empty text has one."""
        return self.text.count("\n") + 1

    def location(self, offset: int, end: int) -> Location:
        """Convert a range of offsets to a location, as if the range ended in its first line.

        Args:
            offset: Offset of the first character.
            end: Offset behind the last character.

        Returns:
            The location, with lines and columns from 1.
        """
        line = bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        return Location(self.path, line, column, line, column + end - offset)

    def offset(self, line: int, column: int) -> int:
        """Convert a line and a column in characters, both from 1, to an offset.

        Args:
            line: Line of the file; one behind the last counts as the end of the file.
            column: Column in characters.

        Returns:
            The offset, within the file.
        """
        starts = self._line_starts
        return min(starts[line - 1] + column - 1, len(self.text)) if 0 < line <= len(starts) else len(self.text)

    def text_column(self, line: int, column: int) -> int:
        """Convert a column in bytes of `scan.code`, as clingo counts, to a column in characters.

        Args:
            line: Line of the file, from 1.
            column: Column in bytes, from 1.

        Returns:
            The column in characters, from 1.
        """
        if self.text.isascii() or not 0 < line <= len(self._line_starts):
            return column
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        prefix = self.scan.code[start : min(end, start + column)].encode("utf-8", "replace")[: column - 1]
        return len(prefix.decode("utf-8", "ignore")) + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


@dataclass(frozen=True)
class RuleSources:
    """The files of a knowledge base in the order in which they are read.

    Attributes:
        files: The files, with increasing line offsets.
    """

    files: tuple[RuleSource, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [source.line_offset for source in self.files]

    def resolve_location(self, location: Location) -> Location:
        """Convert clingo's location in the joined text to a location in a file.

        Args:
            location: Location from a message or a syntax node of clingo.

        Returns:
            The location in its file; a location outside of the joined text is returned unchanged.
        """
        if location.file != CLINGO_TEXT_NAME or not self.files:
            return location
        source = self.files[max(bisect_right(self._starts, location.line - 1) - 1, 0)]
        line, end_line = location.line - source.line_offset, location.end_line - source.line_offset
        column, end_column = (
            source.text_column(line, location.column),
            source.text_column(end_line, location.end_column),
        )
        return Location(source.path, line, column, end_line, end_column)

    def find_include(
        self, file: str | Path, library: Sequence[str | Path], roots: Sequence[str | Path]
    ) -> Location | None:
        """Find the statement that includes a file, directly or through other files.

        Args:
            file: Path of the file.
            library: Folders of common files.
            roots: Folders that the statement must be in.

        Returns:
            The location of the first such `#include`; None if there is none.
        """
        folders = [Path(folder) for folder in library]
        includes = [
            (source.location(item.start, item.end), os.path.realpath(_resolve_include(item, source, folders)))
            for source in self.files
            for item in source.scan.includes
        ]
        targets = [os.path.realpath(file)]
        for target in targets:
            for location, path in includes:
                if path == target and is_inside(location.file, roots):
                    return location
                if path == target and os.path.realpath(location.file) not in targets:
                    targets.append(os.path.realpath(location.file))
        return None

    def node_location(self, node: ast.AST) -> Location:
        """Return the location of a syntax node in its file.

        Args:
            node: Node that was parsed from these files.

        Returns:
            The location.
        """
        begin, end = node.location
        start = (begin.line, begin.column)
        # In clingo, a negated aggregate ends where its "not" ends.
        return self.resolve_location(Location(begin.filename, *start, *max(start, (end.line, end.column))))


def read_sources(
    files: Sequence[str | Path], limit: int, library: Sequence[str | Path] = ()
) -> tuple[RuleSources, list[Diagnostic]]:
    """Read rule files and all files that they include, each once.

    All files must lie inside of the folders of `files` or of the library. ``#include <name>.`` reads ``name.lp`` from
    the first folder of the library that has it.

    Args:
        files: Rule files.
        limit: Largest size of a file, in bytes; all files together may have four times as much.
        library: Folders of common files.

    Returns:
        The files that can be read, and a diagnostic for each other file and each invalid include.
    """
    library_folders = [Path(folder) for folder in library]
    sources: dict[str, RuleSource] = {}
    no_files = "a knowledge base needs at least one rule file"
    problems = [] if files else [make_error(None, no_files, code=ErrorCode.FILE_NOT_READABLE)]
    folders = (*root_folders(files), *(Path(os.path.realpath(folder)) for folder in library_folders))
    resolve = cache(os.path.realpath)  # several files include the same one
    is_allowed = cache(lambda path: is_inside(path, folders))
    waiting: list[tuple[str, Location | None]] = [(str(file), None) for file in files]
    line_offset = 1  # an empty first line: clingo takes text that begins with "asp" for another format
    bytes_left = 4 * limit
    for path, included_at in waiting:
        real_path = resolve(path)
        if real_path in sources:
            continue
        if len(sources) == MAX_FILES:
            message = f"more than {MAX_FILES} rule files"
            problems.append(make_error(included_at, message, "join some of them", ErrorCode.TOO_LARGE))
            break
        text, read_problems = _read_file(path, min(limit, bytes_left), is_allowed, included_at)
        problems.extend(read_problems)
        if text is not None:
            source = sources[real_path] = RuleSource(path, text, line_offset)
            line_offset += source.num_lines + 1  # a location of clingo may lie in the line behind the last one
            bytes_left -= len(text)
            includes, include_problems = _find_includes(source, is_allowed, library_folders)
            waiting.extend(includes)
            problems.extend(include_problems)
    return RuleSources(tuple(sources.values())), problems


def _read_file(
    path: str, limit: int, is_allowed: Callable[[str], bool], included_at: Location | None
) -> tuple[str | None, list[Diagnostic]]:
    if included_at is None and not is_allowed(path):
        remedy = "copy the file into the folder of the knowledge base"
        message = f"{path}: a link that leads out of the knowledge base"
        return None, [make_error(None, message, remedy, ErrorCode.FILE_OUTSIDE_FOLDER)]
    try:
        text = read_regular_file(path, limit).decode("utf-8-sig")
    except NotAFileError:
        return None, [make_error(included_at, f"{path}: not a file", "name a rule file", ErrorCode.FILE_NOT_READABLE)]
    except FileTooLargeError:
        return None, [
            make_error(included_at, f"{path}: larger than {limit} bytes", "split the file", ErrorCode.TOO_LARGE)
        ]
    except OSError as failure:
        message = f"{path}: cannot be read: {failure.strerror}"
        return None, [make_error(included_at, message, "check the path", ErrorCode.FILE_NOT_READABLE)]
    except UnicodeDecodeError as failure:
        where = _location_after(path, failure.object[: failure.start].decode("utf-8", "replace"))
        return None, [make_error(where, "not UTF-8 text", "save the file as UTF-8", ErrorCode.FILE_NOT_READABLE)]
    if "\0" in text:
        where = _location_after(path, text[: text.index("\0")])
        return None, [make_error(where, "a NUL character", "save the file as plain text", ErrorCode.FILE_NOT_READABLE)]
    if match := _LONE_CARRIAGE_RETURN.search(text):
        where, remedy = (
            _location_after(path, text[: match.start()]),
            "save the file with LF or CRLF at the ends of lines",
        )
        message = "a carriage return without a line feed: a comment does not end there"
        return None, [make_error(where, message, remedy, ErrorCode.FILE_NOT_READABLE)]
    if not text.strip():
        remedy = "write rules or leave the file out"
        start = Location(path, 1, 1, 1, 1)
        return None, [make_error(start, "an empty rule file", remedy, ErrorCode.FILE_NOT_READABLE)]
    return text, []


def _location_after(path: str, text: str) -> Location:
    """Return the location of the character behind a text."""
    line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return Location(path, line, column, line, column + 1)


def _find_includes(
    source: RuleSource, is_allowed: Callable[[str], bool], library: Sequence[Path]
) -> tuple[list[tuple[str, Location | None]], list[Diagnostic]]:
    """Return the files that a file includes, with the locations of the includes, and the problems of the includes."""
    paths: list[tuple[str, Location | None]] = []
    problems = []
    includes = source.scan.includes
    if len(includes) > MAX_FILES:
        where = source.location(includes[0].start, includes[0].end)
        message = f"more than {MAX_FILES} includes"
        return [], [make_error(where, message, "join some of the files", ErrorCode.TOO_LARGE)]
    for include in includes:
        where = source.location(include.start, include.end)
        path = _resolve_include(include, source, library)
        problem = _check_include(include, path, is_allowed, library)
        if problem is None:
            paths.append((path, where))
        else:
            problems.append(make_error(where, *problem))
    return paths, problems


def _resolve_include(include: Include, source: RuleSource, library: Sequence[Path]) -> str:
    """Return the path of an included file: that in the last folder of the library where no folder has it."""
    if not include.is_library:
        return str(Path(source.path).parent / include.path)
    candidates = [str(folder / f"{include.path}.lp") for folder in library] or [include.path]
    return next((candidate for candidate in candidates if os.path.lexists(candidate)), candidates[-1])


def _check_include(
    include: Include, path: str, is_allowed: Callable[[str], bool], library: Sequence[Path]
) -> tuple[str, str, ErrorCode] | None:
    """Return message, remedy and code of what is wrong with an include, or None."""
    if include.problem:
        remedy = "include files of the knowledge base, between its rules"
        return include.problem, remedy, ErrorCode.INVALID_INCLUDE
    if include.is_library and (not re.fullmatch(r"\w+", include.path) or not os.path.lexists(path)):
        names = {file.stem for folder in library for file in folder.glob("*.lp")}
        remedy = did_you_mean(include.path, names) or f"there are: {', '.join(sorted(names)) or 'none'}"
        return f"#include <{include.path}>: no such common file", remedy, ErrorCode.INVALID_INCLUDE
    description = f"#include of '{' '.join(include.path.split())}'"
    if not is_allowed(path):
        remedy = "copy the file into the folder of the knowledge base"
        return f"{description} from outside the knowledge base", remedy, ErrorCode.FILE_OUTSIDE_FOLDER
    if not os.path.lexists(path):
        return f"{description}: no such file", "paths are relative to this file", ErrorCode.INVALID_INCLUDE
    return None
