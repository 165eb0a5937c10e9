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

from abl_cards.asp import Term, make_kb_error, string_value
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import GameError
from abl_cards.games.description.pack import Pack, parse_rank_and_suit

Cards = tuple[int, ...]
"""Kinds of cards, equal ones repeated."""


@dataclass(frozen=True)
class CardCodes:
    """How the cards of a pack are written."""

    pack: Pack
    kind_texts: tuple[str, ...]  # [kinds]
    is_joined: bool  # a hand is one text
    term_texts: Mapping[Term, str]  # how ranks, suits and whole cards are written

    @cached_property
    def kind_by_text(self) -> dict[str, int]:
        """The kind of card of each text."""
        return {text: kind for kind, text in enumerate(self.kind_texts)}

    def write(self, cards: Iterable[int]) -> str | list[str]:
        """Cards in their order, as records and states have them."""
        texts = [self.kind_texts[card] for card in cards]
        return "".join(texts) if self.is_joined else texts

    def write_hand(self, counts: NDArray[np.integer]) -> str | list[str]:
        """A hand [kinds] from the first kind to the last."""
        return self.write(cards_from_counts(counts))

    def to_text(self, cards: Iterable[int]) -> str:
        """Cards in one line."""
        return ("" if self.is_joined else " ").join(self.kind_texts[card] for card in cards)

    def read(self, value: Any) -> Cards:
        """Cards in the order in which they are written; raises GameError."""
        if isinstance(value, str):
            texts: Sequence[Any] = list(value) if self.is_joined else value.split()
        elif isinstance(value, list):
            texts = value
        else:
            raise GameError(f"{value!r} is no cards: write {self._example}")
        found, counts = [], np.zeros(len(self.pack), np.int64)
        for text in texts:
            kind = self.kind_by_text.get(text) if isinstance(text, str) else None
            if kind is None:
                raise GameError(f"{text!r} is no card: write {self._example}")
            counts[kind] += 1
            if counts[kind] > self.pack.copies[kind]:
                raise GameError(f"there are not that many {text} in the pack")
            found.append(kind)
        return tuple(found)

    @property
    def _example(self) -> str:
        some = self.kind_texts[: min(4, len(self.kind_texts))]
        return repr("".join(self.kind_texts)) if self.is_joined else str(list(some)).replace("'", '"')


def cards_from_counts(counts: NDArray[np.integer]) -> Cards:
    """The kinds of a hand [kinds], equal ones repeated.

    >>> cards_from_counts(np.array([2, 0, 1]))
    (0, 0, 2)
    """
    return tuple(np.repeat(np.arange(len(counts)), counts).tolist())


def counts_from_cards(cards: Iterable[int], kinds: int) -> NDArray[np.uint8]:
    """[kinds] how many there are of each.

    >>> counts_from_cards((0, 0, 2), 3).tolist()
    [2, 0, 1]
    """
    return np.bincount(np.fromiter(cards, np.int64), minlength=kinds).astype(np.uint8)


def read_card_codes(kb: KnowledgeBase, pack: Pack) -> CardCodes:
    """The letters of a game; raises KBError for a card that has none, and where two are written alike."""
    known = {term: string_value(text) for term, text in kb.facts("letter", 2)}
    texts = [_kind_text(kind, known) for kind in pack.kinds]
    twice = {text for text in texts if texts.count(text) > 1}
    if twice:
        alike = [str(kind) for kind, text in zip(pack.kinds, texts, strict=True) if text in twice]
        same = sorted(twice)[0]
        raise make_kb_error(f"letter/2: {alike[0]} and {alike[1]} are both written '{same}'", "give each its own")
    plain = all(parse_rank_and_suit(kind) is None for kind in pack.kinds)
    # A part that no card is written with needs no letter: the rank of a card that has one of its own.
    parts = [part for kind in pack.kinds if kind not in known for part in parse_rank_and_suit(kind) or ()]
    terms = {part: _term_text(part, known) for part in parts} | known | dict(zip(pack.kinds, texts, strict=True))
    return CardCodes(pack, tuple(texts), plain and all(len(text) == 1 for text in texts), terms)


def _kind_text(kind: Term, known: dict[Term, str]) -> str:
    parts = parse_rank_and_suit(kind)
    if kind in known or parts is None:
        return known[kind] if kind in known else _term_text(kind, known)
    rank, suit = parts
    return _term_text(suit, known) + _term_text(rank, known)


def _term_text(term: Term, known: dict[Term, str]) -> str:
    if term in known:
        return known[term]
    if isinstance(term, int) and not 0 <= term <= 9:
        raise make_kb_error(f"no letter/2 for {term}", f'write letter({term},"…"): cards are written in letters')
    return str(term)
