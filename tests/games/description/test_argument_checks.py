"""An output that names no seat, no card, no label is an error of check, with its place."""

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.game import load

LEADER = "#external leader(S) : seat(S).\n"
EVENT = "#external event(E) : E = (deal;play;choice).\n"
WRONG = {
    "points(7,3,why) :- finish(1,0).": "points(7,3,why): 7 is no seat",
    "points(0,2000000,why) :- finish(1,0).": "2000000 is no number that counts",
    "turn(3) :- trick_over.": "turn(3): 3 is no seat",
    "leads(5) :- lot(leader,2).": "leads(5): 5 is no seat",
    "asks(bid,9). option(none).": "asks(bid,9): 9 is no seat",
    "takes_aside(4) :- event(deal).": "takes_aside(4): 4 is no seat",
    "passes(0,8,card(3,s)) :- event(deal).": "8 is no seat",
    "passes(0,1,joker) :- event(deal).": "joker is no card",
    "lays_aside(0,joker) :- event(deal).": "joker is no card",
    "includes(joker) :- leading.": "joker is no card",
    "role(9,boss).": "9 is no seat",
    "side(0,12).": "12 is no team",
    "won(6) :- finish(1,0).": "6 is no team",
    "has(8,card(3,s),1).": "8 is no seat",
    "lacks(0,card(3,s),0).": "0 is no number of copies",
    "draws(7) :- event(deal).": "draws(7): 7 is no seat",
    "takes(9).": "takes(9): 9 is no seat",
    "takes(S+1) :- leader(S).": "takes(3): 3 is no seat",
    "takes(jester) :- leader(0).": "takes(jester): jester is no seat",
    "takes_back(0,joker,1) :- event(play).": "joker is no card",
    "has_now(8,card(3,s),1).": "8 is no seat",
    "lacks_now(0,card(3,s),0).": "0 is no number of copies",
    "member(S,S+5) :- seat(S).": "is no team",
    "legal(triple(3)) :- leading.": "triple(3) is no label",
    "move(triple(3)) :- leading.": "triple(3) is no form",
    "beats(triple(3)) :- leading.": "triple(3) is no form",
    "strength(triple(3),3).": "triple(3) is no form",
    "acts_as(joker,3).": "joker is no card",
    "next(0,0). next(1,2). next(2,1).": "next/2",
    'called(singel(R),"One",R) :- rank(R).': "singel(3) is no label",
    'called(pair(3,3),"Pair",3,3).': "pair(3,3) is no label",
}


@pytest.mark.parametrize("rule", WRONG)
def test_what_an_output_must_be(tmp_path: Path, rule: str) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "cases.jsonl").unlink()
    if rule.startswith("next"):
        text = (
            (folder / "game.lp")
            .read_text("utf-8")
            .replace("#include <seats>.", "who(next,1). who(previous,2). who(W) :- who(W,_).")
        )
        (folder / "game.lp").write_text(text, "utf-8")
    inputs = (EVENT if "event" in rule else "") + (LEADER if "leader" in rule else "")
    (folder / "more.lp").write_text(inputs + rule + "\n", "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    assert WRONG[rule] in str(raised.value)
    assert ".lp:" in str(raised.value)


def test_a_name_waits_for_its_label(tmp_path: Path) -> None:
    """Rules that take a label away need not take its name away as well."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text('called(pair(R),"A pair",R) :- R = 97..99.\n', "utf-8")
    load(str(folder)).knowledge_base()


def test_a_fact_waits_for_nothing(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text('called(pair(99),"A pair",99).\n', "utf-8")
    with pytest.raises(KBError, match=r"more\.lp:1:8-16: error: called\(pair\(99\).* is no label"):
        load(str(folder)).knowledge_base()
