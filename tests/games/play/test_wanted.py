"""Cards that must be among those laid down: labels that can hold them, and card sets drawn among those that do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.games import game
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.tables import Tables
from abl_cards.games.play.wanted import keep_labels
from abl_cards.games.tables import MoveLists
from abl_cards.streams import below_all, key_of, mix_all
from tests.games.words.folders import rules_of


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


def test_a_column_of_the_wanted_cards_is_found_by_its_place_among_the_rows() -> None:
    lists = MoveLists(np.array([0, 1, 2]), np.array([0, 1], np.int16), np.array([[0], [1]], np.uint8))
    wanted = np.array([[1, 0], [0, 1]], np.uint8)  # of row 1 the first card, of row 0 the other
    legal = np.ones((2, 2), np.uint8)
    keep_labels(legal, lists, np.array([0, 1], np.int16), wanted, np.array([1, 0]))
    assert legal.tolist() == [[1, 1], [1, 1]]


def test_tables_out_of_step_open_with_the_card(tmp_path: Path) -> None:
    """Few of many tables begin, and these are the last ones: each has the legal labels that it has by itself."""
    rules = rules_of(tmp_path, OPENING)
    assert rules.asked.fixed is not None
    tables = Tables.begin(rules, mix_all(np.arange(300).astype(np.uint64), 1))
    for _ in range(2):
        which = tables.playing()[:290]
        decisions = tables.decisions(which)
        tables.play(which, decisions.realise_first(decisions.legal.argmax(axis=0).astype(np.int16)))
    which = tables.playing()
    decisions = tables.decisions(which)
    opens = decisions.includes.any(axis=0)
    assert 0 < opens.sum() <= 10
    alone = [tables.decisions(which[row : row + 1]).legal[:, 0] for row in range(len(which))]
    assert np.array_equal(decisions.legal, np.stack(alone, axis=1))
    lists = decisions.moves()
    there = np.zeros_like(decisions.legal)
    there[decisions.labels_of(lists.form), lists.decision] = 1
    assert np.array_equal(decisions.legal, there)
