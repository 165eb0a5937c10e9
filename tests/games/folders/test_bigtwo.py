"""Big Two with suits as a folder of rules: the page's vectors, an independent reading, clingo, turns and payments."""

from __future__ import annotations

import pytest

from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder
from tests.brute_force import bigtwo as brute
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
OPENING = "D3 C3 D4 D5 D6 D7 H7 S7 H8 C9 CT CJ CQ"
MIXED = "S9 ST SJ SQ SK S2 D8 C8 H8 S8 C4 C5 C6"


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("bigtwo")


@pytest.fixture(scope="module")
def flagged(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    """Compile a variant with all flags: only a parent and the switches."""
    folder = tmp_path_factory.mktemp("flags")
    (folder / "variant.lp").write_text("parent(bigtwo). rank_first. triples. locks.")
    return compile_game(Folder(folder))


def test_profiles_set_their_flag(rules: CompiledGame) -> None:
    for flag in ("rank_first", "triples", "locks"):
        assert rules.folder.layers.profiles[flag].read_text().endswith(f"\n{flag}.\n")


def test_number_of_labels(rules: CompiledGame, flagged: CompiledGame) -> None:
    assert len(rules.labels) == 52 + 39 + 32 + 5_116 + 13 + 13 + 32 + 1
    assert len(flagged.labels) == len(rules.labels) + 13


@pytest.mark.parametrize(
    ("hand", "to_beat", "labels", "sets"),
    [
        (OPENING, None, 27, 38),
        (MIXED, "flush(h,14,7,5,4,3)", 22, 30),
        ("CT DJ HQ SK DA S2 H2 D2 C2 C3 C4 C5 S6", "full(9,10)", 1, 9),
        ("C5 S5 D9 H9", "pair(9,s,c)", 0, 0),
        ("C5 S5 D9 S9", "pair(9,h,c)", 1, 1),
    ],
)
def test_move_counts_of_example_states(
    rules: CompiledGame, hand: str, to_beat: str | None, labels: int, sets: int
) -> None:
    assert count_moves(rules, hand, to_beat) == (labels, sets, to_beat is not None)


def test_move_counts_of_example_states_with_flags(rules: CompiledGame, flagged: CompiledGame) -> None:
    assert count_moves(rules, OPENING, opening=True) == (6, 6, False)
    assert count_moves(flagged, MIXED, "flush(h,14,7,5,4,3)") == (18, 26, True)
    assert count_moves(flagged, "C5 S5 H5", "triple(4)") == (1, 1, True)


@pytest.mark.parametrize("flags", [False, True])
def test_move_lists_equal_brute_force(request: pytest.FixtureRequest, flags: bool) -> None:
    here = request.getfixturevalue("flagged" if flags else "rules")

    def reading(query: Query) -> tuple[Sets, bool]:
        plays = brute.plays(query.hand, query.cards_to_beat, query.opening, rank_first=flags, triples=flags)
        return plays, brute.may_pass(query.hand, query.cards_to_beat)

    assert disagreements(here, states(here, STATES, seed=1), reading) == []


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, states(rules, STATES, seed=2)) == []


def test_turns_and_points_follow_the_rules(rules: CompiledGame) -> None:
    follow(rules, brute.points, amount(10, 80), seed=3)


def test_turns_when_a_pass_locks(flagged: CompiledGame) -> None:
    follow(flagged, brute.points, amount(10, 80), seed=4, locks=True)
    hands = ["D3 D9", "D5 D6", "D4 DA", "D7 D8"]
    assert Scene(flagged, hands).play("single(3,d)", "pass", "single(4,d)", "pass", "pass") == 2


def test_a_pass_skips_one_turn(rules: CompiledGame) -> None:
    table = Scene(rules, ["D3 D9", "D5 D6", "D4 DA", "D7 D8"])
    assert table.play("single(3,d)", "pass", "single(4,d)", "pass", "pass") == 1
    assert table.legal == {"single(5,d)", "single(6,d)", "pass"}


def test_payments_by_cards_left(rules: CompiledGame) -> None:
    thirteen = " ".join(suit + rank for rank in "456" for suit in "CDHS") + " C7"
    ten = " ".join(suit + rank for rank in "89" for suit in "CDHS") + " CT DT"
    table = Scene(rules, ["D3", "SA", ten, thirteen])
    assert table.play("single(3,d)") == -1
    assert table.points == [60, -1, -20, -39]
