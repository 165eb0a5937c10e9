"""Compare an edited knowledge base with its original: legal labels, decisions, and the preferences responsible.

A decision is a play, or a card to pay or to return; the latter have no labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.sampling import SituationSet
from abl_cards.games.tables import Action, Choices, Decisions, is_play_decision
from abl_cards.games.types import MoveLists
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import functor

LEGALITY, CONSTRAINT, PREFERENCES, ORDER = "legality", "constraint", "preferences", "order"
"""Why a decision changed: the move is not legal on one side; a constraint drops it; it costs otherwise; wire order."""


MAX_DISTINGUISHING_STATES, MAX_EXAMPLE_MOVES = 50, 3
"""States whose legal moves differ that are kept; moves in an example."""
NO_CARD = 255

AnyDecisions = Decisions | Choices


@dataclass(frozen=True)
class ComparedKb:
    """A knowledge base: the rules it makes and the preferences it holds."""

    engine: Engine
    preference_model: PreferenceModel
    situations: SituationSet | None = None  # met in play; without them every state is taken to come up

    def is_reachable(self, decisions: AnyDecisions) -> NDArray[np.bool_]:
        """[n] whether play by these rules may come to these states, as far as is known."""
        return np.ones(len(decisions.rows), np.bool_) if self.situations is None else self.situations.covers(decisions)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The weights that instances of each preference have."""
        found: dict[str, set[int]] = defaultdict(set)
        for name, args in self.preference_model.outputs:
            if name == "cost":
                found[functor(str(args[0]))].add(int(args[1]))
        return {name: tuple(sorted(weights)) for name, weights in sorted(found.items())}


PreferenceShares = tuple[tuple[str, int], ...]
"""Preferences and how much each pushes towards the new move, the largest first."""


@dataclass(frozen=True)
class ChangedDecision:
    """A decision that changed."""

    state: Mapping[str, Any]
    view: str
    before: Action
    after: Action
    cause: str
    shares: PreferenceShares

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
    removed_moves: tuple[str, ...]  # moves that are there no more, some of them
    added_moves: tuple[str, ...]


@dataclass
class KbDifference:
    """Result of comparing two knowledge bases on some states."""

    before: ComparedKb
    after: ComparedKb
    states: int = 0
    choices: int = 0  # of these the choices of a card to give
    unreachable: int = 0  # states that cannot come up under the other rules
    dead_ends: int = 0  # states where one side has no move
    gained: Counter[str] = field(default_factory=Counter)  # labels, by the states where they became legal
    lost: Counter[str] = field(default_factory=Counter)
    label_examples: dict[tuple[str, str], str] = field(default_factory=dict)  # ("gained", label) to a state as text
    form_changes: Counter[str] = field(
        default_factory=Counter
    )  # labels legal on both sides, by states with other card sets
    form_examples: dict[str, FormExample] = field(default_factory=dict)
    distinguishing_states: list[Mapping[str, Any]] = field(default_factory=list)  # states whose legal moves differ
    causes: Counter[str] = field(default_factory=Counter)  # of the changed decisions
    shares: Counter[str] = field(default_factory=Counter)  # preferences, over all changed decisions
    decision_counts: Counter[str] = field(default_factory=Counter)  # in how many decisions each had a share
    examples: list[ChangedDecision] = field(default_factory=list)

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
    def label_changes(self) -> tuple[list[str], list[str]]:
        """Labels that only the edited knowledge base has, and labels that it lacks."""
        one, two = self.before.engine.labels, self.after.engine.labels
        return [label for label in two if label not in one], [label for label in one if label not in two]

    @property
    def is_empty(self) -> bool:
        """Whether no difference was found."""
        rules = self.gained or self.lost or self.form_changes or any(self.label_changes)
        return not (rules or self.dead_ends or self.changed or self.reweighted)

    def add(self, decisions: AnyDecisions, max_examples: int) -> None:
        """Compare on more states, given as decisions of either knowledge base."""
        self.states += len(decisions.rows)
        self.choices += 0 if is_play_decision(decisions) else len(decisions.rows)
        (here, ours), (there, theirs) = (side.engine.convert_decisions(decisions) for side in (self.before, self.after))
        ours, theirs = ours.select(np.flatnonzero(there[here])), theirs.select(np.flatnonzero(here[there]))
        stuck = _has_no_move(ours) | _has_no_move(theirs)
        strange = (_has_no_move(ours) & ~self.before.is_reachable(ours)) | (
            _has_no_move(theirs) & ~self.after.is_reachable(theirs)
        )
        self.unreachable += int((~(here & there)).sum() + strange.sum())
        self.dead_ends += int((stuck & ~strange).sum())
        if strange.any():
            ours, theirs = ours.select(np.flatnonzero(~strange)), theirs.select(np.flatnonzero(~strange))
        if len(ours.rows):
            if is_play_decision(ours) and is_play_decision(theirs):
                self._compare_labels(ours, theirs)
            _compare_choices(self, ours, theirs, max_examples)

    def _compare_labels(self, ours: Decisions, theirs: Decisions) -> None:
        mine = dict(zip(self.before.engine.labels, ours.legal_mask, strict=True))
        other = dict(zip(self.after.engine.labels, theirs.legal_mask, strict=True))
        never = np.zeros(len(ours.rows), np.uint8)
        for label in mine | other:
            one, two = mine.get(label, never), other.get(label, never)
            for word, counter, seen in (("gained", self.gained, two > one), ("lost", self.lost, one > two)):
                if seen.any():
                    counter[label] += int(seen.sum())
                    view = self.before.engine.render_view(
                        self.before.engine.decision_point_at(ours, int(seen.argmax()))
                    )
                    self.label_examples.setdefault((word, label), view)
        unlike = np.zeros(len(ours.rows), np.bool_)
        for label in mine | other:
            unlike |= mine.get(label, never) != other.get(label, never)
        self.keep_distinguishing(ours, np.flatnonzero(unlike))

    def keep_distinguishing(self, ours: AnyDecisions, rows: NDArray[np.int64]) -> None:
        """Keep some states whose legal moves differ."""
        for row in rows[: max(0, MAX_DISTINGUISHING_STATES - len(self.distinguishing_states))].tolist():
            self.distinguishing_states.append(dict(self.before.engine.decision_point_at(ours, row).state))

    def compare_forms(self, ours: AnyDecisions, before: _SideChoices, after: _SideChoices) -> None:
        """Labels that are legal on both sides, and laid down by other card sets."""
        mine, other = before.card_sets(), after.card_sets()
        unlike = sorted(key for key in mine.keys() & other.keys() if mine[key].keys() != other[key].keys())
        for row, label in unlike:
            self.form_changes[label] += 1
            if label not in self.form_examples:
                one, two = mine[row, label], other[row, label]
                gone = tuple(before.text(one[cards]) for cards in sorted(one.keys() - two.keys())[:MAX_EXAMPLE_MOVES])
                new = tuple(after.text(two[cards]) for cards in sorted(two.keys() - one.keys())[:MAX_EXAMPLE_MOVES])
                view = self.before.engine.render_view(self.before.engine.decision_point_at(ours, row))
                self.form_examples[label] = FormExample(view, gone, new)
        self.keep_distinguishing(ours, np.array(sorted({row for row, _ in unlike}), np.int64))

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        added, removed = self.label_changes
        return {
            "states": self.states,
            "choices": self.choices,
            "left_out": self.unreachable,
            "stuck": self.dead_ends,
            "labels": {
                "added": added,
                "removed": removed,
                "gained": [{"label": label, "states": count} for label, count in self.gained.most_common()],
                "lost": [{"label": label, "states": count} for label, count in self.lost.most_common()],
                "other_cards": [
                    {
                        "label": label,
                        "states": count,
                        "no_more": list(self.form_examples[label].removed_moves),
                        "new": list(self.form_examples[label].added_moves),
                    }
                    for label, count in self.form_changes.most_common()
                ],
            },
            "weights": [
                {"name": name, "before": list(one), "after": list(two)} for name, (one, two) in self.reweighted.items()
            ],
            "changed": self.changed,
            "causes": {cause: self.causes[cause] for cause in (LEGALITY, CONSTRAINT, PREFERENCES, ORDER)},
            "preferences": [
                {"name": name, "group": self.group(name), "share": share, "decisions": self.decision_counts[name]}
                for name, share in self.ranked_preferences
            ],
            "examples": [example.to_json() for example in self.examples],
        }

    @property
    def ranked_preferences(self) -> list[tuple[str, int]]:
        """The preferences with a share in the changes, the largest first."""
        return sorted(self.shares.items(), key=_descending_size)

    def group(self, name: str) -> str:
        """The group of a preference of either side."""
        return self.after.preference_model.kb.preference_groups.get(
            name
        ) or self.before.preference_model.kb.preference_groups.get(name, "")


# --- decisions that changed -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _SideChoices:
    """The chosen move and the legal moves of one side."""

    side: ComparedKb
    decisions: AnyDecisions
    lists: MoveLists
    rows: NDArray[np.int64]  # [n] the chosen moves

    @classmethod
    def compute(cls, side: ComparedKb, decisions: AnyDecisions) -> _SideChoices:
        lists = decisions.moves()
        return cls(side, decisions, lists, Minimiser(side.preference_model).order(decisions, lists)[lists.start[:-1]])

    def labels(self, rows: NDArray[np.int64]) -> NDArray[np.str_]:
        """The names of the labels of some moves; of a choice what is chosen, which either side may number otherwise."""
        if not is_play_decision(self.decisions):
            return np.array([str(option) for option in self.decisions.rules.schema.options])[self.lists.cards[rows, 0]]
        names = np.array(self.side.engine.labels)
        return names[self.decisions.labels_of(self.lists.form[rows])]

    def move_cards(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[rows, cards] the cards of some moves; of a choice none."""
        return self.lists.cards[rows] if is_play_decision(self.decisions) else np.empty((len(rows), 0), np.uint8)

    def card_sets(self) -> dict[tuple[int, str], dict[bytes, int]]:
        """By decision and label, the rows of the card sets that may be laid down, by their cards in any order."""
        found: dict[tuple[int, str], dict[bytes, int]] = defaultdict(dict)
        labels, cards = self.labels(np.arange(len(self.lists.form))), np.sort(self.lists.cards, axis=1)
        for row, decision in enumerate(self.lists.decision_index.tolist()):
            found[decision, str(labels[row])][cards[row][cards[row] != NO_CARD].tobytes()] = row
        return found

    def text(self, row: int) -> str:
        """A move in words."""
        return str(self.side.engine.notate_move(int(self.lists.form[row]), self.lists.cards[row]))

    def action(self, row: int) -> Action:
        """The chosen move of a decision."""
        return self.side.engine.decision_point_at(self.decisions, row).actions[self.rows[row] - self.lists.start[row]]

    def find(self, row: int, other: _SideChoices) -> int:
        """Return the index of the other side's choice among the moves of a decision; -1 if it is not legal."""
        first, last = self.lists.start[row : row + 2]
        wanted = other.rows[row : row + 1]
        same = first + np.flatnonzero((self.move_cards(np.arange(first, last)) == other.move_cards(wanted)).all(axis=1))
        same = same[self.labels(same) == other.labels(wanted)]
        return int(same[0]) if same.size else -1

    def weigh_pairs(self, pairs: Mapping[int, tuple[int, int]]) -> dict[int, tuple[Counter[str], Counter[str]]]:
        """Return the costs by functor of pairs of moves of some decisions; constraints are listed as ``:-``."""
        lengths = np.zeros(len(self.lists.start) - 1, np.int64)
        lengths[list(pairs)] = 2
        moves = np.array([move for row in sorted(pairs) for move in pairs[row]], np.int64)
        few = MoveLists(np.concatenate([[0], lengths.cumsum()]), self.lists.form[moves], self.lists.cards[moves])
        totals: list[Counter[str]] = [Counter() for _ in moves]
        for part, fired in self.side.preference_model.evaluate(self.decisions, few) if pairs else ():
            for move, output in zip(*np.nonzero(fired.T), strict=True):
                name, args = self.side.preference_model.outputs[output]
                key, weight = (functor(str(args[0])), int(args[1])) if name == "cost" else (_CONSTRAINT_KEY, 1)
                totals[part.start + move][key] += weight
        return {row: (totals[2 * place], totals[2 * place + 1]) for place, row in enumerate(sorted(pairs))}


_CONSTRAINT_KEY = ":-"


def _compare_choices(found: KbDifference, ours: AnyDecisions, theirs: AnyDecisions, most_examples: int) -> None:
    if is_play_decision(ours) and is_play_decision(theirs):
        stuck = _has_no_move(ours) | _has_no_move(theirs)
        found.keep_distinguishing(ours, np.flatnonzero(stuck))
        if stuck.any():
            ours, theirs = ours.select(np.flatnonzero(~stuck)), theirs.select(np.flatnonzero(~stuck))
    if not len(ours.rows):
        return
    before, after = _SideChoices.compute(found.before, ours), _SideChoices.compute(found.after, theirs)
    if is_play_decision(ours):
        found.compare_forms(ours, before, after)
    for row, (cause, shares) in _causes(before, after, _changed_rows(before, after)).items():
        found.causes[cause] += 1
        for name, share in shares:
            found.shares[name] += share
            found.decision_counts[name] += 1
        if len(found.examples) < most_examples:
            moment = found.before.engine.decision_point_at(ours, row)
            moves = before.action(row), after.action(row)
            found.examples.append(
                ChangedDecision(moment.state, found.before.engine.render_view(moment), *moves, cause, shares)
            )


def _has_no_move(decisions: AnyDecisions) -> NDArray[np.bool_]:
    """[n] where no move is left: rules that lead nowhere; a choice has options, or it is not adopted."""
    if not is_play_decision(decisions):
        return np.zeros(len(decisions.rows), np.bool_)
    nothing: NDArray[np.bool_] = np.diff(decisions.moves().start) == 0
    return nothing


def _changed_rows(before: _SideChoices, after: _SideChoices) -> list[int]:
    """The decisions whose cards or label differ."""
    cards = (before.move_cards(before.rows) != after.move_cards(after.rows)).any(axis=1)
    return [int(row) for row in np.flatnonzero(cards | (before.labels(before.rows) != after.labels(after.rows)))]


def _causes(before: _SideChoices, after: _SideChoices, rows: Sequence[int]) -> dict[int, tuple[str, PreferenceShares]]:
    """Why the one move is played instead of the other in these decisions."""
    places = {row: (after.find(row, before), before.find(row, after)) for row in rows}
    weighed = {row: pair for row, pair in places.items() if min(pair) >= 0}
    then = before.weigh_pairs({row: (int(before.rows[row]), new) for row, (_, new) in weighed.items()})
    now = after.weigh_pairs({row: (old, int(after.rows[row])) for row, (old, _) in weighed.items()})
    return {row: _cause(then[row], now[row]) if row in weighed else (LEGALITY, ()) for row in rows}


def _cause(
    then: tuple[Counter[str], Counter[str]], now: tuple[Counter[str], Counter[str]]
) -> tuple[str, PreferenceShares]:
    """Each is what speaks against the old and against the new move."""
    if _CONSTRAINT_KEY in then[1] or _CONSTRAINT_KEY in now[0]:
        return CONSTRAINT, ()
    shares: Counter[str] = Counter()
    for sign, (old, new) in ((-1, then), (1, now)):
        for name in old.keys() | new.keys():
            shares[name] += sign * (old[name] - new[name])
    largest = sorted(((name, share) for name, share in shares.items() if share), key=_descending_size)
    return (PREFERENCES if largest else ORDER), tuple(largest)


def _descending_size(pair: tuple[str, int]) -> tuple[int, str]:
    return -abs(pair[1]), pair[0]
