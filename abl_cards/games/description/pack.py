"""The pack: kinds of cards, how many there are of each, and what they count as.

A hand is uint8[kinds]. Rules read *cells*: what cards act as. ``card(R,S)`` acts as itself and as its rank, unless
``acts_as/2`` says otherwise, which may depend on fluents: a wild card acts as ``wild`` and as nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.label_facts import read_mapping, require_int

WILD = "wild"
"""What a card acts as that stands for others."""

NO_CELL = -1
"""In the place of what a card acts as, beyond the last."""

MAX_KINDS = 250
MAX_COPIES = 250
MAX_CARDS = 30_000
"""Cards of the whole pack, which are counted in words of 16 bits."""
_CARD = re.compile(r"card\((?P<rank>-?\w+),(?P<suit>-?\w+)\)")


@dataclass(frozen=True)
class Pack:
    """The cards of a game."""

    kinds: tuple[Term, ...]  # in the order of vectors
    copies: NDArray[np.uint8]  # [kinds]
    deck: NDArray[np.uint8]  # [cards] what is shuffled

    def __len__(self) -> int:
        """The number of kinds."""
        return len(self.kinds)

    @cached_property
    def index(self) -> dict[Term, int]:
        """The place of each kind."""
        return {kind: place for place, kind in enumerate(self.kinds)}


def read_pack(kb: KnowledgeBase) -> Pack:
    """The facts ``pack/2, packs/1, index/2``; raises KBError."""
    each = read_mapping(kb, "pack", 2, 1)
    if not each:
        raise make_kb_error("no pack/2: there are no cards", "write pack(Card,Copies) for each kind of card")
    packs = [require_int(count, "packs") for (count,) in kb.facts("packs", 1)] or [1]
    index = {kind: require_int(place, "index") for (kind,), place in read_mapping(kb, "index", 2, 1).items()}
    kinds = tuple(kind for (kind,) in each)
    if index:
        strangers = sorted(set(map(str, index)) ^ set(map(str, kinds)))
        if strangers or sorted(index.values()) != list(range(len(kinds))):
            what = f"index/2 and pack/2 differ in {strangers[0]}" if strangers else "index/2 has gaps or repeats"
            raise make_kb_error(what, f"number the {len(kinds)} kinds of cards from 0")
        kinds = tuple(sorted(kinds, key=index.__getitem__))
    copies = [require_int(each[kind,], f"pack({kind},…)") for kind in kinds]
    if len(packs) != 1 or packs[0] < 1 or min(copies) < 1 or max(copies) * packs[0] > MAX_COPIES:
        raise make_kb_error(
            "pack/2, packs/1: numbers out of range", f"1 to {MAX_COPIES} copies of a card in all the packs"
        )
    if len(kinds) > MAX_KINDS:
        raise make_kb_error(f"{len(kinds)} kinds of cards", f"at most {MAX_KINDS}")
    if sum(copies) * packs[0] > MAX_CARDS:
        raise make_kb_error(f"pack/2, packs/1: {sum(copies) * packs[0]} cards", f"at most {MAX_CARDS}")
    one = np.repeat(np.arange(len(kinds), dtype=np.uint8), copies)
    return Pack(kinds, np.array(copies, np.uint8) * np.uint8(packs[0]), np.tile(one, packs[0]))


def parse_rank_and_suit(kind: Term) -> tuple[Term, Term] | None:
    """The arguments of ``card(R,S)``; None for a kind that has no suit.

    >>> parse_rank_and_suit("card(14,h)"), parse_rank_and_suit("joker")
    ((14, 'h'), None)
    """
    found = _CARD.fullmatch(str(kind))
    return (_parse_term(found["rank"]), _parse_term(found["suit"])) if found else None


def _parse_term(text: str) -> Term:
    return int(text) if text.lstrip("-").isdigit() else text
