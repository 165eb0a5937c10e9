"""Checks of the text of a rule file before clingo parses it; only text that passes is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from abl_cards.asp.errors import Diagnostic, make_error
from abl_cards.asp.intervals import INT32_MAX
from abl_cards.asp.lexer import INCLUDE, MAX_NESTING, LexerToken, parse_number
from abl_cards.asp.sources import RuleSource
from abl_cards.core import ErrorCode, escape_controls

_Refusal = tuple[str, str, ErrorCode]
"""Message, remedy and code."""
TOO_DEEP_MESSAGE = "terms or literals are nested too deeply"
_INVALID_CHARACTER = re.compile("[\0\ud800-\udfff]")
MAX_TEXT_ERRORS = 100
"""Most errors of one file that are reported."""


def check_source_texts(sources: Iterable[RuleSource]) -> Iterator[Diagnostic]:
    """Find scripts, numbers beyond 32 bits, and characters that end clingo's parser.

    Args:
        sources: Rule files.

    Yields:
        Errors with their locations, at most `MAX_TEXT_ERRORS` for each file.
    """
    for source in sources:
        yield from islice(_check_source(source), MAX_TEXT_ERRORS)


def _check_source(source: RuleSource) -> Iterator[Diagnostic]:
    for token in source.scan.tokens:
        refusal = _TOKEN_CHECKS[token.kind](token) if token.kind in _TOKEN_CHECKS else None
        if refusal is not None:
            yield make_error(source.location(token.start, token.end), *refusal)
    if source.scan.unclosed_comment_at is not None:
        where = source.location(source.scan.unclosed_comment_at, source.scan.unclosed_comment_at + 2)
        yield make_error(where, "a comment that does not end", "close it by *%", ErrorCode.SYNTAX_ERROR)
    if source.scan.too_deep_at is not None:
        where = source.location(source.scan.too_deep_at, source.scan.too_deep_at + 1)
        remedy = f"take the statement apart: {MAX_NESTING} brackets and operators at most"
        yield make_error(where, TOO_DEEP_MESSAGE, remedy, ErrorCode.NESTED_TOO_DEEPLY)


def _check_number(token: LexerToken) -> _Refusal | None:
    value = parse_number(token.text)
    if value is not None and value <= INT32_MAX:
        return None
    shown = token.text if len(token.text) <= 20 else f"{token.text[:20]}…"
    return f"{shown} is more than {INT32_MAX}", "numbers have 32 bits", ErrorCode.INTEGER_OVERFLOW


def _check_string(token: LexerToken) -> _Refusal | None:
    # clingo gets no text with this word, so it never opens a file.
    if INCLUDE in token.text:
        return f"'{INCLUDE}' in a string", "use other words", ErrorCode.UNSUPPORTED_CONSTRUCT
    if _INVALID_CHARACTER.search(token.text):
        return "a surrogate or a NUL in a string", "write the character again", ErrorCode.SYNTAX_ERROR
    return None


def _check_foreign(token: LexerToken) -> _Refusal:
    shown = escape_controls(token.text[:20])
    return f"unexpected '{shown}'", "names are ASCII: put other text into quotes", ErrorCode.SYNTAX_ERROR


_NO_SCRIPTS = "#script is not supported", "write rules only", ErrorCode.UNSUPPORTED_CONSTRUCT
_NO_FUNCTIONS = (
    "@functions and @priorities are not supported", "write rules and large weights", ErrorCode.UNSUPPORTED_CONSTRUCT
)  # fmt: skip
_OPEN_STRING = (
    "a string that does not end",
    'close it by " in its line; \\ stands before \\, " or n only',
    ErrorCode.SYNTAX_ERROR,
)
_TOKEN_CHECKS: dict[str, Callable[[LexerToken], _Refusal | None]] = {
    "script": lambda token: _NO_SCRIPTS,
    "function": lambda token: _NO_FUNCTIONS,
    "number": _check_number,
    "string": _check_string,
    "open": lambda token: _OPEN_STRING,
    "foreign": _check_foreign,
}
