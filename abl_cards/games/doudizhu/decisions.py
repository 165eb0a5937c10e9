"""Plays to decide: what the seats hold and what lies before them, the legal labels, the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu import course, expansion
from abl_cards.games.doudizhu.course import PACK, Play
from abl_cards.games.doudizhu.hidden import constraints, no_hints
from abl_cards.games.doudizhu.knowledge import BIDS, FULL_HAND
from abl_cards.games.doudizhu.observations import observe
from abl_cards.games.doudizhu.rulebook import FactRows, Rules
from abl_cards.games.doudizhu.shapes import NO_CARD, ROW
from abl_cards.games.doudizhu.wire import hand_text
from abl_cards.games.faults import check_laid, check_lists
from abl_cards.games.game import GameError
from abl_cards.games.hidden import Constraints
from abl_cards.games.tables import Indices, MoveLists, Moves
from abl_cards.logic import Circuit, evaluate
from abl_cards.parallel import THREADS, each_share

NO_FORM = -1
"""A bid has no form."""

CHOICES = tuple(reversed(BIDS))
"""What the choices of an exchange bid: the first that is legal is the highest, and so greedy."""


class Situation(NamedTuple):
    """What the seats to decide can see besides the play to beat; the other seats are next and previous."""

    hand: NDArray[np.uint64]  # [n] keys of their own cards
    unseen: NDArray[np.uint64]  # [n] keys of the cards in all the other hands together
    cards: NDArray[np.uint8]  # [n, 2] how many cards each of the others holds
    top: NDArray[np.int8]  # [n] whose play is to beat; -1 when leading
    part: NDArray[np.int8]  # [n] landlord, down, up; -1 while it is bid for

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Situation:
        """Some of the situations."""
        return Situation(self.hand[rows], self.unseen[rows], self.cards[rows], self.top[rows], self.part[rows])


_FOLLOWING = 16  # a guess at how many card sets follow a play; leading, it is about twelve times the cards held
_LEADING = 12


@dataclass(frozen=True)
class Decisions:
    """The plays to decide at n tables, from the eyes of the seats that decide."""

    rules: Rules
    which: Indices  # [n] the tables
    to_beat: NDArray[np.int16]  # [n] label, or LEADING
    situation: Situation

    course: Play | None = None  # of the tables, where there are any

    @cached_property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        return evaluate(self.rules.play, self._rows(self.rules.play, self.rules.facts), threads=THREADS)

    def who(self, row: int) -> str:
        """The seat to decide, for messages."""
        return "a seat" if self.course is None else f"seat {self.course.seat[self.which[row]]}"

    def state(self, row: int) -> str:
        """What it holds, and what there is to beat, for messages."""
        label = int(self.to_beat[row])
        there = "leads" if label < 0 else f"to beat {self.rules.labels[label]}"
        return f"{there}, hand {hand_text(int(self.situation.hand[row])) or 'empty'}"

    def _rows(self, circuit: Circuit, facts: FactRows) -> NDArray[np.uint8]:
        rows = np.empty((len(circuit.inputs), len(self.which)), np.uint8)
        hand, to_beat = self.situation.hand, self.to_beat
        each_share(len(self.which), lambda lo, hi: course.write_facts(facts, hand, to_beat, lo, hi, rows))
        return rows

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return self.to_beat

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return np.broadcast_to(self.rules.ranking, (len(self.which), len(self.rules.labels)))

    @property
    def context(self) -> NDArray[np.int8]:
        """[n] zeros: the order of the labels is always the same."""
        return np.zeros(len(self.which), np.int8)

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; the circuit is not asked again."""
        some = Decisions(self.rules, self.which[rows], self.to_beat[rows], self.situation.at(rows), self.course)
        if "legal" in self.__dict__:
            some.__dict__["legal"] = np.ascontiguousarray(self.legal[:, rows])
        return some

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to: every label is its own form."""
        return form

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see, as long as nobody has moved; see observations.py."""
        if self.course is None:
            raise GameError("there is nothing to observe away from a table")
        return observe(self.course, self.which, self.course.seat[self.which])

    def hidden(self) -> Constraints:
        """What the seats know of the other hands, as long as nobody has moved; the counts alone away from a table."""
        if self.course is not None:
            return constraints(self.course, self.which, self.course.seat[self.which])
        return Constraints.counted(course.counts_of(self.situation.unseen), self.situation.cards.astype(np.int8))

    def hints(self) -> NDArray[np.float32]:
        """[n, 2, 15] zeros, see hidden.py."""
        return no_hints(len(self.which))

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in wire order of one legal label each."""
        book, hand, to_beat = self.rules.book, self.situation.hand, self.to_beat
        return self._checked(
            labels,
            self._realise(lambda lo, hi, moves: expansion.realise_first(book, hand, to_beat, labels, lo, hi, moves)),
        )

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]."""
        return self._checked(labels, self.try_random(labels, keys))

    def try_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """The same for any labels; the form is negative where there is no card set."""
        book, hand, to_beat = self.rules.book, self.situation.hand, self.to_beat
        return self._realise(
            lambda lo, hi, moves: expansion.realise_random(book, hand, to_beat, labels, keys, lo, hi, moves)
        )

    def _realise(self, kernel: Callable[[int, int, Moves], None]) -> Moves:
        moves = _room_for(len(self.which))
        each_share(len(self.which), lambda lo, hi: kernel(lo, hi, moves))
        return moves

    def _checked(self, labels: NDArray[np.int16], moves: Moves) -> Moves:
        check_laid(self.rules.kb, moves.form, labels, self.rules.labels, self)
        return moves

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in wire order, or those of one label each."""
        chosen = np.full(len(self.which), expansion.EVERY_LABEL, np.int16) if labels is None else labels
        legal, held = self.legal, course.sizes_of(self.situation.hand)
        guess = np.where(self.to_beat < 0, held * _LEADING, _FOLLOWING) if labels is None else held
        shares = each_share(len(self.which), lambda lo, hi: self._list(chosen, legal, lo, hi, int(guess[lo:hi].sum())))
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        start = np.concatenate([[0], lengths.cumsum()])
        if labels is None and self.course is not None:
            check_lists(self.rules.kb, start, self)
        return MoveLists(
            start,
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(self, labels: NDArray[np.int16], legal: NDArray[np.uint8], lo: int, hi: int, room: int) -> MoveLists:
        start = np.zeros(hi + 1, np.int64)
        book, hand, to_beat = self.rules.book, self.situation.hand, self.to_beat
        while True:
            moves = _room_for(room)
            words = moves.cards.view(np.uint64)
            found = expansion.list_moves(book, hand, to_beat, labels, legal, lo, hi, start, words, moves.form)
            if found <= room:
                return MoveLists(start[lo:], moves.form[:found], moves.cards[:found])
            room = found


@dataclass(frozen=True)
class Exchanges:
    """The bids to make at n tables, from the eyes of the seats that bid."""

    rules: Rules
    which: Indices  # [n] the tables
    situation: Situation
    bids: NDArray[np.int8]  # [n, 3] of the seats in their order, NO_BID where one has not bid yet

    @cached_property
    def options(self) -> NDArray[np.uint8]:
        """[n, 4] which of CHOICES are legal."""
        return self.rules.auction.may_bid[tuple(self.bids.T)][:, ::-1]

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Exchanges:
        """Some of the bids to make."""
        return Exchanges(self.rules, self.which[rows], self.situation.at(rows), self.bids[rows])

    def moves(self) -> MoveLists:
        """The bids as moves of no form, whose only card is the number of the choice."""
        decision, choice = np.nonzero(self.options)
        cards = np.full((len(choice), ROW), NO_CARD, np.uint8)
        cards[:, 0] = choice
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(choice), NO_FORM, np.int16), cards)


def decide(
    rules: Rules, hand: NDArray[np.uint64], to_beat: NDArray[np.int16], situation: Situation | None = None
) -> Decisions:
    """Decisions without tables: keys of hands [n], labels to beat or LEADING [n].

    Where nothing is known of the situation, the landlord decides, the others hold full hands, and the previous seat
    made the play to beat.
    """
    if situation is None:
        n = len(hand)
        top = np.where(to_beat < 0, -1, 1).astype(np.int8)
        cards = np.full((n, 2), FULL_HAND, np.uint8)
        situation = Situation(hand, np.uint64(PACK) - hand, cards, top, np.zeros(n, np.int8))
    return Decisions(rules, np.arange(len(hand)), to_beat, situation)


def decide_bid(rules: Rules, hand: NDArray[np.uint64], bids: NDArray[np.int8]) -> Exchanges:
    """Bids without tables: keys of hands [n], the bids so far [n, 3]."""
    n = len(hand)
    nobody = np.full(n, -1, np.int8)
    situation = Situation(hand, np.uint64(PACK) - hand, np.full((n, 2), FULL_HAND, np.uint8), nobody, nobody)
    return Exchanges(rules, np.arange(n), situation, bids)


def look_around(play: Play, which: Indices) -> Situation:
    """The situation at tables [n], from the eyes of the seats to decide."""
    n = len(which)
    room = Situation(
        np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty((n, 2), np.uint8), np.empty(n, np.int8),
        np.empty(n, np.int8),
    )  # fmt: skip
    each_share(n, lambda lo, hi: course.look_around(play, which, lo, hi, *room))
    return room


def _room_for(n: int) -> Moves:
    return Moves(np.empty(n, np.int16), np.empty((n, ROW), np.uint8))
