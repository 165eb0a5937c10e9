"""Rule files as tokens, whether they can be parsed or not: what is being typed seldom can."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from abl_cards.asp import scan_text

_TOKEN = re.compile(
    r"""
    (?P<string>"(?:\\.|[^"\\\n])*"?)
  | (?P<name>[_']*[a-z][\w']*)
  | (?P<variable>[_']*[A-Z][\w']*|_(?![_']))
  | (?P<number>\d\w*)
  | (?P<directive>\#[a-z]+\+?)
  | (?P<mark>:-|:~|\.\.|!=|<=|>=|==|\*\*|[_']+|[^\s])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class SyntaxToken:
    """A word or a mark; `kind` is a group of `_TOKEN`."""

    kind: str
    text: str
    start: int  # in the text
    end: int

    def is_mark(self, *marks: str) -> bool:
        """Return whether the token is one of these marks."""
        return self.kind == "mark" and self.text in marks


@dataclass(frozen=True)
class SourceText:
    """The text of a rule file."""

    text: str

    @cached_property
    def tokens(self) -> tuple[SyntaxToken, ...]:
        """Without comments and includes."""
        code = scan_text(self.text).code
        return tuple(
            SyntaxToken(str(match.lastgroup), match[0], match.start(), match.end()) for match in _TOKEN.finditer(code)
        )

    def statements(self) -> Iterator[tuple[SyntaxToken, ...]]:
        """The tokens between full stops; the last one may lack its own."""
        begun = 0
        for place, token in enumerate(self.tokens):
            if token.is_mark("."):
                yield self.tokens[begun:place]
                begun = place + 1
        if self.tokens[begun:]:
            yield self.tokens[begun:]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """Without their ends."""
        return self.text.split("\n")

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, from 0."""
        line = bisect_right(self._line_starts, offset) - 1
        return line, offset - self._line_starts[line]

    def column_in_units(self, line: int, column: int, width: Callable[[str], int]) -> int:
        """The column of a line counted in units, of which a letter has so many; one such width for a text."""
        if not 0 <= line < len(self.lines) or self.lines[line].isascii():
            return column
        sums = self._unit_sums.get(line)
        if sums is None:
            sums = self._unit_sums[line] = list(accumulate(map(width, self.lines[line]), initial=0))
        return sums[min(max(column, 0), len(sums) - 1)]

    @cached_property
    def _unit_sums(self) -> dict[int, list[int]]:
        return {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; one outside of the text is moved inside."""
        if line >= len(self._line_starts):
            return len(self.text)
        line = max(line, 0)
        return self._line_starts[line] + min(max(column, 0), len(self.lines[line]))

    def token_at(self, offset: int) -> SyntaxToken | None:
        """The word that a cursor touches."""
        for token in self.tokens:
            if token.start <= offset <= token.end and token.kind in ("name", "variable", "directive"):
                return token
            if token.start > offset:
                break
        return None

    def comment_at(self, line: int) -> str:
        """Return the comment on a line."""
        if not 0 <= line < len(self.lines):
            return ""
        if line not in self._comments:
            code = scan_text(self.lines[line]).code
            said = self.lines[line][len(code.rstrip()) :].strip()
            self._comments[line] = said.lstrip("% ").strip() if said.startswith("%") else ""
        return self._comments[line]

    @cached_property
    def _comments(self) -> dict[int, str]:
        return {}
