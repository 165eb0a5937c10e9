"""Decision points of tables, states and records: the view of the deciding seat and its legal actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation.fields import missing_field_error, state_fields
from abl_cards.games.notation.included_moves import include_move
from abl_cards.games.notation.inference import infer_play_counts, lists_aside_cards
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.play_writer import NotatedMove, notate_moves, notate_option
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.recorded_acts import replay_to_acts
from abl_cards.games.notation.records import Record, read_record
from abl_cards.games.notation.state_tables import build_tables
from abl_cards.games.notation.state_writer import write_state
from abl_cards.games.notation.states import fill_passes, read_state
from abl_cards.games.preferences import MAX_COMPARED, list_candidates
from abl_cards.games.state import CHOICE
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, PlayerView, Tables
from abl_cards.games.types import LEADING, MoveLists


def decision_point_at(rules: CompiledGame, decisions: Decisions | Choices, row: int = 0) -> DecisionPoint:
    """Return the decision point of one decision or choice.

    Args:
        rules: Compiled game.
        decisions: Decisions or choices of tables.
        row: Index of the decision.

    Returns:
        The decision with its legal moves, their labels and notations, and the JSON state of the seat. Of labels with
        very many card sets, those that are cheapest by the preferences of the rules.
    """
    decision = decisions.select(np.array([row]))
    if isinstance(decision, Choices):
        lists = decision.moves()
        stage = str(rules.schema.stages[int(decision.stage[0])])
        options = tuple(notate_option(rules, int(cards[0]), stage) for cards in lists.cards)
        return DecisionPoint(decision, lists, (stage,) * len(options), options, write_state(rules, decision))
    lists, is_cut = decision.first_card_sets(MAX_COMPARED)
    if is_cut[0]:
        lists = list_candidates(None, decision)
    labels = tuple(rules.label_texts[label] for label in decision.labels_of(lists.form))
    plays = tuple(list_actions(rules, decision, lists))
    return DecisionPoint(decision, lists, labels, plays, write_state(rules, decision), is_complete=not is_cut[0])


def list_actions(rules: CompiledGame, decisions: Decisions, lists: MoveLists) -> list[NotatedMove]:
    """Return the moves of a list, notated in the contexts of their decisions."""
    return notate_moves(rules, lists.form, lists.cards, decisions.context[lists.decision_index])


def read_decision_point(
    rules: CompiledGame, value: Mapping[str, Any], move: int | None = None, for_explanation: bool = False
) -> DecisionPoint:
    """Read the decision point of a JSON state or record.

    Args:
        rules: Compiled game.
        value: JSON state, or JSON record of an episode.
        move: Number of the act of a record, from 1; by default the act after the last one. None for a state.
        for_explanation: Whether the preferences are evaluated too, so that their fields are required.

    Returns:
        The decision point; for an act of a record, with the move that was made.

    Raises:
        GameError: A field is missing or invalid, or no move is legal.
    """
    if isinstance(value, Mapping) and "hands" in value:
        return _record_decision_point(rules, value, move)
    if move is not None:
        text = 'without "hands" this is a state, and has no moves to choose from; --move goes with a record'
        raise GameError(text, ErrorCode.INVALID_STATE)
    position = read_state(rules, value, for_explanation)
    if position.to_beat != LEADING:
        fill_passes(rules, value, position)
    if rules.has_open_hands and value.get("face") is None:
        raise missing_field_error("face", "hands are open")
    decisions = read_state_decisions(rules, [position], value.get("cards") is not None or value.get("face") is not None)
    decisions.view.has_aside_cards = lists_aside_cards(value)
    decision_point = decision_point_at(rules, decisions)
    plays = bool((decision_point.move_lists.form != rules.forms.pass_form).all())
    decision_point.decision.view.play_counts = partial(infer_play_counts, rules, value, position, plays)
    if not decision_point.actions:
        nothing = "there is nothing to choose" if isinstance(decisions, Choices) else "no move is legal"
        raise GameError(f"{nothing} in this state", ErrorCode.INVALID_STATE)
    known = state_fields()
    given = {name: item for name, item in value.items() if item is not None or name not in known}
    table_fields: dict[str, Any] = {"to_beat": None} if rules.trick_query is None else {"trick": []}
    return replace(decision_point, state=table_fields | given)  # missing fields stay missing


def read_state_decisions(
    rules: CompiledGame, positions: Sequence[TablePosition], at_table: bool = False
) -> Decisions | Choices:
    """Return the decisions of positions of one stage; hand sizes are known only at a table."""
    state = build_tables(rules, positions).state
    view = PlayerView(rules, state, np.arange(len(positions)), state.seat, at_table)
    return Choices(view) if positions and positions[0].stage == CHOICE else Decisions(view)


def _record_decision_point(rules: CompiledGame, value: Mapping[str, Any], move: int | None) -> DecisionPoint:
    """Return the decision before an act; by default the one after the last act."""
    record = read_record(rules, value)
    number = len(record.acts) + 1 if move is None else move
    decisions = _pending_decisions(replay_to_acts(rules, [value], [number]))
    if number > len(record.acts):
        return decision_point_at(rules, decisions)
    return _recorded_decision_point(rules, decisions, record, number)


def recorded_decision_points(
    rules: CompiledGame, value: Mapping[str, Any], acts: Sequence[int], decisions: Decisions
) -> list[DecisionPoint]:
    """Return the decision points of acts of a record, each with the move that was made.

    Args:
        rules: Compiled game.
        value: JSON record of an episode.
        acts: Numbers of acts of the record, from 1, each a play.
        decisions: The decisions before these acts, as ``decisions_at_acts`` returns them.

    Returns:
        Decision points in the order of the acts.

    Raises:
        GameError: An act is illegal, or not of the seat whose turn it is.
    """
    record = read_record(rules, value)
    rows = range(len(acts))
    return [_recorded_decision_point(rules, decisions.select(np.array([row])), record, acts[row]) for row in rows]


def _recorded_decision_point(
    rules: CompiledGame, decision: Decisions | Choices, record: Record, number: int
) -> DecisionPoint:
    """Return the decision point of one decision, with the move that an act of the record made."""
    decision_point = decision_point_at(rules, decision)
    seat, act = record.acts[number - 1]
    turn = int(decision.view.seats[0])
    if seat != turn:
        raise GameError(f"act {number}: seat {seat} acts, but it is the turn of seat {turn}", ErrorCode.INVALID_RECORD)
    if isinstance(decision, Choices):
        (option,) = find_options(decision, [act])
        rows = (
            np.flatnonzero(decision_point.move_lists.cards[:, 0] == option)
            if not isinstance(option, GameError)
            else None
        )
        return replace(decision_point, chosen_move=_made_row(number, option, rows))
    lists, (row,) = find_plays(decision, [act])
    if isinstance(row, GameError):
        return replace(decision_point, chosen_move=_made_row(number, row, None))
    if row >= lists.start[-1]:  # a composed play: any move that starts with one of its cards
        same = np.isin(decision_point.move_lists.cards[:, 0], lists.cards[row])
        return replace(decision_point, chosen_move=_made_row(number, row, np.flatnonzero(same)))
    decision_point, chosen = include_move(rules, decision_point, lists.select(np.array([row])))
    return replace(decision_point, chosen_move=chosen)


def _made_row(number: int, match: int | GameError, rows: NDArray[np.int64] | None) -> int:
    if rows is None:
        raise GameError(f"act {number}: {match}", ErrorCode.INVALID_RECORD)
    return int(rows[0])


def _pending_decisions(tables: Tables) -> Decisions | Choices:
    rows = np.arange(1)
    return tables.decisions(rows) if tables.rows_to_play().size else tables.choices(rows)
