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
from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Tables
from abl_cards.games.play.habits import note_acts
from abl_cards.games.play.state import CHOICE, NOBODY, PLAY, next_turn
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD
from abl_cards.platforms.contest.actions import identify
from abl_cards.platforms.contest.gifts import Gifts, tell_gifts
from abl_cards.platforms.contest.standings import at_level, options_of, stage_number
from abl_cards.platforms.contest.wire import Action

HERE = np.array([0])


@dataclass(frozen=True)
class Trick:
    """What lies on the table, as far as somebody follows who sees no hands."""

    to_beat: int = LEADING
    owner: int = 0
    passed: int = 0  # seats as bits

    def after(self, rules: Rules, seat: int, form: int, out: int) -> Trick:
        """The trick once a seat has played or passed; out: the seats without cards, as bits."""
        passing = form == rules.forms.passing
        trick = replace(self, passed=self.passed | 1 << seat) if passing else Trick(form, seat)
        gone_by = trick.passed  # of those who have passed in the trick a table of others says no more
        turn = next_turn(rules.turns, seat, trick.owner, trick.passed, gone_by, out, form)
        return Trick(owner=turn.seat) if turn.trick_over else trick


class Memory:
    """What a seat knows of the episode."""

    def __init__(self, rules: Rules) -> None:
        """Nothing is known yet; raises GameError for rules by which no outsider can follow whose turn it is."""
        if rules.course is not None:
            raise GameError("whose turn it is depends on what is remembered (turn/1): the contest does not tell that")
        self.seat = 0
        self.gifts = Gifts()  # what was told of the exchange
        self._trick, self._unread = Trick(), list[tuple[int, Action, int]]()
        self._tables = Tables(rules, 1)
        self.begin(0)

    def begin(self, seat: int) -> None:
        """An episode begins; we have this seat."""
        state = self._tables.state
        self.seat, self.gifts = seat, Gifts()
        self._trick, self._unread = Trick(), []
        state.played[0], state.acts[0], state.recent[0], state.recent_seat[0] = 0, 0, NO_CARD, NOBODY
        state.habits[0] = 0

    def note(self, seat: int, action: Action) -> None:
        """A seat has laid down some cards, or none."""
        state, cards = self._tables.state, action.cards
        place, most = int(state.acts[0]) % state.recent.shape[1], state.recent.shape[2]
        state.acts[0] += 1
        state.played[0, seat] += hand_of(cards)
        state.recent_seat[0, place], state.recent[0, place] = seat, NO_CARD
        state.recent[0, place, : min(len(cards), most)] = cards[:most]
        out = sum(1 << other for other in range(4) if state.played[0, other].sum() >= self._dealt)
        self._unread.append((seat, action, out))

    def decisions(self, hand: Hand, level: int, to_beat: int, owner: int, rest: Sequence[int] | None) -> Decisions:
        """A play to decide: the form to beat, whose it is, and the cards that all seats have left, if known."""
        self._lay_out(hand, level, rest)
        self._read_habits(level)
        state = self._tables.state
        state.seat[0], state.stage[0], state.to_beat[0], state.owner[0] = self.seat, PLAY, to_beat, owner
        state.acted[0] = owner
        return self._tables.decisions(HERE)

    def choices(
        self, hand: Hand, level: int, stage: str, options: NDArray[np.uint8], rest: Sequence[int] | None
    ) -> Choices:
        """A card to pay or to return, among options [54]."""
        self._lay_out(hand, level, rest)
        state, rules = self._tables.state, self._tables.rules
        state.stage[0], state.choice[0], state.to_beat[0] = CHOICE, stage_number(rules, stage), LEADING
        state.seat[0] = self.seat
        choices, numbers = self._tables.choices(HERE), options_of(rules)
        offered = np.zeros((1, len(rules.words.options)), np.uint8)
        if (numbers[options > 0] < 0).any():
            raise GameError(f"{stage}: the rules never let such a card be chosen")
        offered[0, numbers[options > 0]] = 1
        choices.__dict__["options"] = offered  # theirs to say
        return choices

    def _read_habits(self, level: int) -> None:
        """Follow the acts since the last decision: only now the level is known, and with it what was laid down."""
        rules, state = self._tables.rules, self._tables.state
        unread, self._unread = self._unread, []
        try:
            laid = [identify(rules, level, action) if action.cards else rules.forms.passing for _, action, _ in unread]
        except GameError:  # by other rules than ours; it shows nothing of habits
            return
        for (seat, _, out), form in zip(unread, laid, strict=True):
            state.seat[0], state.to_beat[0], state.owner[0] = seat, self._trick.to_beat, self._trick.owner
            note_acts(rules, state, HERE, np.array([form], np.int16))
            self._trick = self._trick.after(rules, seat, form, out)

    @property
    def _dealt(self) -> int:
        return max(self._tables.rules.table.dealt)

    def _lay_out(self, hand: Hand, level: int, rest: Sequence[int] | None) -> None:
        state, rules = self._tables.state, self._tables.rules
        laid = state.played[0].astype(np.int64)
        unseen = cards_of(np.maximum(rules.pack.copies - laid.sum(axis=0) - hand, 0).astype(np.uint8))
        counts = rest or (self._dealt - laid.sum(axis=1)).clip(0).tolist()
        state.fluents[0] = at_level(rules, level)
        tell_gifts(rules, state.fluents[0], self.gifts)
        state.context[HERE] = rules.contexts.of(state.fluents[HERE])
        state.seat[0], state.passed[0], state.gone_by[0], state.out[0] = self.seat, 0, 0, 0
        state.order[0] = NOBODY
        for step in (1, 2, 3):
            other = (self.seat + step) % 4
            state.hands[0, other] = hand_of(unseen[: counts[other]])
            state.out[0] |= np.uint16((counts[other] == 0) << other)
            del unseen[: counts[other]]
        state.hands[0, self.seat] = hand
