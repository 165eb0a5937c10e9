"""Cards that must be among those laid down: labels that can hold them, and card sets drawn among those that do."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games import game
from abl_cards.games.play.decisions import Decisions
from abl_cards.streams import below_all, key_of, mix_all


def openings(name: str, profile: str | None) -> Decisions:
    """The first plays of many games, which must all hold a card."""
    engine = game(name).engine(profile=profile)
    tables = engine.tables(mix_all(np.full(400, key_of(5), np.uint64), np.arange(400)))
    decisions = tables.decisions(tables.playing())
    assert decisions.includes.any(axis=0).all()
    return decisions


@pytest.mark.parametrize(("name", "profile"), [("paodekuai", None), ("bigtwo", "standard"), ("bigtwo", "triples")])
def test_labels_and_card_sets_are_those_of_lists(name: str, profile: str | None) -> None:
    decisions = openings(name, profile)
    whole = Decisions(decisions.view)
    whole._found = whole._asked.told.ask(len(whole.view), whole.view.fills)  # nothing is dropped that lacks the card
    lists = whole.moves()
    there = np.zeros_like(decisions.legal)
    there[decisions.labels_of(lists.form), lists.decision] = 1
    assert np.array_equal(decisions.legal, there)
    for seed in range(4):
        keys = mix_all(np.full(len(decisions.view), key_of(seed), np.uint64), np.arange(len(decisions.view)))
        lot = below_all(keys, decisions.legal.sum(axis=0, dtype=np.int64))
        labels = (decisions.legal.cumsum(axis=0) <= lot).sum(axis=0).astype(np.int16)
        some = decisions.moves(labels)
        for moves, chosen in (
            (decisions.realise_random(labels, keys), below_all(keys, np.diff(some.start))),
            (decisions.realise_first(labels), 0),
        ):
            expected = some.rows(some.start[:-1] + chosen)
            assert np.array_equal(moves.form, expected.form)
            assert np.array_equal(moves.cards, expected.cards)
