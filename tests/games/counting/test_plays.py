"""The least number of plays: against every way to take hands apart, by what the game itself lets them lead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.counting import counter_of, plays_left, plays_to_go, uncounted
from abl_cards.games.counting.chains import SetCounter
from abl_cards.games.counting.fronts import FrontCounter
from abl_cards.games.counting.small_hands import SmallHandCounter
from abl_cards.games.reading.replies import openings
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.samples import sample_decisions
from tests.games.words import folders

NO_CARD = 255

READER = "cost(slow(N),1) :- plays_left(N)."
MANY = f"""
#include <seats>.
#include <climbing>.
seat(0..1).
rank(1..9).
suit(a;b;c;d).
pack(card(R,S),1) :- rank(R), suit(S).
deals(S,16) :- seat(S).
leads(0).
label(card(R,S)) :- rank(R), suit(S).
label(pair(R)) :- rank(R).
label(pass).
form(L,L) :- label(L).
kind(card(R,S),1) :- rank(R), suit(S).
kind(pair(R),2) :- rank(R).
kind(pass,pass).
needs(card(R,S),1,card(R,S),1) :- rank(R), suit(S).
needs(pair(R),1,R,2) :- rank(R).
strength(card(R,S),R) :- rank(R), suit(S).
strength(pair(R),R) :- rank(R).
#external held(R,N) : rank(R), N = 2.
#external held(R,S,N) : rank(R), suit(S), N = 1.
playable(card(R,S)) :- held(R,S,1).
playable(pair(R)) :- held(R,2).
playable(pass).
over :- out(_).
match_over.
#external plays_left(N) : N = 1..16.
preference(slow,all). says(slow,en,"{{1}} plays are left.").
{READER}
"""


def fewest(rules: Rules, hand: tuple[int, ...], known: dict[tuple[int, ...], int]) -> int:
    """By what each rest of a hand can lead."""
    if not any(hand):
        return 0
    if hand not in known:
        lists = sample_of(rules, np.array([hand], np.uint8)).moves()
        rests = [_without(hand, cards) for cards in lists.cards if cards[0] != NO_CARD]
        known[hand] = 1 + min(fewest(rules, rest, known) for rest in rests)
    return known[hand]


def sample_of(rules: Rules, hands: NDArray[np.uint8]):  # type: ignore[no-untyped-def]
    from abl_cards.games.counting.small_hands import _leading

    return _leading(rules, np.zeros(len(hands), np.int64), hands)


def _without(hand: tuple[int, ...], cards: NDArray[np.uint8]) -> tuple[int, ...]:
    left = list(hand)
    for card in cards[cards != NO_CARD]:
        left[card] -= 1
    return tuple(left)


def small_hands(rules: Rules, cards: int, n: int) -> NDArray[np.uint8]:
    """Hands of few ranks, so that there is something to lay down together."""
    random = np.random.default_rng(2)
    hands = np.zeros((n, len(rules.pack)), np.uint8)
    for hand in hands:
        first = random.integers(0, len(rules.pack) - 16)
        taken = random.multivariate_hypergeometric(rules.pack.copies[first : first + 16].astype(int), cards)
        hand[first : first + 16] = taken
    return hands


@pytest.mark.parametrize(("name", "counter"), [("president", SetCounter), ("paodekuai", SmallHandCounter)])
def test_by_every_way(request: pytest.FixtureRequest, name: str, counter: type) -> None:
    rules: Rules = request.getfixturevalue(name)
    assert isinstance(counter_of(rules), counter)
    hands, known = small_hands(rules, 6, 5), {}  # type: ignore[var-annotated]
    found = plays_to_go(rules, np.zeros(len(hands), np.int64), hands)
    assert found.tolist() == [fewest(rules, tuple(hand), known) for hand in hands.tolist()]


def test_counters_agree(president: Rules) -> None:
    small, decisions = SmallHandCounter.of(president), sample_decisions(president, 200, 1)
    lists, view = decisions.moves(), decisions.view
    found = plays_left(president, decisions, lists)
    assert (found == small.after(view.hand, view.context, lists.start, lists.cards)).all()
    assert plays_left(president, decisions, lists) is found  # counted once
    laid = lists.cards != NO_CARD
    assert (found <= view.hand.sum(axis=1)[lists.decision] - laid.sum(axis=1)).all()


def test_guandan_is_counted_by_fronts(guandan: Rules) -> None:
    assert isinstance(counter_of(guandan), FrontCounter)


def test_a_game_that_is_not_counted_says_why(tmp_path: Path) -> None:
    """Ranks matter in some plays, single cards in others, and a hand has 2 ** 16 parts; learners are told its cards."""
    rules = folders.rules_of(tmp_path / "many", MANY)
    (problem,) = uncounted(rules)
    assert problem.location is not None
    assert problem.location.line == MANY.splitlines().index(READER) + 1
    assert "plays_left/1 is never known" in problem.message
    assert "suits matter in some plays, ranks in others; a hand of 16 cards" in problem.message
    assert plays_to_go(rules, np.zeros(2, np.int16), np.eye(2, len(rules.pack), dtype=np.uint8)).tolist() == [1, 1]


def test_openings_are_what_leads(paodekuai: Rules) -> None:
    hands = small_hands(paodekuai, 6, 20)
    lists = sample_of(paodekuai, hands).moves()
    opened = openings(paodekuai, np.zeros(len(hands), np.int64), hands)
    for row in range(len(hands)):
        labels = set(paodekuai.forms.label_of[lists.form[lists.start[row] : lists.start[row + 1]]].tolist())
        assert labels == set(np.flatnonzero(opened[:, row]).tolist())
