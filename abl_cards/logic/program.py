"""The files of a knowledge base: read them, follow their includes, parse them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import clingo
from clingo import ast

from abl_cards.logic.errors import Diagnostic, Location, error

_TOKEN = re.compile(
    r"""
    (?P<string>"(?:\\["\\n]|[^"\\\n])*")
  | (?P<block>%\*)
  | (?P<comment>%[^\n]*)
  | (?P<script>\#script\b)
  | (?P<include>\#include\s*(?:"(?P<path>(?:\\.|[^"\\\n])*)"|<(?P<builtin>[^>\n]*)>))
  | (?P<function>@\s*[a-z_])
  | (?P<number>\b[0-9]{10,}\b)
  | (?P<foreign>[^\x00-\x7f]+)
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"%\*|\*%|%[^\n]*")  # a line comment inside a block hides the rest of its line


@dataclass(frozen=True)
class Source:
    """One rule file."""

    path: str  # as it was given, or as clingo names an included file
    text: str

    def location(self, offset: int, end: int) -> Location:
        """The place of a stretch of the text."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1)
        return Location(self.path, line, column + 1, line, column + 1 + end - offset)


class Messages:
    """The logger for clingo: keeps what it says, with locations."""

    def __init__(self) -> None:
        self.entries: list[tuple[clingo.MessageCode, Location | None, str]] = []

    def __call__(self, code: clingo.MessageCode, text: str) -> None:
        for line in _unsafe_variables(text) or [text]:
            location, rest = Location.parse(line) or (None, line)
            self.entries.append((code, location, " ".join(rest.split())))

    def errors(self) -> list[Diagnostic]:
        """Only what clingo itself calls an error."""
        return [
            error(location, text.removeprefix("error: "), _remedy(text))
            for code, location, text in self.entries
            if code == clingo.MessageCode.RuntimeError
        ]


def _unsafe_variables(text: str) -> list[str]:
    """Clingo names the rule as its grounder sees it, then a note for each variable: the notes are what helps."""
    if "error: unsafe variables in" not in text:
        return []
    notes = [line.strip() for line in text.splitlines() if " note: " in line]
    return [note.replace(" note: ", " error: unsafe variable: ") for note in notes]


def _remedy(text: str) -> str:
    if "unsafe variable" in text:
        return "bind it by a positive body literal"
    if "redefinition of constant" in text:
        return "keep one #const for each constant"
    return ""


def read(files: Sequence[Path], limit: int) -> tuple[list[Source], list[Diagnostic]]:
    """The files with everything that they include, each once; includes must stay inside the files' folders."""
    sources: dict[Path, Source] = {}
    problems: list[Diagnostic] = []
    folders = [file.resolve().parent for file in files]
    if not files:
        problems.append(error(None, "a knowledge base needs at least one rule file"))
    waiting = [(str(file), None) for file in files] if files else []
    queue: list[tuple[str, Location | None]] = list(waiting)
    for path, included_at in queue:
        resolved = Path(path).resolve()
        if resolved in sources:
            continue
        source, problem = _read_file(path, limit, included_at)
        if problem is not None:
            problems.append(problem)
        if source is not None:
            sources[resolved] = source
            found, wrong = _includes(source, folders)
            queue.extend(found)
            problems.extend(wrong)
    return list(sources.values()), problems


def _read_file(path: str, limit: int, included_at: Location | None) -> tuple[Source | None, Diagnostic | None]:
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe would be waited for
            return None, error(included_at, f"{path}: not a file", "name a rule file")
        with open(path, "rb") as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            return None, error(included_at, f"{path}: larger than {limit} bytes", "split the file")
        text = content.decode("utf-8")
    except OSError as failure:
        return None, error(included_at, f"{path}: cannot be read: {failure.strerror}", "check the path")
    except UnicodeDecodeError as failure:
        line = content.count(b"\n", 0, failure.start) + 1
        where = Location(path, line, 1, line, 1)
        return None, error(where, "not UTF-8 text", "save the file as UTF-8")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return None, error(Location(path, line, 1, line, 1), "a NUL character", "save the file as plain text")
    if not text.strip():
        return None, error(Location(path, 1, 1, 1, 1), "an empty rule file", "write rules or leave the file out")
    return Source(path, text), None


def _includes(source: Source, folders: Sequence[Path]) -> tuple[list[tuple[str, Location | None]], list[Diagnostic]]:
    """The files that a file includes, as clingo will look them up."""
    found: list[tuple[str, Location | None]] = []
    problems = []
    for token in tokens(source.text):
        if token.lastgroup is None or not token["include"]:
            continue
        where = source.location(*token.span())
        if token["builtin"] is not None:
            problems.append(
                error(where, f"#include <{token['builtin']}> is not supported", "include files of the KB only")
            )
            continue
        path = Path(source.path).parent / token["path"]
        shadow = Path(token["path"])
        if not any(path.resolve().is_relative_to(folder) for folder in folders):
            remedy = "copy the file into the folder of the knowledge base"
            problems.append(error(where, f"#include of '{token['path']}' from outside the knowledge base", remedy))
        elif not path.is_file():
            problems.append(
                error(where, f"#include of '{token['path']}': no such file", "paths are relative to this file")
            )
        elif shadow.is_file() and not shadow.samefile(path):
            remedy = "run from another directory"
            problems.append(error(where, f"'{token['path']}' would be taken from the working directory", remedy))
        else:
            found.append((str(path), where))
    return found, problems


def tokens(text: str) -> Iterator[re.Match[str]]:
    """What matters of the text outside of comments."""
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        if match["block"]:
            position = _end_of_block(text, position)
        elif not match["comment"]:
            yield match


def _end_of_block(text: str, position: int) -> int:
    """Block comments nest."""
    depth = 1
    while depth and (match := _BLOCK.search(text, position)) is not None:
        depth += {"%*": 1, "*%": -1}.get(match[0], 0)
        position = match.end()
    return position if not depth else len(text)


def parse(files: Iterable[Path], sources: Sequence[Source]) -> tuple[list[ast.AST], list[Diagnostic]]:
    """The statements of the files; syntax errors are diagnostics with their place.

    Files other than the sources are refused too, should clingo find an include that `read` did not.
    """
    statements: list[ast.AST] = []
    messages = Messages()
    try:
        ast.parse_files([str(file) for file in files], statements.append, logger=messages, message_limit=100)
    except RuntimeError as failure:
        return statements, messages.errors() or [error(None, str(failure))]
    known = {Path(source.path).resolve() for source in sources}
    for name in {statement.location.begin.filename for statement in statements}:
        if Path(name).resolve() not in known:
            return statements, [
                error(Location(name, 1, 1, 1, 1), "not a file of the knowledge base", "drop the #include")
            ]
    return statements, messages.errors()


def location_of(node: ast.AST) -> Location:
    """The place of a syntax node."""
    begin, end = node.location.begin, node.location.end
    return Location(begin.filename, begin.line, begin.column, end.line, end.column)
