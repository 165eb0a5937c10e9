"""Rows of tables where moves are made."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.types.moves import Moves
from abl_cards.reasoners.abduction.minimiser import Minimiser

SHORTENED = slice(0, 1)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (np.arange(100, 103), slice(None)),
        (np.array([-1]), SHORTENED),
        (np.array([0, 0, 1]), slice(None)),
        (np.arange(3), SHORTENED),
        (np.arange(1), slice(None)),
        (np.arange(3.0), slice(None)),
        ([0, 1, 2], slice(None)),
        (np.zeros((3, 1), np.int64), slice(None)),
    ],
)
def test_wrong_rows_are_rejected_and_change_nothing(rows: Any, kept: slice) -> None:
    """Kernels check no bounds: a move too few would be read from memory that is not theirs."""
    engine = load("president").engine()
    tables = engine.start_matches(np.arange(3, dtype=np.uint64))
    before = [np.copy(array) for array in tables.arrays().values()]
    moves = Minimiser(engine).best(tables.decisions(np.arange(3)))
    with pytest.raises(GameError, match="rows") as error:
        tables.play(rows, Moves(moves.form[kept], moves.cards[kept]))
    assert error.value.code == ErrorCode.INVALID_VALUE
    with pytest.raises(GameError, match="rows") as error:
        tables.choose(rows, np.zeros(3, np.uint8)[kept])
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert all(np.array_equal(a, b) for a, b in zip(before, tables.arrays().values(), strict=True))


def test_decisions_that_are_not_due_are_rejected_and_change_nothing() -> None:
    """A choice where a play was due went unnoticed, and so did a play in a match that was over."""
    engine = load("doudizhu", profile="contest").engine()
    tables = engine.start_matches(np.arange(2, dtype=np.uint64))
    rows, minimiser = np.arange(2), Minimiser(engine)
    options = minimiser.choose(tables.choices(rows))
    while (bidding := tables.rows_to_choose()).size:
        tables.choose(bidding, minimiser.choose(tables.choices(bidding)))
    moves = minimiser.best(tables.decisions(rows))
    for act in (partial(tables.choose, rows, options), partial(tables.play, rows, moves)):
        before = [np.copy(array) for array in tables.arrays().values()]
        with pytest.raises(GameError, match="table 0") as error:
            act()
        assert error.value.code == ErrorCode.OUT_OF_TURN
        assert all(np.array_equal(a, b) for a, b in zip(before, tables.arrays().values(), strict=True))
        tables.abort_matches(rows, np.zeros((2, 3), np.int64))


def test_moves_of_forms_and_cards_that_do_not_exist_are_rejected() -> None:
    engine = load("president").engine()
    tables = engine.start_matches(np.arange(2, dtype=np.uint64))
    rows, before = np.arange(2), [np.copy(array) for array in tables.arrays().values()]
    moves = Minimiser(engine).best(tables.decisions(rows))
    wrong: list[tuple[Any, Any]] = [
        (moves.form + len(engine.rules.forms.forms), moves.cards),
        (np.full_like(moves.form, -1), moves.cards),
        (moves.form * 1.0, moves.cards),
        (moves.form, np.full_like(moves.cards, len(engine.rules.pack))),
        (moves.form, moves.cards.astype(np.int64)),
        (moves.form, moves.cards[:, 0]),
    ]
    for form, cards in wrong:
        with pytest.raises(GameError) as error:
            tables.play(rows, Moves(form, cards))
        assert error.value.code == ErrorCode.INVALID_VALUE
    assert all(np.array_equal(a, b) for a, b in zip(before, tables.arrays().values(), strict=True))


@pytest.mark.parametrize("options", [np.array([200, 200], np.uint8), np.array([-1, -1]), np.zeros(2), [None, None]])
def test_options_that_do_not_exist_are_rejected(options: Any) -> None:
    tables = load("doudizhu", profile="contest").engine().start_matches(np.arange(2, dtype=np.uint64))
    before = [np.copy(array) for array in tables.arrays().values()]
    with pytest.raises(GameError, match="options") as error:
        tables.choose(np.arange(2), options)
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert all(np.array_equal(a, b) for a, b in zip(before, tables.arrays().values(), strict=True))


ROWS = [np.array([-1]), np.array([3]), np.array([2**63], np.uint64), np.zeros(1), [0], 0, None, np.array([[0]])]
ROWS += [np.array([True, False, False])]
READ = ["decisions", "choices", "view", "observe", "information_set", "belief_log_odds", "open_hands", "hidden_hands"]
READ += ["match_returns", "roles", "sides", "copy", "end_episodes"]


@pytest.mark.parametrize("method", READ)
def test_reading_methods_reject_rows_that_do_not_exist(method: str) -> None:
    """Negative rows were read from the end, some others not at all, and the rest raised what numpy or numba raise."""
    tables = load("president").engine().start_matches(np.arange(3, dtype=np.uint64))
    for rows in ROWS:
        with pytest.raises(GameError, match="rows") as error:
            getattr(tables, method)(rows)
        assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("rows", ROWS)
def test_methods_with_more_arguments_reject_rows_that_do_not_exist(rows: Any) -> None:
    engine = load("president").engine()
    tables = engine.start_matches(np.arange(3, dtype=np.uint64))
    seats, decisions = np.zeros(1, np.int8), tables.decisions(np.arange(3))
    hands = decisions.view.hidden_hands[:1]
    calls: list[Any] = [
        lambda: tables.find_ended_tricks(rows, np.zeros(1, np.int32)),
        lambda: tables.played_by_others(rows, seats),
        lambda: tables.point_value(rows, seats, seats),
        lambda: tables.begin_match(rows, np.zeros(1, np.uint64)),
        lambda: tables.abort_matches(rows, np.zeros((1, 4), np.int64)),
        lambda: tables.determinize(decisions, rows, hands),
        lambda: engine.rewards(tables, rows),
        lambda: decisions.select(rows),
        lambda: tables.choices(np.arange(3)).select(rows),
    ]
    for call in calls:
        with pytest.raises(GameError, match="rows") as error:
            call()
        assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("seats", [[-1], [4], [0.0], [0, 1], [], [True], None])
def test_seats_that_do_not_exist_are_rejected(seats: Any) -> None:
    """Kernels wrote behind the arrays of such observers, and the process ended at some later time."""
    tables, row = load("president").engine().start_matches(np.arange(3, dtype=np.uint64)), np.array([1])
    given, good = np.array(seats), np.zeros(1, np.int8)
    calls: list[Any] = [
        lambda: tables.played_by_others(row, given),
        lambda: tables.point_value(row, given, good),
        lambda: tables.point_value(row, good, given),
    ]
    if seats is not None:  # for these it stands for the seats to decide
        calls += [partial(getattr(tables, name), row, given) for name in READ[2:8]]
    for call in calls:
        with pytest.raises(GameError, match="seats") as error:
            call()
        assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint32, np.uint64])
def test_rows_and_seats_of_any_integer_type_are_the_same_tables(dtype: type[np.integer]) -> None:
    """Rows of eight bits times the number of seats overflowed: the hands were those of other tables."""
    tables = load("president").engine().start_matches(np.arange(120, dtype=np.uint64))
    rows, seats = np.array([100, 119, 3]), np.array([3, 0, 1])
    for name in READ[2:8]:
        expected, given = (getattr(tables, name)(rows.astype(t), seats.astype(t)) for t in (np.int64, dtype))
        field = {"view": "hand", "information_set": "unseen"}.get(name)
        assert np.array_equal(*(getattr(value, field) if field else value for value in (expected, given))), name
    assert np.array_equal(tables.decisions(rows).legal_mask, tables.decisions(rows.astype(dtype)).legal_mask)
