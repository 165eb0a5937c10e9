"""Plays to decide: what the seats hold and what lies before them, the legal labels, the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARDS, hand_text
from abl_cards.games.faults import check_laid, check_lists
from abl_cards.games.game import GameError
from abl_cards.games.guandan import course, expansion
from abl_cards.games.guandan.course import LEADING, NOTHING, FactRows, Play
from abl_cards.games.guandan.expansion import Hands
from abl_cards.games.guandan.habits import Habits
from abl_cards.games.guandan.hidden import Known, constraints
from abl_cards.games.guandan.hints import lean
from abl_cards.games.guandan.observations import observe
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.hidden import Constraints
from abl_cards.games.tables import Indices, MoveLists, Moves
from abl_cards.logic import Circuit, evaluate
from abl_cards.parallel import THREADS, each_share

NO_FORM = -1
"""A card that is given has no form."""


class Situation(NamedTuple):
    """What the seats to decide can see besides the play to beat; the other seats are next, partner, previous."""

    hand: NDArray[np.uint8]  # [n, 54] their own cards
    unseen: NDArray[np.uint8]  # [n, 54] the cards in all the other hands together
    cards: NDArray[np.uint8]  # [n, 3] how many cards each of the others holds
    top: NDArray[np.int8]  # [n] whose play is to beat; -1 when leading

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Situation:
        """Some of the situations."""
        return Situation(self.hand[rows], self.unseen[rows], self.cards[rows], self.top[rows])


_FOLLOWING = 32  # a guess at how many card sets follow a play; leading, it is about the square of the cards held


@dataclass(frozen=True)
class Decisions:
    """The plays to decide at n tables, from the eyes of the seats that decide."""

    rules: Rules
    which: Indices  # [n] the tables
    hands: Hands
    to_beat: NDArray[np.int16]  # [n] form, or LEADING
    situation: Situation

    course: Play | None = None  # of the tables, where there are any
    known: Known | None = None
    habits: Habits | None = None

    @cached_property
    def _answers(self) -> NDArray[np.uint8]:
        return ask_circuit(self.rules.play, self.rules.facts, self.hands, self.to_beat)

    def who(self, row: int) -> str:
        """The seat to decide, for messages."""
        return "a seat" if self.course is None else f"seat {self.course.seat[self.which[row]]}"

    def state(self, row: int) -> str:
        """What it holds, and what there is to beat, for messages."""
        form = int(self.to_beat[row])
        there = "leads" if form < 0 else f"to beat {self.rules.shapes.forms[form].name}"
        return f"level {self.hands.level[row]}, {there}, hand {hand_text(self.situation.hand[row]) or 'empty'}"

    @cached_property
    def counted(self) -> list[tuple[object, MoveLists, NDArray[np.uint8]]]:
        """Moves whose plays have been counted, and by what: the preferences ask, and so does who surveys the labels."""
        return []

    @property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        return self._answers[: len(self.rules.labels)]

    @property
    def allowed(self) -> NDArray[np.uint8]:
        """[forms, n] the forms the seat could lay down."""
        return self._answers[len(self.rules.labels) :]

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return np.where(self.to_beat < 0, np.int16(LEADING), self.rules.shapes.form_label[self.to_beat])

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return self.rules.strength[self.hands.level]

    @property
    def context(self) -> NDArray[np.int8]:
        """[n] the level."""
        return self.hands.level

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; the circuit is not asked again."""
        hands, situation, seen = self.hands.at(rows), self.situation.at(rows), (self.course, self.known, self.habits)
        some = Decisions(self.rules, self.which[rows], hands, self.to_beat[rows], situation, *seen)
        if "_answers" in self.__dict__:
            some.__dict__["_answers"] = np.ascontiguousarray(self._answers[:, rows])
        return some

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to."""
        return self.rules.shapes.form_label[form]

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see, as long as nobody has moved; see observations.py."""
        if self.course is None:
            raise GameError(
                "there is nothing to observe away from a table: a state does not tell what was played, a record does"
            )
        return observe(self.course, self.rules.book.wild_suit, self.which, self.course.seat[self.which])

    def hidden(self) -> Constraints:
        """What the seats know of the other hands, as long as nobody has moved; the counts alone away from a table."""
        if self.course is not None and self.known is not None:
            return constraints(self.known, self.course, self.which, self.course.seat[self.which])
        return Constraints.counted(self.situation.unseen, self.situation.cards.astype(np.int8))

    def hints(self) -> NDArray[np.float32]:
        """[n, 3, 54] how the habits of the others change the odds, see hints.py; not at all away from a table."""
        if self.course is None or self.habits is None:
            return np.zeros((len(self.which), 3, CARDS), np.float32)
        return lean(self.rules.hints, self.habits, self.course, self.which, self.course.seat[self.which])

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in wire order of one legal label each."""
        book, hands, allowed = self.rules.book, self.hands, self.allowed
        return self._checked(
            labels,
            self._realise(lambda lo, hi, moves: expansion.realise_first(book, hands, labels, allowed, lo, hi, moves)),
        )

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]."""
        return self._checked(labels, self.try_random(labels, keys))

    def try_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """The same for any labels; the form is negative where there is no card set."""
        book, hands, allowed = self.rules.book, self.hands, self.allowed
        return self._realise(
            lambda lo, hi, moves: expansion.realise_random(book, hands, labels, allowed, keys, lo, hi, moves)
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
        answers = self.legal, self.allowed
        held = self.hands.natural.sum(axis=(1, 2)) + self.hands.wilds
        guess = np.where(self.to_beat < 0, held.astype(np.int64) ** 2 * 5 // 4, _FOLLOWING) if labels is None else held
        shares = each_share(
            len(self.which), lambda lo, hi: self._list(chosen, *answers, lo, hi, int(guess[lo:hi].sum()))
        )
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        start = np.concatenate([[0], lengths.cumsum()])
        if labels is None and self.course is not None:
            check_lists(self.rules.kb, start, self)
        return MoveLists(
            start,
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(
        self,
        labels: NDArray[np.int16],
        legal: NDArray[np.uint8],
        allowed: NDArray[np.uint8],
        lo: int,
        hi: int,
        room: int,
    ) -> MoveLists:
        start = np.zeros(hi + 1, np.int64)
        book, hands = self.rules.book, self.hands
        while True:
            moves = _room_for(room)
            found = expansion.list_moves(book, hands, labels, legal, allowed, lo, hi, start, *moves)
            if found <= room:
                return MoveLists(start[lo:], moves.form[:found], moves.cards[:found])
            room = found


@dataclass(frozen=True)
class Exchanges:
    """The cards to pay or to return at n tables, from the eyes of the seats that choose."""

    rules: Rules
    which: Indices  # [n] the tables
    hands: Hands
    situation: Situation
    options: NDArray[np.uint8]  # [n, 54] the cards that may be chosen
    stage: NDArray[np.int8]  # [n] TRIBUTE or BACK

    def moves(self) -> MoveLists:
        """The cards that may be chosen as moves of one card and no form, in the order of the 54-vector."""
        decision, card = np.nonzero(self.options)
        cards = np.full((len(card), expansion.MOST_CARDS), expansion.NO_CARD, np.uint8)
        cards[:, 0] = card
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(card), NO_FORM, np.int16), cards)


def decide(
    rules: Rules,
    cards: NDArray[np.uint8],
    level: NDArray[np.int8],
    to_beat: NDArray[np.int16],
    situation: Situation | None = None,
) -> Decisions:
    """Decisions without tables: hands [n, 54], levels as ranks 2..14 [n], forms to beat or LEADING [n].

    Where nothing is known of the situation, the others hold full hands and the previous seat made the play to beat.
    """
    if situation is None:
        n = len(cards)
        top = np.where(to_beat < 0, -1, 2).astype(np.int8)
        situation = Situation(cards, np.uint8(2) - cards, np.full((n, 3), 27, np.uint8), top)
    return Decisions(rules, np.arange(len(cards)), read_hands(rules, cards, level), to_beat, situation)


def decide_exchange(
    rules: Rules, which: Indices, level: NDArray[np.int8], situation: Situation, stage: NDArray[np.int8]
) -> Exchanges:
    """The cards to choose by seats that are to pay or to return one: levels, stages [n]."""
    hands = read_hands(rules, situation.hand, level)
    options = np.zeros((len(which), 54), np.uint8)
    for number, asked in ((course.TRIBUTE, rules.tribute), (course.BACK, rules.back)):
        if (stage == number).any():
            options[stage == number] = card_options(rules, asked, hands)[stage == number]
    return Exchanges(rules, which, hands, situation._replace(top=np.full(len(which), -1, np.int8)), options, stage)


def look_around(play: Play, which: Indices) -> Situation:
    """The situation at tables [n], from the eyes of the seats to decide."""
    n = len(which)
    room = Situation(
        np.empty((n, 54), np.uint8), np.empty((n, 54), np.uint8), np.empty((n, 3), np.uint8), np.empty(n, np.int8)
    )
    each_share(n, lambda lo, hi: course.look_around(play, which, lo, hi, *room))
    return room


def read_hands(rules: Rules, cards: NDArray[np.uint8], level: NDArray[np.int8]) -> Hands:
    """Sort hands [n, 54] into ranks, suits and wild cards."""
    n = len(cards)
    hands = Hands(np.zeros((n, 17, 4), np.uint8), np.zeros(n, np.uint8), level)
    each_share(n, lambda lo, hi: course.read_hands(cards, rules.book.wild_suit, lo, hi, *hands))
    return hands


def card_options(rules: Rules, asked: tuple[Circuit, FactRows], hands: Hands) -> NDArray[np.uint8]:
    """[n, 54] the cards that a circuit over single cards allows: the tribute, or its return."""
    return ask_circuit(*asked, hands, np.full(len(hands.level), NOTHING, np.int16)).T


def ask_circuit(circuit: Circuit, facts: FactRows, hands: Hands, to_beat: NDArray[np.int16]) -> NDArray[np.uint8]:
    """[outputs, n] what a circuit says of these hands."""
    rows = fact_rows(circuit, facts, hands, to_beat)
    return evaluate(circuit, rows, threads=THREADS)


def fact_rows(circuit: Circuit, facts: FactRows, hands: Hands, to_beat: NDArray[np.int16]) -> NDArray[np.uint8]:
    """[inputs, n] the facts about these hands as input rows of a circuit."""
    rows = np.empty((len(circuit.inputs), len(to_beat)), np.uint8)
    each_share(len(to_beat), lambda lo, hi: course.write_facts(facts, hands, to_beat, lo, hi, rows))
    return rows


def _room_for(n: int) -> Moves:
    return Moves(np.empty(n, np.int16), np.empty((n, expansion.MOST_CARDS), np.uint8))
