"""Table of the card kinds of a pack, ranks by suits; kinds without either end the row of the first suit."""

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
    row_headers: tuple[str, ...]  # [rows] suits; one empty text if there are none
    kinds: NDArray[np.int64]  # [rows, columns], NO_KIND where there is no card


def build_card_grid(codes: CardCodes) -> CardGrid:
    """Arrange the card kinds of a pack as a grid of ranks by suits.

    Args:
        codes: Card codes of the game.

    Returns:
        The grid; kinds without rank and suit follow in the first row.
    """
    parts = [
        _rank_and_suit_of(codes, kind, text) for kind, text in zip(codes.pack.kinds, codes.kind_texts, strict=True)
    ]
    ranks = list(dict.fromkeys(part[0] for part in parts if part))
    suits = list(dict.fromkeys(part[1] for part in parts if part))
    unsuited = [index for index, part in enumerate(parts) if part is None]
    grid = np.full((max(1, len(suits)), len(ranks) + len(unsuited)), NO_KIND, np.int64)
    for index, part in enumerate(parts):
        if part:
            grid[suits.index(part[1]), ranks.index(part[0])] = index
    grid[0, len(ranks) :] = unsuited
    column_headers = (*(codes.term_texts[rank] for rank in ranks), *(codes.kind_texts[index] for index in unsuited))
    return CardGrid(codes.kind_texts, column_headers, tuple(codes.term_texts[suit] for suit in suits) or ("",), grid)


def _rank_and_suit_of(codes: CardCodes, kind: Term, text: str) -> tuple[Term, Term] | None:
    """Return the rank and suit of a kind; None if its text is not suit and rank."""
    parts = parse_rank_and_suit(kind)
    if parts is None or any(part not in codes.term_texts for part in parts):
        return None
    rank, suit = parts
    return parts if text == codes.term_texts[suit] + codes.term_texts[rank] else None
