"""The implementations of the brute force agree: two in plain Python, one in numba, and the recorded games."""

import doctest
import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.brute_force import fast, guandan
from tests.brute_force.fast import counts_of, legal_masks, table_code
from tests.brute_force.guandan import (
    LABELS,
    LEADING,
    PASS,
    RANKS,
    SHAPES,
    Action,
    beats,
    groups_of,
    label_of,
    legal_labels_by_subsets,
    moves,
    moves_by_subsets,
    readings,
    return_cards,
    tribute_cards,
    unordered,
)
from tests.brute_force.states import State, mixed_states
from tests.effort import amount

RECORDS = Path(__file__).parents[3] / "shared/data/guandan_contest_bots.jsonl.gz"
EXAMPLES = [
    ("SA", "2", {("Single", "A")}),
    ("H2", "2", {("Single", "2")}),
    ("H2 H2", "2", {("Pair", "2")}),
    ("H2 HR", "2", set()),
    ("SB HR", "2", set()),
    ("SB SB", "2", {("Pair", "B")}),
    ("SB SB HR HR", "2", {("Bomb", "JOKER")}),
    ("SB SB S3 H2 H2", "2", {("ThreeWithTwo", "3")}),
    ("S3 S3 H3 H2 H2", "2", {("ThreeWithTwo", "3"), ("Bomb", "3")}),
    ("S2 S2 D2 H2 H2", "2", {("Bomb", "2")}),
    ("S3 C3 S4 H2 H2", "2", {("ThreeWithTwo", "3"), ("ThreeWithTwo", "4")}),
    ("H2 H2 HJ DJ SQ DQ", "2", {("ThreePair", "T"), ("ThreePair", "J"), ("TwoTrips", "J")}),
    ("SA CA H2 D2 S3 D3", "2", {("ThreePair", "A")}),
    ("SK CK SA DA S2 C2", "5", set()),
    ("S2 S3 S4 S5 SA", "9", {("StraightFlush", "A")}),
    ("ST SJ SQ SK DA", "9", {("Straight", "T")}),
    ("SJ SQ SK SA D2", "9", set()),
    ("H6 C7 HK D9 HT", "K", {("Straight", "6")}),
    ("H6 H7 HK H9 HT", "K", {("StraightFlush", "6")}),
    ("S6 S7 HK S8 S9", "K", {(kind, rank) for kind in ("Straight", "StraightFlush") for rank in "56"}),
    ("S6 H6 C6 D6 S6 H6 C6 D6 HK HK", "K", {("Bomb", "6")}),
]

CROWDED_HANDS = [  # hands that random ones seldom are: joker pairs, one suit only, many of a rank, no natural card
    "S3 C3 D3 SB SB HR HR",
    "D3 SB SB HR H2 H2",
    "S3 S4 S5 S6 S7 S8 H2",
    "H3 H4 H5 H6 H8 H2 H2",
    "CT CJ CQ CK CA HA",
    "D2 DA D3 D4 D5 S2 H2",
    "S3 S3 H3 H3 C3 C3 D3 D3 H2 H2",
    "S2 S2 C2 C2 D2 D2 H2 H2",
    "SK SK CK SA CA DA C2 H2",
    "HR HR SB SB H2 H2",
]


@pytest.mark.parametrize(("cards", "level", "expected"), EXAMPLES)
def test_readings_of_example_cards(cards: str, level: str, expected: set[tuple[str, str]]) -> None:
    """The cases that the rules page pins down."""
    assert readings(cards.split(), level) == expected


def test_bombs_are_ordered() -> None:
    """Every bomb beats all bombs before it and any other type."""
    level = "9"
    ladder = [
        ["Bomb", "A", ["SA"] * 4],
        ["Bomb", "9", ["S9"] * 4],
        ["Bomb", "2", ["S2"] * 5],
        ["StraightFlush", "A", ["SA", "S2", "S3", "S4", "S5"]],
        ["StraightFlush", "2", ["S2", "S3", "S4", "S5", "S6"]],
        *(["Bomb", "2", ["S2"] * size] for size in range(6, 11)),
        ["Bomb", "JOKER", ["SB", "SB", "HR", "HR"]],
    ]
    for place, action in enumerate(ladder):
        assert [beats(action, other, level) for other in ladder] == [other < place for other in range(len(ladder))]
        assert beats(action, ["Straight", "T", ["ST"] * 5], level)
        assert not beats(["Straight", "T", ["ST"] * 5], action, level)


def test_level_card_outranks_the_ace_but_not_in_runs() -> None:
    """Level-adjusted ranks in groups, natural ranks in runs, jokers on top."""
    assert beats(["Single", "2", ["S2"]], ["Single", "A", ["SA"]], "2")
    assert beats(["Pair", "B", ["SB", "SB"]], ["Pair", "2", ["S2", "H2"]], "2")
    assert not beats(["TwoTrips", "2", ["S2"] * 6], ["TwoTrips", "K", ["SK"] * 6], "2")
    assert not beats(["Pair", "3", ["S3", "S3"]], ["Single", "2", ["S2"]], "5")


def test_groups_of_a_rank_are_ordered() -> None:
    """The two examples of rules §2.1."""
    assert groups_of(["S6", "C6", "D6"], "6", 2, "2") == [["S6", "D6"], ["S6", "C6"], ["C6", "D6"]]
    pairs = [["SQ", "H2"], ["SQ", "CQ"], ["SQ", "SQ"], ["CQ", "H2"]]
    assert groups_of(["SQ", "SQ", "CQ", "H2"], "Q", 2, "2") == pairs


def test_move_lists_are_ordered() -> None:
    """A leading list and a following list written by hand."""
    hand = ["S3", "C3", "HR", "S5", "H5", "C5"]
    assert [[kind, rank, " ".join(cards)] for kind, rank, cards in moves(hand, "5", None)] == [
        *(["Single", rank, card] for rank, card in (("3", "S3"), ("3", "C3"), ("5", "S5"), ("5", "H5"), ("5", "C5"))),
        ["Single", "R", "HR"],
        *(["Pair", "3", cards] for cards in ("S3 H5", "S3 C3", "C3 H5")),
        *(["Pair", "5", cards] for cards in ("S5 C5", "S5 H5", "H5 C5")),
        ["Trips", "3", "S3 C3 H5"],
        ["Trips", "5", "S5 H5 C5"],
        ["ThreeWithTwo", "3", "S3 C3 H5 S5 C5"],
        ["ThreeWithTwo", "5", "S5 H5 C5 S3 C3"],
    ]
    assert moves(hand, "5", ["Pair", "A", ["SA", "SA"]]) == [
        PASS,
        *(["Pair", "5", cards] for cards in (["S5", "C5"], ["S5", "H5"], ["H5", "C5"])),
    ]


def test_labels_cover_all_shapes() -> None:
    """168 labels, and every shape of cards has one of them."""
    assert len(LABELS) == len(set(LABELS)) == 168
    shaped = {
        label_of([*reading, list(cards)]) for cards, shape_readings in SHAPES.items() for reading in shape_readings
    }
    assert shaped | {"pass"} == set(LABELS)
    tenths = [label_of(["Bomb", "T", ["ST"] * size]) for size in (7, 8, 10)]
    assert tenths == ["bomb(10,7)", "bomb(10,8)", "bomb(10,8)"]


def test_tribute_and_return_cards() -> None:
    """Wild cards stay out of the tribute; level cards and court cards are not returned."""
    assert tribute_cards(["SA", "DA", "SA", "H2", "H2"], "2") == ["SA", "DA"]
    assert tribute_cards(["S3", "SA", "C2", "H2", "S2"], "2") == ["S2", "C2"]
    assert return_cards(["ST", "S3", "S3", "D3", "S2", "H2", "SJ"], "2") == ["S3", "D3", "ST"]
    assert return_cards(["HJ", "SK", "SQ", "DQ", "SB"], "J") == ["SQ"]


@pytest.mark.parametrize("module", [guandan, fast])
def test_examples_in_docstrings(module: ModuleType) -> None:
    """Run the examples in docstrings."""
    assert doctest.testmod(module).failed == 0


def check_list(state: State) -> None:
    """Check that the ordered list contains each legal action once and nothing else."""
    listed = moves(*state)
    unordered_list = [unordered(action) for action in listed]
    assert len(set(unordered_list)) == len(unordered_list), state
    assert set(unordered_list) == moves_by_subsets(*state), state


def masks_of(states: list[State]) -> np.ndarray:
    """The masks of `fast` for these states."""
    hands = np.stack([counts_of(state.hand) for state in states])
    levels = np.array([RANKS.index(state.level) + 2 for state in states])
    return legal_masks(hands, levels, np.array([table_code(state.to_beat) for state in states]))


def labels_in(mask: np.ndarray) -> set[str]:
    """The names of the labels set in a mask."""
    return {LABELS[label] for label in np.flatnonzero(mask)}


def test_random_states_are_varied() -> None:
    """The random states below cover every level, number of wild cards and type, both leading and following."""
    states = mixed_states(seed=1, count=200, smallest=1, largest=9)
    assert {state.level for state in states} == set(RANKS)
    assert {state.hand.count("H" + state.level) for state in states} == {0, 1, 2}
    assert {state.to_beat and state.to_beat[0] for state in states} == {None, *LEADING}


def test_moves_of_random_states_are_varied() -> None:
    """The random states below have moves of every type."""
    states = mixed_states(seed=1, count=amount(120, 200), smallest=1, largest=9)
    assert {action[0] for state in states for action in moves(*state)} == {"PASS", *LEADING}


def test_moves_equal_moves_by_subsets() -> None:
    """`moves` and `moves_by_subsets` agree on small hands."""
    for state in mixed_states(seed=2, count=amount(12, 100), smallest=1, largest=8):
        check_list(state)


def test_fast_masks_equal_labels_by_subsets() -> None:
    """`fast` and `legal_labels_by_subsets` agree on small hands."""
    states = mixed_states(seed=3, count=amount(12, 100), smallest=1, largest=8)
    for state, mask in zip(states, masks_of(states), strict=True):
        assert labels_in(mask) == legal_labels_by_subsets(*state), state


def test_fast_masks_equal_labels_of_moves() -> None:
    """`fast` and `moves` agree on hands of every size."""
    states = mixed_states(seed=4, count=amount(15, 100), smallest=1, largest=27)
    for state, mask in zip(states, masks_of(states), strict=True):
        assert labels_in(mask) == {label_of(action) for action in moves(*state)}, state


@pytest.mark.parametrize("cards", CROWDED_HANDS)
def test_implementations_agree_on_crowded_hands(cards: str) -> None:
    """All three agree on hands that random ones seldom are, at a level of theirs and at another."""
    for level in ("2", "J"):
        state = State(cards.split(), level, None)
        check_list(state)
        assert labels_in(masks_of([state])[0]) == legal_labels_by_subsets(*state)


def exchange(episode: dict[str, Any]) -> tuple[list[list[str]], list[str]]:
    """Return the four hands after tribute and return, and the cards that were not legal choices."""
    hands, faults = [list(hand) for hand in episode["hands"]], []
    for choices, gifts in ((tribute_cards, episode["tribute"]), (return_cards, episode["back"])):
        faults += [card for giver, _, card in gifts if card not in choices(hands[giver], episode["level"])]
        for giver, taker, card in gifts:
            hands[giver].remove(card)
            hands[taker].append(card)
    return hands, faults


def turns(episode: dict[str, Any]) -> Iterator[tuple[State, Action]]:
    """Every recorded decision: the state before it and the action taken."""
    hands, _ = exchange(episode)
    to_beat: Action | None = None
    waiting: set[int] = set()
    for seat, action in episode["plays"]:
        yield State(hands[seat], episode["level"], to_beat), action
        if action == PASS:
            waiting.discard(seat)
        else:
            to_beat = action
            for card in action[2]:
                hands[seat].remove(card)
            waiting = {other for other in range(4) if other != seat and hands[other]}
        if not waiting:
            to_beat = None


@pytest.mark.skipif(not RECORDS.exists(), reason="no ../shared/data beside the repository")
def test_recorded_plays_are_legal() -> None:
    """Every play of some contest games is in the list, card for card, and its label in the mask."""
    with gzip.open(RECORDS, "rt") as lines:
        episodes = [json.loads(line) for line in islice(lines, 0, 60, amount(30, 20))]
    decisions = [(State(list(state.hand), *state[1:]), action) for one in episodes for state, action in turns(one)]
    for state, action in decisions:
        assert action in moves(*state), (state, action)
    for (_, action), mask in zip(decisions, masks_of([state for state, _ in decisions]), strict=True):
        assert label_of(action) in labels_in(mask)
    assert not [card for episode in episodes for card in exchange(episode)[1]]
