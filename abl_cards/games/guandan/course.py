"""The course of an episode as kernels: facts for the knowledge base, dealing, laying down cards, whose turn it is.

No rule is decided here. Legality comes from the circuit; who plays next comes from a table that the circuit of
``turn/1, trick_over, episode_over`` filled in advance (turns.py).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.guandan.expansion import MOST_CARDS, NO_CARD, read_hand
from abl_cards.games.progress import MOST_IDLE
from abl_cards.games.turns import NEXT_SEAT, OVER, TRICK_OVER, UNDECIDED
from abl_cards.streams import below, mix

PLAY, TRIBUTE, BACK, EPISODE_OVER, MATCH_OVER, STUCK = range(6)
"""Stages of a table; at one that is stuck the rules lead nowhere."""

LEADING, NOTHING = -1, -2
"""What there is to beat when a seat leads, and when it does not play at all."""

RECENT = 7
"""Acts that a table remembers."""
BLOCK = 256
"""Hands whose facts are written at once."""


class FactRows(NamedTuple):
    """Where each input of the knowledge base lies among the rows of the circuit; -1 where it does not matter."""

    held: NDArray[np.int32]  # [17, 9] rank, at least
    suited: NDArray[np.int32]  # [17, 4, 3] rank, suit in hand order, at least
    wild: NDArray[np.int32]  # [3] at least
    level: NDArray[np.int32]  # [17]
    leading: int
    to_beat: NDArray[np.int32]  # [forms]


class Play(NamedTuple):
    """The state of many tables that play, one row a table."""

    hands: NDArray[np.uint8]  # [n, 4, 54]
    level: NDArray[np.int8]  # [n] rank 2..14 of the episode
    seat: NDArray[np.int8]  # [n] the seat to decide
    to_beat: NDArray[np.int16]  # [n] form, or -1 when leading
    owner: NDArray[np.int8]  # [n] whose play it is
    passed: NDArray[np.uint8]  # [n] seats as bits, since that play
    out: NDArray[np.uint8]  # [n] seats without cards, as bits
    order: NDArray[np.int8]  # [n, 4] seats by finish, -1 where open
    stage: NDArray[np.int8]  # [n]
    clock: NDArray[np.int32]  # [n] decisions so far in the match
    played: NDArray[np.uint8]  # [n, 4, 54] cards laid down in the episode, by seat
    acts: NDArray[np.int32]  # [n] plays and passes so far in the episode
    idle: NDArray[np.int32]  # [n] decisions since a card was laid
    recent: NDArray[np.uint8]  # [n, RECENT, 10] the cards of act k at k % RECENT, as in Moves
    recent_seat: NDArray[np.int8]  # [n, RECENT] who acted


@njit(cache=True, nogil=True)
def _set(rows, row, i):
    if row >= 0:
        rows[row, i] = 1


@njit(cache=True, nogil=True)
def look_around(play, which, lo, hi, hand, unseen, cards, top):
    """Fill a Situation for tables which[lo:hi]."""
    for i in range(lo, hi):
        table = which[i]
        seat = play.seat[table]
        hand[i] = play.hands[table, seat]
        unseen[i] = 0
        for other in range(3):
            total = 0
            row = play.hands[table, (seat + other + 1) % 4]
            for card in range(54):
                unseen[i, card] += row[card]
                total += row[card]
            cards[i, other] = total
        # Rules may ask a seat to beat its own play; then it is nobody's among the others.
        others = play.to_beat[table] >= 0 and play.owner[table] != seat
        top[i] = (play.owner[table] - seat + 3) % 4 if others else -1


@njit(cache=True, nogil=True)
def read_hands(cards, wild_suit, lo, hi, natural, wilds, level):
    """Sort the hands cards[lo:hi] of [n, 54] into ranks and suits; see Hands for the rest."""
    for i in range(lo, hi):
        wilds[i] = read_hand(cards[i], level[i], wild_suit, natural[i])


@njit(cache=True, nogil=True)
def write_facts(facts, hands, to_beat, lo, hi, rows):
    """Fill the input rows [inputs, n] of decisions lo..hi-1; to_beat [n] is a form, LEADING or NOTHING."""
    for row in range(rows.shape[0]):
        rows[row, lo:hi] = 0
    for first in range(lo, hi, BLOCK):
        write_cards(facts.suited, facts.held, hands.natural[first : min(first + BLOCK, hi)], first, rows)
    for i in range(lo, hi):
        for at_least in range(1, hands.wilds[i] + 1):
            _set(rows, facts.wild[at_least], i)
        _set(rows, facts.level[hands.level[i]], i)
        if to_beat[i] == LEADING:
            _set(rows, facts.leading, i)
        elif to_beat[i] >= 0:
            _set(rows, facts.to_beat[to_beat[i]], i)


@njit(cache=True, nogil=True)
def write_cards(suited, held, natural, first, rows):
    """Which ranks and suits up to BLOCK hands natural [m, 17, 4] hold so many of, in the columns from the first on.

    Row by row, which vector units like.
    """
    copies, total = np.empty(BLOCK, np.uint8), np.empty(BLOCK, np.uint8)
    for value in range(2, 17):
        total[:] = 0
        for suit in range(4):
            for k in range(len(natural)):
                copies[k] = natural[k, value, suit]
                total[k] += copies[k]
            _compare(copies[: len(natural)], suited[value, suit], first, rows)
        _compare(total[: len(natural)], held[value], first, rows)


@njit(cache=True, nogil=True)
def _compare(counts, places, first, rows):
    """Fill the row of every number with whether the counts are at least so many."""
    flat, columns = rows.reshape(rows.size), np.uint64(rows.shape[1])
    for at_least in range(1, len(places)):
        if places[at_least] >= 0:
            row = np.uint64(places[at_least]) * columns + np.uint64(first)
            for k in range(np.uint64(len(counts))):
                flat[row + k] = np.uint8(counts[k] >= np.uint8(at_least))


@njit(cache=True, nogil=True)
def deal(keys, which, hands):
    """Shuffle two packs with each key and deal 27 cards to each seat of tables which[:]; keys [n] uint64."""
    deck = np.empty(108, dtype=np.uint8)
    for i in range(len(which)):
        for place in range(108):
            deck[place] = place % 54
        for place in range(107, 0, -1):
            other = np.int64(below(mix(keys[i], np.uint64(place)), np.uint64(place + 1)))
            deck[place], deck[other] = deck[other], deck[place]
        hands[which[i]] = 0
        for place in range(108):
            hands[which[i], place // 27, deck[place]] += 1


@njit(cache=True, nogil=True)
def lay_down(play, turns, pass_form, which, lo, hi, form, cards):
    """Apply one play or pass at each of the tables which[lo:hi], which must be in stage PLAY."""
    for i in range(lo, hi):
        table = which[i]
        seat = play.seat[table]
        play.clock[table] += 1
        _remember(play, table, seat, cards[i])
        play.idle[table] += 1
        if form[i] == pass_form:
            play.passed[table] |= 1 << seat
        else:
            left = 0
            play.idle[table] = 0
            for card in cards[i]:
                if card != NO_CARD:
                    play.hands[table, seat, card] -= 1
                    play.played[table, seat, card] += 1
            for card in range(54):
                left += play.hands[table, seat, card]
            play.to_beat[table], play.owner[table], play.passed[table] = form[i], seat, 0
            if left == 0:
                _finish(play, table, seat)
        code = turns[seat, play.owner[table], play.passed[table], play.out[table]]
        if code & UNDECIDED or play.idle[table] > MOST_IDLE:
            play.stage[table] = STUCK
            continue
        if code & OVER:
            for other in range(4):
                if not (play.out[table] >> other) & 1:
                    _finish(play, table, other)
            play.stage[table] = EPISODE_OVER
        play.seat[table] = code & NEXT_SEAT
        if code & TRICK_OVER:
            play.to_beat[table], play.owner[table], play.passed[table] = -1, play.seat[table], 0


@njit(cache=True, nogil=True, inline="always")
def _remember(play, table, seat, cards):
    """Write an act down in the place of the oldest one."""
    place = play.acts[table] % RECENT
    play.acts[table] += 1
    play.recent_seat[table, place] = seat
    for k in range(MOST_CARDS):
        play.recent[table, place, k] = cards[k]


@njit(cache=True, nogil=True)
def _finish(play, table, seat):
    place = 0
    while play.order[table, place] >= 0:
        place += 1
    play.order[table, place] = seat
    play.out[table] |= 1 << seat
