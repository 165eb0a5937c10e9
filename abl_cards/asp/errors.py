"""What a rule writer sees when a knowledge base is wrong: one line a problem, with file, line and columns.

kb/guandan/rules.lp:12:5-9: error: unknown predicate 'hold/2' (did you mean 'held/2'?)
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from abl_cards.core import ErrorCode

_POSITION = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)(?:-(?:(?P<end_line>\d+):)?(?P<end>\d+))?: ")


@dataclass(frozen=True, order=True)
class Location:
    """A stretch of source text; lines and columns count from 1, the end column is exclusive (clingo's habit)."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        end = f"{self.end_column}" if self.end_line == self.line else f"{self.end_line}:{self.end_column}"
        return f"{self.file}:{self.line}:{self.column}-{end}"

    @classmethod
    def parse(cls, text: str) -> tuple[Location, str] | None:
        """Split a message of clingo's logger into its location and the rest; None when it has no location."""
        match = _POSITION.match(text)
        if match is None:
            return None
        line, column = int(match["line"]), int(match["column"])
        end_line = int(match["end_line"] or line)
        location = cls(match["file"], line, column, end_line, int(match["end"] or column))
        return location, text[match.end() :]


class Severity(StrEnum):
    """An error refuses the knowledge base, a warning only speaks."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Diagnostic:
    """One problem: where it is, what is wrong, and what to do about it."""

    severity: Severity
    location: Location | None
    message: str
    remedy: str = ""
    code: ErrorCode = ErrorCode.INVALID_VALUE

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        advice = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.severity}: {self.message}{advice}"


class KBError(ValueError):
    """A knowledge base that cannot be used; its text is one line per diagnostic.

    Attributes:
        diagnostics: Errors, and the warnings found beside them.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))

    @property
    def code(self) -> ErrorCode:
        """Kind of the first error."""
        errors = (each for each in self.diagnostics if each.severity is Severity.ERROR)
        return next(errors, self.diagnostics[0]).code


def make_error(
    location: Location | None, message: str, remedy: str = "", code: ErrorCode = ErrorCode.INVALID_VALUE
) -> Diagnostic:
    """Make a diagnostic that rejects the knowledge base."""
    return Diagnostic(Severity.ERROR, location, message, remedy, code)


def make_kb_error(message: str, remedy: str, code: ErrorCode = ErrorCode.INVALID_VALUE) -> KBError:
    """Make an error without a location, for a knowledge base that is sound logic but does not describe a game."""
    return KBError([make_error(None, message, remedy, code)])


def make_warning(
    location: Location | None, message: str, remedy: str = "", code: ErrorCode = ErrorCode.INVALID_VALUE
) -> Diagnostic:
    """Make a diagnostic that does not reject the knowledge base."""
    return Diagnostic(Severity.WARNING, location, message, remedy, code)


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Without repetitions, by place in the files (those without a place last)."""
    nowhere = Location("\uffff", 0, 0, 0, 0)
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda diagnostic: diagnostic.location or nowhere))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'did you mean …?' for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""
