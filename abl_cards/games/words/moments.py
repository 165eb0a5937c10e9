"""Single decisions out of tables, states and records: what the seat that decides sees, and all that it may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError, TooManyAtOnce
from abl_cards.games.faults import TableError
from abl_cards.games.moment import Moment
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.state import CHOICE
from abl_cards.games.play.tables import Tables
from abl_cards.games.play.view import View
from abl_cards.games.reading.fluents import ONE, Fluent
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, MOST_SETS
from abl_cards.games.words.finding import find_options, find_plays
from abl_cards.games.words.inference import ending_plays
from abl_cards.games.words.needs import FIELDS, WORDS
from abl_cards.games.words.order import hand_orders
from abl_cards.games.words.plays import Action, actions, option_action
from abl_cards.games.words.positions import Position
from abl_cards.games.words.records import read_record
from abl_cards.games.words.replay import Again
from abl_cards.games.words.states import add_passes, read_state, stand, write_state
from abl_cards.games.words.whole import whole_plays

# --- out of decisions -------------------------------------------------------------------------------------------------


def look(rules: Rules, decisions: Decisions | Choices, row: int = 0) -> Moment:
    """One of some decisions or choices."""
    one = decisions.at(np.array([row]))
    lists = one.moves()
    if isinstance(one, Choices):
        stage = str(rules.words.stages[int(one.stage[0])])
        options = tuple(option_action(rules, int(cards[0]), stage) for cards in lists.cards)
        return Moment(one, lists, (stage,) * len(options), options, write_state(rules, one))
    plays = _actions(rules, one)
    labels = tuple(rules.label_texts[label] for label in one.labels_of(lists.form))
    return Moment(one, lists, labels, tuple(plays), write_state(rules, one))


def _actions(rules: Rules, decisions: Decisions) -> list[Action]:
    lists = decisions.moves()
    return actions(rules, lists.form, lists.cards, decisions.context[lists.decision])


# --- out of states ----------------------------------------------------------------------------------------------------


def moment(rules: Rules, value: Mapping[str, Any], move: int | None = None, explained: bool = False) -> Moment:
    """The decision of a state, or that of a record before an act (from 1), in JSON form; raises GameError.

    A state must give what legality reads; where it is to be explained, what the preferences read as well.
    """
    if isinstance(value, Mapping) and "hands" in value:
        return _of_record(rules, value, move)
    if move is not None:
        raise GameError("a state has no moves to choose from; --move goes with a record")
    position = read_state(rules, value, explained)
    if position.to_beat != LEADING:
        add_passes(rules, value, position)
    if rules.open_hands and value.get("face") is None:
        raise GameError(f'hands lie open: give "face" ({WORDS["face"]})')
    decisions = _asked(rules, [position], value.get("cards") is not None or value.get("face") is not None)
    found = look(rules, decisions)
    plays = bool((found.lists.form != rules.forms.passing).all())
    found.decision.view.ending_plays = partial(ending_plays, rules, value, position, plays)
    if not found.actions:
        nothing = "there is nothing to choose" if isinstance(decisions, Choices) else "no move is legal"
        raise GameError(f"{nothing} in this state")
    told = {name: each for name, each in value.items() if each is not None or name not in FIELDS}
    lying: dict[str, Any] = {"to_beat": None} if rules.taking is None else {"trick": []}
    return replace(found, state=lying | told)  # what it leaves open stays open


def _asked(rules: Rules, positions: Sequence[Position], at_table: bool = False) -> Decisions | Choices:
    """The decisions of states of one stage, away from a table where nobody knows how many cards the others hold."""
    state = stand(rules, positions).state
    view = View(rules, state, np.arange(len(positions)), state.seat, at_table)
    return Choices(view) if positions and positions[0].stage == CHOICE else Decisions(view)


def legal_moves(rules: Rules, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """The complete lists of legal moves of states in JSON form, or what is wrong with a state.

    Raises TooManyAtOnce where several states have so many that their JSON would not fit in memory.
    """
    count = 0

    def of_plays(decisions: Decisions) -> list[list[Any]]:
        nonlocal count
        start = decisions.moves().start
        count += int(start[-1])
        _require_few(count, len(states))
        found = [each.to_json() for each in _actions(rules, decisions)]
        return [found[first:last] for first, last in pairwise(start)]

    def of_choices(choices: Choices) -> list[list[Any]]:
        stages = [str(rules.words.stages[stage]) for stage in choices.stage]
        return [
            [option_action(rules, option, stage).to_json() for option in _written(rules, row, int(context))]
            for stage, row, context in zip(stages, choices.options, choices.view.context, strict=True)
        ]

    return _each(rules, states, of_plays, of_choices)


def whole_moves(rules: Rules, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
    """The same with plays that are laid card by card as a whole; what is wrong, too, where there are too many."""
    answers, count = legal_moves(rules, states), 0
    for number, value in enumerate(states):
        if rules.composing and not isinstance(answers[number], GameError):
            decisions = _asked(rules, [read_state(rules, value)])
            if isinstance(decisions, Decisions):
                answers[number] = plays = _whole(rules, decisions)
                count += 0 if isinstance(plays, GameError) else len(plays)
                _require_few(count, len(states))
    return answers


def _require_few(moves: int, states: int) -> None:
    """Raise TooManyAtOnce for more moves of several states than are held as JSON at once."""
    if states > 1 and moves > MOST_SETS:
        raise TooManyAtOnce(f"{moves:,} moves of {states} states are too many at once: ask for fewer states")


def _whole(rules: Rules, decisions: Decisions) -> list[Any] | GameError:
    try:
        moves = whole_plays(decisions, 0)
    except GameError as problem:
        return problem
    contexts = np.repeat(decisions.context, len(moves.form))
    return [each.to_json() for each in actions(rules, moves.form, moves.cards, contexts)]


def _written(rules: Rules, options: NDArray[np.uint8], context: int) -> list[int]:
    """The options that there are: cards in the order of hands, then all else."""
    place = {rules.pack.kinds[kind]: place for place, kind in enumerate(hand_orders(rules)[context].tolist())}
    found = np.flatnonzero(options).tolist()
    return sorted(found, key=lambda option: place.get(rules.words.options[option], len(place)))


def legal_labels(rules: Rules, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
    """The legal labels of states in JSON form, that of a choice its stage; or what is wrong with a state."""

    def of_plays(decisions: Decisions) -> list[list[str]]:
        return [[rules.label_texts[label] for label in np.flatnonzero(column)] for column in decisions.legal.T]

    def of_choices(choices: Choices) -> list[list[str]]:
        stages = [str(stage) for stage in rules.words.stages]
        return [[stages[stage]] if row.any() else [] for stage, row in zip(choices.stage, choices.options, strict=True)]

    return _each(rules, states, of_plays, of_choices)


def _each(
    rules: Rules,
    states: Sequence[Mapping[str, Any]],
    of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:
    """Answers to states, plays and choices each at once."""
    answers: list[list[Any] | GameError] = [[] for _ in states]
    positions: dict[int, Position] = {}
    for number, value in enumerate(states):
        try:
            positions[number] = read_state(rules, value)
        except GameError as problem:
            answers[number] = problem
    for choosing in (False, True):
        numbers = [number for number, each in positions.items() if (each.stage == CHOICE) == choosing]
        if numbers:
            for number, answer in zip(
                numbers, _answered(rules, [positions[number] for number in numbers], of_plays, of_choices), strict=True
            ):
                answers[number] = answer
    return answers


def _answered(
    rules: Rules, positions: Sequence[Position], of_plays: Callable[[Decisions], list[list[Any]]],
    of_choices: Callable[[Choices], list[list[Any]]],
) -> list[list[Any] | GameError]:  # fmt: skip
    """The answers of some positions of one stage, together; what is wrong where one has too many moves to list."""
    asked = _asked(rules, positions)
    try:
        return [*(of_choices(asked) if isinstance(asked, Choices) else of_plays(asked))]
    except TableError as problem:
        half = len(positions) // 2
        parts = [positions[:half], positions[half:]] if half else []
        return [each for part in parts for each in _answered(rules, part, of_plays, of_choices)] or [problem]


# --- out of records ---------------------------------------------------------------------------------------------------


def _of_record(rules: Rules, value: Mapping[str, Any], move: int | None) -> Moment:
    """The decision before an act; without a number the one that is to come."""
    record = read_record(rules, value)
    number = len(record.acts) + 1 if move is None else move
    tables = tell(rules, [value], [number])
    decisions = _waiting(tables)
    found = look(rules, decisions)
    if number > len(record.acts):
        return found
    seat, act = record.acts[number - 1]
    if seat != tables.seat[0]:
        raise GameError(f"act {number}: seat {seat} acts where it is the turn of seat {tables.seat[0]}")
    if isinstance(decisions, Choices):
        (option,) = find_options(decisions, [act])
        rows = np.flatnonzero(found.lists.cards[:, 0] == option) if not isinstance(option, GameError) else None
        return replace(found, made=_made(number, option, rows))
    lists, (row,) = find_plays(decisions, [act])
    if isinstance(row, GameError):
        return replace(found, made=_made(number, row, None))
    width = found.lists.cards.shape[1]
    same = (found.lists.form == lists.form[row]) & (found.lists.cards == lists.cards[row, :width]).all(axis=1)
    if row >= lists.start[-1]:  # of a play that is composed, one of its cards
        same = np.isin(found.lists.cards[:, 0], lists.cards[row])
    return replace(found, made=_made(number, row, np.flatnonzero(same)))


def _made(number: int, found: int | GameError, rows: NDArray[np.int64] | None) -> int:
    if rows is None:
        raise GameError(f"act {number}: {found}")
    return int(rows[0])


def _waiting(tables: Tables) -> Decisions | Choices:
    which = np.arange(1)
    return tables.decisions(which) if tables.playing().size else tables.choices(which)


def tell(rules: Rules, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Tables:
    """A table for each record, where this act (from 1) is to be made; raises GameError where one is not legal."""
    read = [read_record(rules, record) for record in records]
    for record, number in zip(read, moves, strict=True):
        if type(number) is not int or not 1 <= number <= len(record.acts) + 1:
            raise GameError(f"there is no act {number}: the record has {len(record.acts)}")
    again = Again(rules, read)
    again.tables.remember()
    while not again.wrong and again.step([number - 1 > again.done for number in moves]):
        pass
    if again.wrong:
        raise GameError(again.wrong[min(again.wrong)])
    waiting = {*again.tables.playing().tolist(), *again.tables.choosing().tolist()}
    clock = again.tables.clock
    over = [number for table, number in enumerate(moves) if table not in waiting or clock[table] < number - 1]
    if over:
        raise GameError(f"act {over[0]}: the episode is over")
    return again.tables


def plays_of(rules: Rules, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
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
    again, places = Again(rules, list(read.values())), list(read)
    going = True
    while going:
        playing, number = again.tables.playing().tolist(), again.done + 1
        going = again.step([True] * len(places))
        for table in playing:
            if going and table not in again.wrong:
                found[places[table]].append(number)
    for table in again.wrong:
        found[places[table]] = []
    return found


def recorded(rules: Rules, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
    """The decisions of records before these acts, one a record; raises GameError, also where something is chosen."""
    tables = tell(rules, records, moves)
    choosing = tables.choosing()
    if choosing.size:
        raise GameError(f"act {moves[int(choosing[0])]}: nothing is played there, something is chosen")
    return tables.decisions(np.arange(len(tables)))


# --- of other rules ---------------------------------------------------------------------------------------------------


def adopt(rules: Rules, decisions: Decisions | Choices) -> tuple[NDArray[np.bool_], Decisions | Choices]:
    """Decisions or choices of other rules of the same game by these: which of them there are here, and those.

    What cannot come up here is left out: a play to beat that there is not, a stage or an option that is not asked.
    """
    view, other = decisions.view, decisions.rules
    if (other.pack.kinds, other.table.seats) != (rules.pack.kinds, rules.table.seats):
        raise GameError("these rules have another pack or other seats: their decisions cannot be compared")
    state = stand(rules, [Position.empty(rules)] * len(view)).state
    theirs = view.state
    for name in _ALIKE:
        getattr(state, name)[:] = getattr(theirs, name)[view.which]
    if rules.taking is not None and other.taking is not None:
        state.lies[:], state.picking[:] = theirs.lies[view.which], theirs.picking[view.which]
    state.seat[:] = view.seats
    width = min(state.top_cards.shape[1], theirs.top_cards.shape[1])
    state.top_cards[:, :width] = theirs.top_cards[view.which, :width]
    _adopt_fluents(rules, other, theirs.fluents[view.which], state.fluents)
    state.context[:] = rules.contexts.of(state.fluents)
    ours = [rules.forms.number.get(form.name, _NOWHERE) for form in other.forms.forms]
    state.to_beat[:] = np.array([*ours, LEADING], np.int16)[view.to_beat]
    state.lies_form[:] = np.array([*ours, -1], np.int16)[theirs.lies_form[view.which]]
    kept = state.to_beat != _NOWHERE
    if isinstance(decisions, Choices):
        stages = {name: number for number, name in enumerate(rules.words.stages)}
        here = np.array([*(stages.get(name, -1) for name in other.words.stages), -1], np.int8)
        state.choice[:] = here[decisions.stage]
        kept &= state.choice >= 0
    found = View(rules, state, np.flatnonzero(kept), state.seat[kept], at_table=False)
    if not isinstance(decisions, Choices):
        return kept, Decisions(found)
    choices = Choices(found)
    some = choices.options.any(axis=1)
    kept[kept] = some
    return kept, choices.at(np.flatnonzero(some))


_NOWHERE = -9
_ALIKE = (
    "hands",
    "aside",
    "played",
    "seat",
    "owner",
    "acted",
    "passed",
    "gone_by",
    "out",
    "order",
    "acts",
    "stage",
    "leader",
)
"""What is the same under all rules of a pack and a number of seats."""


def _adopt_fluents(rules: Rules, other: Rules, theirs: NDArray[np.int16], ours: NDArray[np.int16]) -> None:
    """Write what other rules remember into the slots [n, slots] of these; what these do not know is left out."""
    for fluent in rules.fluents.fluents:
        if fluent.signature not in other.fluents:
            continue
        source: Fluent = other.fluents[fluent.signature]
        if source.manner != fluent.manner:
            continue
        places = dict(zip(source.keys, source.slots, strict=True))
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            if key in places:
                values = theirs[:, places[key]]
                if fluent.manner == ONE:
                    numbers = {value: number for number, value in enumerate(fluent.values)}
                    here = np.array([*(numbers.get(value, -1) for value in source.values), -1], np.int16)
                    values = here[values]
                ours[:, slot] = values
