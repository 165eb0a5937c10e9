"""Plays of named cards beside plays by rank: the fewest plays by brute force from the text of the rules."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.min_plays.chain_counter import SetCounter
from abl_cards.games.min_plays.counters import find_counter, min_plays, plays_left, plays_left_warnings
from abl_cards.games.min_plays.named_counter import NamedCardsCounter
from abl_cards.games.min_plays.pareto_counter import ParetoCounter
from abl_cards.games.sampling.samples import sample_decisions
from abl_cards.games.types import NO_CARD
from abl_cards.rulelab.editor.copying import make_variant
from tests.effort import amount, long
from tests.games.notation.folders import rules_of

RED = """
#include <seats>. #include <climbing>. #include <playable>.
rank(3..9). suit(d;c;h;s). packs(2). pack(card(R,S),1) :- rank(R), suit(S).
seat(0..1). deals(S,20) :- seat(S). leads(0). over :- out(_). match_over.
label(set(R,N)) :- rank(R), N = 1..3. label(bomb(R,N)) :- rank(R), N = 4..8.
label(red_threes). label(twins(S)) :- suit(S). label(pass). form(L,L) :- label(L).
kind(set(R,N),set(N)) :- label(set(R,N)). kind(bomb(R,N),bomb(N)) :- label(bomb(R,N)).
kind(red_threes,red_threes). kind(twins(S),twins) :- suit(S). kind(pass,pass).
needs(set(R,N),1,R,N) :- label(set(R,N)). needs(bomb(R,N),1,R,N) :- label(bomb(R,N)).
needs(red_threes,1,card(3,h),2). needs(red_threes,2,card(3,d),2).
needs(twins(S),1,card(4,S),1) :- suit(S). needs(twins(S),2,card(5,S),1) :- suit(S).
excludes(bomb(3,4),red_threes).
strength(set(R,N),R) :- label(set(R,N)). strength(bomb(R,N),R) :- label(bomb(R,N)). strength(red_threes,0).
strength(twins(S),0) :- suit(S).
tier(bomb(N),N-3) :- N = 4..8. tier(red_threes,9). tier(twins,0).
#external plays_left(N) : N = 1..20. preference(slow,all). says(slow,en,"{1^}"). cost(slow(N),1) :- plays_left(N).
"""
"""Sets of one to eight of a rank; two red threes of each suit; a four and a five of one suit."""
Card = tuple[int, str]


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return rules_of(tmp_path_factory.mktemp("red"), RED)


def plays_by_rank(counts: dict[int, int]) -> int:
    """Return the fewest sets: up to eight of a rank go at once."""
    return sum(count > 0 for count in counts.values())


def fewest_plays(hand: list[Card]) -> int:
    """Return the fewest plays by the text of the rules: try all numbers of the plays of named cards."""
    held, best = Counter(hand), len(hand)
    for red, *twins in product(range(2), *[range(3)] * 4):
        rest = held.copy()
        rest.subtract({(3, "h"): 2 * red, (3, "d"): 2 * red})
        for suit, number in zip("dchs", twins, strict=True):
            rest.subtract({(4, suit): number, (5, suit): number})
        if min(rest.values()) >= 0:
            by_rank = Counter[int]()
            for (rank, _), count in rest.items():
                by_rank[rank] += count
            threes = {suit: count for (rank, suit), count in rest.items() if rank == 3 and count}
            # Four threes that are the red ones are no bomb.
            alone = threes == {"h": 2, "d": 2} and not red
            best = min(best, red + sum(twins) + plays_by_rank(by_rank) + alone)
    return best


def draw_hands(rules: CompiledGame, n: int, seed: int) -> tuple[np.ndarray, list[list[Card]]]:
    """Draw hands of few ranks, many with all red threes."""
    random = np.random.default_rng(seed)
    cards = [(rank, suit) for rank in (3, 4, 5, 7) for suit in "dchs" for _ in range(2)]
    hands: list[list[Card]] = []
    for _ in range(n):
        fixed = [(3, "h"), (3, "h"), (3, "d"), (3, "d")] if random.random() < 0.5 else []
        pack = list((Counter(cards) - Counter(fixed)).elements())
        hands.append(fixed + [pack[index] for index in random.choice(len(pack), random.integers(1, 12), replace=False)])
    counts = np.zeros((n, len(rules.pack)), np.uint8)
    for row, hand in enumerate(hands):
        for rank, suit in hand:
            counts[row, rules.pack.index[f"card({rank},{suit})"]] += 1
    return counts, hands


def test_min_plays_with_named_cards_equal_brute_force(rules: CompiledGame) -> None:
    counter = find_counter(rules)
    assert isinstance(counter, NamedCardsCounter)
    assert isinstance(counter.others, SetCounter)
    assert not list(plays_left_warnings(rules))
    counts, hands = draw_hands(rules, amount(40, 5000), 1)
    assert min_plays(rules, np.zeros(len(counts), np.int64), counts).tolist() == [fewest_plays(hand) for hand in hands]


def test_plays_left_equal_those_of_the_remaining_hand(rules: CompiledGame) -> None:
    decisions = sample_decisions(rules, amount(25, 1000), 3)
    lists = decisions.moves()
    rest = np.repeat(decisions.view.hand, np.diff(lists.start), axis=0)
    for row, cards in zip(rest, lists.cards, strict=True):
        np.subtract.at(row, cards[cards != NO_CARD], 1)
    context = np.repeat(decisions.view.context, np.diff(lists.start))
    assert (plays_left(rules, decisions, lists) == min_plays(rules, context, rest)).all()


@long
def test_named_red_cards_in_guandan(tmp_path: Path) -> None:
    """Named cards are a play also at the level where hearts are wild, and are counted beside wild cards."""
    make_variant(load("guandan"), tmp_path / "red", [])
    (tmp_path / "red" / "red.lp").write_text(
        "label(168,red_threes). label(169,red_mix). form(L,L) :- red(L). kind(L,L) :- red(L).\n"
        "strength(L,0) :- red(L). red(red_threes;red_mix). tier(red_threes,10). tier(red_mix,11).\n"
        "needs(red_threes,1,card(3,h),2). needs(red_threes,2,card(3,d),2).\n"
        "needs(red_mix,1,card(3,h),2). needs(red_mix,2,card(4,d),2).\n"
        "hearts :- held(3,h,2). hearts :- level(3), wild(2).\n"
        "playable(red_threes) :- held(3,d,2), hearts. playable(red_mix) :- held(4,d,2), hearts.\n",
        "utf-8",
    )
    engine = load(str(tmp_path / "red")).engine()
    rules = engine.rules
    counter = find_counter(rules)
    assert isinstance(counter, NamedCardsCounter)
    assert isinstance(counter.others, ParetoCounter)
    hand = np.zeros((1, len(rules.pack)), np.uint8)
    hand[0, [rules.pack.index[f"card({card})"] for card in ("3,h", "4,d", "5,s")]] = 2, 2, 1
    contexts = np.arange(len(rules.contexts))
    plays = min_plays(rules, contexts, np.repeat(hand, len(contexts), axis=0))
    assert sorted(plays.tolist()) == [1] + [2] * (len(contexts) - 1)  # with two wild threes they are a full house
    for level in ("3", "8"):
        to_beat = {"label": "joker_bomb", "cards": ["SB", "SB", "HR", "HR"]}
        state = {"level": level, "hand": ["H3", "H3", "D3", "D3", "S9"], "to_beat": to_beat}
        assert set(engine.read_decision_point(state).labels) == {"pass", "red_threes"}
