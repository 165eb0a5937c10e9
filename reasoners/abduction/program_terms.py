"""Pseudo-labels and numbers as terms of an answer-set program, and terms as Python values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import clingo

from abl_cards.asp import INT32_MAX, Term, string_value, term_from_symbol
from abl_cards.core import ErrorCode, GameError

PLAIN_CONSTANT = re.compile(r"_*[a-z][\w']*", re.ASCII)
"""Constants that clingo reads without quotes, except the keyword ``not``."""
_OUTSIDE_QUOTES = re.compile(rf'"(?:\\.|[^"\\])*"|({PLAIN_CONSTANT.pattern}|\d+)', re.ASCII)  # names and numbers
_BARRED_IN_FILES = re.compile("[\0\r\ud800-\udfff]")  # rule files hold none of these


def label_to_term(label: Any) -> Term:
    """Convert a pseudo-label to a term of a program.

    Args:
        label: Integer or text.

    Returns:
        The integer; a text that is a constant of clingo unchanged, and any other text as a quoted string.

    Raises:
        GameError: The label is neither an integer nor a text, or a rule file cannot hold it.
    """
    if isinstance(label, Integral):
        return _check_size("pseudo_label_list: label", int(label))
    if not isinstance(label, str):
        message = f"pseudo-label {label!r} is no integer and no text: pass a mapping from labels to terms"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    _check_characters("pseudo_label_list: label", label)
    if PLAIN_CONSTANT.fullmatch(label) and label != "not":
        return str(label)
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def term_to_value(term: Term) -> Any:
    """Convert a term of a program to a Python value: a string without its quotes, any other term unchanged."""
    return string_value(term) if isinstance(term, str) and term.startswith('"') else term


def read_term(subject: str, value: Any) -> Term:
    """Return the term that a whole number, or the text of a term, stands for.

    >>> read_term("label", "f(1, 2)")
    'f(1,2)'

    Args:
        subject: Beginning of error messages.
        value: Number of any type, or text of a term without variables.

    Returns:
        The number, or the text as clingo writes it.

    Raises:
        GameError: The value is neither, or is too large.
    """
    if isinstance(value, str):
        _check_characters(subject, value)
        return _parse_term(subject, str(value))
    if isinstance(value, Real) and float(value).is_integer():
        return _check_size(subject, int(float(value)))
    raise GameError(f"{subject}: {value!r:.60} is no whole number and no text of a term", ErrorCode.INVALID_VALUE)


def find_replaced_term(terms: Iterable[Term], constants: Collection[str]) -> Term | None:
    """Return the first term in which clingo would replace a constant by its value.

    Args:
        terms: Terms of labels.
        constants: Names of the constants of a program.

    Returns:
        The term; None where there is none.
    """
    texts = (term for term in terms if isinstance(term, str))
    return next((text for text in texts if not set(_OUTSIDE_QUOTES.findall(text)).isdisjoint(constants)), None)


@lru_cache(maxsize=1 << 14)
def _parse_term(subject: str, text: str) -> Term:
    parts = _OUTSIDE_QUOTES.findall(text)
    for number in filter(str.isdecimal, parts):
        _check_size(subject, int(number))
    try:
        if "not" in parts:
            raise RuntimeError
        return term_from_symbol(clingo.parse_term(text, logger=lambda code, message: None))
    except RuntimeError:
        message = f"{subject}: {text!r:.60} is no term (write a name, a number, f(1,2) or a text in double quotes)"
        raise GameError(message, ErrorCode.INVALID_VALUE) from None


def _check_size(subject: str, number: int) -> int:
    if abs(number) > INT32_MAX:
        raise GameError(f"{subject} {number}: numbers have 32 bits", ErrorCode.INVALID_VALUE)
    return number


def _check_characters(subject: str, text: str) -> None:
    if _BARRED_IN_FILES.search(text):
        message = f"{subject} {text!r:.60}: a carriage return, NUL or surrogate cannot stand in a rule file"
        raise GameError(message, ErrorCode.INVALID_VALUE)
