"""Decision points of tables, states and records: the view of the deciding seat and its legal actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, TooManyMovesError
from abl_cards.games.compiled import CompiledGame, TableError
from abl_cards.games.description import SINGLE_VALUED, Fluent
from abl_cards.games.notation.composed_moves import list_composed_plays
from abl_cards.games.notation.fields import missing_field_error, state_fields
from abl_cards.games.notation.hand_order import hand_orders
from abl_cards.games.notation.included_moves import include_move
from abl_cards.games.notation.inference import infer_play_counts
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.plays import NotatedMove, notate_moves, notate_option
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.records import read_record
from abl_cards.games.notation.replay import Replayer
from abl_cards.games.notation.states import build_tables, fill_passes, read_state, write_state
from abl_cards.games.preferences import MAX_COMPARED, list_candidates
from abl_cards.games.state import CHOICE
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, PlayerView, Tables
from abl_cards.games.types import LEADING, MAX_CARD_SETS, MoveLists

# --- decisions --------------------------------------------------------------------------------------------------------


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
    plays = tuple(_actions(rules, decision, lists))
    return DecisionPoint(decision, lists, labels, plays, write_state(rules, decision), is_complete=not is_cut[0])


def _actions(rules: CompiledGame, decisions: Decisions, lists: MoveLists) -> list[NotatedMove]:
    return notate_moves(rules, lists.form, lists.cards, decisions.context[lists.decision_index])


# --- states -----------------------------------------------------------------------------------------------------------


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
        raise GameError("a state has no moves to choose from; --move goes with a record", ErrorCode.INVALID_STATE)
    position = read_state(rules, value, for_explanation)
    if position.to_beat != LEADING:
        fill_passes(rules, value, position)
    if rules.has_open_hands and value.get("face") is None:
        raise missing_field_error("face", "hands are open")
    decisions = _state_decisions(rules, [position], value.get("cards") is not None or value.get("face") is not None)
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


def _state_decisions(
    rules: CompiledGame, positions: Sequence[TablePosition], at_table: bool = False
) -> Decisions | Choices:
    """Return the decisions of positions of one stage; hand sizes are known only at a table."""
    state = build_tables(rules, positions).state
    view = PlayerView(rules, state, np.arange(len(positions)), state.seat, at_table)
    return Choices(view) if positions and positions[0].stage == CHOICE else Decisions(view)


def legal_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """List the legal moves of states.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, its legal moves in JSON form, or the error of the state.

    Raises:
        TooManyMovesError: Several states have more than MAX_CARD_SETS moves together.
    """
    count = 0

    def of_plays(decisions: Decisions) -> list[list[Any]]:
        nonlocal count
        lists = decisions.moves()
        start = lists.start
        count += int(start[-1])
        _check_move_count(count, len(states))
        moves = [move.to_json() for move in _actions(rules, decisions, lists)]
        return [moves[first:last] for first, last in pairwise(start)]

    def of_choices(choices: Choices) -> list[list[Any]]:
        stages = [str(rules.schema.stages[stage]) for stage in choices.stage]
        return [
            [notate_option(rules, option, stage).to_json() for option in _ordered_options(rules, row, int(context))]
            for stage, row, context in zip(stages, choices.options, choices.view.context, strict=True)
        ]

    return _evaluate_states(rules, states, of_plays, of_choices)


def legal_composed_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """List the legal moves of states, with plays composed card by card as whole plays.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, its legal moves in JSON form, or its error; too many whole plays are an error too.

    Raises:
        TooManyMovesError: Several states have more than MAX_CARD_SETS moves together.
    """
    answers, count = legal_moves(rules, states), 0
    for index, value in enumerate(states):
        if rules.has_composed_plays and not isinstance(answers[index], GameError):
            decisions = _state_decisions(rules, [read_state(rules, value)])
            if isinstance(decisions, Decisions):
                answers[index] = plays = _composed_json(rules, decisions)
                count += 0 if isinstance(plays, GameError) else len(plays)
                _check_move_count(count, len(states))
    return answers


def _check_move_count(moves: int, states: int) -> None:
    """Raise TooManyMovesError for more moves of several states than are held as JSON at once."""
    if states > 1 and moves > MAX_CARD_SETS:
        raise TooManyMovesError(f"{moves:,} moves of {states} states are too many at once: ask for fewer states")


def _composed_json(rules: CompiledGame, decisions: Decisions) -> list[Any] | GameError:
    try:
        moves = list_composed_plays(decisions, 0)
    except GameError as error:
        return error
    contexts = np.repeat(decisions.context, len(moves.form))
    return [move.to_json() for move in notate_moves(rules, moves.form, moves.cards, contexts)]


def _ordered_options(rules: CompiledGame, options: NDArray[np.uint8], context: int) -> list[int]:
    """Return the available options: cards in the order of hands, then the others."""
    positions = {rules.pack.kinds[kind]: position for position, kind in enumerate(hand_orders(rules)[context].tolist())}
    indices = np.flatnonzero(options).tolist()
    return sorted(indices, key=lambda option: positions.get(rules.schema.options[option], len(positions)))


def legal_labels(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
    """List the legal labels of states.

    Args:
        rules: Compiled game.
        states: JSON states.

    Returns:
        For each state, the texts of its legal labels (for a choice the stage), or the error of the state.
    """

    def of_plays(decisions: Decisions) -> list[list[str]]:
        return [[rules.label_texts[label] for label in np.flatnonzero(column)] for column in decisions.legal_mask.T]

    def of_choices(choices: Choices) -> list[list[str]]:
        stages = [str(stage) for stage in rules.schema.stages]
        return [[stages[stage]] if row.any() else [] for stage, row in zip(choices.stage, choices.options, strict=True)]

    return _evaluate_states(rules, states, of_plays, of_choices)


def _evaluate_states(
    rules: CompiledGame,
    states: Sequence[Mapping[str, Any]],
    of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:
    """Evaluate all plays in one batch and all choices in another; return results in the order of states."""
    answers: list[list[Any] | GameError] = [[] for _ in states]
    positions: dict[int, TablePosition] = {}
    for index, value in enumerate(states):
        try:
            positions[index] = read_state(rules, value)
        except GameError as error:
            answers[index] = error
    for choosing in (False, True):
        indices = [index for index, position in positions.items() if (position.stage == CHOICE) == choosing]
        if indices:
            for index, answer in zip(
                indices,
                _evaluate_positions(rules, [positions[index] for index in indices], of_plays, of_choices),
                strict=True,
            ):
                answers[index] = answer
    return answers


def _evaluate_positions(
    rules: CompiledGame, positions: Sequence[TablePosition], of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:  # fmt: skip
    """Evaluate positions of one stage in one batch, or in halves where there are too many moves to list."""
    decisions = _state_decisions(rules, positions)
    try:
        return [*(of_choices(decisions) if isinstance(decisions, Choices) else of_plays(decisions))]
    except TableError as error:
        half = len(positions) // 2
        parts = [positions[:half], positions[half:]] if half else []
        return [answer for part in parts for answer in _evaluate_positions(rules, part, of_plays, of_choices)] or [
            error
        ]


# --- records ----------------------------------------------------------------------------------------------------------


def _record_decision_point(rules: CompiledGame, value: Mapping[str, Any], move: int | None) -> DecisionPoint:
    """Return the decision before an act; by default the one after the last act."""
    record = read_record(rules, value)
    number = len(record.acts) + 1 if move is None else move
    tables = replay_to_acts(rules, [value], [number])
    decisions = _pending_decisions(tables)
    decision_point = decision_point_at(rules, decisions)
    if number > len(record.acts):
        return decision_point
    seat, act = record.acts[number - 1]
    if seat != tables.seat[0]:
        raise GameError(
            f"act {number}: seat {seat} acts, but it is the turn of seat {tables.seat[0]}", ErrorCode.INVALID_RECORD
        )
    if isinstance(decisions, Choices):
        (option,) = find_options(decisions, [act])
        rows = (
            np.flatnonzero(decision_point.move_lists.cards[:, 0] == option)
            if not isinstance(option, GameError)
            else None
        )
        return replace(decision_point, chosen_move=_made_row(number, option, rows))
    lists, (row,) = find_plays(decisions, [act])
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


def replay_to_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Tables:
    """Replay each record up to an act (numbered from 1) at a table of its own; raises GameError for illegal acts."""
    parsed = [read_record(rules, record) for record in records]
    for record, number in zip(parsed, acts, strict=True):
        if type(number) is not int or not 1 <= number <= len(record.acts) + 1:
            raise GameError(f"there is no act {number}: the record has {len(record.acts)}", ErrorCode.INVALID_RECORD)
    replayer = Replayer(rules, parsed)
    replayer.tables.record_history()
    while not replayer.errors and replayer.step([number - 1 > replayer.n_acts_done for number in acts]):
        pass
    if replayer.errors:
        raise GameError(replayer.errors[min(replayer.errors)], ErrorCode.INVALID_RECORD)
    waiting = {*replayer.tables.rows_to_play().tolist(), *replayer.tables.rows_to_choose().tolist()}
    num_decisions = replayer.tables.num_decisions
    ended = [number for table, number in enumerate(acts) if table not in waiting or num_decisions[table] < number - 1]
    if ended:
        raise GameError(f"act {ended[0]}: the episode is over", ErrorCode.INVALID_RECORD)
    return replayer.tables


def find_play_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Find the acts of records that are plays, not choices.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.

    Returns:
        For each record, the numbers of its plays, from 1; empty for an invalid record.
    """
    return _find_acts(rules, records, Tables.rows_to_play)


def find_choice_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Find the acts of records that are choices: bids, cards that are given.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.

    Returns:
        For each record, the numbers of its choices, from 1; empty for an invalid record.
    """
    return _find_acts(rules, records, Tables.rows_to_choose)


def _find_acts(
    rules: CompiledGame, records: Sequence[Mapping[str, Any]], find_rows: Callable[[Tables], NDArray[np.int64]]
) -> list[list[int]]:
    acts: list[list[int]] = [[] for _ in records]
    parsed = {}
    for index, record in enumerate(records):
        try:
            parsed[index] = read_record(rules, record)
        except GameError:
            continue
    if not parsed:
        return acts
    replayer, indices = Replayer(rules, list(parsed.values())), list(parsed)
    going = True
    while going:
        waiting, number = find_rows(replayer.tables).tolist(), replayer.n_acts_done + 1
        going = replayer.step([True] * len(indices))
        for table in waiting:
            if going and table not in replayer.errors:
                acts[indices[table]].append(number)
    for table in replayer.errors:
        acts[indices[table]] = []
    return acts


def decisions_at_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Decisions:
    """Return the decision before one act of each record.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.
        acts: Number of an act of each record, from 1.

    Returns:
        Decisions in the order of the records.

    Raises:
        GameError: A record is invalid, or its act is a choice.
    """
    tables = replay_to_acts(rules, records, acts)
    _refuse_acts(acts, tables.rows_to_choose(), "a choice, not a play")
    return tables.decisions(np.arange(len(tables)))


def choices_at_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Choices:
    """Return the choice before one act of each record.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.
        acts: Number of an act of each record, from 1.

    Returns:
        Choices in the order of the records.

    Raises:
        GameError: A record is invalid, or its act is a play.
    """
    tables = replay_to_acts(rules, records, acts)
    _refuse_acts(acts, tables.rows_to_play(), "a play, not a choice")
    return tables.choices(np.arange(len(tables)))


def _refuse_acts(acts: Sequence[int], rows: NDArray[np.int64], kind: str) -> None:
    """Raise GameError if there are records whose act is of the other kind."""
    if rows.size:
        raise GameError(f"act {acts[int(rows[0])]} is {kind}", ErrorCode.INVALID_RECORD)


# --- decisions of other rules -----------------------------------------------------------------------------------------


def convert_decisions(
    rules: CompiledGame, decisions: Decisions | Choices
) -> tuple[NDArray[np.bool_], Decisions | Choices]:
    """Convert decisions of other rules of the same game to these rules.

    Args:
        rules: Compiled game to convert to.
        decisions: Decisions or choices of other rules.

    Returns:
        Mask of the decisions that exist by these rules, and those decisions. Decisions with an unknown play to beat,
        stage or option are left out.

    Raises:
        GameError: The rules have different packs or seats.
    """
    view, other = decisions.view, decisions.rules
    if (other.pack.kinds, other.seating.seats) != (rules.pack.kinds, rules.seating.seats):
        raise GameError(
            "these rules have another pack or other seats: their decisions cannot be compared",
            ErrorCode.UNSUPPORTED_GAME,
        )
    state = build_tables(rules, [TablePosition.empty(rules)] * len(view)).state
    source = view.state
    for name in _SHARED_STATE_FIELDS:
        getattr(state, name)[:] = getattr(source, name)[view.rows]
    if rules.has_trick_cards and other.has_trick_cards:
        state.trick_cards[:], state.is_composing[:] = source.trick_cards[view.rows], source.is_composing[view.rows]
    state.seat[:] = view.seats
    width = min(state.top_cards.shape[1], source.top_cards.shape[1])
    state.top_cards[:, :width] = source.top_cards[view.rows, :width]
    _convert_fluents(rules, other, source.fluents[view.rows], state.fluents)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    forms = [rules.forms.index.get(form.name, _NO_MATCH) for form in other.forms.forms]
    state.to_beat[:] = np.array([*forms, LEADING], np.int16)[view.to_beat]
    state.trick_forms[:] = np.array([*forms, -1], np.int16)[source.trick_forms[view.rows]]
    mask = state.to_beat != _NO_MATCH
    if isinstance(decisions, Choices):
        stages = {name: index for index, name in enumerate(rules.schema.stages)}
        stage_index = np.array([*(stages.get(name, -1) for name in other.schema.stages), -1], np.int8)
        state.choice[:] = stage_index[decisions.stage]
        mask &= state.choice >= 0
    converted = PlayerView(rules, state, np.flatnonzero(mask), state.seat[mask], has_hand_sizes=False)
    if not isinstance(decisions, Choices):
        return mask, Decisions(converted)
    choices = Choices(converted)
    has_options = choices.options.any(axis=1)
    mask[mask] = has_options
    return mask, choices.select(np.flatnonzero(has_options))


_NO_MATCH = -9
_SHARED_STATE_FIELDS = (
    "hands",
    "aside",
    "played",
    "seat",
    "owner",
    "last_actor",
    "passed",
    "passed_in_trick",
    "seats_out",
    "finish_order",
    "num_acts",
    "stage",
    "leader",
)
"""State fields that depend only on the pack and the number of seats."""


def _convert_fluents(
    rules: CompiledGame, other: CompiledGame, theirs: NDArray[np.int16], ours: NDArray[np.int16]
) -> None:
    """Copy fluents [n, slots] of other rules into those of these rules, where both have them with equal types."""
    for fluent in rules.fluents.fluents:
        if fluent.signature not in other.fluents:
            continue
        source: Fluent = other.fluents[fluent.signature]
        if source.value_type != fluent.value_type:
            continue
        source_slots = dict(zip(source.keys, source.slots, strict=True))
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            if key in source_slots:
                values = theirs[:, source_slots[key]]
                if fluent.value_type == SINGLE_VALUED:
                    value_index = {value: index for index, value in enumerate(fluent.values)}
                    converted = np.array([*(value_index.get(value, -1) for value in source.values), -1], np.int16)
                    values = converted[values]
                ours[:, slot] = values
