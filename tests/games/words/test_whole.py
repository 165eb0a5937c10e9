"""Whole plays on demand, where plays are laid card by card: every card set that can be laid so, and each once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Tables, game
from abl_cards.games.play import tricks
from abl_cards.games.snapshots import copy_rows
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.whole import whole_plays
from tests.cli_runs import run
from tests.games.random_play import match_keys, step

VOCABULARY = Path(__file__).parents[1] / "vocabulary"
HERE = np.zeros(1, np.int64)


def one_by_one(decisions: Decisions, row: int) -> set[tuple[int, ...]]:
    """The same by trying everything, a card after the other."""
    found: set[tuple[int, ...]] = set()
    first = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, decisions.which[[row]], first.state)
    begun = [first]
    while begun:
        tables = begun.pop()
        here = tables.decisions(HERE)
        lists = here.moves()
        for move in range(len(lists.form)):
            after = Tables(decisions.rules, 1)
            copy_rows(tables.state, HERE, after.state)
            seat = int(after.state.seat[0])
            done, _ = tricks.lay(decisions.rules, after.state, HERE, lists.rows(np.array([move])), None)
            if done.size:
                lies = after.state.lies[0, seat]
                found.add(tuple(np.repeat(np.arange(len(lies)), lies).tolist()))
            else:
                begun.append(after)
    return found


@pytest.mark.parametrize("name", ["heaps", "throws"])
def test_whole_plays_are_all_that_can_be_laid_card_by_card(name: str) -> None:
    engine = game(str(VOCABULARY / name)).engine()
    tables = engine.tables(match_keys(6, 4))
    looked = 0
    while tables.playing().size:
        here = np.flatnonzero((tables.state.stage == 0) & ~tables.state.picking)
        if here.size:
            decisions = tables.decisions(here)
            for row in range(0, len(here), 2):
                found = whole_plays(decisions, row)
                sets = [tuple(cards[cards != NO_CARD].tolist()) for cards in found.cards]
                assert len(set(sets)) == len(sets)
                assert set(sets) == one_by_one(decisions, row)
                looked += len(sets)
        step(tables)
    assert looked > 30


def test_any_of_them_is_played_as_it_is() -> None:
    engine = game(str(VOCABULARY / "throws")).engine()
    assert isinstance(engine, Engine)
    tables = engine.tables(match_keys(5, 5))
    acts = 0
    while tables.playing().size:
        playing = tables.playing()
        decisions = tables.decisions(playing)
        for row, table in enumerate(playing.tolist()):
            moves = engine.whole_plays(decisions, row)
            last = np.array([len(moves.form) - 1])
            tables.play(np.array([table]), type(moves)(moves.form[last], moves.cards[last]))
            acts += 1
    assert (tables.clock == tables.state.acts).all()
    assert tables.state.acts.sum() == acts


def test_too_many_are_refused() -> None:
    tables = game(str(VOCABULARY / "throws")).engine().tables(match_keys(1, 6))
    with pytest.raises(GameError, match="more than 3 whole plays are legal here"):
        whole_plays(tables.decisions(tables.playing()), 0, most=3)


def test_where_nothing_is_composed_whole_plays_are_the_moves() -> None:
    engine = game("whist").engine()
    decisions = engine.sample_decisions(1, 1)
    found, lists = whole_plays(decisions, 0), decisions.moves()
    assert (found.form == lists.form).all()
    assert (found.cards[:, : lists.cards.shape[1]] == lists.cards).all()


def test_the_command_lists_them(tmp_path: Path) -> None:
    state = '{"hand": ["a1", "a3", "a4", "b4"], "trick": [["a2", "a2"]], "seat": 1}\n'
    (tmp_path / "states.jsonl").write_text(state)
    folder = str(VOCABULARY / "throws")
    answer = run("legal", folder, str(tmp_path / "states.jsonl"), "--whole")
    assert '["a1","a3"],["a1","a4"],["a3","a4"]' in answer.stdout.replace(" ", "")
