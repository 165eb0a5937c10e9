"""The best card set of every label, and random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.games import game
from abl_cards.positions import met_in_play
from abl_cards.streams import mix_all
from reasoners.minimiser import Minimiser
from reasoners.survey import plays_after, survey
from tests.edited import STRICT, edited


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return game("guandan").engine(Path(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT)))


def test_the_best_card_set_of_a_label_is_the_minimisers(strict: Any) -> None:
    decisions, judge = met_in_play(strict, 60, seed=2), strict.judge()
    found = survey(strict, judge, decisions)
    for label in range(0, len(strict.labels), 3):
        legal = np.flatnonzero(decisions.legal[label])
        if legal.size:
            some, labels = decisions.at(legal), np.full(len(legal), label, np.int16)
            wanted = Minimiser(judge).realise_labels(some, labels)
            assert (found.lists.rows(found.row[legal, label]).cards == wanted.cards).all()


def test_plays_are_counted_after_the_best_card_set_of_each_label(strict: Any) -> None:
    decisions = met_in_play(strict, 60, seed=2)
    found = survey(strict, strict.judge(), decisions)
    plays, left = plays_after(strict, decisions, found), strict.plays_left(decisions, found.lists)
    for (row, label), best in np.ndenumerate(found.row):
        assert plays[row, label] == (left[best] if best >= 0 else 0)
    assert found.several.tolist() == [len(np.flatnonzero(row)) > 1 for row in found.choosable]


def test_random_card_sets_are_consistent_ones_of_their_label_and_all_of_them_come_up(strict: Any) -> None:
    decisions = met_in_play(strict, 40, seed=2)
    found = survey(strict, strict.judge(), decisions)
    fits = np.bincount(found.lists.decision[found.sound], minlength=40)
    labels = np.array([label[sound].max() for label, sound in _by_decision(found)], np.int16)
    seen: list[set[int]] = [set() for _ in range(40)]
    for draw in range(200):
        rows = found.rows_of(labels, mix_all(np.arange(40).astype(np.uint64), draw))
        assert (found.lists.decision[rows] == np.arange(40)).all()
        assert (found.label[rows] == labels).all()
        assert found.sound[rows].all() or (fits[~found.sound[rows]] == 0).all()
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
        sound = found.sound[first:last]
        parts.append((found.label[first:last], sound if sound.any() else np.ones_like(sound)))
    return parts


def test_draws_are_even(strict: Any) -> None:
    """A label with several card sets: each comes up about as often."""
    moment = strict.moment({"level": "8", "hand": ["S3", "H3", "C3", "D3", "S9"], "to_beat": None})
    found = survey(strict, strict.judge(), moment.decision)
    pair = list(moment.labels).index("pair(3)")
    label = found.label[[pair]]
    rows = [
        found.rows_of(label, np.array([key], np.uint64))[0] for key in mix_all(np.arange(3000).astype(np.uint64), 9)
    ]
    _, counts = np.unique(rows, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 500) ** 2 / 500).sum() < 20.5  # chi-square with 5 degrees of freedom, one run in a thousand
