"""四人跑得快 as a folder of rules: the page's vectors, an independent reading, clingo, turns and points."""

from __future__ import annotations

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


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("paodekuai")


def test_number_of_labels(rules: CompiledGame) -> None:
    assert len(rules.labels) == 175 + 1


@pytest.mark.parametrize(
    ("hand", "to_beat", "labels", "sets"),
    [
        ("D7 C7 H7 S7 D8", None, 4, 12),
        ("D7 C7 H7 D8", None, 4, 8),
        ("D7 C7 H7 D8", "carry(3,1,6)", 1, 1),
        ("D7 C7 H7 D8", "tail(3,1,6,1)", 0, 0),
        ("D7 C7 H7 D8 C8 D9", "tail(3,1,6,1)", 1, 3),
        ("D9 C9 H9 S9 D4 C4", "carry(4,1,8)", 1, 1),
        ("D9 C9 H9 S9 D4 C4", "carry(3,1,8)", 1, 4),
    ],
)
def test_move_counts_of_example_states(
    rules: CompiledGame, hand: str, to_beat: str | None, labels: int, sets: int
) -> None:
    assert count_moves(rules, hand, to_beat) == (labels, sets, to_beat is not None)


def test_move_counts_of_the_opening(rules: CompiledGame) -> None:
    assert count_moves(rules, "H3 S3 D3 S4 D4 S5 S6 S7 S8 SJ DJ SQ S2", opening=True) == (5, 52, False)


def test_tail_labels_of_a_short_hand(rules: CompiledGame) -> None:
    table = Scene(rules, ["D7 C7 H7 S7 D8", "D3", "D4", "D5"])
    assert table.legal == {"single(7)", "single(8)", "pair(7)", "tail(4,1,7,1)"}


def test_move_lists_equal_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        tail = query.to_beat is not None and query.to_beat.label.startswith("tail")
        plays = brute.plays(query.hand, query.cards_to_beat, query.opening, tail=tail)
        return plays, brute.may_pass(query.cards_to_beat, plays)

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, states(rules, STATES, seed=2)) == []


@pytest.mark.parametrize("profile", ["standard", "lowest_seat"])
def test_turns_and_points_follow_the_rules(profile: str) -> None:
    follow(rules_of("paodekuai", profile), brute.points, 200, seed=3, lowest_leads=profile == "lowest_seat")


@pytest.mark.parametrize(("profile", "leader"), [("standard", 3), ("lowest_seat", 0)])
def test_leader_after_the_owner_is_out(profile: str, leader: int) -> None:
    table = Scene(rules_of("paodekuai", profile), ["D3 D4", "D5 D6", "D2", "D7 D8"], seat=1)
    assert table.play("single(5)", "single(15)", "pass", "pass", "pass") == leader
    assert table.leads


def test_tail_is_beaten_by_complete_plays_only(rules: CompiledGame) -> None:
    table = Scene(rules, ["D6 C6 H6 D9", "D7 C7 H7 D8 C8 DK", "D3 C3", "D4 C4"])
    assert table.play("tail(3,1,6,1)") == 1
    assert table.play("carry(3,1,7)") == 2
    assert table.play("pass", "pass") == 1
    assert table.leads
