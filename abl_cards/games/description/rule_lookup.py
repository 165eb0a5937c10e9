"""Find the rule that derives the instance in a message, by the texts of rule heads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abl_cards.asp import PredicateUse, ProgramSummary, RuleSources

_VARIABLE = re.compile(r"_*[A-Z][\w']*|_")
_CONSTANT = re.compile(r"-?\d+|_*[a-z][\w']*|\"[^\"]*\"")
_COMPOUND = re.compile(r"(?P<name>_*[a-z][\w']*)?\((?P<arguments>.*)\)", re.DOTALL)
_BRACKETS = {"(": 1, ")": -1}


def find_best_head(uses: Sequence[PredicateUse], program: ProgramSummary, message: str) -> PredicateUse | None:
    """Find the head that matches the instance in a message most exactly, such as ``needs(five(R),5,wild,1)``.

    The text of each head is compared with the instance part by part; a variable matches anything.

    Args:
        uses: Heads of rules.
        program: Summary of the rule files.
        message: Message of a diagnostic.

    Returns:
        Best head; None if no head matches.
    """
    scores = [_score_head(use, program, message) for use in uses]
    matching = [score for score in scores if score is not None]
    return uses[scores.index(max(matching))] if matching else None


def _score_head(use: PredicateUse, program: ProgramSummary, message: str) -> int | None:
    """Count the parts of the instance in a message that a head repeats; None if the head cannot derive it."""
    instance = _find_instance(message, use.signature.name)
    head = _head_text(use, program.sources)
    return None if instance is None or head is None else _match_score(head, instance, program)


def _find_instance(message: str, name: str) -> str | None:
    """Find the first ``name(…)`` in a message, up to the closing bracket."""
    match = re.search(rf"(?<![\w']){re.escape(name)}\(", message)
    if match is None:
        return None
    depth = 0
    for position in range(match.end() - 1, len(message)):
        depth += _BRACKETS.get(message[position], 0)
        if depth == 0:
            return message[match.start() : position + 1]
    return None


def _head_text(use: PredicateUse, sources: RuleSources) -> str | None:
    """Return the text of a head; None if it spans several lines."""
    location = use.location
    text = next((source.text for source in sources.files if source.path == location.file), None)
    if text is None or location.line != location.end_line:
        return None
    return text.split("\n")[location.line - 1][location.column - 1 : location.end_column - 1]


def _match_score(term: str, value: str, program: ProgramSummary) -> int | None:
    term, value = term.strip(), value.strip()
    if _VARIABLE.fullmatch(term):
        return 0
    if _CONSTANT.fullmatch(term):
        constant = program.constants.get(term)
        return (1 if term == value else None) if constant is None else (1 if str(constant[1]) == value else 0)
    compound, value_compound = _COMPOUND.fullmatch(term), _COMPOUND.fullmatch(value)
    if compound is None or not _is_enclosed(term):
        return 0  # arithmetic, an interval
    if value_compound is None:
        return None if compound["name"] else 0
    parts, values = list(_split_arguments(compound["arguments"])), list(_split_arguments(value_compound["arguments"]))
    if ";" in compound["arguments"]:
        return 0
    if compound["name"] != value_compound["name"] or len(parts) != len(values):
        return None
    scores = [_match_score(*pair, program) for pair in zip(parts, values, strict=True)]
    return None if None in scores else 1 + sum(score for score in scores if score is not None)


def _is_enclosed(term: str) -> bool:
    """Return True if the first bracket of a term closes at its end: for ``f(X)``, but not for ``f(X)+g(Y)``."""
    first = term.index("(")
    return _find_instance(f"x{term[first:]}", "x") == f"x{term[first:]}"


def _split_arguments(text: str) -> Iterator[str]:
    """Split a text at the commas that are not in brackets."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        if character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]
