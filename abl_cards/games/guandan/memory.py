"""A table as one of its seats has heard of it.

It is a table like any other, so that our agents can sit down at it: what the seat has not seen lies anyhow among the
other hands, and no agent may tell the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import Card, Hand, cards_of, hand_of
from abl_cards.games.guandan.course import BACK, LEADING, PLAY, RECENT, TRIBUTE
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.expansion import MOST_CARDS, NO_CARD
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import Tables

HERE = np.array([0])
CARDS_DEALT = 27


class Memory:
    """What a seat knows of the episode."""

    def __init__(self, rules: Rules) -> None:
        """Nothing is known yet."""
        self.seat = 0
        self._tables = Tables(rules, 1)
        self.begin(0)

    def begin(self, seat: int) -> None:
        """An episode begins; we have this seat."""
        course = self._tables.course
        self.seat = seat
        course.played[0], course.acts[0], course.recent[0], course.recent_seat[0] = 0, 0, NO_CARD, -1

    def note(self, seat: int, cards: Sequence[Card]) -> None:
        """A seat has laid down some cards, or none."""
        course = self._tables.course
        place = int(course.acts[0]) % RECENT
        course.acts[0] += 1
        course.played[0, seat] += hand_of(cards)
        course.recent_seat[0, place], course.recent[0, place] = seat, NO_CARD
        course.recent[0, place, : min(len(cards), MOST_CARDS)] = cards[:MOST_CARDS]

    def decisions(self, hand: Hand, level: int, to_beat: int, owner: int, rest: Sequence[int] | None) -> Decisions:
        """A play to decide: the form to beat, whose it is, and the cards that all seats have left, if known."""
        self._lay_out(hand, level, rest)
        course = self._tables.course
        course.stage[0], course.to_beat[0], course.owner[0] = PLAY, to_beat, owner
        return self._tables.decisions(HERE)

    def exchanges(
        self, hand: Hand, level: int, paying: bool, options: NDArray[np.uint8], rest: Sequence[int] | None
    ) -> Exchanges:
        """A card to pay or to return, among options [54]."""
        self._lay_out(hand, level, rest)
        course = self._tables.course
        course.stage[0], course.to_beat[0] = TRIBUTE if paying else BACK, LEADING
        return replace(self._tables.exchanges(HERE), options=options[None])

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
