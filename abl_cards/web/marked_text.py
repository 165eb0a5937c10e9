"""Texts for players in which cards, seats and teams are marked: ⟦S5⟧, ⟦@2⟧ and ⟦#1⟧.

The browser draws a marked card, and writes the name of a marked seat or side as the viewer calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_RANKS_OF_SUIT = re.compile(r"(?<=[♠♥♣♦])[2-9TJQKA]{2,}")
_MARK = re.compile("⟦([^⟧]+)⟧")
_MARKS = re.compile("(?:⟦[^⟧]+⟧)+")
_TEN = re.compile(r"(?<![A-Za-z0-9⟦])T(?![A-Za-z⟧])")


def card_mark(text: str) -> str:
    """Return the mark of a card.

    Args:
        text: Card by its letters.
    """
    return f"⟦{text}⟧"


def card_marks(texts: Iterable[str]) -> str:
    """Return the marks of several cards.

    Args:
        texts: Cards by their letters.
    """
    return "".join(map(card_mark, texts))


def unmarked_text(text: str, names: Mapping[str, str]) -> str:
    """Replace the marks of cards by names, as for a terminal.

    Args:
        text: Text with marked cards.
        names: Name of each card by its letters.

    >>> unmarked_text("pair 9 ⟦S9⟧⟦H9⟧", {"S9": "♠9", "H9": "♥9"})
    'pair 9 ♠9 ♥9'
    """
    return _MARKS.sub(lambda run: " ".join(names.get(card, card) for card in _MARK.findall(run[0])), text)


def seat_mark(seat: int) -> str:
    """Return the mark of a seat."""
    return f"⟦@{seat}⟧"


def team_mark(team: int) -> str:
    """Return the mark of a team."""
    return f"⟦#{team}⟧"


def with_tens(sentence: str) -> str:
    """Write 10 for the letter T of a rank.

    Args:
        sentence: Text in which ranks stand as letters.

    >>> with_tens("Keep the triples of 7, T."), with_tens("顺子T起 ⟦ST⟧"), with_tens("同花A（♠JT3）")
    ('Keep the triples of 7, 10.', '顺子10起 ⟦ST⟧', '同花A（♠J 10 3）')
    """
    return _TEN.sub("10", _RANKS_OF_SUIT.sub(lambda ranks: " ".join(ranks[0]), sentence))
