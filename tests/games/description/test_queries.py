"""What a question is never told is an error where a rule reads it; what it can be told, it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.games.compiled.compiled_game import compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.input_schema import INPUT_GROUPS, INPUTS
from abl_cards.games.description.queries import QUERY_SPECS

FACE_UP = "#external face_up(W,R,N) : who(W), rank(R), N = 1..4.\n"
HELD = "#external held(R,N) : rank(R), N = 1..4.\n"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (f"{HELD}turn(S) :- held(3,1), owner(S).", "house.lp:2:12-21: error: 'held/2' is not known where whose turn"),
        (f"{HELD}over :- held(3,4).", "house.lp:2:9-18: error: 'held/2' is not known"),
        ("leads(S) :- leading, seat(S).", "house.lp:1:13-20: error: 'leading/0' is not known where who is asked"),
        ("barred(F) :- holds(0,card(3,c),1), form(_,F).", "'holds/3' is not known where what may be played"),
        ("points(S,1,x) :- leading, seat(S).", "'leading/0' is not known where what an episode is worth"),
        ("strength(set(3,1),99) :- leading.", "house.lp:1:26-33: error: 'leading/0' is not known where the order"),
        (f"{FACE_UP}barred(F) :- face_up(next,3,1), form(_,F).", "where they do, write open_hands."),
        ("#external acts(N) : N = 1..9.\none(acts,1).", "'acts' is declared as a fluent"),
        ("turn(S) :- middle(S). middle(S) :- owner(S), deeper. deeper :- held(3,1).\n" + HELD, "house.lp:1:64-73"),
    ],
)  # fmt: skip
def test_a_rule_that_reads_what_is_never_told_is_an_error_with_its_place(tmp_path: Path, rule: str, said: str) -> None:
    (tmp_path / "variant.lp").write_text("parent(president).")
    (tmp_path / "house.lp").write_text(rule)
    with pytest.raises(KBError) as caught:
        compile_game(Folder(tmp_path))
    assert said in str(caught.value), str(caught.value)


def test_every_group_is_told_to_somebody() -> None:
    told = set().union(*(question.input_groups for question in QUERY_SPECS.values()))
    assert set(INPUT_GROUPS.values()) <= told
    assert set(INPUT_GROUPS) == set(INPUTS)
