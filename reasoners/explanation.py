"""Why a move: what each preference says of it, and what speaks for and against the next best.

Everything is read off the circuits that choose the move; nothing is worked out a second time. An agent that has learned
adds its opinion: then labels go by their probability, and the preferences choose among the card sets of the likeliest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Action, Engine, Judge, Moment, counting
from abl_cards.games.moment import is_play
from abl_cards.logic import Constraint
from reasoners.minimiser import Minimiser
from reasoners.opinion import Ahead, Opinion
from reasoners.phrases import Phrasebook

T = TypeVar("T")


@dataclass(frozen=True)
class Reason:
    """A preference that fired."""

    name: str  # such as "break_bomb(4)"
    group: str
    weight: int
    words: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "group": self.group, "weight": self.weight, "words": self.words}


@dataclass(frozen=True)
class Verdict:
    """A move and what the knowledge base makes of it."""

    place: int  # from 1 for the best
    action: Action
    label: str
    cost: int  # the sum of the weights of the reasons
    reasons: tuple[Reason, ...]
    violates: tuple[Constraint, ...]  # none for a consistent move
    probability: float | None = None  # of the label, where an agent has an opinion
    answers: Mapping[str, float | None] | None = None  # how likely each of the others could answer the label
    ahead: Ahead | None = None  # where the agent looks ahead
    at_most: int | None = None  # plays left after it, where preferences read them and they are an upper bound

    def to_json(self) -> dict[str, Any]:
        """The verdict with its reasons."""
        return self.short_json() | {"reasons": [reason.to_json() for reason in self.reasons]}

    def short_json(self) -> dict[str, Any]:
        """The verdict alone."""
        found: dict[str, Any] = {
            "place": self.place,
            "move": self.action.to_json(),
            "label": self.label,
            "cost": self.cost,
        }
        if self.probability is not None:
            found["probability"] = round(self.probability, 6)
        if self.at_most is not None:
            found["plays_left"] = {"at_most": self.at_most}
        if self.violates:
            found["violates"] = [
                {"file": each.location.file, "line": each.location.line, "text": each.text} for each in self.violates
            ]
        return found


@dataclass(frozen=True)
class Difference:
    """A preference that two moves do not share: what it adds to the cost of each."""

    name: str
    group: str
    first: int
    second: int
    words: str

    @property
    def more(self) -> int:
        """How much more the second move costs by it."""
        return self.second - self.first


@dataclass(frozen=True)
class Explanation:
    """The chosen move, its reasons, and the alternatives."""

    moment: Moment
    chosen: Verdict
    runner_up: Verdict | None  # the best move of another label; of the same one where there is no other
    candidates: tuple[Verdict, ...]  # the card sets of the chosen label, best first; inconsistent ones last
    dropped: tuple[Verdict, ...]  # every inconsistent move
    made: Verdict | None  # the move that was made, if that is known
    scores: Scores = field(repr=False)
    opinion: Opinion | None = None

    @property
    def labels(self) -> tuple[Verdict, ...]:
        """The labels that an agent chose among, the most probable first, each by its best move."""
        return self.scores.labels()

    @property
    def ranking(self) -> tuple[Verdict, ...]:
        """Every move, the best first."""
        return tuple(map(self.scores.verdict, self.scores.order))

    def verdict(self, row: int) -> Verdict:
        """What the knowledge base makes of a move, by its place in wire order."""
        return self.scores.verdict(row)

    @property
    def book(self) -> Phrasebook:
        """The words of the preferences."""
        return self.scores.book

    def best_of(self, rows: Collection[int]) -> Verdict:
        """What the knowledge base makes of the best of some moves, given by their places in wire order."""
        row = min(rows, key=lambda row: self.scores.place[row])
        return self.scores.verdict(row)

    def difference(self, other: Verdict) -> tuple[Difference, ...]:
        """What tells the chosen move from another, the largest share first; the shares add up to the difference."""
        return compare(self.chosen, other)

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return self._reasons_json() | (self._opinion_json(self.opinion) if self.opinion else {})

    def _opinion_json(self, opinion: Opinion) -> dict[str, Any]:
        return {
            "drawn": opinion.drawn,
            "labels": [
                {"label": each.label, "probability": round(each.probability or 0.0, 6), "cost": each.cost}
                | ({} if each.answers is None else {"answers": dict(each.answers)})
                | ({} if each.ahead is None else each.ahead.to_json())
                for each in self.labels
            ],
            "estimate": opinion.estimate and opinion.estimate.to_json(),
        }

    def _reasons_json(self) -> dict[str, Any]:
        return {
            "state": dict(self.moment.state),
            "language": self.book.language,
            "moves": len(self.moment.actions),
            "chosen": self.chosen.to_json(),
            "runner_up": self.runner_up and self.runner_up.to_json(),
            "difference": self.runner_up and self.difference_json(self.runner_up),
            "candidates": [verdict.short_json() for verdict in self.candidates],
            "dropped": [verdict.short_json() for verdict in self.dropped],
            "made": self.made and self.made.to_json() | {"difference": self.difference_json(self.made)},
        }

    def difference_json(self, other: Verdict) -> list[dict[str, Any]]:
        """The same as plain values."""
        return [
            {"name": each.name, "group": each.group, "chosen": each.first, "other": each.second, "words": each.words}
            for each in self.difference(other)
        ]


def explain(
    engine: Engine,
    judge: Judge,
    moment: Moment,
    language: str = "en",
    opinion: Opinion | None = None,
) -> Explanation:
    """Explain a decision of an agent with this opinion, or with none.

    The preferences are told what the opinion estimates of the other hands. Raises GameError for an unknown language.
    """
    scores = Scores(judge, moment, Phrasebook.of(judge.kb, engine, language), opinion)
    order, labels = scores.order, scores.names
    best = order[0] if opinion is None else opinion.row
    others = [row for row in order if labels[row] != labels[best]] or [row for row in order if row != best]
    return Explanation(
        moment=moment,
        chosen=scores.verdict(best),
        runner_up=scores.verdict(others[0]) if others else None,
        candidates=tuple(scores.verdict(row) for row in order if labels[row] == labels[best]),
        dropped=tuple(scores.verdict(row) for row in order if scores.violated(row)),
        made=None if moment.made is None else scores.verdict(moment.made),
        scores=scores,
        opinion=opinion,
    )


def compare(first: Verdict, second: Verdict) -> tuple[Difference, ...]:
    """The preferences that two moves do not share, the one that weighs most first."""
    one = {reason.name: reason for reason in first.reasons}
    two = {reason.name: reason for reason in second.reasons}
    found = [
        Difference(reason.name, reason.group, *_weights(name, one, two), reason.words)
        for name, reason in (one | two).items()
        if (name in one) != (name in two)
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.more)))


def _weights(name: str, one: Mapping[str, Reason], two: Mapping[str, Reason]) -> tuple[int, int]:
    return (one[name].weight if name in one else 0), (two[name].weight if name in two else 0)


def _weigh(moment: Moment, opinion: Opinion | None) -> tuple[NDArray[np.float64] | None, list[float | None]]:
    """[moves] how likely an opinion finds the label of each, as a number to sort by and as a probability."""
    if opinion is None:
        return None, [None] * len(moment.actions)
    labels = _numbers(moment)
    chances = [
        float(chance) if chosen else None
        for chance, chosen in zip(opinion.probabilities[labels], opinion.choosable[labels], strict=True)
    ]
    return -opinion.place[labels].astype(np.float64), chances


def _of_labels(moment: Moment, opinion: Opinion | None, ask: Callable[[Opinion, int], T | None]) -> list[T | None]:
    """[moves] what an opinion answers when it is asked about the label of each."""
    if opinion is None:
        return [None] * len(moment.actions)
    return [ask(opinion, int(label)) for label in _numbers(moment)]


def _numbers(moment: Moment) -> NDArray[np.integer]:
    """[moves] the number of the label of each, of what is chosen that of the option."""
    if is_play(moment.decision):
        return moment.decision.labels_of(moment.lists.form)
    return moment.lists.cards[:, 0]


def _bounds(engine: Engine, judge: Judge, moment: Moment) -> list[int | None]:
    """[moves] the plays left after each where preferences read them and they are an upper bound."""
    rules, asked = engine.rules, (moment.decision, moment.lists)
    if not counting.reads_plays_left(judge.kb):
        return [None] * len(moment.actions)
    bounds, plays = counting.at_most(rules, *asked), counting.plays_left(rules, *asked)
    return [int(count) if bound else None for count, bound in zip(plays, bounds, strict=True)]


class Scores:
    """What fires for each move of a decision, and their order."""

    def __init__(
        self,
        judge: Judge,
        moment: Moment,
        book: Phrasebook,
        opinion: Opinion | None = None,
    ) -> None:
        self.book, self._moment, self._judge = book, moment, judge
        estimate = opinion.told if opinion else None
        # Who has an opinion on options weighs each by itself.
        each = opinion is not None and not is_play(moment.decision)
        self.names = tuple(map(str, moment.actions)) if each else moment.labels
        likely, self._chances = _weigh(moment, opinion)
        self._answers = _of_labels(moment, opinion, Opinion.answers_to)
        self._ahead = _of_labels(moment, opinion, Opinion.ahead_of)
        self._at_most = _bounds(book.engine, judge, moment)
        order = Minimiser(judge).order(moment.decision, moment.lists, likely, estimate)
        self.order: list[int] = order.tolist()
        self.place = {row: number for number, row in enumerate(self.order, 1)}
        self._fired: NDArray[np.uint8] = np.concatenate(
            [fired for _, fired in judge.fired(moment.decision, moment.lists, estimate)], axis=1
        )

    def verdict(self, row: int) -> Verdict:
        """The move of a row."""
        reasons = tuple(self._reasons(row))
        return Verdict(
            place=self.place[row],
            action=self._moment.actions[row],
            label=self.names[row],
            cost=sum(reason.weight for reason in reasons),
            reasons=reasons,
            violates=tuple(self._judge.kb.constraints[number] for number in self.violated(row)),
            probability=self._chances[row],
            answers=self._answers[row],
            ahead=self._ahead[row],
            at_most=self._at_most[row],
        )

    def labels(self) -> tuple[Verdict, ...]:
        """The first move of each label that an opinion gives a chance, the most probable label first."""
        first: dict[str, int] = {}
        for row in self.order:
            if self._chances[row] is not None:
                first.setdefault(self.names[row], row)
        return tuple(self.verdict(row) for row in first.values())

    def violated(self, row: int) -> list[int]:
        """The constraints that the move of a row violates."""
        return [int(args[0]) for name, args in self._outputs(row) if name == "violated"]

    def _reasons(self, row: int) -> Sequence[Reason]:
        fired = [(str(args[0]), int(args[1])) for name, args in self._outputs(row) if name == "cost"]
        return [Reason(name, self.book.group(name), weight, self.book.sentence([name])) for name, weight in fired]

    def _outputs(self, row: int) -> Sequence[tuple[str, tuple[int | str, ...]]]:
        return [self._judge.outputs[output] for output in np.flatnonzero(self._fired[:, row])]
