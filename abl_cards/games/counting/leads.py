"""What hands could lead, for who counts plays: their card sets, and the forms that are played as whole hands only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.shapes import CannotCount
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.play.state import NOBODY
from abl_cards.games.play.view import View
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import MoveLists
from abl_cards.games.telling.random_fluents import random_fluents

_LATE = 1 << 14  # acts: the duties of a first play are over
_PROBES, _ALL = 32, 2  # hands with more cards, and how many of them every form is tried with
_AT_ONCE = 1 << 9  # forms that are asked about at once: each question has an answer for every form


@dataclass(frozen=True)
class Leads:
    """Lists what hands could lead."""

    rules: Rules

    def of(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> tuple[MoveLists, MoveLists]:
        """The card sets that hands [n, kinds] can lead, and those that are played as whole hands only."""
        view = _view(self.rules, hands, context, self.rules.contexts.states[context])
        free = Decisions(view).moves() if self._always else self._listed(view, self._free)
        return free, self._listed(view, self._only_whole)

    def check(self) -> None:
        """Raise CannotCount where some form is never led, or as a whole hand only: counters of shapes miss that."""
        barred = np.ones(len(self.rules.forms), np.bool_)
        barred[self._free], barred[self.rules.forms.passing] = False, False
        if barred.any():
            raise CannotCount(f"not every hand that holds {self.rules.forms.forms[barred.argmax()].name} can lead it")

    def _listed(self, view: View, forms: NDArray[np.int64]) -> MoveLists:
        """The card sets of some forms."""
        n, every = len(view), self.rules.forms
        if not len(forms):
            return MoveLists(np.zeros(n + 1, np.int64), np.empty(0, np.int16), np.empty((0, 1), np.uint8))
        allowed, legal = np.zeros((len(every), n), np.uint8), np.zeros((len(every.labels), n), np.uint8)
        allowed[forms], legal[every.label_of[forms]] = 1, 1
        return Decisions.answered(view, legal, allowed).moves()

    @cached_property
    def _free(self) -> NDArray[np.int64]:
        """Forms that some hand can lead that has other cards besides, and those that nobody can try."""
        _, more, _ = self._led
        free = more | (self._made == 0)
        free[self.rules.forms.passing] = False
        return np.flatnonzero(free)

    @cached_property
    def _always(self) -> bool:
        """Whether every hand that was tried leads what it holds: then circuits say at once what it holds."""
        _, more, refused = self._led
        return not (more & refused).any()

    @cached_property
    def _only_whole(self) -> NDArray[np.int64]:
        """Forms that a hand can lead when it has no other cards, and with others never."""
        alone, more, _ = self._led
        return np.flatnonzero(alone & ~more & (self._made > 0))

    @cached_property
    def _made(self) -> NDArray[np.int64]:
        """[forms] the cards of each form, 0 where no natural cards make it."""
        cards = self._exact.sum(axis=1, dtype=np.int64)
        return np.where(cards == self.rules.forms.cards_of, cards, 0)

    @cached_property
    def _exact(self) -> NDArray[np.uint8]:
        """[forms, kinds] some cards that make each form, none of them wild."""
        return np.stack([_cards_of(self.rules, form) for form in self.rules.forms.forms])

    @cached_property
    def _led(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """[forms] whether some hand can lead each: as its only cards, and with more; and whether some hand cannot."""
        rules, exact, random = self.rules, self._exact, np.random.default_rng(0)
        alone, more, refused = np.zeros((3, len(exact)), np.bool_)
        for probe in range(_PROBES):
            asked = np.flatnonzero((~more | (probe < _ALL)) & (self._made > 0))
            known = rules.contexts.states[np.zeros(len(asked), np.int64)]
            fluents = known if probe % 4 < 2 else random_fluents(rules, len(asked), random)
            led = _allowed(rules, asked, _filled(rules, exact[asked], probe, random), fluents)
            more[asked] |= led
            refused[asked] |= ~led
            left = asked[~led]
            alone[left] |= _allowed(rules, left, exact[left], fluents[~led])
        return alone, more, refused


def _view(
    rules: Rules, hands: NDArray[np.uint8], context: NDArray[np.integer], fluents: NDArray[np.int16]
) -> View:  # fmt: skip
    """What seats with hands [n, kinds] see that lead, when the play is well under way."""
    n, state = len(hands), rules.tables(len(hands))
    state.hands[:, 0], state.context[:], state.acts[:], state.fluents[:] = hands, context, _LATE, fluents
    state.recent_seat[:] = NOBODY
    return View(rules, state, np.arange(n), np.zeros(n, np.int8), at_table=False)


def _allowed(
    rules: Rules, forms: NDArray[np.int64], hands: NDArray[np.uint8], fluents: NDArray[np.int16]
) -> NDArray[np.bool_]:
    """[n] whether hands [n, kinds] could lead forms [n] where fluents [n, slots] are remembered."""
    found = np.zeros(len(forms), np.bool_)
    for lo in range(0, len(forms), _AT_ONCE):
        part = slice(lo, min(lo + _AT_ONCE, len(forms)))
        decisions = Decisions(_view(rules, hands[part], rules.contexts.of(fluents[part]), fluents[part]))
        place, label = np.arange(len(forms[part])), rules.forms.label_of[forms[part]]
        found[part] = (decisions.allowed[forms[part], place] == 1) & (decisions.legal[label, place] == 1)
    return found


def _cards_of(rules: Rules, form: Form) -> NDArray[np.uint8]:
    """[kinds] some cards that make a form, none of them wild; fewer where the pack has not got them."""
    hand, left = np.zeros(len(rules.pack), np.uint8), rules.pack.copies.astype(np.int64)
    suits = [parts[1] if parts else None for parts in map(rank_and_suit, rules.pack.kinds)]

    acts = rules.cells.acts[0]

    def take(kinds: Iterable[int], count: int) -> None:
        for kind in kinds:
            taken = min(count, int(left[kind]))
            hand[kind], left[kind], count = hand[kind] + taken, left[kind] - taken, count - taken

    for place, group in enumerate(form.groups):
        kinds = np.flatnonzero((acts == group.cell).any(axis=1)).tolist()
        if group.only is not None:
            kinds = [group.only]
        if form.suit is not None:
            kinds = [kind for kind in kinds if suits[kind] == form.suit]
        if form.mixed and place % 2:
            kinds = kinds[::-1]
        take(kinds, group.count)
    if form.kickers:
        main = {group.cell for group in form.groups}
        others = [cell for cell, bits in sorted(form.kickers.allowed.items()) if cell not in main and bits & 2]
        for cell in others[: form.kickers.groups]:
            take(np.flatnonzero((acts == cell).any(axis=1)).tolist(), form.kickers.size)
    return hand


def _filled(rules: Rules, hands: NDArray[np.uint8], probe: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """The same hands with more cards: one, or as many as a hand can have."""
    filled, room = hands.copy(), rules.pack.copies - hands
    left = np.maximum(largest_hand(rules) - hands.sum(axis=1, dtype=np.int64), 0)
    sizes = left if probe % 2 else np.minimum(left, 1)
    for row, size in enumerate(sizes):
        more = min(int(size), int(room[row].sum()))
        if more > 0:
            filled[row] += random.multivariate_hypergeometric(room[row].astype(np.int64), more).astype(np.uint8)
    return filled
