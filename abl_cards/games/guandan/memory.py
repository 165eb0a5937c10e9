"""A table as one of its seats has heard of it.

It is a table like any other, so that our agents can sit down at it: what the seat has not seen lies anyhow among the
other hands, and no agent may tell the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import Hand, cards_of, hand_of
from abl_cards.games.game import GameError
from abl_cards.games.guandan.course import BACK, LEADING, PLAY, RECENT, TRIBUTE
from abl_cards.games.guandan.decisions import Decisions, Exchanges, decide_exchange
from abl_cards.games.guandan.exchange import Gifts, exchange_of
from abl_cards.games.guandan.expansion import MOST_CARDS, NO_CARD
from abl_cards.games.guandan.habits import forget, note_acts
from abl_cards.games.guandan.readings import identify_all
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import Action
from abl_cards.games.turns import NEXT_SEAT, TRICK_OVER

HERE = np.array([0])
CARDS_DEALT = 27


@dataclass(frozen=True)
class Trick:
    """What lies on the table, as far as somebody follows who sees no hands."""

    to_beat: int = LEADING
    owner: int = 0
    passed: int = 0  # seats as bits

    def after(self, rules: Rules, seat: int, form: int, out: int) -> Trick:
        """The trick once a seat has played or passed; out: the seats without cards, as bits."""
        passing = form == rules.pass_form
        trick = replace(self, passed=self.passed | 1 << seat) if passing else Trick(form, seat)
        code = int(rules.turns[seat, trick.owner, trick.passed, out])
        return Trick(owner=code & NEXT_SEAT) if code & TRICK_OVER else trick


class Memory:
    """What a seat knows of the episode."""

    def __init__(self, rules: Rules) -> None:
        """Nothing is known yet."""
        self.seat = 0
        self.gifts = Gifts()  # what was told of the exchange
        self._trick, self._unread = Trick(), list[tuple[int, Action, int]]()
        self._learnt: tuple[Gifts, int] | None = None  # what the facts were last asked about
        self._tables = Tables(rules, 1)
        self.begin(0)

    def begin(self, seat: int) -> None:
        """An episode begins; we have this seat."""
        course = self._tables.course
        self.seat, self.gifts = seat, Gifts()
        self._trick, self._unread = Trick(), []
        course.played[0], course.acts[0], course.recent[0], course.recent_seat[0] = 0, 0, NO_CARD, -1
        forget(self._tables.habits, HERE)

    def note(self, seat: int, action: Action) -> None:
        """A seat has laid down some cards, or none."""
        course, cards = self._tables.course, action.cards
        place = int(course.acts[0]) % RECENT
        course.acts[0] += 1
        course.played[0, seat] += hand_of(cards)
        course.recent_seat[0, place], course.recent[0, place] = seat, NO_CARD
        course.recent[0, place, : min(len(cards), MOST_CARDS)] = cards[:MOST_CARDS]
        out = sum(1 << other for other in range(4) if course.played[0, other].sum() >= CARDS_DEALT)
        self._unread.append((seat, action, out))

    def decisions(self, hand: Hand, level: int, to_beat: int, owner: int, rest: Sequence[int] | None) -> Decisions:
        """A play to decide: the form to beat, whose it is, and the cards that all seats have left, if known."""
        self._lay_out(hand, level, rest)
        self._learn(level)
        self._read_habits(level)
        course = self._tables.course
        course.seat[0], course.stage[0], course.to_beat[0], course.owner[0] = self.seat, PLAY, to_beat, owner
        return self._tables.decisions(HERE)

    def exchanges(
        self, hand: Hand, level: int, paying: bool, options: NDArray[np.uint8], rest: Sequence[int] | None
    ) -> Exchanges:
        """A card to pay or to return, among options [54]."""
        self._lay_out(hand, level, rest)
        course = self._tables.course
        course.stage[0], course.to_beat[0] = TRIBUTE if paying else BACK, LEADING
        tables = self._tables
        asked = decide_exchange(tables.rules, HERE, course.level[HERE], tables.situation(HERE), course.stage[HERE])
        return replace(asked, options=options[None])

    def _learn(self, level: int) -> None:
        """Ask what the exchange says of the hands, once it is known and the level with it."""
        if self._learnt != (self.gifts, level):
            self._tables.be_told(HERE, exchange_of([self.gifts]))
            self._learnt = self.gifts, level

    def _read_habits(self, level: int) -> None:
        """Follow the acts since the last decision: only now the level is known, and with it what was laid down."""
        rules, course, habits = self._tables.rules, self._tables.course, self._tables.habits
        unread, self._unread = self._unread, []
        try:
            laid = iter(identify_all(rules, level, [action for _, action, _ in unread if action.cards]))
        except GameError:  # by other rules than ours; it shows nothing of habits
            return
        for seat, action, out in unread:
            form = next(laid) if action.cards else rules.pass_form
            course.seat[0], course.to_beat[0], course.owner[0] = seat, self._trick.to_beat, self._trick.owner
            note_acts(habits, rules.play_traits, course, rules.pass_form, HERE, 0, 1, np.array([form], np.int16))
            self._trick = self._trick.after(rules, seat, form, out)

    def _lay_out(self, hand: Hand, level: int, rest: Sequence[int] | None) -> None:
        course = self._tables.course
        laid = course.played[0].astype(np.int64)
        unseen = cards_of(np.maximum(2 - laid.sum(axis=0) - hand, 0).astype(np.uint8))
        counts = rest or (CARDS_DEALT - laid.sum(axis=1)).clip(0).tolist()
        course.level[0], course.seat[0], course.passed[0], course.out[0] = level, self.seat, 0, 0
        course.order[0] = -1
        for step in (1, 2, 3):
            other = (self.seat + step) % 4
            course.hands[0, other] = hand_of(unseen[: counts[other]])
            course.out[0] |= (counts[other] == 0) << other
            del unseen[: counts[other]]
        course.hands[0, self.seat] = hand
