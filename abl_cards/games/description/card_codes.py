"""Card notation, by the facts ``letter/2``: the texts of cards, hands and plays.

A card with a rank and a suit is written as the letter of the suit and the letter of the rank. Other kinds have a letter
of their own. If no card has a suit and all letters are single characters, a hand is a string such as ``3334``, else a
list such as ``["H3","D3"]``.
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
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description.pack import Pack, parse_rank_and_suit

Cards = tuple[int, ...]
"""Kinds of cards; a kind is repeated for each copy."""


@dataclass(frozen=True)
class CardCodes:
    """Card notation of a pack.

    Attributes:
        pack: Pack of cards.
        kind_texts: Text of each kind of card.
        is_joined: A hand is written as one string.
        term_texts: Texts of ranks, suits and cards.
    """

    pack: Pack
    kind_texts: tuple[str, ...]
    is_joined: bool
    term_texts: Mapping[Term, str]

    @cached_property
    def kind_by_text(self) -> dict[str, int]:
        """Kind of card by its text."""
        return {text: kind for kind, text in enumerate(self.kind_texts)}

    @cached_property
    def _copies(self) -> list[int]:
        """Copies of each kind in the pack."""
        copies: list[int] = self.pack.copies.tolist()
        return copies

    def write(self, cards: Iterable[int]) -> str | list[str]:
        """Write cards in the given order, as in records and states.

        Args:
            cards: Kinds of cards.

        Returns:
            String or list of strings, by ``is_joined``.
        """
        texts = [self.kind_texts[card] for card in cards]
        return "".join(texts) if self.is_joined else texts

    def write_hand(self, counts: NDArray[np.integer]) -> str | list[str]:
        """Write a hand in the order of the kinds of cards.

        Args:
            counts: [kinds], copies of each card.
        """
        return self.write(cards_from_counts(counts))

    def to_text(self, cards: Iterable[int]) -> str:
        """Write cards in one line, separated by spaces unless ``is_joined``."""
        return ("" if self.is_joined else " ").join(self.kind_texts[card] for card in cards)

    def read(self, value: Any) -> Cards:
        """Read cards from a string or a list of strings.

        Args:
            value: Cards as ``write`` or ``to_text`` return them.

        Returns:
            Kinds of cards in the given order.

        Raises:
            GameError: A text is not a card, or the pack has fewer copies of a card.
        """
        if isinstance(value, str):
            texts: Sequence[Any] = list(value) if self.is_joined else value.split()
        elif isinstance(value, list):
            texts = value
        else:
            raise GameError(f"{value!r} is no cards: write {self._example}", ErrorCode.INVALID_CARDS)
        cards, kinds, left = [], self.kind_by_text, self._copies.copy()
        for text in texts:
            kind = kinds.get(text) if isinstance(text, str) else None
            if kind is None:
                raise GameError(f"{text!r} is no card: write {self._example}", ErrorCode.INVALID_CARDS)
            left[kind] -= 1
            if left[kind] < 0:
                raise GameError(f"there are not that many {text} in the pack", ErrorCode.INVALID_CARDS)
            cards.append(kind)
        return tuple(cards)

    @property
    def _example(self) -> str:
        first_texts = self.kind_texts[: min(4, len(self.kind_texts))]
        return repr("".join(self.kind_texts)) if self.is_joined else str(list(first_texts)).replace("'", '"')


def cards_from_counts(counts: NDArray[np.integer]) -> Cards:
    """List the cards of a hand, a kind once for each copy.

    Args:
        counts: [kinds], copies of each card.

    Returns:
        Kinds of cards in ascending order.

    >>> cards_from_counts(np.array([2, 0, 1]))
    (0, 0, 2)
    """
    return tuple(np.repeat(np.arange(len(counts)), counts).tolist())


def counts_from_cards(cards: Iterable[int], kinds: int) -> NDArray[np.uint8]:
    """Count the copies of each kind of card.

    Args:
        cards: Kinds of cards.
        kinds: Number of kinds.

    Returns:
        uint8 [kinds].

    >>> counts_from_cards((0, 0, 2), 3).tolist()
    [2, 0, 1]
    """
    return np.bincount(np.fromiter(cards, np.int64), minlength=kinds).astype(np.uint8)


def read_card_codes(kb: KnowledgeBase, pack: Pack) -> CardCodes:
    """Read the card notation of a game from ``letter/2``.

    Args:
        kb: Knowledge base of the game.
        pack: Pack of the game.

    Raises:
        KBError: A card has no text, or two cards have the same text.
    """
    letters = {term: string_value(text) for term, text in kb.facts("letter", 2)}
    texts = [_kind_text(kind, letters) for kind in pack.kinds]
    repeated = {text for text in texts if texts.count(text) > 1}
    if repeated:
        clashing = [str(kind) for kind, text in zip(pack.kinds, texts, strict=True) if text in repeated]
        repeated_text = sorted(repeated)[0]
        message = f"letter/2: {clashing[0]} and {clashing[1]} are both written '{repeated_text}'"
        raise make_kb_error(message, "give each its own", ErrorCode.CONFLICTING_FACTS)
    has_no_suits = all(parse_rank_and_suit(kind) is None for kind in pack.kinds)
    # A rank or suit needs no letter if all of its cards have letters of their own.
    parts = [part for kind in pack.kinds if kind not in letters for part in parse_rank_and_suit(kind) or ()]
    terms = {part: _term_text(part, letters) for part in parts} | letters | dict(zip(pack.kinds, texts, strict=True))
    return CardCodes(pack, tuple(texts), has_no_suits and all(len(text) == 1 for text in texts), terms)


def _kind_text(kind: Term, letters: dict[Term, str]) -> str:
    parts = parse_rank_and_suit(kind)
    if kind in letters or parts is None:
        return letters[kind] if kind in letters else _term_text(kind, letters)
    rank, suit = parts
    return _term_text(suit, letters) + _term_text(rank, letters)


def _term_text(term: Term, letters: dict[Term, str]) -> str:
    if term in letters:
        return letters[term]
    if isinstance(term, int) and not 0 <= term <= 9:
        remedy = f'write letter({term},"…"): cards are written in letters'
        raise make_kb_error(f"no letter/2 for {term}", remedy, ErrorCode.MISSING_FACT)
    return str(term)
