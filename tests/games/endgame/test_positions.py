"""Encoded endgame positions: merged moves are correct, and unsupported games are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.endgame.positions import build_endgame_tables, build_positions
from abl_cards.games.game import load
from tests.games.endgame.minimax import small_hands
from tests.games.notation.folders import sets

TEAMS = sets(
    "seat(0..3). member(S,S\\2) :- seat(S). rank(3..8). pack(R,2) :- rank(R). deals(S,3) :- seat(S). "
    "leads(0). match_over.",
    copies=2,
)


def engine_of(tmp_path: Path, rules: str) -> Any:
    (tmp_path / "game.lp").write_text(rules)
    return load(str(tmp_path)).engine()


@pytest.mark.parametrize("name", [pytest.param("guandan", marks=pytest.mark.long), "doudizhu"])
def test_position_moves_equal_legal_moves(name: str) -> None:
    engine = load(name).engine()
    tables = small_hands(engine, 20, 12, 3)
    decisions = tables.decisions(np.arange(len(tables)))
    lists = decisions.moves()
    for row, position in enumerate(build_positions(tables, np.arange(len(tables)))):
        start, moves = position.start, position.moves
        replies = moves.replies[
            moves.reply_start[start.seat, start.trick] : moves.reply_start[start.seat, start.trick + 1]
        ]
        legal = {
            position.find(start.seat, int(lists.form[move]), lists.cards[move])
            for move in range(lists.start[row], lists.start[row + 1])
        }
        assert legal == set(replies.tolist())


def test_interchangeable_cards_are_merged() -> None:
    """Suits matter only in a straight flush."""
    engine = load("guandan").engine()
    tables = small_hands(engine, 1, 12, 3)
    hand, kinds = tables.state.hands[0], engine.rules.pack.index
    hand[:] = 0
    tables.state.to_beat[:], tables.state.passed[:] = -1, 0
    for seat, cards in enumerate((["4,s", "4,h", "4,d"], [f"{rank},s" for rank in (5, 6, 7, 8, 9)] + ["5,h"])):
        for card in cards:
            hand[seat, kinds[f"card({card})"]] = 1
    hand[2, 52] = hand[3, 53] = 1
    (position,) = build_positions(tables, np.arange(1))
    fields = position.moves.fields[:, 0].tolist()
    assert fields.count(0) == 1
    assert fields.count(1) == 3  # the flush distinguishes the two fives; no card of another seat separates the others
    assert position.moves.reply_start[0, 1] - position.moves.reply_start[0, 0] == 3  # one, two, three of them


@pytest.mark.parametrize("name", ["guandan", "doudizhu"])
def test_positions_of_subhands_equal_those_built_directly(name: str) -> None:
    engine = load(name).engine()
    tables, random = small_hands(engine, 12, 24, 4), np.random.default_rng(7)
    tables.state.fluents[:], tables.state.context[:] = tables.state.fluents[0], tables.state.context[0]
    for parts in np.array_split(np.arange(len(tables)), 4):
        tables.state.to_beat[parts], tables.state.owner[parts] = tables.state.to_beat[parts[0]], tables.seat[parts[0]]
        for hand in tables.state.hands[parts[1:]].reshape(-1, tables.state.hands.shape[2]):
            hand[random.random(len(hand)) < 0.3] = 0
    rows = np.arange(len(tables))
    together = build_endgame_tables(tables, rows, rows // 3)
    for row, alone in enumerate(build_positions(tables, rows)):
        for packed, expected in zip(together.position(row).moves[:-1], alone.moves[:-1], strict=True):
            np.testing.assert_array_equal(packed, expected)


@pytest.mark.parametrize(
    ("old", "new", "predicate"),
    [
        ("member(S,S\\2)", "member(S,S)", "member/2"),
        ("match_over.", "match_over. takes(S) :- owner(S).", "takes/1"),
        ("playable(pass).", "playable(pass). barred(set(3,1)) :- held(8,1).", "legal/1"),
        (
            "match_over.",
            "match_over. count(n,1). #external n(N) : N = 1..9. adds(n,1,p) :- event(pass).",
            "event(pass)",
        ),
    ],
)
def test_unsupported_games_raise_with_the_predicate(tmp_path: Path, old: str, new: str, predicate: str) -> None:
    assert old in TEAMS
    rules = TEAMS.replace(old, new) + "#external event(E) : E = pass."
    engine = engine_of(tmp_path, rules)
    tables = engine.start_matches(np.zeros(1, np.uint64))
    with pytest.raises(GameError) as raised:
        build_positions(tables, np.arange(1))
    assert raised.value.code == ErrorCode.UNSUPPORTED_GAME
    assert predicate in str(raised.value)
