"""The files of a knowledge base: read them, follow their includes, parse them.

clingo is given text and opens nothing. Each file is parsed behind as many empty lines as the files before it have, so
that a line says which file it is of.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import clingo
from clingo import ast

from abl_cards.asp.bounded_files import FileTooLargeError, NotAFileError, is_inside, read_regular_file, root_folders
from abl_cards.asp.errors import Diagnostic, Location, did_you_mean, make_error
from abl_cards.asp.lexer import Include, ScanResult, scan_text
from abl_cards.asp.text_checks import check_source_texts

MAX_FILES = 1000
"""Files of a knowledge base, with those that they include."""
MAX_MESSAGES = 1000
"""Of clingo, about one file or about the ground program."""

_CLINGO_TEXT_NAME = "<string>"  # what clingo calls text without a file
_TEXT_LOCATION = re.compile(rf"{_CLINGO_TEXT_NAME}:[0-9:-]+:")


@dataclass(frozen=True)
class RuleSource:
    """One rule file."""

    path: str  # as it was given, or by way of the file that includes it
    text: str
    line_offset: int = 0  # lines of the files before it

    @cached_property
    def scan(self) -> ScanResult:
        """What is in the text beside rules."""
        return scan_text(self.text)

    @property
    def num_lines(self) -> int:
        return self.text.count("\n") + 1

    def location(self, offset: int, end: int) -> Location:
        """The place of a stretch of the text that ends in the line where it begins, or is shown as if it did."""
        line = bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        return Location(self.path, line, column, line, column + end - offset)

    def text_column(self, line: int, column: int) -> int:
        """A column of a line in letters, where clingo has counted bytes of `scan.code`; both from 1."""
        if self.text.isascii() or not 0 < line <= len(self._line_starts):
            return column
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        before = self.scan.code[start : min(end, start + column)].encode("utf-8", "replace")[: column - 1]
        return len(before.decode("utf-8", "ignore")) + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


@dataclass(frozen=True)
class RuleSources:
    """The files of a knowledge base in the order in which they are read."""

    files: tuple[RuleSource, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [source.line_offset for source in self.files]

    def resolve_location(self, location: Location) -> Location:
        """A place in clingo's words as a place in a file; what is in no file stays as it is."""
        if location.file != _CLINGO_TEXT_NAME or not self.files:
            return location
        source = self.files[max(bisect_right(self._starts, location.line - 1) - 1, 0)]
        line, end_line = location.line - source.line_offset, location.end_line - source.line_offset
        column, end_column = (
            source.text_column(line, location.column),
            source.text_column(end_line, location.end_column),
        )
        return Location(source.path, line, column, end_line, end_column)

    def node_location(self, node: ast.AST) -> Location:
        """The place of a syntax node."""
        begin, end = node.location
        start = (begin.line, begin.column)
        # To clingo an aggregate that is negated ends where its "not" does.
        return self.resolve_location(Location(begin.filename, *start, *max(start, (end.line, end.column))))


@dataclass
class MessageLog:
    """The logger for clingo: keeps what it says, with locations."""

    sources: RuleSources
    entries: list[tuple[clingo.MessageCode, Location | None, str]] = field(default_factory=list)

    def __call__(self, code: clingo.MessageCode, text: str) -> None:
        for line in _unsafe_variables(text) or [text]:
            location, rest = Location.parse(line) or (None, line)
            place = None if location is None else self.sources.resolve_location(location)
            told = _TEXT_LOCATION.sub(lambda match: self._resolve_text(match[0]), " ".join(rest.split()))
            self.entries.append((code, place, told))

    def _resolve_text(self, text: str) -> str:
        """A place in the middle of a message, in its file."""
        location, _ = Location.parse(f"{text} ") or (None, "")
        return text if location is None else f"{self.sources.resolve_location(location)}:"

    def errors(self) -> list[Diagnostic]:
        """Only what clingo itself calls an error."""
        return [
            make_error(location, text.removeprefix("error: "), _suggest_remedy(text))
            for code, location, text in self.entries
            if code == clingo.MessageCode.RuntimeError
        ]


def _unsafe_variables(text: str) -> list[str]:
    """Clingo names the rule as its grounder sees it, then a note for each variable: the notes are what helps."""
    if "error: unsafe variables in" not in text:
        return []
    notes = [line.strip() for line in text.splitlines() if " note: " in line]
    return [note.replace(" note: ", " error: unsafe variable: ") for note in notes]


def _suggest_remedy(text: str) -> str:
    if "unsafe variable" in text:
        return "bind it by a positive body literal"
    if "redefinition of constant" in text:
        return "keep one #const for each constant"
    if "has no circuit" in text:
        return "break the loop"
    return ""


def read_sources(
    files: Sequence[Path], limit: int, library: Sequence[Path] = ()
) -> tuple[RuleSources, list[Diagnostic]]:
    """The files with everything that they include, each once; all of them must lie inside of the files' folders.

    ``#include <name>.`` takes ``name.lp`` from the first folder of the library that has it.

    No file is larger than the limit, nor all of them together than four times as much.
    """
    sources: dict[str, RuleSource] = {}
    problems = [] if files else [make_error(None, "a knowledge base needs at least one rule file")]
    folders = (*root_folders(files), *(Path(os.path.realpath(folder)) for folder in library))
    waiting: list[tuple[str, Location | None]] = [(str(file), None) for file in files]
    before, left = (
        1,
        4 * limit,
    )  # a first line that is empty: clingo takes text that begins with "asp" for another format
    for path, included_at in waiting:
        if os.path.realpath(path) in sources:
            continue
        if len(sources) == MAX_FILES:
            problems.append(make_error(included_at, f"more than {MAX_FILES} rule files", "join some of them"))
            break
        text, problem = _read_file(path, min(limit, left), folders, included_at)
        problems.extend(problem)
        if text is not None:
            source = sources[os.path.realpath(path)] = RuleSource(path, text, before)
            before += source.num_lines + 1  # clingo may speak of the line behind the last one
            left -= len(text)
            found, wrong = _find_includes(source, folders, library)
            waiting.extend(found)
            problems.extend(wrong)
    return RuleSources(tuple(sources.values())), problems


def _read_file(
    path: str, limit: int, folders: Sequence[Path], included_at: Location | None
) -> tuple[str | None, list[Diagnostic]]:
    if included_at is None and not is_inside(path, folders):
        remedy = "copy the file into the folder of the knowledge base"
        return None, [make_error(None, f"{path}: a link that leads out of the knowledge base", remedy)]
    try:
        text = read_regular_file(path, limit).decode("utf-8-sig")
    except NotAFileError:
        return None, [make_error(included_at, f"{path}: not a file", "name a rule file")]
    except FileTooLargeError:
        return None, [make_error(included_at, f"{path}: larger than {limit} bytes", "split the file")]
    except OSError as failure:
        return None, [make_error(included_at, f"{path}: cannot be read: {failure.strerror}", "check the path")]
    except UnicodeDecodeError as failure:
        where = _location_after(path, failure.object[: failure.start].decode("utf-8", "replace"))
        return None, [make_error(where, "not UTF-8 text", "save the file as UTF-8")]
    if "\0" in text:
        where = _location_after(path, text[: text.index("\0")])
        return None, [make_error(where, "a NUL character", "save the file as plain text")]
    if not text.strip():
        return None, [make_error(Location(path, 1, 1, 1, 1), "an empty rule file", "write rules or leave the file out")]
    return text, []


def _location_after(path: str, text: str) -> Location:
    """The letter behind a text."""
    line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return Location(path, line, column, line, column + 1)


def _find_includes(
    source: RuleSource, folders: Sequence[Path], library: Sequence[Path]
) -> tuple[list[tuple[str, Location | None]], list[Diagnostic]]:
    """The files that a file includes, and what is wrong with its includes."""
    found: list[tuple[str, Location | None]] = []
    problems = []
    includes = source.scan.includes
    if len(includes) > MAX_FILES:
        where = source.location(includes[0].start, includes[0].end)
        return [], [make_error(where, f"more than {MAX_FILES} includes", "join some of the files")]
    for include in includes:
        where = source.location(include.start, include.end)
        path = _resolve_include(include, source, library)
        problem = _check_include(include, path, folders, library)
        if problem is None:
            found.append((path, where))
        else:
            problems.append(make_error(where, *problem))
    return found, problems


def _resolve_include(include: Include, source: RuleSource, library: Sequence[Path]) -> str:
    """Where an included file lies; in the last folder of the library where none has it."""
    if not include.is_library:
        return str(Path(source.path).parent / include.path)
    places = [str(folder / f"{include.path}.lp") for folder in library] or [include.path]
    return next((place for place in places if os.path.lexists(place)), places[-1])


def _check_include(
    include: Include, path: str, folders: Sequence[Path], library: Sequence[Path]
) -> tuple[str, str] | None:
    """What is wrong with an include, and what to do."""
    if include.problem:
        return include.problem, "include files of the knowledge base, between its rules"
    if include.is_library and (not re.fullmatch(r"\w+", include.path) or not os.path.lexists(path)):
        names = {file.stem for folder in library for file in folder.glob("*.lp")}
        remedy = did_you_mean(include.path, names) or f"there are: {', '.join(sorted(names)) or 'none'}"
        return f"#include <{include.path}>: no such common file", remedy
    named = f"#include of '{' '.join(include.path.split())}'"
    if not is_inside(path, folders):
        return f"{named} from outside the knowledge base", "copy the file into the folder of the knowledge base"
    if not os.path.lexists(path):
        return f"{named}: no such file", "paths are relative to this file"
    return None


def parse_sources(sources: RuleSources) -> tuple[list[ast.AST], list[Diagnostic]]:
    """The statements of the files; syntax errors are diagnostics with their place.

    Files with anything that our lexer refuses do not reach clingo, whose parser such text can end with the process.
    """
    statements: list[ast.AST] = []
    problems = list(check_source_texts(sources.files))
    if problems:
        return [], problems
    for source in sources.files:
        messages = MessageLog(sources)
        text = "\n" * source.line_offset + source.scan.code
        try:
            ast.parse_string(text, statements.append, logger=messages, message_limit=MAX_MESSAGES)
        except RuntimeError as failure:
            if "bad_alloc" in str(failure):
                raise MemoryError from failure
            problems += messages.errors() or [make_error(Location(source.path, 1, 1, 1, 1), str(failure))]
        else:
            problems += messages.errors()
    return statements, problems


def read_statements(files: Sequence[Path], limit: int, library: Sequence[Path] = ()) -> Iterator[ast.AST]:
    """The statements of files that were found sound before."""
    yield from parse_sources(read_sources(files, limit, library)[0])[0]
