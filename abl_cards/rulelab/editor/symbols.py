"""Occurrences of predicates, functions and constants in a rule file.

Read from tokens, statement by statement, so that an incomplete statement does not hide the others.
tests/rulelab/editor/test_symbols.py compares this with clingo's parser on all rule files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abl_cards.asp import Signature
from abl_cards.core import check_budget
from abl_cards.rulelab.editor.tokens import SourceText, SyntaxToken

HEAD, BODY, EXTERNAL, DEFINED, CONSTANT, TERM = "head", "body", "external", "defined", "constant", "term"
"""Roles of an occurrence."""
DEFINING_ROLES = (HEAD, EXTERNAL, DEFINED)

_COMPARISON_MARKS = (
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "\\",
    "**",
    "..",
    "^",
    "?",
    "&",
    "|",
    "~",
)
_AGGREGATE_DIRECTIVES = ("#count", "#sum", "#sum+", "#min", "#max")
_KEYWORDS = ("not",)


class SymbolOccurrence(NamedTuple):
    """A name in a file."""

    name: str
    arity: int
    role: str
    start: int
    end: int

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.arity)

    @property
    def is_predicate(self) -> bool:
        """Whether it names a predicate, not a term."""
        return self.role in (HEAD, BODY, EXTERNAL, DEFINED)


def find_occurrences(text: SourceText) -> list[SymbolOccurrence]:
    """All of a file, in the order of their places."""
    found = [mention for statement in text.statements() for mention in _StatementScanner(statement).find_occurrences()]
    return sorted(found, key=lambda mention: mention.start)


@dataclass
class _OpenParenthesis:
    """An open parenthesis: how many arguments it has so far."""

    index: int
    commas: int = 0
    has_arguments: bool = False
    past_first_alternative: bool = False  # a pool: its first alternative counts


class _StatementScanner:
    def __init__(self, tokens: Sequence[SyntaxToken]) -> None:
        """Find out once where each parenthesis closes, and how many arguments it has."""
        self.tokens = tokens
        self._closing, self._arity = dict[int, int](), dict[int, int]()
        self._conditional: list[bool] = []  # in the braces of a choice what follows a colon is a condition
        waiting: list[_OpenParenthesis] = []
        conditional = False
        for place, token in enumerate(tokens):
            check_budget()
            self._conditional.append(conditional)
            conditional = token.is_mark(":") or (conditional and not token.is_mark("{", ";"))
            if waiting and token.is_mark(")"):
                done = waiting.pop()
                self._closing[done.index] = place
                self._arity[done.index] = done.commas + 1 if done.has_arguments else 0
                continue
            if waiting and not waiting[-1].past_first_alternative:
                waiting[-1].past_first_alternative = token.is_mark(";")
                waiting[-1].has_arguments |= not waiting[-1].past_first_alternative
                waiting[-1].commas += token.is_mark(",")
            if token.is_mark("("):
                waiting.append(_OpenParenthesis(place))
        for each in waiting:
            self._arity[each.index] = each.commas + 1 if each.has_arguments else 0

    def find_occurrences(self) -> Iterator[SymbolOccurrence]:
        first = self.tokens[0] if self.tokens else None
        if first is None:
            return
        if first.kind == "directive":
            yield from self._directive(first.text)
        else:
            yield from self._literals(0, HEAD)

    def _directive(self, word: str) -> Iterator[SymbolOccurrence]:
        if word in ("#show", "#defined", "#project") and any(token.is_mark("/") for token in self.tokens):
            yield from self._signature(DEFINED if word == "#defined" else BODY)
        elif word == "#const":
            for place, token in enumerate(self.tokens):
                if token.kind == "name":
                    yield SymbolOccurrence(token.text, 0, CONSTANT if place == 1 else TERM, token.start, token.end)
        elif word == "#external":
            yield from self._literals(1, EXTERNAL)
        elif word in ("#minimize", "#maximize"):
            yield from self._literals(1, BODY, counting=True)
        else:  # a head such as #false, or #count
            yield from self._literals(0, HEAD)

    def _signature(self, role: str) -> Iterator[SymbolOccurrence]:
        """``#show p/2``."""
        for token, mark, number in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if token.kind == "name" and mark.is_mark("/") and number.text.isdecimal():
                yield SymbolOccurrence(token.text, int(number.text), role, token.start, token.end)

    def _literals(self, first: int, role: str, counting: bool = False) -> Iterator[SymbolOccurrence]:
        """Atoms and the terms in them; `counting`: the next braces hold terms before their conditions."""
        braces: list[bool] = []  # of those that are open, whether they begin with terms
        terms, place, after = False, first, counting  # whether terms are expected here
        while place < len(self.tokens):
            token = self.tokens[place]
            if token.kind == "directive":
                after = after or token.text in _AGGREGATE_DIRECTIVES
            elif token.is_mark("{"):
                braces.append(after)
                terms, after = after, False
            elif token.is_mark("}"):
                braces[-1:] = []
                terms = bool(braces and braces[-1])
            elif token.is_mark(";"):
                terms = bool(braces and braces[-1])
            elif token.is_mark(":-", ":~"):
                role, terms = BODY, False
            elif token.is_mark(":"):
                terms = False
                role = role if braces or role == BODY else BODY
            elif token.is_mark("["):  # weights
                yield from self._terms(place + 1, len(self.tokens))
                return
            elif token.is_mark("("):
                end = self._closing.get(place, len(self.tokens))
                yield from self._terms(place + 1, end)
                place = end
            elif token.kind == "name" and token.text not in _KEYWORDS:
                end = self._end_of_term(place)
                inside = BODY if role == HEAD and braces and self._conditional[place] else role
                known = TERM if terms or self._is_compared(place, end) else inside
                yield self._make_occurrence(place, known)
                yield from self._terms(place + 1, end)
                place = end - 1
            place += 1

    def _is_compared(self, place: int, end: int) -> bool:
        """Return whether a term stands here: on one side of a comparison, or within arithmetic."""
        before = self.tokens[place - 1] if place else None
        after = self.tokens[end] if end < len(self.tokens) else None
        if before is not None and before.is_mark("-") and (place == 1 or not self._is_value(place - 2)):
            before = self.tokens[place - 2] if place > 1 else None  # classical negation, or a sign
        return bool((before and before.is_mark(*_COMPARISON_MARKS)) or (after and after.is_mark(*_COMPARISON_MARKS)))

    def _is_value(self, place: int) -> bool:
        token = self.tokens[place]
        return token.kind in ("variable", "number", "string") or token.is_mark(")")

    def _end_of_term(self, place: int) -> int:
        """Behind a name and its arguments."""
        if place + 1 < len(self.tokens) and self.tokens[place + 1].is_mark("("):
            return min(self._closing.get(place + 1, len(self.tokens)) + 1, len(self.tokens))
        return place + 1

    def _terms(self, first: int, end: int) -> Iterator[SymbolOccurrence]:
        for place in range(first, end):
            if self.tokens[place].kind == "name":
                yield self._make_occurrence(place, TERM)

    def _make_occurrence(self, place: int, role: str) -> SymbolOccurrence:
        token = self.tokens[place]
        return SymbolOccurrence(token.text, self._arity.get(place + 1, 0), role, token.start, token.end)
