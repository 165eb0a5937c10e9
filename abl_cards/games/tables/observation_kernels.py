"""Kernels of ``observation_cards.py`` for the larger parts of an observation."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import kernel
from abl_cards.games.types import NO_CARD


@kernel
def write_cards_by_seat(cards, rows, seat_order, columns):
    """Fill ``columns`` [n, seats * kinds] with cards [tables, seats, kinds], seats in ``seat_order`` [n, seats]."""
    kinds = cards.shape[2]
    for i in range(len(rows)):
        for position in range(seat_order.shape[1]):
            for kind in range(kinds):
                columns[i, position * kinds + kind] = cards[rows[i], seat_order[i, position], kind]


@kernel
def write_hand_sizes(hands, rows, seat_order, width, columns):
    """Write hand sizes one-hot to zeroed ``columns`` [n, seats * width], clipped at width - 1."""
    for i in range(len(rows)):
        for position in range(seat_order.shape[1]):
            count = np.int64(0)
            for kind in range(hands.shape[2]):
                count += hands[rows[i], seat_order[i, position], kind]
            columns[i, position * width + min(count, width - 1)] = 1


@kernel
def write_recent_cards(recent, acts, rows, num_acts, columns):
    """Add the cards of the last acts to zeroed ``columns`` [n, num_acts * kinds], latest last."""
    depth, kinds = recent.shape[1], columns.shape[1] // num_acts
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(num_acts, np.int64(acts[table]))):
            index, first = (np.int64(acts[table]) - 1 - back) % depth, (num_acts - 1 - back) * kinds
            for card in recent[table, index]:
                if card == NO_CARD:
                    break
                columns[i, first + card] += 1


@kernel
def write_recent_seats(recent_seat, acts, rows, seat_places, num_acts, columns):
    """Write the seats of the last acts one-hot to zeroed ``columns`` [n, num_acts * seats], latest last."""
    depth, seats = recent_seat.shape[1], seat_places.shape[1]
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(num_acts, np.int64(acts[table]))):
            index = (np.int64(acts[table]) - 1 - back) % depth
            columns[i, (num_acts - 1 - back) * seats + seat_places[i, recent_seat[table, index]]] = 1


@kernel
def write_cards_to_beat(state, rows, to_beat, columns):
    """Add the cards of the last act of the owner of the play to beat, if any, to zeroed ``columns`` [n, kinds]."""
    recent, recent_seat, acts, owner = state.recent_cards, state.recent_seat, state.num_acts, state.owner
    depth = recent.shape[1]
    for i in range(len(rows)):
        table = rows[i]
        for back in range(min(depth, np.int64(acts[table])) if to_beat[i] >= 0 else 0):
            index = (np.int64(acts[table]) - 1 - back) % depth
            if recent_seat[table, index] == owner[table]:
                for card in recent[table, index]:
                    if card == NO_CARD:
                        break
                    columns[i, card] += 1
                break


@kernel
def count_unseen(hands, aside, rows, seats, unseen):
    """Fill ``unseen`` [n, kinds] with the cards in the kitty and in the hands of seats other than seats [n]."""
    for i in range(len(rows)):
        table = rows[i]
        for kind in range(hands.shape[2]):
            unseen[i, kind] = aside[table, kind]
        for seat in range(hands.shape[1]):
            if seat != seats[i]:
                for kind in range(hands.shape[2]):
                    unseen[i, kind] += hands[table, seat, kind]
