"""Compare an edited knowledge base with its original: legal labels, decisions, and the preferences responsible.

A decision is a play, or a choice (a bid, a card to pay or to return), which has options in place of labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.notation import convert_decisions, render_view
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.sampling import SituationSet
from abl_cards.games.tables import Action, Choices, Decisions, is_play_decision
from abl_cards.games.types import MoveLists
from abl_cards.reasoners.abduction import Minimiser

LEGALITY, CONSTRAINT, PREFERENCES, ORDER = "legality", "constraint", "preferences", "order"
"""Causes of a changed decision: a move is illegal on one side; a constraint excludes it; other costs; list order."""


MAX_DISTINGUISHING_STATES, MAX_EXAMPLE_MOVES = 50, 3
"""Largest number of kept states with different legal moves; moves in an example."""
NO_CARD = 255

AnyDecisions = Decisions | Choices


@dataclass(frozen=True)
class ComparedKb:
    """Rules and preferences of one side of a comparison.

    Attributes:
        engine: Engine of the rules.
        preference_model: Compiled preferences.
        situations: Situations reached in play; None if every state counts as reachable.
    """

    engine: Engine
    preference_model: PreferenceModel
    situations: SituationSet | None = None

    def is_reachable(self, decisions: AnyDecisions) -> NDArray[np.bool_]:
        """Return which states may be reached in play by these rules, as far as known.

        Args:
            decisions: Decisions of n tables.

        Returns:
            bool [n].
        """
        return np.ones(len(decisions.rows), np.bool_) if self.situations is None else self.situations.covers(decisions)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """Weights of the instances of each preference, sorted."""
        weights_by_name: dict[str, set[int]] = defaultdict(set)
        for name, args in self.preference_model.outputs:
            if name == "cost":
                weights_by_name[functor(str(args[0]))].add(int(args[1]))
        return {name: tuple(sorted(weights)) for name, weights in sorted(weights_by_name.items())}


PreferenceShares = tuple[tuple[str, int], ...]
"""Preferences with their shares in favour of the new move, largest first."""


@dataclass(frozen=True)
class ChangedDecision:
    """Decision with different chosen moves."""

    state: Mapping[str, Any]
    view: str
    before: Action
    after: Action
    cause: str
    shares: PreferenceShares

    def to_json(self) -> dict[str, Any]:
        """Return the decision as JSON."""
        return {
            "state": dict(self.state),
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "cause": self.cause,
            "preferences": [{"name": name, "share": share} for name, share in self.shares],
        }


@dataclass(frozen=True)
class FormExample:
    """State in which a label has other card sets."""

    view: str
    removed_moves: tuple[str, ...]  # at most MAX_EXAMPLE_MOVES
    added_moves: tuple[str, ...]  # at most MAX_EXAMPLE_MOVES


@dataclass
class KbDifference:
    """Result of comparing two knowledge bases on some states."""

    before: ComparedKb
    after: ComparedKb
    touched_fluents: frozenset[str] | None = None  # fluents shown in examples; None for all
    states: int = 0
    choices: int = 0  # states that are choices, not plays
    unreachable: int = 0  # states that cannot occur under the other rules
    dead_ends: int = 0  # states where one side has no move
    gained: Counter[str] = field(default_factory=Counter)  # labels and options, by the states where they became legal
    lost: Counter[str] = field(default_factory=Counter)
    label_examples: dict[tuple[str, str], str] = field(default_factory=dict)  # ("gained", label) to a state as text
    form_changes: Counter[str] = field(
        default_factory=Counter
    )  # labels legal on both sides, by states with other cards
    form_examples: dict[str, FormExample] = field(default_factory=dict)
    distinguishing_states: list[Mapping[str, Any]] = field(default_factory=list)  # states whose legal moves differ
    causes: Counter[str] = field(default_factory=Counter)  # of the changed decisions
    shares: Counter[str] = field(default_factory=Counter)  # preferences, over all changed decisions
    decision_counts: Counter[str] = field(
        default_factory=Counter
    )  # changed decisions in which each preference has a share
    examples: list[ChangedDecision] = field(default_factory=list)

    @property
    def changed(self) -> int:
        """Number of changed decisions."""
        return self.causes.total()

    @property
    def reweighted(self) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
        """Preferences whose weights differ, with the weights before and after; none where it is missing."""
        before, after = self.before.weights, self.after.weights
        return {
            name: (before.get(name, ()), after.get(name, ()))
            for name in sorted(before | after)
            if before.get(name) != after.get(name)
        }

    @property
    def label_changes(self) -> tuple[list[str], list[str]]:
        """Labels that only the edited knowledge base has, and labels that it lacks."""
        labels_before, labels_after = self.before.engine.labels, self.after.engine.labels
        return [label for label in labels_after if label not in labels_before], [
            label for label in labels_before if label not in labels_after
        ]

    @property
    def known_labels(self) -> set[str]:
        """Labels of either knowledge base; other legal moves are options of choices."""
        return {*self.before.engine.labels, *self.after.engine.labels}

    @property
    def is_empty(self) -> bool:
        """True if no difference was found."""
        rules = self.gained or self.lost or self.form_changes or any(self.label_changes)
        return not (rules or self.dead_ends or self.changed or self.reweighted)

    def add(self, decisions: AnyDecisions, max_examples: int) -> None:
        """Compare both sides on more states.

        Args:
            decisions: Decisions of either knowledge base.
            max_examples: Largest number of changed decisions kept as examples.
        """
        self.states += len(decisions.rows)
        self.choices += 0 if is_play_decision(decisions) else len(decisions.rows)
        (in_before, ours), (in_after, theirs) = (
            convert_decisions(side.engine.rules, decisions) for side in (self.before, self.after)
        )
        ours, theirs = (
            ours.select(np.flatnonzero(in_after[in_before])),
            theirs.select(np.flatnonzero(in_before[in_after])),
        )
        stuck = _has_no_move(ours) | _has_no_move(theirs)
        is_unreachable = (_has_no_move(ours) & ~self.before.is_reachable(ours)) | (
            _has_no_move(theirs) & ~self.after.is_reachable(theirs)
        )
        self.unreachable += int((~(in_before & in_after)).sum() + is_unreachable.sum())
        self.dead_ends += int((stuck & ~is_unreachable).sum())
        if is_unreachable.any():
            ours, theirs = ours.select(np.flatnonzero(~is_unreachable)), theirs.select(np.flatnonzero(~is_unreachable))
        if len(ours.rows):
            self._compare_legal(ours, theirs)
            _compare_choices(self, ours, theirs, max_examples)

    def _compare_legal(self, ours: AnyDecisions, theirs: AnyDecisions) -> None:
        masks_before, masks_after = _legal_masks(self.before, ours), _legal_masks(self.after, theirs)
        none = np.zeros(len(ours.rows), np.uint8)
        differs = np.zeros(len(ours.rows), np.bool_)
        for name in masks_before | masks_after:
            mask_before, mask_after = masks_before.get(name, none), masks_after.get(name, none)
            differs |= mask_before != mask_after
            for direction, counter, changed in (
                ("gained", self.gained, mask_after > mask_before),
                ("lost", self.lost, mask_before > mask_after),
            ):
                if changed.any():
                    counter[name] += int(changed.sum())
                    view = self.render(ours, int(changed.argmax()))
                    self.label_examples.setdefault((direction, name), view)
        self.keep_distinguishing(ours, np.flatnonzero(differs))

    def render(self, ours: AnyDecisions, row: int) -> str:
        """Render a state as its seat sees it, of the fluents only those that the edit touches.

        Args:
            ours: Decisions of the original knowledge base.
            row: Index of the decision.
        """
        decision_point = self.before.engine.decision_point_at(ours, row)
        return render_view(self.before.engine.rules, decision_point, only_fluents=self.touched_fluents)

    def keep_distinguishing(self, ours: AnyDecisions, rows: NDArray[np.int64]) -> None:
        """Keep states whose legal moves differ, up to MAX_DISTINGUISHING_STATES.

        Args:
            ours: Decisions of the original knowledge base.
            rows: Indices of the differing decisions.
        """
        for row in rows[: max(0, MAX_DISTINGUISHING_STATES - len(self.distinguishing_states))].tolist():
            self.distinguishing_states.append(dict(self.before.engine.decision_point_at(ours, row).state))

    def compare_forms(self, ours: AnyDecisions, before: _SideChoices, after: _SideChoices) -> None:
        """Record labels that are legal on both sides with different card sets.

        Args:
            ours: Decisions of the original knowledge base.
            before: Moves of the original side.
            after: Moves of the edited side.
        """
        sets_before, sets_after = before.card_sets(), after.card_sets()
        differing = sorted(
            key for key in sets_before.keys() & sets_after.keys() if sets_before[key].keys() != sets_after[key].keys()
        )
        for row, label in differing:
            self.form_changes[label] += 1
            if label not in self.form_examples:
                rows_before, rows_after = sets_before[row, label], sets_after[row, label]
                removed = tuple(
                    before.text(rows_before[cards])
                    for cards in sorted(rows_before.keys() - rows_after.keys())[:MAX_EXAMPLE_MOVES]
                )
                added = tuple(
                    after.text(rows_after[cards])
                    for cards in sorted(rows_after.keys() - rows_before.keys())[:MAX_EXAMPLE_MOVES]
                )
                view = self.render(ours, row)
                self.form_examples[label] = FormExample(view, removed, added)
        self.keep_distinguishing(ours, np.array(sorted({row for row, _ in differing}), np.int64))

    def to_json(self) -> dict[str, Any]:
        """Return the differences as JSON in a stable order."""
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
                {"name": name, "before": list(weights_before), "after": list(weights_after)}
                for name, (weights_before, weights_after) in self.reweighted.items()
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
        """Preferences with a share in the changed decisions, largest first."""
        return sorted(self.shares.items(), key=_descending_size)

    def group(self, name: str) -> str:
        """Return the group of a preference of either side.

        Args:
            name: Name of the preference.

        Returns:
            Name of the group; empty for an unknown preference.
        """
        return self.after.preference_model.kb.preference_groups.get(
            name
        ) or self.before.preference_model.kb.preference_groups.get(name, "")


# --- decisions that changed -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _SideChoices:
    """Legal moves and chosen moves of one side."""

    side: ComparedKb
    decisions: AnyDecisions
    lists: MoveLists
    rows: NDArray[np.int64]  # [n] chosen move of each decision

    @classmethod
    def compute(cls, side: ComparedKb, decisions: AnyDecisions) -> _SideChoices:
        lists = list_candidates(side.preference_model, decisions)
        return cls(side, decisions, lists, Minimiser(side.preference_model).order(decisions, lists)[lists.start[:-1]])

    def labels(self, rows: NDArray[np.int64]) -> NDArray[np.str_]:
        """Return the labels of moves, or the options of choices, by name, because sides may number them differently."""
        if not is_play_decision(self.decisions):
            return np.array([str(option) for option in self.decisions.rules.schema.options])[self.lists.cards[rows, 0]]
        names = np.array(self.side.engine.labels)
        return names[self.decisions.labels_of(self.lists.form[rows])]

    def move_cards(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the cards of moves [rows, cards]; none for choices."""
        return self.lists.cards[rows] if is_play_decision(self.decisions) else np.empty((len(rows), 0), np.uint8)

    def card_sets(self) -> dict[tuple[int, str], dict[bytes, int]]:
        """Return the legal card sets by decision and label: row of the move by its sorted cards."""
        sets: dict[tuple[int, str], dict[bytes, int]] = defaultdict(dict)
        labels, cards = self.labels(np.arange(len(self.lists.form))), np.sort(self.lists.cards, axis=1)
        for row, decision in enumerate(self.lists.decision_index.tolist()):
            sets[decision, str(labels[row])][cards[row][cards[row] != NO_CARD].tobytes()] = row
        return sets

    def text(self, row: int) -> str:
        """Return a move as text."""
        return str(self.side.engine.notate_move(int(self.lists.form[row]), self.lists.cards[row]))

    def action(self, row: int) -> Action:
        """Return the chosen move of a decision."""
        return self.side.engine.decision_point_at(self.decisions, row).actions[self.rows[row] - self.lists.start[row]]

    def find(self, row: int, other: _SideChoices) -> int:
        """Return the index of the other side's choice among the moves of a decision; -1 if it is not legal."""
        first, last = self.lists.start[row : row + 2]
        other_row = other.rows[row : row + 1]
        matches = first + np.flatnonzero(
            (self.move_cards(np.arange(first, last)) == other.move_cards(other_row)).all(axis=1)
        )
        matches = matches[self.labels(matches) == other.labels(other_row)]
        return int(matches[0]) if matches.size else -1

    def weigh_pairs(self, pairs: Mapping[int, tuple[int, int]]) -> dict[int, tuple[Counter[str], Counter[str]]]:
        """Return the costs by functor of pairs of moves of some decisions; constraints are listed as ``:-``."""
        lengths = np.zeros(len(self.lists.start) - 1, np.int64)
        lengths[list(pairs)] = 2
        moves = np.array([move for row in sorted(pairs) for move in pairs[row]], np.int64)
        pair_moves = MoveLists(np.concatenate([[0], lengths.cumsum()]), self.lists.form[moves], self.lists.cards[moves])
        totals: list[Counter[str]] = [Counter() for _ in moves]
        for rows, fired in self.side.preference_model.evaluate(self.decisions, pair_moves) if pairs else ():
            for move, output in zip(*np.nonzero(fired.T), strict=True):
                name, args = self.side.preference_model.outputs[output]
                key, weight = (functor(str(args[0])), int(args[1])) if name == "cost" else (_CONSTRAINT_KEY, 1)
                totals[rows.start + move][key] += weight
        return {row: (totals[2 * index], totals[2 * index + 1]) for index, row in enumerate(sorted(pairs))}


_CONSTRAINT_KEY = ":-"


def _compare_choices(difference: KbDifference, ours: AnyDecisions, theirs: AnyDecisions, most_examples: int) -> None:
    if is_play_decision(ours) and is_play_decision(theirs):
        stuck = _has_no_move(ours) | _has_no_move(theirs)
        difference.keep_distinguishing(ours, np.flatnonzero(stuck))
        if stuck.any():
            ours, theirs = ours.select(np.flatnonzero(~stuck)), theirs.select(np.flatnonzero(~stuck))
    if not len(ours.rows):
        return
    before, after = _SideChoices.compute(difference.before, ours), _SideChoices.compute(difference.after, theirs)
    if is_play_decision(ours):
        difference.compare_forms(ours, before, after)
    for row, (cause, shares) in _causes(before, after, _changed_rows(before, after)).items():
        difference.causes[cause] += 1
        for name, share in shares:
            difference.shares[name] += share
            difference.decision_counts[name] += 1
        if len(difference.examples) < most_examples:
            decision_point = difference.before.engine.decision_point_at(ours, row)
            moves = before.action(row), after.action(row)
            difference.examples.append(
                ChangedDecision(
                    decision_point.state,
                    difference.render(ours, row),
                    *moves,
                    cause,
                    shares,
                )
            )


def _legal_masks(side: ComparedKb, decisions: AnyDecisions) -> dict[str, NDArray[np.uint8]]:
    """Return which labels are legal in plays, or which options in choices: uint8 [n] by their names."""
    if isinstance(decisions, Choices):
        return dict(zip(map(str, side.engine.rules.schema.options), decisions.options.T, strict=True))
    return dict(zip(side.engine.labels, decisions.legal_mask, strict=True))


def _has_no_move(decisions: AnyDecisions) -> NDArray[np.bool_]:
    """Return which plays [n] have no legal move; converted choices always have options."""
    if not is_play_decision(decisions):
        return np.zeros(len(decisions.rows), np.bool_)
    is_empty: NDArray[np.bool_] = np.diff(decisions.first_card_sets(1)[0].start) == 0
    return is_empty


def _changed_rows(before: _SideChoices, after: _SideChoices) -> list[int]:
    """Return the decisions whose chosen cards or labels differ."""
    cards = (before.move_cards(before.rows) != after.move_cards(after.rows)).any(axis=1)
    return [int(row) for row in np.flatnonzero(cards | (before.labels(before.rows) != after.labels(after.rows)))]


def _causes(before: _SideChoices, after: _SideChoices, rows: Sequence[int]) -> dict[int, tuple[str, PreferenceShares]]:
    """Return the cause of the changed move in each of these decisions."""
    pairs = {row: (after.find(row, before), before.find(row, after)) for row in rows}
    comparable = {row: pair for row, pair in pairs.items() if min(pair) >= 0}
    costs_before = before.weigh_pairs({row: (int(before.rows[row]), new) for row, (_, new) in comparable.items()})
    costs_after = after.weigh_pairs({row: (old, int(after.rows[row])) for row, (old, _) in comparable.items()})
    return {row: _cause(costs_before[row], costs_after[row]) if row in comparable else (LEGALITY, ()) for row in rows}


def _cause(
    costs_before: tuple[Counter[str], Counter[str]], costs_after: tuple[Counter[str], Counter[str]]
) -> tuple[str, PreferenceShares]:
    """Return the cause from the costs of the old and the new move by both sides."""
    if _CONSTRAINT_KEY in costs_before[1] or _CONSTRAINT_KEY in costs_after[0]:
        return CONSTRAINT, ()
    shares: Counter[str] = Counter()
    for sign, (old, new) in ((-1, costs_before), (1, costs_after)):
        for name in old.keys() | new.keys():
            shares[name] += sign * (old[name] - new[name])
    largest = sorted(((name, share) for name, share in shares.items() if share), key=_descending_size)
    return (PREFERENCES if largest else ORDER), tuple(largest)


def _descending_size(pair: tuple[str, int]) -> tuple[int, str]:
    return -abs(pair[1]), pair[0]
