"""The course of a game as kernels: facts for the knowledge base, dealing, laying down cards, whose turn it is.

No rule is decided here. Legality comes from the circuit; who plays next comes from a table that the circuit of
``turn/1, trick_over, game_over`` filled in advance (turns.py). Hands are keys (shapes.py).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.doudizhu.knowledge import FULL_HAND, VALUES
from abl_cards.games.doudizhu.shapes import COUNT, FIRST, NO_CARD, key_of
from abl_cards.games.progress import MOST_IDLE
from abl_cards.games.turns import NEXT_SEAT, OVER, TRICK_OVER, UNDECIDED
from abl_cards.streams import below, mix

PLAY, BID, GAME_OVER, STUCK = range(4)
"""Stages of a table; at one that is stuck the rules lead nowhere."""

LEADING, NOTHING = -1, -2
"""What there is to beat when a seat leads, and when it does not play at all."""

NO_BID = 4
"""In the place of the bid of a seat that has not bid yet."""

RECENT = 6
"""Acts that a table remembers: two rounds."""

PACK = key_of([value for value in VALUES for _ in range(4 if value < VALUES[-2] else 1)])
"""The key of all 54 cards."""

_ONE = np.uint64(1)
_SHIFTS = 4 * np.arange(COUNT).astype(np.uint64)
_DECK = np.array([4 * (min(card // 4, 13) + (card == 53)) for card in range(54)], np.uint8)
"""[54] the shift of each card of the pack in a key."""


class Play(NamedTuple):
    """The state of many tables, one row a table; cards as keys."""

    hands: NDArray[np.uint64]  # [n, 3]
    bottom: NDArray[np.uint64]  # [n] the three cards 底牌, in the landlord's hand once there is one
    landlord: NDArray[np.int8]  # [n] seat, or -1 as long as it is bid for
    bids: NDArray[np.int8]  # [n, 3] 0..3, or NO_BID
    stake: NDArray[np.int8]  # [n]
    doublings: NDArray[np.int8]  # [n] bombs and the like that have been played
    seat: NDArray[np.int8]  # [n] the seat to decide
    to_beat: NDArray[np.int16]  # [n] label, or LEADING
    owner: NDArray[np.int8]  # [n] whose play it is
    passed: NDArray[np.uint8]  # [n] seats as bits, since that play
    stage: NDArray[np.int8]  # [n]
    clock: NDArray[np.int32]  # [n] decisions so far in the match
    played: NDArray[np.uint64]  # [n, 3] cards laid down, by seat
    plays: NDArray[np.int8]  # [n, 3] how often each seat laid down cards
    acts: NDArray[np.int32]  # [n] plays and passes so far
    idle: NDArray[np.int32]  # [n] decisions since a card was laid, bids among them
    recent: NDArray[np.uint64]  # [n, RECENT] the cards of act k at k % RECENT
    recent_seat: NDArray[np.int8]  # [n, RECENT] who acted


@njit(cache=True, nogil=True)
def count_cards(key):
    """How many cards a key holds."""
    # Sum the nibbles: pairs of them into bytes, the bytes by one multiplication.
    both = (key & np.uint64(0x0F0F0F0F0F0F0F0F)) + ((key >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F))
    return np.int64((both * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def deal(keys, which, hands, bottom):
    """Shuffle a pack with each key; 17 cards to each seat of tables which[:], three to the bottom; keys [n] uint64."""
    deck = np.empty(54, np.uint8)
    for i in range(len(which)):
        deck[:] = _DECK
        for place in range(53, 0, -1):
            other = np.int64(below(mix(keys[i], np.uint64(place)), np.uint64(place + 1)))
            deck[place], deck[other] = deck[other], deck[place]
        for seat in range(3):
            hand = np.uint64(0)
            for place in range(FULL_HAND * seat, FULL_HAND * (seat + 1)):
                hand += _ONE << np.uint64(deck[place])
            hands[which[i], seat] = hand
        rest = np.uint64(0)
        for place in range(3 * FULL_HAND, 54):
            rest += _ONE << np.uint64(deck[place])
        bottom[which[i]] = rest


@njit(cache=True, nogil=True)
def look_around(play, which, lo, hi, hand, unseen, cards, top, part):
    """Fill a Situation for tables which[lo:hi]."""
    for i in range(lo, hi):
        table = which[i]
        seat = np.int64(play.seat[table])
        after, before = (seat + 1) % 3, (seat + 2) % 3
        hand[i] = play.hands[table, seat]
        unseen[i] = play.hands[table, after] + play.hands[table, before]
        cards[i, 0], cards[i, 1] = count_cards(play.hands[table, after]), count_cards(play.hands[table, before])
        # Rules may ask a seat to beat its own play; then it is nobody's among the others.
        others = play.to_beat[table] >= 0 and play.owner[table] != seat
        top[i] = (play.owner[table] - seat + 2) % 3 if others else -1
        part[i] = (seat - play.landlord[table]) % 3 if play.landlord[table] >= 0 else -1
        if play.landlord[table] < 0:
            unseen[i] += play.bottom[table]


@njit(cache=True, nogil=True)
def write_facts(facts, hand, to_beat, lo, hi, rows):
    """Fill the input rows [inputs, n] of decisions lo..hi-1; to_beat [n] is a label, LEADING or NOTHING."""
    held, beat, leading = facts.held, facts.to_beat, facts.leading
    for row in range(rows.shape[0]):
        rows[row, lo:hi] = 0
    for rank in range(COUNT):
        for least in range(1, 5):
            row, shift = held[rank, least], np.uint64(4 * rank)
            if row >= 0:
                for i in range(lo, hi):
                    rows[row, i] = ((hand[i] >> shift) & np.uint64(15)) >= np.uint64(least)
    for i in range(lo, hi):
        if to_beat[i] == LEADING:
            if leading >= 0:
                rows[leading, i] = 1
        elif to_beat[i] >= 0 and beat[to_beat[i]] >= 0:
            rows[beat[to_beat[i]], i] = 1


@njit(cache=True, nogil=True)
def key_of_row(cards):
    """The key of the cards of a move."""
    key = np.uint64(0)
    for card in cards:
        if card == NO_CARD:
            break
        key += _ONE << np.uint64(4 * (card - FIRST))
    return key


@njit(cache=True, nogil=True)
def lay_down(play, turns, doubling, passing, which, lo, hi, form, cards):
    """Apply one play or pass at each of the tables which[lo:hi], which must be in stage PLAY."""
    for i in range(lo, hi):
        table, label = which[i], form[i]
        seat = np.int64(play.seat[table])
        key, place = key_of_row(cards[i]), play.acts[table] % RECENT
        play.recent[table, place], play.recent_seat[table, place] = key, seat
        play.acts[table] += 1
        play.clock[table] += 1
        play.idle[table] += 1
        out = 0
        if label == passing:
            play.passed[table] |= 1 << seat
        else:
            play.hands[table, seat] -= key
            play.played[table, seat] += key
            play.plays[table, seat] += 1
            play.idle[table] = 0
            play.doublings[table] += doubling[label]
            play.to_beat[table], play.owner[table], play.passed[table] = label, seat, 0
            if play.hands[table, seat] == 0:
                out = 1 << seat
        code = turns[seat, play.owner[table], play.passed[table], out]
        if code & UNDECIDED or play.idle[table] > MOST_IDLE:
            play.stage[table] = STUCK
            continue
        if code & OVER:
            play.stage[table] = GAME_OVER
        play.seat[table] = code & NEXT_SEAT
        if code & TRICK_OVER:
            play.to_beat[table], play.owner[table], play.passed[table] = LEADING, play.seat[table], 0


def sizes_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many cards keys [...] hold."""
    low = np.uint64(0x0F0F0F0F0F0F0F0F)
    both = (keys & low) + ((keys >> np.uint64(4)) & low)
    sizes: NDArray[np.int64] = ((both * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return sizes


def counts_of(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[..., 15] the copies of each rank in keys [...]."""
    counts: NDArray[np.uint8] = (keys[..., None] >> _SHIFTS & np.uint64(15)).astype(np.uint8)
    return counts


def keys_of(counts: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Keys [...] of the copies of each rank [..., 15]."""
    keys: NDArray[np.uint64] = (counts.astype(np.uint64) << _SHIFTS).sum(axis=-1, dtype=np.uint64)
    return keys
