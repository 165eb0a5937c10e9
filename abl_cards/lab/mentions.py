"""Where a rule file speaks of what: every predicate, function and constant with its place.

Read off the tokens, statement by statement, so that one statement that is being typed hides nothing of the others.
tests/lab/test_mentions.py compares this with clingo's own parser on all the rule files there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abl_cards.budget import tick
from abl_cards.lab.tokens import Text, Token
from abl_cards.logic.terms import Signature

HEAD, BODY, INPUT, DEFINED, CONSTANT, TERM = "head", "body", "external", "defined", "constant", "term"
"""What a name does where it stands."""
DEFINING = (HEAD, INPUT, DEFINED)

_COMPARING = ("=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "\\", "**", "..", "^", "?", "&", "|", "~")
_COUNTING = ("#count", "#sum", "#sum+", "#min", "#max")
_WORDS = ("not",)


class Mention(NamedTuple):
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
    def predicate(self) -> bool:
        """Whether it names a predicate, and no term."""
        return self.role in (HEAD, BODY, INPUT, DEFINED)


def mentions(text: Text) -> list[Mention]:
    """All of a file, in the order of their places."""
    found = [mention for statement in text.statements() for mention in _Statement(statement).mentions()]
    return sorted(found, key=lambda mention: mention.start)


@dataclass
class _Open:
    """An open parenthesis: how many arguments it has so far."""

    place: int
    commas: int = 0
    filled: bool = False
    over: bool = False  # a pool: its first alternative counts


class _Statement:
    def __init__(self, tokens: Sequence[Token]) -> None:
        """Find out once where each parenthesis closes, and how many arguments it has."""
        self.tokens = tokens
        self._closing, self._arity = dict[int, int](), dict[int, int]()
        self._conditional: list[bool] = []  # in the braces of a choice what follows a colon is a condition
        waiting: list[_Open] = []
        conditional = False
        for place, token in enumerate(tokens):
            tick()
            self._conditional.append(conditional)
            conditional = token.is_mark(":") or (conditional and not token.is_mark("{", ";"))
            if waiting and token.is_mark(")"):
                done = waiting.pop()
                self._closing[done.place] = place
                self._arity[done.place] = done.commas + 1 if done.filled else 0
                continue
            if waiting and not waiting[-1].over:
                waiting[-1].over = token.is_mark(";")
                waiting[-1].filled |= not waiting[-1].over
                waiting[-1].commas += token.is_mark(",")
            if token.is_mark("("):
                waiting.append(_Open(place))
        for each in waiting:
            self._arity[each.place] = each.commas + 1 if each.filled else 0

    def mentions(self) -> Iterator[Mention]:
        first = self.tokens[0] if self.tokens else None
        if first is None:
            return
        if first.kind == "directive":
            yield from self._directive(first.text)
        else:
            yield from self._literals(0, HEAD)

    def _directive(self, word: str) -> Iterator[Mention]:
        if word in ("#show", "#defined", "#project") and any(token.is_mark("/") for token in self.tokens):
            yield from self._signature(DEFINED if word == "#defined" else BODY)
        elif word == "#const":
            for place, token in enumerate(self.tokens):
                if token.kind == "name":
                    yield Mention(token.text, 0, CONSTANT if place == 1 else TERM, token.start, token.end)
        elif word == "#external":
            yield from self._literals(1, INPUT)
        elif word in ("#minimize", "#maximize"):
            yield from self._literals(1, BODY, counting=True)
        else:  # a head such as #false, or #count
            yield from self._literals(0, HEAD)

    def _signature(self, role: str) -> Iterator[Mention]:
        """``#show p/2``."""
        for token, mark, number in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if token.kind == "name" and mark.is_mark("/") and number.text.isdecimal():
                yield Mention(token.text, int(number.text), role, token.start, token.end)

    def _literals(self, first: int, role: str, counting: bool = False) -> Iterator[Mention]:
        """Atoms and the terms in them; `counting`: the next braces hold terms before their conditions."""
        braces: list[bool] = []  # of those that are open, whether they begin with terms
        terms, place, after = False, first, counting  # whether terms are expected here
        while place < len(self.tokens):
            token = self.tokens[place]
            if token.kind == "directive":
                after = after or token.text in _COUNTING
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
            elif token.kind == "name" and token.text not in _WORDS:
                end = self._end_of_term(place)
                inside = BODY if role == HEAD and braces and self._conditional[place] else role
                known = TERM if terms or self._compared(place, end) else inside
                yield self._mention(place, known)
                yield from self._terms(place + 1, end)
                place = end - 1
            place += 1

    def _compared(self, place: int, end: int) -> bool:
        """Whether a term stands here, on one side of a comparison, or within arithmetic."""
        before = self.tokens[place - 1] if place else None
        after = self.tokens[end] if end < len(self.tokens) else None
        if before is not None and before.is_mark("-") and (place == 1 or not self._value(place - 2)):
            before = self.tokens[place - 2] if place > 1 else None  # classical negation, or a sign
        return bool((before and before.is_mark(*_COMPARING)) or (after and after.is_mark(*_COMPARING)))

    def _value(self, place: int) -> bool:
        token = self.tokens[place]
        return token.kind in ("variable", "number", "string") or token.is_mark(")")

    def _end_of_term(self, place: int) -> int:
        """Behind a name and its arguments."""
        if place + 1 < len(self.tokens) and self.tokens[place + 1].is_mark("("):
            return min(self._closing.get(place + 1, len(self.tokens)) + 1, len(self.tokens))
        return place + 1

    def _terms(self, first: int, end: int) -> Iterator[Mention]:
        for place in range(first, end):
            if self.tokens[place].kind == "name":
                yield self._mention(place, TERM)

    def _mention(self, place: int, role: str) -> Mention:
        token = self.tokens[place]
        return Mention(token.text, self._arity.get(place + 1, 0), role, token.start, token.end)
