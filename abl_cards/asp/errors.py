"""Diagnostics of rule files: one line per problem, with file, line, columns and an error code.

kb/guandan/rules.lp:12:5-9: error: unknown predicate 'hold/2' (did you mean 'held/2'?)
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from abl_cards.core import ErrorCode

_POSITION = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)(?:-(?:(?P<end_line>\d+):)?(?P<end>\d+))?: ")

MIN_SIMILARITY = 0.7
"""Least similarity of names, from 0 to 1 as difflib counts it, for one to be suggested in place of the other."""
_ARITY = re.compile(r"/\d+$")
MOST_AT_A_PLACE = 3
"""Diagnostics of one kind at one place that a message shows one by one."""


@dataclass(frozen=True, order=True)
class Location:
    """Range of source text; lines and columns count from 1, and the end column is exclusive, as in clingo."""

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
        """Split a message of clingo's logger into its location and its text.

        Args:
            text: Message, such as ``rules.lp:3:1-9: error: …``.

        Returns:
            The location and the text behind it; None when the message has no location.
        """
        match = _POSITION.match(text)
        if match is None:
            return None
        line, column = int(match["line"]), int(match["column"])
        end_line = int(match["end_line"] or line)
        location = cls(match["file"], line, column, end_line, int(match["end"] or column))
        return location, text[match.end() :]


class Severity(StrEnum):
    """Severity of a diagnostic: an error rejects the knowledge base, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Diagnostic:
    """One problem of a knowledge base.

    Attributes:
        severity: Whether it rejects the knowledge base.
        location: Range of the source text; None if the problem has no location.
        message: Description of the problem.
        remedy: Instruction that solves the problem; may be empty.
        code: Kind of the problem.
    """

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
    """Error for a knowledge base that cannot be used.

    The text has one line per diagnostic. More than three of one kind at one location are counted instead of listed.

    Attributes:
        diagnostics: The errors, and the warnings found with them.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Make an error of at least one diagnostic."""
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(_format_diagnostics(self.diagnostics)))

    def __reduce__(self) -> tuple[type[KBError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle the diagnostics."""
        return type(self), (self.diagnostics,)

    @property
    def code(self) -> ErrorCode:
        """Kind of the first error."""
        errors = (diagnostic for diagnostic in self.diagnostics if diagnostic.severity is Severity.ERROR)
        return next(errors, self.diagnostics[0]).code


def _format_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Return a line per diagnostic; of many wrong instances of a rule three, and the number of the others."""
    kinds = [(diagnostic.severity, diagnostic.location, diagnostic.code) for diagnostic in diagnostics]
    totals, shown = Counter(kinds), Counter[tuple[Severity, Location | None, ErrorCode]]()
    lines = list[str]()
    for diagnostic, kind in zip(diagnostics, kinds, strict=True):
        shown[kind] += 1
        if diagnostic.location is None or shown[kind] <= MOST_AT_A_PLACE:
            lines.append(str(diagnostic))
        elif shown[kind] == totals[kind]:
            rest = totals[kind] - MOST_AT_A_PLACE
            lines.append(f"{diagnostic.location}: {diagnostic.severity}: {rest} more like these")
    return lines


def make_error(
    location: Location | None, message: str, remedy: str = "", code: ErrorCode = ErrorCode.INVALID_VALUE
) -> Diagnostic:
    """Make a diagnostic that rejects the knowledge base.

    Args:
        location: Range of the source text; None if the problem has no location.
        message: Description of the problem.
        remedy: Instruction that solves the problem.
        code: Kind of the problem.

    Returns:
        The diagnostic, with the severity `Severity.ERROR`.
    """
    return Diagnostic(Severity.ERROR, location, message, remedy, code)


def make_kb_error(message: str, remedy: str, code: ErrorCode = ErrorCode.INVALID_VALUE) -> KBError:
    """Make an exception without a location, for valid programs that do not describe a game.

    Args:
        message: Description of the problem.
        remedy: Instruction that solves the problem.
        code: Kind of the problem.

    Returns:
        The exception, to be raised by the caller.
    """
    return KBError([make_error(None, message, remedy, code)])


def make_warning(
    location: Location | None, message: str, remedy: str = "", code: ErrorCode = ErrorCode.INVALID_VALUE
) -> Diagnostic:
    """Make a diagnostic that does not reject the knowledge base.

    Args:
        location: Range of the source text; None if the problem has no location.
        message: Description of the problem.
        remedy: Instruction that solves the problem.
        code: Kind of the problem.

    Returns:
        The diagnostic, with the severity `Severity.WARNING`.
    """
    return Diagnostic(Severity.WARNING, location, message, remedy, code)


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics by location, and drop repetitions.

    Args:
        diagnostics: Diagnostics in any order.

    Returns:
        Each diagnostic once, by file, line and column; those without a location come last.
    """
    last = Location("\uffff", 0, 0, 0, 0)
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda diagnostic: diagnostic.location or last))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known word.

    Args:
        word: Unknown word. For a predicate ``name/arity`` only the name is compared.
        known: Words to choose from. Among predicates with equal names, the one with the same arity is preferred.

    Returns:
        "did you mean '…'?", or an empty string when no known word is similar.
    """
    nearest = find_nearest_word(word, known)
    return f"did you mean '{nearest}'?" if nearest else ""


def find_nearest_word(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar, as for `did_you_mean`; None when no known word is similar."""
    arity = word.removeprefix(_name_of(word))
    by_name = {_name_of(other): other for other in sorted(known, key=lambda other: (other.endswith(arity), other))}
    near = difflib.get_close_matches(_name_of(word), sorted(by_name), n=1, cutoff=MIN_SIMILARITY)
    return by_name[near[0]] if near else None


def _name_of(word: str) -> str:
    return _ARITY.sub("", word)
