"""Bound on lists of card sets: more are an error that names a label, while single ones can be drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.cli import legal
from abl_cards.core.errors import ErrorCode, GameError, TooManyMovesError
from abl_cards.core.rng import scale_to_range_array, splitmix64_array
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import MAX_CARD_SETS, NO_CARD

COMMON = """
#include <seats>.
#include <climbing>.
seat(0..1).
leads(0).
over :- out(_).
match_over.
label(single(R)) :- rank(R). label(heap(R)) :- rank(R). label(pass).
form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(heap(R),heap) :- rank(R). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). needs(heap(R),1,R,1) :- rank(R).
kicker(heap(R),Q,1..7) :- rank(R), rank(Q), Q != R.
strength(single(R),R) :- rank(R). strength(heap(R),R) :- rank(R).
#external holding(N) : N = 1..60.
#external held(R,N) : rank(R), N = 1..7.
lacking(F) :- needs(F,_,R,N), not held(R,N).
playable(F) :- form(_,F), F != pass, not lacking(F).
playable(pass).
"""
SUITED = (
    COMMON
    + """
#include <pack52>.
deals(S,20) :- seat(S).
kickers(heap(R),6,1) :- rank(R).
lacking(heap(R)) :- rank(R), not holding(15).
"""
)
BARE = (
    COMMON
    + """
rank(1..13). pack(R,7) :- rank(R). letter(10,"T"). letter(11,"J"). letter(12,"Q"). letter(13,"K").
deals(S,45) :- seat(S).
kickers(heap(R),10,1) :- rank(R).
lacking(heap(R)) :- rank(R), not holding(40).
"""
)


@pytest.fixture(scope="module", params=["suited", "bare"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("long") / str(request.param)
    folder.mkdir()
    (folder / "game.lp").write_text({"suited": SUITED, "bare": BARE}[request.param], "utf-8")
    loaded = load(str(folder)).engine()
    assert isinstance(loaded, Engine)
    assert (loaded.rules.move_query.packed is not None) == (request.param == "bare")
    return loaded


def openings(engine: Engine, tables: int = 3) -> Decisions:
    begun = engine.start_matches(splitmix64_array(np.arange(tables).astype(np.uint64), 5))
    return begun.decisions(begun.rows_to_play())


def few_cards(engine: Engine, cards: int) -> dict[str, Any]:
    """Make a state whose hand is the first cards of a dealt hand."""
    hand = np.repeat(np.arange(len(engine.rules.pack)), openings(engine).view.hand[0])[:cards]
    return {"hand": [engine.rules.card_codes.kind_texts[card] for card in hand], "to_beat": None}


def test_too_long_list_raises_and_names_the_label(engine: Engine) -> None:
    decisions = openings(engine)
    with pytest.raises(TableError) as raised:
        decisions.moves()
    assert raised.value.table == 0
    assert raised.value.code == ErrorCode.TOO_MANY_MOVES
    assert f"{MAX_CARD_SETS:,}" in str(raised.value)
    assert "heap(" in str(raised.value)
    assert "kickers/3" in str(raised.value)


def test_single_card_sets_are_drawn_despite_the_bound(engine: Engine) -> None:
    decisions = openings(engine)
    heap = np.flatnonzero([text.startswith("heap") for text in engine.labels])
    labels = heap[decisions.legal_mask[heap].argmax(axis=0)].astype(np.int16)
    for moves in (
        decisions.first_moves(labels),
        decisions.sample_moves(labels, splitmix64_array(np.arange(3).astype(np.uint64), 1)),
    ):
        sizes = (moves.cards != NO_CARD).sum(axis=1)
        assert (sizes == engine.rules.forms.num_cards[moves.form]).all()
        for row, cards in enumerate(moves.cards):
            counts = np.bincount(cards[cards != NO_CARD], minlength=len(engine.rules.pack))
            assert (counts <= decisions.view.hand[row]).all()


def test_state_with_too_many_moves_does_not_affect_others(engine: Engine) -> None:
    states = [few_cards(engine, 60), few_cards(engine, 5), few_cards(engine, 60), few_cards(engine, 2)]
    answers = engine.legal_moves(states)
    assert [isinstance(answer, GameError) for answer in answers] == [True, False, True, False]
    assert answers[1] == engine.legal_moves(states[1:2])[0]


def test_legal_moves_are_split_into_parts(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    states = [few_cards(engine, cards) for cards in (5, 2, 3, 8, 60, 1)]
    whole = engine.legal_moves(states)
    monkeypatch.setattr("abl_cards.games.notation.state_moves.MAX_CARD_SETS", 4)
    with pytest.raises(TooManyMovesError) as raised:
        engine.legal_moves(states)
    assert raised.value.code == ErrorCode.TOO_MANY_MOVES
    answerer = legal.LegalMoveAnswerer(load(str(engine.rules.folder.path)), None, None, False)
    lines = [(line, json.dumps(state).encode()) for line, state in enumerate(states, 1)]
    results = list(answerer.answer_in_parts(lines))
    assert [result.get("moves") for result in results] == [
        None if isinstance(result, GameError) else result for result in whole
    ]
    assert [line for line, result in enumerate(results) if "error" in result] == [4]


OPENING = (
    COMMON.replace("leads(0).", "#include <opening>. opens(3,c).")
    + """
#include <pack52>.
deals(S,26) :- seat(S).
kickers(heap(R),4,1) :- rank(R).
lacking(heap(R)) :- rank(R), not holding(20).
"""
)


def test_draw_from_many_card_sets_has_the_required_card(tmp_path: Path) -> None:
    """A label has more card sets than are searched, so the draw uses the list."""
    (tmp_path / "game.lp").write_text(OPENING, "utf-8")
    engine = load(str(tmp_path)).engine()
    assert isinstance(engine, Engine)
    decisions = openings(engine, 2)
    assert decisions.required_cards.any(axis=0).all()
    label = np.array([engine.labels.index("heap(3)"), engine.labels.index("heap(4)")], np.int16)
    assert decisions.legal_mask[label, np.arange(2)].all()
    filtered, keys = decisions.moves(label), splitmix64_array(np.arange(2).astype(np.uint64), 1)
    every = decisions._card_sets.list_all(label)
    assert np.diff(every.start).min() > 1 << 12
    assert 0 < len(filtered.form) < len(every.form)
    assert (filtered.cards == decisions.required_cards[:, 0].argmax()).any(axis=1).all()
    chosen = filtered.start[:-1] + scale_to_range_array(keys, np.diff(filtered.start))
    assert np.array_equal(decisions.sample_moves(label, keys).cards, filtered.cards[chosen])
    assert np.array_equal(decisions.first_moves(label).cards, filtered.cards[filtered.start[:-1]])
