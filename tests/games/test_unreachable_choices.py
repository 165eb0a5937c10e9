"""Choices that only plays bring about: nobody is asked for them before the first play, and with a pile after tricks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core import ErrorCode
from abl_cards.games.game import load
from abl_cards.games.unreachable_choices import find_unreachable_choices
from tests.edited import edited

TOLL = """#external event(E) : E = (choice;trick). #external by(S) : seat(S). #external stage(toll).
#external due(S) : seat(S). any(due,1).
next(due(S)) :- event(trick), seat(S), owner(S).
drop(due(S)) :- event(choice), by(S).
asks(toll,S) :- due(S).
option((pay;owe)) :- stage(toll).
"""


@pytest.mark.parametrize(("more", "is_late"), [("", True), ("draw_pile.\n", False), ("lasts(due,match).\n", False)])
def test_choices_for_which_only_plays_give_reason_are_warnings(tmp_path: Path, more: str, is_late: bool) -> None:
    game = load(str(edited(tmp_path / "game", more=TOLL + more, name="president")))
    found = list(find_unreachable_choices(game.engine().rules))
    assert [item.code for item in found] == [ErrorCode.NEVER_DERIVED] * is_late


CHAIN = """#external stage(fine). #external chosen(C) : C = (pay;owe).
#external fined(S) : seat(S). any(fined,1).
next(fined(S)) :- event(choice), {when}, by(S).
drop(fined(S)) :- event(choice), stage(fine), by(S).
asks(fine,S) :- fined(S), not due(S).
option((less;more)) :- stage(fine).
"""


@pytest.mark.parametrize("when", ["stage(toll)", "chosen(owe)", "due(S)"])
@pytest.mark.parametrize("is_late", [True, False])
def test_choices_that_only_a_late_choice_brings_about_are_late(tmp_path: Path, when: str, is_late: bool) -> None:
    rules = TOLL if is_late else TOLL.replace("event(trick), seat(S), owner(S)", "event(deal), S = 0")
    rules = rules.replace("(choice;trick)", "(choice;trick;deal)") + CHAIN.replace("{when}", when)
    game = load(str(edited(tmp_path / "game", more=rules, name="president")))
    found = list(find_unreachable_choices(game.engine().rules))
    assert [item.message.split(",")[0] for item in found] == ["asks(fine", "asks(toll"] * is_late


def test_choices_follow_tricks_where_all_cards_are_dealt(tmp_path: Path) -> None:
    engine = load(str(edited(tmp_path / "game", more=TOLL + "draw_pile.\n", name="president"))).engine()
    tables = engine.start_matches(np.arange(4, dtype=np.uint64))
    for _ in range(60):
        rows = tables.rows_to_play()
        if not len(rows):
            break
        moves = tables.decisions(rows).moves()
        tables.play(rows, moves.select(moves.start[1:] - 1))
    rows = tables.rows_to_choose()
    assert len(rows)
    assert (tables.state.seat[rows] == tables.state.owner[rows]).all()
