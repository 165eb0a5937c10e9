"""Remedies for syntax errors: clingo names the unexpected token, and the text around it shows what is missing."""

from __future__ import annotations

import re

_FACT_AND_RULE = "a fact is label(pass). and a rule is label(set(R)) :- rank(R), R < 9."
_UNEXPECTED = re.compile(r"(?:syntax|lexer) error, unexpected (?P<token>\S+?)(?:,|$)")
_CAPITAL_NAME = re.compile(r"(?:^|[^\w'])(?:_*[A-Z][\w']*|_+)$")
_NAME_TOKENS = ("<IDENTIFIER>", "<VARIABLE>", "<NUMBER>", "<STRING>")
_REMEDIES_BY_TOKEN = {
    "!": "write not before a condition, and != between two terms",
    "&": "separate conditions by commas",
    "|": "write a rule for each alternative",
    "/": "comments begin with %",
    "#": "comments begin with %",
    "[": "write round brackets",
    "not": "write not before a condition, and != between two terms",
    ")": "complete what stands before it, or remove it",
    ":-": "close the bracket before it, and end the statement before it with a full stop",
}
_OPERATORS = ("=", "<", ">", ":", ",", "+", "-", "*", "/", "(")
"""Ends of text that cannot stand before a full stop."""


def find_syntax_remedy(message: str, code: str, offset: int) -> str:
    """Return the remedy of a syntax error.

    Args:
        message: clingo's message, such as ``syntax error, unexpected <IDENTIFIER>``.
        code: The file without comments.
        offset: Offset of the unexpected token in it.

    Returns:
        The remedy; an example of a fact and a rule if no specific remedy is found.
    """
    unexpected = _UNEXPECTED.search(message)
    token = unexpected["token"] if unexpected else ""
    before = code[:offset].rstrip()
    if token == "EOF":
        return "end the last statement with one full stop"
    begins_line = not code[code.rfind("\n", 0, offset) + 1 : offset].strip()
    if begins_line and before and not before.endswith((".", *_OPERATORS)):
        return "end the statement before it with a full stop; if it goes on here, write a comma between its conditions"
    if token == "(" and _CAPITAL_NAME.search(before):
        return "names of predicates begin with a small letter, those of variables with a capital one"
    if token in ("<", ">") and before.endswith("="):
        return f"write {token}="
    if token == "." and re.match(r"\.\d", code[offset:]):
        return "write whole numbers"
    if token == "." and before.endswith(_OPERATORS):
        return "complete what stands before the full stop"
    if token in _NAME_TOKENS:
        return f"write a comma or a bracket before it: {_FACT_AND_RULE}"
    return _REMEDIES_BY_TOKEN.get(token, _FACT_AND_RULE)
