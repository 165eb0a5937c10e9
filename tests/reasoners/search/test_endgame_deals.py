"""Tests that points of moves in many deals equal those of the solver of single positions."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.endgame.positions import build_positions
from abl_cards.games.game import load
from abl_cards.games.types.arrays import copy_rows
from abl_cards.games.types.moves import MoveLists
from abl_cards.reasoners.search import endgame_deals
from abl_cards.reasoners.search.endgame_deals import solve_deals
from abl_cards.reasoners.search.endgame_kernels import STAMP
from abl_cards.reasoners.search.endgame_solver import EndgameSolver
from tests.games.endgame.minimax import small_hands
from tests.games.endgame.test_positions import TEAMS, engine_of

DEALS, NODES = 3, 10_000_000


def deals_of(name: str, n: int, cards: int, seed: int) -> tuple[object, np.ndarray, MoveLists]:
    """Return tables, each repeated with the hidden cards dealt again, and the moves of the seat to play."""
    engine, random = load(name).engine(), np.random.default_rng(seed)
    tables = small_hands(engine, n, cards, seed)
    lists = tables.decisions(np.arange(len(tables))).moves()
    group = np.repeat(np.arange(len(tables)), DEALS)
    deals = engine.start_matches(np.zeros(len(group), np.uint64))
    deals.auto_next_episode = False
    copy_rows(tables.state, group, deals.state)
    for hands, seat in zip(deals.state.hands, deals.seat, strict=True):
        others = [other for other in range(len(hands)) if other != seat]
        hidden = random.permutation(np.repeat(np.arange(hands.shape[1]), hands[others].sum(axis=0, dtype=np.int64)))
        for other, part in zip(
            others, np.split(hidden, np.cumsum(hands[others].sum(axis=1, dtype=np.int64))[:-1]), strict=True
        ):
            hands[other] = np.bincount(part, minlength=hands.shape[1])
    return deals, group, lists


@pytest.mark.parametrize(("name", "cards"), [("guandan", 14), ("doudizhu", 10)])
def test_solving_many_deals_equals_solving_each(name: str, cards: int) -> None:
    deals, group, lists = deals_of(name, 10, cards, 3)
    moves = [lists.select(np.arange(lists.start[at], lists.start[at + 1])) for at in range(group[-1] + 1)]
    points = solve_deals(deals, group, moves, NODES)  # type: ignore[arg-type]
    assert [values.shape for values in points] == [(DEALS, len(options.form)) for options in moves]
    for row, position in enumerate(build_positions(deals, np.arange(len(group)))):  # type: ignore[arg-type]
        solver, seat = EndgameSolver(position), position.start.seat
        for at, (form, cards_) in enumerate(zip(*moves[group[row]], strict=True)):
            after = solver.apply_move(solver.start, position.find(seat, int(form), cards_))
            assert points[group[row]][row % DEALS, at] == position.outcomes.points(solver.value(after), seat)


def test_transposition_table_is_reused_between_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore entries of another search, even after the search numbers wrap around."""
    deals, group, lists = deals_of("guandan", 6, 12, 5)
    moves = [lists.select(np.arange(lists.start[at], lists.start[at + 1])) for at in range(group[-1] + 1)]
    once = solve_deals(deals, group, moves, NODES)  # type: ignore[arg-type]
    room = endgame_deals.EndgameScratch.empty()
    room.state[STAMP] = (1 << 15) - 4
    monkeypatch.setattr(endgame_deals.EndgameScratch, "empty", lambda: room)
    for _ in range(2):
        for mine, theirs in zip(solve_deals(deals, group, moves, NODES), once, strict=True):  # type: ignore[arg-type]
            np.testing.assert_array_equal(mine, theirs)


def test_node_limit_leaves_hard_deals_unsolved_and_solves_those_after_them() -> None:
    deals, group, lists = deals_of("guandan", 6, 20, 6)
    moves = [lists.select(np.arange(lists.start[at], lists.start[at + 1])) for at in range(group[-1] + 1)]
    all_ = np.concatenate([values.ravel() for values in solve_deals(deals, group, moves, NODES)])  # type: ignore[arg-type]
    skipped = False
    for limit in (500, 2_000, 8_000):
        partial = solve_deals(deals, group, moves, limit)  # type: ignore[arg-type]
        solved = [~np.isnan(values).any(axis=1) for values in partial]
        for values, is_solved in zip(partial, solved, strict=True):
            assert np.isnan(values[~is_solved]).all()
            skipped |= bool((np.diff(is_solved.astype(int)) > 0).any())
        points = np.concatenate([values.ravel() for values in partial])
        assert np.isnan(points).sum() > np.isnan(all_).sum()
        both = ~np.isnan(points) & ~np.isnan(all_)
        np.testing.assert_array_equal(points[both], all_[both])
    assert skipped


def test_unsupported_games_raise(tmp_path: object) -> None:
    rules = TEAMS.replace("member(S,S\\2)", "member(S,S)")
    assert rules != TEAMS
    tables = engine_of(tmp_path, rules).start_matches(np.zeros(1, np.uint64))  # type: ignore[arg-type]
    with pytest.raises(GameError, match="4 parties, and not two"):
        solve_deals(tables, np.zeros(1, np.int64), [], NODES)
