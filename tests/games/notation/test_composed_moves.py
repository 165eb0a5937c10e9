"""Tests of the list of whole plays in games where plays are composed card by card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation.composed_moves import list_composed_plays
from abl_cards.games.tables import tricks
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.arrays import copy_rows
from abl_cards.games.types.moves import NO_CARD
from tests.cli_runs import run
from tests.effort import amount
from tests.games.random_play import match_keys, step

VOCABULARY = Path(__file__).parents[1] / "vocabulary"
HERE = np.zeros(1, np.int64)


def one_by_one(decisions: Decisions, row: int) -> set[tuple[int, ...]]:
    """Return the sets of cards of all whole plays, found by trying every sequence of acts."""
    plays: set[tuple[int, ...]] = set()
    first = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, decisions.rows[[row]], first.state)
    stack = [first]
    while stack:
        tables = stack.pop()
        decisions_here = tables.decisions(HERE)
        lists = decisions_here.moves()
        for move in range(len(lists.form)):
            after = Tables(decisions.rules, 1)
            copy_rows(tables.state, HERE, after.state)
            seat = int(after.state.seat[0])
            finished, _ = tricks.apply_trick_plays(
                decisions.rules, after.state, HERE, lists.select(np.array([move])), None
            )
            if finished.size:
                counts = after.state.trick_cards[0, seat]
                plays.add(tuple(np.repeat(np.arange(len(counts)), counts).tolist()))
            else:
                stack.append(after)
    return plays


@pytest.mark.parametrize("name", ["heaps", "throws"])
def test_composed_plays_equal_card_by_card_enumeration(name: str) -> None:
    engine = load(str(VOCABULARY / name)).engine()
    tables = engine.start_matches(match_keys(amount(2, 6), 4))
    num_plays = 0
    while tables.rows_to_play().size:
        rows = np.flatnonzero((tables.state.stage == 0) & ~tables.state.is_composing)
        if rows.size:
            decisions = tables.decisions(rows)
            for row in range(0, len(rows), 2):
                plays = list_composed_plays(decisions, row)
                sets = [tuple(cards[cards != NO_CARD].tolist()) for cards in plays.cards]
                assert len(set(sets)) == len(sets)
                assert set(sets) == one_by_one(decisions, row)
                num_plays += len(sets)
        step(tables)
    assert num_plays > 30


def test_composed_plays_are_played_unchanged() -> None:
    engine = load(str(VOCABULARY / "throws")).engine()
    assert isinstance(engine, Engine)
    tables = engine.start_matches(match_keys(5, 5))
    acts = 0
    while tables.rows_to_play().size:
        rows = tables.rows_to_play()
        decisions = tables.decisions(rows)
        for row, table in enumerate(rows.tolist()):
            moves = list_composed_plays(decisions, row)
            last = np.array([len(moves.form) - 1])
            tables.play(np.array([table]), type(moves)(moves.form[last], moves.cards[last]))
            acts += 1
    assert (tables.num_decisions == tables.state.num_acts).all()
    assert tables.state.num_acts.sum() == acts


def test_too_many_composed_plays_raise() -> None:
    tables = load(str(VOCABULARY / "throws")).engine().start_matches(match_keys(1, 6))
    with pytest.raises(GameError, match="3") as error:
        list_composed_plays(tables.decisions(tables.rows_to_play()), 0, limit=3)
    assert error.value.code == ErrorCode.TOO_MANY_MOVES


def test_composed_plays_equal_moves_without_composition() -> None:
    engine = load("whist").engine()
    decisions = engine.sample_decisions(1, 1)
    plays, lists = list_composed_plays(decisions, 0), decisions.moves()
    assert (plays.form == lists.form).all()
    assert (plays.cards[:, : lists.cards.shape[1]] == lists.cards).all()


def test_legal_command_lists_composed_plays(tmp_path: Path) -> None:
    state = '{"hand": ["a1", "a3", "a4", "b4"], "trick": [["a2", "a2"]], "seat": 1}\n'
    (tmp_path / "states.jsonl").write_text(state)
    folder = str(VOCABULARY / "throws")
    answer = run("legal", folder, str(tmp_path / "states.jsonl"), "--whole-plays")
    assert '["a1","a3"],["a1","a4"],["a3","a4"]' in answer.stdout.replace(" ", "")
