"""Baseline agents without preferences and networks.

- ``random`` is uniform over the legal labels, then over the card sets of the label.
- ``greedy`` follows with the weakest beater of the same type, else with the weakest bomb. Else it plays the weakest
  play of another type where the rules allow one, else it passes. It leads the label with most cards, weakest first, and
  plays the first card set in wire order. In trick games it follows with the lowest play that takes the trick, else with
  the lowest play without points, and leads in the same way. It makes the bid with the highest mean points when bids are
  random and all seats play like this (``bid_value``). It chooses the lowest card where the order depends on a trump
  suit. Where tricks cost points (``trick_value``) it leads low and gives the highest cards. It follows with the highest
  play that does not take the trick, cards with most points first.
- ``zhiduoxing`` 智多星 (Tan et al. 2020, section 2.3) is ``greedy``, but leads a bomb only when there is nothing else.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.core import copy_values, device_function, kernel, map_ranges, scale_to_range, splitmix64
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import NO_CARD, LabelTraits, MoveLists, Moves

_BATCH_SIZE = 1024
"""Decisions per batch, so that their counts stay in the cache."""
MANY_LABELS, _LABEL_BLOCK = 1024, 64


class RandomAgent:
    """Agent ``random``: uniform over the legal labels, then over the card sets of the label."""

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return a random legal move for each decision."""
        legal = decisions.legal_mask
        return decisions.sample_labels_and_moves(lambda lo, hi, labels: draw_labels(legal, keys, lo, hi, labels), keys)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return a random legal option for each choice: uint8 [n]."""
        cards = np.zeros(len(keys), np.int16)
        draw_labels(np.ascontiguousarray(choices.options.T), keys, 0, len(keys), cards)
        return cards.astype(np.uint8)


class GreedyAgent:
    """Agent ``greedy``: follows with the weakest beater, leads the label with most cards, chooses the lowest card."""

    def __init__(
        self,
        traits: LabelTraits,
        avoids_tricks: bool = False,
        bid_values: NDArray[np.float64] | None = None,
        rules: CompiledGame | None = None,
    ) -> None:
        """Make an agent.

        Args:
            traits: Kinds, sizes and bombs among the labels of the game.
            avoids_tricks: Whether the agent avoids taking tricks, for games where they cost points.
            bid_values: Mean points of each option, NaN for cards: float64 [options]; None to choose the first legal
                option.
            rules: Rules of the game; decisions of other games are rejected. None for no check.
        """
        self.rules = rules
        self._traits, self._avoids_tricks, self._bid_values = traits, avoids_tricks, bid_values

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the move of the heuristic for each decision."""
        if self._avoids_tricks:
            return _trick_avoiding_moves(decisions)
        if self._traits.has_tricks:
            return _greedy_trick_moves(decisions)
        labels = np.zeros(len(keys), np.int16)
        seen = decisions.legal_mask, decisions.label_to_beat, decisions.ranking
        traits = self._traits
        map_ranges(
            len(keys),
            lambda lo, hi: _greedy_labels(
                traits.kind, traits.min_cards, traits.is_bomb, traits.pass_label, *seen, lo, hi, labels
            ),
        )
        return decisions.first_moves(labels)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the first legal option, or the lowest card where the order depends on the trump: uint8 [n].

        Where tricks cost points, return the highest card. Among bids for tricks, return the one with the highest mean
        points.
        """
        if self._avoids_tricks:
            return _choose_highest(choices)
        if self._traits.has_tricks and len(choices.rules.contexts) > 1:
            return _choose_lowest(choices)
        return _choose_first(choices) if self._bid_values is None else _choose_best_bid(choices, self._bid_values)


def _choose_first(choices: Choices) -> NDArray[np.uint8]:
    first: NDArray[np.uint8] = choices.options.argmax(axis=1).astype(np.uint8)
    return first


def _choose_best_bid(choices: Choices, values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the open option of most value: uint8 [n]; the first one where any has no value."""
    is_open = choices.options > 0
    best = np.where(is_open, np.nan_to_num(values), -np.inf).argmax(axis=1).astype(np.uint8)
    chosen: NDArray[np.uint8] = np.where((is_open & np.isnan(values)).any(axis=1), _choose_first(choices), best)
    return chosen


def _choose_lowest(choices: Choices) -> NDArray[np.uint8]:
    """Return the lowest option as a play of one card: uint8 [n]; options that are no card come first."""
    ranks = np.where(choices.options > 0, _option_ranks(choices), len(choices.rules.labels))
    lowest: NDArray[np.uint8] = ranks.argmin(axis=1).astype(np.uint8)
    return lowest


def _choose_highest(choices: Choices) -> NDArray[np.uint8]:
    """Return the highest option as a play of one card: uint8 [n]; the first where none is a card."""
    highest: NDArray[np.uint8] = (
        np.where(choices.options > 0, _option_ranks(choices), -2).argmax(axis=1).astype(np.uint8)
    )
    return highest


def _option_ranks(choices: Choices) -> NDArray[np.int64]:
    """Return the ranks of the options as plays of one card: [n, options]; -1 where an option is not a card."""
    rules, context = choices.rules, choices.view.context
    kinds = np.array([rules.pack.index.get(option, -1) for option in rules.schema.options])
    label = rules.forms.label_of[rules.single_card_forms[:, kinds]]
    ranks: NDArray[np.int64] = np.where(kinds < 0, -1, rules.label_ranking[context[:, None], label[context]])
    return ranks


def _greedy_trick_moves(decisions: Decisions) -> Moves:
    """Lead the longest play, follow with one that takes the trick, else with one without points; always the lowest."""
    lists, points, rank = _rate_trick_moves(decisions)
    leads, takes = decisions.to_beat[lists.decision_index] < 0, decisions.takes_trick(lists) == 1
    num_cards = (lists.cards != NO_CARD).sum(axis=1)
    first = np.where(leads, -num_cards, np.where(takes, -1, np.maximum(points, 0)))
    return _select_first(lists, first, rank)


def _trick_avoiding_moves(decisions: Decisions) -> Moves:
    """Lead the lowest play; follow below the trick with most points, then the highest, else take it with fewest."""
    lists, points, rank = _rate_trick_moves(decisions)
    leads, takes = decisions.to_beat[lists.decision_index] < 0, decisions.takes_trick(lists) == 1
    ducks = ~leads & ~takes
    return _select_first(lists, ~ducks, np.where(ducks, -points, points), np.where(ducks, -rank, rank))


def _rate_trick_moves(decisions: Decisions) -> tuple[MoveLists, NDArray[np.int64], NDArray[np.integer]]:
    """Return the moves of decisions, the points of the cards in each, and its rank."""
    lists, card_points = decisions.moves(), decisions.rules.card_points
    points = np.where(lists.cards != NO_CARD, card_points[np.minimum(lists.cards, len(card_points) - 1)], 0)
    rank = decisions.ranking[lists.decision_index, decisions.labels_of(lists.form)]
    return lists, points.sum(axis=1), rank


def _select_first(lists: MoveLists, *values: NDArray[np.generic]) -> Moves:
    """Return the move of each decision with the least values, of which the first counts most."""
    order = np.lexsort((*reversed(values), lists.decision_index))
    return lists.select(order[lists.start[:-1]])


def make_zhiduoxing_agent(traits: LabelTraits, rules: CompiledGame | None = None) -> GreedyAgent:
    """Make ``zhiduoxing``: greedy, but a bomb is led last."""
    min_cards = np.where(traits.is_bomb, 0, traits.min_cards).astype(np.int8)
    return GreedyAgent(replace(traits, min_cards=min_cards), rules=rules)


@kernel
def draw_labels(legal, keys, lo, hi, labels):
    """Draw a legal label uniformly for each of decisions lo..hi-1.

    Args:
        legal: uint8 [labels, n], mask of legal labels.
        keys: uint64 [n], random keys.
        lo: First decision.
        hi: Decision after the last.
        labels: int16 [n], receives the labels; the number of labels where none is legal.
    """
    if legal.shape[0] > MANY_LABELS:
        _random_among_many(legal, keys, lo, hi, labels)
    else:
        _random_among_few(legal, keys, lo, hi, labels)


@device_function
def _random_among_few(legal, keys, lo, hi, labels):
    """Draw labels by reading the mask row by row, in memory order; rows of labels legal nowhere are read once.

    The drawn label is the legal one with as many legal ones before it as a random number.
    """
    there = np.zeros(legal.shape[0], np.bool_)
    for first in range(lo, hi, _BATCH_SIZE):
        size = min(_BATCH_SIZE, hi - first)
        count, chosen, lot = np.zeros(size, np.int16), np.full(size, legal.shape[0], np.int16), np.zeros(size, np.int16)
        for label in range(legal.shape[0]):
            row, any_legal = legal[label, first : first + size], np.uint8(0)
            for i in range(size):
                any_legal |= row[i]
            there[label] = any_legal != 0
            if any_legal != 0:
                for i in range(size):
                    count[i] += row[i]
        for i in range(size):
            lot[i] = np.int64(scale_to_range(splitmix64(keys[first + i], np.uint64(0)), np.uint64(count[i])))
        count[:] = 0
        for label in range(legal.shape[0]):
            if there[label]:
                row, number = legal[label, first : first + size], np.int16(label)
                for i in range(size):
                    chosen[i] = number if row[i] != 0 and count[i] == lot[i] else chosen[i]
                    count[i] += row[i]
        copy_values(chosen, labels[first:], size)


@device_function
def _random_among_many(legal, keys, lo, hi, labels):
    """Draw labels by counting the legal ones in blocks of labels; then only the block of the drawn one is read."""
    blocks = -(-legal.shape[0] // _LABEL_BLOCK)
    for first in range(lo, hi, _BATCH_SIZE):
        size = min(_BATCH_SIZE, hi - first)
        counts = np.zeros((blocks, size), np.uint8)
        for label in range(legal.shape[0]):
            row, count = legal[label, first : first + size], counts[label // _LABEL_BLOCK]
            for i in range(size):
                count[i] += row[i]
        for i in range(size):
            total = 0
            for block in range(blocks):
                total += counts[block, i]
            lot, block = np.int64(scale_to_range(splitmix64(keys[first + i], np.uint64(0)), np.uint64(total))), 0
            while block < blocks and lot >= counts[block, i]:
                lot -= counts[block, i]
                block += 1
            label = block * _LABEL_BLOCK
            while label < legal.shape[0]:
                lot -= legal[label, first + i]
                if lot < 0:
                    break
                label += 1
            labels[first + i] = min(label, legal.shape[0])


@kernel
def _greedy_labels(kind, cards, bomb, pass_label, legal, to_beat, ranking, lo, hi, labels):
    """Compute the greedy label for decisions lo..hi-1."""
    for i in range(lo, hi):
        best, best_class, best_place = -1, 0, 0
        for label in range(legal.shape[0]):
            if not legal[label, i]:
                continue
            if to_beat[i] < 0:
                rank = -cards[label]
            elif kind[label] == kind[to_beat[i]]:
                rank = 0
            elif bomb[label]:
                rank = 1
            else:
                rank = 3 if label == pass_label else 2
            place = ranking[i, label]
            if best < 0 or rank < best_class or (rank == best_class and place < best_place):
                best, best_class, best_place = label, rank, place
        labels[i] = best
