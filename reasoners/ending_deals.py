"""What moves win in many deals of a table near the end of its episode, each deal solved with all hands open.

Deals are tables that are alike but for the hands. They are solved in the order given, for all of a group until so many
positions have been looked at; a deal that is not solved within its share ends it.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Indices, Moves, Tables
from abl_cards.games.ending.arranging import arrange
from abl_cards.games.ending.fitting import check_fits
from abl_cards.games.ending.positions import Ends, ends
from abl_cards.games.ending.worth import Worth
from abl_cards.parallel import each_share
from reasoners import ending_kernels as kernels
from reasoners.ending_ground import ground_of, stakes_of

BITS = 14
"""Of the table of positions."""
PART = 4
"""One deal may take that part of the positions of its group."""


class Room(NamedTuple):
    """Where a search writes: for one after the other."""

    state: NDArray[np.int64]  # [STATE]
    frames: NDArray[np.int64]  # [MOST_PLIES, FRAME]
    moves: NDArray[np.int64]  # [MOST_MOVES, 2]
    table: NDArray[np.uint64]  # [a power of two, 4] positions

    @classmethod
    def empty(cls) -> Room:
        """With nothing written."""
        return cls(
            np.zeros(kernels.STATE, np.int64), np.zeros((kernels.MOST_PLIES, kernels.FRAME), np.int64),
            np.zeros((kernels.MOST_MOVES, 2), np.int64), np.zeros((1 << BITS, 4), np.uint64),
        )  # fmt: skip


def won(tables: Tables, group: Indices, moves: Sequence[Moves], nodes: int) -> list[NDArray[np.float64]]:
    """By group, what its moves win to the seat that makes them, [deals, moves], in as many deals as were solved.

    Tables [n] of groups [n], 0, 0, 1, …, and what may be done in each; raises GameError for games that do not fit.
    """
    check_fits(tables.rules)
    if not len(group):
        return []
    found = ends(tables, np.arange(len(tables)), group)
    start = np.searchsorted(group, np.arange(len(moves) + 1))
    shares = each_share(len(moves), lambda lo, hi: list(_share(found, start, moves, nodes, lo, hi)), least=4)
    return [each for share in shares for each in share]


def _share(
    found: Ends, start: Indices, moves: Sequence[Moves], nodes: int, lo: int, hi: int
) -> Iterator[NDArray[np.float64]]:
    room = Room.empty()
    for number in range(lo, hi):
        yield _group(found, number, range(int(start[number]), int(start[number + 1])), moves[number], nodes, room)


def _group(found: Ends, number: int, rows: range, moves: Moves, nodes: int, room: Room) -> NDArray[np.float64]:
    """[deals, moves] of one group."""
    seat, hand = int(found.tables.seat[rows[0]]), found.found.hand[number]
    sets = [found.found.find(int(hand[seat]), int(form), cards) for form, cards in zip(*moves, strict=True)]
    if not found.found.fits[hand].all() or min(sets) < 0:
        return np.zeros((0, len(sets)))
    before = found.found.start[hand[:seat] + 1] - found.found.start[hand[:seat]]
    asked, solved = np.array(sets, np.int64) + int(before.sum()), [np.zeros((0, len(sets)))]
    part = nodes // PART
    for some, worth in _alike(found, rows):
        points = np.array([worth.points(value, seat) for value in range(len(worth.values))])
        values, nodes = _solved(found, some, worth, asked, (nodes, part), room)
        solved.append(points[values])
        if len(values) < len(some) or nodes <= 0:
            break
    return np.concatenate(solved)


def _alike(found: Ends, rows: range) -> Iterator[tuple[range, Worth]]:
    """Deals one after the other in which the same ends can come; up to one of which nothing can be said."""
    begun, worth = rows.start, None
    for row in rows:
        try:
            here = found.worths.of(row)
        except GameError:  # of these hands: whether the game fits was asked before
            rows = range(rows.start, row)
            break
        if worth is not None and here is not worth:
            yield range(begun, row), worth
            begun = row
        worth = here
    if worth is not None and begun < rows.stop:
        yield range(begun, rows.stop), worth


def _solved(
    found: Ends, rows: range, worth: Worth, asked: Indices, nodes: tuple[int, int], room: Room
) -> tuple[NDArray[np.int64], int]:
    """[deals, moves] places among the values of an end; and what is left of the positions for all and for one."""
    told, stakes = found.lying(rows.start, worth), stakes_of(worth, found.tables.rules.turns)
    at, hands = found.start(rows.start, 0), found.tables.state.hands[rows.start : rows.stop]
    plays = sum(int(count) << (4 * seat) for seat, count in enumerate(worth.plays) if worth.strides[2 + seat])
    place = np.array([0, at.seat, 0, at.owner, at.passed, at.gone_by, 0, 0, plays, -1], np.int64)
    values = np.empty((len(rows), len(asked)), np.int64)
    solved, left = _deals(found.said, told, stakes, hands, place, asked, *nodes, room, values)
    return values[:solved], left


@njit(cache=True, nogil=True)
def _values_after(ground, room, place, moves, nodes, values):
    """Write what a place is worth after each of some moves, as places among the values of an end.

    Returns whether so many positions were enough, and nothing was wrong.
    """
    state, history = room.state, np.zeros(len(ground.need), np.int64)
    stamp = state[kernels.STAMP] + 1
    if stamp == 1 << 15:
        room.table[:] = 0
        stamp = 0
    state[:] = 0
    state[kernels.STAMP] = stamp
    for at in range(len(moves)):
        values[at] = -1
        for other in range(at):
            if moves[other] == moves[at]:
                values[at] = values[other]
        if values[at] >= 0:
            continue
        following = place.copy()
        if not kernels.step(ground, following, moves[at]):
            return False
        lower = following[kernels.WORTH]
        upper = lower
        if lower < 0:
            lower = np.int64(ground.low[following[kernels.ORDER], following[kernels.MEMORY]])
            upper = np.int64(ground.high[following[kernels.ORDER], following[kernels.MEMORY]])
        while lower < upper:
            beta = (lower + upper + 1) // 2
            kernels.begin(state, room.frames, following)
            left = nodes - state[kernels.NODES]
            if left <= 0 or not kernels.go_on(state, room.frames, room.moves, history, room.table, ground, beta, left):
                return False
            if state[kernels.FAULT]:
                return False
            if state[kernels.VALUE] >= beta:
                lower = state[kernels.VALUE]
            else:
                upper = state[kernels.VALUE]
        values[at] = lower
    return True


@njit(cache=True, nogil=True)
def _deals(said, lying, stakes, hands, place, asked, nodes, part, room, values):
    """Write the values of the moves asked about, [deals, moves], deal after deal; how many are solved, and nodes left.

    Hands are [deals, seats, kinds].
    """
    for deal in range(len(hands)):
        arranged = arrange(said, lying, hands[deal])
        if not arranged.fits:
            return deal, nodes
        ground = ground_of(arranged, stakes)
        here = place.copy()
        here[kernels.HANDS], here[kernels.TRICK] = np.int64(arranged.hands), arranged.trick
        if not _values_after(ground, room, here, arranged.move_of[asked], min(nodes, part), values[deal]):
            return deal, nodes
        nodes -= room.state[kernels.NODES]
        if nodes <= 0:
            return deal + 1, nodes
    return len(hands), nodes
