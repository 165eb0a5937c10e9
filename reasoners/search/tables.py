"""Tables of a game for the search, as bits: sets of labels become rows of words, hands become integers.

A hand has three bits for each rank. The labels that either hand can play at the root are numbered so that a label comes
before those that beat it. All tables are computed from the combinations of a knowledge base.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.endgame import RaceCombinations, RacePosition
from abl_cards.games.types import LEADING

MAX_RANKS, MAX_COPIES, MAX_CARDS = 13, 4, 26
"""Limits of an entry of the transposition table."""

NEED, CARDS, KICKERS, KICKER_SIZE, SPARE, KIND, MAIN = range(7)
"""Columns of SearchRoot.labels: main cards as a hand, number of cards, groups of kickers, cards in each group, ranks of
kickers (the lowest bit of each), kind of labels that are compared by rank, rank as a shift."""
COLUMNS = 7
"""Number of columns of SearchRoot.labels."""

WITHIN_COPIES = 0
"""First of the rows of SearchRoot.label_sets: labels that need at most 0 to 4 cards of a rank, five rows for each rank;
labels by number of cards; labels with kickers; labels of several ranks."""
BY_CARDS = 5 * MAX_RANKS
WITH_KICKERS = BY_CARDS + MAX_CARDS + 1
SEVERAL_RANKS = WITH_KICKERS + 1
BEATERS = SEVERAL_RANKS + 1  # then one row for each label: the labels that beat it


@dataclass(frozen=True)
class SearchRoot:
    """Labels of one search.

    Attributes:
        label_ids: int64[n] Labels of the game.
        labels: int64[n, COLUMNS] Their columns.
        label_sets: uint64[BEATERS + n, W] Sets of labels, as bits.
        can_merge_ranks: Whether only the order of ranks that no run needs matters.
    """

    label_ids: NDArray[np.int64]
    labels: NDArray[np.int64]
    label_sets: NDArray[np.uint64]
    can_merge_ranks: bool


@dataclass(frozen=True)
class SearchTables:
    """Tables of a game; ``build_root`` selects the labels that two hands can play.

    Attributes:
        combinations: Combinations of the game.
    """

    combinations: RaceCombinations

    def __post_init__(self) -> None:
        """Raise GameError for a game that the search does not support."""
        needs = self.combinations.main_cards
        if needs.shape[1] > MAX_RANKS or needs.max(initial=0) > MAX_COPIES:
            message = f"the search supports at most {MAX_RANKS} ranks with {MAX_COPIES} cards each"
            raise GameError(message, ErrorCode.UNSUPPORTED_GAME)
        if not self.is_ordered:
            message = "the search supports games where the weakest reply to a play determines all replies; see beats/1"
            raise GameError(message, ErrorCode.UNSUPPORTED_GAME)

    @cached_property
    def label_order(self) -> NDArray[np.int64]:
        """int64[labels] Labels from those that most labels beat to those that none beats."""
        return np.argsort(-self.combinations.beats.sum(axis=1), kind="stable")

    @cached_property
    def is_ordered(self) -> bool:
        """True if the first reply to a play determines the set of replies for all hands, and so can be the key."""
        rows = self.combinations.beats[self.label_order][:, self.label_order]
        for label in range(len(rows)):
            replied = rows[rows[:, label], label:]
            if len(replied) and (replied != replied[0]).any():
                return False
        return True

    @cached_property
    def label_columns(self) -> NDArray[np.int64]:
        """int64[labels, COLUMNS] Columns of all labels, in the game's order."""
        game = self.combinations
        shifts = 3 * np.arange(game.main_cards.shape[1])
        kinds: dict[tuple[int, ...], int] = {}
        table = np.zeros((len(game.labels), COLUMNS), np.int64)
        table[:, NEED] = (game.main_cards.astype(np.int64) << shifts).sum(axis=1)
        table[:, CARDS], table[:, KICKERS], table[:, KICKER_SIZE] = game.num_cards, game.kickers, game.kicker_size
        table[:, SPARE] = (game.kicker_ranks.astype(np.int64) << shifts).sum(axis=1)
        for label in np.flatnonzero(self.is_single_rank):
            kind = (int(game.main_cards[label].max()), int(game.kickers[label]), int(game.kicker_size[label]))
            table[label, KIND] = kinds.setdefault(kind, len(kinds))
            table[label, MAIN] = 3 * int(game.main_cards[label].argmax())
        return table

    @cached_property
    def is_single_rank(self) -> NDArray[np.bool_]:
        """bool[labels] Whether the main cards are of one rank."""
        return (self.combinations.main_cards > 0).sum(axis=1) == 1

    @cached_property
    def is_order_only(self) -> bool:
        """True if labels of one rank exist for all ranks, and beat each other by kind and order of ranks alone.

        Within a kind exactly the higher ranks beat a lower one; between kinds the ranks do not matter.
        """
        game, single_rank_labels = self.combinations, np.flatnonzero(self.is_single_rank)
        kind, main = self.label_columns[single_rank_labels, KIND], self.label_columns[single_rank_labels, MAIN] // 3
        ranks, kinds = game.main_cards.shape[1], int(kind.max(initial=-1)) + 1
        if len(single_rank_labels) != ranks * kinds or kinds * MAX_RANKS > 511:
            return False
        all_other_ranks = (game.kicker_ranks[single_rank_labels].sum(axis=1) == ranks - 1) & ~game.kicker_ranks[
            single_rank_labels, main
        ]
        if not all_other_ranks[game.kickers[single_rank_labels] > 0].all():
            return False
        for kind_index in range(kinds):
            columns = single_rank_labels[kind == kind_index]
            rows = game.beats[:, columns]
            is_same_kind = np.isin(np.arange(len(rows)), columns)
            higher = main[kind == kind_index][None, :] > self.label_columns[columns, MAIN][:, None] // 3
            if (rows[is_same_kind] != higher).any() or (rows[~is_same_kind] != rows[~is_same_kind][:, :1]).any():
                return False
        return True

    def build_root(self, race: RacePosition) -> SearchRoot:
        """Select the labels of a search.

        Args:
            race: Position with two open hands.

        Returns:
            The labels that one of the hands can play, and the label to beat.
        """
        game = self.combinations
        possible = self.playable_labels(np.array(race.own_hand)) | self.playable_labels(np.array(race.other_hand))
        if race.to_beat != LEADING:
            possible[race.to_beat] = True
        labels = self.label_order[possible[self.label_order]]
        needs, cards = game.main_cards[labels], self.label_columns[labels, CARDS]
        words = [_pack_label_sets(needs[:, rank] <= np.arange(5)[:, None]) for rank in range(needs.shape[1])]
        words += [np.zeros((5, words[0].shape[1]), np.uint64)] * (MAX_RANKS - len(words))
        words.append(_pack_label_sets(cards == np.arange(MAX_CARDS + 1)[:, None]))
        words.append(_pack_label_sets(np.stack([game.kickers[labels] > 0, ~self.is_single_rank[labels]])))
        words.append(_pack_label_sets(game.beats[np.ix_(labels, labels)]))
        return SearchRoot(labels, self.label_columns[labels], np.concatenate(words), self.is_order_only)

    def playable_labels(self, hand: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool[labels]: whether a hand, int64[ranks], can play a label."""
        game = self.combinations
        spare = game.kicker_ranks & (hand >= np.maximum(game.kicker_size, 1)[:, None])
        return (game.main_cards <= hand).all(axis=1) & (spare.sum(axis=1) >= game.kickers)


def _pack_label_sets(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack bool[rows, labels] to uint64[rows, W]."""
    width = max(1, -(-rows.shape[1] // 64))
    full = np.zeros((len(rows), 64 * width), np.bool_)
    full[:, : rows.shape[1]] = rows
    return np.packbits(full, axis=1, bitorder="little").view(np.uint64)


def pack_hand(hand: NDArray[np.integer]) -> int:
    """Pack a hand, int[ranks] copies, to an integer."""
    return int((hand.astype(np.int64) << 3 * np.arange(len(hand))).sum())


def unpack_hand(hand: int, ranks: int) -> NDArray[np.int64]:
    """Unpack an integer to a hand, int64[ranks] copies."""
    return hand >> 3 * np.arange(ranks) & 7
