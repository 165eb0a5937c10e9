"""Rule files as tokens, whether they can be parsed or not: what is being typed seldom can."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from abl_cards.logic.lexis import scan

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
class Token:
    """A word or a mark; `kind` is a group of `_TOKEN`."""

    kind: str
    text: str
    start: int  # in the text
    end: int

    def is_mark(self, *marks: str) -> bool:
        """Whether it is one of these marks."""
        return self.kind == "mark" and self.text in marks


@dataclass(frozen=True)
class Text:
    """The text of a rule file."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Without comments and includes."""
        code = scan(self.text).code
        return tuple(
            Token(str(match.lastgroup), match[0], match.start(), match.end()) for match in _TOKEN.finditer(code)
        )

    def statements(self) -> Iterator[tuple[Token, ...]]:
        """The tokens between full stops; the last one may lack its own."""
        begun = 0
        for place, token in enumerate(self.tokens):
            if token.is_mark("."):
                yield self.tokens[begun:place]
                begun = place + 1
        if self.tokens[begun:]:
            yield self.tokens[begun:]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """Without their ends."""
        return self.text.split("\n")

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, from 0."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def units(self, line: int, column: int, width: Callable[[str], int]) -> int:
        """The column of a line counted in units, of which a letter has so many; one such width for a text."""
        if not 0 <= line < len(self.lines) or self.lines[line].isascii():
            return column
        sums = self._units.get(line)
        if sums is None:
            sums = self._units[line] = list(accumulate(map(width, self.lines[line]), initial=0))
        return sums[min(max(column, 0), len(sums) - 1)]

    @cached_property
    def _units(self) -> dict[int, list[int]]:
        return {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; one outside of the text is moved inside."""
        if line >= len(self._starts):
            return len(self.text)
        line = max(line, 0)
        return self._starts[line] + min(max(column, 0), len(self.lines[line]))

    def at(self, offset: int) -> Token | None:
        """The word that a cursor touches."""
        for token in self.tokens:
            if token.start <= offset <= token.end and token.kind in ("name", "variable", "directive"):
                return token
            if token.start > offset:
                break
        return None

    def comment_at(self, line: int) -> str:
        """What a comment says behind a line."""
        if not 0 <= line < len(self.lines):
            return ""
        if line not in self._comments:
            code = scan(self.lines[line]).code
            said = self.lines[line][len(code.rstrip()) :].strip()
            self._comments[line] = said.lstrip("% ").strip() if said.startswith("%") else ""
        return self._comments[line]

    @cached_property
    def _comments(self) -> dict[int, str]:
        return {}
