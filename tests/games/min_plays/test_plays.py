"""Minimum number of plays, compared with enumeration of all partitions of a hand into plays that it can lead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.core import ErrorCode
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.min_plays.any_forms import AnyFormCounter
from abl_cards.games.min_plays.chain_counter import SetCounter
from abl_cards.games.min_plays.counters import (
    find_counter,
    is_upper_bound,
    min_plays,
    plays_left,
    plays_left_errors,
    plays_left_warnings,
)
from abl_cards.games.min_plays.exact_search import MAX_PARTS
from abl_cards.games.min_plays.pareto_counter import ParetoCounter
from abl_cards.games.sampling.samples import sample_decisions
from abl_cards.games.tables.response_masks import compute_lead_mask
from abl_cards.rulelab.editor.copying import make_variant
from tests.effort import amount, long
from tests.games.min_plays.random_forms import random_game
from tests.games.notation import folders

NO_CARD = 255

READER = "cost(slow(N),1) :- plays_left(N)."
MANY = f"""
#include <seats>.
#include <climbing>.
seat(0..1).
rank(1..9).
suit(a;b;c;d).
pack(card(R,S),1) :- rank(R), suit(S).
deals(S,18) :- seat(S).
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


def fewest(rules: CompiledGame, hand: tuple[int, ...], known: dict[tuple[int, ...], int]) -> int:
    """Return the fewest plays of a hand, by enumerating the moves that each rest can lead."""
    if not any(hand):
        return 0
    if hand not in known:
        lists = sample_of(rules, np.array([hand], np.uint8)).moves()
        rests = [_without(hand, cards) for cards in lists.cards if cards[0] != NO_CARD]
        known[hand] = 1 + min(fewest(rules, remaining, known) for remaining in rests)
    return known[hand]


def sample_of(rules: CompiledGame, hands: NDArray[np.uint8]):  # type: ignore[no-untyped-def]
    from abl_cards.games.min_plays.leads import _leading_view
    from abl_cards.games.tables.decisions import Decisions

    context = np.zeros(len(hands), np.int64)
    return Decisions(_leading_view(rules, hands, context, rules.contexts.fluent_states[context]))


def _without(hand: tuple[int, ...], cards: NDArray[np.uint8]) -> tuple[int, ...]:
    counts = list(hand)
    for card in cards[cards != NO_CARD]:
        counts[card] -= 1
    return tuple(counts)


def small_hands(rules: CompiledGame, cards: int, n: int) -> NDArray[np.uint8]:
    """Draw hands of few ranks, so that many plays have several cards."""
    random = np.random.default_rng(2)
    hands = np.zeros((n, len(rules.pack)), np.uint8)
    for hand in hands:
        first = random.integers(0, len(rules.pack) - 16)
        taken = random.multivariate_hypergeometric(rules.pack.copies[first : first + 16].astype(int), cards)
        hand[first : first + 16] = taken
    return hands


@pytest.mark.parametrize(
    ("name", "counter"), [("president", SetCounter), pytest.param("paodekuai", AnyFormCounter, marks=long)]
)
def test_min_plays_equal_enumeration_of_partitions(request: pytest.FixtureRequest, name: str, counter: type) -> None:
    rules: CompiledGame = request.getfixturevalue(name)
    assert isinstance(find_counter(rules), counter)
    hands, cache = small_hands(rules, 6, 5), {}  # type: ignore[var-annotated]
    plays = min_plays(rules, np.zeros(len(hands), np.int64), hands)
    assert plays.tolist() == [fewest(rules, tuple(hand), cache) for hand in hands.tolist()]


def test_counters_agree(president: CompiledGame) -> None:
    counter, decisions = AnyFormCounter.from_rules(president), sample_decisions(president, 200, 1)
    lists, view = decisions.moves(), decisions.view
    plays = plays_left(president, decisions, lists)
    assert (plays == counter.min_plays_after(view.hand, view.context, lists.start, lists.cards)).all()
    assert plays_left(president, decisions, lists) is plays  # counted once
    is_card = lists.cards != NO_CARD
    assert (plays <= view.hand.sum(axis=1)[lists.decision_index] - is_card.sum(axis=1)).all()


def test_guandan_uses_the_pareto_counter(guandan: CompiledGame) -> None:
    assert isinstance(find_counter(guandan), ParetoCounter)


def test_large_hands_get_an_upper_bound_and_a_warning(tmp_path: Path) -> None:
    """Plays of some forms are by rank, others by card, and a hand has 2 ** 18 parts."""
    rules = folders.rules_of(tmp_path / "many", MANY)
    assert not list(plays_left_errors(rules))
    (problem,) = plays_left_warnings(rules)
    assert problem.location is not None
    assert problem.severity == "warning"
    assert problem.code == ErrorCode.INEXACT_COUNT
    assert problem.location.line == MANY.splitlines().index(READER) + 1
    assert str(MAX_PARTS) in problem.message
    hands = np.zeros((2, len(rules.pack)), np.uint8)
    hands[0, :18], hands[1, 0:36:4] = 1, 1
    assert min_plays(rules, np.zeros(2, np.int16), hands).tolist() == [9, 9]


@pytest.fixture(scope="module")
def high_aces(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    """Compile Guandan where straights do not begin with the ace, the example of docs/how-to/change-the-rules.md."""
    folder = tmp_path_factory.mktemp("rules") / "high-aces"
    make_variant(load("guandan"), folder, ["labels"])
    labels = folder / "labels.lp"
    labels.write_text(labels.read_text().replace("L = straight(_).", "L = straight(R), R > 1."))
    return load(str(folder)).engine().rules


def test_documented_example(high_aces: CompiledGame) -> None:
    hand = np.zeros((1, len(high_aces.pack)), np.uint8)
    for card in ("3,s", "3,h", "3,d", "5,s", "5,h", "9,s", "9,c", "13,d"):
        hand[0, high_aces.pack.index[f"card({card})"]] += 1
    level = 6  # level 8
    assert min_plays(high_aces, np.array([level]), hand).tolist() == [3]
    lists = sample_of(high_aces, hand).moves()
    plays = AnyFormCounter.from_rules(high_aces).min_plays_after(hand, np.array([level]), lists.start, lists.cards)
    assert plays.min() == 2


def test_upper_bounds_are_marked(high_aces: CompiledGame) -> None:
    decisions = sample_decisions(high_aces, amount(25, 60), 1)
    lists, view = decisions.moves(), decisions.view
    plays, bounds = plays_left(high_aces, decisions, lists), is_upper_bound(high_aces, decisions, lists)
    num_cards = view.hand.sum(axis=1)[lists.decision_index]
    assert bounds.any()
    assert not bounds[num_cards <= 16].any()  # sixteen cards have 2 ** 16 parts at most
    assert (plays[~bounds] <= num_cards[~bounds]).all()


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=long) for seed in range(4, 300))])
def test_random_games_equal_enumeration_of_partitions(seed: int, tmp_path: Path) -> None:
    game = random_game(seed)
    rules = folders.rules_of(tmp_path / "made", game.text())
    random, copies = np.random.default_rng(seed), rules.pack.copies.astype(int)
    sizes = [min(10, int(copies.sum()), size) for size in (4, 6, 8, 10)]
    hands = np.stack([random.multivariate_hypergeometric(copies, size) for size in sizes]).astype(np.uint8)
    kinds = [rules.pack.index[_term(card)] for card in game.pack]
    expected = [game.fewest(tuple(hand[kinds].tolist())) for hand in hands]
    assert min_plays(rules, np.zeros(len(hands), np.int64), hands).tolist() == expected
    assert (_bounds(rules, hands) >= expected).all()


def _term(card: str) -> str | int:
    return int(card) if card.isdigit() else card


def _bounds(rules: CompiledGame, hands: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the upper bounds [n] of hands that are small enough to be counted exactly as well."""
    from abl_cards.games.min_plays.bound_search import bound_whole_hand, new_bound_state
    from abl_cards.games.min_plays.hand_plays import distinct_plays, find_units, plays_by_unit

    counter, bounds = AnyFormCounter.from_rules(rules), []
    for hand in hands:
        lists, whole_hands, _ = counter.leads.lead_moves(np.zeros(1, np.int64), hand[None])
        kinds = np.arange(len(hand))
        plays, n = distinct_plays(
            hand, kinds, lists.cards, 0, len(lists.cards), whole_hands.cards, 0, len(whole_hands.cards)
        )
        unit = find_units(hand, plays, n)
        plays, n = plays_by_unit(plays, n, unit)
        counts = np.bincount(unit[unit >= 0], hand[unit >= 0]).astype(np.int64)
        bounds.append(bound_whole_hand(new_bound_state(plays, n, counts), plays, counts, 64))
    return np.array(bounds)


def test_whole_hand_play_comes_last(paodekuai: CompiledGame) -> None:
    """Three 3s carry a single card only as the last play, so 55 66 77 must be led first."""
    hand = np.zeros((1, len(paodekuai.pack)), np.uint8)
    for card in ("3,s", "3,h", "3,c", "9,s", "5,s", "5,h", "6,s", "6,h", "7,s", "7,h"):
        hand[0, paodekuai.pack.index[f"card({card})"]] = 1
    assert min_plays(paodekuai, np.zeros(1, np.int64), hand).tolist() == [2]


@long
def test_bounds_of_guandan_are_within_one(guandan: CompiledGame) -> None:
    """Upper bounds of 99 % of 10,000 hands are at most one above the exact counter."""
    random, n = np.random.default_rng(5), 10_000
    copies = guandan.pack.copies.astype(int)
    hands = np.stack([random.multivariate_hypergeometric(copies, 27) for _ in range(n)]).astype(np.uint8)
    context = random.integers(0, len(guandan.contexts), n)
    excess = AnyFormCounter.from_rules(guandan).min_plays(hands, context).astype(int) - find_counter(guandan).min_plays(
        hands, context
    )
    assert excess.min() >= 0
    assert (excess <= 1).mean() >= 0.99


def test_lead_mask_equals_listed_leads(paodekuai: CompiledGame) -> None:
    hands = small_hands(paodekuai, 6, 20)
    lists = sample_of(paodekuai, hands).moves()
    lead_mask = compute_lead_mask(paodekuai, np.zeros(len(hands), np.int64), hands)
    for row in range(len(hands)):
        labels = set(paodekuai.forms.label_of[lists.form[lists.start[row] : lists.start[row + 1]]].tolist())
        assert labels == set(np.flatnonzero(lead_mask[:, row]).tolist())
