"""Tests of the best card set of every label, and of random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.abduction.best_cards_per_label import find_best_cards, plays_after
from abl_cards.reasoners.abduction.minimiser import Minimiser
from tests.effort import amount

NUM_RANDOM = amount(15, 40)
"""Decisions of which random card sets are drawn."""


def test_best_card_sets_equal_those_of_the_minimiser(strict_guandan: Any) -> None:
    decisions, judge = sample_from_play(strict_guandan, amount(24, 60), seed=2), strict_guandan.preference_model()
    best_cards = find_best_cards(strict_guandan, judge, decisions)
    for label in range(0, len(strict_guandan.labels), amount(9, 3)):
        legal = np.flatnonzero(decisions.legal_mask[label])
        if legal.size:
            selected, labels = decisions.select(legal), np.full(len(legal), label, np.int16)
            expected = Minimiser(judge).realise_labels(selected, labels)
            assert (best_cards.lists.select(best_cards.best_row[legal, label]).cards == expected.cards).all()


def test_plays_left_follow_the_best_card_set_of_each_label(strict_guandan: Any) -> None:
    decisions = sample_from_play(strict_guandan, amount(24, 60), seed=2)
    best_cards = find_best_cards(strict_guandan, strict_guandan.preference_model(), decisions)
    plays, left = (
        plays_after(strict_guandan, decisions, best_cards),
        strict_guandan.plays_left(decisions, best_cards.lists),
    )
    for (row, label), best in np.ndenumerate(best_cards.best_row):
        assert plays[row, label] == (left[best] if best >= 0 else 0)
    assert best_cards.has_choice.tolist() == [len(np.flatnonzero(row)) > 1 for row in best_cards.choosable]


def test_random_card_sets_are_consistent_and_cover_all_of_the_label(strict_guandan: Any) -> None:
    decisions = sample_from_play(strict_guandan, NUM_RANDOM, seed=2)
    best_cards = find_best_cards(strict_guandan, strict_guandan.preference_model(), decisions)
    fits = np.bincount(best_cards.lists.decision_index[best_cards.is_consistent], minlength=NUM_RANDOM)
    labels = np.array([label[sound].max() for label, sound in _split_by_decision(best_cards)], np.int16)
    seen: list[set[int]] = [set() for _ in range(NUM_RANDOM)]
    for draw in range(200):
        rows = best_cards.select_rows(labels, splitmix64_array(np.arange(NUM_RANDOM).astype(np.uint64), draw))
        assert (best_cards.lists.decision_index[rows] == np.arange(NUM_RANDOM)).all()
        assert (best_cards.label[rows] == labels).all()
        assert best_cards.is_consistent[rows].all() or (fits[~best_cards.is_consistent[rows]] == 0).all()
        for place, row in enumerate(rows):
            seen[place].add(int(row))
    for place, (label, sound) in enumerate(_split_by_decision(best_cards)):
        there = int(((label == labels[place]) & sound).sum())
        if 0 < there <= 20:
            assert len(seen[place]) == there


def _split_by_decision(best_cards: Any) -> list[tuple[Any, Any]]:
    """Return labels and consistency of the candidates by decision; if none is consistent, all count as such."""
    parts = []
    for first, last in zip(best_cards.lists.start[:-1], best_cards.lists.start[1:], strict=True):
        sound = best_cards.is_consistent[first:last]
        parts.append((best_cards.label[first:last], sound if sound.any() else np.ones_like(sound)))
    return parts


def test_random_card_sets_are_uniform(strict_guandan: Any) -> None:
    """Draw the card sets of a label about equally often."""
    moment = strict_guandan.read_decision_point({"level": "8", "hand": ["S3", "H3", "C3", "D3", "S9"], "to_beat": None})
    best_cards = find_best_cards(strict_guandan, strict_guandan.preference_model(), moment.decision)
    pair = list(moment.labels).index("pair(3)")
    label = best_cards.label[[pair]]
    rows = [
        best_cards.select_rows(label, np.array([key], np.uint64))[0]
        for key in splitmix64_array(np.arange(3000).astype(np.uint64), 9)
    ]
    _, counts = np.unique(rows, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 500) ** 2 / 500).sum() < 20.5  # chi-square with 5 degrees of freedom, one run in a thousand
