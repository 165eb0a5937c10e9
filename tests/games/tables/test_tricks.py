"""Tricks: the state of tables, notifications of listeners, and errors of rule folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import Moves
from tests.games.random_play import match_keys, step

VOCABULARY = Path(__file__).parents[1] / "vocabulary"
THIRTEEN = """
#include <ace_high>. #include <seats>. #include <tricks>.
seat(0..3). deals(S,13) :- seat(S). leads(0).
#external event(trick).
#external tricks(S,N) : seat(S), N = 1..13.
count(tricks,2).
adds(tricks(S),1,taken) :- event(trick), takes(S).
points(S,1,N) :- tricks(S,N).
match_over.
"""


def folder(path: Path, *more: str) -> str:
    """Write a game of thirteen tricks with additional rules."""
    (path / "game.lp").write_text("\n".join([THIRTEEN, *more]))
    return str(path)


def test_trick_holds_cards_until_it_is_over(tmp_path: Path) -> None:
    """A trick collects four cards; then it is empty, and the seat that took it leads."""
    tables = load(folder(tmp_path)).engine().start_matches(match_keys(20, 1))
    state = tables.state
    for num_played in range(1, 53):
        step(tables)
        assert (state.trick_cards.sum(axis=(1, 2)) == num_played % 4).all()
        if num_played % 4:
            assert ((state.seat - state.leader) % 4 == num_played % 4).all()
            assert state.trick_cards[np.arange(20), state.owner].any(axis=1).all()
        elif num_played < 52:
            assert (state.leader == state.seat).all()
            assert (state.to_beat == -1).all()
    assert (tables.points.sum(axis=1) == 13).all()


class _PlayListener(NullListener):
    """Listener that stores the seat and cards of every play."""

    def __init__(self) -> None:
        self.plays: list[tuple[int, list[int]]] = []

    def on_play(self, tables: Any, rows: np.ndarray, moves: Moves) -> None:
        for table, cards in zip(rows.tolist(), moves.cards, strict=True):
            self.plays.append((int(tables.seat[table]), cards[cards != 255].tolist()))


def test_listeners_receive_composed_plays_as_one() -> None:
    """Cards leave the hand one by one; listeners, acts and events get the complete play."""
    engine, listener = load(str(VOCABULARY / "heaps")).engine(), _PlayListener()
    tables = Tables.begin(engine.rules, match_keys(1, 3), listener)
    while tables.rows_to_play().size:
        step(tables)
    assert sum(len(cards) for _, cards in listener.plays) == 15
    assert len(listener.plays) == tables.state.num_acts[0] <= tables.num_decisions[0]
    sizes = [len(cards) for _, cards in listener.plays]
    assert [sizes[index : index + 3] for index in range(0, len(sizes), 3)] == [[size] * 3 for size in sizes[::3]]
    assert (tables.state.recent_cards[0, :, 1:] == 255).any()


def test_composed_plays_of_all_lengths_occur() -> None:
    engine, listener = load(str(VOCABULARY / "heaps")).engine(), _PlayListener()
    tables = Tables.begin(engine.rules, match_keys(200, 3), listener)
    while tables.rows_to_play().size:
        step(tables)
    assert {len(cards) for _, cards in listener.plays} == {1, 2, 3, 4, 5}


def _check_and_play(name: str) -> None:
    load(name).knowledge_base()
    tables = load(name).engine().start_matches(match_keys(8, 1))
    while step(tables):
        pass


@pytest.mark.parametrize(
    ("rule", "code", "value"),
    [
        ("takes(0) :- leader(S).", ErrorCode.RULES_STUCK, "takes/1"),
        ("private(tricks,2). private(nothing,1).", ErrorCode.UNKNOWN_NAME, "private(nothing,1)"),
        ("private(known,1). any(known,1). #external known(T) : suit(T).", ErrorCode.INVALID_FLUENT,
         "private(known,1)"),
        ("worth(card(1,c),3).", ErrorCode.UNKNOWN_NAME, "worth(card(1,c),3)"),
        ("trumps(T) :- mine(0,T). private(mine,2). one(mine,2). #external mine(S,T) : seat(S), suit(T).",
         ErrorCode.INVALID_FLUENT, "private(mine,2)"),
        ("sees(1,hand). sees(2,fluent,nothing).", ErrorCode.INVALID_ARGUMENT, "nothing"),
    ],
)  # fmt: skip
def test_errors_of_trick_rules(tmp_path: Path, rule: str, code: ErrorCode, value: str) -> None:
    with pytest.raises((KBError, TableError)) as raised:
        _check_and_play(folder(tmp_path, rule))
    assert isinstance(raised.value, KBError | TableError)
    assert raised.value.code == code
    assert value in str(raised.value)


def test_leader_without_takes_is_an_error(tmp_path: Path) -> None:
    source = (
        load("president").directory / "game.lp"
    ).read_text() + "#external leader(S) : seat(S). over :- leader(9).\n"
    for file in load("president").directory.glob("*.lp"):
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "game.lp").write_text(source.replace("leader(9)", "leader(2)"))
    with pytest.raises(KBError, match="takes/1") as raised:
        load(str(tmp_path)).engine()
    assert raised.value.code == ErrorCode.UNSUPPLIED_INPUT
