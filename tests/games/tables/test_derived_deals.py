"""Numbers of cards that fluents and random numbers of the match decide."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.games.random_play import match_keys, step

GAME = """
#include <pack52>.
#include <seats>.
#include <climbing>.
seat(0..2).
lots(more,3).
#external lot(more,I) : I = 0..2.
#external eldest(S) : seat(S).
#external event(end).
one(eldest,1). lasts(eldest,match). init(eldest(0)).
next(eldest(T)) :- event(end), eldest(S), next(S,T).
deals(S,4) :- seat(S).
deals(S,5) :- eldest(S).
deals(2,4+I) :- lot(more,I).
leads(S) :- eldest(S).
over :- out(_).
points(S,1,out) :- out(S).
match_over :- eldest(2).
label(single(R)) :- rank(R). label(pass).
form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R).
strength(single(R),R) :- rank(R).
#external held(R,N) : rank(R), N = 1.
playable(single(R)) :- held(R,1). playable(pass).
"""


def engine_of(folder: Path, text: str = GAME) -> Engine:
    (folder / "mine").mkdir()
    (folder / "mine" / "game.lp").write_text(text, "utf-8")
    engine = load(str(folder / "mine")).engine()
    assert isinstance(engine, Engine)
    return engine


def test_hand_sizes_follow_the_rules(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    recorder = engine.new_recorder(30)
    tables = Tables.begin(engine.rules, match_keys(30, 1), recorder)
    lots, sets = tables.state.lots[:, 0], {tables.state.hands[table].tobytes() for table in range(30)}
    assert set(lots.tolist()) == {0, 1, 2}
    assert len(sets) == 30
    expected = np.array([[5, 4, 4 + lot] for lot in lots.tolist()])
    assert (tables.state.hands.sum(axis=2) == expected).all()
    assert (tables.state.hands.sum(axis=1) + tables.state.aside == engine.rules.pack.copies).all()
    while step(tables):
        pass
    records = [json.loads(json.dumps(record)) for table in range(30) for record in recorder.pop_records(table)]
    assert len(records) == 90
    for record in records:
        eldest, lot = record["before"]["eldest"], record["lots"]["more"]
        sizes = [5 if seat == eldest else 4 for seat in range(3)]
        sizes[2] = max(sizes[2], 4 + lot)
        assert [len(hand) for hand in record["hands"]] == sizes
    assert not engine.replay(records).mismatches


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("deals(S,5) :- eldest(S).", "deals(S,50) :- eldest(S).", ErrorCode.RULES_STUCK),
        ("deals(S,5) :- eldest(S).", "deals(S,5) :- out(S).", ErrorCode.UNSUPPLIED_INPUT),
        ("over :- out(_).", "over :- out(_). draws(0) :- stock(1). #external stock(1).", ErrorCode.RULES_NOT_PLAYABLE),
    ],
)
def test_impossible_deals_are_errors(tmp_path: Path, old: str, new: str, code: ErrorCode) -> None:
    assert GAME.count(old) == 1
    with pytest.raises((GameError, KBError)) as caught:
        Tables.begin(engine_of(tmp_path, GAME.replace(old, new)).rules, match_keys(5, 1))
    assert isinstance(caught.value, GameError | KBError)
    assert caught.value.code == code
