"""The course of play by the rules: fluent updates at events, choices to make, the next seat, and scores.

Each is a circuit query for the tables concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode, pause_gc
from abl_cards.games.binding import (
    CircuitQuery,
    HandCardCounts,
    TabulatedQuery,
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
from abl_cards.games.description import EVENTS, GROUPS, ColumnWriter, require_int
from abl_cards.games.state import ASKS, DRAWS, LEADS, NO_SEAT, REDEAL, TableState, add_points, decode_control
from abl_cards.games.tables.fluent_updates import SHOWN_EVENT, EventUpdate
from abl_cards.games.tables.initial_fluents import list_initial_fluents
from abl_cards.games.tables.results import decide_matches
from abl_cards.games.tables.view import ColumnSource
from abl_cards.games.types import LEADING, Indices


class NextStep(NamedTuple):
    """Next step at n tables between plays."""

    redeal: NDArray[np.bool_]  # [n] the cards are dealt again
    stage: NDArray[np.int8]  # [n] kind of the next choice, or -1
    seat: NDArray[np.int8]  # [n] seat that chooses
    leader: NDArray[np.int8]  # [n] seat that leads the first trick
    drawer: NDArray[np.int8]  # [n] seat that draws a card first, or NO_SEAT

    def select(self, mask: NDArray[np.bool_]) -> NextStep:
        """Return the steps of the tables where ``mask`` [n] holds."""
        redeal, *seats = self
        return NextStep(redeal[mask], *(column[mask] for column in seats))


class _RefereeView(ColumnSource):
    """Tables as the referee sees them."""

    def __init__(self, rules: CompiledGame, state: TableState, rows: Indices) -> None:
        """Make a view of tables rows [n]."""
        self.rules, self.state, self.rows = rules, state, rows

    @cached_property
    def _context(self) -> NDArray[np.integer]:
        return self.rules.contexts.compute_index_at(self.state.fluents, self.rows)

    def get_context(self) -> NDArray[np.integer]:
        """Return the order context of each table [n], from the present fluents."""
        return self._context

    def cells(self, cards: Callable[[], NDArray[np.uint8]]) -> ColumnWriter:
        """Return a writer of the number of cards [tables, blocks, kinds] that act as each cell."""
        return HandCardCounts(self.rules.cells, cards, self.rows, self.get_context)

    def fluent_values(self) -> ColumnWriter:
        """Return a writer of all fluents."""
        return make_gather_writer(self.state.fluents, self.rows)


@dataclass(frozen=True)
class EventRules:
    """Circuit queries for the course of play of a game."""

    rules: CompiledGame
    lot_sizes: tuple[int, ...]  # number of values of each random number (lot/2)
    updates: Mapping[str, EventUpdate]  # by event; events without effect are absent
    control_query: TabulatedQuery  # deal_again/0, asks/2, draws/1, leads/1
    end_query: CircuitQuery | None  # points/3, won/1, drawn/0, match_over/0
    initial_fluents: tuple[tuple[int, int], ...]  # slots and values at the start of a match (init/1)
    role_query: TabulatedQuery | None  # role/2, side/2

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of seats (role/2), ``("player",)`` if the rules have none."""
        outputs = self.role_query.query.circuit.outputs if self.role_query else ()
        return tuple(dict.fromkeys(str(args[1]) for name, args in outputs if name == "role")) or ("player",)

    @property
    def defines_sides(self) -> bool:
        """True if the rules derive ``side/2``, so that sides are not the fixed teams."""
        return self.role_query is not None and any(name == "side" for name, _ in self.role_query.query.circuit.outputs)

    @classmethod
    def from_rules(cls, rules: CompiledGame) -> EventRules:
        """Compile the queries of a game, once.

        Args:
            rules: Compiled rules.

        Returns:
            The queries.

        Raises:
            KBError: If ``leads/1`` is missing, or a rule names an unknown fluent, seat, card or count.
        """
        return _compile_event_rules(rules)

    # --- queries -----------------------------------------------------------------------------------------------------

    def column_writers(self, state: TableState, rows: Indices, event: str | None = None) -> dict[str, ColumnWriter]:
        """Return writers of circuit inputs from full information, by input group.

        Args:
            state: State of all tables.
            rows: int64 [n], tables.
            event: Event that happens, None for none.

        Returns:
            Writers of n columns.
        """
        view, forms = _RefereeView(self.rules, state, rows), self.rules.forms
        return {name: group.referee(view) for name, group in GROUPS.items() if group.referee} | {
            "move": make_lazy_writer(
                lambda column: forms.label_of[state.last_form[rows]] if column else state.last_form[rows]
            ),
            "event": make_lazy_writer(lambda column: _event_column(state, rows, event, column)),
        }

    def init_fluents(self, state: TableState, rows: Indices) -> None:
        """Set the fluents of ``init/1`` where a match begins.

        Args:
            state: State of all tables; changed in place.
            rows: int64 [n], tables.
        """
        for slot, value in self.initial_fluents:
            state.fluents[rows, slot] = value

    def apply_event(self, event: str, state: TableState, rows: Indices) -> None:
        """Apply the updates of an event at some tables.

        Args:
            event: Name of the event: deal, choice, play, pass, ....
            state: State of all tables; changed in place.
            rows: int64 [n], tables where the event happens.

        Raises:
            TableError: If a fluent would get two values, or a card would be moved that is not there.
        """
        update = self.updates.get(event)
        if update is not None and rows.size:
            outputs = update.query.evaluate(len(rows), self.column_writers(state, rows, event))
            update.apply(outputs, state, rows)

    def apply_acts(self, state: TableState, table_rows: Indices) -> None:
        """Apply the updates of the events ``play`` and ``pass``.

        Args:
            state: State of all tables; changed in place.
            table_rows: int64 [n], tables where a seat has acted.

        Raises:
            TableError: If a fluent would get two values, or a card would be moved that is not there.
        """
        if self.updates.keys() & {"play", "pass"}:
            forms = state.last_form[table_rows]
            passed = forms == self.rules.forms.pass_form
            for event, has_event in (("play", ~passed), ("pass", passed)):
                update = self.updates.get(event)
                if update is not None:
                    rows = table_rows[has_event & update.form_matters[forms]]
                    if update.known_outputs is None:
                        self.apply_event(event, state, rows)
                    elif rows.size:
                        update.apply_known(state, rows)

    def apply_trick_end(self, state: TableState, rows: Indices) -> None:
        """Apply the updates of the event ``trick`` where an act has ended one, and update order contexts.

        Args:
            state: State of all tables; changed in place.
            rows: int64 [n], tables where a seat has acted.

        Raises:
            TableError: If a fluent would get two values, or a card would be moved that is not there.
        """
        if "trick" in self.updates:
            self.apply_event("trick", state, rows[state.to_beat[rows] == LEADING])
        if self._plays_change_context:
            state.context[rows] = self.rules.contexts.compute_index_at(state.fluents, rows)

    def turn_entries(self, state: TableState, rows: Indices) -> NDArray[np.uint8]:
        """Evaluate the turn rules after the updates of an act.

        Args:
            state: State of all tables.
            rows: int64 [n], tables.

        Returns:
            uint8 [n], encoded as ``TurnTable.entries``.
        """
        query = self.rules.turn_query
        assert query is not None
        return encode_turn_entries(query.circuit, query.evaluate(len(rows), self.column_writers(state, rows)))

    @cached_property
    def _plays_change_context(self) -> bool:
        """True if a play can change the order context, which in most games is constant during an episode."""
        updates = [self.updates[event] for event in ("play", "pass", "trick", SHOWN_EVENT) if event in self.updates]
        return any(update.changes_slots(self.rules.contexts.slots) for update in updates)

    def next_step(self, state: TableState, rows: Indices) -> NextStep:
        """Determine the next step at some tables; once a seat has acted the owner of the trick leads on.

        Args:
            state: State of all tables.
            rows: int64 [n], tables between plays.

        Returns:
            n steps.

        Raises:
            TableError: If the rules name no or several seats to lead, or several to choose or draw.
        """
        outputs = self.control_query.evaluate(state.fluents, rows, self.column_writers(state, rows))
        redeal, stage, seat, leader, drawer, num_choosers, num_leaders, num_drawers = decode_control(
            outputs, self._control_outputs
        )
        is_choosing, has_begun = stage >= 0, state.num_acts[rows] > 0
        leader[has_begun], num_leaders[has_begun], redeal[has_begun] = state.owner[rows][has_begun], 1, False
        is_unclear = (num_drawers > 1) | (num_drawers == 0) & (num_leaders != 1)
        is_ambiguous = ((num_choosers > 1) | ~is_choosing & is_unclear) & ~redeal
        raise_where(is_ambiguous, rows, lambda row: self._ambiguous_step_text(outputs[:, row]))
        drawer[redeal | is_choosing] = NO_SEAT
        return NextStep(redeal, stage, seat, leader, drawer)

    def _ambiguous_step_text(self, values: NDArray[np.uint8]) -> str:
        """Describe the outputs [outputs] of a table where the next step is ambiguous."""
        outputs, kb = self.control_query.query.circuit.outputs, self.rules.kb
        atoms = [atom for atom, truth in zip(outputs, values, strict=True) if truth]
        choosing = [f"seat {atom.args[1]} for {atom.args[0]}" for atom in atoms if atom.name == "asks"]
        if choosing:
            return f"who is to choose is not clear: `asks/2` names {join_names(choosing)}{source_hint(kb, 'asks/2')}"
        drawing = [f"seat {atom.args[0]}" for atom in atoms if atom.name == "draws"]
        if drawing:
            return f"who is to draw is not clear: `draws/1` names {join_names(drawing)}{source_hint(kb, 'draws/1')}"
        leading = [f"seat {atom.args[0]}" for atom in atoms if atom.name == "leads"]
        names = f"{join_names(leading)}{source_hint(kb, 'leads/1')}"
        return f"who leads is not clear: `leads/1` must name one seat, and names {names}"

    @cached_property
    def _control_outputs(self) -> NDArray[np.int64]:
        """Type, stage and seat of each output of ``control_query``, int64 [outputs, 3]."""
        stages = self.rules.schema.stages
        rows = []
        for name, args in self.control_query.query.circuit.outputs:
            if name == "deal_again":
                rows.append((REDEAL, 0, 0))
            elif name == "asks":
                rows.append((ASKS, stages.index(args[0]), int(args[1])))
            elif name == "draws":
                rows.append((DRAWS, 0, int(args[0])))
            else:
                rows.append((LEADS, 0, int(args[0])))
        return np.array(rows, np.int64).reshape(-1, 3)

    def roles_at(self, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """Return the role of each seat.

        Args:
            state: State of all tables.
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], index of ``roles``: the last of several, 0 if a seat has none.
        """
        return self._role_values("role", state, rows)

    def sides_at(self, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """Return the side of each seat.

        Args:
            state: State of all tables.
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], ``side/2`` of the seat, else its team.
        """
        return self._role_values("side", state, rows)

    def _role_values(self, predicate: str, state: TableState, rows: Indices) -> NDArray[np.int8]:
        """Return the value that outputs with a name give each seat [n, seats]."""
        seats = self.rules.seating.seats
        default = np.array(self.rules.seating.teams if predicate == "side" else (0,) * seats, np.int8)
        if self.role_query is None or all(predicate != name for name, _ in self.role_query.query.circuit.outputs):
            return np.tile(default, (len(rows), 1))
        if self.role_query.contexts is not None and self.role_query.answers is not None:
            if predicate not in self._role_cache:
                self._role_cache[predicate] = self._role_values_of(predicate, self.role_query.answers, default)
            return self._role_cache[predicate][self.role_query.contexts.compute_index_at(state.fluents, rows)]
        outputs = self.role_query.evaluate(state.fluents, rows, self.column_writers(state, rows, "end"))
        return self._role_values_of(predicate, outputs, default)

    @cached_property
    def _role_cache(self) -> dict[str, NDArray[np.int8]]:
        """Values [contexts, seats] by output name, where a tabulated query decides them."""
        return {}

    def _role_values_of(
        self, predicate: str, outputs: NDArray[np.uint8], default: NDArray[np.int8]
    ) -> NDArray[np.int8]:
        """Return the value that outputs ``answers`` [outputs, n] give each seat [n, seats]."""
        assert self.role_query is not None
        values = np.tile(default, (outputs.shape[1], 1))
        for (name, args), truth in zip(self.role_query.query.circuit.outputs, outputs, strict=True):
            if name == predicate:
                value = (
                    self.roles.index(str(args[1]))
                    if predicate == "role"
                    else require_int(args[1], f"side({args[0]},…)")
                )
                values[truth == 1, int(args[0])] = value
        return values

    def score_episodes(
        self, state: TableState, rows: Indices
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int8]]:
        """Score finished episodes.

        Args:
            state: State of all tables.
            rows: int64 [n], tables whose episode is over.

        Returns:
            Points of the episode, int32 [n, seats]; whether the match is over, bool [n]; winner of the match, int8 [n]:
            a team, ``DRAW``, or -1 if points decide.

        Raises:
            TableError: If several have won a match.
        """
        points = np.zeros((len(rows), self.rules.seating.seats), np.int32)
        if self.end_query is None:
            return points, np.ones(len(rows), np.bool_), np.full(len(rows), -1, np.int8)
        outputs = self.end_query.evaluate(len(rows), self.column_writers(state, rows, "end"))
        add_points(outputs, self._point_outputs, points)
        is_over, winner = decide_matches(self.rules.kb, self.end_query.circuit.outputs, outputs, rows)
        return points, is_over if self._match_ends else ~is_over, winner

    @cached_property
    def _match_ends(self) -> bool:
        """True if the rules derive when a match is over; otherwise each episode is a match."""
        return any(name != "points" for name, _ in self.end_query.circuit.outputs) if self.end_query else False

    @cached_property
    def _point_outputs(self) -> NDArray[np.int32]:
        """Output index, seat and points of each output of ``points/3``, int32 [outputs of points/3, 3]."""
        outputs = self.end_query.circuit.outputs if self.end_query else ()
        rows = [
            (index, int(args[0]), require_int(args[1], f"points({args[0]},{args[1]},…)"))
            for index, (name, args) in enumerate(outputs)
            if name == "points"
        ]
        return np.array(rows, np.int32).reshape(-1, 3)


def _event_column(state: TableState, rows: Indices, event: str | None, column: int) -> NDArray[np.integer]:
    """Return a column of the input group ``event``: event, kind of choice, chosen option, seat to decide."""
    if column == 0:
        return np.full(len(rows), EVENTS.index(event) if event else -1)
    field: NDArray[np.integer] = (state.choice, state.chosen, state.seat)[column - 1]
    return field[rows]


@cache_per_game
@pause_gc()
def _compile_event_rules(rules: CompiledGame) -> EventRules:
    """Compile the queries of a game; raise KBError for invalid rules."""
    lots = tuple(require_int(sides, f"lot({name},…)") for name, sides in rules.kb.facts("lots", 2))
    control_query = rules.build_query("deal_again/0", "asks/2", "draws/1", "leads/1")
    if control_query is None:
        raise make_kb_error(
            "no rule derives leads/1",
            "say who leads the first trick: leads(0), or leads(S) :- holds(S,…)",
            ErrorCode.MISSING_OUTPUT,
        )
    updates = {event: update for event in EVENTS if (update := EventUpdate.from_rules(rules, event))}
    role_query = rules.build_query("role/2", "side/2")
    return EventRules(
        rules, lots, updates, TabulatedQuery.from_query(control_query, rules.fluents),
        rules.build_query("points/3", "won/1", "drawn/0", "match_over/0"), list_initial_fluents(rules),
        TabulatedQuery.from_query(role_query, rules.fluents) if role_query else None,
    )  # fmt: skip
