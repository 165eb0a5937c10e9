"""Dou dizhu from the text of the rules alone: every play there is, by type, for each source of kickers.

A play is written as its cards from low to high. Nothing here is read from the rule files.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numba import njit

CARDS = "3456789TJQKA2XD"
RUN = CARDS[:12]
TYPES = [
    "single", "pair", "trio", "trio_single", "trio_pair", "single_chain", "pair_chain", "trio_chain", "plane_singles",
    "plane_pairs", "four_singles", "four_pairs", "bomb", "rocket", "shuttle", "shuttle_singles", "shuttle_pairs",
]  # fmt: skip
SOURCES = ("rlcard", "openspiel", "douzero", "botzone")


class Play(NamedTuple):
    """A reading of some cards; its length is that of the chain, 1 for other types."""

    type: str
    length: int
    main: str
    cards: str


def sort_cards(cards: str) -> str:
    return "".join(sorted(cards, key=CARDS.index))


def runs(length: int) -> list[str]:
    return [RUN[first : first + length] for first in range(len(RUN) - length + 1)]


def copies(card: str) -> int:
    return 1 if card in "XD" else 4


def single_kickers(others: str, count: int, source: str) -> Iterator[tuple[str, ...]]:
    """Yield kickers of other ranks; the source limits equal ones and both jokers together."""
    for cards in combinations_with_replacement(others, count):
        most = {"botzone": 1, "douzero": 4}.get(source, 3)
        if any(number > min(most, copies(card)) for card, number in Counter(cards).items()):
            continue
        if source in ("rlcard", "openspiel") and {"X", "D"} <= set(cards):
            continue
        yield cards


def lengthens(run: str, kickers: tuple[str, ...]) -> bool:
    """Return True if three of the kickers would extend the chain."""
    threes = [card for card, number in Counter(kickers).items() if number == 3 and card in RUN]
    return any(run + card in RUN or card + run in RUN for card in threes)


def readings(source: str) -> Iterator[Play]:
    """Every way to read some cards as a play."""
    for card in CARDS:
        yield Play("single", 1, card, card)
    for rank in CARDS[:13]:
        others = CARDS.replace(rank, "")
        yield Play("pair", 1, rank, 2 * rank)
        yield Play("trio", 1, rank, 3 * rank)
        yield Play("bomb", 1, rank, 4 * rank)
        for card in others:
            yield Play("trio_single", 1, rank, 3 * rank + card)
        for card in others[:12]:
            yield Play("trio_pair", 1, rank, 3 * rank + 2 * card)
        if source != "openspiel":
            for kickers in single_kickers(others, 2, source):
                yield Play("four_singles", 1, rank, 4 * rank + "".join(kickers))
            for kickers in combinations(others[:12], 2):
                yield Play("four_pairs", 1, rank, 4 * rank + 2 * "".join(kickers))
    yield Play("rocket", 1, "X", "XD")
    for length in range(2, 13):
        for run in runs(length):
            yield from chains(run, source)


def chains(run: str, source: str) -> Iterator[Play]:
    length, main = len(run), run[0]
    others = "".join(card for card in CARDS if card not in run)
    pairs = others.replace("X", "").replace("D", "")
    for name, number, least in (("single", 1, 5), ("pair", 2, 3), ("trio", 3, 2)):
        if length >= least and length * number <= 20:
            yield Play(f"{name}_chain", length, main, number * run)
    if 4 * length <= 20:
        for kickers in single_kickers(others, length, source):
            if source != "rlcard" or not lengthens(run, kickers):
                yield Play("plane_singles", length, main, 3 * run + "".join(kickers))
    if 5 * length <= 20:
        for kickers in combinations(pairs, length):
            yield Play("plane_pairs", length, main, 3 * run + 2 * "".join(kickers))
    if source == "botzone":
        if 4 * length <= 20:
            yield Play("shuttle", length, main, 4 * run)
        if 6 * length <= 20:
            for kickers in combinations(others, 2 * length):
                yield Play("shuttle_singles", length, main, 4 * run + "".join(kickers))
        if 8 * length <= 20:
            for kickers in combinations(pairs, 2 * length):
                yield Play("shuttle_pairs", length, main, 4 * run + 2 * "".join(kickers))


@cache
def plays(source: str) -> tuple[Play, ...]:
    """The plays of each type, every card set of it once: with the highest main rank."""
    best: dict[tuple[str, str], Play] = {}
    for play in readings(source):
        play = play._replace(cards=sort_cards(play.cards))
        known = best.get((play.type, play.cards))
        if known is None or CARDS.index(known.main) < CARDS.index(play.main):
            best[play.type, play.cards] = play
    return tuple(sorted(best.values(), key=wire_order))


def wire_order(play: Play) -> tuple[int, int, int, str]:
    """By type, length, main rank, card string."""
    return TYPES.index(play.type), play.length, CARDS.index(play.main), play.cards


@cache
def led_otherwise(source: str) -> frozenset[str]:
    """Cards that are a longer chain of another type too; a lead of them is that chain."""
    types: dict[str, set[str]] = {}
    for play in plays(source):
        types.setdefault(play.cards, set()).add(play.type)
    return frozenset(cards for cards, play_types in types.items() if len(play_types) > 1)


@cache
def _needs(source: str) -> tuple[tuple[Play, tuple[tuple[str, int], ...]], ...]:
    """Each play with how many of which card it takes."""
    return tuple((play, tuple(Counter(play.cards).items())) for play in plays(source))


def beats(play: Play, rival: Play) -> bool:
    if play.type == "rocket":
        return rival.type != "rocket"
    if play.type == "bomb" and rival.type not in ("bomb", "rocket"):
        return True
    same = (play.type, play.length) == (rival.type, rival.length)
    return same and CARDS.index(play.main) > CARDS.index(rival.main)


def legal_plays(hand: str, rival: Play | None, source: str) -> list[Play]:
    """Return the legal plays of a hand in wire order, without the pass."""
    held = Counter(hand)
    playable = [play for play, needed in _needs(source) if all(held[card] >= count for card, count in needed)]
    if rival is None:
        return [play for play in playable if play.type == "trio_chain" or play.cards not in led_otherwise(source)]
    return [play for play in playable if beats(play, rival)]


def label_of(play: Play) -> str:
    """The name of its label: ranks are 3..17 there."""
    main = CARDS.index(play.main) + 3
    if play.type == "rocket":
        return play.type
    chained = "chain" in play.type or "plane" in play.type or "shuttle" in play.type
    return f"{play.type}({main},{play.length})" if chained else f"{play.type}({main})"


# --- many states at once ----------------------------------------------------------------------------------------------

_TOPS = np.uint64(sum(8 << 4 * place for place in range(15)))


def key_of(cards: str) -> int:
    """Four bits a rank."""
    return sum(1 << 4 * CARDS.index(card) for card in cards)


@njit(cache=True)
def _masks(hands, rivals, keys, label, lead, beaten, masks):
    for state in range(len(hands)):
        for play in range(len(keys)):
            if rivals[state] < 0:
                if not lead[play]:
                    continue
            elif not beaten[rivals[state], label[play]]:
                continue
            if ((hands[state] | _TOPS) - keys[play]) & _TOPS == _TOPS:
                masks[label[play], state] = 1


def legal_masks(hands: np.ndarray, rivals: np.ndarray, source: str, labels: tuple[str, ...]) -> np.ndarray:
    """[labels, n] for hands as keys [n] and labels to beat [n], -1 to lead; by trying every play there is."""
    every = plays(source)
    index = {name: place for place, name in enumerate(labels)}
    label = np.array([index[label_of(play)] for play in every])
    lead = np.array([play.type == "trio_chain" or play.cards not in led_otherwise(source) for play in every])
    one_each = {index[label_of(play)]: play for play in every}
    beaten = np.zeros((len(labels), len(labels)), np.bool_)
    for rival, theirs in one_each.items():
        for mine, play in one_each.items():
            beaten[rival, mine] = beats(play, theirs)
    masks = np.zeros((len(labels), len(hands)), np.uint8)
    keys = np.array([key_of(play.cards) for play in every], np.uint64)
    _masks(hands.astype(np.uint64), rivals, keys, label, lead, beaten, masks)
    masks[index["pass"]] = rivals >= 0
    return masks
