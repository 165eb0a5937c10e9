"""What the text of a rule file shows to be wrong before clingo reads it: only text that passes is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.intervals import INT32_MAX
from abl_cards.logic.lexis import INCLUDE, MOST_NESTED, Token, number

if TYPE_CHECKING:
    from abl_cards.logic.program import Source

NESTED = "terms or literals are nested too deeply"
_NO_LETTER = re.compile("[\0\ud800-\udfff]")
MOST_REFUSALS = 100
"""Of one file."""


def refused_text(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """Constructs that run Python, numbers that clingo cuts, letters that stop it: all found in the text."""
    for source in sources:
        yield from islice(_refusals(source), MOST_REFUSALS)


def _refusals(source: Source) -> Iterator[Diagnostic]:
    for token in source.scan.tokens:
        refusal = _REFUSED_TOKENS[token.kind](token) if token.kind in _REFUSED_TOKENS else None
        if refusal is not None:
            yield error(source.location(token.start, token.end), *refusal)
    if source.scan.open_comment is not None:
        where = source.location(source.scan.open_comment, source.scan.open_comment + 2)
        yield error(where, "a comment that does not end", "close it by *%")
    if source.scan.too_deep is not None:
        where = source.location(source.scan.too_deep, source.scan.too_deep + 1)
        yield error(where, NESTED, f"take the statement apart: {MOST_NESTED} brackets and operators at most")


def _number(token: Token) -> tuple[str, str] | None:
    value = number(token.text)
    if value is not None and value <= INT32_MAX:
        return None
    told = token.text if len(token.text) <= 20 else f"{token.text[:20]}…"
    return f"{told} is more than {INT32_MAX}", "numbers have 32 bits"


def _string(token: Token) -> tuple[str, str] | None:
    # Nothing that clingo reads has this word, so that it never opens a file.
    if INCLUDE in token.text:
        return f"'{INCLUDE}' in a string", "say it in other words"
    if _NO_LETTER.search(token.text):
        return "half a letter, or a NUL, in a string", "write the letter again"
    return None


def _foreign(token: Token) -> tuple[str, str]:
    shown = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in token.text[:20])
    return f"unexpected '{shown}'", "names are ASCII: put other text into quotes"


_REFUSED_TOKENS: dict[str, Callable[[Token], tuple[str, str] | None]] = {
    "script": lambda token: ("#script is not supported", "write rules only"),
    "function": lambda token: ("@functions and @priorities are not supported", "write rules and large weights"),
    "number": _number,
    "string": _string,
    "open": lambda token: ("a string that does not end", 'close it by " in its line; \\ stands before \\, " or n only'),
    "foreign": _foreign,
}
