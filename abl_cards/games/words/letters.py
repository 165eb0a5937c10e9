"""Cards as text, by the facts ``letter/2``: hands, plays, and everything else that is written in cards.

A card of a rank and a suit is the letter of the suit and that of the rank; any other kind has a letter of its own.
Where no card has a suit and every letter is a single one, a hand is a text like ``3334``, else a list like
``["H3","D3"]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.reading.pack import Pack, rank_and_suit
from abl_cards.logic import KnowledgeBase, Term
from abl_cards.logic.errors import kb_error
from abl_cards.logic.terms import text_of

Cards = tuple[int, ...]
"""Kinds of cards, equal ones repeated."""


@dataclass(frozen=True)
class Letters:
    """How the cards of a pack are written."""

    pack: Pack
    texts: tuple[str, ...]  # [kinds]
    joined: bool  # a hand is one text
    terms: Mapping[Term, str]  # how ranks, suits and whole cards are written

    @cached_property
    def kinds(self) -> dict[str, int]:
        """The kind of card of each text."""
        return {text: kind for kind, text in enumerate(self.texts)}

    def write(self, cards: Iterable[int]) -> str | list[str]:
        """Cards in their order, as records and states have them."""
        texts = [self.texts[card] for card in cards]
        return "".join(texts) if self.joined else texts

    def hand(self, counts: NDArray[np.integer]) -> str | list[str]:
        """A hand [kinds] from the first kind to the last."""
        return self.write(cards_of(counts))

    def spoken(self, cards: Iterable[int]) -> str:
        """Cards in one line."""
        return ("" if self.joined else " ").join(self.texts[card] for card in cards)

    def read(self, value: Any) -> Cards:
        """Cards in the order in which they are written; raises GameError."""
        if isinstance(value, str):
            texts: Sequence[Any] = list(value) if self.joined else value.split()
        elif isinstance(value, list):
            texts = value
        else:
            raise GameError(f"{value!r} is no cards: write {self._example}")
        found, counts = [], np.zeros(len(self.pack), np.int64)
        for text in texts:
            kind = self.kinds.get(text) if isinstance(text, str) else None
            if kind is None:
                raise GameError(f"{text!r} is no card: write {self._example}")
            counts[kind] += 1
            if counts[kind] > self.pack.copies[kind]:
                raise GameError(f"there are not that many {text} in the pack")
            found.append(kind)
        return tuple(found)

    @property
    def _example(self) -> str:
        some = self.texts[: min(4, len(self.texts))]
        return repr("".join(self.texts)) if self.joined else str(list(some)).replace("'", '"')


def cards_of(counts: NDArray[np.integer]) -> Cards:
    """The kinds of a hand [kinds], equal ones repeated.

    >>> cards_of(np.array([2, 0, 1]))
    (0, 0, 2)
    """
    return tuple(np.repeat(np.arange(len(counts)), counts).tolist())


def hand_of(cards: Iterable[int], kinds: int) -> NDArray[np.uint8]:
    """[kinds] how many there are of each.

    >>> hand_of((0, 0, 2), 3).tolist()
    [2, 0, 1]
    """
    return np.bincount(np.fromiter(cards, np.int64), minlength=kinds).astype(np.uint8)


def read_letters(kb: KnowledgeBase, pack: Pack) -> Letters:
    """The letters of a game; raises KBError for a card that has none, and where two are written alike."""
    known = {term: text_of(text) for term, text in kb.facts("letter", 2)}
    texts = [_text(kind, known) for kind in pack.kinds]
    twice = {text for text in texts if texts.count(text) > 1}
    if twice:
        alike = [str(kind) for kind, text in zip(pack.kinds, texts, strict=True) if text in twice]
        same = sorted(twice)[0]
        raise kb_error(f"letter/2: {alike[0]} and {alike[1]} are both written '{same}'", "give each its own")
    plain = all(rank_and_suit(kind) is None for kind in pack.kinds)
    # A part that no card is written with needs no letter: the rank of a card that has one of its own.
    parts = [part for kind in pack.kinds if kind not in known for part in rank_and_suit(kind) or ()]
    terms = {part: _default(part, known) for part in parts} | known | dict(zip(pack.kinds, texts, strict=True))
    return Letters(pack, tuple(texts), plain and all(len(text) == 1 for text in texts), terms)


def _text(kind: Term, known: dict[Term, str]) -> str:
    parts = rank_and_suit(kind)
    if kind in known or parts is None:
        return known[kind] if kind in known else _default(kind, known)
    rank, suit = parts
    return _default(suit, known) + _default(rank, known)


def _default(term: Term, known: dict[Term, str]) -> str:
    if term in known:
        return known[term]
    if isinstance(term, int) and not 0 <= term <= 9:
        raise kb_error(f"no letter/2 for {term}", f'write letter({term},"…"): cards are written in letters')
    return str(term)
