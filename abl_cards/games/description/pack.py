"""Pack of cards: the kinds of cards and the number of copies of each.

A hand is uint8 [kinds]. Rules read *cells*, which cards act as: ``card(R,S)`` acts as itself and as its rank, unless
``acts_as/2`` gives other cells, which may depend on fluents. A wild card acts as ``wild``, and besides only as cells
that no other card acts as.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.fact_arguments import read_mapping, require_int

WILD = "wild"
"""Cell of cards that substitute for others."""

NO_CELL = -1
"""Padding in arrays of cells."""

MAX_KINDS = 250
"""Maximum number of kinds of cards, whose indices are bytes."""
MAX_COPIES = 250
"""Maximum number of copies of a card, which are counted in bytes."""
MAX_CARDS = 30_000
"""Maximum number of cards of the pack, which are counted in words of 16 bits."""
_CARD = re.compile(r"card\((?P<rank>-?\w+),(?P<suit>-?\w+)\)")


@dataclass(frozen=True)
class Pack:
    """Pack of cards of a game.

    Attributes:
        kinds: Terms of the kinds of cards, in the order of vectors.
        copies: uint8 [kinds], number of copies of each kind.
        deck: uint8 [cards], kind of each card before shuffling.
    """

    kinds: tuple[Term, ...]
    copies: NDArray[np.uint8]
    deck: NDArray[np.uint8]

    def __len__(self) -> int:
        """Return the number of kinds of cards."""
        return len(self.kinds)

    @cached_property
    def index(self) -> dict[Term, int]:
        """Index of each kind of card by its term."""
        return {kind: index for index, kind in enumerate(self.kinds)}


def read_pack(kb: KnowledgeBase) -> Pack:
    """Read the pack of a game from ``pack/2``, ``packs/1`` and ``index/2``.

    Args:
        kb: Knowledge base of the game.

    Raises:
        KBError: There are no cards or too many, or they are not numbered from 0.
    """
    copies_by_kind = read_mapping(kb, "pack", 2, 1)
    if not copies_by_kind:
        remedy = "write pack(Card,Copies) for each kind of card"
        raise make_kb_error("no pack/2: there are no cards", remedy, ErrorCode.MISSING_FACT)
    packs = [require_int(count, "packs") for (count,) in kb.facts("packs", 1)] or [1]
    index = {kind: require_int(position, "index") for (kind,), position in read_mapping(kb, "index", 2, 1).items()}
    kinds = tuple(kind for (kind,) in copies_by_kind)
    if index:
        unmatched = sorted(set(map(str, index)) ^ set(map(str, kinds)))
        if unmatched or sorted(index.values()) != list(range(len(kinds))):
            message = f"index/2 and pack/2 differ in {unmatched[0]}" if unmatched else "index/2 has gaps or repeats"
            raise make_kb_error(message, f"number the {len(kinds)} kinds of cards from 0", ErrorCode.INVALID_ARGUMENT)
        kinds = tuple(sorted(kinds, key=index.__getitem__))
    copies = [require_int(copies_by_kind[kind,], f"pack({kind},…)") for kind in kinds]
    if len(packs) > 1:
        message = f"packs({packs[1]}): there is packs({packs[0]}) too"
        raise make_kb_error(message, "keep one of them", ErrorCode.CONFLICTING_FACTS)
    if packs[0] < 1 or min(copies) < 1 or max(copies) * packs[0] > MAX_COPIES:
        raise make_kb_error(
            "pack/2, packs/1: numbers out of range",
            f"1 to {MAX_COPIES} copies of a card in all the packs",
            ErrorCode.INVALID_ARGUMENT,
        )
    if len(kinds) > MAX_KINDS:
        raise make_kb_error(f"{len(kinds)} kinds of cards", f"at most {MAX_KINDS}", ErrorCode.GAME_TOO_LARGE)
    if sum(copies) * packs[0] > MAX_CARDS:
        message = f"pack/2, packs/1: {sum(copies) * packs[0]} cards"
        raise make_kb_error(message, f"at most {MAX_CARDS}", ErrorCode.GAME_TOO_LARGE)
    single_deck = np.repeat(np.arange(len(kinds), dtype=np.uint8), copies)
    return Pack(kinds, np.array(copies, np.uint8) * np.uint8(packs[0]), np.tile(single_deck, packs[0]))


def parse_rank_and_suit(kind: Term) -> tuple[Term, Term] | None:
    """Return the arguments of ``card(R,S)``; None for a kind without a suit.

    >>> parse_rank_and_suit("card(14,h)"), parse_rank_and_suit("joker")
    ((14, 'h'), None)
    """
    match = _CARD.fullmatch(str(kind))
    return (_parse_term(match["rank"]), _parse_term(match["suit"])) if match else None


def _parse_term(text: str) -> Term:
    return int(text) if text.lstrip("-").isdigit() else text
