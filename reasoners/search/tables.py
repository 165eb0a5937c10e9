"""What the search knows of a game, as bits: labels become places in words, hands become numbers.

A hand has three bits a rank. The labels that either hand can lay down at the root are numbered so that what beats a
label comes behind it; a set of labels is a row of words. Everything is read off the combinations of a knowledge base.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.endgame import RaceCombinations, RacePosition
from abl_cards.games.types import LEADING

MAX_RANKS, MAX_COPIES, MAX_CARDS = 13, 4, 26
"""What fits into an entry of the transposition table."""

NEED, CARDS, KICKERS, KICKER_SIZE, SPARE, KIND, MAIN = range(7)
"""Columns of SearchRoot.labels: main cards as a hand, number of cards, groups of kickers, cards in each, ranks they may
be of (the lowest bit of each), the labels it is compared with, its rank as a shift."""
COLUMNS = 7

WITHIN_COPIES = 0
"""Rows of SearchRoot.words: labels that need at most so many of a rank, five rows a rank; by cards; with kickers;
runs."""
BY_CARDS = 5 * MAX_RANKS
WITH_KICKERS = BY_CARDS + MAX_CARDS + 1
SEVERAL_RANKS = WITH_KICKERS + 1
BEATERS = SEVERAL_RANKS + 1  # and one row a label: what may be laid on it


@dataclass(frozen=True)
class SearchRoot:
    """The labels that matter in one search."""

    label_ids: NDArray[np.int64]  # [n] labels of the game
    labels: NDArray[np.int64]  # [n, COLUMNS]
    label_sets: NDArray[np.uint64]  # [BEATERS + n, W]
    can_merge_ranks: bool  # whether loose ranks count by their order alone


@dataclass(frozen=True)
class SearchTables:
    """The combinations of a game, prepared; ``build_root`` picks what two hands need."""

    combinations: RaceCombinations

    def __post_init__(self) -> None:
        """Raise GameError for a game that is too large."""
        needs = self.combinations.main_cards
        if needs.shape[1] > MAX_RANKS or needs.max(initial=0) > MAX_COPIES:
            raise GameError(f"the search knows games of at most {MAX_RANKS} ranks with {MAX_COPIES} cards each")
        if not self.is_ordered:
            raise GameError("the search knows games where the weakest reply to a play tells all replies; see beats/1")

    @cached_property
    def label_order(self) -> NDArray[np.int64]:
        """[labels] from what most labels beat to what none beats: replies to a play are what comes behind one place."""
        return np.argsort(-self.combinations.beats.sum(axis=1), kind="stable")

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the first of some replies tells all of them, whatever the hand: then it names a position."""
        rows = self.combinations.beats[self.label_order][:, self.label_order]
        for label in range(len(rows)):
            replied = rows[rows[:, label], label:]
            if len(replied) and (replied != replied[0]).any():
                return False
        return True

    @cached_property
    def label_columns(self) -> NDArray[np.int64]:
        """[labels, COLUMNS] in the game's order."""
        game = self.combinations
        shifts = 3 * np.arange(game.main_cards.shape[1])
        kinds: dict[tuple[int, ...], int] = {}
        table = np.zeros((len(game.labels), COLUMNS), np.int64)
        table[:, NEED] = (game.main_cards.astype(np.int64) << shifts).sum(axis=1)
        table[:, CARDS], table[:, KICKERS], table[:, KICKER_SIZE] = game.num_cards, game.kickers, game.kicker_size
        table[:, SPARE] = (game.kicker_ranks.astype(np.int64) << shifts).sum(axis=1)
        for place in np.flatnonzero(self.is_single_rank):
            kind = (int(game.main_cards[place].max()), int(game.kickers[place]), int(game.kicker_size[place]))
            table[place, KIND] = kinds.setdefault(kind, len(kinds))
            table[place, MAIN] = 3 * int(game.main_cards[place].argmax())
        return table

    @cached_property
    def is_single_rank(self) -> NDArray[np.bool_]:
        """[labels] whether the main cards are of one rank."""
        return (self.combinations.main_cards > 0).sum(axis=1) == 1

    @cached_property
    def is_order_only(self) -> bool:
        """Whether labels of one rank exist for every rank, and beat each other by kind and by which rank is higher.

        Of one kind the higher rank beats the lower one and nothing else does; between kinds the ranks do not matter.
        """
        game, places = self.combinations, np.flatnonzero(self.is_single_rank)
        kind, main = self.label_columns[places, KIND], self.label_columns[places, MAIN] // 3
        ranks, kinds = game.main_cards.shape[1], int(kind.max(initial=-1)) + 1
        if len(places) != ranks * kinds or kinds * MAX_RANKS > 511:
            return False
        loose = (game.kicker_ranks[places].sum(axis=1) == ranks - 1) & ~game.kicker_ranks[places, main]
        if not loose[game.kickers[places] > 0].all():
            return False
        for one in range(kinds):
            columns = places[kind == one]
            rows = game.beats[:, columns]
            same = np.isin(np.arange(len(rows)), columns)
            higher = main[kind == one][None, :] > self.label_columns[columns, MAIN][:, None] // 3
            if (rows[same] != higher).any() or (rows[~same] != rows[~same][:, :1]).any():
                return False
        return True

    def build_root(self, race: RacePosition) -> SearchRoot:
        """The labels that one of the two hands can lay down, and what there is to beat, as words."""
        game = self.combinations
        possible = self.playable_labels(np.array(race.own_hand)) | self.playable_labels(np.array(race.other_hand))
        if race.to_beat != LEADING:
            possible[race.to_beat] = True
        chosen = self.label_order[possible[self.label_order]]
        needs, cards = game.main_cards[chosen], self.label_columns[chosen, CARDS]
        words = [_pack_label_sets(needs[:, rank] <= np.arange(5)[:, None]) for rank in range(needs.shape[1])]
        words += [np.zeros((5, words[0].shape[1]), np.uint64)] * (MAX_RANKS - len(words))
        words.append(_pack_label_sets(cards == np.arange(MAX_CARDS + 1)[:, None]))
        words.append(_pack_label_sets(np.stack([game.kickers[chosen] > 0, ~self.is_single_rank[chosen]])))
        words.append(_pack_label_sets(game.beats[np.ix_(chosen, chosen)]))
        return SearchRoot(chosen, self.label_columns[chosen], np.concatenate(words), self.is_order_only)

    def playable_labels(self, hand: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[labels] what a hand can lay down."""
        game = self.combinations
        spare = game.kicker_ranks & (hand >= np.maximum(game.kicker_size, 1)[:, None])
        return (game.main_cards <= hand).all(axis=1) & (spare.sum(axis=1) >= game.kickers)


def _pack_label_sets(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """[rows, W] the bits of [rows, labels]."""
    width = max(1, -(-rows.shape[1] // 64))
    full = np.zeros((len(rows), 64 * width), np.bool_)
    full[:, : rows.shape[1]] = rows
    return np.packbits(full, axis=1, bitorder="little").view(np.uint64)


def pack_hand(hand: NDArray[np.integer]) -> int:
    """A hand [ranks] as a number."""
    return int((hand.astype(np.int64) << 3 * np.arange(len(hand))).sum())


def unpack_hand(hand: int, ranks: int) -> NDArray[np.int64]:
    """The copies of each rank [ranks] of a number."""
    return hand >> 3 * np.arange(ranks) & 7
