"""What happens between plays: fluents change at events, somebody is asked to choose, an episode is scored.

Each of these is a question to circuits, asked for the tables concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.core import pause_gc
from abl_cards.games.binding import (
    CircuitQuery,
    ColumnWriter,
    HandCardCounts,
    TabulatedQuery,
    TrickCardCounts,
    make_gather_writer,
    make_lazy_writer,
)
from abl_cards.games.compiled import (
    CompiledGame,
    cache_per_game,
    encode_turn_entries,
    join_names,
    raise_where,
    source_hint,
)
from abl_cards.games.description import EVENTS, require_int
from abl_cards.games.state import ASKS, DRAWS, LEADS, NO_SEAT, REDEAL, TableState, add_points, decode_control
from abl_cards.games.tables import stock
from abl_cards.games.tables.fluent_updates import SHOWN_EVENT, EventUpdate, slot_and_value
from abl_cards.games.tables.view import act_column, trick_count_columns
from abl_cards.games.types import DRAW, LEADING, Indices


class NextStep(NamedTuple):
    """What comes next between plays."""

    redeal: NDArray[np.bool_]  # [n] the cards are dealt again
    stage: NDArray[np.int8]  # [n] the choice that is asked for, or -1
    seat: NDArray[np.int8]  # [n] who is asked
    leader: NDArray[np.int8]  # [n] who leads the play
    drawer: NDArray[np.int8]  # [n] who draws a card before all that, or NO_SEAT

    def select(self, mask: NDArray[np.bool_]) -> NextStep:
        """What comes next at some of these tables."""
        again, *seats = self
        return NextStep(again[mask], *(each[mask] for each in seats))


@dataclass(frozen=True)
class EventRules:
    """The questions of a game."""

    rules: CompiledGame
    lot_sizes: tuple[int, ...]  # how many sides each random number has
    updates: Mapping[str, EventUpdate]  # by event, where anything changes
    control_query: TabulatedQuery  # who is asked, and who leads
    end_query: CircuitQuery | None  # points/3, and what ends a match
    initial_fluents: tuple[tuple[int, int], ...]  # slots and values when a match begins
    role_query: TabulatedQuery | None  # role/2, side/2

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""
        outputs = self.role_query.query.circuit.outputs if self.role_query else ()
        return tuple(dict.fromkeys(str(args[1]) for name, args in outputs if name == "role")) or ("player",)

    @property
    def defines_sides(self) -> bool:
        """Whether the rules say who plays with whom, and not the teams alone."""
        return self.role_query is not None and any(name == "side" for name, _ in self.role_query.query.circuit.outputs)

    @classmethod
    def from_rules(cls, rules: CompiledGame) -> EventRules:
        """Compile them; raises KBError."""
        return _compile_event_rules(rules)

    # --- asking ------------------------------------------------------------------------------------------------------

    def column_writers(self, state: TableState, rows: Indices, event: str | None = None) -> dict[str, ColumnWriter]:
        """What fills the groups of columns that everybody, or the referee, may be told."""
        rules = self.rules
        contexts = cache(lambda: rules.contexts.compute_index_at(state.fluents, rows))
        return {
            "hands": HandCardCounts(rules.cells, lambda: state.hands, rows, contexts),
            "lies": TrickCardCounts(rules.cells, state.trick_cards, rows, contexts),
            "laying": trick_count_columns(state.trick_cards, rows),
            "leader": make_lazy_writer(lambda _: state.leader[rows]),
            "aside": HandCardCounts(rules.cells, lambda: state.aside[:, None], rows, contexts),
            "plays": make_lazy_writer(lambda seat: state.num_plays[rows, seat]),
            "fluents": make_gather_writer(state.fluents, rows),
            "act": make_lazy_writer(lambda column: act_column(state, rows, column)),
            "move": make_lazy_writer(
                lambda column: rules.forms.label_of[state.last_form[rows]] if column else state.last_form[rows]
            ),
            "result": make_lazy_writer(lambda column: self._result_column(state, rows, column)),
            "lots": make_lazy_writer(lambda lot: state.lots[rows, lot]),
            "acts": make_lazy_writer(lambda _: state.num_acts[rows]),
            "stock": make_lazy_writer(lambda _: stock.cards_in_stock(rules, state, rows)),
            "drew": make_lazy_writer(lambda _: state.last_drawer[rows]),
            "drawn": make_lazy_writer(lambda _: stock.card_drawn(state, rows)),
            "left_over": make_lazy_writer(lambda place: stock.leftover_card(rules, state, rows, place)),
            "event": make_lazy_writer(lambda column: _event_column(state, rows, event, column)),
        }

    def _result_column(self, state: TableState, rows: Indices, column: int) -> NDArray[np.integer]:
        seats = self.rules.seating.seats
        if column < seats:
            return state.finish_order[rows, column]
        return state.hands[rows, column - seats].sum(axis=1)

    def init_fluents(self, state: TableState, rows: Indices) -> None:
        """A match begins."""
        for slot, value in self.initial_fluents:
            state.fluents[rows, slot] = value

    def apply_event(self, event: str, state: TableState, rows: Indices) -> None:
        """Something has happened at some tables."""
        change = self.updates.get(event)
        if change is not None and rows.size:
            answers = change.query.evaluate(len(rows), self.column_writers(state, rows, event))
            change.apply(answers, state, rows)

    def apply_acts(self, state: TableState, table_rows: Indices) -> None:
        """Seats have played or passed."""
        if self.updates.keys() & {"play", "pass"}:
            laid = state.last_form[table_rows]
            passed = laid == self.rules.forms.pass_form
            for event, there in (("play", ~passed), ("pass", passed)):
                change = self.updates.get(event)
                if change is not None:
                    rows = table_rows[there & change.form_matters[laid]]
                    if change.known_outputs is None:
                        self.apply_event(event, state, rows)
                    elif rows.size:
                        change.apply_known(state, rows)

    def apply_trick_end(self, state: TableState, rows: Indices) -> None:
        """What comes of plays is told; some have ended a trick."""
        if "trick" in self.updates:
            self.apply_event("trick", state, rows[state.to_beat[rows] == LEADING])
        if self._plays_change_context:
            state.context[rows] = self.rules.contexts.compute_index_at(state.fluents, rows)

    def turn_entries(self, state: TableState, rows: Indices) -> NDArray[np.uint8]:
        """[n] what the rules say of the turn after what acts have changed, as in TurnTable.entries."""
        course = self.rules.turn_query
        assert course is not None
        return encode_turn_entries(course.circuit, course.evaluate(len(rows), self.column_writers(state, rows)))

    @cached_property
    def _plays_change_context(self) -> bool:
        """Whether what comes of a play can be another context: in most games that stays from deal to deal."""
        changes = [self.updates[event] for event in ("play", "pass", "trick", SHOWN_EVENT) if event in self.updates]
        return any(change.changes_slots(self.rules.contexts.slots) for change in changes)

    def next_step(self, state: TableState, rows: Indices) -> NextStep:
        """What comes next at some tables."""
        answers = self.control_query.evaluate(state.fluents, rows, self.column_writers(state, rows))
        again, stage, seat, leader, drawer, askings, leaders, drawers = decode_control(answers, self._control_outputs)
        asked, drawing = stage >= 0, drawers > 0
        wrong = ((leaders != 1) & ~drawing & ~asked | (askings > 1) | (drawers > 1) & ~asked) & ~again
        raise_where(wrong, rows, lambda row: self._ambiguous_step_text(answers[:, row]))
        drawer[again | asked] = NO_SEAT
        return NextStep(again, stage, seat, leader, drawer)

    def _ambiguous_step_text(self, answers: NDArray[np.uint8]) -> str:
        """What is wrong where several are asked, or several lead, or nobody."""
        outputs, kb = self.control_query.query.circuit.outputs, self.rules.kb
        there = [atom for atom, truth in zip(outputs, answers, strict=True) if truth]
        asked = [f"seat {atom.args[1]} for {atom.args[0]}" for atom in there if atom.name == "asks"]
        if asked:
            return f"who is to choose is not clear: `asks/2` names {join_names(asked)}{source_hint(kb, 'asks/2')}"
        drawing = [f"seat {atom.args[0]}" for atom in there if atom.name == "draws"]
        if drawing:
            return f"who is to draw is not clear: `draws/1` names {join_names(drawing)}{source_hint(kb, 'draws/1')}"
        leading = [f"seat {atom.args[0]}" for atom in there if atom.name == "leads"]
        names = f"{join_names(leading)}{source_hint(kb, 'leads/1')}"
        return f"who leads is not clear: `leads/1` must name one seat, and names {names}"

    @cached_property
    def _control_outputs(self) -> NDArray[np.int64]:
        """[outputs, 3] what each output of the question who is asked says."""
        stages = self.rules.schema.stages
        found = []
        for name, args in self.control_query.query.circuit.outputs:
            if name == "deal_again":
                found.append((REDEAL, 0, 0))
            elif name == "asks":
                found.append((ASKS, stages.index(args[0]), int(args[1])))
            elif name == "draws":
                found.append((DRAWS, 0, int(args[0])))
            else:
                found.append((LEADS, 0, int(args[0])))
        return np.array(found, np.int64).reshape(-1, 3)

    def roles_at(self, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat, by number; of several the last one, the first where there is none."""
        return self._role_values("role", state, rows)

    def sides_at(self, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """[n, seats] the side of each seat: its team, where the rules say nothing else."""
        return self._role_values("side", state, rows)

    def _role_values(self, predicate: str, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """[n, seats] what the outputs of a name say of the seats."""
        seats = self.rules.seating.seats
        nothing = np.array(self.rules.seating.teams if predicate == "side" else (0,) * seats, np.int8)
        if self.role_query is None or all(predicate != each for each, _ in self.role_query.query.circuit.outputs):
            return np.tile(nothing, (len(rows), 1))
        if self.role_query.contexts is not None and self.role_query.answers is not None:
            if predicate not in self._role_cache:
                self._role_cache[predicate] = self._role_values_of(predicate, self.role_query.answers, nothing)
            return self._role_cache[predicate][self.role_query.contexts.compute_index_at(state.fluents, rows)]
        answers = self.role_query.evaluate(state.fluents, rows, self.column_writers(state, rows, "end"))
        return self._role_values_of(predicate, answers, nothing)

    @cached_property
    def _role_cache(self) -> dict[str, NDArray[np.int8]]:
        """[contexts, seats] by the name of outputs, where few fluents decide them."""
        return {}

    def _role_values_of(
        self, predicate: str, answers: NDArray[np.uint8], default: NDArray[np.int8]
    ) -> NDArray[np.int8]:
        """[n, seats] what answers [outputs, n] say of the seats."""
        assert self.role_query is not None
        found = np.tile(default, (answers.shape[1], 1))
        for (each, args), truth in zip(self.role_query.query.circuit.outputs, answers, strict=True):
            if each == predicate:
                value = (
                    self.roles.index(str(args[1]))
                    if predicate == "role"
                    else require_int(args[1], f"side({args[0]},…)")
                )
                found[truth == 1, int(args[0])] = value
        return found

    def score_episodes(
        self, state: TableState, rows: Indices
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int8]]:
        """[n, seats] the points of episodes that are over, [n] whether the match is, and who has won it.

        That is a team, DRAW, or -1 where points decide.
        """
        n = len(rows)
        points, winner = np.zeros((n, self.rules.seating.seats), np.int32), np.full(n, -1, np.int8)
        if self.end_query is None:
            return points, np.ones(n, np.bool_), winner
        answers = self.end_query.evaluate(n, self.column_writers(state, rows, "end"))
        add_points(answers, self._point_outputs, points)
        over = np.zeros(n, np.bool_)
        for row, (name, args) in enumerate(self.end_query.circuit.outputs):
            if name != "points":
                truth = answers[row] == 1
                over |= truth
                if name == "won":
                    winner[truth] = int(args[0])
                elif name == "drawn":
                    winner[truth] = DRAW
        return points, over if self._match_ends else ~over, winner

    @cached_property
    def _match_ends(self) -> bool:
        """Whether the rules say when a match is over; else it is over with the episode."""
        return any(name != "points" for name, _ in self.end_query.circuit.outputs) if self.end_query else False

    @cached_property
    def _point_outputs(self) -> NDArray[np.int32]:
        """[outputs of points/3, 3] the number of the output, the seat that it is about, and the points."""
        outputs = self.end_query.circuit.outputs if self.end_query else ()
        said = [
            (row, int(args[0]), require_int(args[1], f"points({args[0]},{args[1]},…)"))
            for row, (name, args) in enumerate(outputs)
            if name == "points"
        ]
        return np.array(said, np.int32).reshape(-1, 3)


def _event_column(state: TableState, rows: Indices, event: str | None, column: int) -> NDArray[np.integer]:
    """What happens, what is asked for, what was chosen, and whose turn it is."""
    if column == 0:
        return np.full(len(rows), EVENTS.index(event) if event else -1)
    field: NDArray[np.integer] = (state.choice, state.chosen, state.seat)[column - 1]
    return field[rows]


def check_initial_fluents(rules: CompiledGame) -> None:
    """Raise KBError where a match would begin in no way, or in several."""
    _initial_fluents(rules)


@cache_per_game
@pause_gc()
def _compile_event_rules(rules: CompiledGame) -> EventRules:
    lots = tuple(require_int(sides, f"lot({name},…)") for name, sides in rules.kb.facts("lots", 2))
    asked = rules.build_query("deal_again/0", "asks/2", "draws/1", "leads/1")
    if asked is None:
        raise make_kb_error(
            "no rule derives leads/1", "say who leads the first trick: leads(0), or leads(S) :- holds(S,…)"
        )
    changes = {event: change for event in EVENTS if (change := EventUpdate.from_rules(rules, event))}
    parts = rules.build_query("role/2", "side/2")
    return EventRules(
        rules, lots, changes, TabulatedQuery.from_query(asked, rules.fluents),
        rules.build_query("points/3", "won/1", "drawn/0", "match_over/0"), _initial_fluents(rules),
        TabulatedQuery.from_query(parts, rules.fluents) if parts else None,
    )  # fmt: skip


def _initial_fluents(rules: CompiledGame) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for (text,) in rules.kb.facts("init", 1):
        slot, value = slot_and_value(rules, text, "init")
        if found.setdefault(slot, value) != value:
            raise make_kb_error(f"init({text}): a match begins with another value as well", "keep one of them")
    return tuple(found.items())
