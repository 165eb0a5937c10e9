"""The larger parts of an observation: the kernels of observations.py."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.types import NO_CARD


@njit(cache=True, nogil=True)
def write_cards_by_seat(cards, rows, seat_order, columns):
    """Fill columns [n, seats * kinds] with cards [tables, seats, kinds] of the seats in their order [n, seats]."""
    kinds = cards.shape[2]
    for i in range(len(rows)):
        for place in range(seat_order.shape[1]):
            for kind in range(kinds):
                columns[i, place * kinds + kind] = cards[rows[i], seat_order[i, place], kind]


@njit(cache=True, nogil=True)
def write_hand_sizes(hands, rows, seat_order, width, columns):
    """One-hot into zeroed columns [n, seats * width] how many cards the seats hold, width - 1 for more."""
    for i in range(len(rows)):
        for place in range(seat_order.shape[1]):
            count = np.int64(0)
            for kind in range(hands.shape[2]):
                count += hands[rows[i], seat_order[i, place], kind]
            columns[i, place * width + min(count, width - 1)] = 1


@njit(cache=True, nogil=True)
def write_recent_cards(recent, acts, rows, num_acts, columns):
    """Add the cards of the last acts into zeroed columns [n, backs * kinds], the latest last."""
    depth, kinds = recent.shape[1], columns.shape[1] // num_acts
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(num_acts, np.int64(acts[table]))):
            at, first = (np.int64(acts[table]) - 1 - back) % depth, (num_acts - 1 - back) * kinds
            for card in recent[table, at]:
                if card == NO_CARD:
                    break
                columns[i, first + card] += 1


@njit(cache=True, nogil=True)
def write_recent_seats(recent_seat, acts, rows, seat_places, num_acts, columns):
    """One-hot into zeroed columns [n, backs * seats] who made the last acts, latest last; seat_places [n, seats]."""
    depth, seats = recent_seat.shape[1], seat_places.shape[1]
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(num_acts, np.int64(acts[table]))):
            at = (np.int64(acts[table]) - 1 - back) % depth
            columns[i, (num_acts - 1 - back) * seats + seat_places[i, recent_seat[table, at]]] = 1


@njit(cache=True, nogil=True)
def write_cards_to_beat(state, rows, to_beat, columns):
    """Add the cards of the last act of whose play it is into zeroed columns [n, kinds], where there is one to beat."""
    recent, recent_seat, acts, owner = state.recent_cards, state.recent_seat, state.num_acts, state.owner
    depth = recent.shape[1]
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(depth, np.int64(acts[table])) if to_beat[i] >= 0 else 0):
            at = (np.int64(acts[table]) - 1 - back) % depth
            if recent_seat[table, at] == owner[table]:
                for card in recent[table, at]:
                    if card == NO_CARD:
                        break
                    columns[i, card] += 1
                break


@njit(cache=True, nogil=True)
def count_unseen(hands, aside, rows, seats, unseen):
    """Add to zeroed unseen [n, kinds] what lies aside and what seats other than seats [n] hold."""
    for i in range(len(rows)):
        table = rows[i]
        for kind in range(hands.shape[2]):
            unseen[i, kind] = aside[table, kind]
        for seat in range(hands.shape[1]):
            if seat != seats[i]:
                for kind in range(hands.shape[2]):
                    unseen[i, kind] += hands[table, seat, kind]
