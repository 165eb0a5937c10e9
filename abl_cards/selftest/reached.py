"""What play brings together, question by question: values of fluents, events, and whether a seat leads or answers.

A search over all inputs may find a state that no play comes to, such as a lock that only a trick can set where nobody
has played. Pairs of features that no match had are excluded first, see ``Reached.axioms``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Choices, Decisions
from abl_cards.games.moment import is_play
from abl_cards.games.play.state import NOTHING
from abl_cards.games.reading.fluents import COUNT, NONE, ONE
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.columns import AT_LEAST, EQUAL, EVENTS, Test, test_of
from abl_cards.games.telling.situations import MOST_VALUES
from abl_cards.games.telling.writer import Fill
from abl_cards.logic import Atom
from abl_cards.logic.miter import Axioms, Encoding, Search, Verdict
from abl_cards.selftest.possible import possible

_MANY, _EACH = 200, 8
"""After so many states of a question one in so many is noted."""
_ACTS = ("choice", "move")
_MOST_KNOWN = 1 << 16
ASKED_OF_MOVES = ("beliefs", "preferences")
"""Questions that are told more than what lies on the table where a seat decides."""


@dataclass(frozen=True)
class Feature:
    """A number of a state, and the classes of values that are told apart."""

    group: str
    columns: tuple[int, ...]  # several only where it is whether any of them is above the first class
    lowest: int  # lower values are in the first class
    table: NDArray[np.int64]  # [values] the class of each value from the lowest on; that of higher ones is the last

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.table.max()) + 1

    def classes(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """[n] the classes of values [columns, n]."""
        found: NDArray[np.int64] = self.table[(values.max(axis=0) - self.lowest).clip(0, len(self.table) - 1)]
        return found

    def is_first(self, value: int, how: int) -> bool:
        """Whether the values that pass a test are those of the class of this value, or with those of higher ones."""
        place = value - self.lowest
        if not 0 <= place < len(self.table):
            return False
        alone = how == AT_LEAST or (self.table == self.table[place]).sum() == 1
        return alone and (place == 0 or self.table[place - 1] != self.table[place])


def features_of(rules: Rules, question: str) -> list[Feature]:
    """What is told apart in the states of a question."""
    told, events, fluents = QUESTIONS[question].told, (len(EVENTS), len(rules.words.stages)), rules.fluents.fluents
    found = [Feature("trick", (0,), NOTHING, _kinds(rules))] if "trick" in told else []
    if "acts" in told:
        found.append(Feature("acts", (0,), 0, np.arange(2)))
    if "event" in told:
        found += [Feature("event", (column,), -1, np.arange(n + 1)) for column, n in enumerate(events)]
    for fluent in fluents if "fluents" in told else ():
        lowest = NONE if fluent.manner == ONE else 0
        size = {ONE: len(fluent.values) + 1, COUNT: 3}.get(fluent.manner, 2)
        if size * len(fluent.slots) > MOST_VALUES:
            found.append(Feature("fluents", tuple(fluent.slots), lowest, np.arange(2)))
        else:
            found += [Feature("fluents", (slot,), lowest, np.arange(size)) for slot in fluent.slots]
    return found


def _kinds(rules: Rules) -> NDArray[np.int64]:
    """[2 + forms] of what may be to beat: no play is decided, a seat leads, or the kind of the form."""
    numbers: dict[object, int] = {}
    kinds = [numbers.setdefault(form.kind, len(numbers)) for form in rules.forms.forms]
    return np.array([0, 1, *(2 + kind for kind in kinds)])


def questions_of(decisions: Decisions | Choices) -> tuple[str, ...]:
    """The questions that are asked where seats decide."""
    return (*(("play", "order", "beats", "hands") if is_play(decisions) else ("option",)), *ASKED_OF_MOVES)


@dataclass
class Reached:
    """What was met in play, as a listener of ``WatchedTables``."""

    rules: Rules
    _together: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # by question, [classes, classes]
    _known: set[tuple[str, bytes]] = field(default_factory=set, repr=False)  # states that were noted before
    _calls: Counter[str] = field(default_factory=Counter)

    @cached_property
    def features(self) -> Mapping[str, Sequence[Feature]]:
        """By question."""
        return {name: features_of(self.rules, name) for name in QUESTIONS}

    @cached_property
    def _most(self) -> NDArray[np.int16]:
        """[slots] the largest value of each fluent so far."""
        return self.rules.fluents.nothing.copy()

    def saw(self, question: str, n: int, fills: Mapping[str, Fill]) -> None:
        """Note the states of n tables about which a question is asked."""
        self._calls[question] += 1
        if not n or (self._calls[question] > _MANY and self._calls[question] % _EACH):
            return
        fluents = _read(fills, "fluents", range(len(self._most) if "fluents" in QUESTIONS[question].told else 0), n)
        if len(fluents):
            np.maximum(self._most, fluents.max(axis=1), out=self._most)
        features = self.features[question]
        if not features:
            return
        classes, first = np.empty((len(features), n), np.int16), 0
        for place, feature in enumerate(features):
            if feature.group == "fluents":
                values = fluents[list(feature.columns)]
            else:
                values = _read(fills, feature.group, feature.columns, n)
            classes[place] = first + feature.classes(values)
            first += feature.number
        rows = {row.tobytes(): row for row in classes.T}
        new = [row for key, row in rows.items() if (question, key) not in self._known]
        if not new:
            return
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()  # they are noted once more
        self._known |= {(question, key) for key in rows}
        every = np.zeros((len(new), first), np.float32)
        every[np.arange(len(new))[:, None], np.array(new)] = 1
        met: NDArray[np.bool_] = (every.T @ every).astype(np.bool_)
        self._together[question] = met | self._together.get(question, False)

    def decides(self, decisions: Decisions | Choices) -> None:
        """Note states in which seats decide, for the questions that are asked there."""
        for question in questions_of(decisions) if len(decisions.which) else ():
            self.saw(question, len(decisions.which), decisions.fills)

    def search(self, question: str, run: Callable[[Axioms], Search]) -> tuple[Search, bool]:
        """Run a search in the states of a question; whether play comes to what it found is returned too.

        Where these have none, the state that was found at first is returned. A proof that there is none, or that time
        ran out, needs no second search.
        """
        anywhere = run(possible(self.rules))
        if anywhere.verdict is not Verdict.FOUND or not self.features[question]:
            return anywhere, True
        if question not in self._together:  # play never asks it
            return anywhere, False
        met = run(self.axioms(question))
        if met.verdict is Verdict.NONE:
            return anywhere, False
        return met, True

    def axioms(self, question: str) -> Axioms:
        """What is true of the states of a question that play comes to, as far as is known."""
        return lambda encoding: _Met(self, question, encoding).add()

    def together(self, question: str) -> NDArray[np.bool_]:
        """[classes, classes] which classes of the features of a question some state had."""
        return self._together[question]

    def at_most(self, slot: int) -> int:
        """The largest value of a fluent that was met."""
        return int(self._most[slot])


def _read(fills: Mapping[str, Fill], group: str, columns: Sequence[int], n: int) -> NDArray[np.int16]:
    """[columns, n] some columns of a group; where it is not filled, what stands for nothing."""
    values = np.full((len(columns), n), NOTHING if group == "trick" else -1, np.int16)
    if group in fills:
        fills[group](0, n, values, np.array(columns, np.int64))
    return values


@dataclass
class _Met:
    """Excludes from a search the states that have two features which no state had in play."""

    reached: Reached
    question: str
    encoding: Encoding

    def add(self) -> None:
        """Exclude them, beside what is true of all states."""
        tests = list(self._tests())
        read = {(test.group, test.column) for atom, test in tests if atom in self.encoding.inputs}
        features = [
            (feature, first)
            for feature, first in self._numbered()
            if feature.group != "fluents" or any(("fluents", column) in read for column in feature.columns)
        ]
        there = {(feature.group, column) for feature, _ in features for column in feature.columns}
        mine = [(atom, test) for atom, test in tests if (test.group, test.column) in there or test.group in _ACTS]
        for atom, test in mine:
            if test.group not in ("fluents", *_ACTS):  # so that the state can be shown
                self.encoding.input(atom)
        possible(self.reached.rules, lying=True)(self.encoding)
        self._pairs([(first, self._classes(feature, mine)) for feature, first in features])
        for atom, test in mine:
            if test.group == "fluents" and test.how == AT_LEAST and test.value > self.reached.at_most(test.column):
                self.encoding.never(self.encoding.input(atom))

    def _tests(self) -> Iterator[tuple[Atom, Test]]:
        rules = self.reached.rules
        told = QUESTIONS[self.question].told
        for atom in rules.kb.input_atoms:
            test = test_of(rules.words, atom)
            if test and test.group in told:
                yield atom, test

    def _numbered(self) -> Iterator[tuple[Feature, int]]:
        """The features, each with the number of its first class."""
        first = 0
        for feature in self.reached.features[self.question]:
            yield feature, first
            first += feature.number

    def _classes(self, feature: Feature, tests: Sequence[tuple[Atom, Test]]) -> list[int]:
        """A literal for each class of a feature, of which one is true; inputs agree with them."""
        encoding = self.encoding
        literals = [encoding.choice() for _ in range(feature.number)]
        encoding.one_of(literals)
        forms = []
        for atom, test in tests:
            if test.group != feature.group or test.column not in feature.columns:
                continue
            number, held = int(feature.classes(np.array([[test.value]]))[0]), encoding.input(atom)
            for other, literal in enumerate(literals):
                if other < number or (other > number and test.how == EQUAL):
                    encoding.never(held, literal)
                elif len(feature.columns) == 1 and feature.is_first(test.value, test.how):
                    encoding.never(literal, -held)
            forms += [held] if test.how == EQUAL and test.value >= 0 else []
        if feature.group == "trick":
            self._acts(literals, tests)
            if len(forms) >= len(self.reached.rules.forms) - 1:  # no pass is to beat
                for literal in literals[2:]:
                    encoding.never(literal, *(-held for held in forms))
        return literals

    def _acts(self, literals: Sequence[int], tests: Sequence[tuple[Atom, Test]]) -> None:
        """Options are chosen, and cards laid, where that is decided; literals as of the play to beat."""
        elsewhere = {"choice": literals[1:], "move": literals[:1]}
        for atom, test in tests:
            for literal in elsewhere.get(test.group, ()):
                if atom in self.encoding.inputs:
                    self.encoding.never(self.encoding.input(atom), literal)

    def _pairs(self, features: Sequence[tuple[int, list[int]]]) -> None:
        together, never = self.reached.together(self.question), self.encoding.never
        alone = together.diagonal()
        for first, literals in features:
            for number in np.flatnonzero(~alone[first : first + len(literals)]).tolist():
                never(literals[number])
        for (one, ours), (other, theirs) in combinations(features, 2):
            block = together[one : one + len(ours), other : other + len(theirs)]
            single = np.outer(alone[one : one + len(ours)], alone[other : other + len(theirs)])
            for here, there in np.argwhere(~block & single).tolist():
                never(ours[here], theirs[there])
