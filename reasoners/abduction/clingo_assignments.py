"""Search for consistent assignments by clingo, for programs with choices, disjunctions or negative loops.

The labels of all positions are a choice of clingo, restricted to allowed ones; weak constraints minimise the sum of
their weights. An assignment is consistent with a result when some answer set derives it.
"""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, BuildRequest, ClingoSolver, Input, KBError, Limits, SolveOptions, Term
from abl_cards.core import ErrorCode, GameError
from abl_cards.reasoners.abduction.assignment_search import Groups
from abl_cards.reasoners.abduction.programs import ProgramDeclaration

WEIGHT_BITS = 20
"""Binary digits of the weight of a label."""
UNITS_PER_NAT = 10_000
"""Weight of a factor e of a probability: probabilities are compared up to a factor of 1.0001 for each position."""
TIME_LIMIT_SECONDS = 20.0
"""Time for one search, in seconds."""
_ALLOWED, _WEIGHT, _WANTED, _DERIVED, _REACHED = (
    f"abduction_{name}" for name in ("allowed", "weight", "wanted", "derived", "reached")
)

_Allowed = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class ClingoAssignments:
    """Solver by clingo, in a child process.

    Attributes:
        declaration: The program.
        length: Number of positions.
        solver: Solver with the ground program.
        seconds: Time for one search, in seconds.
    """

    declaration: ProgramDeclaration
    length: int
    solver: ClingoSolver
    seconds: float = TIME_LIMIT_SECONDS

    @classmethod
    def load(cls, declaration: ProgramDeclaration, length: int) -> ClingoAssignments:
        """Ground a program with its labels as choices.

        Args:
            declaration: The program.
            length: Number of positions.

        Returns:
            The solver.

        Raises:
            KBError: The rules have errors.
        """
        with tempfile.TemporaryDirectory(prefix="abl-cards-program-") as folder:
            request = declaration.build_request(Path(folder), length, _choice_rules(declaration, length))
            inputs = [Input(_ALLOWED, None, 2), Input(_WEIGHT, None, 3)]
            inputs += [Input(f"{_WANTED}_{n}", None, arity) for n, (_, arity) in enumerate(declaration.results)]
            request = BuildRequest(request.files, (*request.inputs, *inputs), (), request.constants)
            return cls(declaration, length, ClingoSolver(request, declaration.limits or Limits()))

    @cached_property
    def result_rows(self) -> tuple[dict[tuple[Term, ...], int], ...]:
        """Input that requests each instance of each result predicate, by its arguments."""
        rows = self.solver.input_rows.items()
        return tuple(
            {atom.args: row for atom, row in rows if atom.name == f"{_WANTED}_{number}"}
            for number in range(len(self.declaration.results))
        )

    @cached_property
    def _label_rows(self) -> list[list[int]]:
        rows = self.solver.input_rows
        return [[rows[Atom(_ALLOWED, (p, term))] for term in self.declaration.terms] for p in range(self.length)]

    @cached_property
    def _weight_rows(self) -> NDArray[np.int64]:
        """int64[length, labels, bits] Inputs of the weights."""
        rows, terms = self.solver.input_rows, self.declaration.terms
        table = [
            [[rows[Atom(_WEIGHT, (p, term, bit))] for bit in range(WEIGHT_BITS)] for term in terms]
            for p in range(self.length)
        ]
        return np.array(table, np.int64)

    @cached_property
    def _labels_by_atom(self) -> dict[str, tuple[int, int]]:
        terms = enumerate(self.declaration.terms)
        name = self.declaration.symbol
        return {str(Atom(name, (p, term))): (p, label) for label, term in terms for p in range(self.length)}

    def read_context(self, x: object) -> list[int]:
        """Return the inputs that are true in the context of an example.

        Args:
            x: The example.

        Returns:
            Rows of inputs.

        Raises:
            GameError: A reader returns an atom that the program does not declare.
        """
        try:
            return [self.solver.find_input_row(str(atom)) for atom in self.declaration.context_atoms(x)]
        except KBError as error:
            raise GameError(f"context: {error}", ErrorCode.UNKNOWN_INPUT) from None

    def best(
        self, groups: Sequence[Groups], scores: NDArray[np.float64], context: Sequence[Sequence[int]], k: int
    ) -> NDArray[np.int16]:
        """Find the best assignments of examples; see `AssignmentSolver.best`."""
        out = np.full((len(groups), k, self.length), -1, np.int16)
        for row, (target, values, true_inputs) in enumerate(zip(groups, scores, context, strict=True)):
            weights = np.round(UNITS_PER_NAT * (values.max(axis=1, keepdims=True) - values)).astype(np.int64)
            weights = np.minimum(weights, (1 << WEIGHT_BITS) - 1)
            for rank, labels in enumerate(self._iter_best(target, weights, true_inputs, k)):
                out[row, rank] = labels
        return out

    def _iter_best(
        self, groups: Groups, weights: NDArray[np.int64], context: Sequence[int], k: int
    ) -> Iterable[tuple[int, ...]]:
        """Yield the best assignments; after each one, search its complement in parts (Lawler 1972)."""
        everything = tuple(tuple(range(len(self.declaration.terms))) for _ in range(self.length))
        heap: list[tuple[int, tuple[int, ...], _Allowed]] = []

        def search(allowed: _Allowed) -> None:
            if all(allowed):
                for labels in self._solve(groups, allowed, context, weights):
                    cost = int(weights[np.arange(self.length), labels].sum())
                    heapq.heappush(heap, (cost, labels, allowed))

        search(everything)
        for rank in range(k):
            if not heap:
                return
            _, labels, allowed = heapq.heappop(heap)
            yield labels
            for position in range(self.length if rank + 1 < k else 0):
                fixed = tuple((label,) for label in labels[:position])
                others = tuple(label for label in allowed[position] if label != labels[position])
                search((*fixed, others, *allowed[position + 1 :]))

    def revisions(
        self, groups: Groups, current: NDArray[np.int16], context: Sequence[int], most: int, more: int
    ) -> NDArray[np.int16]:
        """Find the consistent assignments with few changes; see `AssignmentSolver.revisions`."""
        labels = current.tolist()
        revised_labels: list[tuple[int, ...]] = []
        last = min(most, self.length)
        for revisions in range(last + 1):
            if revisions > last:
                break
            consistent = self._revise_exactly(groups, labels, context, revisions)
            if consistent and not revised_labels:
                last = min(last, revisions + more)
            revised_labels += consistent
        return np.array(revised_labels, np.int16).reshape(len(revised_labels), self.length)

    def _revise_exactly(
        self, groups: Groups, current: Sequence[int], context: Sequence[int], revisions: int
    ) -> list[tuple[int, ...]]:
        everything = range(len(self.declaration.terms))
        assignments: list[tuple[int, ...]] = []
        for positions in combinations(range(self.length), revisions):
            allowed = tuple(
                tuple(label for label in everything if label != old) if position in positions else (old,)
                for position, old in enumerate(current)
            )
            if all(allowed):
                assignments += sorted(self._solve(groups, allowed, context, None))
        return assignments

    def results(
        self, labels: Sequence[int], context: Sequence[int], groups: Groups
    ) -> set[tuple[tuple[Term, ...], ...]]:
        """Compute the results of an assignment in all answer sets.

        Args:
            labels: Label of each position.
            context: True context inputs.
            groups: Results to look for.

        Returns:
            The arguments of one atom of each result predicate, for all combinations of one answer set.

        Raises:
            GameError: The time ran out.
        """
        if not all(groups):
            return set()
        state = self._state(groups, tuple((label,) for label in labels), context, None)
        arities = [arity for _, arity in self.declaration.results]
        shown = frozenset(f"{_DERIVED}_{number}/{arity}" for number, arity in enumerate(arities))
        options = SolveOptions(max_models=0, optimal_only=False, shown_predicates=shown, seconds=self.seconds)
        answer = self.solver.solve([state], options)[0]
        if not answer.is_complete:
            raise _timeout(self.seconds)
        by_text = [
            {str(Atom(f"{_DERIVED}_{number}", args)): args for args in by_args}
            for number, by_args in enumerate(self.result_rows)
        ]
        results: set[tuple[tuple[Term, ...], ...]] = set()
        for atoms in answer.answers:
            results.update(product(*([texts[atom] for atom in atoms if atom in texts] for texts in by_text)))
        return results

    def _state(
        self, groups: Groups, allowed: _Allowed, context: Sequence[int], weights: NDArray[np.int64] | None
    ) -> list[int]:
        state = [*context, *(row for group in groups for row in group)]
        for rows, labels in zip(self._label_rows, allowed, strict=True):
            state += [rows[label] for label in labels]
        if weights is not None:
            bits = weights[:, :, None] >> np.arange(WEIGHT_BITS) & 1
            state += self._weight_rows[bits.astype(np.bool_)].tolist()
        return state

    def _solve(
        self, groups: Groups, allowed: _Allowed, context: Sequence[int], weights: NDArray[np.int64] | None
    ) -> Collection[tuple[int, ...]]:
        """Return the assignment of least weight, or without weights all assignments."""
        shown = frozenset({f"{self.declaration.symbol}/2"})
        options = SolveOptions(
            max_models=0 if weights is None else 1,
            optimal_only=weights is not None,
            shown_predicates=shown,
            seconds=self.seconds,
        )
        answer = self.solver.solve([self._state(groups, allowed, context, weights)], options)[0]
        is_done = answer.is_complete if weights is None else answer.satisfiable is False or answer.is_optimal
        if not is_done:
            raise _timeout(self.seconds)
        return {self._read_labels(atoms, allowed) for atoms in answer.answers}

    def _read_labels(self, atoms: Iterable[str], allowed: _Allowed) -> tuple[int, ...]:
        """Return the labels of an answer set, in which a label without alternative may be a fact."""
        labels = [only[0] for only in allowed]
        for atom in atoms:
            position, label = self._labels_by_atom[atom]
            labels[position] = label
        return tuple(labels)


def _choice_rules(declaration: ProgramDeclaration, length: int) -> str:
    """Return rules that choose one allowed label for each position, weigh it, and require results."""
    values = ";".join(map(str, declaration.terms))
    symbol, last = declaration.symbol, length - 1
    lines = [
        f"#external {_ALLOWED}(0..{last},({values})).",
        f"#external {_WEIGHT}(0..{last},({values}),0..{WEIGHT_BITS - 1}).",
        f"1 {{ {symbol}(P,V) : {_ALLOWED}(P,V) }} 1 :- P = 0..{last}.",
        f"cost(label(P,V,B),W) :- {symbol}(P,V), {_WEIGHT}(P,V,B), W = 2**B.",
    ]
    for number, (name, arity) in enumerate(declaration.results):
        variables = ",".join(f"A{index}" for index in range(arity))
        names = name, f"{_WANTED}_{number}", f"{_DERIVED}_{number}"
        result, requested_atom, derived = (f"{atom}({variables})" if arity else atom for atom in names)
        lines += [
            f"#external {requested_atom} : {result}.",
            f"{derived} :- {result}, {requested_atom}.",
            f"{_REACHED}_{number} :- {derived}.",
            f":- not {_REACHED}_{number}.",
        ]
    return "\n".join(lines) + "\n"


def _timeout(seconds: float) -> GameError:
    message = f"clingo found no optimum within {seconds:g} s (use fewer choices)"
    return GameError(message, ErrorCode.LIMIT_EXCEEDED)
