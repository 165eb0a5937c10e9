"""Positions with open hands as a search needs them: numbers, and tables filled by the engine's own circuits and lists.

What a hand can lay down is listed once, leading and following; which of it may be laid on what is asked of the circuit
of every decision for every play that can come up. What is left of a hand later can lay down what is still there of
that: ``fitting.py`` says in which games that is so. Plays that the same moves may be laid on are one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.ending.fitting import check_fits
from abl_cards.games.ending.listing import Listing, listed
from abl_cards.games.ending.sets import NONE, plays_of
from abl_cards.games.ending.worth import Worth, worth_of
from abl_cards.games.game import GameError
from abl_cards.games.play.state import PLAY, Turns
from abl_cards.games.play.tables import Tables
from abl_cards.games.tables import LEADING, NO_CARD, Indices

MOST_BITS = 63


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
    context: int  # as a summand of an entry of the turns
    start: Start
    hands: np.uint64
    guard: np.uint64
    of_seat: NDArray[np.uint64]  # [seats] the bits of each hand
    form: NDArray[np.int64]  # [moves]
    need: NDArray[np.uint64]  # [moves] the cards
    seat: NDArray[np.int64]  # [moves] whose they are
    lays: NDArray[np.int64]  # [moves] the class of what then is to beat; NONE for a pass
    first: NDArray[np.int64]  # [seats, classes + 1] where the answers of a seat to a class begin, and end
    answers: NDArray[np.int64]  # moves
    shift: NDArray[np.int64]  # [seats, kinds] where the field of a card begins
    fields: NDArray[np.int64]  # [n, 2] the seat and the beginning of each field

    def find(self, seat: int, form: int, cards: NDArray[np.uint8]) -> int:
        """The move that lays down cards, as in Moves; raises GameError where there is none."""
        laid = cards[cards != NO_CARD]
        need = sum(1 << int(each) for each in self.shift[seat, laid])
        found = np.flatnonzero((self.seat == seat) & (self.form == form) & (self.need == np.uint64(need)))
        if not found.size:
            raise GameError(f"seat {seat} cannot lay down these cards")
        return int(found[0])


def positions(tables: Tables, which: Indices) -> list[Position]:
    """The positions at tables where a seat is to play; raises GameError for games and hands that are none."""
    rules, state = tables.rules, tables.state
    check_fits(rules)
    if (state.stage[which] != PLAY).any():
        raise GameError("there is nothing to play here")
    found, known = listed(rules, state, which), dict[bytes, Worth]()
    return [_position(tables, int(table), found, row, known) for row, table in enumerate(which.tolist())]


def _position(tables: Tables, table: int, found: Listing, row: int, known: dict[bytes, Worth]) -> Position:
    rules, state = tables.rules, tables.state
    sizes = state.hands[table].sum(axis=1, dtype=np.int64)
    told = (state.fluents[table], state.order[table], state.plays[table], state.aside[table], state.lots[table], sizes)
    key = b"".join(each.tobytes() for each in told)
    if key not in known:
        known[key] = worth_of(rules, state, table)
    seats, hands = rules.table.seats, found.hand[row]
    sets = [found.sets[hand] for hand in hands]
    begin = np.cumsum([0, *(each.bits for each in sets)])
    if begin[-1] > MOST_BITS:
        raise GameError("too many cards: they do not fit into a word")
    owners = np.repeat(np.arange(seats), [len(each.form) for each in sets])
    form = np.concatenate([each.form for each in sets])
    when = np.concatenate([each.when for each in sets])
    need = np.concatenate([each.need << np.uint64(at) for each, at in zip(sets, begin, strict=False)])
    order = np.lexsort((rules.strength[state.context[table], form], -rules.forms.cards_of[form], owners))
    owners, form, when, need = owners[order], form[order], when[order], need[order]
    forms = found.forms(row)
    lays, first, answers = plays_of(
        owners, form, when, forms, found.row_of[hands], found.allowed, rules.forms.passing, len(rules.forms)
    )
    to_beat = int(state.to_beat[table])
    start = Start(
        int(state.seat[table]), 0 if to_beat == LEADING else int(lays[to_beat]), int(state.owner[table]),
        int(state.passed[table]), int(state.gone_by[table]),
    )  # fmt: skip
    shift = np.stack([np.where(each.shift < 0, NONE, each.shift + at) for each, at in zip(sets, begin, strict=False)])
    fields = [np.stack([np.full(len(each.fields), seat), each.fields + at], axis=1)
              for seat, (each, at) in enumerate(zip(sets, begin, strict=False))]  # fmt: skip
    guards = [each.guard << np.uint64(at) for each, at in zip(sets, begin, strict=False)]
    whole = [each.hand << np.uint64(at) for each, at in zip(sets, begin, strict=False)]
    of_seat = np.array([((1 << each.bits) - 1) << int(at) for each, at in zip(sets, begin, strict=False)], np.uint64)
    return Position(
        known[key], rules.turns, int(state.context[table]) * rules.turns.context, start,
        np.bitwise_or.reduce(np.array(whole, np.uint64)), np.bitwise_or.reduce(np.array(guards, np.uint64)), of_seat,
        form, need, owners, lays[form], first, answers, shift, np.concatenate(fields).astype(np.int64),
    )  # fmt: skip
