"""Any answer-set program as ABLkit's knowledge base (``abl-cards[learning]``).

>>> kb = ProgramKB("result(S) :- S = #sum { V,P : symbol(P,V) }.", list(range(10)))
>>> kb.logic_forward([3, 4])
7
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from math import isnan
from pathlib import Path
from typing import Any, cast

import numpy as np
from ablkit.reasoning import KBBase
from numpy.typing import NDArray

from abl_cards.asp import Limits, Term
from abl_cards.core import ErrorCode, GameError, call_part, check_functions, check_integer, check_list, check_number
from abl_cards.reasoners.abduction.assignment_search import (
    BLOCK_STATES,
    AssignmentSolver,
    CircuitSolver,
    Groups,
    PlanSolver,
    evaluate_assignments,
)
from abl_cards.reasoners.abduction.clingo_assignments import ClingoAssignments
from abl_cards.reasoners.abduction.probabilities import (
    check_batch,
    check_positions,
    check_pseudo_labels,
    log_probabilities,
    to_plain_result,
)
from abl_cards.reasoners.abduction.program_terms import term_to_value
from abl_cards.reasoners.abduction.programs import CompiledProgram, ContextReader, ProgramDeclaration

MAX_CACHED_TARGETS = 1 << 16
"""Most requested results whose outputs are remembered."""


Combination = tuple[tuple[Term, ...], ...]
"""Arguments of one atom of each output predicate."""


class ProgramKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Knowledge base of ABLkit whose rules are an answer-set program.

    The program reads the pseudo-labels of an example as ``symbol(Position,Value)``, with positions from 0, and derives
    its result. The constant ``length`` is the number of positions; the program is ground anew for each length.
    Programs without choices, disjunctions and negative loops are compiled to circuits; others are solved by clingo.

    Candidates are the distinct ones of ``KBBase._abduce_by_search`` in their order of first occurrence. With ``y=None``
    every result that the program derives is accepted, while ABLkit's own search then returns nothing.

    Attributes:
        declaration: The program with its inputs and outputs.
    """

    def __init__(
        self,
        program: str | Path,
        pseudo_label_list: Sequence[Any] | Mapping[Any, Term],
        *,
        pseudo_labels: str = "symbol(Position,Value)",
        results: str | Sequence[str] = "result/1",
        value: Callable[..., Any] | None = None,
        context: Mapping[str, ContextReader] | None = None,
        max_err: float = 1e-10,
        limits: Limits | None = None,
    ) -> None:
        """Declare a knowledge base; programs are ground when a length first occurs.

        Args:
            program: Path of a rule file, or a text of rules. Its ``#include`` must not leave the folder of the file.
            pseudo_label_list: Pseudo-labels in the order of the model's classes: integers and texts, or a mapping from
                any labels to terms of the program.
            pseudo_labels: Name of the input that holds the labels, with two variables.
            results: Output predicate, or several; one atom of each must be true for an example.
            value: Computes the result from the arguments of the output atom. By default the result is the argument
                itself, a tuple of several arguments, or True where the predicate has none. A list of predicates gives
                the tuple of their values; ``None`` as a part of a y stands for any value. Arguments for which the
                function returns None are not results.
            context: For each context input such as ``"given/1"`` a function that computes the arguments of its true
                atoms from an example X. The program declares the input by ``#external``.
            max_err: Largest difference of equal numbers.
            limits: Bounds on grounding in a child process, for untrusted files. None to ground in this process, with
                bounds only on the number of ground rules and their literals.

        Raises:
            GameError: A part of the declaration is malformed.
        """
        if isinstance(pseudo_label_list, (set, frozenset)):
            message = "pseudo_label_list is a set, which has no order: pass a list in the order of the model's classes"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        several = not isinstance(results, str)
        outputs = [results] if isinstance(results, str) else check_list("results", results)
        labels: Any = pseudo_label_list
        if not isinstance(labels, Mapping):
            labels = list(labels) if isinstance(labels, np.ndarray) else check_list("pseudo_label_list", labels)
        check_functions(value=value)
        max_err = check_number("max_err", max_err)
        self.declaration = ProgramDeclaration.parse(program, labels, pseudo_labels, outputs, context or {}, limits)
        if value is not None and len(outputs) > 1:
            message = "value= converts the arguments of one output predicate, but results= names several"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        self._has_several_results = several
        self._value = value
        self._label_index = {label: index for index, label in enumerate(labels)}
        self._programs: dict[int, _LengthProgram] = {}
        super().__init__(pseudo_label_list=list(labels), max_err=max_err, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[Any], x: Any = None) -> Any:
        """Compute the result of pseudo-labels.

        Args:
            pseudo_label: Label of each position.
            x: The example, for programs with context.

        Returns:
            The result; None where the program derives none or a constraint is violated.

        Raises:
            GameError: A label is unknown, the context is missing, or the program derives several results.
        """
        labels = self._indices(pseudo_label)
        program = self._program(len(labels))
        combinations = program.derived(labels[None], program.read_context(x))[0]
        values = [value for args in combinations if (value := self.make_value(args)) is not None]
        others = [value for value in values[1:] if value != values[0]]
        if others:
            message = f"the program derives several results, such as {values[0]!r} and {others[0]!r}"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        return values[0] if values else None

    def abduce_candidates(
        self, pseudo_label: Sequence[Any], y: Any, x: Any, max_revision_num: int, require_more_revision: int
    ) -> tuple[list[list[Any]], list[Any]]:
        """Find the consistent revisions with the fewest changes.

        Args:
            pseudo_label: Labels to revise.
            y: Result to reach; None for any result.
            x: The example.
            max_revision_num: Most labels to change.
            require_more_revision: Changes beyond the least number that gives a candidate.

        Returns:
            The distinct candidates of ``KBBase._abduce_by_search`` in order of first occurrence, and their results.

        Raises:
            GameError: A label is unknown, the context is missing, or a number is not an integer.
        """
        current = self._indices(pseudo_label)
        program = self._program(len(current))
        context = program.read_context(x)
        most = check_integer("max_revision_num", max_revision_num)
        more = check_integer("require_more_revision", require_more_revision)
        revised_labels = program.solver.revisions(program.groups(y), current, context, max(most, 0), max(more, 0))
        return self._candidates(program, revised_labels, y, context)

    def revise_at_idx(
        self, pseudo_label: Sequence[Any], y: Any, x: Any, revision_idx: Sequence[int] | NDArray[np.integer]
    ) -> tuple[list[list[Any]], list[Any]]:
        """Find the consistent revisions at given positions.

        Args:
            pseudo_label: Labels to revise.
            y: Result to reach; None for any result.
            x: The example.
            revision_idx: Positions that may change.

        Returns:
            Candidates in the order of ``KBBase.revise_at_idx``, and their results.

        Raises:
            GameError: A position is not a whole number, or lies beyond the example.
        """
        current = self._indices(pseudo_label)
        program, positions = self._program(len(current)), check_positions(revision_idx, len(current))
        context = program.read_context(x)
        groups, revised_blocks = program.groups(y), [np.empty((0, len(current)), np.int16)]
        choices = product(range(len(self.pseudo_label_list)), repeat=len(positions))
        while block := list(islice(choices, BLOCK_STATES)):
            assignments = np.repeat(current[None], len(block), axis=0)
            for position, chosen in zip(positions, np.array(block, np.int16).reshape(len(block), -1).T, strict=True):
                assignments[:, position] = chosen
            revised_blocks.append(assignments[program.are_consistent(assignments, groups, context)])
        return self._candidates(program, np.concatenate(revised_blocks), y, context)

    def abduce_batch(
        self,
        probabilities: Sequence[NDArray[np.floating]] | NDArray[np.floating],
        y: Sequence[Any] | NDArray[Any] | None = None,
        *,
        k: int = 1,
        x: Sequence[Any] | None = None,
    ) -> NDArray[np.int16]:
        """Find the most probable consistent labels of many examples, under independent probabilities.

        Args:
            probabilities: float[length, labels] for each example, in the order of ``pseudo_label_list``; lengths may
                differ. Values below 1e-30 count as 1e-30.
            y: Result of each example, None for any result; None for any results of all examples.
            k: Number of assignments of an example.
            x: The examples, for programs with context.

        Returns:
            int16[examples, k, length] Indices of labels, the most probable assignment first. -1 fills positions beyond
            the length of an example, and assignments where there are fewer than k.

        Raises:
            GameError: The number of results, the shape of probabilities or one of them is wrong.
        """
        by_length = check_batch(probabilities, y, x, k, len(self.pseudo_label_list))
        num_examples = len(probabilities)
        targets = [None] * num_examples if y is None else y
        examples = [None] * num_examples if x is None else x
        out = np.full((num_examples, k, max(by_length, default=0)), -1, np.int16)
        for length, rows in by_length.items():
            program = self._program(length)
            scores = log_probabilities(probabilities, rows)
            groups = [program.groups(targets[row]) for row in rows]
            context = [program.read_context(examples[row]) for row in rows]
            out[rows, :, :length] = program.solver.best(groups, scores, context, k)
        return out

    def _candidates(
        self, program: _LengthProgram, assignments: NDArray[np.int16], y: Any, context: Sequence[int]
    ) -> tuple[list[list[Any]], list[Any]]:
        """Return assignments as labels, and their results."""
        candidates = [[self.pseudo_label_list[label] for label in labels] for labels in assignments.tolist()]
        only = program.only_result(y)
        if only is not None:
            return candidates, [only] * len(candidates)
        derived = program.derived(assignments, context, program.groups(y)) if candidates else []
        return candidates, [self.make_value(combinations[0]) for combinations in derived]

    def _indices(self, pseudo_label: Sequence[Any]) -> NDArray[np.int16]:
        labels = check_pseudo_labels(pseudo_label)
        try:
            return np.array([self._label_index[label] for label in labels], np.int16)
        except (KeyError, TypeError):
            message = f"pseudo-labels {labels!r}: one of them is not in pseudo_label_list"
            raise GameError(message, ErrorCode.INVALID_VALUE) from None

    def _program(self, length: int) -> _LengthProgram:
        if length not in self._programs:
            if length == 0:
                raise GameError("an example without positions has no program", ErrorCode.INVALID_VALUE)
            self._programs[length] = _LengthProgram(self, length)
        return self._programs[length]

    def make_value(self, args: Sequence[tuple[Term, ...]]) -> Any:
        """Convert the arguments of output atoms to a result.

        Args:
            args: Arguments of one atom of each output predicate.

        Returns:
            The result.

        Raises:
            GameError: ``value=`` fails.
        """
        if self._value is not None:
            values = [term_to_value(term) for terms in args for term in terms]
            subject, value = f"value= (None is no result) for the output arguments {values}", self._value
            return call_part(subject, value, lambda: value(*values), ErrorCode.INVALID_VALUE)
        values = [_default_value(terms) for terms in args]
        return tuple(values) if self._has_several_results else values[0]

    def find_matches(self, y: Any, values: Iterable[Any]) -> list[bool]:
        """Return for each result whether it equals y up to `max_err`, as ``_check_equal`` of ABLkit."""
        return [bool(self._check_equal(value, y)) for value in values]


def _default_value(terms: tuple[Term, ...]) -> Any:
    if not terms:
        return True
    return term_to_value(terms[0]) if len(terms) == 1 else tuple(map(term_to_value, terms))


@dataclass(eq=False)
class _LengthProgram:
    """Program of a knowledge base for one length."""

    kb: ProgramKB
    length: int
    solver: AssignmentSolver = field(init=False)
    compiled: CompiledProgram | None = field(init=False)
    _targets: dict[Hashable, Groups] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        declaration = self.kb.declaration
        self.compiled = CompiledProgram.load(declaration, self.length)
        if self.compiled is None:
            self.solver = ClingoAssignments.load(declaration, self.length)
        else:
            self.solver = PlanSolver.of(self.compiled) or CircuitSolver(self.compiled)

    @property
    def result_rows(self) -> tuple[dict[tuple[Term, ...], int], ...]:
        return self.compiled.result_rows if self.compiled else cast(ClingoAssignments, self.solver).result_rows

    @cached_property
    def _values(self) -> dict[int, Any]:
        """Results that a single output predicate can give, by row."""
        return {row: self.kb.make_value([args]) for args, row in self.result_rows[0].items()}

    @cached_property
    def _numbers(self) -> tuple[list[float], list[int]]:
        """Numbers among the results, sorted, and their rows."""
        values = self._values.items()
        pairs = sorted((value, row) for row, value in values if isinstance(value, (int, float)) and not isnan(value))
        return [value for value, _ in pairs], [row for _, row in pairs]

    def read_context(self, x: Any) -> list[int]:
        """Return the true context inputs of an example."""
        if not self.kb.declaration.context:
            return []
        if x is None:
            message = "the program has context inputs, but there is no example to read them from"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        if self.compiled is not None:
            return self.compiled.read_context(x)
        return cast(ClingoAssignments, self.solver).read_context(x)

    def groups(self, y: Any) -> Groups:
        """Return the outputs of which one must hold, for each output predicate."""
        if getattr(y, "ndim", 0) > 0:  # an array
            y = tuple(y.tolist())
        elif isinstance(y, list) and len(self.result_rows) > 1:
            y = tuple(y)
        y = to_plain_result(y)
        try:
            key: Hashable = (type(y), y, self.kb.max_err)
            if (groups := self._targets.get(key)) is not None:
                return groups
        except TypeError:  # y is not hashable
            return self._find_groups(y)
        if len(self._targets) >= MAX_CACHED_TARGETS:
            self._targets.clear()
        groups = self._targets[key] = self._find_groups(y)
        return groups

    def _find_groups(self, y: Any) -> Groups:
        rows = [list(by_args.values()) for by_args in self.result_rows]
        if y is None:
            if len(rows) == 1:
                return (tuple(row for row, value in self._values.items() if value is not None),)
            return tuple(map(tuple, rows))
        if len(rows) == 1:
            return (tuple(self._matching_rows(y)),)
        if not isinstance(y, (tuple, list)) or len(y) != len(rows):
            return ((),)
        groups = []
        for part, by_args in zip(y, self.result_rows, strict=True):
            values = [None if part is None else _default_value(args) for args in by_args]
            matches = [True] * len(values) if part is None else self.kb.find_matches(part, values)
            groups.append(tuple(row for row, is_match in zip(by_args.values(), matches, strict=True) if is_match))
        return tuple(groups)

    def _matching_rows(self, y: Any) -> list[int]:
        is_plain = type(self.kb).find_matches is ProgramKB.find_matches
        if is_plain and isinstance(y, (int, float)) and type(self.kb)._check_equal is KBBase._check_equal:
            values, sorted_rows = self._numbers
            slack = self.kb.max_err + 1e-9 * (abs(y) + self.kb.max_err)  # exact comparison follows
            span = slice(bisect_left(values, y - slack), bisect_right(values, y + slack))
            matches = self.kb.find_matches(y, values[span])
            return sorted(row for row, is_match in zip(sorted_rows[span], matches, strict=True) if is_match)
        matches = self.kb.find_matches(y, self._values.values())
        return [row for row, is_match in zip(self._values, matches, strict=True) if is_match]

    def only_result(self, y: Any) -> Any:
        """Return the result of all candidates, where the outputs leave one; else None."""
        groups = self.groups(y)
        if len(groups) != 1 or len(groups[0]) != 1:
            return None
        return self._values[groups[0][0]]

    def are_consistent(
        self, assignments: NDArray[np.int16], groups: Groups, context: Sequence[int]
    ) -> NDArray[np.bool_]:
        """Return bool[n] whether assignments lead to the requested results."""
        if self.compiled is None:
            solver = cast(ClingoAssignments, self.solver)
            is_reachable = [len(solver.revisions(groups, labels, context, 0, 0)) > 0 for labels in assignments]
            return np.array(is_reachable, np.bool_)
        return CircuitSolver(self.compiled).are_consistent(assignments, groups, context)

    def derived(
        self, assignments: NDArray[np.int16], context: Sequence[int], groups: Groups | None = None
    ) -> list[list[Combination]]:
        """Return the results of each assignment, by the arguments of output atoms; only those of `groups` if given."""
        if groups is None:
            groups = tuple(tuple(by_args.values()) for by_args in self.result_rows)
        if self.compiled is None:
            solver = cast(ClingoAssignments, self.solver)
            return [sorted(solver.results(labels.tolist(), context, groups), key=str) for labels in assignments]
        out = evaluate_assignments(self.compiled, assignments, context)
        valid: NDArray[np.bool_] = ~np.any(out[self.compiled.violation_rows], axis=0)
        columns = []
        for by_args, group in zip(self.result_rows, groups, strict=True):
            args = {row: terms for terms, row in by_args.items()}
            rows = np.array(group, np.int64)
            columns.append([[args[row] for row in rows[column].tolist()] for column in out[rows].T])
        return [
            list(product(*parts)) if is_valid else [] for is_valid, *parts in zip(valid.tolist(), *columns, strict=True)
        ]
