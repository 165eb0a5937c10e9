"""List the card sets of decisions that preferences compare; of a decision with too many, find the best by search.

A label with a dozen kickers may have millions of card sets. They are never listed: the search starts at the first
card set of the label. It then lists the card sets among its cards and a few more of one rank, for each rank, and goes
on from the cheapest. Where none is cheaper, it tries one more card of each of two ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.moves import rank_of_cards
from abl_cards.games.preferences.compilation import compile_preferences
from abl_cards.games.preferences.preference_inputs import GamePreferenceInputs
from abl_cards.games.preferences.preference_model import PreferenceModel
from abl_cards.games.preferences.preferences import CompiledPreferences
from abl_cards.games.tables import Choices, Decisions, is_play_decision
from abl_cards.games.types import (
    HandEstimate,
    MoveLists,
    Moves,
    count_move_cards,
    join_lists,
    merge_lists,
    replace_lists,
)

MAX_COMPARED = 1 << 14
"""Card sets of a decision that are all compared; beyond it, labels with many card sets are searched."""
_MAX_DISTINCT = 1 << 11
"""Limit in place of ``MAX_COMPARED`` where card sets that differ in suits only are left out."""
_MAX_OF_LABEL, _MAX_OF_LABEL_AT_FIRST = 1 << 7, 1 << 2
"""Card sets of a label that are all compared in a decision with too many: of each label, and to find the promising."""
_MAX_NEIGHBOURS = 1 << 9
"""Card sets listed among those of the best card set so far and of one more rank."""
_NUM_KEPT = 16
"""Best card sets of a label that are kept after a search."""
_NUM_PROMISING = 8
"""Labels of a decision that are searched where only its best card set counts."""
_NUM_REFINED = 2
"""Labels of a decision for which cards of two ranks are added too."""
_MAX_ROUNDS = 64
"""Steps of a search; each makes the card set cheaper."""
_BATCH_SIZE = 32
"""Decisions searched at once, to bound memory."""
_INCONSISTENT = np.int64(1) << 40
"""Added to the cost of inconsistent card sets, so that they come last."""


class _Costs(NamedTuple):
    """Candidates of decisions with their costs."""

    lists: MoveLists
    cost: NDArray[np.int64]  # [moves] cost; inconsistent ones cost more than all consistent ones


def list_candidates(
    preference_model: PreferenceModel | None, decisions: Decisions | Choices, labels: NDArray[np.int16] | None = None,
    estimate: HandEstimate | None = None, distinct_only: bool = False, best_only: bool = False,
) -> MoveLists:  # fmt: skip
    """List the card sets of decisions, or the best found where they are too many.

    A decision with at most ``MAX_COMPARED`` card sets gets all of them. In others, a label with more than 128 gets
    cheap ones that a local search finds. Where no preference reads suits, it leaves out card sets that differ from
    others in suits only.

    Args:
        preference_model: Preferences that compare card sets; None for those of the rules.
        decisions: n decisions or choices; of choices all options are listed.
        labels: int16 [n], the label to list for each decision; None for all legal labels.
        estimate: float [n, others, kinds], estimated copies in the other hands, None for none.
        distinct_only: Leave out card sets that have the cost of an earlier one because they differ in suits only, which
            no preference reads.
        best_only: Search only the labels that promise the best card set of a decision.

    Returns:
        Card sets, in the order of move lists where all are listed; labels in their order, and cheap card sets first,
        where they were searched.

    Raises:
        TableError: If a decision has no card set.
        TooManyMovesError: If the card sets of all decisions together exceed 1 GiB; list fewer decisions at a time.
    """
    if not is_play_decision(decisions):
        return decisions.moves()
    distinct_only = distinct_only and not _distinguishes_suits(preference_model)
    limit = _MAX_DISTINCT if distinct_only else MAX_COMPARED
    lists, is_cut = decisions.first_card_sets(limit, labels, one_per_rank=distinct_only)
    if not is_cut.any():
        return lists
    if preference_model is None:
        preference_model = compile_preferences(decisions.rules.kb, GamePreferenceInputs(decisions.rules))
    cut = np.flatnonzero(is_cut)
    found = []
    for rows in np.split(cut, np.arange(_BATCH_SIZE, len(cut), _BATCH_SIZE)):
        part = None if estimate is None else estimate[rows]
        search = _Search(preference_model, decisions.select(rows), part)
        found.append(search.list_by_label(None if labels is None else labels[rows], best_only))
    return replace_lists(lists, cut, join_lists(found))


def _distinguishes_suits(model: PreferenceModel | None) -> bool:
    """Return whether a model may compute different costs for card sets with equal numbers of cards of each rank."""
    return not isinstance(model, CompiledPreferences) or model.distinguishes_suits


class _Search:
    """Search for cheap card sets of decisions with too many to list."""

    def __init__(self, model: PreferenceModel, decisions: Decisions, estimate: HandEstimate | None) -> None:
        self._model, self._decisions, self._estimate = model, decisions, estimate
        self._one_per_rank = not _distinguishes_suits(model)
        self._additions = _list_additions(decisions.rules)

    def _compute_costs(self, lists: MoveLists, rows: NDArray[np.int64]) -> _Costs:
        """Compute the costs of candidates of the decisions ``rows`` [m], ascending; each decision is evaluated once."""
        distinct, first = np.unique(rows, return_index=True)
        joined = lists._replace(start=lists.start[np.append(first, len(rows))])
        estimate = None if self._estimate is None else self._estimate[distinct]
        cost, is_consistent = self._model.costs(self._decisions.select(distinct), joined, estimate)
        return _Costs(lists, cost.astype(np.int64) + np.where(is_consistent, 0, _INCONSISTENT))

    def list_by_label(self, labels: NDArray[np.int16] | None, best_only: bool) -> MoveLists:
        """List all card sets of labels with few, and cheap ones of the others.

        Args:
            labels: int16 [n], the label to list for each decision; None for all legal labels.
            best_only: Search only promising labels.

        Returns:
            Lists of the n decisions.
        """
        n = len(self._decisions.view)
        rows = np.arange(n)
        if labels is None:
            rows, legal = np.nonzero(self._decisions.legal_mask.T)
            labels = legal.astype(np.int16)
        limit = _MAX_OF_LABEL_AT_FIRST if best_only else _MAX_OF_LABEL
        lists, is_cut = self._decisions.select(rows).first_card_sets(limit, labels, one_per_rank=self._one_per_rank)
        if best_only:
            candidates = self._compute_costs(lists, rows)
            cost = candidates.cost[_cheapest_rows(candidates)]
            is_cut &= _rank_within(rows, cost) < _NUM_PROMISING
        cut = np.flatnonzero(is_cut)
        if cut.size:
            lists = replace_lists(lists, cut, self._improve(rows[cut], labels[cut]))
        return merge_lists(lists, rows, n)

    def _improve(self, rows: NDArray[np.int64], labels: NDArray[np.int16]) -> MoveLists:
        """Find cheap card sets of labels [m] of the decisions ``rows`` [m], the best first."""
        best, cost = self._decisions.select(rows).first_moves(labels), np.full(len(rows), _INCONSISTENT << 1)
        kept_moves: list[list[_Costs]] = [[] for _ in rows]
        level = np.zeros(len(rows), np.int64)  # additions to try next
        for _ in range(_MAX_ROUNDS):
            pending = np.flatnonzero(level == 0)
            if not pending.size:
                pending = np.flatnonzero((level == 1) & (_rank_within(rows, cost) < _NUM_REFINED))
            if not pending.size:
                break
            additions = self._additions[level[pending[0]]]
            moves = Moves(best.form[pending], best.cards[pending])
            candidates = self._list_neighbours(rows[pending], labels[pending], moves, additions)
            cheapest = _cheapest_rows(candidates)
            is_better = candidates.cost[cheapest] < cost[pending]
            for index, row in enumerate(pending.tolist()):
                kept_moves[row] = [*([] if is_better[index] else kept_moves[row]), _keep_cheapest(candidates, index)]
            better = pending[is_better]
            best.form[better], best.cards[better] = candidates.lists.select(cheapest[is_better])
            cost[better] = candidates.cost[cheapest[is_better]]
            level[pending] = np.where(is_better, 0, level[pending] + 1)
        return join_lists([_keep_cheapest(_merge_costs(parts), 0).lists for parts in kept_moves])

    def _list_neighbours(
        self, rows: NDArray[np.int64], labels: NDArray[np.int16], moves: Moves, additions: NDArray[np.int64]
    ) -> _Costs:
        """List moves, and the card sets among their cards and further ones of the hands, with costs.

        Args:
            rows: int64 [m], decisions.
            labels: int16 [m], a label of each.
            moves: One card set of each label.
            additions: int64 [additions, ranks], how many cards of each rank are added at a time.

        Returns:
            Candidates of the m labels, the moves first.
        """
        decisions = self._decisions.select(rows)
        hand, rank_of = decisions.view.hand, _card_ranks(decisions.rules)
        used = count_move_cards(moves.cards, hand.shape[1])
        left = hand - used
        before = np.zeros(left.shape, np.int64)  # copies left of the earlier cards of the same rank
        for rank in range(additions.shape[1]):
            (of_rank,) = np.nonzero(rank_of == rank)
            before[:, of_rank] = left[:, of_rank].cumsum(axis=1, dtype=np.int64) - left[:, of_rank]
        added = np.clip(additions[:, rank_of][None] - before[:, None], 0, left[:, None])  # [m, additions, kinds]
        # An addition of which a rank has no card is the addition of the other rank, or none.
        is_whole = (added @ np.eye(additions.shape[1], dtype=np.int64)[rank_of] > 0) == (additions > 0)
        row, addition = np.nonzero(is_whole.all(axis=2))
        among = used[row] + added[row, addition].astype(np.uint8)
        lists, _ = decisions.select(row).first_card_sets(
            _MAX_NEIGHBOURS, labels[row], among, one_per_rank=self._one_per_rank
        )
        return self._compute_costs(_insert_first(merge_lists(lists, row, len(labels)), moves), rows)


def _rank_within(rows: NDArray[np.int64], cost: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each cost [m] among those of its decision, from 0; ``rows`` [m] is ascending."""
    order = np.lexsort((cost, rows))
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = np.arange(len(rows)) - np.searchsorted(rows, rows)
    return ranks


def _cheapest_rows(candidates: _Costs) -> NDArray[np.int64]:
    """Return the first cheapest candidate of each decision."""
    start, cost = candidates.lists.start, candidates.cost
    least = np.minimum.reduceat(cost, start[:-1])
    is_least = np.flatnonzero(cost == np.repeat(least, np.diff(start)))
    return is_least[np.searchsorted(is_least, start[:-1])]


def _keep_cheapest(candidates: _Costs, index: int) -> _Costs:
    """Return the cheapest distinct candidates of a decision, as those of one decision."""
    lists, (lo, hi) = candidates.lists, candidates.lists.start[index : index + 2].tolist()
    cheapest = lo + np.argsort(candidates.cost[lo:hi], kind="stable")[: 32 * _NUM_KEPT]  # with repetitions
    distinct: dict[tuple[int, bytes], int] = {}
    for row, cards in zip(cheapest.tolist(), np.sort(lists.cards[cheapest], axis=1), strict=True):
        distinct.setdefault((int(lists.form[row]), cards.tobytes()), row)
        if len(distinct) == _NUM_KEPT:
            break
    rows = np.array(list(distinct.values()))
    return _Costs(MoveLists(np.array([0, len(rows)]), lists.form[rows], lists.cards[rows]), candidates.cost[rows])


def _merge_costs(parts: list[_Costs]) -> _Costs:
    """Merge candidates of one decision."""
    lists = join_lists([part.lists for part in parts])
    return _Costs(lists._replace(start=lists.start[[0, -1]]), np.concatenate([part.cost for part in parts]))


@cache_per_game
def _card_ranks(rules: CompiledGame) -> NDArray[np.int64]:
    """Return the rank of each card [kinds], by which a search adds cards; a card of no rank has one of its own."""
    rank = rank_of_cards(rules.move_tables, len(rules.pack))
    own = len(rules.move_tables.slot_kind) + np.arange(len(rank))
    return np.unique(np.where(rank < 0, own, rank), return_inverse=True)[1].ravel()


@cache_per_game
def _list_additions(rules: CompiledGame) -> tuple[NDArray[np.int64], ...]:
    """Return how many cards of each rank a search adds: [additions, ranks] of one rank, and one card of each of two."""
    one = np.eye(int(_card_ranks(rules).max()) + 1, dtype=np.int64)
    first, second = np.triu_indices(len(one), 1)
    num_added = max([3, *(form.kickers.group_size for form in rules.forms.forms if form.kickers)])
    return num_added * one, one[first] + one[second]


# --- lists ------------------------------------------------------------------------------------------------------------


def _insert_first(lists: MoveLists, moves: Moves) -> MoveLists:
    """Insert one move for each decision before its others."""
    form = np.insert(lists.form, lists.start[:-1], moves.form)
    cards = np.insert(lists.cards, lists.start[:-1], moves.cards, axis=0)
    return MoveLists(lists.start + np.arange(len(lists.start)), form, cards)
