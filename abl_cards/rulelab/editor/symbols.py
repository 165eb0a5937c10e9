"""Occurrences of predicates, functions and constants in a rule file.

Read from tokens, statement by statement, so that an incomplete statement does not hide the others.
tests/rulelab/editor/test_symbols.py compares this with clingo's parser on all rule files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abl_cards.asp import LexerToken, Signature
from abl_cards.core import check_budget
from abl_cards.rulelab.editor.tokens import SourceText

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
    """Occurrence of a name in a rule file."""

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
        """True for a predicate, False for a term."""
        return self.role in (HEAD, BODY, EXTERNAL, DEFINED)


def find_occurrences(text: SourceText) -> list[SymbolOccurrence]:
    """Find all occurrences in a file, in the order of the text."""
    occurrences = [
        occurrence for statement in text.statements() for occurrence in _StatementScanner(statement).find_occurrences()
    ]
    return sorted(occurrences, key=lambda occurrence: occurrence.start)


@dataclass
class _OpenParenthesis:
    """An open parenthesis: how many arguments it has so far."""

    index: int
    commas: int = 0
    has_arguments: bool = False
    past_first_alternative: bool = False  # after ";" in a pool; only the first alternative is counted


class _StatementScanner:
    def __init__(self, tokens: Sequence[LexerToken]) -> None:
        """Find the end and the number of arguments of each parenthesis of a statement."""
        self.tokens = tokens
        self._closing, self._arity = dict[int, int](), dict[int, int]()
        self._conditional: list[bool] = []  # by token: after a colon in the braces of a choice
        open_parentheses: list[_OpenParenthesis] = []
        conditional = False
        for index, token in enumerate(tokens):
            check_budget()
            self._conditional.append(conditional)
            conditional = token.is_mark(":") or (conditional and not token.is_mark("{", ";"))
            if open_parentheses and token.is_mark(")"):
                closed = open_parentheses.pop()
                self._closing[closed.index] = index
                self._arity[closed.index] = closed.commas + 1 if closed.has_arguments else 0
                continue
            if open_parentheses and not open_parentheses[-1].past_first_alternative:
                open_parentheses[-1].past_first_alternative = token.is_mark(";")
                open_parentheses[-1].has_arguments |= not open_parentheses[-1].past_first_alternative
                open_parentheses[-1].commas += token.is_mark(",")
            if token.is_mark("("):
                open_parentheses.append(_OpenParenthesis(index))
        for unclosed in open_parentheses:
            self._arity[unclosed.index] = unclosed.commas + 1 if unclosed.has_arguments else 0

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
            for index, token in enumerate(self.tokens):
                if token.kind == "name":
                    yield SymbolOccurrence(token.text, 0, CONSTANT if index == 1 else TERM, token.start, token.end)
        elif word == "#external":
            yield from self._literals(1, EXTERNAL)
        elif word in ("#minimize", "#maximize"):
            yield from self._literals(1, BODY, counting=True)
        else:  # a head such as #false, or #count
            yield from self._literals(0, HEAD)

    def _signature(self, role: str) -> Iterator[SymbolOccurrence]:
        """Yield the predicates of a directive such as ``#show p/2``."""
        for token, slash, arity in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if token.kind == "name" and slash.is_mark("/") and arity.text.isdecimal():
                yield SymbolOccurrence(token.text, int(arity.text), role, token.start, token.end)

    def _literals(self, first: int, role: str, counting: bool = False) -> Iterator[SymbolOccurrence]:
        """Yield atoms and the terms in them; with ``counting`` the next braces begin with terms."""
        braces: list[bool] = []  # open braces: True if they begin with terms
        expects_terms, index, next_braces_hold_terms = False, first, counting
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.kind == "directive":
                next_braces_hold_terms = next_braces_hold_terms or token.text in _AGGREGATE_DIRECTIVES
            elif token.is_mark("{"):
                braces.append(next_braces_hold_terms)
                expects_terms, next_braces_hold_terms = next_braces_hold_terms, False
            elif token.is_mark("}"):
                braces[-1:] = []
                expects_terms = bool(braces and braces[-1])
            elif token.is_mark(";"):
                expects_terms = bool(braces and braces[-1])
            elif token.is_mark(":-", ":~"):
                role, expects_terms = BODY, False
            elif token.is_mark(":"):
                expects_terms = False
                role = role if braces or role == BODY else BODY
            elif token.is_mark("["):  # weights
                yield from self._terms(index + 1, len(self.tokens))
                return
            elif token.is_mark("("):
                end = self._closing.get(index, len(self.tokens))
                yield from self._terms(index + 1, end)
                index = end
            elif token.kind == "name" and token.text not in _KEYWORDS:
                end = self._end_of_term(index)
                atom_role = BODY if role == HEAD and braces and self._conditional[index] else role
                occurrence_role = TERM if expects_terms or self._is_compared(index, end) else atom_role
                yield self._make_occurrence(index, occurrence_role)
                yield from self._terms(index + 1, end)
                index = end - 1
            index += 1

    def _is_compared(self, index: int, end: int) -> bool:
        """Return whether tokens are a term on one side of a comparison or in arithmetic."""
        preceding = self.tokens[index - 1] if index else None
        following = self.tokens[end] if end < len(self.tokens) else None
        if preceding is not None and preceding.is_mark("-") and (index == 1 or not self._is_value(index - 2)):
            preceding = self.tokens[index - 2] if index > 1 else None  # classical negation, or a sign
        return bool(
            (preceding and preceding.is_mark(*_COMPARISON_MARKS))
            or (following and following.is_mark(*_COMPARISON_MARKS))
        )

    def _is_value(self, index: int) -> bool:
        token = self.tokens[index]
        return token.kind in ("variable", "number", "string") or token.is_mark(")")

    def _end_of_term(self, index: int) -> int:
        """Return the index after a name and its arguments."""
        if index + 1 < len(self.tokens) and self.tokens[index + 1].is_mark("("):
            return min(self._closing.get(index + 1, len(self.tokens)) + 1, len(self.tokens))
        return index + 1

    def _terms(self, first: int, end: int) -> Iterator[SymbolOccurrence]:
        for index in range(first, end):
            if self.tokens[index].kind == "name":
                yield self._make_occurrence(index, TERM)

    def _make_occurrence(self, index: int, role: str) -> SymbolOccurrence:
        token = self.tokens[index]
        return SymbolOccurrence(token.text, self._arity.get(index + 1, 0), role, token.start, token.end)
