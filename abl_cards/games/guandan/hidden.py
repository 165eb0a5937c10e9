"""What everybody knows of the hands at a table: the facts of hands.lp, kept by table, as constraints of an observer.

The facts of the tribute are asked for once an episode. What has been laid down since then lowers them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.cards import CARDS
from abl_cards.games.guandan.course import Play
from abl_cards.games.guandan.deck import RANK_OF_CARD, SUIT_OF_CARD
from abl_cards.games.guandan.exchange import Exchange
from abl_cards.games.guandan.expansion import NO_CARD
from abl_cards.games.guandan.knowledge import RANKS, SUITS_OF_CARDS, VALUES
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.hidden import Constraints
from abl_cards.games.questions import one_hot
from abl_cards.games.tables import Indices
from abl_cards.parallel import each_share

COPIES = 2
_OTHERS = 3
_VALUE_OF_CARD = RANK_OF_CARD - VALUES[0]


class Known(NamedTuple):
    """What the facts say of the hands of each seat when the play begins."""

    least: NDArray[np.uint8]  # [n, 4, 54] copies that the seat holds
    most: NDArray[np.uint8]  # [n, 4, 54] copies that it may hold


def nothing_known(n: int) -> Known:
    """At the start of a match nobody knows anything of the others."""
    return Known(np.zeros((n, 4, CARDS), np.uint8), np.full((n, 4, CARDS), COPIES, np.uint8))


def learn(rules: Rules, known: Known, which: Indices, exchange: Exchange, level: NDArray[np.int8]) -> None:
    """Write down what the exchange before the episode says; level [n] is by table."""
    known.least[which], known.most[which] = 0, COPIES
    told = which[(exchange.payer[which, 0] >= 0) | (exchange.refused[which] > 0)]
    if not told.size:
        return
    answer = rules.hands.ask(len(told), **_facts(exchange.at(told)), level=one_hot(level[told] - RANKS[0], len(RANKS)))
    has, lacks = (answer[name][:, _VALUE_OF_CARD, SUIT_OF_CARD] for name in ("has", "lacks"))  # [4, 54, N, n]
    number = np.arange(1, COPIES + 1)[:, None]
    known.least[told] = (has * number).max(axis=2).transpose(2, 0, 1)
    known.most[told] = np.where(lacks, number - 1, COPIES).min(axis=2).transpose(2, 0, 1)


def _facts(exchange: Exchange) -> dict[str, NDArray[np.uint8]]:
    """The exchange in the words of the vocabulary."""
    n = len(exchange.refused)
    paid = np.zeros((4, len(VALUES), n), np.uint8)
    returned, received = (np.zeros((4, len(VALUES), len(SUITS_OF_CARDS), n), np.uint8) for _ in range(2))
    values, suits = _VALUE_OF_CARD, SUIT_OF_CARD
    for payer, card, receiver, back in zip(*(field.T for field in exchange[:4]), strict=True):
        row = np.flatnonzero((payer >= 0) & (card != NO_CARD))
        paid[payer[row], values[card[row]], row] = 1
        row = row[receiver[row] >= 0]
        received[receiver[row], values[card[row]], suits[card[row]], row] = 1
        row = row[back[row] != NO_CARD]
        received[payer[row], values[back[row]], suits[back[row]], row] = 1
        returned[receiver[row], values[back[row]], suits[back[row]], row] = 1
    shown = ((exchange.refused >> np.arange(4)[:, None]) & 1).astype(np.uint8)
    return {"paid": paid, "returned": returned, "received": received, "shown": shown}


def constraints(known: Known, play: Play, which: Indices, seats: NDArray[np.int8]) -> Constraints:
    """What seats [n] know of the others at the tables which [n]: next, partner, previous."""
    n = len(which)
    room = Constraints(
        np.zeros((n, CARDS), np.uint8),
        np.zeros((n, _OTHERS), np.int8),
        np.empty((n, _OTHERS, CARDS), np.uint8),
        np.empty((n, _OTHERS, CARDS), np.uint8),
    )
    fields = room.unseen, room.left, room.at_least, room.at_most
    each_share(n, lambda lo, hi: _constrain(*known, play, which, seats, lo, hi, *fields))
    return room


@njit(cache=True, nogil=True)
def _constrain(least, most, play, which, seats, lo, hi, unseen, left, at_least, at_most):
    """Fill rows lo..hi-1; unseen and left are zero."""
    for i in range(lo, hi):
        table = which[i]
        for place in range(_OTHERS):
            hand = play.hands[table, (seats[i] + place + 1) % 4]
            total = 0
            for card in range(CARDS):
                unseen[i, card] += hand[card]
                total += hand[card]
            left[i, place] = total
        for place in range(_OTHERS):
            seat = (seats[i] + place + 1) % 4
            for card in range(CARDS):
                gone = play.played[table, seat, card]
                at_least[i, place, card] = max(0, np.int64(least[table, seat, card]) - gone)
                at_most[i, place, card] = min(unseen[i, card], max(0, np.int64(most[table, seat, card]) - gone))


def open_hands(play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n, 4, 54] what seats [n] and the others really hold."""
    return play.hands[which[:, None], (seats.astype(np.int64)[:, None] + np.arange(4)) % 4]
