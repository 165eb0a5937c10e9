"""Tests of the endgame solver: agreement with plain minimax by the engine's steps, and its limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.games.endgame.positions import build_positions
from abl_cards.games.game import load
from abl_cards.games.tables import Tables
from abl_cards.reasoners.search.endgame_solver import EndgameSolver, EndgameUnsolved, solve_endgame
from tests.effort import amount
from tests.games.endgame.minimax import small_hands, values
from tests.games.endgame.test_positions import TEAMS, engine_of


def solved(tables: object) -> list[float]:
    points = []
    for position in build_positions(tables, np.arange(len(tables))):  # type: ignore[arg-type]
        solver = EndgameSolver(position, table_bits=10)
        points.append(position.outcomes.points(solver.value(solver.start), position.start.seat))
    return points


@pytest.mark.parametrize(("name", "cards"), [("guandan", 8), ("doudizhu", 7), ("big2", 8)])
def test_values_equal_plain_minimax(name: str, cards: int) -> None:
    """Longer runs are described in docs/notes/endgames.md."""
    engine = load(name).engine()
    tables = small_hands(engine, amount(15, 40), cards, 5)
    np.testing.assert_allclose(solved(tables), values(engine, tables))


def test_values_of_custom_rules_equal_plain_minimax(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, TEAMS)
    tables = small_hands(engine, 60, 9, 2)
    np.testing.assert_allclose(solved(tables), values(engine, tables))


def test_best_line_ends_at_its_value() -> None:
    engine = load("guandan").engine()
    tables = small_hands(engine, 12, 12, 8)
    for row in range(len(tables)):
        one = tables.view(np.array([row]))
        decisions = tables.decisions(np.array([row]))
        alone = Tables.determinize(decisions, np.zeros(1, np.int64), one.hidden_hands)
        seat = int(alone.seat[0])
        solution = solve_endgame(alone)
        assert solution.value == solution.move_points.max()
        assert solution.value == alone.points[0, seat]
        assert solution.best_line[0].seat == seat


def test_exceeding_max_nodes_raises() -> None:
    engine = load("guandan").engine()
    (position,) = build_positions(small_hands(engine, 1, 20, 4), np.arange(1))
    solver = EndgameSolver(position, max_nodes=50)
    with pytest.raises(EndgameUnsolved):
        solver.value(solver.start)
    assert solver.nodes <= 100
