"""What hands could lead, for who counts plays: their card sets, and the forms that are played as whole hands only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Form, parse_rank_and_suit
from abl_cards.games.min_plays.form_shapes import UncountableError
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import Decisions, PlayerView, largest_hand, sample_fluents
from abl_cards.games.types import MoveLists

_LATE_ACTS = 1 << 14  # acts: the duties of a first play are over
_NUM_PROBES, _NUM_FULL_PROBES = 32, 2  # hands with more cards, and how many of them every form is tried with
_BATCH_SIZE = 1 << 9  # forms that are asked about at once: each question has an answer for every form


@dataclass(frozen=True)
class LeadFinder:
    """Lists what hands could lead."""

    rules: CompiledGame

    def lead_moves(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> tuple[MoveLists, MoveLists]:
        """The card sets that hands [n, kinds] can lead, and those that are played as whole hands only."""
        view = _leading_view(self.rules, hands, context, self.rules.contexts.fluent_states[context])
        free = (
            Decisions(view).moves() if self._leads_all_forms else self._moves_of_forms(view, self._partial_hand_forms)
        )
        return free, self._moves_of_forms(view, self._whole_hand_forms)

    def check_leadable(self) -> None:
        """Raise UncountableError where a form is never led, or as a whole hand only: counters of shapes miss that."""
        barred = np.ones(len(self.rules.forms), np.bool_)
        barred[self._partial_hand_forms], barred[self.rules.forms.pass_form] = False, False
        if barred.any():
            raise UncountableError(
                f"not every hand that holds {self.rules.forms.forms[barred.argmax()].name} can lead it"
            )

    def _moves_of_forms(self, view: PlayerView, forms: NDArray[np.int64]) -> MoveLists:
        """The card sets of some forms."""
        n, every = len(view), self.rules.forms
        if not len(forms):
            return MoveLists(np.zeros(n + 1, np.int64), np.empty(0, np.int16), np.empty((0, 1), np.uint8))
        allowed, legal = np.zeros((len(every), n), np.uint8), np.zeros((len(every.labels), n), np.uint8)
        allowed[forms], legal[every.label_of[forms]] = 1, 1
        return Decisions.with_masks(view, legal, allowed).moves()

    @cached_property
    def _partial_hand_forms(self) -> NDArray[np.int64]:
        """Forms that some hand can lead that has other cards besides, and those that nobody can try."""
        _, more, _ = self._probe_results
        free = more | (self._natural_sizes == 0)
        free[self.rules.forms.pass_form] = False
        return np.flatnonzero(free)

    @cached_property
    def _leads_all_forms(self) -> bool:
        """Whether every hand that was tried leads what it holds: then circuits say at once what it holds."""
        _, more, refused = self._probe_results
        return not (more & refused).any()

    @cached_property
    def _whole_hand_forms(self) -> NDArray[np.int64]:
        """Forms that a hand can lead when it has no other cards, and with others never."""
        alone, more, _ = self._probe_results
        return np.flatnonzero(alone & ~more & (self._natural_sizes > 0))

    @cached_property
    def _natural_sizes(self) -> NDArray[np.int64]:
        """[forms] the cards of each form, 0 where no natural cards make it."""
        cards = self._example_cards.sum(axis=1, dtype=np.int64)
        return np.where(cards == self.rules.forms.num_cards, cards, 0)

    @cached_property
    def _example_cards(self) -> NDArray[np.uint8]:
        """[forms, kinds] some cards that make each form, none of them wild."""
        return np.stack([_example_cards_of(self.rules, form) for form in self.rules.forms.forms])

    @cached_property
    def _probe_results(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """[forms] whether some hand can lead each: as its only cards, and with more; and whether some hand cannot."""
        rules, exact, random = self.rules, self._example_cards, np.random.default_rng(0)
        alone, more, refused = np.zeros((3, len(exact)), np.bool_)
        for probe in range(_NUM_PROBES):
            asked = np.flatnonzero((~more | (probe < _NUM_FULL_PROBES)) & (self._natural_sizes > 0))
            known = rules.contexts.fluent_states[np.zeros(len(asked), np.int64)]
            fluents = known if probe % 4 < 2 else sample_fluents(rules, len(asked), random)
            led = _can_lead(rules, asked, _add_random_cards(rules, exact[asked], probe, random), fluents)
            more[asked] |= led
            refused[asked] |= ~led
            left = asked[~led]
            alone[left] |= _can_lead(rules, left, exact[left], fluents[~led])
        return alone, more, refused


def _leading_view(
    rules: CompiledGame, hands: NDArray[np.uint8], context: NDArray[np.integer], fluents: NDArray[np.int16]
) -> PlayerView:  # fmt: skip
    """What seats with hands [n, kinds] see that lead, when the play is well under way."""
    n, state = len(hands), rules.create_state(len(hands))
    state.hands[:, 0], state.context[:], state.num_acts[:], state.fluents[:] = hands, context, _LATE_ACTS, fluents
    state.recent_seat[:] = NO_SEAT
    return PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), has_hand_sizes=False)


def _can_lead(
    rules: CompiledGame, forms: NDArray[np.int64], hands: NDArray[np.uint8], fluents: NDArray[np.int16]
) -> NDArray[np.bool_]:
    """[n] whether hands [n, kinds] could lead forms [n] where fluents [n, slots] are remembered."""
    found = np.zeros(len(forms), np.bool_)
    for lo in range(0, len(forms), _BATCH_SIZE):
        part = slice(lo, min(lo + _BATCH_SIZE, len(forms)))
        decisions = Decisions(
            _leading_view(rules, hands[part], rules.contexts.compute_index(fluents[part]), fluents[part])
        )
        place, label = np.arange(len(forms[part])), rules.forms.label_of[forms[part]]
        found[part] = (decisions.form_mask[forms[part], place] == 1) & (decisions.legal_mask[label, place] == 1)
    return found


def _example_cards_of(rules: CompiledGame, form: Form) -> NDArray[np.uint8]:
    """[kinds] some cards that make a form, none of them wild; fewer where the pack has not got them."""
    hand, left = np.zeros(len(rules.pack), np.uint8), rules.pack.copies.astype(np.int64)
    suits = [parts[1] if parts else None for parts in map(parse_rank_and_suit, rules.pack.kinds)]

    acts = rules.cells.acts_as[0]

    def take(kinds: Iterable[int], count: int) -> None:
        for kind in kinds:
            taken = min(count, int(left[kind]))
            hand[kind], left[kind], count = hand[kind] + taken, left[kind] - taken, count - taken

    for place, group in enumerate(form.groups):
        kinds = np.flatnonzero((acts == group.cell).any(axis=1)).tolist()
        if group.only_kind is not None:
            kinds = [group.only_kind]
        if form.suit is not None:
            kinds = [kind for kind in kinds if suits[kind] == form.suit]
        if form.has_mixed_suits and place % 2:
            kinds = kinds[::-1]
        take(kinds, group.count)
    if form.kickers:
        main = {group.cell for group in form.groups}
        others = [cell for cell, bits in sorted(form.kickers.allowed.items()) if cell not in main and bits & 2]
        for cell in others[: form.kickers.num_groups]:
            take(np.flatnonzero((acts == cell).any(axis=1)).tolist(), form.kickers.group_size)
    return hand


def _add_random_cards(
    rules: CompiledGame, hands: NDArray[np.uint8], probe: int, random: np.random.Generator
) -> NDArray[np.uint8]:
    """The same hands with more cards: one, or as many as a hand can have."""
    filled, room = hands.copy(), rules.pack.copies - hands
    left = np.maximum(largest_hand(rules) - hands.sum(axis=1, dtype=np.int64), 0)
    sizes = left if probe % 2 else np.minimum(left, 1)
    for row, size in enumerate(sizes):
        more = min(int(size), int(room[row].sum()))
        if more > 0:
            filled[row] += random.multivariate_hypergeometric(room[row].astype(np.int64), more).astype(np.uint8)
    return filled
