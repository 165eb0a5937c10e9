"""Lexer of rule files: blank out comments and includes before clingo parses the text, and keep all columns.

clingo's own reader opens any file that an `#include` names. So clingo gets text in which that word does not occur:
`scan_text` finds the includes, and `program.py` reads the files, within the folders of the knowledge base only.

`scan_text` looks for the tokens that clingo must not see, `tokenize` splits the rest into all tokens. Every load scans,
and with all tokens it would take twice as long (0.39 s in place of 0.20 s for the 102 files of kb/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

INCLUDE = "#include"
BYTE_ORDER_MARK = "\ufeff"
MAX_CACHED_TEXT = 1 << 16
"""Characters; the scans of longer texts are not cached."""
_INCLUDE_PLACEHOLDER = "_include"  # within strings, which `text_checks.py` refuses

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
_CODE_TOKEN = re.compile(
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
_BLOCK = re.compile(r"%\*|\*%|%[^\n]*")  # a line comment inside a block hides the rest of its line
_INCLUDE_TARGET = re.compile(r'\s*(?:"(?P<path>(?:\\["\\n]|[^"\\\n])*)"|<(?P<builtin>[^<>\n]*)>)\s*\.')
MAX_NESTING = 100
"""Nested brackets and operators: the depth to which clingo's parser and the walks over its trees recurse."""
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
    """Token of a rule file; `kind` is the name of a group in `_TOKEN` or `_CODE_TOKEN`, `end` is exclusive."""

    kind: str
    start: int
    end: int
    text: str

    def is_mark(self, *marks: str) -> bool:
        """Return whether the token is one of these marks."""
        return self.kind == "mark" and self.text in marks


@dataclass(frozen=True)
class Include:
    """An `#include` statement.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        path: File that it names.
        problem: Description of the error; empty for a valid statement.
        is_library: Whether it is written `<path>`.
    """

    start: int
    end: int
    path: str = ""
    problem: str = ""
    is_library: bool = False


@dataclass(frozen=True)
class ScanResult:
    """Result of scanning a rule file.

    Attributes:
        code: Text of equal length, with blanks for comments and includes, and without the word `#include`.
        tokens: Tokens outside of comments.
        includes: All `#include` statements.
        unclosed_comment_at: Offset of a block comment that does not end; None where there is none.
        too_deep_at: Offset of the first term that is nested more than `MAX_NESTING` times; None where there is none.
    """

    code: str
    tokens: tuple[LexerToken, ...]
    includes: tuple[Include, ...]
    unclosed_comment_at: int | None
    too_deep_at: int | None


def scan_text(text: str) -> ScanResult:
    """Scan a rule file for comments, includes and tokens that clingo must not see.

    Scans of texts up to `MAX_CACHED_TEXT` characters are cached. A leading byte order mark counts as a blank.

    Args:
        text: Content of the file.

    Returns:
        The code without comments and includes, and the tokens and includes found.
    """
    return (_scan_cached if len(text) <= MAX_CACHED_TEXT else _scan)(text)


def tokenize(text: str) -> tuple[LexerToken, ...]:
    """Split a rule file into tokens; incomplete texts, as in an editor, are split too.

    Args:
        text: Content of the file.

    Returns:
        Tokens without comments and includes.
    """
    code = scan_text(text).code
    return tuple(
        LexerToken(str(match.lastgroup), match.start(), match.end(), match[0]) for match in _CODE_TOKEN.finditer(code)
    )


def _scan(text: str) -> ScanResult:
    text = f" {text[1:]}" if text.startswith(BYTE_ORDER_MARK) else text
    tokens = list(_tokens(text))
    comments = [token for token in tokens if token.kind == "comment"]
    program_tokens = tuple(token for token in tokens if token.kind != "comment")
    without_comments = _blank_out(text, [(comment.start, comment.end) for comment in comments])
    includes = tuple(_parse_include(without_comments, token) for token in program_tokens if token.kind == "include")
    code = _blank_out(without_comments, [(include.start, include.end) for include in includes])
    last = comments[-1].start if comments else 0
    unclosed = text.startswith("%*", last) and _find_block_end(text, last + 2) is None
    code = code.replace(INCLUDE, _INCLUDE_PLACEHOLDER)
    return ScanResult(code, program_tokens, includes, last if unclosed else None, _find_too_deep(code))


_scan_cached = lru_cache(maxsize=256)(_scan)


def _blank_out(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Replace ranges of a text by spaces; line ends stay."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += [text[done:start], "\n".join(" " * len(line) for line in text[start:end].split("\n"))]
        done = end
    return "".join([*pieces, text[done:]])


def _tokens(text: str) -> Iterator[LexerToken]:
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        kind, end = str(match.lastgroup), match.end()
        if kind == "block":
            kind, end = "comment", _find_block_end(text, end) or len(text)
        yield LexerToken(kind, match.start(), end, text[match.start() : end])
        position = end


def _find_block_end(text: str, position: int) -> int | None:
    """Return the end of a block comment; such comments nest. None for one that does not end."""
    depth = 1
    while depth and (match := _BLOCK.search(text, position)) is not None:
        depth += {"%*": 1, "*%": -1}.get(match[0], 0)
        position = match.end()
    return None if depth else position


def _find_too_deep(code: str) -> int | None:
    """Find where brackets and operators first nest more than `MAX_NESTING` times; None where they never do.

    A row of operators makes a tree as deep as its length: 1+1+1 is (1+1)+1.
    """
    operators = [0]  # by open bracket, the operators since the last comma
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
    """Parse an include in a text without comments."""
    preceding = token.start
    while preceding and code[preceding - 1].isspace():
        preceding -= 1
    target = _INCLUDE_TARGET.match(code, token.end)
    if target is None:
        return Include(token.start, token.end, problem='#include without a file: write #include "file.lp".')
    if preceding and code[preceding - 1] != ".":
        return Include(token.start, target.end(), problem="#include inside of a rule")
    if target["builtin"] is not None:
        return Include(token.start, target.end(), target["builtin"], is_library=True)
    path = _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], target["path"])
    return Include(token.start, target.end(), path)


def parse_number(text: str) -> int | None:
    """Parse a number in clingo's syntax.

    Args:
        text: Decimal number, or one with the prefix 0x, 0o or 0b.

    Returns:
        The value; None for more than 32 significant digits.
    """
    base = {"0x": 16, "0o": 8, "0b": 2}.get(text[:2], 10)
    digits = text[2:] if base != 10 else text
    return int(digits, base) if len(digits.lstrip("0")) <= 32 else None
