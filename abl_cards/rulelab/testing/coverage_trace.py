"""Tables that record which rules fire.

Every rule has a twin atom that is true when the rule's body is (``circuit/coverage.py``). Each query of the engine also
evaluates the twins of the rules that its outputs depend on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.circuit import FIRED_PREDICATE, Circuit, KnowledgeBase, trace_rules
from abl_cards.games.binding import CircuitQuery, ColumnWriter, make_array_writer, make_gather_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EVENTS, QUERY_SPECS, with_outputs
from abl_cards.games.state import TableState
from abl_cards.games.tables import EventRules, Tables, tricks_after_moves
from abl_cards.games.types import NO_CARD, Moves
from abl_cards.rulelab.testing.reached import ReachedStates


class RuleTrace:
    """Which rules have fired so far, by the question on the way to whose answer they lie."""

    def __init__(self, rules: CompiledGame) -> None:
        """Nothing has."""
        self.rules, self.reached = rules, ReachedStates(rules)
        self.kb, self.traced_rules = trace_rules(rules.kb)
        self.fired = np.zeros(len(self.traced_rules), np.bool_)
        self.fired[[int(number) for (number,) in self.kb.facts(*FIRED_PREDICATE)]] = True  # in every state
        self._program = rules.folder.program(rules.profile)

    @cached_property
    def circuits(self) -> Mapping[str, Circuit]:
        """By question, the twins of the rules on the way to its outputs, in the order of the rules."""
        every = self.kb.circuit(str(FIRED_PREDICATE)) if _derives(self.kb, FIRED_PREDICATE) else None
        found = {}
        for name, question in QUERY_SPECS.items():
            reached = self._program.reachable_predicates([Signature.parse(output) for output in question.outputs])
            mine = [
                atom for atom in (every.outputs if every else ()) if self.traced_rules[int(atom[1][0])].head in reached
            ]
            if every and mine:
                found[name] = with_outputs(every, mine)
        return found

    @cached_property
    def queries(self) -> Mapping[str, CircuitQuery]:
        """Queries of the twin atoms."""
        words = self.rules.schema
        return {
            name: CircuitQuery.from_circuit(each, words, QUERY_SPECS[name].input_groups)
            for name, each in self.circuits.items()
        }

    def record_states(self, question: str, num_states: int, writers: Mapping[str, ColumnWriter]) -> None:
        """Record a query for the states of n tables."""
        told = self.queries.get(question)
        self.reached.record_states(question, num_states, writers)
        if told is not None and num_states:
            self.record_answers(told.circuit, told.evaluate(num_states, {name: writers[name] for name in told.groups}))

    def record_answers(self, circuit: Circuit, answers: NDArray[np.uint8]) -> None:
        """Record values [outputs, n] of twin atoms."""
        held_by: list[bool] = np.any(answers, axis=1).tolist()
        for (_, (number,)), held in zip(circuit.outputs, held_by, strict=True):
            self.fired[int(number)] |= held


def _derives(kb: KnowledgeBase, signature: Signature) -> bool:
    return any(Signature(atom.name, len(atom.args)) == signature for atom in kb.ground.atoms)


@dataclass(frozen=True)
class TracedFlow(EventRules):
    """Event rules that record their queries before the results are applied."""

    trace: RuleTrace | ReachedStates

    @classmethod
    def wrap(cls, flow: EventRules, trace: RuleTrace | ReachedStates) -> TracedFlow:
        """A flow that does as another one does."""
        return cls(**{field.name: getattr(flow, field.name) for field in fields(flow)}, trace=trace)

    def apply_event(self, event: str, state: TableState, rows: NDArray[np.int64]) -> None:
        """Something has happened at some tables."""
        self.trace.record_states("changes", len(rows), self.column_writers(state, rows, event))
        super().apply_event(event, state, rows)

    def apply_acts(self, state: TableState, table_rows: NDArray[np.int64]) -> None:
        """Seats have played or passed."""
        passed = state.last_form[table_rows] == self.rules.forms.pass_form
        for event, some in (("play", table_rows[~passed]), ("pass", table_rows[passed])):
            self.trace.record_states("changes", len(some), self.column_writers(state, some, event))
        super().apply_acts(state, table_rows)

    def turn_entries(self, state: TableState, rows: NDArray[np.int64]) -> Any:
        """Whose turn it is, where that hangs on what is remembered."""
        self.trace.record_states("course", len(rows), self.column_writers(state, rows))
        return super().turn_entries(state, rows)

    def next_step(self, state: TableState, rows: NDArray[np.int64]) -> Any:
        """Return the next step of each table, and record its query."""
        self.trace.record_states("control", len(rows), self.column_writers(state, rows))
        return super().next_step(state, rows)

    def score_episodes(self, state: TableState, rows: NDArray[np.int64]) -> Any:
        """Score ended episodes, and record the query."""
        fills = self.column_writers(state, rows, EVENTS[-1])
        self.trace.record_states("end", len(rows), fills)
        self.trace.record_states("roles", len(rows), fills)
        return super().score_episodes(state, rows)


class TracedTables(Tables):
    """Tables that record their queries."""

    def __init__(self, rules: CompiledGame, num_tables: int, trace: RuleTrace | ReachedStates) -> None:
        """Tables with nothing on them."""
        super().__init__(rules, num_tables)
        self._trace = trace
        self.event_rules = TracedFlow.wrap(self.event_rules, trace)

    def play(self, rows: NDArray[np.int64], moves: Moves) -> None:
        """Whose turn it is mostly stands in a table made in advance: this is what its entry is looked up by."""
        state, forms = self.state, self.rules.forms
        seat, passing = state.seat[rows], moves.form == forms.pass_form
        bit = (1 << seat.astype(np.int64)).astype(np.uint16)
        emptied = state.hands[rows, seat].sum(axis=1) == (moves.cards != NO_CARD).sum(axis=1)
        passed = (
            np.where(passing, state.passed[rows] | bit, 0),
            np.where(passing, bit, 0) | state.passed_in_trick[rows],
        )
        owner, leader = np.where(passing, state.owner[rows], seat), state.leader[rows]
        if self.rules.trick_query is not None:
            trick = tricks_after_moves(self.rules, state, rows, seat, moves)
            self._trace.record_states("takes", len(rows), trick.column_writers())
            owner, leader = trick.evaluate()[0].argmax(axis=0), trick.leader
        if self.rules.turn_query is None:
            act = [seat, owner, *passed, np.where(emptied, bit, 0) | state.seats_out[rows]]
            self._trace.record_states(
                "course", len(rows),
                {
                    "act": make_array_writer(act), "leader": make_lazy_writer(lambda _: leader),
                    "fluents": make_gather_writer(state.fluents, rows),
                    "move": make_lazy_writer(lambda column: forms.label_of[moves.form] if column else moves.form),
                },
            )  # fmt: skip
        super().play(rows, moves)
