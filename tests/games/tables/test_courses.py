"""Turns and ends of episodes that depend on fluents, which acts update first."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.endgame.applicability import check_applicable
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.protocols.contest.table_view import ContestTableView
from abl_cards.rulelab.testing.games import collect_records
from tests.effort import amount

MATCHES = amount(12, 40)
LAYS = """
#external event(E) : E = (deal;play;trick).
#external lays(F) : form(_,F).
eights(F) :- needs(F,_,8,_).
"""
EIGHT_STOPS = f"""{LAYS}
any(eight,0).
#external eight.
next(eight) :- event(play), lays(F), eights(F).
drop(eight) :- event(play).
trick_over  :- eight.
"""
EIGHT_TURNS = f"""{LAYS}
replaces(game).
one(way,1).
#external way(W) : W = (left;right).
next(way(left))  :- event(deal).
next(way(right)) :- event(play), lays(F), eights(F), way(left).
next(way(left))  :- event(play), lays(F), eights(F), way(right).
"""
ROUND = """
#include <pack52>.
#include <seats>.
#include <order>.
#include <places>.
title(en,"Eights turn").
seat(0..3).
deals(S,13) :- seat(S).
leads(0).
over :- #count { S : out(S) } >= 3.
place_points(1,2). place_points(2,1). place_points(3,-1). place_points(4,-2).
match_over.
#external acted(S)  : seat(S).
#external owner(S)  : seat(S).
#external passed(S) : seat(S).
#external out(S)    : seat(S).
open(S)    :- seat(S), not out(S), not passed(S), not owner(S).
trick_over :- not open(S) : seat(S).
from(S,D)  :- way(left), acted(A), seat(S), D = (4+S-A)\\4, D > 0.
from(S,D)  :- way(right), acted(A), seat(S), D = (4+A-S)\\4, D > 0.
open_at(D) :- from(S,D), open(S).
nearer(D)  :- open_at(E), D = 1..3, E < D.
turn(S)    :- not trick_over, from(S,D), open(S), not nearer(D).
turn(S)    :- trick_over, owner(S), not out(S).
lost       :- trick_over, owner(S), out(S).
in_at(D)   :- from(S,D), not out(S).
behind(D)  :- in_at(E), D = 1..3, E < D.
turn(S)    :- lost, from(S,D), not out(S), not behind(D).
"""
THREE_TRICKS = f"""{LAYS}
count(tricks,1).
#external tricks(N) : N = 1..60.
adds(tricks,1,over) :- event(trick).
over :- tricks(3).
"""


def engine_of(folder: Path, text: str, parent: str = "president", **files: str) -> Engine:
    folder.mkdir()
    (folder / "variant.lp").write_text(f"parent({parent}).\n{text}", "utf-8")
    for name, rules in files.items():
        (folder / f"{name}.lp").write_text(rules, "utf-8")
    return load(str(folder)).engine()


def acts_of(engine: Engine, matches: int = MATCHES) -> Iterator[list[Any]]:
    records = list(collect_records(engine, RandomAgent(), matches, 5))
    assert not engine.replay(records).mismatches
    yield from (record["acts"] for record in records)


def has_eight(play: Any) -> bool:
    return play != "pass" and any(card[1] == "8" for card in play)


def test_trick_end_may_depend_on_updated_fluents(tmp_path: Path) -> None:
    """A seat that plays eights leads the next trick at once, unless it has gone out."""
    stopped = 0
    for acts in acts_of(engine_of(tmp_path / "mine", EIGHT_STOPS)):
        num_played = [0, 0, 0, 0]
        for (seat, play), (after, answer) in pairwise(acts):
            num_played[seat] += 0 if play == "pass" else len(play)
            if has_eight(play) and num_played[seat] < 13:
                assert after == seat
                assert answer != "pass"
                stopped += 1
    assert stopped > 2 * MATCHES


def test_direction_may_change_with_the_play(tmp_path: Path) -> None:
    """After an eight the direction changes; seats that passed or went out are skipped."""
    turned = 0
    for acts in acts_of(engine_of(tmp_path / "mine", EIGHT_TURNS, game=ROUND)):
        direction, owner, num_played, passed = 1, acts[0][0], [0] * 4, set[int]()
        for (seat, play), (after, _) in pairwise(acts):
            if play == "pass":
                passed.add(seat)
            else:
                owner, passed = seat, set()
                num_played[seat] += len(play)
            if has_eight(play):
                direction, turned = -direction, turned + 1
            in_order = [(seat + direction * step) % 4 for step in (1, 2, 3)]
            with_cards = [other for other in in_order if num_played[other] < 13]
            waiting = [other for other in with_cards if other != owner and other not in passed]
            lead = owner if num_played[owner] < 13 else with_cards[0]
            assert after == (waiting[0] if waiting else lead)
            if not waiting:
                passed = set()
    assert turned > 2 * MATCHES


def test_episode_may_end_at_the_end_of_a_trick(tmp_path: Path) -> None:
    """The third trick is the last one."""
    for acts in acts_of(engine_of(tmp_path / "mine", THREE_TRICKS)):
        num_played, tricks, owner, passed = [0] * 4, 0, acts[0][0], set[int]()
        for index, (seat, play) in enumerate(acts):
            assert tricks < 3, f"act {index + 1}"
            if play == "pass":
                passed.add(seat)
            else:
                owner, passed = seat, set()
                num_played[seat] += len(play)
            if not [other for other in range(4) if num_played[other] < 13 and other != owner and other not in passed]:
                tricks, passed = tricks + 1, set()
        assert tricks == 3 or sum(other == 13 for other in num_played) >= 3


def test_taken_tricks_may_end_the_episode(tmp_path: Path) -> None:
    """In Whist, where the highest card takes the trick, the rules end the episode after five tricks."""
    text = "#external tricks(T,N) : team(T), N = 1..13.\nover :- tricks(T,N), tricks(U,M), T < U, N + M >= 5.\n"
    text += "over :- tricks(_,5).\nteam(T) :- member(_,T).\n"
    for acts in acts_of(engine_of(tmp_path / "mine", text, "whist"), 8):
        assert len(acts) == 20


def test_turns_by_fluents_are_unsupported_without_fluents(tmp_path: Path) -> None:
    """The solver of endgames and the contest protocol follow cards and plays, but no fluents."""
    engine = engine_of(tmp_path / "mine", THREE_TRICKS + "member(S,S\\2) :- seat(S).\n")
    with pytest.raises(GameError, match="turn/1") as raised:
        check_applicable(engine.rules)
    assert raised.value.code == ErrorCode.UNSUPPORTED_GAME
    with pytest.raises(GameError) as raised:
        ContestTableView(engine.rules)
    assert raised.value.code == ErrorCode.UNSUPPORTED_GAME
