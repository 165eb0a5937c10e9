"""The preferences of a knowledge base, evaluated for the candidates of many decisions at once.

What all the moves of a decision share is evaluated once a decision, the rest once a move
(abl_cards.circuit.partition). An estimate of the other hands belongs to what they share; without one, the rules that
need it never hold. A game says how its decisions and its moves are written down as facts; nothing else here differs
between games.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.asp import Atom, did_you_mean
from abl_cards.circuit import FALSE, SHARED, Circuit, KnowledgeBase, evaluate, partition_circuit, weighted_sums
from abl_cards.core import NUM_THREADS, GameError, map_ranges
from abl_cards.games.description import functor
from abl_cards.games.types import HandEstimate, MoveLists

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

MOVE_BATCH_SIZE = 1 << 11
"""Candidates evaluated together; their rows should stay in the cache."""

_COST, _VIOLATED = "cost", "violated"

SharedInputWriter = Callable[[Any], NDArray[np.uint8]]
"""From decisions or choices [n] to the input rows [inputs, n] that all their moves share."""

EstimateInputWriter = Callable[[Any, HandEstimate, NDArray[np.uint8]], None]
"""From decisions or choices [n] and what is believed of the other hands: adds to the rows [inputs, n]."""

MoveInputWriter = Callable[[MoveLists, slice], NDArray[np.uint8]]
"""From a part of some moves to their input rows [inputs, moves]; the rows of what is shared are zero."""


class PreferenceInputs(Protocol):
    """How a game writes down the facts that its preferences are about."""

    @property
    def rules(self) -> Any:
        """By which the tables play."""

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move; all others are the same for a whole decision."""

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """The inputs that are false where nobody estimates the other hands."""

    def make_shared_writer(self, circuit: Circuit) -> SharedInputWriter:
        """What writes down decisions as inputs of this circuit."""

    def make_estimate_writer(self, circuit: Circuit) -> EstimateInputWriter:
        """What adds the estimates of some decisions."""

    def make_move_writer(self, circuit: Circuit) -> Callable[[Any, MoveLists], MoveInputWriter]:
        """What writes down the moves of some decisions as inputs of this circuit."""


@dataclass(frozen=True)
class _SplitCircuit:
    """A circuit cut in two, what writes the inputs of each half, and what is carried across the cut."""

    shared: Circuit
    varying: Circuit
    write_shared: SharedInputWriter
    write_estimate: EstimateInputWriter
    write_moves: Callable[[Any, MoveLists], MoveInputWriter]
    carried_outputs: NDArray[np.int64]  # [shared atoms used] their rows among the outputs of the shared half
    carried_inputs: NDArray[np.int64]  # and among the inputs of the varying half

    @classmethod
    def from_circuit(cls, circuit: Circuit, source: PreferenceInputs) -> _SplitCircuit:
        shared, varying = partition_circuit(circuit, lambda atom: atom[0] in source.move_inputs)
        used = {arguments[0]: row for row, (name, arguments) in enumerate(varying.inputs) if name == SHARED}
        carried = [row for row, (_, arguments) in enumerate(shared.outputs) if arguments[0] in used]
        return cls(
            shared=shared,
            varying=varying,
            write_shared=source.make_shared_writer(shared),
            write_estimate=source.make_estimate_writer(shared),
            write_moves=source.make_move_writer(varying),
            carried_outputs=np.array(carried, np.int64),
            carried_inputs=np.array([used[shared.outputs[row][1][0]] for row in carried], np.int64),
        )

    def evaluate_shared(self, decisions: Decisions | Choices, estimate: HandEstimate | None) -> NDArray[np.uint8]:
        """[outputs of the shared half, n]."""
        rows = self.write_shared(decisions)
        if estimate is not None:
            self.write_estimate(decisions, estimate, rows)
        return evaluate(self.shared, rows, threads=NUM_THREADS)


@dataclass(frozen=True)
class InputWriter:
    """Writes down which of some inputs hold; those that nobody here knows never do."""

    write_shared: SharedInputWriter
    write_estimate: EstimateInputWriter
    write_moves: Callable[[Any, MoveLists], MoveInputWriter]

    @classmethod
    def from_preference_inputs(
        cls, source: PreferenceInputs, circuit: Circuit, inputs: tuple[Atom, ...]
    ) -> InputWriter:
        """For these inputs, whatever the circuit asks for."""
        every = replace(circuit, inputs=inputs)  # to look up where every input lies
        return cls(source.make_shared_writer(every), source.make_estimate_writer(every), source.make_move_writer(every))

    def encode_moves(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """[inputs, moves] what holds of the candidates."""
        rows = self.write_moves(decisions, lists)(lists, slice(0, len(lists.form)))
        rows |= self.encode_decisions(decisions, estimate)[:, lists.decision_index]
        return rows

    def encode_decisions(
        self, decisions: Decisions | Choices, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """[inputs, n] what holds before any move is made."""
        rows = self.write_shared(decisions)
        if estimate is not None:
            self.write_estimate(decisions, estimate, rows)
        return rows


@dataclass(frozen=True)
class CompiledPreferences:
    """The circuit of cost/2 and of the integrity constraints, ready for many decisions."""

    kb: KnowledgeBase  # it need not be the one that the tables play by
    input_source: PreferenceInputs
    circuit: Circuit
    weights: NDArray[np.int32]  # [outputs] the cost of each, 0 for a constraint

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle what the preferences were made of; their own knowledge base only where it is not that of the rules."""
        kb = None if self.kb is self.input_source.rules.kb else self.kb
        return _restore_preferences, (kb, self.input_source, self.circuit, self.weights)

    @cached_property
    def _split_with_estimate(self) -> _SplitCircuit:
        """For decisions with an estimate of the other hands."""
        return _SplitCircuit.from_circuit(self.circuit, self.input_source)

    @cached_property
    def _split_without_estimate(self) -> _SplitCircuit:
        """For decisions without one: what needs it costs no time."""
        blind = self._circuit_without_estimate
        return (
            self._split_with_estimate if blind is self.circuit else _SplitCircuit.from_circuit(blind, self.input_source)
        )

    @cached_property
    def _circuit_without_estimate(self) -> Circuit:
        beliefs = {atom: False for atom in self.circuit.inputs if atom[0] in self.input_source.estimate_inputs}
        return self.circuit.specialise(beliefs) if beliefs else self.circuit

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` and ``violated(K)``, the rows of ``evaluate``."""
        return self.circuit.outputs

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """The group of each preference that can fire at all, with an estimate of the other hands or without one."""
        circuit = self.circuit if with_estimate else self._circuit_without_estimate
        outputs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        costs = [str(arguments[0]) for (name, arguments), literal in outputs if name == _COST and literal != FALSE]
        return {name: self.kb.preference_groups[name] for name in dict.fromkeys(map(functor, costs))}

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """What fires for the candidates, in portions: which moves, and uint8 [outputs, moves]."""
        portion = self._batch_evaluator(decisions, lists, estimate)
        for part in _batches(len(lists.form)):
            yield part, portion(part)

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The sum of the weights of each candidate, and whether no integrity constraint fires."""
        costs, consistent = np.zeros(len(lists.form), np.int32), np.ones(len(lists.form), np.bool_)
        constraints = np.array([name == _VIOLATED for name, _ in self.outputs], np.bool_)
        portion, parts = self._batch_evaluator(decisions, lists, estimate), _batches(len(lists.form))

        def add_up(first: int, end: int) -> None:
            for part in parts[first:end]:
                fired = portion(part)
                costs[part] = weighted_sums(self.weights, fired)
                if constraints.any():
                    consistent[part] = ~fired[constraints].any(axis=0)

        map_ranges(len(parts), add_up, min_size=1)
        return costs, consistent

    def with_weights(self, weights: NDArray[np.int32]) -> CompiledPreferences:
        """The same circuit with other weights [outputs]: what is made of the circuit is shared."""
        made = replace(self, weights=weights)
        made.__dict__.update({name: self.__dict__[name] for name in _CIRCUIT_CACHES if name in self.__dict__})
        return made

    def inputs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""
        return InputWriter.from_preference_inputs(self.input_source, self.circuit, self.kb.input_atoms).encode_moves(
            decisions, lists, estimate
        )

    def _batch_evaluator(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None
    ) -> Callable[[slice], NDArray[np.uint8]]:
        """Evaluate what the moves share; returns what evaluates some of the moves."""
        halves = self._split_without_estimate if estimate is None else self._split_with_estimate
        shared = halves.evaluate_shared(decisions, estimate)
        decision, write = lists.decision_index, halves.write_moves(decisions, lists)

        def evaluate_part(part: slice) -> NDArray[np.uint8]:
            rows = write(lists, part)
            _copy_shared(shared, halves.carried_outputs, halves.carried_inputs, decision[part], rows)
            return evaluate(halves.varying, rows)

        return evaluate_part


def _restore_preferences(
    kb: KnowledgeBase | None, input_source: PreferenceInputs, circuit: Circuit, weights: NDArray[np.int32]
) -> CompiledPreferences:
    """Return unpickled preferences."""
    return CompiledPreferences(input_source.rules.kb if kb is None else kb, input_source, circuit, weights)


_CIRCUIT_CACHES = ("_split_with_estimate", "_split_without_estimate", "_circuit_without_estimate")


@njit(cache=True, nogil=True)
def _copy_shared(shared, source, target, decision, rows):
    """Copy what moves share, rows source of [outputs, decisions], to rows target of [inputs, moves]."""
    begin = 0
    while begin < len(decision):
        end = begin
        while end < len(decision) and decision[end] == decision[begin]:
            end += 1
        for place in range(len(source)):
            rows[target[place], begin:end] = shared[source[place], decision[begin]]
        begin = end


def _batches(moves: int) -> list[slice]:
    return [slice(first, min(first + MOVE_BATCH_SIZE, moves)) for first in range(0, moves, MOVE_BATCH_SIZE)]


def compile_preferences(
    kb: KnowledgeBase, source: PreferenceInputs, exclude: Collection[str] = ()
) -> CompiledPreferences:
    """Compile the preferences but for some groups and single ones, once; raises GameError for a name of neither."""
    key = "preferences", frozenset(exclude), id(source.rules)
    if key not in kb.memo:  # what is kept holds the rules, so no others can come to have their id
        circuit = _circuit_excluding(kb, exclude)
        weights = [int(arguments[1]) if name == _COST else 0 for name, arguments in circuit.outputs]
        kb.memo[key] = CompiledPreferences(kb, source, circuit, np.array(weights, np.int32))
    found: CompiledPreferences = kb.memo[key]
    return found


def _circuit_excluding(kb: KnowledgeBase, exclude: Collection[str]) -> Circuit:
    """The circuit of the costs and the constraints, less the costs of some groups, and of single preferences."""
    circuit = kb.circuit("cost/2", "violated/1")
    if not exclude:
        return circuit
    dropped = {preference for name in exclude for preference in _match_preferences(kb, name)}
    kept = [
        row
        for row, (name, arguments) in enumerate(circuit.outputs)
        if name != _COST or functor(str(arguments[0])) not in dropped
    ]
    outputs = tuple(circuit.outputs[row] for row in kept)
    return replace(circuit, outputs=outputs, output_literals=circuit.output_literals[kept])


def _match_preferences(kb: KnowledgeBase, name: str) -> list[str]:
    """The preferences of a group, or the one of that name: a group comes first."""
    found = [preference for preference, group in kb.preference_groups.items() if group == name]
    if found or name in kb.preference_groups:
        return found or [name]
    groups = sorted(set(kb.preference_groups.values()))
    hint = did_you_mean(name, (*groups, *kb.preference_groups)) or f"groups: {', '.join(groups)}"
    raise GameError(f"unknown group or preference '{name}' ({hint})")
