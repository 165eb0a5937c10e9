"""Tests of the game log of tables: plays whose cards the rules take back."""

from itertools import pairwise
from typing import Any

import numpy as np

from abl_cards.agents.registry import make_agent
from abl_cards.games.game import load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.matches.match_runner import play_match
from abl_cards.web.replay_frames import build_replay_frames
from abl_cards.web.seats import PERSON, Permission, TableSeat
from abl_cards.web.snapshot import make_view
from abl_cards.web.table import WebTable


def lead_two_cards(table: WebTable) -> bool:
    """Lead two different cards of a suit, if that is legal; return whether it was."""
    codes, hand = table.engine.rules.card_codes, table.tables.state.hands[0, table.seat]
    texts = [codes.kind_texts[kind] for kind in np.flatnonzero(hand).tolist()]
    for pair in pairwise(texts):
        readings = table.get_selection().interpret(list(pair))["readings"] if pair[0][0] == pair[1][0] else []
        if readings:
            assert readings[0]["text"] == ["throw of 2 cards", "甩牌2张"]
            table.play(
                Permission(table.seat, True, table.seat), readings[0]["value"], int(table.tables.num_decisions[0])
            )
            return True
    return False


def throw_two_cards(seed: int) -> WebTable:
    """Play until seat 0 has led two cards."""
    engine = load("tractor").engine()
    greedy = make_agent("greedy", engine)
    seats = [TableSeat(PERSON, "Ann"), *[TableSeat("agent", "greedy", "greedy", greedy) for _ in range(3)]]
    table = WebTable("t", ["", ""], engine, seats, seed, True)
    for number in range(200):
        is_play = bool(table.tables.rows_to_play().size)
        if table.seat != 0:
            table.run_agent()
        elif is_play and not table.tables.state.trick_cards[0].any() and lead_two_cards(table):
            return table
        elif is_play:
            table._play(greedy.play(table.tables.decisions(ONLY_TABLE), np.array([number], np.uint64)))
        else:
            table._choose(int(np.flatnonzero(table.tables.choices(ONLY_TABLE).options[0])[-1]), True)
    raise AssertionError("seat 0 has led no two cards")


def test_failed_throw_is_marked_in_all_views() -> None:
    table = throw_two_cards(3)
    codes, laid = table.engine.rules.card_codes, table.tables.state.trick_cards[0, 0]
    lies = [codes.kind_texts[kind] for kind in np.flatnonzero(laid).tolist()]
    assert len(lies) == 1
    view = make_view(table, Permission())
    for event in (view["trick"][0], view["seats"][0]["said"], view["log"][-1]):
        assert event["cards"] == lies
        assert event["failed"]["text"] == ["throw of 2 cards", "甩牌2张"]
        assert sorted(event["failed"]["cards"]) == sorted(lies + event["failed"]["back"])
        assert "cards" not in event["text"][0]
    assert set(event["failed"]["back"]) <= set(make_view(table, Permission(0))["hand"])


def test_replay_frames_show_the_cards_each_act_plays() -> None:
    engine, records = load("tractor").engine(), list[Any]()
    names = ("greedy", "greedy")
    play_match(engine, [make_agent(name, engine) for name in names], 1, 3, names=names,
               on_progress=lambda done, wins: None, write_record=records.append)  # fmt: skip
    frames, _, problem = build_replay_frames(engine, records[0])
    assert not problem
    for before, after in pairwise(frames.frames):
        if before["plays"]:
            seat, act = before["seat"], before["act"]
            assert act not in before["trick"]
            assert len(before["hands"][seat]) - len(act["cards"]) == len(after["hands"][seat])
