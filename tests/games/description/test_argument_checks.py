"""Outputs and facts with unknown names or numbers out of range are errors at their location."""

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import ErrorCode
from abl_cards.games.game import load

LEADER = "#external leader(S) : seat(S).\n"
EVENT = "#external event(E) : E = (deal;play;choice).\n"
PREFERENCE = (
    "#external play(L) : label(L). preference(mine,group). cost(mine,3) :- play(pass). "
    'says(mine,en,"a"). says(mine,zh,"甲").'
)
WRONG = {
    "points(7,3,why) :- finish(1,0).": (ErrorCode.UNKNOWN_NAME, "points(7,3,why): 7"),
    "points(0,2000000,why) :- finish(1,0).": (ErrorCode.INVALID_ARGUMENT, "2000000"),
    "turn(3) :- trick_over.": (ErrorCode.UNKNOWN_NAME, "turn(3): 3"),
    "leads(5) :- lot(leader,2).": (ErrorCode.UNKNOWN_NAME, "leads(5): 5"),
    "asks(bid,9). option(none).": (ErrorCode.UNKNOWN_NAME, "asks(bid,9): 9"),
    "takes_aside(4) :- event(deal).": (ErrorCode.UNKNOWN_NAME, "takes_aside(4): 4"),
    "passes(0,8,card(3,s)) :- event(deal).": (ErrorCode.UNKNOWN_NAME, "8"),
    "passes(0,1,joker) :- event(deal).": (ErrorCode.UNKNOWN_NAME, "joker"),
    "lays_aside(0,joker) :- event(deal).": (ErrorCode.UNKNOWN_NAME, "joker"),
    "includes(joker) :- leading.": (ErrorCode.UNKNOWN_NAME, "joker"),
    "role(9,boss).": (ErrorCode.UNKNOWN_NAME, "9"),
    "side(0,12).": (ErrorCode.UNKNOWN_NAME, "12"),
    "won(6) :- finish(1,0).": (ErrorCode.UNKNOWN_NAME, "6"),
    "has(8,card(3,s),1).": (ErrorCode.UNKNOWN_NAME, "8"),
    "lacks(0,card(3,s),0).": (ErrorCode.INVALID_ARGUMENT, "0"),
    "draws(7) :- event(deal).": (ErrorCode.UNKNOWN_NAME, "draws(7): 7"),
    "takes(9).": (ErrorCode.UNKNOWN_NAME, "takes(9): 9"),
    "takes(S+1) :- leader(S).": (ErrorCode.UNKNOWN_NAME, "takes(3): 3"),
    "takes(jester) :- leader(0).": (ErrorCode.UNKNOWN_NAME, "takes(jester): jester"),
    "takes_back(0,joker,1) :- event(play).": (ErrorCode.UNKNOWN_NAME, "joker"),
    "has_now(8,card(3,s),1).": (ErrorCode.UNKNOWN_NAME, "8"),
    "lacks_now(0,card(3,s),0).": (ErrorCode.INVALID_ARGUMENT, "0"),
    "member(S,S+5) :- seat(S).": (ErrorCode.UNKNOWN_NAME, "member("),
    "legal(triple(3)) :- leading.": (ErrorCode.UNKNOWN_NAME, "triple(3)"),
    "move(triple(3)) :- leading.": (ErrorCode.UNKNOWN_NAME, "triple(3)"),
    "beats(triple(3)) :- leading.": (ErrorCode.UNKNOWN_NAME, "triple(3)"),
    "strength(triple(3),3).": (ErrorCode.UNKNOWN_NAME, "triple(3)"),
    "acts_as(card(3,s),3).": (ErrorCode.UNKNOWN_NAME, "acts_as/2"),  # the other cards act as nothing then
    "acts_as(joker,3).": (ErrorCode.UNKNOWN_NAME, "joker"),
    "next(0,0). next(1,2). next(2,1).": (ErrorCode.INVALID_SEATING, "next/2"),
    "who(left,1).": (ErrorCode.CONFLICTING_FACTS, "who(left,1)"),  # <seats> calls it next
    "member(0,0). member(1,2). member(2,2).": (ErrorCode.INVALID_SEATING, "0, 2"),  # an agent had no seat
    "member(0,1). member(1,0).": (ErrorCode.INVALID_SEATING, "seat 2"),
    'called(singel(R),"One",R) :- rank(R).': (ErrorCode.UNKNOWN_NAME, "singel(3)"),
    'called(pair(3,3),"Pair",3,3).': (ErrorCode.UNKNOWN_NAME, "pair(3,3)"),
    'called(single(5),"One",5). called(single(5),"Two",5).': (ErrorCode.CONFLICTING_FACTS, '"Two"'),
    'word(rank,5,zh,"a"). word(rank,5,zh,"b").': (ErrorCode.CONFLICTING_FACTS, 'word(rank,5,zh,"b")'),
    'title(en,"Mine").': (ErrorCode.CONFLICTING_FACTS, 'title(en,"Mine")'),
    "recent(5). recent(6).": (ErrorCode.CONFLICTING_FACTS, "recent(6)"),
    "sees(1,hand). sees(1,gone).": (ErrorCode.CONFLICTING_FACTS, "sees(1,"),
    "packs(2). packs(3).": (ErrorCode.CONFLICTING_FACTS, "packs(3)"),
    "more. composes(2). composes(3).": (ErrorCode.CONFLICTING_FACTS, "composes(3)"),
    "order_of_sets(text). order_of_sets(last_descending).": (ErrorCode.CONFLICTING_FACTS, "order_of_sets("),
    'letter(3,"a b").': (ErrorCode.INVALID_ARGUMENT, '"a b"'),  # no hand could be written
    'letter(3,"a"). letter(3,"b").': (ErrorCode.CONFLICTING_FACTS, 'letter(3,"b")'),
    'word(3,en,"a"). word(3,en,"b").': (ErrorCode.CONFLICTING_FACTS, 'word(3,en,"b")'),
    'written(pair(3),"P",1). written(pair(3),"Q",1).': (ErrorCode.CONFLICTING_FACTS, 'written(pair(3),"Q",1)'),
    "sort(kind,2,1,form). sort(kind,2,1,label).": (ErrorCode.CONFLICTING_FACTS, "sort(kind,2,1,"),
    "label(0,single(3)).": (
        ErrorCode.CONFLICTING_FACTS,
        "label(0,single(3))",
    ),  # without label/1 it would be the only one
    "strength(single(3),99).": (ErrorCode.CONFLICTING_FACTS, "strength(single(3),99)"),
    f"{EVENT} #external seen(S,N) : seat(S), N = 1..3. any(seen,2). barred(pair(3)) :- seen(_,_). "
    "adds(seen(0),1,why) :- event(play).": (ErrorCode.UNKNOWN_NAME, "seen/2 is no count"),
    f'{PREFERENCE} says(mine,en,"b").': (ErrorCode.CONFLICTING_FACTS, 'says(mine,en,"b")'),
    f"{PREFERENCE} preference(mine,other).": (ErrorCode.CONFLICTING_FACTS, "preference(mine,"),
}


@pytest.mark.parametrize("rule", WRONG)
def test_invalid_arguments_are_errors(tmp_path: Path, rule: str) -> None:
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
    code, value = WRONG[rule]
    matches = [diagnostic for diagnostic in raised.value.diagnostics if value in diagnostic.message]
    assert [(diagnostic.code, diagnostic.location is not None) for diagnostic in matches[:1]] == [(code, True)]


def test_rule_may_name_an_absent_label(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text('called(pair(R),"A pair",R) :- R = 97..99.\n', "utf-8")
    load(str(folder)).knowledge_base()


def test_fact_with_an_absent_label_is_an_error(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text('called(pair(99),"A pair",99).\n', "utf-8")
    with pytest.raises(KBError) as raised:
        load(str(folder)).knowledge_base()
    assert raised.value.code == ErrorCode.UNKNOWN_NAME
    location = raised.value.diagnostics[0].location
    assert location is not None
    assert (Path(location.file).name, location.line, location.column, location.end_column) == ("more.lp", 1, 8, 16)


@pytest.mark.parametrize("seats", ["1..3", "0;1;3"])
def test_invalid_seat_numbers_are_one_error(tmp_path: Path, seats: str) -> None:
    """Everything that names a seat would be wrong as well, at lines that have the same number."""
    shutil.copytree(NEW_GAME, tmp_path / "new")
    game = tmp_path / "new" / "game.lp"
    text = game.read_text("utf-8")
    assert text.count("seat(0..2).") == 1
    game.write_text(text.replace("seat(0..2).", f"seat({seats})."), "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(tmp_path / "new")).knowledge_base()
    (problem,) = caught.value.diagnostics
    assert problem.location is not None
    assert text.splitlines()[problem.location.line - 1].startswith("seat(")
    assert "seat(0..2)" in problem.remedy


def test_mixed_labels_are_one_error(tmp_path: Path) -> None:
    """All that names the labels without a number would be wrong as well, though they are labels."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text("label(0,single(3)).\n", "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(folder)).knowledge_base()
    (problem,) = caught.value.diagnostics
    assert problem.location is not None
    assert (Path(problem.location.file).name, problem.location.line) == ("more.lp", 1)


def test_numbered_labels_may_be_named_by_a_rule(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "variant.lp").write_text("parent(guandan).\n", "utf-8")
    (tmp_path / "mine" / "more.lp").write_text("label(L) :- label(_,L).\nbarred(L) :- label(L), L = none.\n", "utf-8")
    load(str(tmp_path / "mine")).knowledge_base(None, "standard")


AMBIGUOUS_HEADS = """#external event(E) : E = (deal;choice).
#external chosen(C) : C = (none;card(3,s)).
#external by(S) : seat(S).
#external aside(C,N) : pack(C,_), N = 1.
lays_aside(S,C) :- event(deal), seat(S), aside(C,1).
lays_aside(S,C) :- event(choice), by(S), chosen(C).
twin(C,C) :- pack(C,_).
lays_aside(S,C) :- event(deal), by(S), twin(C,C).
"""


def test_error_is_placed_at_the_rule_that_derives_it(tmp_path: Path) -> None:
    """Three heads match by their text, and the body of one has an instance with this term."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text(AMBIGUOUS_HEADS, "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(folder)).knowledge_base()
    assert {problem.message.split(":")[0] for problem in caught.value.diagnostics} == {
        f"lays_aside({seat},none)" for seat in range(3)
    }
    places = [problem.location for problem in caught.value.diagnostics]
    assert {place and (place.line, place.column, place.end_column) for place in places} == {(6, 14, 15)}


def test_variable_of_a_head_stands_for_one_term(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    rules = "passes(S,S,none(S)) :- seat(S).\npasses(S,T,none(T)) :- seat(S), next(S,T).\n"
    (folder / "more.lp").write_text(rules, "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(folder)).knowledge_base()
    lines = {
        problem.message.split(":")[0]: problem.location and problem.location.line
        for problem in caught.value.diagnostics
    }
    assert lines["passes(0,0,none(0))"] == 1
    assert lines["passes(0,1,none(1))"] == 2


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("label(pass).\n", "\n", "form(L,L)"),
        ("form(L,L) :- label(L).", "form(L,L) :- label(L), L != pass.", "label(pass)"),
    ],
)
def test_missing_pass_is_one_error(tmp_path: Path, old: str, new: str, line: str) -> None:
    """All rules that name the pass would be wrong as well, those of shared files among them."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    text = (folder / "labels.lp").read_text("utf-8")
    assert text.count(old) == 1
    text = text.replace(old, new)
    (folder / "labels.lp").write_text(text, "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(folder)).knowledge_base()
    (problem,) = caught.value.diagnostics
    assert problem.code == ErrorCode.MISSING_FACT
    assert problem.location is not None
    assert text.splitlines()[problem.location.line - 1].startswith(line)
