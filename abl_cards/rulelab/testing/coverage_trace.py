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
from abl_cards.games.binding import CircuitQuery, make_array_writer, make_gather_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EVENTS, QUERY_SPECS, ColumnWriter, with_outputs
from abl_cards.games.state import TableState
from abl_cards.games.tables import EventRules, Tables, tricks_after_moves
from abl_cards.games.types import NO_CARD, Moves
from abl_cards.rulelab.testing.reached import ReachedStates


class RuleTrace:
    """Record of the rules that have fired, by the queries that depend on them."""

    def __init__(self, rules: CompiledGame) -> None:
        """Make an empty record."""
        self.rules, self.reached = rules, ReachedStates(rules)
        self.kb, self.traced_rules = trace_rules(rules.kb)
        self.fired = np.zeros(len(self.traced_rules), np.bool_)
        self.fired[[int(index) for (index,) in self.kb.facts(*FIRED_PREDICATE)]] = True  # in every state
        self._program = rules.folder.program(rules.profile)

    @cached_property
    def _all_rules(self) -> Circuit | None:
        """Circuit of the twin atoms of all rules; None without any."""
        return self.kb.circuit(str(FIRED_PREDICATE)) if _derives(self.kb, FIRED_PREDICATE) else None

    @cached_property
    def unread_rules(self) -> frozenset[int]:
        """Rules that may fire, and that no query depends on."""
        indices = {int(index) for _, (index,) in (self._all_rules.outputs if self._all_rules else ())}
        read = {int(index) for circuit in self.circuits.values() for _, (index,) in circuit.outputs}
        return frozenset(indices - read)

    @cached_property
    def circuits(self) -> Mapping[str, Circuit]:
        """Circuits of the twin atoms of the rules that each query depends on, by query, in the order of the rules."""
        all_rules, circuits = self._all_rules, {}
        for name, question in QUERY_SPECS.items():
            reached = self._program.reachable_predicates([Signature.parse(output) for output in question.outputs])
            atoms = [
                atom
                for atom in (all_rules.outputs if all_rules else ())
                if self.traced_rules[int(atom[1][0])].head in reached
            ]
            if all_rules and atoms:
                circuits[name] = with_outputs(all_rules, atoms)
        return circuits

    @cached_property
    def queries(self) -> Mapping[str, CircuitQuery]:
        """Queries of the twin atoms."""
        schema = self.rules.schema
        return {
            name: CircuitQuery.from_circuit(circuit, schema, QUERY_SPECS[name].input_groups)
            for name, circuit in self.circuits.items()
        }

    def record_states(self, question: str, num_states: int, writers: Mapping[str, ColumnWriter]) -> None:
        """Record a query for the states of n tables."""
        query = self.queries.get(question)
        self.reached.record_states(question, num_states, writers)
        if query is not None and num_states:
            self.record_answers(question, query.evaluate(num_states, {name: writers[name] for name in query.groups}))

    def record_answers(self, question: str, answers: NDArray[np.uint8]) -> None:
        """Record values [outputs, n] of the twin atoms of a query."""
        self.fired[self._output_rules[question][np.any(answers, axis=1)]] = True

    @cached_property
    def _output_rules(self) -> Mapping[str, NDArray[np.int64]]:
        """Indices of the rules of the outputs of each circuit."""
        return {
            name: np.array([int(index) for _, (index,) in circuit.outputs], np.int64)
            for name, circuit in self.circuits.items()
        }


def _derives(kb: KnowledgeBase, signature: Signature) -> bool:
    return any(Signature(atom.name, len(atom.args)) == signature for atom in kb.ground.atoms)


@dataclass(frozen=True)
class TracedFlow(EventRules):
    """Event rules that record their queries before the results are applied."""

    trace: RuleTrace | ReachedStates

    @classmethod
    def wrap(cls, flow: EventRules, trace: RuleTrace | ReachedStates) -> TracedFlow:
        """Return event rules that record the queries of other event rules."""
        return cls(**{field.name: getattr(flow, field.name) for field in fields(flow)}, trace=trace)

    def apply_event(self, event: str, state: TableState, rows: NDArray[np.int64]) -> None:
        """Apply an event, and record its query; the query of the deal reads the same fluents and random numbers."""
        if event == "deal" and self.rules.deal_query is not None:
            self.trace.record_states("deal", len(rows), self.column_writers(state, rows, event))
        self.trace.record_states("changes", len(rows), self.column_writers(state, rows, event))
        super().apply_event(event, state, rows)

    def apply_acts(self, state: TableState, table_rows: NDArray[np.int64]) -> None:
        """Apply plays and passes, and record their queries."""
        passed = state.last_form[table_rows] == self.rules.forms.pass_form
        for event, rows in (("play", table_rows[~passed]), ("pass", table_rows[passed])):
            self.trace.record_states("changes", len(rows), self.column_writers(state, rows, event))
        super().apply_acts(state, table_rows)

    def turn_entries(self, state: TableState, rows: NDArray[np.int64]) -> Any:
        """Return the turns that depend on fluents, and record their query."""
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
        """Make empty tables."""
        super().__init__(rules, num_tables)
        self._trace = trace
        self.event_rules = TracedFlow.wrap(self.event_rules, trace)

    def play(self, rows: NDArray[np.int64], moves: Moves) -> None:
        """Make plays, and record the queries of turns, for which other tables use a precomputed table."""
        state, forms = self.state, self.rules.forms
        seat, is_pass = state.seat[rows], moves.form == forms.pass_form
        bit = (1 << seat.astype(np.int64)).astype(np.uint16)
        emptied = state.hands[rows, seat].sum(axis=1) == (moves.cards != NO_CARD).sum(axis=1)
        passed = (
            np.where(is_pass, state.passed[rows] | bit, 0),
            np.where(is_pass, bit, 0) | state.passed_in_trick[rows],
        )
        owner, leader = np.where(is_pass, state.owner[rows], seat), state.leader[rows]
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
