"""The text of a rule file before clingo sees it: comments and includes taken out, each letter left in its place.

clingo's own reader opens whatever stands behind `#include`. So it is handed text in which that word does not occur:
`scan_text` finds the includes, and the files are read by `program.py`, which knows where a knowledge base ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

INCLUDE = "#include"
BYTE_ORDER_MARK = "\ufeff"
MAX_CACHED_TEXT = 1 << 16
"""Characters; what longer texts hold is not remembered."""
_INCLUDE_PLACEHOLDER = "_include"  # in strings, which `check.py` refuses

_TOKEN = re.compile(
    r"""
    (?P<string>"(?:\\["\\n]|[^"\\\n]+)*+")
  | (?P<open>"(?:\\["\\n]|[^"\\\n]+)*+)
  | (?P<block>%\*)
  | (?P<comment>%[^\n]*)
  | (?P<script>\#script(?![\w']))
  | (?P<include>\#include(?![\w']))
  | (?P<function>@\s*[a-z_])
  | (?P<number>(?<![\w'])(?:0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+|[0-9]+))
  | (?P<foreign>[^\t\n\r\x20-\x7e]+)
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"%\*|\*%|%[^\n]*")  # a line comment inside a block hides the rest of its line
_INCLUDE_TARGET = re.compile(r'\s*(?:"(?P<path>(?:\\["\\n]|[^"\\\n])*)"|<(?P<builtin>[^<>\n]*)>)\s*\.')
MAX_NESTING = 100
"""Brackets and operators one within the other: clingo's parser and what walks over its trees recurse that deep."""
_PUNCTUATION = re.compile(
    r"""
    "[^"\\\n]*(?:\\.[^"\\\n]*)*"?
  | (?P<opening>[(\[{])
  | (?P<closing>[)\]}])
  | (?P<between>:-|[,;:]|\.(?!\.))
  | (?P<operator>\.\.|\*\*|[-+*/\\^?&|~@!=<>])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r'\\(["\\n])')


@dataclass(frozen=True)
class LexerToken:
    """A stretch of the text that is more than rules: its kind is a group of `_TOKEN`."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Include:
    """An include: the file that it names, or what is wrong with it."""

    start: int
    end: int
    path: str = ""
    problem: str = ""
    is_library: bool = False  # written <path>


@dataclass(frozen=True)
class ScanResult:
    """What was found in a text."""

    code: str  # as long as the text: blanks for comments and includes, and nowhere the word `#include`
    tokens: tuple[LexerToken, ...]  # outside of comments
    includes: tuple[Include, ...]
    unclosed_comment_at: int | None  # where a block comment begins that does not end
    too_deep_at: int | None  # where the first term stands that is nested more than `MAX_NESTING` times


def scan_text(text: str) -> ScanResult:
    """Take a text apart; those of usual length are remembered, for files are read again and again.

    A byte order mark at the beginning counts as a blank.
    """
    return (_scan_cached if len(text) <= MAX_CACHED_TEXT else _scan)(text)


def _scan(text: str) -> ScanResult:
    text = f" {text[1:]}" if text.startswith(BYTE_ORDER_MARK) else text
    every = list(_tokens(text))
    comments = [token for token in every if token.kind == "comment"]
    tokens = tuple(token for token in every if token.kind != "comment")
    bare = _blank_out(text, [(comment.start, comment.end) for comment in comments])
    includes = tuple(_parse_include(bare, token) for token in tokens if token.kind == "include")
    code = _blank_out(bare, [(include.start, include.end) for include in includes])
    last = comments[-1].start if comments else 0
    unclosed = text.startswith("%*", last) and _find_block_end(text, last + 2) is None
    code = code.replace(INCLUDE, _INCLUDE_PLACEHOLDER)
    return ScanResult(code, tokens, includes, last if unclosed else None, _find_too_deep(code))


_scan_cached = lru_cache(maxsize=256)(_scan)


def _blank_out(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    """The text with spaces in these stretches; line ends stay."""
    parts: list[str] = []
    done = 0
    for start, end in stretches:
        parts += [text[done:start], "\n".join(" " * len(line) for line in text[start:end].split("\n"))]
        done = end
    return "".join([*parts, text[done:]])


def _tokens(text: str) -> Iterator[LexerToken]:
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        kind, end = str(match.lastgroup), match.end()
        if kind == "block":
            kind, end = "comment", _find_block_end(text, end) or len(text)
        yield LexerToken(kind, match.start(), end, text[match.start() : end])
        position = end


def _find_block_end(text: str, position: int) -> int | None:
    """Block comments nest; None for one that does not end."""
    depth = 1
    while depth and (match := _BLOCK.search(text, position)) is not None:
        depth += {"%*": 1, "*%": -1}.get(match[0], 0)
        position = match.end()
    return None if depth else position


def _find_too_deep(code: str) -> int | None:
    """Where brackets and operators first are nested more than `MAX_NESTING` times; None where they never are.

    Operators in a row make a tree as deep as they are many: 1+1+1 is (1+1)+1.
    """
    operators = [0]  # by open bracket, those since the last comma
    depth = 0
    for match in _PUNCTUATION.finditer(code):
        kind = match.lastgroup
        if kind == "opening":
            operators.append(0)
            depth += 1
        elif kind == "closing" and len(operators) > 1:
            depth -= 1 + operators.pop()
        elif kind == "between":
            depth -= operators[-1]
            operators[-1] = 0
        elif kind == "operator":
            operators[-1] += 1
            depth += 1
        if depth > MAX_NESTING:
            return match.start()
    return None


def _parse_include(code: str, token: LexerToken) -> Include:
    """What an include says, in a text without comments."""
    before = token.start
    while before and code[before - 1].isspace():
        before -= 1
    target = _INCLUDE_TARGET.match(code, token.end)
    if target is None:
        return Include(token.start, token.end, problem='#include without a file: write #include "file.lp".')
    if before and code[before - 1] != ".":
        return Include(token.start, target.end(), problem="#include inside of a rule")
    if target["builtin"] is not None:
        return Include(token.start, target.end(), target["builtin"], is_library=True)
    path = _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], target["path"])
    return Include(token.start, target.end(), path)


def parse_number(text: str) -> int | None:
    """The value of a number as clingo writes it; None where it has more digits than 32 bits take."""
    base = {"0x": 16, "0o": 8, "0b": 2}.get(text[:2], 10)
    digits = text[2:] if base != 10 else text
    return int(digits, base) if len(digits.lstrip("0")) <= 32 else None
