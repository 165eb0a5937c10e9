"""Tests of other numbers of seats, forms with a common label, and decisions by other rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation.decision_conversion import convert_decisions
from abl_cards.games.notation.decision_points import read_decision_point
from abl_cards.games.notation.play_reader import read_play, resolve_form
from abl_cards.games.notation.records import MatchRecorder
from abl_cards.games.notation.replay import replay_records
from abl_cards.games.notation.state_moves import legal_moves
from abl_cards.games.notation.state_tables import build_tables
from abl_cards.games.notation.state_writer import write_state
from abl_cards.games.notation.states import read_state
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from tests.games.notation import folders
from tests.games.random_play import match_keys, play_out, step

ONE_RUN = (
    folders.WILD.replace("label(run(R)) :- rank(R), R < 6.", "label(run).")
    .replace("order(run(R),(2,R)) :- rank(R), R < 6.", "order(run,(2,0)).")
    .replace("form(L,L) :- label(L).", "form(L,L) :- label(L), L != run. form(run,run(R)) :- rank(R), R < 6.")
)
MANY_SEATS = (
    folders.WATCHFUL.replace("seat(0..3)", "seat(0..6)")
    .replace("pack(R,4)", "pack(R,5)").replace("deals(S,6)", "deals(S,4)").replace(">= 3", ">= 6")
)  # fmt: skip


def test_form_is_written_for_labels_with_forms_of_unequal_order(tmp_path: Path) -> None:
    rules = folders.rules_of(tmp_path / "one_run", ONE_RUN)
    (moves,) = legal_moves(rules, [{"hand": ["*", "A4"], "to_beat": None}])
    assert isinstance(moves, list)
    assert {"label": "run", "form": "run(3)", "cards": ["*", "A4"]} in moves
    with pytest.raises(GameError, match=r'can be run\(3\) or run\(4\): write \{"label": "run", "form": "run\(3\)"'):
        resolve_form(rules, read_play(rules, {"label": "run", "cards": ["A4", "*"]}), 0)
    meant = read_play(rules, {"form": "run(4)", "cards": ["A4", "*"]})
    assert resolve_form(rules, meant, 0) == rules.forms.index["run(4)"]
    recorder = MatchRecorder(rules, 6, {})
    tables = Tables.begin(rules, match_keys(6, 4), recorder)
    play_out(tables)
    assert (
        replay_records(rules, [record for table in range(6) for record in recorder.pop_records(table)]).mismatches == ()
    )


def test_unnamed_seats_are_written_by_distance(tmp_path: Path) -> None:
    rules = folders.rules_of(tmp_path / "many", MANY_SEATS)
    tables = Tables.begin(rules, match_keys(1, 2))
    tops = set()
    for _ in range(30):
        if not tables.rows_to_play().size:
            break
        written = write_state(rules, tables.decisions(np.arange(1)))
        again = build_tables(rules, [read_state(rules, written)])
        assert write_state(rules, again.decisions(np.arange(1))) == written
        assert again.state.owner[0] == tables.state.owner[0]
        tops.add(written.get("top"))
        step(tables)
    assert tops & {"2", "3", "4", "5"}


def test_decisions_convert_to_other_rules(wild: CompiledGame, tmp_path: Path) -> None:
    text = folders.WILD.replace("kind(run(R),2)", "barred(run(3)) :- form(_,run(3)).\nkind(run(R),2)")
    text = text.replace("form(L,L) :- label(L).", "form(L,L) :- label(L), L != single(6).")
    for fact in ("needs(single(R),1,R,1)", "kind(single(R),1)", "strength(single(R),R)"):
        text = text.replace(f"{fact} :- rank(R).", f"{fact} :- rank(R), R < 6.")
    text = text.replace("playable(single(R)) :- held(R,1).", "playable(single(R)) :- held(R,1), R < 6.")
    other = folders.rules_of(tmp_path / "other", text)
    tables = Tables.begin(wild, match_keys(40, 2))
    for _ in range(4):
        step(tables)
    decisions = tables.decisions(tables.rows_to_play())
    is_adopted, theirs = convert_decisions(other, decisions)
    high = decisions.to_beat == wild.forms.index["single(6)"]
    assert high.any()
    assert (is_adopted == ~high).all()
    assert isinstance(theirs, Decisions)
    assert (theirs.view.hand == decisions.view.hand[is_adopted]).all()
    names = [wild.forms.forms[form].name if form >= 0 else None for form in decisions.to_beat[is_adopted]]
    assert names == [other.forms.forms[form].name if form >= 0 else None for form in theirs.view.to_beat]
    same, ours = convert_decisions(wild, decisions)
    assert isinstance(ours, Decisions)
    assert same.all()
    assert (ours.legal_mask == decisions.legal_mask).all()


def test_choices_convert_to_other_rules(auction: CompiledGame, tmp_path: Path) -> None:
    other = folders.rules_of(tmp_path / "low", folders.AUCTION.replace("N = 1..2, not bid", "N = 1..1, not bid"))
    tables = Tables.begin(auction, match_keys(20, 2))
    is_adopted, choices = convert_decisions(other, tables.choices(np.arange(20)))
    assert isinstance(choices, Choices)
    assert is_adopted.all()
    assert choices.options.sum(axis=1).tolist() == [2] * 20


def test_conversion_between_packs_raises(wild: CompiledGame, president: CompiledGame) -> None:
    with pytest.raises(GameError, match="another pack or other seats"):
        convert_decisions(wild, read_decision_point(president, {"hand": ["S3"]}).decision)
