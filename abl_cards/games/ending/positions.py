"""Positions with open hands as a search needs them: numbers, and tables filled by the engine's own circuits and lists.

What a hand can lay down is listed once, leading and following; which of it may be laid on what is asked of the circuit
of every decision for every play that can come up. What is left of a hand later can lay down what is still there of
that: ``fitting.py`` says in which games that is so. Plays that the same moves may be laid on are one, and so are cards
of a hand with which the same can be done: of two neighbours with nobody's card between them it does not matter which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.ending.arranging import Arranged, Lying, Said, arrange, said
from abl_cards.games.ending.fitting import check_fits
from abl_cards.games.ending.listing import Listing, listed
from abl_cards.games.ending.worth import Worth, Worths
from abl_cards.games.play.state import PLAY, Turns
from abl_cards.games.play.tables import Tables
from abl_cards.games.tables import Indices

TOO_MANY = "too many cards: they do not fit into a word"


@dataclass(frozen=True)
class Start:
    """Where play goes on."""

    seat: int
    trick: int  # the class of what is to beat, 0 when leading
    owner: int
    passed: int
    gone_by: int


@dataclass(frozen=True)
class Position:
    """Open hands, and all that can be done with them."""

    worth: Worth
    turns: Turns
    start: Start
    moves: Arranged
    found: Listing
    hand: NDArray[np.int64]  # [seats] the numbers of the hands in the listing

    def find(self, seat: int, form: int, cards: NDArray[np.uint8]) -> int:
        """The move that lays down cards, as in Moves; raises GameError where there is none."""
        start, place = self.found.start, self.found.find(int(self.hand[seat]), form, cards)
        before = int((start[self.hand[:seat] + 1] - start[self.hand[:seat]]).sum())
        move = int(self.moves.move_of[before + place]) if place >= 0 else -1
        if move < 0:
            raise GameError(f"seat {seat} cannot lay down these cards")
        return move


@dataclass(frozen=True)
class Ends:
    """Tables [n] near their end, of which some are alike but for the hands: deals."""

    tables: Tables
    which: Indices
    group: Indices  # [n] which of them are alike: 0, 0, 1, …
    found: Listing  # of all that the seats hold in any deal of a group
    said: Said
    worths: Worths

    def lying(self, row: int, worth: Worth) -> Lying:
        """What lies on one of the tables."""
        state, table, group = self.tables.state, self.which[row], self.group[row]
        return Lying(
            self.found.hand[group], self.found.coming[group], worth.deed.astype(np.int64), int(state.to_beat[table]),
            int(state.owner[table]), int(state.context[table]),
        )  # fmt: skip

    def start(self, row: int, trick: int) -> Start:
        """Where play goes on."""
        state, table = self.tables.state, self.which[row]
        told = state.owner, state.passed, state.gone_by
        return Start(int(state.seat[table]), trick, *(int(each[table]) for each in told))

    def position(self, row: int) -> Position:
        """One of the tables as a position; raises GameError."""
        worth, hand = self.worths.of(row), self.found.hand[self.group[row]]
        moves = arrange(self.said, self.lying(row, worth), self.tables.state.hands[self.which[row]])
        if not (moves.fits and self.found.fits[hand].all()):
            raise GameError("too many cards: they do not fit into a word")
        return Position(worth, self.tables.rules.turns, self.start(row, int(moves.trick)), moves, self.found, hand)


def ends(tables: Tables, which: Indices, group: Indices) -> Ends:
    """What can be done at tables [n] of groups [n], 0, 0, 1, …; raises GameError where there is nothing to play."""
    rules, state = tables.rules, tables.state
    if (state.stage[which] != PLAY).any():
        raise GameError("there is nothing to play here")
    first = np.searchsorted(group, np.arange(int(group[-1]) + 1))
    together = np.maximum.reduceat(state.hands[which], first, axis=0)
    found = listed(rules, state, which[first], together)
    return Ends(tables, which, group, found, said(rules, found), Worths(rules, state, which))


def positions(tables: Tables, which: Indices) -> list[Position]:
    """The positions at tables where a seat is to play; raises GameError for games and hands that are none."""
    check_fits(tables.rules)
    if not len(which):
        return []
    found = ends(tables, which, np.arange(len(which)))
    return [found.position(row) for row in range(len(which))]
