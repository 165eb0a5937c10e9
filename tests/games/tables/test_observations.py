"""Observations of seats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.sampling.random_states import sample_state
from abl_cards.games.tables.hand_limits import largest_hand
from abl_cards.games.tables.observations import build_feature_table, observe
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.validation import find_errors
from tests.games.notation.folders import rules_of
from tests.games.sampling.folders import GIFTS


def test_every_game_has_an_observation(
    gifts: CompiledGame, wild: CompiledGame, auction: CompiledGame, president: CompiledGame
) -> None:
    for rules in (gifts, wild, auction, president):
        table, state = build_feature_table(rules), sample_state(rules, 64, np.random.default_rng(1))
        rows = observe(PlayerView(rules, state, np.arange(64), state.seat))
        assert rows.shape == (64, table.size)
        assert rows.max() <= table.max_value
        assert (rows[:, table["hand"]] == state.hands[np.arange(64), state.seat]).all()


def test_seats_are_relative_to_the_observer(gifts: CompiledGame) -> None:
    state = gifts.create_state(1)
    state.hands[0, :, 0] = 3, 2, 1
    state.passed[0], state.owner[0], state.to_beat[0] = 0b100, 0, 0
    fluent = gifts.fluents.find("said")
    assert fluent is not None
    state.fluents[0] = gifts.fluents.defaults
    state.fluents[0, fluent.first_slot + 2] = 0
    table = build_feature_table(gifts)
    row = observe(PlayerView(gifts, state, np.arange(1), np.array([1], np.int8)))[0]
    width = largest_hand(gifts) + 1
    assert row[table["sizes"]].reshape(3, width).argmax(axis=1).tolist() == [2, 1, 3]
    assert row[table["passed"]].tolist() == [0, 1, 0]
    assert row[table["owner"]].tolist() == [0, 0, 1]
    assert row[table["said"]].reshape(3, 2).tolist() == [[0, 0], [1, 0], [0, 0]]


def test_observation_of_the_cards_to_beat(president: CompiledGame) -> None:
    tables = Tables.begin(president, np.arange(8, dtype=np.uint64))
    decisions = tables.decisions(np.arange(8))
    moves = decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16))
    tables.play(np.arange(8), moves)
    rows = tables.observe(np.arange(8))[:, build_feature_table(president)["to_beat"]]
    for row, cards in zip(rows, moves.cards, strict=True):
        assert np.flatnonzero(row).tolist() == sorted(card for card in cards.tolist() if card != 255)


def test_fluents_may_share_names_with_features(tmp_path: Path) -> None:
    """Such a fluent is named with its arity, and so is one with the name of another fluent."""
    names = ("played/1", "trick/1", "said/1")
    lines = [f"#external {name[:-2]}(S) : seat(S). any({name[:-2]},1). turn_of :- {name[:-2]}(0)." for name in names]
    table = build_feature_table(rules_of(tmp_path / "game", GIFTS + "\n".join(lines)))
    assert {"played", "said/2", *names} <= table.slices.keys()
    assert table["played/1"] != table["played"]


@pytest.mark.parametrize(
    ("fact", "code", "name"),
    [
        ("sees(1,hnad).", ErrorCode.UNKNOWN_NAME, "hnad"),
        ("sees(1,fluent,nothing).", ErrorCode.INVALID_ARGUMENT, "nothing"),
        ("sees(1,recent,9).", ErrorCode.INVALID_OBSERVATION, "9"),
        ("sees(1,hand). sees(2,hand).", ErrorCode.INVALID_OBSERVATION, "hand"),
        ("sees(1,fluent,said). sees(2,fluent,said).", ErrorCode.INVALID_OBSERVATION, "said"),
        ("sees(1,face).", ErrorCode.INVALID_OBSERVATION, "face"),
    ],
)
def test_errors_of_observation_facts(tmp_path: Path, fact: str, code: ErrorCode, name: str) -> None:
    text = GIFTS + fact
    with pytest.raises(KBError) as raised:
        raise KBError(list(find_errors(rules_of(tmp_path / "game", text))))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code
    assert name in diagnostic.message
    assert diagnostic.location is not None
    assert Path(diagnostic.location.file).name == "game.lp"
    assert diagnostic.location.line == len(text.splitlines())


def test_counters_end_at_the_greatest_byte(tmp_path: Path) -> None:
    text = GIFTS + "#external pot(N) : N = (1;300). count(pot,1). paid :- pot(300). sees(1,counted,pot)."
    rules = rules_of(tmp_path / "game", text)
    table, state = build_feature_table(rules), rules.create_state(1)
    pot = rules.fluents.find("pot")
    assert pot is not None
    for value, shown in ((255, 255), (256, 255), (300, 255), (7, 7)):
        state.fluents[0, pot.first_slot] = value
        row = observe(PlayerView(rules, state, np.arange(1), np.zeros(1, np.int8)))[0]
        assert row[table["pot"]].tolist() == [shown]
    assert table.max_value == 255


def test_greatest_value_includes_the_cards_of_forms(tmp_path: Path) -> None:
    """A set of four takes four cards of one rank, of which the pack has one of each suit."""
    (tmp_path / "quads").mkdir()
    (tmp_path / "quads" / "variant.lp").write_text("parent(president). sees(1,groups).", encoding="utf-8")
    rules = load(str(tmp_path / "quads")).engine().rules
    assert rules.pack.copies.max() == 1
    assert build_feature_table(rules).max_value == rules.forms.group_counts.max() == 4
