"""Inputs that a query never supplies are errors where a rule reads them; every input is supplied to some query."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.inputs import GROUPS
from abl_cards.games.description.queries import QUERY_SPECS

FACE_UP = "#external face_up(W,R,N) : who(W), rank(R), N = 1..4.\n"
HELD = "#external held(R,N) : rank(R), N = 1..4.\n"


UNSUPPLIED, FLUENT = ErrorCode.UNSUPPLIED_INPUT, ErrorCode.INVALID_FLUENT


@pytest.mark.parametrize(
    ("rule", "code", "value", "place"),
    [
        (f"{HELD}turn(S) :- held(3,1), owner(S).", UNSUPPLIED, "'held/2'", "house.lp:2:12-21"),
        (f"{HELD}over :- held(3,4).", UNSUPPLIED, "'held/2'", "house.lp:2:9-18"),
        ("leads(S) :- leading, seat(S).", UNSUPPLIED, "'leading/0'", "house.lp:1:13-20"),
        ("barred(F) :- holds(0,card(3,c),1), form(_,F).", UNSUPPLIED, "'holds/3'", "house.lp:1:14-34"),
        ("points(S,1,x) :- leading, seat(S).", UNSUPPLIED, "'leading/0'", "house.lp:1:18-25"),
        ("strength(set(3,1),99) :- leading.", UNSUPPLIED, "'leading/0'", "house.lp:1:26-33"),
        (f"{FACE_UP}barred(F) :- face_up(next,3,1), form(_,F).", UNSUPPLIED, "open_hands", "house.lp:2:14-31"),
        ("#external acts(N) : N = 1..9.\none(acts,1).", FLUENT, "'acts'", ""),
        ("turn(S) :- middle(S). middle(S) :- owner(S), deeper. deeper :- held(3,1).\n" + HELD, UNSUPPLIED,
         "'held/2'", "house.lp:1:64-73"),
    ],
)  # fmt: skip
def test_reading_an_unsupplied_input_is_an_error(
    tmp_path: Path, rule: str, code: ErrorCode, value: str, place: str
) -> None:
    (tmp_path / "variant.lp").write_text("parent(president).")
    (tmp_path / "house.lp").write_text(rule)
    with pytest.raises(KBError) as caught:
        compile_game(Folder(tmp_path))
    assert caught.value.code == code
    assert value in str(caught.value)
    assert place in str(caught.value)


DRAWS = "draws(0) :- stock(1), not drew(S) : seat(S). draws(T) :- stock(1), drew(S), next(S,T)."


@pytest.mark.parametrize(
    ("dealt", "more", "reason"),
    [
        (12, DRAWS, None),
        (13, DRAWS, "no card of the pack is left over"),
        (12, f"draw_pile. {DRAWS}", "no card of the pack is left over"),
        (12, "", "no rule derives draws/1"),
    ],
)
def test_turned_requires_cards_left_after_the_deal(tmp_path: Path, dealt: int, more: str, reason: str | None) -> None:
    (tmp_path / "game.lp").write_text(
        f"""#include <ace_high>. #include <seats>. #include <tricks>.
        seat(0..3). deals(S,{dealt}) :- seat(S). leads(0). trumps(T) :- turned(card(_,T)).
        #external event(E) : E = (deal;trick).
        #external stock(N) : N = 1.
        #external drew(S) : seat(S).
        #external turned(C) : pack(C,_). one(turned,1).
        #external left_over(I,C) : I = 1, pack(C,_).
        points(S,1,won) :- seat(S), S = 0. {more}
        next(turned(C)) :- event(deal), left_over(1,C).
        """
    )
    if reason is None:
        compile_game(Folder(tmp_path))
        return
    with pytest.raises(KBError) as caught:
        compile_game(Folder(tmp_path))
    assert caught.value.code == UNSUPPLIED
    assert reason in str(caught.value)
    assert "game.lp:9:41-55" in str(caught.value)


def test_every_input_group_is_supplied_to_some_query() -> None:
    supplied = set().union(*(spec.input_groups for spec in QUERY_SPECS.values()))
    assert set(GROUPS) <= supplied
