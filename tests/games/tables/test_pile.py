"""Cards drawn between tricks: from the pile, in their order, by the rules; choices there; records and states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Signature
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.stock import card_drawn, count_leftover_cards
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import LEADING
from tests.effort import amount
from tests.games.random_play import match_keys, step

PILE = Path(__file__).parents[1] / "vocabulary" / "pile"


class _Draws(NullListener):
    """Listener that stores seat and card of each draw, and the winner of the trick before it."""

    def __init__(self) -> None:
        self.draws: dict[int, list[tuple[int, int, int]]] = {}

    def on_draw(self, tables: Any, rows: np.ndarray) -> None:
        kinds = card_drawn(tables.state, rows).tolist()
        for table, seat, kind in zip(rows.tolist(), tables.seat[rows].tolist(), kinds, strict=True):
            self.draws.setdefault(table, []).append((seat, kind, int(tables.state.owner[table])))


def _edited_folder(tmp_path: Path, *edits: tuple[str, str]) -> str:
    text = (PILE / "game.lp").read_text("utf-8")
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "game.lp").write_text(text, "utf-8")
    return str(tmp_path / "mine")


def test_trick_winner_draws_from_the_pile_and_chooses() -> None:
    engine, listener = load(str(PILE)).engine(), _Draws()
    tables = Tables.begin(engine.rules, match_keys(30, 1), listener)
    tables.auto_next_episode = False
    order = tables.state.stock.copy()
    assert (tables.state.hands.sum(axis=2) == 3).all()
    assert tables.rows_to_choose().size == 0
    pack, chosen = engine.rules.pack.copies, 0
    while True:
        state = tables.state
        assert (state.hands.sum(axis=1) + state.aside + state.played.sum(axis=1) == pack).all()
        choosing = tables.rows_to_choose()
        assert (state.seat[choosing] == state.owner[choosing]).all()
        assert (state.to_beat[choosing] == LEADING).all()
        chosen += len(choosing)
        owners = state.owner[choosing].copy()
        if not step(tables):
            break
        still = tables.state.stage[choosing] == 0
        assert (tables.seat[choosing[still]] == owners[still]).all()  # the winner leads, whatever was chosen
    assert chosen > 30
    for table, draws in listener.draws.items():
        assert [kind for _, kind, _ in draws] == order[table, 9 : 9 + len(draws)].tolist()
        assert len(draws) % 2 == 0
        assert all(seat == owner for seat, _, owner in draws)


def test_records_replay_and_a_wrong_deal_is_a_mismatch() -> None:
    engine = load(str(PILE)).engine()
    recorder = engine.new_recorder(20)
    tables = Tables.begin(engine.rules, match_keys(20, 7), recorder)
    tables.auto_next_episode = False
    while step(tables):
        pass
    records = [json.loads(json.dumps(record)) for table in range(20) for record in recorder.pop_records(table)]
    assert len(records) == 20
    assert not engine.replay(records).mismatches
    hands = records[0]["hands"]
    assert engine.replay([records[0] | {"hands": [hands[1], hands[0], hands[2]]}]).mismatches


def test_states_between_tricks_round_trip() -> None:
    engine, tables, seen = load(str(PILE)).engine(), Tables.begin(load(str(PILE)).engine().rules, match_keys(20, 9)), 0
    for _ in range(12):
        for rows, of_rows in ((tables.rows_to_play(), tables.decisions), (tables.rows_to_choose(), tables.choices)):
            if rows.size:
                point = engine.decision_point_at(of_rows(rows), 0)
                again = engine.read_decision_point(json.loads(json.dumps(point.state)))
                assert again.labels == point.labels
                assert [str(action) for action in again.actions] == [str(action) for action in point.actions]
                table = again.decision.view.state
                assert table.num_drawn[0] == tables.state.num_drawn[rows[0]]
                seen += 1
        step(tables)
    assert seen > 15


def test_states_of_seats_drawing_after_their_last_card_round_trip(tmp_path: Path) -> None:
    """A seat that is out may hold cards again, and one without cards may choose: both were refused."""
    draws = ":- due(1), owner(S), not out(T) : seat(T).\ndraws(S) :- due(1), out(S)."
    edits = ("over :- out(_).", "over :- #count { S : out(S) } > 1."), (":- due(1), owner(S).", draws)
    engine = load(_edited_folder(tmp_path, *edits)).engine()
    keeps = engine.rules.schema.options.index("on")
    tables, num_back = Tables.begin(engine.rules, match_keys(20, 9)), 0
    tables.auto_next_episode = False
    while num_back < 6:
        for rows, of_rows in ((tables.rows_to_play(), tables.decisions), (tables.rows_to_choose(), tables.choices)):
            if rows.size and tables.state.seats_out[rows].any():
                row = int(tables.state.seats_out[rows].argmax())
                point = engine.decision_point_at(of_rows(rows), row)
                again = engine.read_decision_point(json.loads(json.dumps(point.state)))
                assert again.labels == point.labels
                state = again.decision.view.state
                assert state.seats_out[0] == tables.state.seats_out[rows[row]]
                num_back += bool(tables.state.hands[rows[row], tables.state.finish_order[rows[row], 0]].any())
        if (choosing := tables.rows_to_choose()).size:
            tables.choose(choosing, np.full(len(choosing), keeps, np.uint8))
        elif not step(tables):
            break
    assert num_back > 5
    empty = {"stage": "go", "hand": [], "cards": [3, 3], "seat": 0, "stock": 0, "asked_now": True}
    assert engine.read_decision_point(empty).decision.view.hand.sum() == 0


def test_states_of_choices_have_the_next_leader(tmp_path: Path) -> None:
    """A seat that does not lead chooses by rules that read ``owner/1``: its state had no options."""
    asks = "asked_now, not due(1), owner(T), next(T,S).\n#external asked(S) : seat(S)."
    options = "option(on;swap) :- stage(go), owner(S), not asked(S)."
    edits = ("asked_now, not due(1), owner(S).", asks), ("option(on;swap) :- stage(go).", options)
    engine = load(_edited_folder(tmp_path, *edits)).engine()
    tables = Tables.begin(engine.rules, match_keys(20, 9))
    while not (rows := tables.rows_to_choose()).size:
        assert step(tables)
    point = engine.decision_point_at(tables.choices(rows), 0)
    again = engine.read_decision_point(json.loads(json.dumps(point.state)))
    assert [str(action) for action in again.actions] == ["on", "swap"]


def _play_some(folder: str) -> None:
    tables = Tables.begin(load(folder).engine().rules, match_keys(40, 1))
    for _ in range(300):
        step(tables)


def test_taking_cards_aside_leaves_the_pile(tmp_path: Path) -> None:
    """Exchange the lowest card for the one that lies aside: the pile stays, and the hand keeps its size."""
    exchange = """takes_aside(S) :- event(choice), chosen(swap), by(S).
lays_aside(S,C) :- event(choice), chosen(swap), by(S), lowest(S,C), holds(S,C,1)."""
    passing = next(line for line in (PILE / "game.lp").read_text("utf-8").splitlines() if line.startswith("passes("))
    engine = load(_edited_folder(tmp_path, (passing, exchange))).engine()
    tables = Tables.begin(engine.rules, match_keys(30, 1))
    tables.auto_next_episode = False
    swap, exchanged = engine.rules.schema.options.index("swap"), 0
    while True:
        state = tables.state
        cards = state.hands.sum(axis=1) + state.aside + state.played.sum(axis=1)
        assert (cards == engine.rules.pack.copies).all()
        left = len(engine.rules.pack.deck) - state.num_drawn
        lying = state.aside.sum(axis=1) - left
        assert ((lying == 0) | (lying == 1)).all()
        if (choosing := tables.rows_to_choose()).size:
            seats = tables.seat[choosing].copy()
            before = state.hands[choosing, seats].sum(axis=1)
            tables.choose(choosing, np.full(len(choosing), swap, np.uint8))
            assert (state.hands[choosing, seats].sum(axis=1) == before - (lying[choosing] == 0)).all()
            exchanged += int(lying[choosing].sum())
        elif not step(tables):
            break
    assert exchanged > 30


def test_determinized_piles_leave_known_cards_aside(tmp_path: Path) -> None:
    """The seat that exchanged a card for the one aside knows it: it is in no hand and is not drawn."""
    exchange = """takes_aside(S) :- event(choice), chosen(swap), by(S).
lays_aside(S,C) :- event(choice), chosen(swap), by(S), lowest(S,C), holds(S,C,1).
next(layer(S)) :- event(choice), chosen(swap), by(S).
one(layer,1). #external layer(S) : seat(S).
knows_aside(S) :- layer(S)."""
    passing = next(line for line in (PILE / "game.lp").read_text("utf-8").splitlines() if line.startswith("passes("))
    rules = load(_edited_folder(tmp_path, (passing, exchange))).engine().rules
    tables, swap, checked = Tables.begin(rules, match_keys(amount(12, 30), 1)), rules.schema.options.index("swap"), 0
    tables.auto_next_episode = False
    slot = rules.fluents[Signature("layer", 1)].first_slot
    while True:
        if (choosing := tables.rows_to_choose()).size:
            tables.choose(choosing, np.full(len(choosing), swap, np.uint8))
        decisions: Decisions = tables.decisions(tables.rows_to_play())
        state, view = tables.state, decisions.view
        laid = count_leftover_cards(rules, state, decisions.rows)
        layer = state.fluents[decisions.rows, slot]
        knows = (layer == view.seats) & laid.any(axis=1)
        unseen = decisions.information_set().unseen
        assert (view.unseen - unseen == laid * knows[:, None]).all()
        rows = np.arange(len(decisions.rows))
        imagined = Tables.determinize(decisions, rows, view.hidden_hands)
        assert (imagined.state.aside == state.aside[decisions.rows]).all()
        assert (count_leftover_cards(rules, imagined.state, rows)[knows] == laid[knows]).all()
        checked += int(knows.sum())
        if not step(tables):
            break
    assert checked > 30


def test_exceeding_hand_limit_by_passing_is_an_error(tmp_path: Path) -> None:
    giving = "hand_limit(5). passes(0,1,C) :- event(deal), holds(0,C,1)."
    folder = _edited_folder(tmp_path, ("hand_limit(45).", giving), ("E = (trick;", "E = (deal;trick;"))
    with pytest.raises(KBError) as caught:
        load(folder).engine()
    assert caught.value.code == ErrorCode.RULES_STUCK


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("hand_limit(45).", "hand_limit(4).", ErrorCode.RULES_STUCK),
        ("event(trick), stock(2)", "event(trick)", ErrorCode.RULES_STUCK),
        ("draws(S)        :- due(1), owner(S).", "", ErrorCode.UNSUPPLIED_INPUT),
        ("draw_pile.", "", ErrorCode.RULES_NOT_PLAYABLE),
    ],
)
def test_invalid_pile_rules_are_errors(tmp_path: Path, old: str, new: str, code: ErrorCode) -> None:
    with pytest.raises((GameError, KBError)) as caught:
        _play_some(_edited_folder(tmp_path, (old, new)))
    assert isinstance(caught.value, GameError | KBError)
    assert caught.value.code == code


_TRICKS = """#include <ace_high>.
#include <seats>.
#include <tricks>.
seat(0..1). deals(S,5) :- seat(S). draw_pile. hand_limit(20). leads(0).
#external event(E) : E = (trick;draw;choice).
#external stage(go).
#external chosen(T) : T = (on;off).
#external by(S) : seat(S).
#external stock(N) : N = 1.
#external asked(S) : seat(S).
#external due(S) : seat(S).
#external asking.
any(due,1). any(asking,0).
next(due(S)) :- event(trick), seat(S), stock(1).
drop(due(S)) :- event(draw), by(S).
draws(S) :- due(S), stock(1), not due(T) : seat(T), T < S.
next(asking) :- event(trick).
drop(asking) :- event(choice).
asks(go,S) :- asking, not due(T) : seat(T); owner(T), next(T,S).
option(on) :- stage(go), owner(S), not asked(S).
option(off) :- stage(go), leader(S), not asked(S).
points(S,1,first) :- owner(S).
"""


def test_states_of_choices_between_tricks_name_the_seat_that_leads_next(tmp_path: Path) -> None:
    """The seat that took the last trick leads; the other one chooses by rules that read both inputs."""
    (tmp_path / "game.lp").write_text(_TRICKS, "utf-8")
    engine = load(str(tmp_path)).engine()
    tables = Tables.begin(engine.rules, match_keys(20, 9))
    while not (rows := tables.rows_to_choose()).size:
        assert step(tables)
    point = engine.decision_point_at(tables.choices(rows), 0)
    again = engine.read_decision_point(json.loads(json.dumps(point.state)))
    assert [str(action) for action in again.actions] == [str(action) for action in point.actions] == ["off", "on"]
    with pytest.raises(GameError) as refused:
        engine.read_decision_point({"hand": ["S3"], "trick": [], "top": 0})
    assert refused.value.code == ErrorCode.INVALID_STATE
