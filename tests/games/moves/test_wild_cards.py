"""Wild cards that are played as themselves, alone in a suit, or with more copies than other cards."""

from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from tests.effort import amount
from tests.fuzz.checks import Reader, random_states

GAME = """
rank(1..4). suit(a). suit(b). pack(card(R,T),1) :- rank(R), suit(T). pack(joker,2).
seat(0..1). deals(S,5) :- seat(S). leads(0). over :- out(_). match_over.
#include <seats>. #include <climbing>.
one(level,1). #external level(R) : rank(R). lots(turned,4). #external lot(turned,I) : I = 0..3. #external event(deal).
next(level(I+1)) :- event(deal), lot(turned,I).
is_wild(joker). is_wild(card(R,a)) :- level(R).
acts_as(C,wild) :- is_wild(C).
acts_as(card(R,T),R) :- pack(card(R,T),_), not is_wild(card(R,T)).
acts_as(card(R,T),card(R,T)) :- pack(card(R,T),_), not is_wild(card(R,T)).
acts_as(card(R,T),T) :- pack(card(R,T),_), not is_wild(card(R,T)).
label(pass). kind(pass,pass). form(L,L) :- label(L), L != two(R) : rank(R).
label(single(R)) :- rank(R). kind(single(R),single) :- rank(R). strength(single(R),R) :- rank(R).
needs(single(R),1,R,1) :- rank(R). wilds(single(R),1) :- rank(R).
label(of_suit). kind(of_suit,of_suit). needs(of_suit,1,a,2). strength(of_suit,1).
label(flush(R,T)) :- rank(R), rank(R+1), suit(T). wilds(flush(R,T),1) :- label(flush(R,T)).
kind(flush(R,T),flush) :- label(flush(R,T)). strength(flush(R,T),R) :- label(flush(R,T)).
needs(flush(R,T),1,R,1) :- label(flush(R,T)). needs(flush(R,T),2,R+1,1) :- label(flush(R,T)).
same_suit(flush(R,T),T) :- label(flush(R,T)).
label(run(R)) :- rank(R), rank(R+1). kind(run(R),run) :- label(run(R)). strength(run(R),R) :- label(run(R)).
needs(run(R),I,R+I-1,1) :- label(run(R)), I = 1..2. wilds(run(R),2) :- label(run(R)).
label(two(R)) :- rank(R). form(two(R),two(R,Q)) :- rank(R), rank(Q), Q != R. kind(two(R,Q),two) :- form(_,two(R,Q)).
needs(two(R,Q),1,R,1) :- form(_,two(R,Q)). needs(two(R,Q),2,Q,1) :- form(_,two(R,Q)).
wilds(two(R,Q),2) :- form(_,two(R,Q)).
strength(two(R,Q),R) :- form(_,two(R,Q)).
label(motley(R)) :- rank(R). kind(motley(R),motley) :- rank(R). strength(motley(R),R) :- rank(R).
needs(motley(R),1,R,2) :- rank(R). wilds(motley(R),1) :- rank(R). mixed_suits(motley(R)) :- rank(R).
#external held(C,N) : cell(C), N = 1..3. cell(C) :- rank(C). cell(C) :- suit(C).
playable(F) :- form(_,F).
"""
WITHOUT = "barred(F) :- form(_,F), held(C,3), cell(C), not held(C,1)."
"""No form is barred in any state; the rule only makes the circuit read the hand."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Load a game in which the card of suit a at the level rank and two jokers are wild."""
    folder = tmp_path_factory.mktemp("wild")
    (folder / "game.lp").write_text(GAME + WITHOUT, "utf-8")
    return load(str(folder)).engine()


def card_sets(engine: Engine, label: str, *hand: str) -> list[str]:
    """List the card sets of a label for a hand that leads, at level 2."""
    decision_point = engine.read_decision_point({"hand": list(hand), "to_beat": None, "level": 2})
    texts = [
        str(action) for action, name in zip(decision_point.actions, decision_point.labels, strict=True) if name == label
    ]
    return sorted(" ".join(sorted(card for card in text.split() if card in hand)) for text in texts)


def test_move_lists_equal_naive_reading(engine: Engine) -> None:
    assert list(random_states(Reader.of(engine), 1, amount(30, 200))) == []


def test_wild_card_may_play_itself(engine: Engine) -> None:
    assert card_sets(engine, "of_suit", "a1", "a2", "b3") == ["a1 a2"]  # no stand-in is allowed there
    assert card_sets(engine, "of_suit", "a1", "joker") == []


def test_suit_of_plays_with_one_stand_in(engine: Engine) -> None:
    assert card_sets(engine, "flush(1,b)", "joker", "a2") == []  # two stand-ins, and one is allowed
    assert card_sets(engine, "flush(1,a)", "joker", "a2") == ["a2 joker"]  # one stands in, one is a two of its suit


def test_two_kinds_of_wild_cards_in_one_suit(engine: Engine) -> None:
    assert card_sets(engine, "flush(2,a)", "a2", "a3", "joker") == ["a2 a3", "a2 joker", "a3 joker"]
    assert card_sets(engine, "flush(2,b)", "a2", "b3", "joker") == ["a2 b3", "b3 joker"]


def test_card_sets_are_listed_once(engine: Engine) -> None:
    """Two kinds of wild cards may fill two groups in either order, which is one card set."""
    assert card_sets(engine, "run(3)", "a2", "joker", "joker") == ["a2 joker", "joker joker"]
    assert card_sets(engine, "run(1)", "a2", "joker") == ["a2 joker"]
    assert card_sets(engine, "run(2)", "a2", "joker") == ["a2 joker"]
    assert card_sets(engine, "two(2)", "a2", "joker") == ["a2 joker"] * 3  # by its three forms
    assert card_sets(engine, "two(3)", "a2", "joker") == ["a2 joker"] * 3


def test_wild_card_keeps_its_own_suit(tmp_path: Path) -> None:
    """The four of suit b is wild at every level, and never counts as a four."""
    rules = (
        GAME.replace("pack(joker,2).", "")
        .replace("is_wild(joker).", "is_wild(card(4,b)).")
        .replace("deals(S,5)", "deals(S,4)")
    )
    (tmp_path / "game.lp").write_text(rules + WITHOUT, "utf-8")
    engine = load(str(tmp_path)).engine()
    assert card_sets(engine, "motley(3)", "b4", "a3", "b3") == ["a3 b3", "a3 b4"]
    assert card_sets(engine, "motley(3)", "a2", "a3", "b3") == ["a2 b3", "a3 b3"]


def test_wild_card_with_more_copies_than_others(engine: Engine) -> None:
    assert card_sets(engine, "single(1)", "joker", "joker", "a1", "b1") == ["a1", "b1", "joker"]


def test_more_than_two_kinds_of_wild_cards_are_refused_and_the_remedy_is_copies(tmp_path: Path) -> None:
    """Jokers, the level card and a three: cards of several suits are several kinds, copies of one card are one."""
    rules = GAME.replace("is_wild(joker).", "is_wild(joker). is_wild(card(3,b)).")
    (tmp_path / "game.lp").write_text(rules + WITHOUT, "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(tmp_path)).engine()
    (found,) = caught.value.diagnostics
    assert found.code == ErrorCode.GAME_TOO_LARGE
    assert "pack(Card,3)" in found.remedy
