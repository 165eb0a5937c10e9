"""Errors of a description name the file and what to write."""

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.game import load

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
    "more ways to lay cards down than can be counted": (
        "game.lp", "deals(S,17) :- seat(S).",
        "deals(S,69) :- seat(S). packs(4). kickers(pair(R),40,1) :- rank(R). "
        "kicker(pair(R),Q,1..15) :- rank(R), rank(Q), Q != R.",
        "kickers(pair(3),40,1): form pair(3) may be laid down in more than 5e+18 ways", "game.lp",
    ),
    "fewer cards than none": (
        "game.lp", "deals(S,17)", "deals(S,0-3)", "deals(0,-3): -3 is no number of cards", "game.lp",
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
        load(str(folder)).knowledge_base()
    lines = str(raised.value)
    assert said in lines
    assert (f"mine/{place}:" if place else "mine: ") in lines
    assert "(" in lines.partition("error: ")[2]  # the remedy


WILDS = {
    "a form of the wild card": (
        "label(fool).\nkind(fool,single).\nneeds(fool,1,wild,1).", ["needs(fool,1,wild,1)"], "needs(fool,1,wild,1)",
    ),
    "a form of the wild card among others": (
        "label(five(R)) :- rank(R).\nkind(five(R),five) :- rank(R).\nneeds(five(R),I,R,1) :- rank(R), I = 1..2.\n"
        "needs(five(R),3,wild,1) :- rank(R).", ["needs(five(3),3,wild,1)"], "needs(five(R),3,wild,1)",
    ),
    "any form of the wild card": (
        "more(F,3,wild) :- F = pair(R), rank(R).\nneeds(F,I,C,1) :- more(F,I,C).", ["needs(pair(3),3,wild,1)"],
        "needs(F,I,C,1)",
    ),
    "a wild kicker": (
        "kickers(pair(R),1,1) :- rank(R).\nkicker(pair(R),wild,1) :- rank(R).", ["kicker(pair(3),wild,1)"],
        "kicker(pair(R),wild,1)",
    ),
    "a wild misread kicker": (
        "kickers(pair(R),1,1) :- rank(R).\nmisread(pair(R),wild,1) :- rank(R).", ["misread(pair(3),wild,1)"],
        "misread(pair(R),wild,1)",
    ),
    "a card that is wild and itself": (
        "acts_as(joker,joker).", ["acts_as(joker,wild)", "acts_as(joker,joker)"], "acts_as(joker,joker)",
    ),
    "a card that is wild and of a rank": (
        "acts_as(card(R,h),wild) :- R = 5.", ["acts_as(card(5,h),wild)"],
        "acts_as(card(R,h),wild)",
    ),
    "a pass with cards": ("needs(pass,1,3,1).", ["needs(pass,1,3,1)"], "needs(pass,1,3,1)"),
    "a pass with kickers": (
        "kickers(pass,1,1).\nkicker(pass,R,1) :- rank(R).", ["kickers(pass,…)"], "kickers(pass,1,1)",
    ),
    "a pass by another name": ("label(skip).\nform(skip,pass).", ["form(skip,pass)"], "form(skip,pass)"),
}  # fmt: skip


@pytest.mark.parametrize("what", WILDS)
def test_what_no_play_can_be(tmp_path: Path, what: str) -> None:
    """The error stands at the line of the form or of ``acts_as/2``."""
    rules, said, place = WILDS[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    with (folder / "game.lp").open("a", encoding="utf-8") as file:
        file.write(
            'pack(joker,1).\nletter(joker,"JK").\nacts_as(joker,wild).\n'
            "acts_as(card(R,S),card(R,S)) :- rank(R), suit(S).\nacts_as(card(R,S),R) :- rank(R), suit(S).\n"
        )
    (folder / "more.lp").write_text(f"{rules}\n", "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    found = raised.value.diagnostics
    assert [name for name in said if not any(f"{name}: " in each.message for each in found)] == []
    line = next(number for number, text in enumerate(rules.split("\n"), 1) if place in text)
    assert ("more.lp", line) in {(Path(each.location.file).name, each.location.line) for each in found if each.location}


OTHERS = (
    "#external got(N) : N = 1..300. one(got,1). #external event(E) : E = choice.\n"
    "#external chosen(o(N)) : N = 1..300.\n"
)
LIMITS = {
    "groups": (
        "label(long). kind(long,long).\nneeds(long,I,card(R,S),1) :- card_at(I,R,S), I < 40.\n"
        "card_at(13*T+R-3,R,S) :- pack(card(R,S),_), T = #count { Q : suit(Q), Q < S }.",
        "needs(long,39,", ": 40 groups of a form", 2,
    ),
    "cards of a group": ("label(all). kind(all,all).\nneeds(all,1,3,40000).", "needs(all,1,3,40000)", "40000 is no", 2),
    "cards in all": (
        "label(all). kind(all,all). form(all,all).\nneeds(all,R,R,10) :- rank(R).", "form(all,all)", "130 cards", 1,
    ),
    "kickers": ("\nkickers(pair(R),200,1) :- rank(R).", "kickers(pair(3),200,1)", "200 is no number", 2),
    "cards of a kicker": ("\nkickers(pair(R),1,200) :- rank(R).", "kickers(pair(3),1,200)", "200 is no number", 2),
    "labels": ("\nlabel(x(1..33000)).", "label/1", "33027 labels", 0),
    "suits to mix": (
        "pack(card(99,1..100),1). letter(99,\"Z\").\nmixed_suits(pair(R)) :- rank(R).",
        "mixed_suits(pair(3))", "the pack has 104 suits", 2,
    ),
    "cells": (
        "\nacts_as(card(R,S),x(R,S,1..800)) :- pack(card(R,S),_).\nacts_as(card(R,S),R) :- pack(card(R,S),_).",
        "acts_as/2", "41613 cells", 2,
    ),
    "sides": ("\n#external lot(foo,0). lots(foo,0).", "lots(foo,0)", "no number of this range", 2),
    "many sides": ("\n#external lot(foo,0). lots(foo,100000).", "lots(foo,100000)", "no number of this range", 2),
    "options": (
        OTHERS + "asks(bid,0) :- not got(_). option(o(1..300)).\nnext(got(N)) :- event(choice), chosen(o(N)).",
        "option/1", "300 options", 3,
    ),
    "stages": ("asks(s(1..200),0).\noption(go).", "asks/2", "200 stages", 1),
    "copies": (
        "packs(240). pack(q(1..190),1). letter(q(I),I) :- I = 1..190.", "pack/2, packs/1", "58080 cards", 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long] if what == "labels" else []) for what in LIMITS]
)
def test_more_than_there_is_room_for(tmp_path: Path, what: str) -> None:
    """Kernels have room for so much; more is an error of check, at the line of the fact."""
    rules, fact, said, line = LIMITS[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text(f"{rules}\n", "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    found = [each for each in raised.value.diagnostics if said in each.message]
    assert found
    assert found[0].message.startswith(fact)
    assert found[0].location is not None
    if line:
        assert (Path(found[0].location.file).name, found[0].location.line) == ("more.lp", line)
