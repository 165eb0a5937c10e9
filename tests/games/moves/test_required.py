"""Required cards: the labels that can contain them, and draws among the card sets that do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.rng import derive_key, scale_to_range_array, splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.moves.required import filter_labels
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.legal_card_sets import LegalCardSets
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import MoveLists
from tests.effort import amount, long
from tests.games.notation.folders import rules_of

TABLES = amount(60, 400)


def openings(name: str, profile: str | None) -> Decisions:
    """Return the first plays of many games, all of which have a required card."""
    engine = load(name).engine(profile=profile)
    tables = engine.start_matches(splitmix64_array(np.full(TABLES, derive_key(5), np.uint64), np.arange(TABLES)))
    decisions = tables.decisions(tables.rows_to_play())
    assert decisions.required_cards.any(axis=0).all()
    return decisions


@pytest.mark.parametrize(
    ("name", "profile"),
    [("paodekuai", None), ("bigtwo", "standard"), pytest.param("bigtwo", "triples", marks=long)],
)
def test_draws_with_required_cards_equal_filtered_lists(name: str, profile: str | None) -> None:
    decisions = openings(name, profile)
    view, query = decisions.view, decisions.rules.move_query
    outputs = query.query.evaluate(len(view), view.column_writers)  # labels without the card are still legal in these
    whole = Decisions(view, LegalCardSets(view, query, outputs))
    lists = whole.moves()
    has_set = np.zeros_like(decisions.legal_mask)
    has_set[decisions.labels_of(lists.form), lists.decision_index] = 1
    assert np.array_equal(decisions.legal_mask, has_set)
    for seed in range(4):
        keys = splitmix64_array(
            np.full(len(decisions.view), derive_key(seed), np.uint64), np.arange(len(decisions.view))
        )
        index = scale_to_range_array(keys, decisions.legal_mask.sum(axis=0, dtype=np.int64))
        labels = (decisions.legal_mask.cumsum(axis=0) <= index).sum(axis=0).astype(np.int16)
        filtered = decisions.moves(labels)
        for moves, chosen in (
            (decisions.sample_moves(labels, keys), scale_to_range_array(keys, np.diff(filtered.start))),
            (decisions.first_moves(labels), 0),
        ):
            expected = filtered.select(filtered.start[:-1] + chosen)
            assert np.array_equal(moves.form, expected.form)
            assert np.array_equal(moves.cards, expected.cards)


OPENING = """
% Two seats of five cards each; who holds the lowest card leads with it, alone or as a pair with the next one.
#include <seats>.
#include <climbing>.
rank(1..5). suit(c;d).
pack(card(R,T),1) :- rank(R), suit(T).
seat(0..1).
deals(S,5) :- seat(S).
#external holds(S,C,N) : seat(S), pack(C,N).
#external acts(N) : N = 1.
leads(S) :- holds(S,card(1,c),1).
includes(card(1,c)) :- leading, not acts(1).
over :- out(_).
match_over.
label(single(R,T)) :- pack(card(R,T),_). label(pair(R)) :- rank(R). label(pass).
form(L,L) :- label(L).
kind(single(R,T),single) :- label(single(R,T)). kind(pair(R),pair) :- rank(R). kind(pass,pass).
needs(single(R,T),1,card(R,T),1) :- label(single(R,T)).
needs(pair(R),1,card(R,c),1) :- rank(R). needs(pair(R),2,card(R,d),1) :- rank(R).
strength(single(R,T),R) :- label(single(R,T)). strength(pair(R),R) :- rank(R).
#external held(R,T,N) : pack(card(R,T),N).
lacking(F) :- needs(F,_,card(R,T),1), not held(R,T,1).
playable(F) :- form(_,F), not lacking(F).
"""


def test_filter_labels_accepts_unsorted_rows() -> None:
    lists = MoveLists(np.array([0, 1, 2]), np.array([0, 1], np.int16), np.array([[0], [1]], np.uint8))
    required = np.array([[1, 0], [0, 1]], np.uint8)  # of row 1 the first card, of row 0 the other
    legal = np.ones((2, 2), np.uint8)
    filter_labels(legal, lists, np.array([0, 1], np.int16), required, np.array([1, 0]))
    assert legal.tolist() == [[1, 1], [1, 1]]


def test_masks_at_the_first_play_do_not_depend_on_other_tables(tmp_path: Path) -> None:
    """Only the last tables are at their first play; the mask of each is the one it has alone."""
    rules = rules_of(tmp_path, OPENING)
    assert rules.move_query.lookup is not None
    tables = Tables.begin(rules, splitmix64_array(np.arange(300).astype(np.uint64), 1))
    for _ in range(2):
        rows = tables.rows_to_play()[:290]
        decisions = tables.decisions(rows)
        tables.play(rows, decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16)))
    rows = tables.rows_to_play()
    decisions = tables.decisions(rows)
    opens = decisions.required_cards.any(axis=0)
    assert 0 < opens.sum() <= 10
    alone = [tables.decisions(rows[row : row + 1]).legal_mask[:, 0] for row in range(len(rows))]
    assert np.array_equal(decisions.legal_mask, np.stack(alone, axis=1))
    lists = decisions.moves()
    has_set = np.zeros_like(decisions.legal_mask)
    has_set[decisions.labels_of(lists.form), lists.decision_index] = 1
    assert np.array_equal(decisions.legal_mask, has_set)
