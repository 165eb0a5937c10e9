"""Tests of stages in which several cards are chosen: exactly as many as the rules want."""

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.web.hints import compute_hint
from abl_cards.web.seats import PERSON, Permission, TableSeat
from abl_cards.web.snapshot import make_snapshot
from abl_cards.web.table import WebTable

Run = Any


def open_table(name: str, seed: int) -> tuple[WebTable, Permission]:
    """Return a table of four people at which somebody is to choose cards, and the permission of this seat."""
    engine = load(name).engine()
    greedy, rows = make_agent("greedy", engine), np.array([0])
    table = WebTable("t", ["", ""], engine, [TableSeat(PERSON, name) for name in "ABCD"], seed, True)
    for number in range(100):
        assert table.tables.rows_to_choose().size
        if table.num_card_choices is not None:
            return table, Permission(table.seat, True, table.seat)
        option = greedy.choose(table.tables.choices(rows), np.array([number], np.uint64))
        table._choose(int(option[0]), True)
    raise AssertionError("no cards are chosen")


@pytest.mark.parametrize(("name", "seed", "count"), [("hearts", 4, 3), ("tractor", 6, 8)])
def test_stage_accepts_exactly_the_required_number_of_cards(name: str, seed: int, count: int) -> None:
    table, me = open_table(name, seed)
    view = make_snapshot(table, me)
    assert view["asked"]["count"] == count
    hand, decided = view["hand"], len(table.decisions)
    for number in (1, count - 1, count + 1, len(hand)):
        with pytest.raises(GameError) as error:
            table.choose(me, hand[:number], view["at"])
        assert (error.value.code, error.value.values) == (ErrorCode.WRONG_COUNT, (count, number))
        assert len(table.decisions) == decided
    with pytest.raises(GameError):  # the same card more often than it is held
        table.choose(me, [hand[0]] * count, view["at"])
    assert len(table.decisions) == decided
    table.choose(me, hand[-count:], view["at"])
    after = make_snapshot(table, me)
    assert after["hand"] == hand[:-count] or name == "hearts"  # a pass waits for the others
    assert len(table.decisions) == decided + count
    table.take_back(me)
    assert table.num_card_choices == 1


@pytest.mark.parametrize("name", ["hearts", "tractor"])
def test_hint_contains_all_cards_of_a_stage(name: str) -> None:
    table, me = open_table(name, 6)
    player: Any = make_agent("kb", table.engine)
    point = table.engine.decision_point_at(table.tables.choices(np.array([0])))
    hint = compute_hint(table.engine, player, point, "en", table.tables)
    assert len(hint["best"]["cards"]) == table.num_card_choices
    table.choose(me, hint["best"]["cards"], int(table.tables.num_decisions[0]))
