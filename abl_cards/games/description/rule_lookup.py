"""Find the rule that derives an instance which a message names, by the texts of the heads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abl_cards.asp import PredicateUse, ProgramSummary, RuleSources

_VARIABLE = re.compile(r"_*[A-Z][\w']*|_")
_CONSTANT = re.compile(r"-?\d+|_*[a-z][\w']*|\"[^\"]*\"")
_COMPOUND = re.compile(r"(?P<name>_*[a-z][\w']*)?\((?P<arguments>.*)\)", re.DOTALL)
_BRACKETS = {"(": 1, ")": -1}


def find_best_head(uses: Sequence[PredicateUse], program: ProgramSummary, message: str) -> PredicateUse | None:
    """Find the head that says most of the instance in a message, as ``needs(five(R),5,wild,1)``; None where none fits.

    The texts of the heads are compared with the instance part by part. A variable fits anything.
    """
    fits = [_score_head(use, program, message) for use in uses]
    known = [fit for fit in fits if fit is not None]
    return uses[fits.index(max(known))] if known else None


def _score_head(use: PredicateUse, program: ProgramSummary, message: str) -> int | None:
    """How many parts of an instance in a message a head says; None where it derives another one."""
    instance = _find_instance(message, use.signature.name)
    head = _head_text(use, program.sources)
    return None if instance is None or head is None else _match_score(head, instance, program)


def _find_instance(message: str, name: str) -> str | None:
    """The first ``name(…)`` of a message, up to the bracket that closes it."""
    begun = re.search(rf"(?<![\w']){re.escape(name)}\(", message)
    if begun is None:
        return None
    depth = 0
    for place in range(begun.end() - 1, len(message)):
        depth += _BRACKETS.get(message[place], 0)
        if depth == 0:
            return message[begun.start() : place + 1]
    return None


def _head_text(use: PredicateUse, sources: RuleSources) -> str | None:
    """The text of a head of one line."""
    place = use.location
    text = next((source.text for source in sources.files if source.path == place.file), None)
    if text is None or place.line != place.end_line:
        return None
    return text.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1]


def _match_score(term: str, value: str, program: ProgramSummary) -> int | None:
    term, value = term.strip(), value.strip()
    if _VARIABLE.fullmatch(term):
        return 0
    if _CONSTANT.fullmatch(term):
        known = program.constants.get(term)
        return (1 if term == value else None) if known is None else (1 if str(known[1]) == value else 0)
    mine, other = _COMPOUND.fullmatch(term), _COMPOUND.fullmatch(value)
    if mine is None or not _is_enclosed(term):
        return 0  # arithmetic, an interval
    if other is None:
        return None if mine["name"] else 0
    parts, values = list(_split_arguments(mine["arguments"])), list(_split_arguments(other["arguments"]))
    if ";" in mine["arguments"]:
        return 0
    if mine["name"] != other["name"] or len(parts) != len(values):
        return None
    fits = [_match_score(*pair, program) for pair in zip(parts, values, strict=True)]
    return None if None in fits else 1 + sum(fit for fit in fits if fit is not None)


def _is_enclosed(term: str) -> bool:
    """Whether the first bracket of a term closes at its end: ``f(X)``, and not ``f(X)+g(Y)``."""
    first = term.index("(")
    return _find_instance(f"x{term[first:]}", "x") == f"x{term[first:]}"


def _split_arguments(text: str) -> Iterator[str]:
    """The parts between the commas that no bracket encloses."""
    depth, begun = 0, 0
    for place, letter in enumerate(text):
        depth += _BRACKETS.get(letter, 0)
        if letter == "," and depth == 0:
            yield text[begun:place]
            begun = place + 1
    yield text[begun:]
