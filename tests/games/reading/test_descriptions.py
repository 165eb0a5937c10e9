"""Errors of a description name the file and what to write."""

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.games import game
from abl_cards.logic import KBError

CHANGES = {
    "a form without order": (
        "labels.lp", "strength(pair(R),R)   :- rank(R).", "", "form pair(3) has no strength/2", "labels.lp",
    ),
    "a form without kind": ("labels.lp", "kind(pair(R),pair)     :- rank(R).", "", "has no kind/2", "labels.lp"),
    "nobody leads": ("game.lp", "leads(S) :- lot(leader,S).", "", "no rule derives leads/1", ""),
    "nobody is dealt to": ("game.lp", "deals(S,17) :- seat(S).", "", "nobody is dealt a card", ""),
    "a form that takes its own cards twice": (
        "labels.lp", "kind(pass,pass).",
        "kind(pass,pass). kickers(pair(R),1,1) :- rank(R). kicker(pair(R),Q,1) :- rank(R), rank(Q).",
        "form pair(3) takes cards of 3 twice (kicker/3)", "labels.lp",
    ),
    "a card that would be two groups": (
        "labels.lp", "needs(pair(R),1,R,2)   :- rank(R).",
        "needs(pair(R),1,R,1) :- rank(R). needs(pair(R),2,card(R,s),1) :- rank(R).",
        "form pair(3) takes 3 and card(3,s), and a card acts as both", "labels.lp",
    ),
    "too many ways to take cards": (
        "labels.lp", "kind(pass,pass).",
        "kind(pass,pass). acts_as(card(R,S),any) :- pack(card(R,S),_). acts_as(card(R,S),R) :- pack(card(R,S),_). "
        "label(five). kind(five,five). needs(five,1,any,5).",
        "52 kinds of cards act as any, whatever the fluents", "labels.lp",
    ),
    "two labels written alike": (
        "labels.lp", "kind(pass,pass).", 'kind(pass,pass). written(single(R),"One",0) :- rank(R).',
        "are written alike", "labels.lp",
    ),
    "an unknown platform": (
        "game.lp", "match_over.", "match_over. platform(nonsense).", "platform(nonsense): nonsense is no platform",
        "game.lp",
    ),
    "a name of no label": (
        "labels.lp", "kind(pass,pass).", 'kind(pass,pass). called(singel(R),"One",R) :- rank(R).',
        "called(singel(3),\"One\",3): singel(3) is no label", "labels.lp",
    ),
    "a seat missing": ("game.lp", "seat(0..2).", "seat(0). seat(2).", "seat/1", "game.lp"),
    "two labels of one number": (
        "labels.lp", "label(pass).", "label(pass). label(0,single(3)). label(0,pair(3)).", "label", "labels.lp",
    ),
    "more cards than there are": ("game.lp", "deals(S,17)", "deals(S,27)", "deals", "game.lp"),
    "a stage nobody leaves": (
        "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S). asks(bid,0). option(bid(1..3)).",
        "asks/2: the stage bid is never left", "game.lp",
    ),
    "nothing to choose": (
        "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S). asks(bid,0).", "no rule derives option/1",
        "game.lp",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_an_error_of_description(tmp_path: Path, what: str) -> None:
    file, old, new, said, place = CHANGES[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    text = (folder / file).read_text("utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(KBError) as raised:
        game(str(folder)).knowledge()
    lines = str(raised.value)
    assert said in lines
    assert (f"mine/{place}:" if place else "mine: ") in lines
    assert "(" in lines.partition("error: ")[2]  # the remedy
