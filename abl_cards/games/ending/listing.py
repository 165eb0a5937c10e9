"""What the hands of some tables can lay down, and on what: asked of the engine's circuits and lists, each hand once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.ending.sets import FOLLOWS, LEADS, MARK_AT, MOST_BITS, Fields, Sets, bits_of, sets_of
from abl_cards.games.game import GameError
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.state import State
from abl_cards.games.play.view import View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, Indices, MoveLists


@dataclass(frozen=True)
class Listing:
    """The hands of n tables, no two of them the same."""

    hand: NDArray[np.int64]  # [n, seats] the number of each hand
    sets: list[Sets]  # by hand
    coming: NDArray[np.bool_]  # [n, forms] what may come to be beaten at a table
    row_of: NDArray[np.int64]  # [hands, forms + 1] the column that says what it may lay on a form; the last: it leads
    allowed: NDArray[np.uint8]  # [forms, columns]


def listed(rules: Rules, state: State, which: Indices) -> Listing:
    """List the hands at tables; raises GameError where there are too many cards."""
    seats, kinds = state.hands.shape[1:]
    hands = state.hands[which].reshape(-1, kinds)
    told = np.concatenate([hands.astype(np.int16), np.repeat(state.fluents[which], seats, axis=0)], axis=1)
    _, origin, number = np.unique(told, axis=0, return_index=True, return_inverse=True)
    asker = _Asker(rules, hands[origin], state.fluents[which[origin // seats]], int(state.acts[which].min()))
    hand = number.reshape(len(which), seats)
    to_beat = state.to_beat[which]
    coming = np.zeros((len(which), len(rules.forms)), np.bool_)
    coming[np.flatnonzero(to_beat != LEADING), to_beat[to_beat != LEADING]] = True
    while True:
        coming |= asker.reach[hand].any(axis=1)
        coming[:, rules.forms.passing] = False
        wanted = np.zeros_like(asker.reach)
        for seat in range(seats):
            np.logical_or.at(wanted, hand[:, seat], coming)
        wanted &= asker.row_of[:, :-1] < 0
        if not wanted.any():
            return Listing(hand, asker.sets(), coming, asker.row_of, asker.allowed)
        asker.ask(*np.nonzero(wanted))


class _Asker:
    """Asks about hands, each in what its table remembers."""

    def __init__(self, rules: Rules, hands: NDArray[np.uint8], fluents: NDArray[np.int16], acts: int) -> None:
        n, forms = len(hands), len(rules.forms)
        self.rules, self.hands, self.fluents, self.acts = rules, np.ascontiguousarray(hands), fluents, acts
        self.row_of = np.full((n, forms + 1), -1, np.int64)
        self.allowed = np.zeros((forms, 0), np.uint8)
        self.reach = np.zeros((n, forms), np.bool_)  # what each hand may ever lay down
        everyone = np.arange(n)
        self.ask(everyone, np.full(n, forms))
        self.leads = self.allowed[:, self.row_of[:, forms]]

    def ask(self, hand: Indices, form: Indices) -> None:
        """What hands [n] may lay on forms [n]; the number after the last form is to lead."""
        forms = len(self.rules.forms)
        found = self._decisions(hand, np.where(form == forms, LEADING, form))
        allowed = found.allowed & found.legal[self.rules.forms.label_of]
        self.row_of[hand, form] = self.allowed.shape[1] + np.arange(len(hand))
        self.allowed = np.ascontiguousarray(np.concatenate([self.allowed, allowed], axis=1))
        np.logical_or.at(self.reach, hand, allowed.T > 0)

    def _decisions(self, hand: Indices, to_beat: Indices) -> Decisions:
        return Decisions(self._view(hand, to_beat))

    def _view(self, hand: Indices, to_beat: Indices) -> View:
        rules, n = self.rules, len(hand)
        state = rules.tables(n)
        state.hands[:, 0], state.fluents[:], state.acts[:] = self.hands[hand], self.fluents[hand], self.acts
        state.context[:] = rules.contexts.of(state.fluents)
        state.to_beat[:], state.owner[:] = to_beat, np.where(to_beat == LEADING, 0, 1)
        return View(rules, state, np.arange(n), state.seat.copy(), at_table=False)

    def sets(self) -> list[Sets]:
        """The card sets of each hand."""
        forms, everyone = len(self.rules.forms), np.arange(len(self.hands))
        book, label_of = self.rules.book, self.rules.forms.label_of
        alike = bool((book.allowed[:, 0] == book.allowed[:, 1]).all())
        leading = self._decisions(everyone, np.full(len(everyone), LEADING)).moves()
        follows = np.ascontiguousarray(self.reach.T).astype(np.uint8)
        if alike:  # what may be led is listed
            follows &= 1 - self.leads
        legal = np.zeros((len(self.rules.labels), len(everyone)), np.uint8)
        np.maximum.at(legal, label_of, follows)
        some = int(np.flatnonzero(np.arange(forms) != self.rules.forms.passing)[0])
        view = self._view(everyone, np.full(len(everyone), some))
        following = Decisions.answered(view, legal, follows).moves()
        flag = LEADS | FOLLOWS if alike else LEADS
        return [self._sets(hand, leading, following, flag) for hand in everyone.tolist()]

    def _sets(self, hand: int, leading: MoveLists, following: MoveLists, flag: int) -> Sets:
        cards = self.hands[hand].astype(np.int64)
        if bits_of(cards) > MOST_BITS:
            raise GameError(f"too many cards: a hand has {int(cards.sum())}")
        first, last = leading.start[hand], leading.start[hand + 1]
        others, end = following.start[hand], following.start[hand + 1]
        when = np.concatenate([np.full(last - first, flag), np.full(end - others, FOLLOWS)])
        form = np.concatenate([leading.form[first:last], following.form[others:end]]).astype(np.int64)
        rows = np.concatenate([leading.cards[first:last], following.cards[others:end]])
        keys, when, field, *rest = sets_of(cards, form, rows, when)
        mark = np.uint64(MARK_AT)
        return Sets((keys >> mark).astype(np.int64), keys & ((np.uint64(1) << mark) - np.uint64(1)), when, field,
                    Fields(*rest))  # fmt: skip
