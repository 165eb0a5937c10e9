"""States reached in play, by query: values of fluents, events, and whether a seat leads or follows.

A search over all inputs may find an unreachable state, such as a flag that only a trick can set before any play. Pairs
of features that no match had are excluded first, see ``ReachedStates.make_axioms``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import Axioms, MiterEncoding, MiterResult, MiterStatus
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import (
    AT_LEAST,
    COUNTER,
    EQUAL,
    EVENTS,
    NO_VALUE,
    QUERY_SPECS,
    SINGLE_VALUED,
    ColumnTest,
    ColumnWriter,
    find_test,
)
from abl_cards.games.sampling import MAX_VALUES
from abl_cards.games.state import NOT_PLAYING
from abl_cards.games.tables import Choices, Decisions, is_play_decision
from abl_cards.rulelab.testing.state_axioms import make_state_axioms

_FULL_RECORDING_CALLS, _RECORDING_INTERVAL = 200, 8
"""Calls per query that are recorded in full; afterwards one in _RECORDING_INTERVAL is."""
_ACTION_GROUPS = ("choice", "move")
_MAX_KNOWN = 1 << 16
MOVE_QUESTIONS = ("beliefs", "preferences")
"""Queries whose inputs include more than the public state at a decision."""


@dataclass(frozen=True)
class StateFeature:
    """A number of a state, and the classes of values that rules distinguish."""

    group: str
    columns: tuple[int, ...]  # several columns share the two classes "all lowest" and "any higher"
    min_value: int  # lower values are in the first class
    value_classes: NDArray[np.int64]  # [values] class of each value from min_value on; higher ones are in the last

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return int(self.value_classes.max()) + 1

    def classify(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the classes [n] of values [columns, n]."""
        classes: NDArray[np.int64] = self.value_classes[
            (values.max(axis=0) - self.min_value).clip(0, len(self.value_classes) - 1)
        ]
        return classes

    def is_class_start(self, value: int, comparison: int) -> bool:
        """Return whether a comparison separates this value from the lower ones."""
        index = value - self.min_value
        if not 0 <= index < len(self.value_classes):
            return False
        is_separate = comparison == AT_LEAST or (self.value_classes == self.value_classes[index]).sum() == 1
        return is_separate and (index == 0 or self.value_classes[index - 1] != self.value_classes[index])


def list_features(rules: CompiledGame, question: str) -> list[StateFeature]:
    """List the features of a state that the rules of a query distinguish."""
    groups, events, fluents = (
        QUERY_SPECS[question].input_groups,
        (len(EVENTS), len(rules.schema.stages)),
        rules.fluents.fluents,
    )
    features = [StateFeature("trick", (0,), NOT_PLAYING, _trick_classes(rules))] if "trick" in groups else []
    if "acts" in groups:
        features.append(StateFeature("acts", (0,), 0, np.arange(2)))
    if "event" in groups:
        features += [StateFeature("event", (column,), -1, np.arange(count + 1)) for column, count in enumerate(events)]
    for fluent in fluents if "fluents" in groups else ():
        lowest = NO_VALUE if fluent.value_type == SINGLE_VALUED else 0
        size = {SINGLE_VALUED: len(fluent.values) + 1, COUNTER: 3}.get(fluent.value_type, 2)
        if size * len(fluent.slots) > MAX_VALUES:
            features.append(StateFeature("fluents", tuple(fluent.slots), lowest, np.arange(2)))
        else:
            features += [StateFeature("fluents", (slot,), lowest, np.arange(size)) for slot in fluent.slots]
    return features


def _trick_classes(rules: CompiledGame) -> NDArray[np.int64]:
    """Return the class of each play to beat [2 + forms]: no play decision, a lead, or the kind of the form."""
    class_by_kind: dict[object, int] = {}
    kinds = [class_by_kind.setdefault(form.kind, len(class_by_kind)) for form in rules.forms.forms]
    return np.array([0, 1, *(2 + kind for kind in kinds)])


def list_questions(decisions: Decisions | Choices) -> tuple[str, ...]:
    """List the queries at decisions of seats."""
    return (*(("play", "order", "beats", "hands") if is_play_decision(decisions) else ("option",)), *MOVE_QUESTIONS)


@dataclass
class ReachedStates:
    """States reached in play, recorded as a listener of ``TracedTables``."""

    rules: CompiledGame
    _class_pairs: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # by query, [classes, classes]
    _known_states: set[tuple[str, bytes]] = field(default_factory=set, repr=False)  # states already recorded
    _call_counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def features(self) -> Mapping[str, Sequence[StateFeature]]:
        """Features of states by query."""
        return {name: list_features(self.rules, name) for name in QUERY_SPECS}

    @cached_property
    def _max_values(self) -> NDArray[np.int16]:
        """Largest value of each fluent so far, [slots]."""
        return self.rules.fluents.defaults.copy()

    def record_states(self, question: str, num_states: int, writers: Mapping[str, ColumnWriter]) -> None:
        """Record the states of n tables for a query."""
        self._call_counts[question] += 1
        if not num_states or (
            self._call_counts[question] > _FULL_RECORDING_CALLS and self._call_counts[question] % _RECORDING_INTERVAL
        ):
            return
        fluents = _read_columns(
            writers,
            "fluents",
            range(len(self._max_values) if "fluents" in QUERY_SPECS[question].input_groups else 0),
            num_states,
        )
        if len(fluents):
            np.maximum(self._max_values, fluents.max(axis=1), out=self._max_values)
        features = self.features[question]
        if not features:
            return
        classes, first = np.empty((len(features), num_states), np.int16), 0
        for index, feature in enumerate(features):
            if feature.group == "fluents":
                values = fluents[list(feature.columns)]
            else:
                values = _read_columns(writers, feature.group, feature.columns, num_states)
            classes[index] = first + feature.classify(values)
            first += feature.num_classes
        rows = {row.tobytes(): row for row in classes.T}
        new = [row for key, row in rows.items() if (question, key) not in self._known_states]
        if not new:
            return
        if len(self._known_states) > _MAX_KNOWN:
            self._known_states.clear()  # bounds memory; states are recorded again
        self._known_states |= {(question, key) for key in rows}
        one_hot = np.zeros((len(new), first), np.float32)
        one_hot[np.arange(len(new))[:, None], np.array(new)] = 1
        pairs: NDArray[np.bool_] = (one_hot.T @ one_hot).astype(np.bool_)
        self._class_pairs[question] = pairs | self._class_pairs.get(question, False)

    def record_decisions(self, decisions: Decisions | Choices) -> None:
        """Record the states of decisions, for the queries evaluated there."""
        for question in list_questions(decisions) if len(decisions.rows) else ():
            self.record_states(question, len(decisions.rows), decisions.column_writers)

    def search(self, question: str, run: Callable[[Axioms], MiterResult]) -> tuple[MiterResult, bool]:
        """Run a search in all states and, if it finds one, in the reached states of a query.

        Returns:
            Result, and whether the state found may be reached in play. Without a reached state, the result of the
            search in all states.
        """
        unrestricted = run(make_state_axioms(self.rules))
        if unrestricted.status is not MiterStatus.FOUND or not self.features[question]:
            return unrestricted, True
        if question not in self._class_pairs:  # play never evaluates the query
            return unrestricted, False
        restricted = run(self.make_axioms(question))
        if restricted.status is MiterStatus.NONE:
            return unrestricted, False
        return restricted, True

    def make_axioms(self, question: str) -> Axioms:
        """Return axioms that the reached states of a query satisfy."""
        return lambda encoding: _ReachedAxioms(self, question, encoding).add()

    def reached_class_pairs(self, question: str) -> NDArray[np.bool_]:
        """Return which pairs of classes [classes, classes] occurred in one state of a query."""
        return self._class_pairs[question]

    def max_value(self, slot: int) -> int:
        """Return the largest value of a fluent slot so far."""
        return int(self._max_values[slot])


def _read_columns(writers: Mapping[str, ColumnWriter], group: str, columns: Sequence[int], n: int) -> NDArray[np.int16]:
    """Read columns of a group [columns, n]; a group that is not supplied has its empty value."""
    values = np.full((len(columns), n), NOT_PLAYING if group == "trick" else -1, np.int16)
    if group in writers:
        writers[group](0, n, values, np.array(columns, np.int64))
    return values


@dataclass
class _ReachedAxioms:
    """Axioms that exclude states with two features that no state of play had together."""

    reached: ReachedStates
    question: str
    encoding: MiterEncoding

    def add(self) -> None:
        """Add the axioms of reached states and those of all states."""
        tests = list(self._input_tests())
        read = {(test.group, test.column) for atom, test in tests if atom in self.encoding.inputs}
        features = [
            (feature, first)
            for feature, first in self._numbered_features()
            if feature.group != "fluents" or any(("fluents", column) in read for column in feature.columns)
        ]
        columns = {(feature.group, column) for feature, _ in features for column in feature.columns}
        relevant = [
            (atom, test) for atom, test in tests if (test.group, test.column) in columns or test.group in _ACTION_GROUPS
        ]
        for atom, test in relevant:
            if test.group not in ("fluents", *_ACTION_GROUPS):  # so that a found state is complete
                self.encoding.input_atom(atom)
        make_state_axioms(self.reached.rules, exclude_trick_cards=True)(self.encoding)
        self._exclude_pairs([(first, self._add_classes(feature, relevant)) for feature, first in features])
        for atom, test in relevant:
            if (
                test.group == "fluents"
                and test.comparison == AT_LEAST
                and test.value > self.reached.max_value(test.column)
            ):
                self.encoding.forbid(self.encoding.input_atom(atom))

    def _input_tests(self) -> Iterator[tuple[Atom, ColumnTest]]:
        rules = self.reached.rules
        groups = QUERY_SPECS[self.question].input_groups
        for atom in rules.kb.input_atoms:
            test = find_test(rules.schema, atom)
            if test and test.group in groups:
                yield atom, test

    def _numbered_features(self) -> Iterator[tuple[StateFeature, int]]:
        """Yield the features, each with the index of its first class."""
        first = 0
        for feature in self.reached.features[self.question]:
            yield feature, first
            first += feature.num_classes

    def _add_classes(self, feature: StateFeature, tests: Sequence[tuple[Atom, ColumnTest]]) -> list[int]:
        """Make a literal for each class of a feature, exactly one of them true, and tie the inputs to them."""
        encoding = self.encoding
        literals = [encoding.new_choice() for _ in range(feature.num_classes)]
        encoding.require_one_of(literals)
        forms = []
        for atom, test in tests:
            if test.group != feature.group or test.column not in feature.columns:
                continue
            index, input_literal = int(feature.classify(np.array([[test.value]]))[0]), encoding.input_atom(atom)
            for class_index, literal in enumerate(literals):
                if class_index < index or (class_index > index and test.comparison == EQUAL):
                    encoding.forbid(input_literal, literal)
                elif len(feature.columns) == 1 and feature.is_class_start(test.value, test.comparison):
                    encoding.forbid(literal, -input_literal)
            forms += [input_literal] if test.comparison == EQUAL and test.value >= 0 else []
        if feature.group == "trick":
            self._add_actions(literals, tests)
            if len(forms) >= len(self.reached.rules.forms) - 1:  # all forms but the pass are inputs
                for literal in literals[2:]:
                    encoding.forbid(literal, *(-input_literal for input_literal in forms))
        return literals

    def _add_actions(self, literals: Sequence[int], tests: Sequence[tuple[Atom, ColumnTest]]) -> None:
        """Forbid inputs about options at plays, and about moves at choices; literals are those of the trick."""
        excluded = {"choice": literals[1:], "move": literals[:1]}
        for atom, test in tests:
            for literal in excluded.get(test.group, ()):
                if atom in self.encoding.inputs:
                    self.encoding.forbid(self.encoding.input_atom(atom), literal)

    def _exclude_pairs(self, features: Sequence[tuple[int, list[int]]]) -> None:
        pairs, forbid = self.reached.reached_class_pairs(self.question), self.encoding.forbid
        occurs = pairs.diagonal()
        for first, literals in features:
            for index in np.flatnonzero(~occurs[first : first + len(literals)]).tolist():
                forbid(literals[index])
        for (start, ours), (other_start, theirs) in combinations(features, 2):
            block = pairs[start : start + len(ours), other_start : other_start + len(theirs)]
            single = np.outer(occurs[start : start + len(ours)], occurs[other_start : other_start + len(theirs)])
            for row, column in np.argwhere(~block & single).tolist():
                forbid(ours[row], theirs[column])
