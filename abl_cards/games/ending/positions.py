"""Positions with open hands as a search needs them: numbers, and tables filled by the engine's own circuits and lists.

What a hand can lay down is listed once, leading and following; which of it may be laid on what is asked of the circuit
of every decision for every play that can come up. What is left of a hand later can lay down what is still there of
that: ``fitting.py`` says in which games that is so. Plays that the same moves may be laid on are one, and so are cards
of a hand with which the same can be done: of two neighbours with nobody's card between them it does not matter which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.ending.answers import NONE, classes_of, lists_of, marks_of
from abl_cards.games.ending.fitting import check_fits
from abl_cards.games.ending.listing import Listing, listed
from abl_cards.games.ending.sets import MARK_AT, Fields, Sets, merged
from abl_cards.games.ending.worth import Worth, worth_of
from abl_cards.games.game import GameError
from abl_cards.games.play.state import NEXT_SEAT, NO_TURN, OVER, PLAY, TRICK_OVER, Turns
from abl_cards.games.play.tables import Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD, Indices
from abl_cards.games.words.once import once

MOST_BITS = 63
_CARDS = np.uint64((1 << MARK_AT) - 1)


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
    hands: np.uint64
    guard: np.uint64
    of_seat: NDArray[np.uint64]  # [seats] the bits of each hand
    need: NDArray[np.uint64]  # [moves] the cards
    turn: NDArray[np.int64]  # [moves] what is told of the form to who asks whose turn it is
    deed: NDArray[np.int64]  # [moves] see Worth
    lays: NDArray[np.int64]  # [moves] the class of what then is to beat; NONE for a pass
    first: NDArray[np.int64]  # [seats, classes + 1] where the answers of a seat to a class begin, and end
    answers: NDArray[np.int64]  # moves
    fields: NDArray[np.int64]  # [n, 3] the seat, the beginning and as many ones as there are bits, of each field
    named: tuple[dict[tuple[int, int], int], ...]  # by seat, the move of a form and cards
    sets: tuple[Sets, ...]  # by seat, how cards are numbered there

    def find(self, seat: int, form: int, cards: NDArray[np.uint8]) -> int:
        """The move that lays down cards, as in Moves; raises GameError where there is none."""
        sets, need = self.sets[seat], 0
        for card in cards[cards != NO_CARD].tolist():
            field = int(sets.field[card])
            need += 1 << int(sets.fields.begin[field]) if field >= 0 else 1 << MARK_AT
        move = self.named[seat].get((form, need))
        if move is None:
            raise GameError(f"seat {seat} cannot lay down these cards")
        return move


def positions(tables: Tables, which: Indices) -> list[Position]:
    """The positions at tables where a seat is to play; raises GameError for games and hands that are none."""
    rules, state = tables.rules, tables.state
    check_fits(rules)
    if (state.stage[which] != PLAY).any():
        raise GameError("there is nothing to play here")
    found, known = listed(rules, state, which), dict[bytes, Worth]()
    return [_position(tables, int(table), found, row, known) for row, table in enumerate(which.tolist())]


def _worth(tables: Tables, table: int, known: dict[bytes, Worth]) -> Worth:
    state = tables.state
    sizes = state.hands[table].sum(axis=1, dtype=np.int64)
    told = (state.fluents[table], state.order[table], state.plays[table], state.aside[table], state.lots[table], sizes)
    key = b"".join(each.tobytes() for each in told)
    if key not in known:
        known[key] = worth_of(tables.rules, state, table)
    return known[key]


def _position(tables: Tables, table: int, found: Listing, row: int, known: dict[bytes, Worth]) -> Position:
    rules, state = tables.rules, tables.state
    worth, context = _worth(tables, table, known), int(state.context[table])
    sets = tuple(found.sets[hand] for hand in found.hand[row])
    seats = np.repeat(np.arange(len(sets)), [len(each.form) for each in sets])
    form, when = (np.concatenate(each) for each in ([s.form for s in sets], [s.when for s in sets]))
    plays, to_beat = _plays(found, row, sets), int(state.to_beat[table])
    begun = (to_beat, int(state.owner[table]))
    if to_beat != LEADING and begun not in plays:
        plays[begun] = len(plays)
    forms, owners = (np.array(each, np.int64) for each in (zip(*plays, strict=True) if plays else ((), ())))
    class_of, legal = classes_of(
        seats, form, when, forms, owners, found.row_of[found.hand[row]], found.allowed, _answers_own(rules)
    )
    lays = np.array([class_of[plays[each]] if each in plays else NONE
                     for each in zip(form.tolist(), seats.tolist(), strict=True)], np.int64)  # fmt: skip
    turns = rules.turns
    turn, deed = turns.laid_class[form].astype(np.int64), worth.deed[form].astype(np.int64)
    together = _Together(sets, seats, marks_of(legal, lays, turn, deed))
    order = together.order(rules.forms.cards_of[form], rules.strength[context, form])
    first, answers = lists_of(np.ascontiguousarray(legal[:, order]), seats[order], len(sets))
    start = Start(
        int(state.seat[table]), 0 if to_beat == LEADING else int(class_of[plays[begun]]), int(state.owner[table]),
        int(state.passed[table]), int(state.gone_by[table]),
    )  # fmt: skip
    return Position(
        worth, turns, start, together.hands, together.guard, together.of_seat,
        together.need[order], turn[order], deed[order], lays[order], first, answers, together.fields,
        together.named(order, form), sets,
    )  # fmt: skip


def _plays(found: Listing, row: int, sets: Sequence[Sets]) -> dict[tuple[int, int], int]:
    """What may come to be beaten: forms, by whom; numbered."""
    coming = found.coming[row]
    plays = [(form, seat) for seat, each in enumerate(sets) for form in np.unique(each.form).tolist() if coming[form]]
    return {play: number for number, play in enumerate(plays)}


@once
def _answers_own(rules: Rules) -> bool:
    """Whether a seat may come to answer its own play, as far as the table of turns can tell."""
    turns = rules.turns
    entries, stride = np.arange(len(turns.table)), turns.strides.owner
    owner = entries // max(1, stride) % rules.table.seats if stride else np.zeros_like(entries)
    goes_on = (turns.table != NO_TURN) & (turns.table & (OVER | TRICK_OVER) == 0)
    return stride == 0 or bool((goes_on & (turns.table & NEXT_SEAT == owner)).any())


class _Together:
    """The hands of a table in one word, where moves of one mark are as good as each other."""

    def __init__(self, sets: Sequence[Sets], seats: Indices, marks: Indices) -> None:
        self.sets, self.seats, self.marks = sets, seats, marks
        self.need = np.zeros(len(marks), np.uint64)
        whole, guard, at, fields, of_seat = 0, 0, 0, [np.zeros((0, 3), np.int64)], []
        for seat, each in enumerate(sets):
            mine = np.flatnonzero(seats == seat)
            keys = (marks[mine].astype(np.uint64) << np.uint64(MARK_AT)) | each.need
            order = np.argsort(keys)
            _, new, *rest = merged(keys[order], each.when[order], each.fields.begin, each.fields.most)
            written = Fields(*rest)
            if at + written.bits > MOST_BITS:
                raise GameError("too many cards: they do not fit into a word")
            self.need[mine[order]] = (new & _CARDS) << np.uint64(at)
            whole, guard = whole | int(written.whole) << at, guard | int(written.guard) << at
            of_seat.append(((1 << written.bits) - 1) << at)
            ones = [(1 << int(most).bit_length()) - 1 for most in written.most]
            columns = [np.full(len(ones), seat), written.begin + at, np.array(ones, np.int64)]
            fields.append(np.stack(columns, axis=1).astype(np.int64))
            at += written.bits
        self.hands, self.guard, self.of_seat = np.uint64(whole), np.uint64(guard), np.array(of_seat, np.uint64)
        self.fields = np.concatenate(fields)

    def order(self, cards: NDArray[np.integer], strength: NDArray[np.integer]) -> Indices:
        """One of the moves that come to the same, seat by seat, large ones first, then weak ones."""
        order = np.lexsort((strength, -cards.astype(np.int64), self.seats))
        told = np.stack([self.seats[order], self.marks[order], self.need[order].astype(np.int64)], axis=1)
        _, first = np.unique(told, axis=0, return_index=True)
        found: Indices = order[np.sort(first)]
        return found

    def named(self, order: Indices, form: Indices) -> tuple[dict[tuple[int, int], int], ...]:
        """By seat, the place in an order of the moves of a form and cards."""
        told = list(zip(self.seats.tolist(), self.marks.tolist(), self.need.tolist(), strict=True))
        places = {told[move]: place for place, move in enumerate(order.tolist())}
        needs = np.concatenate([each.need for each in self.sets]).tolist()
        found: tuple[dict[tuple[int, int], int], ...] = tuple({} for _ in self.sets)
        for key, one, need in zip(told, form.tolist(), needs, strict=True):
            found[key[0]][one, need] = places[key]
        return found
