"""JSON states written from tables: read back they write the same state, and have what preferences read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.engine import Engine
from abl_cards.games.notation.decision_points import decision_point_at
from abl_cards.games.notation.state_moves import legal_labels, legal_moves
from abl_cards.games.notation.state_tables import build_tables
from abl_cards.games.notation.state_writer import write_state
from abl_cards.games.notation.states import read_state
from abl_cards.games.tables.tables import Tables
from tests.effort import amount
from tests.games.random_play import match_keys, step


def _pending_decisions(tables: Tables) -> list[Any]:
    """Return the pending decisions: plays, choices, or both."""
    rows_to_play, rows_to_choose = tables.rows_to_play(), tables.rows_to_choose()
    plays = [tables.decisions(rows_to_play)] if rows_to_play.size else []
    return [*plays, *([tables.choices(rows_to_choose)] if rows_to_choose.size else [])]


def test_written_states_round_trip_through_tables(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(3, 7))
    for _ in range(amount(12, 40)):
        for decisions in _pending_decisions(tables):
            written = json.loads(json.dumps(write_state(rules, decisions)))
            read_tables = build_tables(rules, [read_state(rules, written)])
            (read_decisions,) = _pending_decisions(read_tables)
            assert write_state(rules, read_decisions) == written
            expected, actual = decision_point_at(rules, decisions), decision_point_at(rules, read_decisions)
            assert [action.to_json() for action in expected.actions] == [action.to_json() for action in actual.actions]
            assert expected.labels == actual.labels
            assert expected.labels
            assert legal_moves(rules, [written]) == [[action.to_json() for action in expected.actions]]
            assert legal_labels(rules, [written]) == [list(dict.fromkeys(sorted(expected.labels, key=_order(rules))))]
        step(tables)


def _order(rules: CompiledGame) -> Any:
    return lambda label: rules.label_texts.index(label) if label in rules.label_texts else -1


def test_tables_from_written_states_have_the_same_view(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(2, 8))
    for _ in range(9):
        step(tables)
    rows = tables.rows_to_play()[:1]
    if not rows.size:
        return
    view = tables.decisions(rows).view
    written = write_state(rules, tables.decisions(rows))
    other = build_tables(rules, [read_state(rules, written)]).decisions(np.arange(1)).view
    for name in ("hand", "to_beat", "unseen", "hidden_hand_sizes", "top_other", "played_cards", "context"):
        assert (getattr(view, name) == getattr(other, name)).all(), name


def test_kitty_is_hidden(auction: CompiledGame) -> None:
    tables = Tables.begin(auction, match_keys(1, 3))
    written = write_state(auction, tables.choices(np.arange(1)))
    assert written["aside"] == 3


# --- fields that preferences and endgames read ------------------------------------------------------------------------


def test_written_states_have_inputs_of_preferences_and_points(judging: CompiledGame) -> None:
    engine, tables = Engine(judging, "judging"), Tables.begin(judging, match_keys(amount(2, 4), 3))
    judge, steps = engine.preference_model(), 0
    while (rows := tables.rows_to_play()).size:
        for row in range(len(rows)):
            decision_point = engine.decision_point_at(tables.decisions(rows), row)
            read_back = engine.read_decision_point(json.loads(json.dumps(decision_point.state)), for_explanation=True)
            costs = [judge.costs(point.decision, point.move_lists)[0].tolist() for point in (decision_point, read_back)]
            assert costs[0] == costs[1], decision_point.state
            assert decision_point.state["laid_down"] == tables.state.num_plays[rows[row]].tolist()
        step(tables)
        steps += 1
    assert steps > 20
