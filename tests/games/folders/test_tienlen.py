"""Tien Len as a rule folder, both profiles: an independent reading, whole deals with a referee, clingo, chops."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.tables.tables import Tables
from tests.brute_force import tienlen as brute
from tests.brute_force.hands import Cards, Sets
from tests.effort import amount
from tests.games.folders.states import (
    Query,
    Scene,
    compare_with_clingo,
    count_moves,
    disagreements,
    listed,
    rules_of,
    states,
    texts,
)
from tests.games.folders.tricks import cards_of
from tests.games.random_play import match_keys, pick

STATES = amount(12, 300, 20_000)
DEALS = amount(2, 30, 1_000)
PROFILES = ["southern", "northern"]
ROW = "S3 C3 S4 C4 S5 C5"


@pytest.fixture(scope="module", params=PROFILES)
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    return rules_of("tienlen", request.param)


def _suited(rules: CompiledGame) -> bool:
    return rules.profile == "northern"


def test_number_of_labels(rules: CompiledGame) -> None:
    """Both profiles have the same: singles, pairs, three, four, runs, rows of pairs."""
    assert len(rules.labels) == 52 + 39 + 13 + 13 + 4 * 55 + 3 * (10 + 9 + 8 + 7) + 1


@pytest.mark.parametrize(
    ("profile", "hand", "to_beat", "labels", "sets"),
    [
        ("southern", ROW, "single(15,h)", 1, 1),
        ("southern", ROW, "pair(15,h,s)", 0, 0),
        ("southern", "S3 C3 D3 H3", "pair(15,h,s)", 1, 1),
        ("southern", "S3 C3 D3 H3", "pairs(3,5,h,s)", 1, 1),
        ("southern", f"{ROW} S6 C6", "four(14)", 1, 1),
        ("southern", f"{ROW} S6 C6", "triple(15)", 0, 0),
        ("southern", f"{ROW} S6 C6 S7 C7", "triple(15)", 1, 1),
        ("southern", "C9 D9", "single(9,s)", 2, 2),
        ("northern", "C9 D9 ST CT DT", "single(9,s)", 1, 1),
        ("northern", "C9 D9 ST CT D2", "single(9,s)", 2, 2),
        ("northern", "D2 CA", "pair(14,h,d)", 0, 0),
        ("northern", "S2 C2 CA", "pair(14,h,d)", 1, 1),
        ("northern", "S2 C2", "pair(14,h,d)", 0, 0),
        ("northern", "S2 C2", None, 2, 2),
        ("northern", "S3 C4 S5 H6 H7 H8", None, 7, 7),
    ],
)
def test_move_counts_of_example_states(profile: str, hand: str, to_beat: str | None, labels: int, sets: int) -> None:
    assert count_moves(rules_of("tienlen", profile), hand, to_beat) == (labels, sets, to_beat is not None)


def test_move_lists_equal_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        plays = brute.plays(query.hand, query.cards_to_beat, query.opening, _suited(rules))
        return plays, query.to_beat is not None

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, states(rules, STATES, seed=2)) == []


def test_deals_match_the_referee(rules: CompiledGame) -> None:
    """Turns, lists and points, where a seat that can lay something passes one time in four."""
    tables = Tables.begin(rules, match_keys(DEALS, 3))
    rounds = [
        brute.Round([set(cards_of(rules, hand)) for hand in hands], _suited(rules)) for hands in tables.state.hands
    ]
    skip = rules.label_texts.index("pass")
    chops = 0
    while (playing := tables.rows_to_play()).size:
        decisions = tables.decisions(playing)
        for table, sets_by_label in zip(playing.tolist(), listed(rules, decisions), strict=True):
            assert rounds[table].turn == tables.seat[table]
            assert {cards for sets in sets_by_label.values() for cards in sets} == rounds[table].choices()
        keys = splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
        mask = decisions.legal_mask.copy()
        mask[skip, (keys % np.uint64(4) > 0) & (mask.sum(axis=0) > 1)] = 0
        moves = decisions.sample_moves(pick(mask, keys), keys)
        tables.play(playing, moves)
        for table, cards in zip(playing.tolist(), moves.cards, strict=True):
            before = len(rounds[table].chops)
            rounds[table].play(texts(rules, cards))
            chops += len(rounds[table].chops) > before
    assert [one.points for one in rounds] == tables.points.tolist()
    assert not tables.points.sum(axis=1).any()
    print(f"{DEALS} deals, {chops} chops")


def test_last_chopped_seat_pays_for_all_chops(rules: CompiledGame) -> None:
    """A red two, then four of a rank: six for the seat that laid four pairs."""
    hands = ["H2 S6", "S7 C7 D7 H7 H6", "S8 C8 S9 C9 ST CT SJ CJ DA", "S4 S5"]
    table = Scene(rules, hands)
    assert table.play("single(15,h)", "four(7)", "pairs(4,11,c)", "pass", "pass", "pass") == 2
    assert table.play("single(14,d)", "pass", "pass", "pass", "single(4,s)", "single(6,s)", "pass", "pass") == 1
    assert table.play("single(6,h)") == -1
    assert table.points == [1, -1 - 6, 2 + 6, -2]


def test_twos_left_in_hand_cost_points() -> None:
    table = Scene(rules_of("tienlen", "southern"), ["S4", "S5", "S6", "H2 D2 S2"])
    assert table.play("single(4,s)", "single(5,s)", "single(6,s)") == -1
    assert table.points == [2 + 5, 1, -1, -2 - 5]


def _cards(text: str) -> Cards:
    return frozenset(text.split())


def test_prices_of_the_brute_force() -> None:
    """The brute force by itself."""
    assert [brute.price(_cards(text)) for text in ("S2", "H2", "S2 D2", "S2 C2 D2", "S3", ROW)] == [1, 2, 3, 5, 0, 3]
    assert brute.price(_cards("S3 C3 D3 H3")) == 4
