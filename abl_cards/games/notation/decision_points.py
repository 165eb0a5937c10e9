"""Single decisions out of tables, states and records: what the seat that decides sees, and all that it may do."""

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
from abl_cards.games.notation.hand_order import hand_orders
from abl_cards.games.notation.inference import infer_play_counts
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.plays import NotatedMove, notate_moves, notate_option
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.records import read_record
from abl_cards.games.notation.replay import Replayer
from abl_cards.games.notation.required_fields import FIELD_DESCRIPTIONS, STATE_FIELDS
from abl_cards.games.notation.states import build_tables, fill_passes, read_state, write_state
from abl_cards.games.state import CHOICE
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, PlayerView, Tables
from abl_cards.games.types import LEADING, MAX_CARD_SETS

# --- out of decisions -------------------------------------------------------------------------------------------------


def decision_point_at(rules: CompiledGame, decisions: Decisions | Choices, row: int = 0) -> DecisionPoint:
    """One of some decisions or choices."""
    one = decisions.select(np.array([row]))
    lists = one.moves()
    if isinstance(one, Choices):
        stage = str(rules.schema.stages[int(one.stage[0])])
        options = tuple(notate_option(rules, int(cards[0]), stage) for cards in lists.cards)
        return DecisionPoint(one, lists, (stage,) * len(options), options, write_state(rules, one))
    plays = _actions(rules, one)
    labels = tuple(rules.label_texts[label] for label in one.labels_of(lists.form))
    return DecisionPoint(one, lists, labels, tuple(plays), write_state(rules, one))


def _actions(rules: CompiledGame, decisions: Decisions) -> list[NotatedMove]:
    lists = decisions.moves()
    return notate_moves(rules, lists.form, lists.cards, decisions.context[lists.decision_index])


# --- out of states ----------------------------------------------------------------------------------------------------


def read_decision_point(
    rules: CompiledGame, value: Mapping[str, Any], move: int | None = None, for_explanation: bool = False
) -> DecisionPoint:
    """The decision of a state, or that of a record before an act (from 1), in JSON form; raises GameError.

    A state must give what legality reads; where it is to be explained, what the preferences read as well.
    """
    if isinstance(value, Mapping) and "hands" in value:
        return _record_decision_point(rules, value, move)
    if move is not None:
        raise GameError("a state has no moves to choose from; --move goes with a record", ErrorCode.INVALID_STATE)
    position = read_state(rules, value, for_explanation)
    if position.to_beat != LEADING:
        fill_passes(rules, value, position)
    if rules.has_open_hands and value.get("face") is None:
        raise GameError(f'hands lie open: give "face" ({FIELD_DESCRIPTIONS["face"]})', ErrorCode.INCOMPLETE_STATE)
    decisions = _state_decisions(rules, [position], value.get("cards") is not None or value.get("face") is not None)
    found = decision_point_at(rules, decisions)
    plays = bool((found.move_lists.form != rules.forms.pass_form).all())
    found.decision.view.play_counts = partial(infer_play_counts, rules, value, position, plays)
    if not found.actions:
        nothing = "there is nothing to choose" if isinstance(decisions, Choices) else "no move is legal"
        raise GameError(f"{nothing} in this state", ErrorCode.INVALID_STATE)
    told = {name: each for name, each in value.items() if each is not None or name not in STATE_FIELDS}
    lying: dict[str, Any] = {"to_beat": None} if rules.trick_query is None else {"trick": []}
    return replace(found, state=lying | told)  # what it leaves open stays open


def _state_decisions(
    rules: CompiledGame, positions: Sequence[TablePosition], at_table: bool = False
) -> Decisions | Choices:
    """The decisions of states of one stage, away from a table where nobody knows how many cards the others hold."""
    state = build_tables(rules, positions).state
    view = PlayerView(rules, state, np.arange(len(positions)), state.seat, at_table)
    return Choices(view) if positions and positions[0].stage == CHOICE else Decisions(view)


def legal_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """The complete lists of legal moves of states in JSON form, or what is wrong with a state.

    Raises TooManyMovesError where several states have so many that their JSON would not fit in memory.
    """
    count = 0

    def of_plays(decisions: Decisions) -> list[list[Any]]:
        nonlocal count
        start = decisions.moves().start
        count += int(start[-1])
        _check_move_count(count, len(states))
        found = [each.to_json() for each in _actions(rules, decisions)]
        return [found[first:last] for first, last in pairwise(start)]

    def of_choices(choices: Choices) -> list[list[Any]]:
        stages = [str(rules.schema.stages[stage]) for stage in choices.stage]
        return [
            [notate_option(rules, option, stage).to_json() for option in _ordered_options(rules, row, int(context))]
            for stage, row, context in zip(stages, choices.options, choices.view.context, strict=True)
        ]

    return _evaluate_states(rules, states, of_plays, of_choices)


def legal_composed_moves(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """Return the legal moves of states, with plays that are laid card by card listed as whole plays.

    States with too many whole plays give an error.
    """
    answers, count = legal_moves(rules, states), 0
    for number, value in enumerate(states):
        if rules.has_composed_plays and not isinstance(answers[number], GameError):
            decisions = _state_decisions(rules, [read_state(rules, value)])
            if isinstance(decisions, Decisions):
                answers[number] = plays = _composed_json(rules, decisions)
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
    except GameError as problem:
        return problem
    contexts = np.repeat(decisions.context, len(moves.form))
    return [each.to_json() for each in notate_moves(rules, moves.form, moves.cards, contexts)]


def _ordered_options(rules: CompiledGame, options: NDArray[np.uint8], context: int) -> list[int]:
    """The options that there are: cards in the order of hands, then all else."""
    place = {rules.pack.kinds[kind]: place for place, kind in enumerate(hand_orders(rules)[context].tolist())}
    found = np.flatnonzero(options).tolist()
    return sorted(found, key=lambda option: place.get(rules.schema.options[option], len(place)))


def legal_labels(rules: CompiledGame, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
    """The legal labels of states in JSON form, that of a choice its stage; or what is wrong with a state."""

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
    """Answers to states, plays and choices each at once."""
    answers: list[list[Any] | GameError] = [[] for _ in states]
    positions: dict[int, TablePosition] = {}
    for number, value in enumerate(states):
        try:
            positions[number] = read_state(rules, value)
        except GameError as problem:
            answers[number] = problem
    for choosing in (False, True):
        numbers = [number for number, each in positions.items() if (each.stage == CHOICE) == choosing]
        if numbers:
            for number, answer in zip(
                numbers,
                _evaluate_positions(rules, [positions[number] for number in numbers], of_plays, of_choices),
                strict=True,
            ):
                answers[number] = answer
    return answers


def _evaluate_positions(
    rules: CompiledGame, positions: Sequence[TablePosition], of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:  # fmt: skip
    """The answers of some positions of one stage, together; what is wrong where one has too many moves to list."""
    asked = _state_decisions(rules, positions)
    try:
        return [*(of_choices(asked) if isinstance(asked, Choices) else of_plays(asked))]
    except TableError as problem:
        half = len(positions) // 2
        parts = [positions[:half], positions[half:]] if half else []
        return [each for part in parts for each in _evaluate_positions(rules, part, of_plays, of_choices)] or [problem]


# --- out of records ---------------------------------------------------------------------------------------------------


def _record_decision_point(rules: CompiledGame, value: Mapping[str, Any], move: int | None) -> DecisionPoint:
    """The decision before an act; without a number the one that is to come."""
    record = read_record(rules, value)
    number = len(record.acts) + 1 if move is None else move
    tables = replay_to_acts(rules, [value], [number])
    decisions = _pending_decisions(tables)
    found = decision_point_at(rules, decisions)
    if number > len(record.acts):
        return found
    seat, act = record.acts[number - 1]
    if seat != tables.seat[0]:
        raise GameError(
            f"act {number}: seat {seat} acts where it is the turn of seat {tables.seat[0]}", ErrorCode.INVALID_RECORD
        )
    if isinstance(decisions, Choices):
        (option,) = find_options(decisions, [act])
        rows = np.flatnonzero(found.move_lists.cards[:, 0] == option) if not isinstance(option, GameError) else None
        return replace(found, chosen_move=_made_row(number, option, rows))
    lists, (row,) = find_plays(decisions, [act])
    if isinstance(row, GameError):
        return replace(found, chosen_move=_made_row(number, row, None))
    width = found.move_lists.cards.shape[1]
    same = (found.move_lists.form == lists.form[row]) & (found.move_lists.cards == lists.cards[row, :width]).all(axis=1)
    if row >= lists.start[-1]:  # of a play that is composed, one of its cards
        same = np.isin(found.move_lists.cards[:, 0], lists.cards[row])
    return replace(found, chosen_move=_made_row(number, row, np.flatnonzero(same)))


def _made_row(number: int, found: int | GameError, rows: NDArray[np.int64] | None) -> int:
    if rows is None:
        raise GameError(f"act {number}: {found}", ErrorCode.INVALID_RECORD)
    return int(rows[0])


def _pending_decisions(tables: Tables) -> Decisions | Choices:
    which = np.arange(1)
    return tables.decisions(which) if tables.rows_to_play().size else tables.choices(which)


def replay_to_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Tables:
    """A table for each record, where this act (from 1) is to be made; raises GameError where one is not legal."""
    read = [read_record(rules, record) for record in records]
    for record, number in zip(read, acts, strict=True):
        if type(number) is not int or not 1 <= number <= len(record.acts) + 1:
            raise GameError(f"there is no act {number}: the record has {len(record.acts)}", ErrorCode.INVALID_RECORD)
    again = Replayer(rules, read)
    again.tables.record_history()
    while not again.errors and again.step([number - 1 > again.n_acts_done for number in acts]):
        pass
    if again.errors:
        raise GameError(again.errors[min(again.errors)], ErrorCode.INVALID_RECORD)
    waiting = {*again.tables.rows_to_play().tolist(), *again.tables.rows_to_choose().tolist()}
    clock = again.tables.num_decisions
    over = [number for table, number in enumerate(acts) if table not in waiting or clock[table] < number - 1]
    if over:
        raise GameError(f"act {over[0]}: the episode is over", ErrorCode.INVALID_RECORD)
    return again.tables


def find_play_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """The numbers of the acts of records where something is played, and nothing chosen; none of a wrong record."""
    found: list[list[int]] = [[] for _ in records]
    read = {}
    for place, record in enumerate(records):
        try:
            read[place] = read_record(rules, record)
        except GameError:
            continue
    if not read:
        return found
    again, places = Replayer(rules, list(read.values())), list(read)
    going = True
    while going:
        playing, number = again.tables.rows_to_play().tolist(), again.n_acts_done + 1
        going = again.step([True] * len(places))
        for table in playing:
            if going and table not in again.errors:
                found[places[table]].append(number)
    for table in again.errors:
        found[places[table]] = []
    return found


def decisions_at_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Decisions:
    """The decisions of records before these acts, one a record; raises GameError, also where something is chosen."""
    tables = replay_to_acts(rules, records, acts)
    choosing = tables.rows_to_choose()
    if choosing.size:
        raise GameError(
            f"act {acts[int(choosing[0])]}: nothing is played there, something is chosen", ErrorCode.INVALID_RECORD
        )
    return tables.decisions(np.arange(len(tables)))


# --- of other rules ---------------------------------------------------------------------------------------------------


def convert_decisions(
    rules: CompiledGame, decisions: Decisions | Choices
) -> tuple[NDArray[np.bool_], Decisions | Choices]:
    """Convert decisions of other rules of the same game to these rules.

    Returns:
        Mask of the decisions that exist by these rules, and those decisions. Decisions with an unknown play to beat,
        stage or option are left out.
    """
    view, other = decisions.view, decisions.rules
    if (other.pack.kinds, other.seating.seats) != (rules.pack.kinds, rules.seating.seats):
        raise GameError(
            "these rules have another pack or other seats: their decisions cannot be compared",
            ErrorCode.UNSUPPORTED_GAME,
        )
    state = build_tables(rules, [TablePosition.empty(rules)] * len(view)).state
    theirs = view.state
    for name in _SHARED_STATE_FIELDS:
        getattr(state, name)[:] = getattr(theirs, name)[view.rows]
    if rules.trick_query is not None and other.trick_query is not None:
        state.trick_cards[:], state.is_composing[:] = theirs.trick_cards[view.rows], theirs.is_composing[view.rows]
    state.seat[:] = view.seats
    width = min(state.top_cards.shape[1], theirs.top_cards.shape[1])
    state.top_cards[:, :width] = theirs.top_cards[view.rows, :width]
    _convert_fluents(rules, other, theirs.fluents[view.rows], state.fluents)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    ours = [rules.forms.index.get(form.name, _NO_MATCH) for form in other.forms.forms]
    state.to_beat[:] = np.array([*ours, LEADING], np.int16)[view.to_beat]
    state.trick_forms[:] = np.array([*ours, -1], np.int16)[theirs.trick_forms[view.rows]]
    kept = state.to_beat != _NO_MATCH
    if isinstance(decisions, Choices):
        stages = {name: number for number, name in enumerate(rules.schema.stages)}
        here = np.array([*(stages.get(name, -1) for name in other.schema.stages), -1], np.int8)
        state.choice[:] = here[decisions.stage]
        kept &= state.choice >= 0
    found = PlayerView(rules, state, np.flatnonzero(kept), state.seat[kept], has_hand_sizes=False)
    if not isinstance(decisions, Choices):
        return kept, Decisions(found)
    choices = Choices(found)
    some = choices.options.any(axis=1)
    kept[kept] = some
    return kept, choices.select(np.flatnonzero(some))


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
"""State fields that do not depend on the rules beside pack and number of seats."""


def _convert_fluents(
    rules: CompiledGame, other: CompiledGame, theirs: NDArray[np.int16], ours: NDArray[np.int16]
) -> None:
    """Write what other rules remember into the slots [n, slots] of these; what these do not know is left out."""
    for fluent in rules.fluents.fluents:
        if fluent.signature not in other.fluents:
            continue
        source: Fluent = other.fluents[fluent.signature]
        if source.value_type != fluent.value_type:
            continue
        places = dict(zip(source.keys, source.slots, strict=True))
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            if key in places:
                values = theirs[:, places[key]]
                if fluent.value_type == SINGLE_VALUED:
                    numbers = {value: number for number, value in enumerate(fluent.values)}
                    here = np.array([*(numbers.get(value, -1) for value in source.values), -1], np.int16)
                    values = here[values]
                ours[:, slot] = values
