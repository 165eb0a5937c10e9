"""The least number of plays that empty a hand, against independent searches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import clingo
import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games import min_plays
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.protocols.common.cards import parse_hand
from tests.brute_force.guandan import readings
from tests.effort import amount, long, thorough
from tests.games.guandan.states import States, decide, engine, random_states, texts, wild_of
from tests.games.guandan.variants import NO_WILD_CARDS, write_variant


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return engine().rules


class Counter:
    """Counter of plays by hand and level."""

    def __init__(self, rules: CompiledGame) -> None:
        self.rules = rules

    def plays_left(self, hands: NDArray[np.uint8], levels: NDArray[np.int8]) -> NDArray[np.uint8]:
        return min_plays.min_plays(self.rules, decide(self.rules, hands, levels, _leading(hands)).context, hands)


def _leading(hands: NDArray[np.uint8]) -> NDArray[np.int16]:
    return np.full(len(hands), -1, np.int16)


@pytest.fixture(scope="module")
def counter(rules: CompiledGame) -> Counter:
    return Counter(rules)


def by_subsets(cards: Sequence[str], level: str) -> int:
    """Every way to take the cards apart into handfuls that can be read as a play."""
    known: dict[tuple[str, ...], bool] = {}
    handfuls = [tuple(card for place, card in enumerate(cards) if bits >> place & 1) for bits in range(1 << len(cards))]
    playable = [bool(bits) and _readable(chosen, level, known) for bits, chosen in enumerate(handfuls)]
    fewest = [0] + [len(cards)] * (len(handfuls) - 1)
    for whole in range(1, len(handfuls)):
        part = first = whole & -whole
        others = whole ^ first
        rest = others
        while True:  # every handful with the first card
            part = first | (others ^ rest)
            if playable[part]:
                fewest[whole] = min(fewest[whole], 1 + fewest[rest])
            if rest == 0:
                break
            rest = (rest - 1) & others
    return fewest[-1]


def _readable(cards: tuple[str, ...], level: str, known: dict[tuple[str, ...], bool]) -> bool:
    if cards not in known:
        known[cards] = len(cards) <= 10 and bool(readings(cards, level))
    return known[cards]


TAKING_APART = """
{ stands_for(K,R) : rank(R) } = 1 :- wild(K).
{ used(F,1..9) } :- shape(F).
:- used(F,N), N > 1, not used(F,N-1).
:- held(R,H), H != #sum { N,F,U : used(F,U), needs(F,_,R,N); -1,wild,K : stands_for(K,R) }.
#minimize { 1,F,U : used(F,U) }.
#show.
"""


def _rank(cell: object) -> int:
    assert isinstance(cell, int)
    return cell


def by_clingo(rules: CompiledGame, hand: NDArray[np.uint8], level: int) -> int:
    """The optimum over numbers of forms as labels.lp declares them; a straight flush costs what a straight does."""
    wild = int(wild_of(np.array([level], np.int8))[0])
    held = dict.fromkeys(range(2, 17), 0)
    for card in np.flatnonzero(hand):
        rank = (14 if card < 4 else int(card) // 4 + 1) if card < 52 else int(card) - 37
        held[rank] += int(hand[card]) if card != wild else 0
    lines = [f"held({rank},{count})." for rank, count in held.items()] + ["rank(2..14)."]
    lines += [f"wild({copy})." for copy in range(int(hand[wild]))]
    for number, form in enumerate(rules.forms.forms):
        groups = [(_rank(rules.cells.names[group.cell]), group.count) for group in form.groups]
        if groups and form.suit is None and all(held[rank] + 2 >= count for rank, count in groups):
            lines += [f"shape({number})."]
            lines += [f"needs({number},{place},{r},{c})." for place, (r, c) in enumerate(groups)]
    control = clingo.Control(["--opt-strategy=usc"])
    control.add("base", [], "\n".join(lines) + TAKING_APART)
    control.ground([("base", [])])
    costs: list[int] = []
    control.solve(on_model=lambda model: costs.append(model.cost[0]))
    return costs[-1]


@pytest.mark.parametrize(
    ("smallest", "largest", "hands"),
    [(1, 5, amount(40, 200)), (6, 8, amount(8, 80)), (9, 9, amount(2, 20)), pytest.param(10, 12, 10, marks=long)],
)
def test_min_plays_equal_brute_force(
    rules: CompiledGame, counter: Counter, smallest: int, largest: int, hands: int
) -> None:
    """Half the hands have wild cards; the brute force decides which cards are a play."""
    states = random_states(rules, hands * (20 if thorough() else 1), smallest, smallest, largest)
    for row, plays in enumerate(counter.plays_left(states.hands, states.levels)):
        level = int(states.levels[row])
        cards = texts(states.hands[row], level)
        assert plays == by_subsets(cards, "0123456789TJQKA"[level] if level < 11 else "TJQKA"[level - 10]), cards


@pytest.mark.parametrize("seed", range(3))
def test_min_plays_of_large_hands_equal_an_optimiser(rules: CompiledGame, counter: Counter, seed: int) -> None:
    """13 to 27 cards, crowded and evenly dealt: the number is exact there too."""
    states = random_states(rules, amount(3, 30, 300), seed, 13, 27)
    for row, plays in enumerate(counter.plays_left(states.hands, states.levels)):
        cards = texts(states.hands[row], int(states.levels[row]))
        assert plays == by_clingo(rules, states.hands[row], int(states.levels[row])), cards


@pytest.mark.parametrize(
    ("hand", "level", "plays"),
    [
        ("", 2, 0),
        ("H2", 2, 1),
        ("H2 H2", 2, 1),
        ("H2 H2", 3, 1),
        ("SB HR", 2, 2),
        ("SB SB HR HR", 2, 1),
        ("SB SB HR", 2, 2),
        ("S3 S3 S3 SB SB", 2, 1),
        ("SA S2 S3 S4 S5", 7, 1),
        ("ST SJ SQ SK SA", 7, 1),
        ("SJ SQ SK SA S2", 7, 5),
        ("S3 H3 C3 D3 S5 H5 C5 S6 H6 C6 D6 S8 H8 C8", 2, 3),  # two bombs go as the pairs of two full houses
        ("S3 H3 C3 D3 S5 H5 C5 S9 H9 C9", 2, 2),
        ("S3 S4 S5 S6 H2 H2 S8", 2, 2),
        ("S4 H4 C4 D4 S4 H4 C4 D4 H2 H2", 2, 1),
        ("SK HK SQ HQ SA H7", 7, 1),
    ],
)
def test_min_plays_of_example_hands(counter: Counter, hand: str, level: int, plays: int) -> None:
    """Hands whose number is easily seen."""
    assert counter.plays_left(parse_hand(hand)[None], np.array([level], np.int8)).tolist() == [plays]


def test_one_more_card_costs_at_most_one_play(rules: CompiledGame, counter: Counter) -> None:
    """A card more costs one play more at most, for it can go alone; it can save many, as a 7 does to 3 4 5 6."""
    states = random_states(rules, amount(150, 3_000), seed=5, largest=26)
    before = counter.plays_left(states.hands, states.levels).astype(int)
    for card in range(54):
        room = states.hands[:, card] < 2
        more = states.hands[room]
        more[:, card] += 1
        after = counter.plays_left(more, states.levels[room]).astype(int)
        assert (after <= before[room] + 1).all()


def test_replacing_a_card_by_a_wild_card_costs_no_play(rules: CompiledGame, counter: Counter) -> None:
    """Putting a wild card in the place of any card but a joker never costs a play."""
    states = random_states(rules, amount(150, 3_000), seed=6)
    before = counter.plays_left(states.hands, states.levels)
    wild = wild_of(states.levels)
    rows = np.arange(len(wild))
    for card in range(52):
        can = (states.hands[:, card] > 0) & (states.hands[rows, wild] < 2) & (wild != card)
        swapped = states.hands[can]
        swapped[:, card] -= 1
        swapped[np.arange(len(swapped)), wild[can]] += 1
        assert (counter.plays_left(swapped, states.levels[can]) <= before[can]).all()


def after_each_move(decisions: Decisions, states: States, counter: Counter) -> list[int]:
    """Count plays after each move by removing its cards from the hand."""
    lists, plays = decisions.moves(), []
    for row in range(len(states.hands)):
        for move in range(lists.start[row], lists.start[row + 1]):
            cards_left = states.hands[row].copy()
            for card in lists.cards[move]:
                if card != 255:
                    cards_left[card] -= 1
            plays.append(int(counter.plays_left(cards_left[None], states.levels[row : row + 1])[0]))
    return plays


def test_min_plays_after_moves_equal_those_of_the_remaining_hand(rules: CompiledGame, counter: Counter) -> None:
    """The batched entry counts what is left after each move; the best lead leaves one play less than the hand takes."""
    states = random_states(rules, amount(3, 30), seed=7)
    decisions = decide(rules, states.hands, states.levels, _leading(states.hands))
    lists = decisions.moves()
    plays = min_plays.plays_left(rules, decisions, lists)
    assert plays.tolist() == after_each_move(decisions, states, counter)
    best = np.minimum.reduceat(plays, lists.start[:-1])
    assert (best + 1 == counter.plays_left(states.hands, states.levels)).all()


@long
def test_min_plays_without_wild_cards(tmp_path: Path) -> None:
    """Without wild cards, the heart of the level is an ordinary card."""
    engine_without = load("guandan").engine(write_variant(tmp_path, NO_WILD_CARDS))
    assert isinstance(engine_without, Engine)
    hands = np.stack([parse_hand("S3 S4 S5 S6 H2 H9"), parse_hand("S3 S4 H5 S6 H9"), parse_hand("H9 H9 S8")])
    assert Counter(engine_without.rules).plays_left(hands, np.array([9, 9, 9], np.int8)).tolist() == [2, 5, 2]
    assert Counter(engine().rules).plays_left(hands, np.array([9, 9, 9], np.int8)).tolist() == [2, 1, 1]
