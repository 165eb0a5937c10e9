"""The larger parts of an observation: the kernels of observations.py."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.tables import NO_CARD


@njit(cache=True, nogil=True)
def write_by_seat(cards, which, order, columns):
    """Fill columns [n, seats * kinds] with cards [tables, seats, kinds] of the seats in their order [n, seats]."""
    kinds = cards.shape[2]
    for i in range(len(which)):
        for place in range(order.shape[1]):
            for kind in range(kinds):
                columns[i, place * kinds + kind] = cards[which[i], order[i, place], kind]


@njit(cache=True, nogil=True)
def write_sizes(hands, which, order, width, columns):
    """One-hot into zeroed columns [n, seats * width] how many cards the seats hold, width - 1 for more."""
    for i in range(len(which)):
        for place in range(order.shape[1]):
            count = np.int64(0)
            for kind in range(hands.shape[2]):
                count += hands[which[i], order[i, place], kind]
            columns[i, place * width + min(count, width - 1)] = 1


@njit(cache=True, nogil=True)
def write_recent(recent, acts, which, backs, columns):
    """Add the cards of the last acts into zeroed columns [n, backs * kinds], the latest last."""
    depth, kinds = recent.shape[1], columns.shape[1] // backs
    for i in range(len(which)):
        table = which[i]
        for back in range(min(backs, np.int64(acts[table]))):
            at, first = (np.int64(acts[table]) - 1 - back) % depth, (backs - 1 - back) * kinds
            for card in recent[table, at]:
                if card == NO_CARD:
                    break
                columns[i, first + card] += 1


@njit(cache=True, nogil=True)
def write_recent_seats(recent_seat, acts, which, place, backs, columns):
    """One-hot into zeroed columns [n, backs * seats] who made the last acts, the latest last; place [n, seats]."""
    depth, seats = recent_seat.shape[1], place.shape[1]
    for i in range(len(which)):
        table = which[i]
        for back in range(min(backs, np.int64(acts[table]))):
            at = (np.int64(acts[table]) - 1 - back) % depth
            columns[i, (backs - 1 - back) * seats + place[i, recent_seat[table, at]]] = 1


@njit(cache=True, nogil=True)
def write_beaten(state, which, to_beat, columns):
    """Add the cards of the last act of whose play it is into zeroed columns [n, kinds], where there is one to beat."""
    recent, recent_seat, acts, owner = state.recent, state.recent_seat, state.acts, state.owner
    depth = recent.shape[1]
    for i in range(len(which)):
        table = which[i]
        for back in range(min(depth, np.int64(acts[table])) if to_beat[i] >= 0 else 0):
            at = (np.int64(acts[table]) - 1 - back) % depth
            if recent_seat[table, at] == owner[table]:
                for card in recent[table, at]:
                    if card == NO_CARD:
                        break
                    columns[i, card] += 1
                break


@njit(cache=True, nogil=True)
def add_unseen(hands, aside, which, seats, unseen):
    """Add to zeroed unseen [n, kinds] what lies aside and what seats other than seats [n] hold."""
    for i in range(len(which)):
        table = which[i]
        for kind in range(hands.shape[2]):
            unseen[i, kind] = aside[table, kind]
        for seat in range(hands.shape[1]):
            if seat != seats[i]:
                for kind in range(hands.shape[2]):
                    unseen[i, kind] += hands[table, seat, kind]
