"""The two variants of 跑得快 for three: vectors of our own, an independent reading, clingo, turns and points."""

from __future__ import annotations

import re

import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from tests.brute_force import paodekuai as brute
from tests.brute_force.hands import Sets
from tests.effort import amount
from tests.games.folders.states import (
    Query,
    Scene,
    compare_with_clingo,
    count_moves,
    disagreements,
    follow,
    rules_of,
    states,
)

STATES = amount(16, 300, 20_000)
TEXTS = {"sixteen": brute.SIXTEEN, "fifteen": brute.FIFTEEN}
RUNS = {1: "straight", 2: "pairs", 3: "threes"}


@pytest.fixture(scope="module", params=["sixteen", "fifteen"])
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def rules(game: str) -> CompiledGame:
    return rules_of(game)


@pytest.fixture(scope="module")
def sixteen() -> CompiledGame:
    return rules_of("sixteen")


@pytest.fixture(scope="module")
def fifteen() -> CompiledGame:
    return rules_of("fifteen")


def test_packs_and_hand_sizes(game: str, rules: CompiledGame) -> None:
    assert set(rules.card_codes.kind_texts) == set(TEXTS[game].pack)
    assert rules.seating.num_dealt == (TEXTS[game].each,) * 3


def test_sixteen_requires_the_three_of_spades_first(sixteen: CompiledGame) -> None:
    """3 (1), 33 (2), 3–7 (6), 3344 (6), 334455 (6), 333444 (1), 333+2 (21), 444+♠3+1 (6), 333444+5567 (1)."""
    assert count_moves(sixteen, "S3 H3 D3 S4 H4 D4 S5 C5 S6 S7", opening=True) == (9, 50, False)


@pytest.mark.parametrize(
    ("hand", "to_beat", "next_holds", "expected"),
    [
        ("D5 C5 H5 S5 D6", "single(15)", 5, (1, 1, False)),  # a seat that can beat must do so, even with a bomb
        ("D9 CK HK D4", "single(7)", 1, (1, 2, False)),  # the highest single before a seat with one card
        ("D9 CK HK D4", None, 1, (2, 3, False)),
        ("D9 CK HK D4", "single(7)", 2, (2, 3, False)),
        ("D7 C7 H7 D8", "carry(3,1,6)", 5, (1, 1, False)),  # with fewer cards, as it is the whole hand
        ("D7 C7 H7 D8 C8 H8", "carry(3,2,6)", 5, (1, 1, False)),
        ("D7 C7 H7 S7 D8", "bomb(6)", 5, (1, 1, False)),
        ("D7 C7 H7 D8", "bomb(6)", 5, (0, 0, True)),
    ],
)
def test_move_counts_of_example_states_of_sixteen(
    sixteen: CompiledGame, hand: str, to_beat: str | None, next_holds: int, expected: tuple[int, int, bool]
) -> None:
    assert count_moves(sixteen, hand, to_beat, next_holds=next_holds) == expected


@pytest.mark.parametrize(
    ("hand", "to_beat", "expected"),
    [
        ("DK CK HK SA S2", None, (5, 9, False)),  # three kings carry two: K (3), A, 2, KK (3), KKK+A2
        ("DT DJ DQ DK SA", "run(1,5,13)", (1, 1, False)),
        ("DQ CQ HQ SQ SA", "run(1,5,13)", (1, 1, False)),
        ("DQ CQ HQ DK CK HK", None, (8, 28, False)),  # Q K (6), QQ KK (6), QQKK (9), QQQ KKK+2 (6), QQQKKK
    ],
)
def test_move_counts_of_example_states_of_fifteen(
    fifteen: CompiledGame, hand: str, to_beat: str | None, expected: tuple[int, int, bool]
) -> None:
    assert count_moves(fifteen, hand, to_beat) == expected


def test_fifteen_has_no_pair_of_aces_and_no_four_kings(fifteen: CompiledGame) -> None:
    assert {"pair(14)", "bomb(13)", "pair(15)", "bomb(14)"} & set(fifteen.label_texts) == set()
    assert {"pair(13)", "bomb(12)", "run(1,12,14)", "carry(3,1,13)"} <= set(fifteen.label_texts)


def _shape_to_beat(label: str) -> brute.Shape:
    """Parse a label into the shape to beat."""
    name, shape = label.split("(")[0], list(map(int, re.findall(r"\d+", label)))
    if name in ("single", "pair", "bomb"):
        return brute.Shape(name, 1, shape[0] - 3, -1)
    if name == "run":
        return brute.Shape(RUNS[shape[0]], shape[1], shape[2] - 3, -1)
    return brute.Shape("3 and 2", shape[1], shape[2] - 3, shape[3] if name == "tail" else 2 * shape[1])


def test_move_lists_equal_brute_force(game: str, rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        rival = _shape_to_beat(query.to_beat.label) if query.to_beat else None
        last = query.next_holds == 1
        plays = brute.plays(query.hand, query.cards_to_beat, query.opening, TEXTS[game], last_card=last, rival=rival)
        return plays, brute.may_pass(query.cards_to_beat, plays, TEXTS[game])

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, states(rules, STATES, seed=2)) == []


def test_turns_and_points_follow_the_rules(game: str, rules: CompiledGame) -> None:
    follow(rules, lambda left, gone: brute.points(left, gone, TEXTS[game]), amount(6, 200), seed=3)


def test_points_by_cards_left_except_one(fifteen: CompiledGame) -> None:
    fifteen_cards = " ".join(suit + rank for rank in "4567" for suit in "CDHS").removesuffix(" S7")
    table = Scene(fifteen, ["S3", "SA", fifteen_cards])
    assert table.play("single(3)") == -1
    assert table.points == [15, 0, -15]
