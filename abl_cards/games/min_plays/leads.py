"""Card sets that hands can lead, for counters of plays, and forms that can be led as a whole hand only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Form, parse_rank_and_suit
from abl_cards.games.min_plays.form_shapes import UncountableError
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import Decisions, PlayerView, largest_hand, sample_fluents
from abl_cards.games.types import MoveLists, merge_lists, replace_lists

_LATE_ACTS = 1 << 14  # number of acts, so that rules about the first play do not apply
_NUM_PROBES, _NUM_FULL_PROBES = 32, 2  # probes with additional cards, and how many of them include every form
_MAX_LISTED, _MAX_OF_LABEL = 1 << 12, 1 << 2  # card sets of a hand that are all listed; else, those of a label
_BATCH_SIZE = 1 << 9  # number of forms that are evaluated at once, as each evaluation has an output for every form


@dataclass(frozen=True)
class LeadFinder:
    """Lists the card sets that hands can lead."""

    rules: CompiledGame

    def lead_moves(
        self, context: NDArray[np.integer], hands: NDArray[np.uint8], one_per_rank: bool = False
    ) -> tuple[MoveLists, MoveLists, NDArray[np.bool_]]:
        """List the card sets that hands can lead.

        Args:
            context: [n], index of the context of each hand.
            hands: uint8 [n, kinds], copies of each card.
            one_per_rank: Leave out card sets that differ from an earlier one in suits only; not with wild cards.

        Returns:
            Card sets that may be led, and card sets that may be led as a whole hand only; bool [n], True for hands
            with too many to list, which have the first ones of each label.
        """
        view = _leading_view(self.rules, hands, context, self.rules.contexts.fluent_states[context])
        leads = Decisions(view) if self._leads_all_forms else self._with_forms(view, self._partial_hand_forms)
        moves, is_cut = _list_first(leads, one_per_rank)
        if not len(self._whole_hand_forms):
            return moves, MoveLists(np.zeros_like(moves.start), moves.form[:0], moves.cards[:0]), is_cut
        whole_hands, is_also_cut = _list_first(self._with_forms(view, self._whole_hand_forms), one_per_rank)
        return moves, whole_hands, is_cut | is_also_cut

    def check_leadable(self) -> None:
        """Check that every form can be led by hands with other cards, as counters of shapes assume.

        Raises:
            UncountableError: A form can never be led, or only as a whole hand.
        """
        is_restricted = np.ones(len(self.rules.forms), np.bool_)
        is_restricted[self._partial_hand_forms], is_restricted[self.rules.forms.pass_form] = False, False
        if is_restricted.any():
            raise UncountableError(
                f"not every hand that holds {self.rules.forms.forms[is_restricted.argmax()].name} can lead it"
            )

    def _with_forms(self, view: PlayerView, forms: NDArray[np.int64]) -> Decisions:
        """Return decisions in which some forms are legal."""
        n, all_forms = len(view), self.rules.forms
        allowed, legal = np.zeros((len(all_forms), n), np.uint8), np.zeros((len(all_forms.labels), n), np.uint8)
        allowed[forms], legal[all_forms.label_of[forms]] = 1, 1
        return Decisions.with_masks(view, legal, allowed)

    @cached_property
    def _partial_hand_forms(self) -> NDArray[np.int64]:
        """Forms that some hand with other cards can lead, and forms that cannot be probed."""
        _, with_others, _ = self._probe_results
        is_partial = with_others | (self._natural_sizes == 0)
        is_partial[self.rules.forms.pass_form] = False
        return np.flatnonzero(is_partial)

    @cached_property
    def _leads_all_forms(self) -> bool:
        """True if every probed hand could lead all of its forms; then the masks of decisions list them."""
        _, with_others, refused = self._probe_results
        return not (with_others & refused).any()

    @cached_property
    def _whole_hand_forms(self) -> NDArray[np.int64]:
        """Forms that a hand can lead only if it has no other cards."""
        alone, with_others, _ = self._probe_results
        return np.flatnonzero(alone & ~with_others & (self._natural_sizes > 0))

    @cached_property
    def _natural_sizes(self) -> NDArray[np.int64]:
        """[forms] number of cards of each form, 0 if natural cards cannot make it."""
        cards = self._example_cards.sum(axis=1, dtype=np.int64)
        return np.where(cards == self.rules.forms.num_cards, cards, 0)

    @cached_property
    def _example_cards(self) -> NDArray[np.uint8]:
        """[forms, kinds] natural cards that make each form."""
        suits = [parts[1] if parts else None for parts in map(parse_rank_and_suit, self.rules.pack.kinds)]
        return np.stack([_example_cards_of(self.rules, form, suits) for form in self.rules.forms.forms])

    @cached_property
    def _probe_results(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """[forms] masks: some hand can lead the form as its only cards; with other cards; some hand cannot."""
        rules, examples, random = self.rules, self._example_cards, np.random.default_rng(0)
        alone, with_others, refused = np.zeros((3, len(examples)), np.bool_)
        for probe in range(_NUM_PROBES):
            probed = np.flatnonzero((~with_others | (probe < _NUM_FULL_PROBES)) & (self._natural_sizes > 0))
            default_fluents = rules.contexts.fluent_states[np.zeros(len(probed), np.int64)]
            fluents = default_fluents if probe % 4 < 2 else sample_fluents(rules, len(probed), random)
            can_lead = _can_lead(rules, probed, _add_random_cards(rules, examples[probed], probe, random), fluents)
            with_others[probed] |= can_lead
            refused[probed] |= ~can_lead
            not_led = probed[~can_lead]
            alone[not_led] |= _can_lead(rules, not_led, examples[not_led], fluents[~can_lead])
        return alone, with_others, refused


def _list_first(decisions: Decisions, one_per_rank: bool) -> tuple[MoveLists, NDArray[np.bool_]]:
    """List the card sets of decisions; those of a decision with too many by their labels, the first ones of each."""
    lists, is_cut = decisions.first_card_sets(_MAX_LISTED, one_per_rank=one_per_rank)
    if is_cut.any():
        cut = decisions.select(np.flatnonzero(is_cut))
        rows, labels = np.nonzero(cut.legal_mask.T)
        by_label, _ = cut.select(rows).first_card_sets(
            _MAX_OF_LABEL, labels.astype(np.int16), one_per_rank=one_per_rank
        )
        lists = replace_lists(lists, np.flatnonzero(is_cut), merge_lists(by_label, rows, len(cut.rows)))
    return lists, is_cut


def _leading_view(
    rules: CompiledGame, hands: NDArray[np.uint8], context: NDArray[np.integer], fluents: NDArray[np.int16]
) -> PlayerView:  # fmt: skip
    """Create views of leading seats with hands [n, kinds], late in an episode."""
    n, state = len(hands), rules.create_state(len(hands))
    state.hands[:, 0], state.context[:], state.num_acts[:], state.fluents[:] = hands, context, _LATE_ACTS, fluents
    state.recent_seat[:] = NO_SEAT
    return PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), has_hand_sizes=False)


def _can_lead(
    rules: CompiledGame, forms: NDArray[np.int64], hands: NDArray[np.uint8], fluents: NDArray[np.int16]
) -> NDArray[np.bool_]:
    """Return which hands [n, kinds] can lead forms [n], given values of fluents [n, slots]."""
    can_lead = np.zeros(len(forms), np.bool_)
    for lo in range(0, len(forms), _BATCH_SIZE):
        batch = slice(lo, min(lo + _BATCH_SIZE, len(forms)))
        decisions = Decisions(
            _leading_view(rules, hands[batch], rules.contexts.compute_index(fluents[batch]), fluents[batch])
        )
        column, label = np.arange(len(forms[batch])), rules.forms.label_of[forms[batch]]
        can_lead[batch] = (decisions.form_mask[forms[batch], column] == 1) & (decisions.legal_mask[label, column] == 1)
    return can_lead


def _example_cards_of(rules: CompiledGame, form: Form, suits: Sequence[Term | None]) -> NDArray[np.uint8]:
    """Return natural cards [kinds] of these suits that make a form; fewer if the pack does not have enough."""
    hand, left = np.zeros(len(rules.pack), np.uint8), rules.pack.copies.astype(np.int64)
    acts = rules.cells.acts_as[0]

    def take(kinds: Iterable[int], count: int) -> None:
        for kind in kinds:
            taken = min(count, int(left[kind]))
            hand[kind], left[kind], count = hand[kind] + taken, left[kind] - taken, count - taken

    for index, group in enumerate(form.groups):
        kinds = np.flatnonzero((acts == group.cell).any(axis=1)).tolist()
        if group.only_kind is not None:
            kinds = [group.only_kind]
        if form.suit is not None:
            kinds = [kind for kind in kinds if suits[kind] == form.suit]
        if form.has_mixed_suits and index % 2:
            kinds = kinds[::-1]
        take(kinds, group.count)
    if form.kickers:
        main_cells = {group.cell for group in form.groups}
        kicker_cells = [
            cell for cell, bits in sorted(form.kickers.allowed.items()) if cell not in main_cells and bits & 2
        ]
        for cell in kicker_cells[: form.kickers.num_groups]:
            take(np.flatnonzero((acts == cell).any(axis=1)).tolist(), form.kickers.group_size)
    return hand


def _add_random_cards(
    rules: CompiledGame, hands: NDArray[np.uint8], probe: int, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Add random cards to hands: one, or as many as a hand can have."""
    filled, available = hands.copy(), rules.pack.copies - hands
    max_added = np.maximum(largest_hand(rules) - hands.sum(axis=1, dtype=np.int64), 0)
    sizes = max_added if probe % 2 else np.minimum(max_added, 1)
    for row, size in enumerate(sizes):
        num_added = min(int(size), int(available[row].sum()))
        if num_added > 0:
            filled[row] += random.multivariate_hypergeometric(available[row].astype(np.int64), num_added).astype(
                np.uint8
            )
    return filled
