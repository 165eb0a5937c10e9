"""Errors of a description have a code, a location and a remedy."""

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import ErrorCode
from abl_cards.games.game import load

CHANGES = {
    "a form without order": (
        "labels.lp", "strength(pair(R),R)   :- rank(R).", "", ErrorCode.MISSING_FACT, "pair(3)", "labels.lp",
    ),
    "a form without kind": (
        "labels.lp", "kind(pair(R),pair)     :- rank(R).", "", ErrorCode.MISSING_FACT, "kind/2", "labels.lp",
    ),
    "nobody leads": ("game.lp", "leads(S) :- lot(leader,S).", "", None, "leads/1", ""),
    "nobody is dealt to": ("game.lp", "deals(S,17) :- seat(S).", "", None, "", ""),
    "a form that takes its own cards twice": (
        "labels.lp", "kind(pass,pass).",
        "kind(pass,pass). kickers(pair(R),1,1) :- rank(R). kicker(pair(R),card(R,s),1) :- rank(R).",
        ErrorCode.INVALID_FORM, "kicker/3", "labels.lp",
    ),
    "a card that would be two groups": (
        "labels.lp", "needs(pair(R),1,R,2)   :- rank(R).",
        "needs(pair(R),1,R,1) :- rank(R). needs(pair(R),2,card(R,s),1) :- rank(R).",
        ErrorCode.INVALID_FORM, "card(3,s)", "labels.lp",
    ),
    "too many ways to take cards": (
        "labels.lp", "kind(pass,pass).",
        "kind(pass,pass). acts_as(card(R,S),any) :- pack(card(R,S),_). acts_as(card(R,S),R) :- pack(card(R,S),_). "
        "label(five). kind(five,five). needs(five,1,any,5).",
        ErrorCode.GAME_TOO_LARGE, "52 kinds", "labels.lp",
    ),
    "two labels written alike": (
        "labels.lp", "kind(pass,pass).", 'kind(pass,pass). written(single(R),"One",0) :- rank(R).',
        None, "", "labels.lp",
    ),
    "an unknown platform": (
        "game.lp", "match_over.", "match_over. platform(nonsense).", ErrorCode.UNKNOWN_NAME,
        "platform(nonsense)",         "game.lp",
    ),
    "a name of no label": (
        "labels.lp", "kind(pass,pass).", 'kind(pass,pass). called(singel(R),"One",R) :- rank(R).',
        ErrorCode.UNKNOWN_NAME, "singel(3)", "labels.lp",
    ),
    "a seat missing": ("game.lp", "seat(0..2).", "seat(0). seat(2).", ErrorCode.UNKNOWN_NAME, "0, 2", "game.lp"),
    "two labels of one number": (
        "labels.lp", "label(pass).", "label(pass). label(0,single(3)). label(0,pair(3)).", ErrorCode.CONFLICTING_FACTS,
        "label(", "labels.lp",
    ),
    "more ways to lay cards down than can be counted": (
        "game.lp", "deals(S,17) :- seat(S).",
        "deals(S,69) :- seat(S). packs(4). kickers(pair(R),40,1) :- rank(R). "
        "kicker(pair(R),Q,1..15) :- rank(R), rank(Q), Q != R.",
        ErrorCode.GAME_TOO_LARGE, "kickers(pair(3),40,1)", "game.lp",
    ),
    "fewer cards than none": (
        "game.lp", "deals(S,17)", "deals(S,0-3)", ErrorCode.INVALID_ARGUMENT, "deals(0,-3)", "game.lp",
    ),
    "more cards than there are": ("game.lp", "deals(S,17)", "deals(S,27)", None, "deals", "game.lp"),
    "a stage nobody leaves": (
        "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S). asks(bid,0). option(bid(1..3)).",
        None, "asks/2", "game.lp",
    ),
    "nothing to choose": (
        "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S). asks(bid,0).",
        ErrorCode.MISSING_OUTPUT, "option/1", "game.lp",
    ),
}  # fmt: skip
"""File, old text, new text, code (None: by another package), value in the message, and file of the location."""


@pytest.mark.parametrize("what", CHANGES)
def test_invalid_descriptions_are_errors_at_their_location(tmp_path: Path, what: str) -> None:
    file, old, new, code, value, place = CHANGES[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    text = (folder / file).read_text("utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    error = raised.value.diagnostics[0]
    assert code in (None, error.code)
    assert value in error.message
    assert error.location is not None
    assert Path(error.location.file).name == place if place else str(folder) in error.message
    assert error.remedy


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
    "a joker that is a rank of other cards": (
        "acts_as(joker,3).", ["acts_as(joker,wild)", "acts_as(joker,3)"], "acts_as(joker,3)",
    ),
    "a vacant cell of a card": ("\nvacant(5).", ["vacant(5)"], "vacant(5)"),
    "a vacant cell without wild cards": (
        "vacant(16).\nneeds(pair(R),2,16,1) :- rank(R).", ["needs(pair(3),2,16,1)"], "needs(pair(R),2,16,1)",
    ),
    "a vacant cell with too few wild cards": (
        "vacant(16). wilds(pair(R),1) :- rank(R).\nneeds(pair(R),2,16,2) :- rank(R).", ["needs(pair(3),2,16,2)"],
        "needs(pair(R),2,16,2)",
    ),
    "natural cards in a vacant cell": (
        "vacant(16). wilds(pair(R),1) :- rank(R). natural(pair(R),16,1) :- rank(R).\n"
        "needs(pair(R),2,16,1) :- rank(R).", ["needs(pair(3),2,16,1)"], "needs(pair(R),2,16,1)",
    ),
    "more natural cards than the group has": (
        "wilds(pair(R),1) :- rank(R).\nnatural(pair(R),R,3) :- rank(R).", ["natural(pair(3),3,3)"],
        "natural(pair(R),R,3)",
    ),
    "a kicker of a vacant cell": (
        "vacant(16). kickers(pair(R),1,1) :- rank(R).\nkicker(pair(R),16,1) :- rank(R).", ["kicker(pair(3),16,1)"],
        "kicker(pair(R),16,1)",
    ),
    "two numbers of wild cards": (
        "wilds(pair(R),1) :- rank(R).\nwilds(pair(R),1,1) :- rank(R).", ["wilds(pair(3),1,1)"], "wilds(pair(R),1,1)",
    ),
    "no range of wild cards": ("\nwilds(pair(R),2,1) :- rank(R).", ["wilds(pair(3),2,1)"], "wilds(pair(R),2,1)"),
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


FORM_CODES = {
    ErrorCode.INVALID_FORM, ErrorCode.CONFLICTING_FACTS, ErrorCode.MISSING_FACT, ErrorCode.INVALID_ARGUMENT,
}  # fmt: skip


@pytest.mark.parametrize("what", WILDS)
def test_contradictory_forms_are_errors(tmp_path: Path, what: str) -> None:
    """The location is the line of the form or of ``acts_as/2``."""
    rules, facts, place = WILDS[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    with (folder / "game.lp").open("a", encoding="utf-8") as file:
        file.write(
            'pack(joker,1).\nletter(joker,"JK").\nacts_as(joker,wild).\n'
            "acts_as(card(R,S),card(R,S)) :- rank(R), suit(S).\nacts_as(card(R,S),R) :- rank(R), suit(S).\n"
        )
    (folder / "more.lp").write_text(f"{rules}\n", "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    diagnostics = raised.value.diagnostics
    assert {diagnostic.code for diagnostic in diagnostics} <= FORM_CODES
    missing = [fact for fact in facts if not any(f"{fact}: " in diagnostic.message for diagnostic in diagnostics)]
    assert missing == []
    line = next(number for number, text in enumerate(rules.split("\n"), 1) if place in text)
    locations = [diagnostic.location for diagnostic in diagnostics if diagnostic.location]
    assert ("more.lp", line) in {(Path(location.file).name, location.line) for location in locations}


OTHERS = (
    "#external got(N) : N = 1..300. one(got,1). #external event(E) : E = choice.\n"
    "#external chosen(o(N)) : N = 1..300.\n"
)
LIMITS = {
    "groups": (
        "label(long). kind(long,long).\nneeds(long,I,card(R,S),1) :- card_at(I,R,S), I < 40.\n"
        "card_at(13*T+R-3,R,S) :- pack(card(R,S),_), T = #count { Q : suit(Q), Q < S }.",
        "needs(long,39,", "40 groups", 2,
    ),
    "cards of a group": ("label(all). kind(all,all).\nneeds(all,1,3,40000).", "needs(all,1,3,40000)", "40000", 2),
    "cards in all": (
        "label(all). kind(all,all). form(all,all).\nneeds(all,R,R,10) :- rank(R).", "form(all,all)", "130 cards", 1,
    ),
    "kickers": ("\nkickers(pair(R),200,1) :- rank(R).", "kickers(pair(3),200,1)", "200", 2),
    "cards of a kicker": ("\nkickers(pair(R),1,200) :- rank(R).", "kickers(pair(3),1,200)", "200", 2),
    "labels": ("\nlabel(x(1..33000)).", "label/1", "33027 labels", 0),
    "suits to mix": (
        "pack(card(99,1..100),1). letter(99,\"Z\").\nmixed_suits(pair(R)) :- rank(R).",
        "mixed_suits(pair(3))", "104 suits", 2,
    ),
    "cells": (
        "\nacts_as(card(R,S),x(R,S,1..160)) :- pack(card(R,S),_).\nacts_as(card(R,S),R) :- pack(card(R,S),_).",
        "acts_as/2", "8333 cells", 2,
    ),
    "sides": ("\n#external lot(foo,0). lots(foo,0).", "lots(foo,0)", "lots(foo", 2),
    "many sides": ("\n#external lot(foo,0). lots(foo,100000).", "lots(foo,100000)", "lots(foo", 2),
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
def test_games_beyond_kernel_limits_are_errors(tmp_path: Path, what: str) -> None:
    """Kernels have fixed limits; a game beyond them is an error at the line of the fact."""
    rules, fact, value, line = LIMITS[what]
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text(f"{rules}\n", "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    error = next(diagnostic for diagnostic in raised.value.diagnostics if value in diagnostic.message)
    assert error.code in (ErrorCode.GAME_TOO_LARGE, ErrorCode.INVALID_ARGUMENT)
    assert error.message.startswith(fact)
    assert error.location is not None
    if line:
        assert (Path(error.location.file).name, error.location.line) == ("more.lp", line)
