"""The legal labels of a Guandan state by brute force in numba: fast enough for 200,000 states, still naive.

A hand of 27 cards has too many subsets to try them all, so each label is searched alone. A *choice* is the number of
cards of one rank from each suit and of wild cards for that rank. For every label all choices of its ranks are tried,
one loop per rank. The label is possible if the hand contains a choice that fits the definition of the type: two wild
cards are no pair but the level's, five in a row in one suit are no straight, and so on. The label is legal if it also
beats the action on the table. Labels share no intermediate results, and no code is shared with the engine.

States are integers: a hand is 54 counts (index 4·rank + suit, ranks A,2,…,K = 0..12, suits S,H,D,C = 0..3, small joker
52, big joker 53), a level 2..14, the action on the table (type, rank number, size) as `table_code` gives it.

>>> from tests.brute_force.guandan import LABELS
>>> mask = legal_masks(counts_of(["S6", "H8"])[None], np.array([8]), np.array([table_code(["Single", "A", ["SA"]])]))
>>> [LABELS[label] for label in np.flatnonzero(mask[0])]
['single(8)', 'pass']
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numba import njit

from tests.brute_force.guandan import Action, rank_number

NUMBERS: Any = np.arange(11)
"""Arguments between kernels: numba would compile another kernel for each literal."""
LEAD, SINGLE, PAIR, TRIPLE, PLATE, TUBE, FULL_HOUSE, STRAIGHT, BOMB, STRAIGHT_FLUSH, JOKER_BOMB = NUMBERS
NONE, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN = NUMBERS
TYPE_CODES = {
    "Single": SINGLE,
    "Pair": PAIR,
    "Trips": TRIPLE,
    "TwoTrips": PLATE,
    "ThreePair": TUBE,
    "ThreeWithTwo": FULL_HOUSE,
    "Straight": STRAIGHT,
    "Bomb": BOMB,
    "StraightFlush": STRAIGHT_FLUSH,
}
LOW, HIGH = 2, 14  # the rank numbers a wild card may stand for
SMALL_JOKER, BIG_JOKER = 15, 16
HEART, WILD = 1, 4  # places in a choice: S, H, D, C, wild

# Where the labels of a type begin; the order is that of LABELS.
FIRST_SINGLE, FIRST_PAIR, FIRST_TRIPLE, FIRST_PLATE, FIRST_TUBE = 0, 15, 30, 43, 56
FIRST_FULL_HOUSE, FIRST_STRAIGHT, FIRST_BOMB, FIRST_STRAIGHT_FLUSH = 68, 81, 91, 156
JOKER_BOMB_LABEL, PASS_LABEL = 166, 167


def choices_of(size: int) -> np.ndarray:
    """Return all ways to take a number of cards of one rank: counts of S, H, D, C and wild cards."""
    return np.array([choice for choice in product(range(3), repeat=5) if sum(choice) == size], dtype=np.int8)


ONES, TWOS, THREES = choices_of(1), choices_of(2), choices_of(3)
BOMB_CHOICES = tuple(choices_of(size) for size in range(4, 11))
PHYSICAL: Any = np.bool_(False)
FLUSH: Any = np.bool_(True)


def counts_of(hand: Sequence[str]) -> np.ndarray:
    """The 54 counts of a hand given as card texts."""
    counts = np.zeros(54, dtype=np.int8)
    for card in hand:
        suit, rank = card[0], card[1]
        counts[52 + "BR".index(rank) if rank in "BR" else 4 * "A23456789TJQK".index(rank) + "SHDC".index(suit)] += 1
    return counts


def table_code(to_beat: Action | None) -> tuple[int, int, int]:
    """The action on the table as (type, rank number, size); (0, 0, 0) for a lead."""
    if to_beat is None:
        return LEAD, 0, 0
    kind, rank, cards = to_beat
    if rank == "JOKER":
        return JOKER_BOMB, 0, 4
    return TYPE_CODES[kind], rank_number(kind, rank), len(cards)


@njit(cache=True)
def wilds_held(hand: np.ndarray, level: int) -> int:
    """Return the number of wild cards in the hand."""
    return int(hand[4 * ((level - 1) % 13) + HEART])


@njit(cache=True)
def holds(hand: np.ndarray, level: int, number: int, choice: np.ndarray) -> bool:
    """Return True if the hand contains the choice at rank `number` (1 the low ace, 15 and 16 the jokers)."""
    if number >= SMALL_JOKER:
        return bool(choice[0] <= hand[52 + number - SMALL_JOKER] and choice[1:].sum() == 0)
    rank = 0 if number == HIGH else number - 1
    for suit in range(4):
        is_wild = suit == HEART and rank == (level - 1) % 13
        if choice[suit] > (0 if is_wild else hand[4 * rank + suit]):
            return False
    return bool(choice[WILD] <= wilds_held(hand, level))


@njit(cache=True)
def is_single(level: int, number: int, choice: np.ndarray) -> bool:
    """A wild card alone is a level card."""
    return bool(choice[WILD] == 0 or number == level)


@njit(cache=True)
def is_pair(level: int, number: int, choice: np.ndarray) -> bool:
    """Two wild cards are the level pair only."""
    return bool(choice[WILD] < 2 or number == level)


@njit(cache=True)
def has_single(hand: np.ndarray, level: int, number: int) -> bool:
    """Any card that may be played alone at this rank."""
    for one in ONES:
        if holds(hand, level, number, one) and is_single(level, number, one):
            return True
    return False


@njit(cache=True)
def has_pair(hand: np.ndarray, level: int, number: int) -> bool:
    """Any two cards that are a pair of this rank."""
    for two in TWOS:
        if holds(hand, level, number, two) and is_pair(level, number, two):
            return True
    return False


@njit(cache=True)
def has_group(hand: np.ndarray, level: int, number: int, choices: np.ndarray) -> bool:
    """Any of these choices: a triple or a bomb of this rank."""
    for choice in choices:
        if holds(hand, level, number, choice):
            return True
    return False


@njit(cache=True)
def has_plate(hand: np.ndarray, level: int, number: int) -> bool:
    """Two triples in a row from this rank on."""
    for low in THREES:
        if not holds(hand, level, number, low):
            continue
        for high in THREES:
            if holds(hand, level, number + 1, high) and low[WILD] + high[WILD] <= wilds_held(hand, level):
                return True
    return False


@njit(cache=True)
def has_tube(hand: np.ndarray, level: int, number: int) -> bool:
    """Three pairs in a row from this rank on; here two wild cards may be any of them."""
    for low in TWOS:
        if not holds(hand, level, number, low):
            continue
        for middle in TWOS:
            if not holds(hand, level, number + 1, middle):
                continue
            for high in TWOS:
                wilds = low[WILD] + middle[WILD] + high[WILD]
                if holds(hand, level, number + 2, high) and wilds <= wilds_held(hand, level):
                    return True
    return False


@njit(cache=True)
def has_full_house(hand: np.ndarray, level: int, number: int) -> bool:
    """A triple of this rank and a pair of any other, the jokers' too."""
    for three in THREES:
        if not holds(hand, level, number, three):
            continue
        for other in range(LOW, BIG_JOKER + 1):
            if other == number:
                continue
            for two in TWOS:
                if not (holds(hand, level, other, two) and is_pair(level, other, two)):
                    continue
                if three[WILD] + two[WILD] <= wilds_held(hand, level):
                    return True
    return False


@njit(cache=True)
def suit_set(one: np.ndarray, wild_as: int) -> int:
    """The suit of a single chosen card as a bit; a wild card counts as `wild_as`."""
    for suit in range(4):
        if one[suit] > 0:
            return 1 << suit
    return wild_as


@njit(cache=True)
def has_five(hand: np.ndarray, level: int, number: int, flush: bool) -> bool:
    """Five in a row from this rank on: of one suit when wild cards take any, or physically of two suits at least."""
    wild_as = 0 if flush else 1 << HEART
    for a in ONES:
        if not holds(hand, level, number, a):
            continue
        for b in ONES:
            if not holds(hand, level, number + 1, b):
                continue
            for c in ONES:
                if not holds(hand, level, number + 2, c):
                    continue
                for d in ONES:
                    if not holds(hand, level, number + 3, d):
                        continue
                    for e in ONES:
                        if not holds(hand, level, number + 4, e):
                            continue
                        if a[WILD] + b[WILD] + c[WILD] + d[WILD] + e[WILD] > wilds_held(hand, level):
                            continue
                        suits = suit_set(a, wild_as) | suit_set(b, wild_as) | suit_set(c, wild_as)
                        suits |= suit_set(d, wild_as) | suit_set(e, wild_as)
                        one_suit = suits & (suits - 1) == 0
                        if one_suit == flush:
                            return True
    return False


@njit(cache=True)
def bomb_power(kind: int, size: int) -> int:
    """bomb4 8, bomb5 10, straight flush 11, bomb6 12, …, bomb10 20, four jokers 22; 0 for no bomb."""
    if kind == BOMB:
        return 2 * size
    if kind == STRAIGHT_FLUSH:
        return 11
    return 22 if kind == JOKER_BOMB else 0


@njit(cache=True)
def rank_power(kind: int, number: int, level: int) -> int:
    """Rank runs by their lowest rank; elsewhere the level ranks between the ace and the jokers."""
    if kind in (PLATE, TUBE, STRAIGHT, STRAIGHT_FLUSH) or number != level:
        return 2 * number
    return 2 * HIGH + 1


@njit(cache=True)
def may_follow(kind: int, number: int, size: int, level: int, table: np.ndarray) -> bool:
    """Return True if an action of this type, rank and size beats the action on the table."""
    if table[0] == LEAD:
        return True
    power, table_power = bomb_power(kind, size), bomb_power(table[0], table[2])
    if power != table_power:
        return power > table_power
    return kind == table[0] and rank_power(kind, number, level) > rank_power(table[0], table[1], level)


@njit(cache=True)
def mark_groups(hand: np.ndarray, level: int, table: np.ndarray, mask: np.ndarray) -> None:
    """Singles, pairs, triples and full houses."""
    for number in range(LOW, BIG_JOKER + 1):
        place = number - LOW
        if may_follow(SINGLE, number, ONE, level, table) and has_single(hand, level, number):
            mask[FIRST_SINGLE + place] = 1
        if may_follow(PAIR, number, TWO, level, table) and has_pair(hand, level, number):
            mask[FIRST_PAIR + place] = 1
        if number > HIGH:
            continue
        if may_follow(TRIPLE, number, THREE, level, table) and has_group(hand, level, number, THREES):
            mask[FIRST_TRIPLE + place] = 1
        if may_follow(FULL_HOUSE, number, FIVE, level, table) and has_full_house(hand, level, number):
            mask[FIRST_FULL_HOUSE + place] = 1


@njit(cache=True)
def mark_runs(hand: np.ndarray, level: int, table: np.ndarray, mask: np.ndarray) -> None:
    """Plates, tubes, straights and straight flushes, from the low ace on."""
    for number in range(1, 14):
        place = number - 1
        if may_follow(PLATE, number, SIX, level, table) and has_plate(hand, level, number):
            mask[FIRST_PLATE + place] = 1
        if number <= 12 and may_follow(TUBE, number, SIX, level, table) and has_tube(hand, level, number):
            mask[FIRST_TUBE + place] = 1
        if number > 10:
            continue
        if may_follow(STRAIGHT, number, FIVE, level, table) and has_five(hand, level, number, PHYSICAL):
            mask[FIRST_STRAIGHT + place] = 1
        if may_follow(STRAIGHT_FLUSH, number, FIVE, level, table) and has_five(hand, level, number, FLUSH):
            mask[FIRST_STRAIGHT_FLUSH + place] = 1


@njit(cache=True)
def mark_bomb(
    hand: np.ndarray, level: int, table: np.ndarray, mask: np.ndarray, size: int, choices: np.ndarray
) -> None:
    """Bombs of one size; 8, 9 and 10 cards share a label."""
    for number in range(LOW, HIGH + 1):
        if may_follow(BOMB, number, size, level, table) and has_group(hand, level, number, choices):
            mask[FIRST_BOMB + 5 * (number - LOW) + min(size, 8) - 4] = 1


@njit(cache=True)
def mark_state(hand: np.ndarray, level: int, table: np.ndarray, mask: np.ndarray) -> None:
    """Sets the legal labels of one state in an empty mask."""
    mark_groups(hand, level, table, mask)
    mark_runs(hand, level, table, mask)
    mark_bomb(hand, level, table, mask, FOUR, BOMB_CHOICES[0])
    mark_bomb(hand, level, table, mask, FIVE, BOMB_CHOICES[1])
    mark_bomb(hand, level, table, mask, SIX, BOMB_CHOICES[2])
    mark_bomb(hand, level, table, mask, SEVEN, BOMB_CHOICES[3])
    mark_bomb(hand, level, table, mask, EIGHT, BOMB_CHOICES[4])
    mark_bomb(hand, level, table, mask, NINE, BOMB_CHOICES[5])
    mark_bomb(hand, level, table, mask, TEN, BOMB_CHOICES[6])
    if hand[52] == 2 and hand[53] == 2 and may_follow(JOKER_BOMB, NONE, FOUR, level, table):
        mask[JOKER_BOMB_LABEL] = 1
    mask[PASS_LABEL] = table[0] != LEAD


@njit(cache=True)
def legal_masks(hands: np.ndarray, levels: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """uint8[N, 168] in the order of LABELS, from hands[N, 54], levels[N] (2..14) and tables[N, 3]."""
    masks = np.zeros((len(hands), 168), dtype=np.uint8)
    for state in range(len(hands)):
        mark_state(hands[state], levels[state], tables[state], masks[state])
    return masks
