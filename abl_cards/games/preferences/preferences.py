"""Vectorised evaluation of the preferences of a knowledge base for the candidate moves of many decisions.

The part of the circuit that all moves of a decision share is evaluated once for each decision. The other part is
evaluated once for each move (``abl_cards.circuit.partition``). An estimate of the other hands belongs to the shared
part; rules that need one do not hold without it. ``PreferenceInputs`` encodes decisions and moves; all else is
independent of the game.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import FALSE, SHARED, Circuit, KnowledgeBase, evaluate, partition_circuit, weighted_sums
from abl_cards.core import NUM_THREADS, ErrorCode, GameError, kernel, map_ranges
from abl_cards.games.description import functor
from abl_cards.games.types import HandEstimate, MoveLists, check_integers

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

MOVE_BATCH_SIZE = 1 << 11
"""Candidate moves evaluated together, so that their rows fit in the CPU cache."""

_COST, _VIOLATED = "cost", "violated"

SharedInputWriter = Callable[[Any], NDArray[np.uint8]]
"""Function of n decisions or choices that returns the input rows [inputs, n] that all their moves share."""

EstimateInputWriter = Callable[[Any, HandEstimate, NDArray[np.uint8]], None]
"""Function of n decisions or choices and an estimate of the other hands that adds to the rows [inputs, n]."""

MoveInputWriter = Callable[[MoveLists, slice], NDArray[np.uint8]]
"""Function of moves and a slice of them that returns input rows [inputs, moves], 0 for shared inputs."""


class PreferenceInputs(Protocol):
    """Encoder of decisions and moves of a game as inputs of preferences."""

    @property
    def rules(self) -> Any:
        """Compiled rules by which the tables play."""

    @property
    def move_inputs(self) -> frozenset[str]:
        """Names of the inputs that depend on the move; all others depend on the decision alone."""

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """Names of the inputs that are false without an estimate of the other hands."""

    def make_shared_writer(self, circuit: Circuit) -> SharedInputWriter:
        """Make a writer of the inputs of a circuit that depend on the decision."""

    def distinguishes_suits(self, circuit: Circuit) -> bool:
        """Return whether inputs of a circuit that depend on the move can differ for cards of one rank."""

    def make_estimate_writer(self, circuit: Circuit) -> EstimateInputWriter:
        """Make a writer of the inputs of a circuit that depend on an estimate of the other hands."""

    def make_move_writer(self, circuit: Circuit) -> Callable[[Any, MoveLists], MoveInputWriter]:
        """Make a writer of the inputs of a circuit that depend on the move."""


@dataclass(frozen=True)
class _SplitCircuit:
    """Circuit in two halves, with writers of their inputs and the signals from the first to the second half."""

    shared: Circuit
    varying: Circuit
    write_shared: SharedInputWriter
    write_estimate: EstimateInputWriter
    write_moves: Callable[[Any, MoveLists], MoveInputWriter]
    carried_outputs: NDArray[np.int64]  # [signals] rows among the outputs of the shared half
    carried_inputs: NDArray[np.int64]  # [signals] rows among the inputs of the varying half

    @classmethod
    def from_circuit(cls, circuit: Circuit, source: PreferenceInputs) -> _SplitCircuit:
        """Split a circuit by the inputs that depend on the move."""
        shared, varying = partition_circuit(circuit, lambda atom: atom[0] in source.move_inputs)
        shared_inputs = {arguments[0]: row for row, (name, arguments) in enumerate(varying.inputs) if name == SHARED}
        carried_outputs = [row for row, (_, arguments) in enumerate(shared.outputs) if arguments[0] in shared_inputs]
        return cls(
            shared=shared,
            varying=varying,
            write_shared=source.make_shared_writer(shared),
            write_estimate=source.make_estimate_writer(shared),
            write_moves=source.make_move_writer(varying),
            carried_outputs=np.array(carried_outputs, np.int64),
            carried_inputs=np.array([shared_inputs[shared.outputs[row][1][0]] for row in carried_outputs], np.int64),
        )

    def evaluate_shared(self, decisions: Decisions | Choices, estimate: HandEstimate | None) -> NDArray[np.uint8]:
        """Evaluate the shared half, uint8 [outputs, n]."""
        rows = self.write_shared(decisions)
        if estimate is not None:
            self.write_estimate(decisions, estimate, rows)
        return evaluate(self.shared, rows.view(np.bool_), threads=NUM_THREADS)


@dataclass(frozen=True)
class InputWriter:
    """Encoder of decisions and moves as given inputs; inputs unknown to the game are 0."""

    write_shared: SharedInputWriter
    write_estimate: EstimateInputWriter
    write_moves: Callable[[Any, MoveLists], MoveInputWriter]

    @classmethod
    def from_preference_inputs(
        cls, source: PreferenceInputs, circuit: Circuit, inputs: tuple[Atom, ...]
    ) -> InputWriter:
        """Make a writer.

        Args:
            source: Encoder of the game.
            circuit: Any circuit of the knowledge base.
            inputs: Inputs to write, in the order of the rows.

        Returns:
            Writer of these inputs.
        """
        full = replace(circuit, inputs=inputs)  # writers read the positions of inputs from a circuit
        return cls(source.make_shared_writer(full), source.make_estimate_writer(full), source.make_move_writer(full))

    def encode_moves(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """Encode candidate moves.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            uint8 [inputs, moves].

        Raises:
            GameError: The lists do not belong to the decisions.
        """
        decisions.check_moves(lists)
        rows = self.write_moves(decisions, lists)(lists, slice(0, len(lists.form)))
        rows |= self.encode_decisions(decisions, estimate)[:, lists.decision_index]
        return rows

    def encode_decisions(
        self, decisions: Decisions | Choices, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """Encode decisions without moves.

        Args:
            decisions: n decisions or choices.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            uint8 [inputs, n].
        """
        rows = self.write_shared(decisions)
        if estimate is not None:
            self.write_estimate(decisions, estimate, rows)
        return rows


@dataclass(frozen=True)
class CompiledPreferences:
    """Circuit of cost/2 and of the integrity constraints, for evaluation of many decisions."""

    kb: KnowledgeBase  # may differ from the knowledge base of the tables
    input_source: PreferenceInputs
    circuit: Circuit
    weights: NDArray[np.int32]  # [outputs] cost of each output, 0 for a constraint

    def __repr__(self) -> str:
        return f"CompiledPreferences({str(self.input_source.rules.folder.path)!r})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the sources of the preferences; their knowledge base only if it differs from that of the rules."""
        kb = None if self.kb is self.input_source.rules.kb else self.kb
        return _restore_preferences, (kb, self.input_source, self.circuit, self.weights)

    @cached_property
    def _split_with_estimate(self) -> _SplitCircuit:
        """Split circuit for decisions with an estimate of the other hands."""
        return _SplitCircuit.from_circuit(self.circuit, self.input_source)

    @cached_property
    def _split_without_estimate(self) -> _SplitCircuit:
        """Split circuit for decisions without an estimate, smaller if preferences need one."""
        circuit = self._circuit_without_estimate
        return (
            self._split_with_estimate
            if circuit is self.circuit
            else _SplitCircuit.from_circuit(circuit, self.input_source)
        )

    @cached_property
    def _circuit_without_estimate(self) -> Circuit:
        """Circuit with all inputs about estimates set to false."""
        known_inputs = {atom: False for atom in self.circuit.inputs if atom[0] in self.input_source.estimate_inputs}
        return self.circuit.specialise(known_inputs) if known_inputs else self.circuit

    @cached_property
    def distinguishes_suits(self) -> bool:
        """True if moves with equal forms and equal numbers of cards of each rank may have different costs."""
        return self.input_source.distinguishes_suits(self.circuit)

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """Outputs ``cost(Name, Weight)`` and ``violated(K)``, the rows of ``evaluate``."""
        return self.circuit.outputs

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """Return the preferences that can hold.

        Args:
            with_estimate: Include preferences that need an estimate of the other hands.

        Returns:
            Group of each preference by name.
        """
        circuit = self.circuit if with_estimate else self._circuit_without_estimate
        outputs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        costs = [str(arguments[0]) for (name, arguments), literal in outputs if name == _COST and literal != FALSE]
        return {name: self.kb.preference_groups[name] for name in dict.fromkeys(map(functor, costs))}

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Evaluate the outputs for candidate moves, in batches.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Yields:
            Slice of the moves, and uint8 [outputs, moves of the slice].
        """
        evaluate_batch = self._batch_evaluator(decisions, lists, estimate)
        for part in _batches(len(lists.form)):
            yield part, evaluate_batch(part)

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Sum up the costs of candidate moves.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            int32 [moves] costs; bool [moves], True if the move violates no integrity constraint.

        Raises:
            GameError: The decisions are of another game, the lists do not belong to them, or the estimate has a wrong
                shape.
        """
        evaluate_batch, parts = self._batch_evaluator(decisions, lists, estimate), _batches(len(lists.form))
        costs, consistent = np.zeros(len(lists.form), np.int32), np.ones(len(lists.form), np.bool_)
        constraints = np.array([name == _VIOLATED for name, _ in self.outputs], np.bool_)

        def add_up(first: int, end: int) -> None:
            for part in parts[first:end]:
                fired = evaluate_batch(part)
                costs[part] = weighted_sums(self.weights, fired)
                if constraints.any():
                    consistent[part] = ~fired[constraints].any(axis=0)

        map_ranges(len(parts), add_up, min_size=1)
        return costs, consistent

    def with_weights(self, weights: NDArray[np.int32]) -> CompiledPreferences:
        """Return preferences with other weights, which share the circuit and all that is derived from it.

        Args:
            weights: int32 [outputs], cost of each output.

        Returns:
            A copy with these weights.

        Raises:
            GameError: There is not a whole number for each output.
        """
        numbers = check_integers("weights", weights, self.weights.shape, 2**31, -(2**31))
        copy = replace(self, weights=numbers.astype(np.int32, copy=False))
        copy.__dict__.update({name: self.__dict__[name] for name in _CIRCUIT_CACHES if name in self.__dict__})
        return copy

    def inputs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """Encode candidate moves as inputs of the knowledge base.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            uint8 [inputs, moves], in the order of ``kb.input_atoms``.

        Raises:
            GameError: The decisions are of another game.
        """
        self._check_rules(decisions)
        return InputWriter.from_preference_inputs(self.input_source, self.circuit, self.kb.input_atoms).encode_moves(
            decisions, lists, estimate
        )

    def _check_rules(self, decisions: Decisions | Choices) -> None:
        """Raise GameError for decisions of other cards, labels or fluents, which inputs would misread."""
        rules = self.input_source.rules
        if not rules.is_compatible_with(decisions.rules):
            text = f"the preferences of {rules.folder.name} do not fit decisions of {decisions.rules.folder.name}"
            raise GameError(text, ErrorCode.AGENT_NOT_APPLICABLE)

    def _batch_evaluator(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None
    ) -> Callable[[slice], NDArray[np.uint8]]:
        """Evaluate the shared half; return a function that evaluates a slice of the moves."""
        self._check_rules(decisions)
        decisions.check_moves(lists)
        halves = self._split_without_estimate if estimate is None else self._split_with_estimate
        shared = halves.evaluate_shared(decisions, estimate)
        decision, write = lists.decision_index, halves.write_moves(decisions, lists)

        def evaluate_part(part: slice) -> NDArray[np.uint8]:
            rows = write(lists, part)
            _copy_shared(shared, halves.carried_outputs, halves.carried_inputs, decision[part], rows)
            return evaluate(halves.varying, rows.view(np.bool_))

        return evaluate_part


def _restore_preferences(
    kb: KnowledgeBase | None, input_source: PreferenceInputs, circuit: Circuit, weights: NDArray[np.int32]
) -> CompiledPreferences:
    """Return unpickled preferences."""
    return CompiledPreferences(input_source.rules.kb if kb is None else kb, input_source, circuit, weights)


_CIRCUIT_CACHES = (
    "_split_with_estimate", "_split_without_estimate", "_circuit_without_estimate", "distinguishes_suits"
)  # fmt: skip


@kernel
def _copy_shared(shared, source, target, decision, rows):
    """Copy rows ``source`` of shared [outputs, decisions] to rows ``target`` of rows [inputs, moves]."""
    begin = 0
    while begin < len(decision):
        end = begin
        while end < len(decision) and decision[end] == decision[begin]:
            end += 1
        for index in range(len(source)):
            rows[target[index], begin:end] = shared[source[index], decision[begin]]
        begin = end


def _batches(moves: int) -> list[slice]:
    """Split a number of moves into slices of at most ``MOVE_BATCH_SIZE``."""
    return [slice(first, min(first + MOVE_BATCH_SIZE, moves)) for first in range(0, moves, MOVE_BATCH_SIZE)]
