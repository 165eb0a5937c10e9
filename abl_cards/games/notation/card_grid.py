"""The kinds of a pack as a table for people: ranks by suits, and behind the first suit what has neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.description import CardCodes, parse_rank_and_suit

NO_KIND = -1


@dataclass(frozen=True, eq=False)
class CardGrid:
    """Grid of card kinds, with the texts of rows, columns and kinds."""

    texts: tuple[str, ...]  # [kinds]
    column_headers: tuple[str, ...]  # [columns]
    row_headers: tuple[str, ...]  # a suit each, or one without a name
    kinds: NDArray[np.int64]  # [rows, columns], NO_KIND where there is no card


def build_card_grid(codes: CardCodes) -> CardGrid:
    """The table of a pack."""
    known = [
        _rank_and_suit_of(codes, kind, text) for kind, text in zip(codes.pack.kinds, codes.kind_texts, strict=True)
    ]
    ranks = list(dict.fromkeys(each[0] for each in known if each))
    suits = list(dict.fromkeys(each[1] for each in known if each))
    alone = [number for number, each in enumerate(known) if each is None]
    grid = np.full((max(1, len(suits)), len(ranks) + len(alone)), NO_KIND, np.int64)
    for number, each in enumerate(known):
        if each:
            grid[suits.index(each[1]), ranks.index(each[0])] = number
    grid[0, len(ranks) :] = alone
    heads = (*(codes.term_texts[rank] for rank in ranks), *(codes.kind_texts[number] for number in alone))
    return CardGrid(codes.kind_texts, heads, tuple(codes.term_texts[suit] for suit in suits) or ("",), grid)


def _rank_and_suit_of(codes: CardCodes, kind: Term, text: str) -> tuple[Term, Term] | None:
    """The rank and the suit of a kind that is written with both."""
    parts = parse_rank_and_suit(kind)
    if parts is None or any(part not in codes.term_texts for part in parts):
        return None
    rank, suit = parts
    return parts if text == codes.term_texts[suit] + codes.term_texts[rank] else None
