"""The preferences of a knowledge base, evaluated for the candidates of many decisions at once.

What all the moves of a decision share is evaluated once a decision, the rest once a move (abl_cards.logic.split). An
estimate of the other hands belongs to what they share; without one, the rules that need it never hold. A game says how
its decisions and its moves are written down as facts; nothing else here differs between games.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.hidden import Estimate
from abl_cards.games.shapes import functor
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Atom, Circuit, KnowledgeBase, evaluate, weigh
from abl_cards.logic.circuit import FALSE
from abl_cards.logic.errors import suggestion
from abl_cards.logic.split import SHARED, split
from abl_cards.parallel import THREADS, each_share

MOVES_AT_ONCE = 1 << 11
"""Candidates evaluated together; their rows should stay in the cache."""

_COST, _VIOLATED = "cost", "violated"

WriteShared = Callable[[Any], NDArray[np.uint8]]
"""From decisions or choices [n] to the input rows [inputs, n] that all their moves share."""

WriteEstimate = Callable[[Any, Estimate, NDArray[np.uint8]], None]
"""From decisions or choices [n] and what is believed of the other hands: adds to the rows [inputs, n]."""

WriteMoves = Callable[[MoveLists, slice], NDArray[np.uint8]]
"""From a part of some moves to their input rows [inputs, moves]; the rows of what is shared are zero."""


class Facts(Protocol):
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

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """What writes down decisions as inputs of this circuit."""

    def of_estimates(self, circuit: Circuit) -> WriteEstimate:
        """What adds the estimates of some decisions."""

    def of_moves(self, circuit: Circuit) -> Callable[[Any, MoveLists], WriteMoves]:
        """What writes down the moves of some decisions as inputs of this circuit."""


@dataclass(frozen=True)
class _Halves:
    """A circuit cut in two, what writes the inputs of each half, and what is carried across the cut."""

    shared: Circuit
    varying: Circuit
    write_shared: WriteShared
    write_estimate: WriteEstimate
    write_moves: Callable[[Any, MoveLists], WriteMoves]
    carried: NDArray[np.int64]  # [shared atoms used] their rows among the outputs of the shared half
    carried_to: NDArray[np.int64]  # and among the inputs of the varying half

    @classmethod
    def of(cls, circuit: Circuit, facts: Facts) -> _Halves:
        shared, varying = split(circuit, lambda atom: atom[0] in facts.move_inputs)
        used = {arguments[0]: row for row, (name, arguments) in enumerate(varying.inputs) if name == SHARED}
        carried = [row for row, (_, arguments) in enumerate(shared.outputs) if arguments[0] in used]
        return cls(
            shared=shared,
            varying=varying,
            write_shared=facts.of_decisions(shared),
            write_estimate=facts.of_estimates(shared),
            write_moves=facts.of_moves(varying),
            carried=np.array(carried, np.int64),
            carried_to=np.array([used[shared.outputs[row][1][0]] for row in carried], np.int64),
        )

    def evaluate_shared(self, decisions: Any, estimate: Estimate | None) -> NDArray[np.uint8]:
        """[outputs of the shared half, n]."""
        rows = self.write_shared(decisions)
        if estimate is not None:
            self.write_estimate(decisions, estimate, rows)
        return evaluate(self.shared, rows, threads=THREADS)


@dataclass(frozen=True)
class FactWriter:
    """Writes down which of some inputs hold; those that nobody here knows never do."""

    shared: WriteShared
    estimates: WriteEstimate
    moves: Callable[[Any, MoveLists], WriteMoves]

    @classmethod
    def of(cls, told: Facts, circuit: Circuit, inputs: tuple[Atom, ...]) -> FactWriter:
        """For these inputs, whatever the circuit asks for."""
        every = replace(circuit, inputs=inputs)  # to look up where every input lies
        return cls(told.of_decisions(every), told.of_estimates(every), told.of_moves(every))

    def about(self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None) -> NDArray[np.uint8]:
        """[inputs, moves] what holds of the candidates."""
        rows = self.moves(decisions, lists)(lists, slice(0, len(lists.form)))
        rows |= self.before(decisions, estimate)[:, lists.decision]
        return rows

    def before(self, decisions: Any, estimate: Estimate | None = None) -> NDArray[np.uint8]:
        """[inputs, n] what holds before any move is made."""
        rows = self.shared(decisions)
        if estimate is not None:
            self.estimates(decisions, estimate, rows)
        return rows


@dataclass(frozen=True)
class Preferences:
    """The circuit of cost/2 and of the integrity constraints, ready for many decisions."""

    kb: KnowledgeBase  # it need not be the one that the tables play by
    told: Facts
    circuit: Circuit
    weights: NDArray[np.int32]  # [outputs] the cost of each, 0 for a constraint

    @cached_property
    def _seeing(self) -> _Halves:
        """For decisions with an estimate of the other hands."""
        return _Halves.of(self.circuit, self.told)

    @cached_property
    def _blind(self) -> _Halves:
        """For decisions without one: what needs it costs no time."""
        blind = self._unbelieving
        return self._seeing if blind is self.circuit else _Halves.of(blind, self.told)

    @cached_property
    def _unbelieving(self) -> Circuit:
        beliefs = {atom: False for atom in self.circuit.inputs if atom[0] in self.told.estimate_inputs}
        return self.circuit.specialise(beliefs) if beliefs else self.circuit

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` and ``violated(K)``, the rows of ``fired``."""
        return self.circuit.outputs

    def preferences(self, estimated: bool = False) -> dict[str, str]:
        """The group of each preference that can fire at all, with an estimate of the other hands or without one."""
        circuit = self.circuit if estimated else self._unbelieving
        outputs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        costs = [str(arguments[0]) for (name, arguments), literal in outputs if name == _COST and literal != FALSE]
        return {name: self.kb.groups[name] for name in dict.fromkeys(map(functor, costs))}

    def fired(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """What fires for the candidates, in portions: which moves, and uint8 [outputs, moves]."""
        portion = self._portions(decisions, lists, estimate)
        for part in _parts(len(lists.form)):
            yield part, portion(part)

    def costs(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The sum of the weights of each candidate, and whether no integrity constraint fires."""
        costs, consistent = np.zeros(len(lists.form), np.int32), np.ones(len(lists.form), np.bool_)
        constraints = np.array([name == _VIOLATED for name, _ in self.outputs], np.bool_)
        portion, parts = self._portions(decisions, lists, estimate), _parts(len(lists.form))

        def add_up(first: int, end: int) -> None:
            for part in parts[first:end]:
                fired = portion(part)
                costs[part] = weigh(self.weights, fired)
                if constraints.any():
                    consistent[part] = ~fired[constraints].any(axis=0)

        each_share(len(parts), add_up, least=1)
        return costs, consistent

    def reweighed(self, weights: NDArray[np.int32]) -> Preferences:
        """The same circuit with other weights [outputs]: what is made of the circuit is shared."""
        made = replace(self, weights=weights)
        made.__dict__.update({name: self.__dict__[name] for name in _OF_THE_CIRCUIT if name in self.__dict__})
        return made

    def facts(self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""
        return FactWriter.of(self.told, self.circuit, self.kb.input_atoms).about(decisions, lists, estimate)

    def _portions(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None
    ) -> Callable[[slice], NDArray[np.uint8]]:
        """Evaluate what the moves share; returns what evaluates some of the moves."""
        halves = self._blind if estimate is None else self._seeing
        shared = halves.evaluate_shared(decisions, estimate)
        decision, write = lists.decision, halves.write_moves(decisions, lists)

        def evaluate_part(part: slice) -> NDArray[np.uint8]:
            rows = write(lists, part)
            _carry_over(shared, halves.carried, halves.carried_to, decision[part], rows)
            return evaluate(halves.varying, rows)

        return evaluate_part


_OF_THE_CIRCUIT = ("_seeing", "_blind", "_unbelieving")


@njit(cache=True, nogil=True)
def _carry_over(shared, source, target, decision, rows):
    """Copy what moves share, rows source of [outputs, decisions], to rows target of [inputs, moves]."""
    begin = 0
    while begin < len(decision):
        end = begin
        while end < len(decision) and decision[end] == decision[begin]:
            end += 1
        for place in range(len(source)):
            rows[target[place], begin:end] = shared[source[place], decision[begin]]
        begin = end


def _parts(moves: int) -> list[slice]:
    return [slice(first, min(first + MOVES_AT_ONCE, moves)) for first in range(0, moves, MOVES_AT_ONCE)]


def read_preferences(kb: KnowledgeBase, facts: Facts, without: Collection[str] = ()) -> Preferences:
    """Compile the preferences but for some groups and single ones, once; raises GameError for a name of neither."""
    key = "preferences", frozenset(without), id(facts.rules)
    if key not in kb.kept:  # what is kept holds the rules, so no others can come to have their id
        circuit = _left_over(kb, without)
        weights = [int(arguments[1]) if name == _COST else 0 for name, arguments in circuit.outputs]
        kb.kept[key] = Preferences(kb, facts, circuit, np.array(weights, np.int32))
    found: Preferences = kb.kept[key]
    return found


def _left_over(kb: KnowledgeBase, without: Collection[str]) -> Circuit:
    """The circuit of the costs and the constraints, less the costs of some groups, and of single preferences."""
    circuit = kb.circuit("cost/2", "violated/1")
    if not without:
        return circuit
    dropped = {preference for name in without for preference in _meant(kb, name)}
    kept = [
        row
        for row, (name, arguments) in enumerate(circuit.outputs)
        if name != _COST or functor(str(arguments[0])) not in dropped
    ]
    outputs = tuple(circuit.outputs[row] for row in kept)
    return replace(circuit, outputs=outputs, output_literals=circuit.output_literals[kept])


def _meant(kb: KnowledgeBase, name: str) -> list[str]:
    """The preferences of a group, or the one of that name: a group comes first."""
    found = [preference for preference, group in kb.groups.items() if group == name]
    if found or name in kb.groups:
        return found or [name]
    groups = sorted(set(kb.groups.values()))
    hint = suggestion(name, (*groups, *kb.groups)) or f"groups: {', '.join(groups)}"
    raise GameError(f"unknown group or preference '{name}' ({hint})")
