"""Packed masks of very many forms: draws and masks equal those of games with few forms."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled import compiled_game
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD
from tests.effort import amount
from tests.games.notation.folders import rules_of
from tests.games.random_play import match_keys, random_moves, step

GAME = """
#include <seats>. #include <climbing>. #include <playable>.
rank(1..7). suit(a;b;c). pack(card(R,T),2) :- rank(R), suit(T).
seat(0..2). deals(S,14) :- seat(S). leads(0). over :- out(_). match_over.
label(set(R,N)) :- rank(R), N = 1..4. label(house(R)) :- rank(R). label(pass).
named(house(R)) :- rank(R). form(L,L) :- label(L), not named(L).
form(house(R),house(R,P,Q)) :- rank(R), rank(P), rank(Q), P < Q, P != R, Q != R.
form(house(R),same(R,T)) :- rank(R), suit(T).
kind(set(R,N),N) :- label(set(R,N)). kind(F,house) :- form(house(_),F). kind(pass,pass).
strength(set(R,N),R) :- label(set(R,N)). strength(F,R) :- form(house(R),F).
needs(set(R,N),1,R,N) :- label(set(R,N)). needs(same(R,T),1,card(R,T),2) :- rank(R), suit(T).
needs(house(R,P,Q),1,R,3) :- form(_,house(R,P,Q)).
needs(house(R,P,Q),2,P,1) :- form(_,house(R,P,Q)). needs(house(R,P,Q),3,Q,1) :- form(_,house(R,P,Q)).
"""
OPENING = "includes(card(2,b)) :- leading, in_hand(card(2,b),1)."
"""Rules by which the leader plays a card that it holds, so that all answers are unpacked."""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return rules_of(tmp_path_factory.mktemp("game"), GAME)


def _games(plain: CompiledGame, monkeypatch: pytest.MonkeyPatch) -> tuple[CompiledGame, CompiledGame]:
    """Return a game and a copy of it whose answers are left packed."""
    packed = replace(plain)
    assert plain.move_query.label_forms is None
    monkeypatch.setattr(compiled_game, "MIN_PACKED_FORMS", 1)
    assert packed.move_query.label_forms is not None
    return plain, packed


def _decisions(tables: Tables) -> Decisions:
    return tables.decisions(tables.rows_to_play())


@pytest.mark.parametrize("more", ["", OPENING], ids=["", "opening"])
def test_packed_draws_and_masks_equal_unpacked(
    game: CompiledGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    games = _games(rules_of(tmp_path, GAME + more) if more else game, monkeypatch)
    tables = [Tables.begin(rules, match_keys(amount(14, 70), 3)) for rules in games]
    houses = 0
    while tables[0].rows_to_play().size:
        plain, packed = map(_decisions, tables)
        keys = splitmix64_array(plain.rows.astype(np.uint64), 5)
        moves, drawn = random_moves(plain, keys), random_moves(packed, keys)
        assert all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(moves, drawn, strict=True))
        rows = np.arange(0, len(keys), 2)
        some, theirs = plain.select(rows), packed.select(rows)
        houses += sum("house" in games[0].label_texts[label] for label in plain.labels_of(moves.form))
        for name in ("legal_mask", "form_mask", "required_cards"):
            assert np.array_equal(getattr(plain, name), getattr(packed, name))
            assert np.array_equal(getattr(some, name), getattr(theirs, name))
        assert all(
            np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(some.moves(), theirs.moves(), strict=True)
        )
        labels = games[0].forms.label_of[moves.form]
        firsts = plain.first_moves(labels), packed.first_moves(labels)
        assert all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(*firsts, strict=True))
        step(tables[0])
        step(tables[1])
    assert houses > 20


def test_labels_of_many_forms_are_drawn_uniformly(game: CompiledGame) -> None:
    rules = game
    decisions = _decisions(Tables.begin(rules, match_keys(40, 8)))
    label_of, lists = rules.forms.label_of, decisions.moves()
    for row in range(40):
        moves = slice(lists.start[row], lists.start[row + 1])
        label = label_of[lists.form[moves][-1]]
        sets = {
            (int(form), tuple(sorted(cards[cards != NO_CARD].tolist())))
            for form, cards in zip(lists.form[moves], lists.cards[moves], strict=True) if label_of[form] == label
        }  # fmt: skip
        alone = decisions.select(np.full(1, row))
        drawn, number = alone.try_sample_moves(np.array([label]), np.array([row], np.uint64))
        assert number[0] == (label_of[lists.form[moves]] == label).sum()
        assert (int(drawn.form[0]), tuple(sorted(drawn.cards[0][drawn.cards[0] != NO_CARD].tolist()))) in sets
