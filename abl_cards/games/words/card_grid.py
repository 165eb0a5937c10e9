"""The kinds of a pack as a table for people: ranks by suits, and behind the first suit what has neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.words.letters import Letters
from abl_cards.logic import Term

NO_KIND = -1


@dataclass(frozen=True, eq=False)
class CardGrid:
    """Where the kinds lie, and how rows, columns and kinds are written."""

    texts: tuple[str, ...]  # [kinds]
    heads: tuple[str, ...]  # [columns]
    rows: tuple[str, ...]  # a suit each, or one without a name
    kinds: NDArray[np.int64]  # [rows, columns], NO_KIND where there is no card


def card_grid(letters: Letters) -> CardGrid:
    """The table of a pack."""
    known = [_parts(letters, kind, text) for kind, text in zip(letters.pack.kinds, letters.texts, strict=True)]
    ranks = list(dict.fromkeys(each[0] for each in known if each))
    suits = list(dict.fromkeys(each[1] for each in known if each))
    alone = [number for number, each in enumerate(known) if each is None]
    grid = np.full((max(1, len(suits)), len(ranks) + len(alone)), NO_KIND, np.int64)
    for number, each in enumerate(known):
        if each:
            grid[suits.index(each[1]), ranks.index(each[0])] = number
    grid[0, len(ranks) :] = alone
    heads = (*(letters.terms[rank] for rank in ranks), *(letters.texts[number] for number in alone))
    return CardGrid(letters.texts, heads, tuple(letters.terms[suit] for suit in suits) or ("",), grid)


def _parts(letters: Letters, kind: Term, text: str) -> tuple[Term, Term] | None:
    """The rank and the suit of a kind that is written with both."""
    parts = rank_and_suit(kind)
    if parts is None or any(part not in letters.terms for part in parts):
        return None
    rank, suit = parts
    return parts if text == letters.terms[suit] + letters.terms[rank] else None
