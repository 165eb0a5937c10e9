"""Whole plays on demand, where plays are laid card by card: every card set that can be laid so, and each once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation.composed_moves import list_composed_plays
from abl_cards.games.tables import tricks
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.arrays import copy_rows
from abl_cards.games.types.moves import NO_CARD
from tests.cli_runs import run
from tests.games.random_play import match_keys, step

VOCABULARY = Path(__file__).parents[1] / "vocabulary"
HERE = np.zeros(1, np.int64)


def one_by_one(decisions: Decisions, row: int) -> set[tuple[int, ...]]:
    """The same by trying everything, a card after the other."""
    found: set[tuple[int, ...]] = set()
    first = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, decisions.rows[[row]], first.state)
    begun = [first]
    while begun:
        tables = begun.pop()
        here = tables.decisions(HERE)
        lists = here.moves()
        for move in range(len(lists.form)):
            after = Tables(decisions.rules, 1)
            copy_rows(tables.state, HERE, after.state)
            seat = int(after.state.seat[0])
            done, _ = tricks.apply_trick_plays(decisions.rules, after.state, HERE, lists.select(np.array([move])), None)
            if done.size:
                lies = after.state.trick_cards[0, seat]
                found.add(tuple(np.repeat(np.arange(len(lies)), lies).tolist()))
            else:
                begun.append(after)
    return found


@pytest.mark.parametrize("name", ["heaps", "throws"])
def test_whole_plays_are_all_that_can_be_laid_card_by_card(name: str) -> None:
    engine = load(str(VOCABULARY / name)).engine()
    tables = engine.start_matches(match_keys(6, 4))
    looked = 0
    while tables.rows_to_play().size:
        here = np.flatnonzero((tables.state.stage == 0) & ~tables.state.is_composing)
        if here.size:
            decisions = tables.decisions(here)
            for row in range(0, len(here), 2):
                found = list_composed_plays(decisions, row)
                sets = [tuple(cards[cards != NO_CARD].tolist()) for cards in found.cards]
                assert len(set(sets)) == len(sets)
                assert set(sets) == one_by_one(decisions, row)
                looked += len(sets)
        step(tables)
    assert looked > 30


def test_any_of_them_is_played_as_it_is() -> None:
    engine = load(str(VOCABULARY / "throws")).engine()
    assert isinstance(engine, Engine)
    tables = engine.start_matches(match_keys(5, 5))
    acts = 0
    while tables.rows_to_play().size:
        playing = tables.rows_to_play()
        decisions = tables.decisions(playing)
        for row, table in enumerate(playing.tolist()):
            moves = engine.list_composed_plays(decisions, row)
            last = np.array([len(moves.form) - 1])
            tables.play(np.array([table]), type(moves)(moves.form[last], moves.cards[last]))
            acts += 1
    assert (tables.num_decisions == tables.state.num_acts).all()
    assert tables.state.num_acts.sum() == acts


def test_too_many_are_refused() -> None:
    tables = load(str(VOCABULARY / "throws")).engine().start_matches(match_keys(1, 6))
    with pytest.raises(GameError, match="more than 3 whole plays are legal here"):
        list_composed_plays(tables.decisions(tables.rows_to_play()), 0, limit=3)


def test_where_nothing_is_composed_whole_plays_are_the_moves() -> None:
    engine = load("whist").engine()
    decisions = engine.sample_decisions(1, 1)
    found, lists = list_composed_plays(decisions, 0), decisions.moves()
    assert (found.form == lists.form).all()
    assert (found.cards[:, : lists.cards.shape[1]] == lists.cards).all()


def test_the_command_lists_them(tmp_path: Path) -> None:
    state = '{"hand": ["a1", "a3", "a4", "b4"], "trick": [["a2", "a2"]], "seat": 1}\n'
    (tmp_path / "states.jsonl").write_text(state)
    folder = str(VOCABULARY / "throws")
    answer = run("legal", folder, str(tmp_path / "states.jsonl"), "--whole-plays")
    assert '["a1","a3"],["a1","a4"],["a3","a4"]' in answer.stdout.replace(" ", "")
