"""What the text of a rule file shows to be wrong before clingo reads it: only text that passes is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from abl_cards.asp.errors import Diagnostic, make_error
from abl_cards.asp.intervals import INT32_MAX
from abl_cards.asp.lexer import INCLUDE, MAX_NESTING, LexerToken, parse_number

if TYPE_CHECKING:
    from abl_cards.asp.program import RuleSource

TOO_DEEP_MESSAGE = "terms or literals are nested too deeply"
_INVALID_CHARACTER = re.compile("[\0\ud800-\udfff]")
MAX_TEXT_ERRORS = 100
"""Of one file."""


def check_source_texts(sources: Iterable[RuleSource]) -> Iterator[Diagnostic]:
    """Constructs that run Python, numbers that clingo cuts, letters that stop it: all found in the text."""
    for source in sources:
        yield from islice(_check_source(source), MAX_TEXT_ERRORS)


def _check_source(source: RuleSource) -> Iterator[Diagnostic]:
    for token in source.scan.tokens:
        refusal = _TOKEN_CHECKS[token.kind](token) if token.kind in _TOKEN_CHECKS else None
        if refusal is not None:
            yield make_error(source.location(token.start, token.end), *refusal)
    if source.scan.unclosed_comment_at is not None:
        where = source.location(source.scan.unclosed_comment_at, source.scan.unclosed_comment_at + 2)
        yield make_error(where, "a comment that does not end", "close it by *%")
    if source.scan.too_deep_at is not None:
        where = source.location(source.scan.too_deep_at, source.scan.too_deep_at + 1)
        yield make_error(
            where, TOO_DEEP_MESSAGE, f"take the statement apart: {MAX_NESTING} brackets and operators at most"
        )


def _check_number(token: LexerToken) -> tuple[str, str] | None:
    value = parse_number(token.text)
    if value is not None and value <= INT32_MAX:
        return None
    told = token.text if len(token.text) <= 20 else f"{token.text[:20]}…"
    return f"{told} is more than {INT32_MAX}", "numbers have 32 bits"


def _check_string(token: LexerToken) -> tuple[str, str] | None:
    # Nothing that clingo reads has this word, so that it never opens a file.
    if INCLUDE in token.text:
        return f"'{INCLUDE}' in a string", "say it in other words"
    if _INVALID_CHARACTER.search(token.text):
        return "half a letter, or a NUL, in a string", "write the letter again"
    return None


def _check_foreign(token: LexerToken) -> tuple[str, str]:
    shown = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in token.text[:20])
    return f"unexpected '{shown}'", "names are ASCII: put other text into quotes"


_TOKEN_CHECKS: dict[str, Callable[[LexerToken], tuple[str, str] | None]] = {
    "script": lambda token: ("#script is not supported", "write rules only"),
    "function": lambda token: ("@functions and @priorities are not supported", "write rules and large weights"),
    "number": _check_number,
    "string": _check_string,
    "open": lambda token: ("a string that does not end", 'close it by " in its line; \\ stands before \\, " or n only'),
    "foreign": _check_foreign,
}
