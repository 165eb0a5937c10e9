"""Cards that are drawn one by one: their order is the deal's, nobody but who drew sees a card, all is played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import GameError
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.stock import card_drawn, cards_in_stock
from abl_cards.games.tables.tables import FixedDeals, Tables
from abl_cards.games.types.arrays import copy_rows
from tests.games.random_play import match_keys, step

STOCK = Path(__file__).parents[1] / "vocabulary" / "stock"
WHICH = np.arange(60)


def begin(seed: int = 1, listener: Any = None) -> Tables:
    return Tables.begin(load(str(STOCK)).engine().rules, match_keys(len(WHICH), seed), listener)


class _Ear(NullListener):
    """Writes down who draws what."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, int, int]] = []

    def on_draw(self, tables: Any, rows: np.ndarray) -> None:
        kinds = card_drawn(tables.state, rows)
        self.heard += zip(rows.tolist(), tables.seat[rows].tolist(), kinds.tolist(), strict=True)


def test_cards_are_drawn_in_their_order_and_in_turn() -> None:
    ear = _Ear()
    tables = begin(listener=ear)
    order, start = tables.state.stock.copy(), tables.state.lots[:, 0]
    while tables.rows_to_choose().size:
        step(tables)
    for table in WHICH.tolist():
        mine = [(seat, kind) for at, seat, kind in ear.heard if at == table]
        assert [kind for _, kind in mine] == order[table, :12].tolist()
        assert [seat for seat, _ in mine] == [(int(start[table]) + place) % 3 for place in range(12)]


def test_no_card_is_lost_or_told() -> None:
    """What has not been drawn is unseen; a choice knows the card that its own seat has drawn, and no other."""
    tables, pack = begin(), load(str(STOCK)).engine().rules.pack.copies
    while True:
        state = tables.state
        assert (state.hands.sum(axis=1) + state.aside + state.played.sum(axis=1) == pack).all()
        choosing = tables.rows_to_choose()
        if choosing.size:
            for seat in range(3):
                view = tables.view(choosing, np.full(len(choosing), seat, np.int8))
                column = np.full((1, len(choosing)), -9, np.int16)
                view.column_writers["drawn"](0, len(choosing), column, np.zeros(1, np.int64))
                mine = state.is_just_drawn[choosing] & (state.last_drawer[choosing] == seat)
                assert ((column[0] >= 0) == mine).all()
        if not step(tables):
            break


def test_decisions_do_not_depend_on_what_is_still_to_come() -> None:
    """States, options and what is known of hands are the same whatever order the rest lies in."""
    tables = begin(3)
    which = np.flatnonzero(cards_in_stock(tables.rules, tables.state, WHICH) > 2)
    other = Tables(tables.rules, len(WHICH))
    copy_rows(tables.state, WHICH, other.state)
    for row in which.tolist():
        first = int(tables.state.num_drawn[row])
        other.state.stock[row, first:] = other.state.stock[row, first:][::-1]
    ours, theirs = tables.choices(which), other.choices(which)
    assert (ours.options == theirs.options).all()
    assert (ours.view.unseen == theirs.view.unseen).all()
    engine = load(str(STOCK)).engine()
    assert engine.decision_point_at(ours, 0).state == engine.decision_point_at(theirs, 0).state


def test_imagined_tables_draw_what_is_imagined() -> None:
    """What the others do not hold lies aside, and is what is drawn."""
    tables = begin(5)
    while not tables.rows_to_play().size:
        step(tables)
    here = tables.rows_to_play()
    decisions = tables.decisions(here)
    hands = decisions.view.hidden_hands[:, ::-1].copy()
    sizes = decisions.view.hidden_hand_sizes
    alike = np.flatnonzero(sizes[:, 0] == sizes[:, 1])
    imagined = Tables.determinize(decisions, alike, hands[alike])
    assert (imagined.state.aside == tables.state.aside[here[alike]]).all()
    assert (imagined.state.hands.sum(axis=1) == tables.state.hands[here[alike]].sum(axis=1)).all()


def test_a_record_has_the_order_and_plays_again() -> None:
    engine = load(str(STOCK)).engine()
    recorder = engine.new_recorder(len(WHICH))
    tables = begin(7, recorder)
    while step(tables):
        pass
    records = [record for table in WHICH.tolist() for record in recorder.pop_records(table)]
    assert all(len(record["stock"]) == 16 and "aside" not in record for record in records)
    read = [json.loads(json.dumps(record)) for record in records]
    assert not engine.replay(read).mismatches
    moved = read[0] | {"stock": read[0]["stock"][::-1]}
    assert engine.replay([moved]).mismatches
    with pytest.raises(GameError, match="stock: 15 cards, where all 16 are wanted in their order"):
        engine.read_decision_point(read[0] | {"stock": read[0]["stock"][1:]}, 1)


def test_states_of_choices_read_back() -> None:
    engine, tables = load(str(STOCK)).engine(), begin(9)
    seen = set()
    while tables.rows_to_choose().size:
        choices = tables.choices(tables.rows_to_choose())
        for row in range(len(choices.view)):
            found = engine.decision_point_at(choices, row)
            again = engine.read_decision_point(dict(found.state))
            assert [str(each) for each in again.actions] == [str(each) for each in found.actions]
            seen.add(found.state["stage"])
        step(tables)
    assert seen == {"show", "take", "bury"}


def test_a_written_deal_tells_the_order() -> None:
    engine = load(str(STOCK)).engine()
    rules = engine.rules
    hands, aside = np.zeros((1, 3, len(rules.pack)), np.uint8), rules.pack.copies[None].astype(np.uint8)
    order = rules.pack.deck[None, ::-1]
    tables = engine.with_deals(FixedDeals(hands, aside, order)).start_matches(np.zeros(1, np.uint64))
    assert (tables.state.stock == order).all()
    with pytest.raises(GameError, match="in which order they lie"):
        engine.with_deals(FixedDeals(hands, aside)).start_matches(np.zeros(1, np.uint64))


def _play(name: str) -> None:
    tables = load(name).engine().start_matches(match_keys(8, 1))
    while step(tables):
        pass


@pytest.mark.parametrize(
    ("rule", "instead", "says"),
    [
        ("draws(S) :- stock(1), none_yet, lot(start,S).", "draws(S) :- none_yet, seat(S).", "`draws/1` names seat 0"),
        ("draws(T) :- stock(1), drew(S), next(S,T).", "draws(T) :- drew(S), next(S,T).", "no card is left to be drawn"),
        ("playable(pass).", "playable(pass) :- not left_over(1,crown).", "'left_over/2' is not supplied"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, rule: str, instead: str, says: str) -> None:
    text = (STOCK / "game.lp").read_text()
    assert rule in text
    (tmp_path / "game.lp").write_text(text.replace(rule, instead))
    with pytest.raises((KBError, TableError)) as raised:
        _play(str(tmp_path))
    assert says in str(raised.value)


def test_where_all_is_dealt_there_is_no_stock(tmp_path: Path) -> None:
    for file in load("president").directory.glob("*.lp"):
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "rules2.lp").write_text("#external stock(N) : N = 1.\nover :- stock(1).\n")
    with pytest.raises(KBError, match="no rule derives draws/1, so all cards are dealt at once"):
        load(str(tmp_path)).engine()


@pytest.mark.parametrize("tables", [1, 60])
def test_patient_tables_play_the_same_matches(tables: int) -> None:
    """They draw together, and nobody waits for ever: when the others have finished, the last ones draw too."""
    engine = load(str(STOCK)).engine()

    def records(patient: bool) -> list[list[dict[str, Any]]]:
        recorder = engine.new_recorder(tables)
        play = engine.start_matches(match_keys(tables, 3), recorder)
        play.batch_rare_steps = patient
        while (play.winner == -1).any():
            assert play.rows_to_play().size or play.rows_to_choose().size
            step(play)
        return [recorder.pop_records(table) for table in range(tables)]

    assert records(patient=True) == records(patient=False)
