"""President as a folder of rules: the page's vectors, an independent reading, clingo, turns and points."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from tests.brute_force import president as brute
from tests.brute_force.hands import Sets
from tests.edited import edited
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
from tests.games.random_play import play_out

STATES = amount(16, 300, 20_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("president")


def test_number_of_labels(rules: CompiledGame) -> None:
    assert len(rules.labels) == 52 + 1


@pytest.mark.parametrize(
    ("hand", "to_beat", "labels", "sets"),
    [
        ("D3 C3 H3 DK", None, 4, 8),
        ("D5 C5 H5 D8 C8", "set(4,2)", 2, 4),
        ("D2", "set(14,1)", 1, 1),
    ],
)
def test_move_counts_of_example_states(
    rules: CompiledGame, hand: str, to_beat: str | None, labels: int, sets: int
) -> None:
    assert count_moves(rules, hand, to_beat) == (labels, sets, to_beat is not None)


def test_move_lists_equal_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        return brute.plays(query.hand, query.cards_to_beat), brute.may_pass(query.hand, query.cards_to_beat)

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, states(rules, STATES, seed=2)) == []


def test_turns_and_points_follow_the_rules(rules: CompiledGame) -> None:
    follow(rules, brute.points, 200, seed=3)


def test_every_play_clears_the_passes(rules: CompiledGame) -> None:
    table = Scene(rules, ["D3 D9", "D5 D6", "D4 DA", "D7 D8"])
    assert table.play("set(3,1)", "pass", "set(4,1)", "pass", "pass") == 1
    assert table.legal == {"set(5,1)", "set(6,1)", "pass"}
    assert table.play("pass") == 2
    assert table.leads


def test_leader_after_the_owner_is_out(rules: CompiledGame) -> None:
    table = Scene(rules, ["D3 D4", "D5 D6", "D2", "D7 D8"], seat=1)
    assert table.play("set(5,1)", "set(15,1)", "pass", "pass", "pass") == 3
    assert table.leads


def test_points_at_the_end_of_an_episode(rules: CompiledGame) -> None:
    table = Scene(rules, ["D3", "D5", "D6", "D7 D8"])
    assert table.play("set(3,1)", "set(5,1)", "set(6,1)") == -1
    assert table.points == [2, 1, -1, -2]


def test_first_play_is_unrestricted(rules: CompiledGame) -> None:
    assert count_moves(rules, "C3 D4 H4", None, opening=True) == (3, 4, False)


def test_labels_without_the_required_card_are_illegal(tmp_path: Path) -> None:
    """includes/1 also restricts labels, because plain players choose among labels."""
    (tmp_path / "mine").mkdir()
    rules = "parent(president).\n#external acts(N) : N = 1.\nincludes(card(3,c)) :- leading, not acts(1).\n"
    (tmp_path / "mine" / "variant.lp").write_text(rules, "utf-8")
    engine = load(str(tmp_path / "mine")).engine()
    tables = engine.start_matches(splitmix64_array(np.arange(40).astype(np.uint64), 1))
    decisions = tables.decisions(tables.rows_to_play())
    for row in range(40):
        moment = engine.decision_point_at(decisions, row)
        legal = {label for label, there in zip(engine.labels, decisions.legal_mask[:, row], strict=True) if there}
        assert legal == set(moment.labels)
        assert all("C3" in action.to_json() for action in moment.actions)
    play_out(tables)


def test_two_points_for_one_place_are_an_error(tmp_path: Path) -> None:
    edits = {"game.lp": ("place_points(1,2).", "place_points(1,2). place_points(1,5).")}
    with pytest.raises(KBError) as error:
        load(edited(tmp_path / "mine", edits, name="president")).engine()
    assert error.value.code is ErrorCode.ALWAYS_VIOLATED
    assert "game.lp" in str(error.value)
    assert "place_points" in str(error.value)
