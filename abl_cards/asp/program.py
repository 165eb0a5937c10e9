"""Parse rule files with clingo, and locate its messages in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import clingo
from clingo import ast

from abl_cards.asp.errors import Diagnostic, Location, make_error
from abl_cards.asp.sources import CLINGO_TEXT_NAME, RuleSources, read_sources
from abl_cards.asp.syntax_remedies import find_syntax_remedy
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import ErrorCode

MAX_MESSAGES = 1000
"""Most messages of clingo about one file or about the ground program."""

_TEXT_LOCATION = re.compile(rf"{CLINGO_TEXT_NAME}:[0-9:-]+:")


@dataclass
class MessageLog:
    """Logger for clingo that collects its messages with their locations.

    Attributes:
        sources: Files to which the locations refer.
        entries: Message code, location and text of each message.
    """

    sources: RuleSources
    entries: list[tuple[clingo.MessageCode, Location | None, str]] = field(default_factory=list)

    def __call__(self, code: clingo.MessageCode, text: str) -> None:
        """Add a message of clingo."""
        for line in _unsafe_variables(text) or [text]:
            location, message = Location.parse(line) or (None, line)
            resolved = None if location is None else self.sources.resolve_location(location)
            shown_text = _TEXT_LOCATION.sub(lambda match: self._resolve_text(match[0]), " ".join(message.split()))
            self.entries.append((code, resolved, shown_text))

    def _resolve_text(self, text: str) -> str:
        """Convert a location in the middle of a message."""
        location, _ = Location.parse(f"{text} ") or (None, "")
        return text if location is None else f"{self.sources.resolve_location(location)}:"

    def errors(self) -> list[Diagnostic]:
        """Return the messages that clingo itself classifies as errors.

        Returns:
            Diagnostics with the locations in the files.
        """
        return [
            make_error(location, text.removeprefix("error: "), *self._classify(text, location))
            for code, location, text in self.entries
            if code == clingo.MessageCode.RuntimeError
        ]

    def _classify(self, text: str, location: Location | None) -> tuple[str, ErrorCode]:
        """Return the remedy and the code of an error message of clingo."""
        remedy, code = _classify_message(text)
        source = next((item for item in self.sources.files if location and item.path == location.file), None)
        if code == ErrorCode.SYNTAX_ERROR and source is not None and location is not None:
            remedy = find_syntax_remedy(text, source.scan.code, source.offset(location.line, location.column))
        return remedy, code


def _unsafe_variables(text: str) -> list[str]:
    """Split a message about unsafe variables into clingo's notes, one for each variable, which have its location."""
    if "error: unsafe variables in" not in text:
        return []
    notes = [line.strip() for line in text.splitlines() if " note: " in line]
    return [note.replace(" note: ", " error: unsafe variable: ") for note in notes]


def _classify_message(text: str) -> tuple[str, ErrorCode]:
    """Return the remedy and the code of an error message of clingo."""
    if "unsafe variable" in text:
        return "bind it by a positive body literal", ErrorCode.UNSAFE_VARIABLE
    if "redefinition of constant" in text:
        return "keep one #const for each constant", ErrorCode.INVALID_CONSTANT
    if "has no circuit" in text:
        return "break the loop", ErrorCode.NO_CIRCUIT
    return "", next((code for part, code in _CODES_BY_TEXT.items() if part in text), ErrorCode.GROUNDING_FAILED)


_CODES_BY_TEXT = {
    "syntax error": ErrorCode.SYNTAX_ERROR,
    "lexer error": ErrorCode.SYNTAX_ERROR,
    "cyclic constant": ErrorCode.INVALID_CONSTANT,
    "weights of a sum": ErrorCode.INTEGER_OVERFLOW,
}


def parse_sources(sources: RuleSources) -> tuple[list[ast.AST], list[Diagnostic]]:
    """Parse rule files with clingo.

    Files that `check_source_texts` rejects are not passed to clingo, because they can crash the process.

    Args:
        sources: Files that were read.

    Returns:
        The statements of all files, and the syntax errors with their locations.

    Raises:
        MemoryError: clingo has no memory left.
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
            start = Location(source.path, 1, 1, 1, 1)
            problems += messages.errors() or [make_error(start, str(failure), code=ErrorCode.SYNTAX_ERROR)]
        else:
            problems += messages.errors()
    return statements, problems


def read_statements(files: Sequence[str | Path], limit: int, library: Sequence[str | Path] = ()) -> Iterator[ast.AST]:
    """Yield the statements of files that passed all checks before.

    Args:
        files: Rule files.
        limit: Most bytes of a file.
        library: Folders of common files.

    Yields:
        clingo's syntax trees.
    """
    yield from parse_sources(read_sources(files, limit, library)[0])[0]
