"""The best card set of every label, and random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.abduction.best_cards_per_label import find_best_cards, plays_after
from abl_cards.reasoners.abduction.minimiser import Minimiser
from tests.edited import STRICT, edited


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load("guandan").engine(Path(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT)))


def test_the_best_card_set_of_a_label_is_the_minimisers(strict: Any) -> None:
    decisions, judge = sample_from_play(strict, 60, seed=2), strict.preference_model()
    found = find_best_cards(strict, judge, decisions)
    for label in range(0, len(strict.labels), 3):
        legal = np.flatnonzero(decisions.legal_mask[label])
        if legal.size:
            some, labels = decisions.select(legal), np.full(len(legal), label, np.int16)
            wanted = Minimiser(judge).realise_labels(some, labels)
            assert (found.lists.select(found.best_row[legal, label]).cards == wanted.cards).all()


def test_plays_are_counted_after_the_best_card_set_of_each_label(strict: Any) -> None:
    decisions = sample_from_play(strict, 60, seed=2)
    found = find_best_cards(strict, strict.preference_model(), decisions)
    plays, left = plays_after(strict, decisions, found), strict.plays_left(decisions, found.lists)
    for (row, label), best in np.ndenumerate(found.best_row):
        assert plays[row, label] == (left[best] if best >= 0 else 0)
    assert found.has_choice.tolist() == [len(np.flatnonzero(row)) > 1 for row in found.choosable]


def test_random_card_sets_are_consistent_ones_of_their_label_and_all_of_them_come_up(strict: Any) -> None:
    decisions = sample_from_play(strict, 40, seed=2)
    found = find_best_cards(strict, strict.preference_model(), decisions)
    fits = np.bincount(found.lists.decision_index[found.is_consistent], minlength=40)
    labels = np.array([label[sound].max() for label, sound in _by_decision(found)], np.int16)
    seen: list[set[int]] = [set() for _ in range(40)]
    for draw in range(200):
        rows = found.select_rows(labels, splitmix64_array(np.arange(40).astype(np.uint64), draw))
        assert (found.lists.decision_index[rows] == np.arange(40)).all()
        assert (found.label[rows] == labels).all()
        assert found.is_consistent[rows].all() or (fits[~found.is_consistent[rows]] == 0).all()
        for place, row in enumerate(rows):
            seen[place].add(int(row))
    for place, (label, sound) in enumerate(_by_decision(found)):
        there = int(((label == labels[place]) & sound).sum())
        if 0 < there <= 20:
            assert len(seen[place]) == there


def _by_decision(found: Any) -> list[tuple[Any, Any]]:
    """The labels of the candidates of each decision, and which are consistent; all of them where none is."""
    parts = []
    for first, last in zip(found.lists.start[:-1], found.lists.start[1:], strict=True):
        sound = found.is_consistent[first:last]
        parts.append((found.label[first:last], sound if sound.any() else np.ones_like(sound)))
    return parts


def test_draws_are_even(strict: Any) -> None:
    """A label with several card sets: each comes up about as often."""
    moment = strict.read_decision_point({"level": "8", "hand": ["S3", "H3", "C3", "D3", "S9"], "to_beat": None})
    found = find_best_cards(strict, strict.preference_model(), moment.decision)
    pair = list(moment.labels).index("pair(3)")
    label = found.label[[pair]]
    rows = [
        found.select_rows(label, np.array([key], np.uint64))[0]
        for key in splitmix64_array(np.arange(3000).astype(np.uint64), 9)
    ]
    _, counts = np.unique(rows, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 500) ** 2 / 500).sum() < 20.5  # chi-square with 5 degrees of freedom, one run in a thousand
