"""What an edited knowledge base changes: legal labels, decisions, and the preferences that make the difference.

A decision is a play, or a card to be paid or to be returned; the latter have no labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Action, Choices, Decisions, Engine, Judge, MoveLists
from abl_cards.games.moment import is_play
from abl_cards.games.telling.situations import Situations
from reasoners.minimiser import Minimiser
from reasoners.phrases import functor

LEGALITY, CONSTRAINT, PREFERENCES, ORDER = "legality", "constraint", "preferences", "order"
"""Why a decision changed: the move is not legal on one side; a constraint drops it; it costs otherwise; wire order."""


MOST_TELLING, MOST_FORMS = 50, 3
"""States whose legal moves differ that are kept; moves in an example."""
NO_CARD = 255

Decided = Decisions | Choices


@dataclass(frozen=True)
class Side:
    """A knowledge base: the rules it makes and the preferences it holds."""

    engine: Engine
    judge: Judge
    situations: Situations | None = None  # met in play; without them every state is taken to come up

    def comes_up(self, decisions: Decided) -> NDArray[np.bool_]:
        """[n] whether play by these rules may come to these states, as far as is known."""
        return np.ones(len(decisions.which), np.bool_) if self.situations is None else self.situations.allows(decisions)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The weights that instances of each preference have."""
        found: dict[str, set[int]] = defaultdict(set)
        for name, args in self.judge.outputs:
            if name == "cost":
                found[functor(str(args[0]))].add(int(args[1]))
        return {name: tuple(sorted(weights)) for name, weights in sorted(found.items())}


Shares = tuple[tuple[str, int], ...]
"""Preferences and how much each pushes towards the new move, the largest first."""


@dataclass(frozen=True)
class Example:
    """A decision that changed."""

    state: Mapping[str, Any]
    view: str
    before: Action
    after: Action
    cause: str
    shares: Shares

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "state": dict(self.state),
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "cause": self.cause,
            "preferences": [{"name": name, "share": share} for name, share in self.shares],
        }


@dataclass(frozen=True)
class FormExample:
    """A state where a label is laid down by other cards."""

    view: str
    gone: tuple[str, ...]  # moves that are there no more, some of them
    new: tuple[str, ...]


@dataclass
class KbDifference:
    """What came of comparing two knowledge bases on some states."""

    before: Side
    after: Side
    states: int = 0
    choices: int = 0  # of these the choices of a card to give
    left_out: int = 0  # states that cannot come up under the other rules
    stuck: int = 0  # states where one side has no move
    gained: Counter[str] = field(default_factory=Counter)  # labels, by the states where they became legal
    lost: Counter[str] = field(default_factory=Counter)
    label_examples: dict[tuple[str, str], str] = field(default_factory=dict)  # ("gained", label) to a state as text
    reformed: Counter[str] = field(
        default_factory=Counter
    )  # labels legal on both sides, by states with other card sets
    form_examples: dict[str, FormExample] = field(default_factory=dict)
    telling: list[Mapping[str, Any]] = field(default_factory=list)  # states whose legal moves differ
    causes: Counter[str] = field(default_factory=Counter)  # of the changed decisions
    shares: Counter[str] = field(default_factory=Counter)  # preferences, over all changed decisions
    concerned: Counter[str] = field(default_factory=Counter)  # in how many decisions each had a share
    examples: list[Example] = field(default_factory=list)

    @property
    def changed(self) -> int:
        """Decisions that came out otherwise."""
        return self.causes.total()

    @property
    def reweighted(self) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
        """Preferences whose weights differ, with the weights before and after; none where it is missing."""
        one, two = self.before.weights, self.after.weights
        return {
            name: (one.get(name, ()), two.get(name, ())) for name in sorted(one | two) if one.get(name) != two.get(name)
        }

    @property
    def new_labels(self) -> tuple[list[str], list[str]]:
        """Labels that only the edited knowledge base has, and labels that it lacks."""
        one, two = self.before.engine.labels, self.after.engine.labels
        return [label for label in two if label not in one], [label for label in one if label not in two]

    @property
    def nothing(self) -> bool:
        """Whether no difference was seen."""
        rules = self.gained or self.lost or self.reformed or any(self.new_labels)
        return not (rules or self.stuck or self.changed or self.reweighted)

    def add(self, decisions: Decided, most_examples: int) -> None:
        """Compare on more states, given as decisions of either knowledge base."""
        self.states += len(decisions.which)
        self.choices += 0 if is_play(decisions) else len(decisions.which)
        (here, ours), (there, theirs) = (side.engine.adopt(decisions) for side in (self.before, self.after))
        ours, theirs = ours.at(np.flatnonzero(there[here])), theirs.at(np.flatnonzero(here[there]))
        stuck = _stuck(ours) | _stuck(theirs)
        strange = (_stuck(ours) & ~self.before.comes_up(ours)) | (_stuck(theirs) & ~self.after.comes_up(theirs))
        self.left_out += int((~(here & there)).sum() + strange.sum())
        self.stuck += int((stuck & ~strange).sum())
        if strange.any():
            ours, theirs = ours.at(np.flatnonzero(~strange)), theirs.at(np.flatnonzero(~strange))
        if len(ours.which):
            if is_play(ours) and is_play(theirs):
                self._compare_labels(ours, theirs)
            _compare_choices(self, ours, theirs, most_examples)

    def _compare_labels(self, ours: Decisions, theirs: Decisions) -> None:
        mine = dict(zip(self.before.engine.labels, ours.legal, strict=True))
        other = dict(zip(self.after.engine.labels, theirs.legal, strict=True))
        never = np.zeros(len(ours.which), np.uint8)
        for label in mine | other:
            one, two = mine.get(label, never), other.get(label, never)
            for word, counter, seen in (("gained", self.gained, two > one), ("lost", self.lost, one > two)):
                if seen.any():
                    counter[label] += int(seen.sum())
                    view = self.before.engine.show(self.before.engine.look(ours, int(seen.argmax())))
                    self.label_examples.setdefault((word, label), view)
        unlike = np.zeros(len(ours.which), np.bool_)
        for label in mine | other:
            unlike |= mine.get(label, never) != other.get(label, never)
        self.keep_telling(ours, np.flatnonzero(unlike))

    def keep_telling(self, ours: Decided, rows: NDArray[np.int64]) -> None:
        """Keep some states whose legal moves differ."""
        for row in rows[: max(0, MOST_TELLING - len(self.telling))].tolist():
            self.telling.append(dict(self.before.engine.look(ours, row).state))

    def compare_forms(self, ours: Decided, before: _Chosen, after: _Chosen) -> None:
        """Labels that are legal on both sides, and laid down by other card sets."""
        mine, other = before.card_sets(), after.card_sets()
        unlike = sorted(key for key in mine.keys() & other.keys() if mine[key].keys() != other[key].keys())
        for row, label in unlike:
            self.reformed[label] += 1
            if label not in self.form_examples:
                one, two = mine[row, label], other[row, label]
                gone = tuple(before.text(one[cards]) for cards in sorted(one.keys() - two.keys())[:MOST_FORMS])
                new = tuple(after.text(two[cards]) for cards in sorted(two.keys() - one.keys())[:MOST_FORMS])
                view = self.before.engine.show(self.before.engine.look(ours, row))
                self.form_examples[label] = FormExample(view, gone, new)
        self.keep_telling(ours, np.array(sorted({row for row, _ in unlike}), np.int64))

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        added, removed = self.new_labels
        return {
            "states": self.states,
            "choices": self.choices,
            "left_out": self.left_out,
            "stuck": self.stuck,
            "labels": {
                "added": added,
                "removed": removed,
                "gained": [{"label": label, "states": count} for label, count in self.gained.most_common()],
                "lost": [{"label": label, "states": count} for label, count in self.lost.most_common()],
                "other_cards": [
                    {
                        "label": label,
                        "states": count,
                        "no_more": list(self.form_examples[label].gone),
                        "new": list(self.form_examples[label].new),
                    }
                    for label, count in self.reformed.most_common()
                ],
            },
            "weights": [
                {"name": name, "before": list(one), "after": list(two)} for name, (one, two) in self.reweighted.items()
            ],
            "changed": self.changed,
            "causes": {cause: self.causes[cause] for cause in (LEGALITY, CONSTRAINT, PREFERENCES, ORDER)},
            "preferences": [
                {"name": name, "group": self.group(name), "share": share, "decisions": self.concerned[name]}
                for name, share in self.responsible
            ],
            "examples": [example.to_json() for example in self.examples],
        }

    @property
    def responsible(self) -> list[tuple[str, int]]:
        """The preferences with a share in the changes, the largest first."""
        return sorted(self.shares.items(), key=_by_size)

    def group(self, name: str) -> str:
        """The group of a preference of either side."""
        return self.after.judge.kb.groups.get(name) or self.before.judge.kb.groups.get(name, "")


# --- decisions that changed -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chosen:
    """What one side plays, and what else it might."""

    side: Side
    decisions: Decided
    lists: MoveLists
    rows: NDArray[np.int64]  # [n] the chosen moves

    @classmethod
    def by(cls, side: Side, decisions: Decided) -> _Chosen:
        lists = decisions.moves()
        return cls(side, decisions, lists, Minimiser(side.judge).order(decisions, lists)[lists.start[:-1]])

    def labels(self, rows: NDArray[np.int64]) -> NDArray[np.str_]:
        """The names of the labels of some moves; of a choice what is chosen, which either side may number otherwise."""
        if not is_play(self.decisions):
            return np.array([str(option) for option in self.decisions.rules.words.options])[self.lists.cards[rows, 0]]
        names = np.array(self.side.engine.labels)
        return names[self.decisions.labels_of(self.lists.form[rows])]

    def laid(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[rows, cards] the cards of some moves; of a choice none."""
        return self.lists.cards[rows] if is_play(self.decisions) else np.empty((len(rows), 0), np.uint8)

    def card_sets(self) -> dict[tuple[int, str], dict[bytes, int]]:
        """By decision and label, the rows of the card sets that may be laid down, by their cards in any order."""
        found: dict[tuple[int, str], dict[bytes, int]] = defaultdict(dict)
        labels, cards = self.labels(np.arange(len(self.lists.form))), np.sort(self.lists.cards, axis=1)
        for row, decision in enumerate(self.lists.decision.tolist()):
            found[decision, str(labels[row])][cards[row][cards[row] != NO_CARD].tobytes()] = row
        return found

    def text(self, row: int) -> str:
        """A move in words."""
        return str(self.side.engine.action(int(self.lists.form[row]), self.lists.cards[row]))

    def action(self, row: int) -> Action:
        """The chosen move of a decision."""
        return self.side.engine.look(self.decisions, row).actions[self.rows[row] - self.lists.start[row]]

    def find(self, row: int, other: _Chosen) -> int:
        """Where the other side's choice is among the moves of a decision; -1 where it is not legal."""
        first, last = self.lists.start[row : row + 2]
        wanted = other.rows[row : row + 1]
        same = first + np.flatnonzero((self.laid(np.arange(first, last)) == other.laid(wanted)).all(axis=1))
        same = same[self.labels(same) == other.labels(wanted)]
        return int(same[0]) if same.size else -1

    def weigh(self, pairs: Mapping[int, tuple[int, int]]) -> dict[int, tuple[Counter[str], Counter[str]]]:
        """What speaks for and against two moves of some decisions, by functor; constraints by ``:-``."""
        lengths = np.zeros(len(self.lists.start) - 1, np.int64)
        lengths[list(pairs)] = 2
        moves = np.array([move for row in sorted(pairs) for move in pairs[row]], np.int64)
        few = MoveLists(np.concatenate([[0], lengths.cumsum()]), self.lists.form[moves], self.lists.cards[moves])
        totals: list[Counter[str]] = [Counter() for _ in moves]
        for part, fired in self.side.judge.fired(self.decisions, few) if pairs else ():
            for move, output in zip(*np.nonzero(fired.T), strict=True):
                name, args = self.side.judge.outputs[output]
                key, weight = (functor(str(args[0])), int(args[1])) if name == "cost" else (_CONSTRAINED, 1)
                totals[part.start + move][key] += weight
        return {row: (totals[2 * place], totals[2 * place + 1]) for place, row in enumerate(sorted(pairs))}


_CONSTRAINED = ":-"


def _compare_choices(found: KbDifference, ours: Decided, theirs: Decided, most_examples: int) -> None:
    if is_play(ours) and is_play(theirs):
        stuck = _stuck(ours) | _stuck(theirs)
        found.keep_telling(ours, np.flatnonzero(stuck))
        if stuck.any():
            ours, theirs = ours.at(np.flatnonzero(~stuck)), theirs.at(np.flatnonzero(~stuck))
    if not len(ours.which):
        return
    before, after = _Chosen.by(found.before, ours), _Chosen.by(found.after, theirs)
    if is_play(ours):
        found.compare_forms(ours, before, after)
    for row, (cause, shares) in _causes(before, after, _changed(before, after)).items():
        found.causes[cause] += 1
        for name, share in shares:
            found.shares[name] += share
            found.concerned[name] += 1
        if len(found.examples) < most_examples:
            moment = found.before.engine.look(ours, row)
            moves = before.action(row), after.action(row)
            found.examples.append(Example(moment.state, found.before.engine.show(moment), *moves, cause, shares))


def _stuck(decisions: Decided) -> NDArray[np.bool_]:
    """[n] where no move is left: rules that lead nowhere; a choice has options, or it is not adopted."""
    if not is_play(decisions):
        return np.zeros(len(decisions.which), np.bool_)
    nothing: NDArray[np.bool_] = np.diff(decisions.moves().start) == 0
    return nothing


def _changed(before: _Chosen, after: _Chosen) -> list[int]:
    """The decisions whose cards or label differ."""
    cards = (before.laid(before.rows) != after.laid(after.rows)).any(axis=1)
    return [int(row) for row in np.flatnonzero(cards | (before.labels(before.rows) != after.labels(after.rows)))]


def _causes(before: _Chosen, after: _Chosen, rows: Sequence[int]) -> dict[int, tuple[str, Shares]]:
    """Why the one move is played instead of the other in these decisions."""
    places = {row: (after.find(row, before), before.find(row, after)) for row in rows}
    weighed = {row: pair for row, pair in places.items() if min(pair) >= 0}
    then = before.weigh({row: (int(before.rows[row]), new) for row, (_, new) in weighed.items()})
    now = after.weigh({row: (old, int(after.rows[row])) for row, (old, _) in weighed.items()})
    return {row: _cause(then[row], now[row]) if row in weighed else (LEGALITY, ()) for row in rows}


def _cause(then: tuple[Counter[str], Counter[str]], now: tuple[Counter[str], Counter[str]]) -> tuple[str, Shares]:
    """Each is what speaks against the old and against the new move."""
    if _CONSTRAINED in then[1] or _CONSTRAINED in now[0]:
        return CONSTRAINT, ()
    shares: Counter[str] = Counter()
    for sign, (old, new) in ((-1, then), (1, now)):
        for name in old.keys() | new.keys():
            shares[name] += sign * (old[name] - new[name])
    largest = sorted(((name, share) for name, share in shares.items() if share), key=_by_size)
    return (PREFERENCES if largest else ORDER), tuple(largest)


def _by_size(pair: tuple[str, int]) -> tuple[int, str]:
    return -abs(pair[1]), pair[0]
