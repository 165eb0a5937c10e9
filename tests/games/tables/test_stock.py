"""Cards drawn one by one: their order is that of the deal, only the drawer sees a card, and records replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Signature
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.stock import card_drawn, cards_in_stock
from abl_cards.games.tables.tables import FixedDeals, Tables
from abl_cards.games.types.arrays import copy_rows
from abl_cards.reasoners.hidden_hands.hands import draw_deals, uniform_estimate
from tests.effort import amount
from tests.games.random_play import match_keys, step

STOCK = Path(__file__).parents[1] / "vocabulary" / "stock"
WHICH = np.arange(60)


def begin(seed: int = 1, listener: Any = None) -> Tables:
    return Tables.begin(load(str(STOCK)).engine().rules, match_keys(len(WHICH), seed), listener)


class _DrawListener(NullListener):
    """Listener that stores table, seat and card of each draw."""

    def __init__(self) -> None:
        self.draws: list[tuple[int, int, int]] = []

    def on_draw(self, tables: Any, rows: np.ndarray) -> None:
        kinds = card_drawn(tables.state, rows)
        self.draws += zip(rows.tolist(), tables.seat[rows].tolist(), kinds.tolist(), strict=True)


def test_cards_are_drawn_in_order_and_in_turn() -> None:
    listener = _DrawListener()
    tables = begin(listener=listener)
    order, start = tables.state.stock.copy(), tables.state.lots[:, 0]
    while tables.rows_to_choose().size:
        step(tables)
    for table in WHICH.tolist():
        table_draws = [(seat, kind) for row, seat, kind in listener.draws if row == table]
        assert [kind for _, kind in table_draws] == order[table, :12].tolist()
        assert [seat for seat, _ in table_draws] == [(int(start[table]) + position) % 3 for position in range(12)]


def test_drawn_cards_are_kept_and_hidden() -> None:
    """Cards not yet drawn are unseen, and a seat sees the card drawn last only if it drew it."""
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
                is_own = state.is_just_drawn[choosing] & (state.last_drawer[choosing] == seat)
                assert ((column[0] >= 0) == is_own).all()
        if not step(tables):
            break


def test_decisions_do_not_depend_on_undrawn_cards() -> None:
    """States, options and constraints are the same for every order of the cards not yet drawn."""
    tables = begin(3)
    rows = np.flatnonzero(cards_in_stock(tables.rules, tables.state, WHICH) > 2)
    other = Tables(tables.rules, len(WHICH))
    copy_rows(tables.state, WHICH, other.state)
    for row in rows.tolist():
        first = int(tables.state.num_drawn[row])
        other.state.stock[row, first:] = other.state.stock[row, first:][::-1]
    expected, actual = tables.choices(rows), other.choices(rows)
    assert (expected.options == actual.options).all()
    assert (expected.view.unseen == actual.view.unseen).all()
    engine = load(str(STOCK)).engine()
    assert engine.decision_point_at(expected, 0).state == engine.decision_point_at(actual, 0).state


def test_determinized_tables_draw_the_hypothetical_cards() -> None:
    """Cards that are not in the hypothetical hands are in the kitty of determinized tables, and are drawn."""
    tables = begin(5)
    while not tables.rows_to_play().size:
        step(tables)
    playing = tables.rows_to_play()
    decisions = tables.decisions(playing)
    hands = decisions.view.hidden_hands[:, ::-1].copy()
    sizes = decisions.view.hidden_hand_sizes
    same_size = np.flatnonzero(sizes[:, 0] == sizes[:, 1])
    imagined = Tables.determinize(decisions, same_size, hands[same_size])
    assert (imagined.state.aside == tables.state.aside[playing[same_size]]).all()
    assert (imagined.state.hands.sum(axis=1) == tables.state.hands[playing[same_size]].sum(axis=1)).all()


def test_cards_left_over_are_hypothetical_too() -> None:
    """With other hands the cards left over are those in the kitty, or in the hand of who took them up."""
    tables, num_others = begin(6), 0
    tables.auto_next_episode = False
    rules, stock = tables.rules, tables.state.stock
    taker_slot = rules.fluents[Signature("taker", 1)].first_slot
    while True:
        for rows in (tables.rows_to_choose(), tables.rows_to_play()):
            drawn = rows[cards_in_stock(rules, tables.state, rows) == 0]
            if not drawn.size:
                continue
            decisions: Any = tables.choices(drawn) if tables.rows_to_choose().size else tables.decisions(drawn)
            hidden, keys = decisions.information_set(), tables.keys[drawn] + np.uint64(1)
            hands = draw_deals(uniform_estimate(hidden), hidden, keys, 1)[:, 0]
            state = Tables.determinize(decisions, np.arange(len(drawn)), hands).state
            for row, table in enumerate(drawn.tolist()):
                left, real = (np.bincount(each[12:], minlength=15) for each in (state.stock[row], stock[table]))
                if real[rules.pack.index["crown"]]:  # of two crowns it is not clear which one was left over
                    continue
                taker = state.fluents[row, taker_slot]
                where = state.aside[row] + state.played[row].sum(axis=0)
                where = where + state.hands[row, taker] if taker >= 0 else where
                assert (left <= where).all()
                own = state.hands[row, state.seat[row]] if taker == state.seat[row] else 0
                assert (left >= np.minimum(real, own + state.played[row].sum(axis=0))).all()
                num_others += int((left != real).any())
        if not step(tables):
            break
    assert num_others > 100


def test_records_hold_the_stock_and_replay() -> None:
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
    with pytest.raises(GameError, match=r"stock: 15 .* 16 "):
        engine.read_decision_point(read[0] | {"stock": read[0]["stock"][1:]}, 1)


def test_states_of_choices_round_trip() -> None:
    engine, tables = load(str(STOCK)).engine(), begin(amount(3, 9))
    stages = set()
    while tables.rows_to_choose().size:
        choices = tables.choices(tables.rows_to_choose())
        for row in range(len(choices.view)):
            point = engine.decision_point_at(choices, row)
            again = engine.read_decision_point(dict(point.state))
            assert [str(action) for action in again.actions] == [str(action) for action in point.actions]
            stages.add(point.state["stage"])
        step(tables)
    assert stages == {"show", "take", "bury"}


def test_fixed_deals_set_the_stock_order() -> None:
    engine = load(str(STOCK)).engine()
    rules = engine.rules
    hands, aside = np.zeros((1, 3, len(rules.pack)), np.uint8), rules.pack.copies[None].astype(np.uint8)
    order = rules.pack.deck[None, ::-1]
    tables = engine.with_deals(FixedDeals(hands, aside, order)).start_matches(np.zeros(1, np.uint64))
    assert (tables.state.stock == order).all()
    with pytest.raises(GameError) as raised:
        engine.with_deals(FixedDeals(hands, aside)).start_matches(np.zeros(1, np.uint64))
    assert raised.value.code == ErrorCode.INCOMPLETE_STATE


def _play(name: str) -> None:
    tables = load(name).engine().start_matches(match_keys(8, 1))
    while step(tables):
        pass


@pytest.mark.parametrize(
    ("rule", "instead", "code", "value"),
    [
        ("draws(S) :- stock(1), none_yet, lot(start,S).", "draws(S) :- none_yet, seat(S).", ErrorCode.RULES_STUCK,
         "seat 0 and seat 1"),
        ("draws(T) :- stock(1), drew(S), next(S,T).", "draws(T) :- drew(S), next(S,T).", ErrorCode.RULES_STUCK,
         "draws/1"),
        ("playable(pass).", "playable(pass) :- not left_over(1,crown).", ErrorCode.UNSUPPLIED_INPUT, "left_over/2"),
    ],
)  # fmt: skip
def test_errors_of_stock_rules(tmp_path: Path, rule: str, instead: str, code: ErrorCode, value: str) -> None:
    text = (STOCK / "game.lp").read_text()
    assert rule in text
    (tmp_path / "game.lp").write_text(text.replace(rule, instead))
    with pytest.raises((KBError, TableError)) as raised:
        _play(str(tmp_path))
    assert isinstance(raised.value, KBError | TableError)
    assert raised.value.code == code
    assert value in str(raised.value)


def test_stock_without_draws_is_an_error(tmp_path: Path) -> None:
    for file in load("president").directory.glob("*.lp"):
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "rules2.lp").write_text("#external stock(N) : N = 1.\nover :- stock(1).\n")
    with pytest.raises(KBError, match="draws/1") as raised:
        load(str(tmp_path)).engine()
    assert raised.value.code == ErrorCode.UNSUPPLIED_INPUT


@pytest.mark.parametrize("tables", [1, 60])
def test_batching_rare_steps_does_not_change_matches(tables: int) -> None:
    """With ``batch_rare_steps``, tables delay draws, but not for ever: the last ones draw when the others are over."""
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
