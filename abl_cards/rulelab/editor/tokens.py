"""Text of rule files: tokens, lines, positions and comments; the texts may be incomplete, as in an editor."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from abl_cards.asp import LexerToken, scan_text, tokenize


@dataclass(frozen=True)
class SourceText:
    """Text of a rule file with its tokens, lines and comments.

    Attributes:
        text: Text of the file.
    """

    text: str

    @cached_property
    def tokens(self) -> tuple[LexerToken, ...]:
        """Tokens without comments and includes."""
        return tokenize(self.text)

    def statements(self) -> Iterator[tuple[LexerToken, ...]]:
        """Yield the tokens of each statement, without its full stop; the last statement may lack one."""
        start = 0
        for index, token in enumerate(self.tokens):
            if token.is_mark("."):
                yield self.tokens[start:index]
                start = index + 1
        if self.tokens[start:]:
            yield self.tokens[start:]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """Lines without line ends."""
        return self.text.split("\n")

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset.

        Args:
            offset: Offset in the text.

        Returns:
            Line and column in characters, both from 0.
        """
        line = bisect_right(self._line_starts, offset) - 1
        return line, offset - self._line_starts[line]

    def column_in_units(self, line: int, column: int, width: Callable[[str], int]) -> int:
        """Convert a column in characters to a column in other units, such as UTF-16 units.

        Args:
            line: Line, from 0.
            column: Column in characters, from 0.
            width: Returns the number of units of a character; the same function for every call.

        Returns:
            Column in units, from 0.
        """
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
        """Return the offset of a position.

        Args:
            line: Line, from 0.
            column: Column in characters, from 0.

        Returns:
            Offset in the text; positions outside the text are moved inside.
        """
        if line >= len(self._line_starts):
            return len(self.text)
        line = max(line, 0)
        return self._line_starts[line] + min(max(column, 0), len(self.lines[line]))

    def token_at(self, offset: int) -> LexerToken | None:
        """Return the word at a cursor.

        Args:
            offset: Offset of the cursor.

        Returns:
            Name, variable or directive that includes the cursor or ends at it; None if there is none.
        """
        for token in self.tokens:
            if token.start <= offset <= token.end and token.kind in ("name", "variable", "directive"):
                return token
            if token.start > offset:
                break
        return None

    def comment_at(self, line: int) -> str:
        """Return the comment on a line.

        Args:
            line: Line, from 0.

        Returns:
            Comment without its mark; empty if there is none.
        """
        if not 0 <= line < len(self.lines):
            return ""
        if line not in self._comments:
            code = scan_text(self.lines[line]).code
            comment = self.lines[line][len(code.rstrip()) :].strip()
            self._comments[line] = comment.lstrip("% ").strip() if comment.startswith("%") else ""
        return self._comments[line]

    @cached_property
    def _comments(self) -> dict[int, str]:
        return {}
