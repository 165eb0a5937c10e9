"""Plays to decide: what the seats hold and what lies before them, the legal labels, the card sets that realise them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2 import expansion
from abl_cards.games.big2.knowledge import MOST_CARDS, RANK_COUNT
from abl_cards.games.big2.observations import observe
from abl_cards.games.big2.rulebook import LEADING, FactRows, Rules
from abl_cards.games.big2.wire import hand_text
from abl_cards.games.faults import check_laid, check_lists
from abl_cards.games.hidden import Constraints
from abl_cards.games.tables import Indices, MoveLists, Moves
from abl_cards.logic import evaluate
from abl_cards.parallel import THREADS


@dataclass(frozen=True)
class Decisions:
    """The plays to decide at n tables; both hands lie open."""

    rules: Rules
    which: Indices  # [n] the tables
    hand: NDArray[np.uint8]  # [n, 13] copies of each rank of the seat to decide
    other: NDArray[np.uint8]  # [n, 13] of the other seat
    to_beat: NDArray[np.int16]  # [n] label, or LEADING
    seat: NDArray[np.int8] | None = None  # [n] who decides, where there are tables

    @cached_property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        circuit = self.rules.play
        rows = np.zeros((len(circuit.inputs), len(self.which)), np.uint8)
        write_play(self.rules.facts, self.hand, self.to_beat, rows)
        return evaluate(circuit, rows, threads=THREADS)

    def who(self, row: int) -> str:
        """The seat to decide, for messages."""
        return "a seat" if self.seat is None else f"seat {self.seat[row]}"

    def state(self, row: int) -> str:
        """What it holds, and what there is to beat, for messages."""
        label = int(self.to_beat[row])
        there = "leads" if label < 0 else f"to beat {self.rules.labels[label]}"
        return f"{there}, hand {hand_text(self.hand[row]) or 'empty'}"

    @property
    def context(self) -> NDArray[np.int8]:
        """[n] zeros: the order of the labels is always the same."""
        return np.zeros(len(self.which), np.int8)

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; the circuit is not asked again."""
        seat = None if self.seat is None else self.seat[rows]
        some = Decisions(self.rules, self.which[rows], self.hand[rows], self.other[rows], self.to_beat[rows], seat)
        if "legal" in self.__dict__:
            some.__dict__["legal"] = np.ascontiguousarray(self.legal[:, rows])
        return some

    def hidden(self) -> Constraints:
        """Nothing is: the other hand lies open."""
        return open_hand(self.other)

    def hints(self) -> NDArray[np.float32]:
        """[n, 1, 13] zeros: nothing has to be guessed."""
        return np.zeros((len(self.which), 1, RANK_COUNT), np.float32)

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return self.to_beat

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return np.broadcast_to(self.rules.ranking, (len(self.which), len(self.rules.labels)))

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to: every label is its own form."""
        return form

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see; see observations.py."""
        return observe(self.rules.layout, self.hand, self.other, self.to_beat)

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in wire order of one legal label each."""
        return self._checked(labels, self._realise(labels, np.zeros(len(labels), np.uint64), False))

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]."""
        return self._checked(labels, self.try_random(labels, keys))

    def try_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """The same for any labels; the form is negative where there is no card set."""
        return self._realise(labels, keys, True)

    def _realise(self, labels: NDArray[np.int16], keys: NDArray[np.uint64], at_random: bool) -> Moves:
        form, cards = np.empty(len(labels), np.int16), np.empty((len(labels), MOST_CARDS), np.uint8)
        expansion.realise(self.rules.layout, self.hand, labels, keys, at_random, form, cards)
        return Moves(form, cards)

    def _checked(self, labels: NDArray[np.int16], moves: Moves) -> Moves:
        check_laid(self.rules.kb, moves.form, labels, self.rules.labels, self)
        return moves

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in wire order, a pass last, or those of one label each."""
        chosen = np.full(len(self.which), expansion.EVERY_LABEL, np.int16) if labels is None else labels
        start, room = np.zeros(len(self.which) + 1, np.int64), 64 * len(self.which)
        while True:
            form, cards = np.empty(room, np.int16), np.empty((room, MOST_CARDS), np.uint8)
            found = expansion.list_moves(self.rules.layout, self.hand, chosen, self.legal, start, form, cards)
            if found <= room:
                break
            room = found
        if labels is None and self.seat is not None:
            check_lists(self.rules.kb, start, self)
        return MoveLists(start, form[:found], cards[:found])


def open_hand(other: NDArray[np.uint8]) -> Constraints:
    """What is known of other hands [n, 13] that lie open: everything."""
    known = other[:, None].copy()
    return Constraints(other.copy(), other.sum(axis=1, dtype=np.int8)[:, None], known, known.copy())


def write_play(facts: FactRows, hand: NDArray[np.uint8], to_beat: NDArray[np.int16], rows: NDArray[np.uint8]) -> None:
    """Write hands and plays to beat [n] into zeroed input rows [inputs, n]."""
    expansion.write_counts(facts.held, hand, rows)
    expansion.write_one(facts.to_beat, to_beat, rows)
    if facts.leading >= 0:
        rows[facts.leading] = to_beat == LEADING


def decide(
    rules: Rules, hand: NDArray[np.uint8], to_beat: NDArray[np.int16], other: NDArray[np.uint8] | None = None
) -> Decisions:
    """Decisions without tables: hands [n, 13], labels to beat or LEADING [n]; nothing in the other hand by default."""
    others = np.zeros_like(hand) if other is None else other
    return Decisions(rules, np.arange(len(hand)), hand.reshape(-1, RANK_COUNT), others, to_beat)


def count_cards(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[moves, 13] the copies of each rank in the cards of moves."""
    counts = np.zeros((len(cards), RANK_COUNT), np.uint8)
    expansion.count_rows(cards, counts)
    return counts
