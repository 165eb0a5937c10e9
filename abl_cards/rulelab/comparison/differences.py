"""Compare an edited knowledge base with its original: legal labels, decisions, and the preferences responsible.

A decision is a play, or a choice (a bid, a card to pay or to return), which has options in place of labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.notation import convert_decisions, render_view
from abl_cards.games.tables import Action, is_play_decision
from abl_cards.rulelab.comparison.chosen_moves import (
    CONSTRAINT,
    LEGALITY,
    ORDER,
    PREFERENCES,
    AnyDecisions,
    ChosenMoves,
    ComparedKb,
    PreferenceShares,
    descending_size,
    find_causes,
    find_changed_rows,
    has_no_move,
    legal_masks,
)

MAX_DISTINGUISHING_STATES, MAX_EXAMPLE_MOVES = 50, 3
"""Largest number of kept states with different legal moves; moves in an example."""


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
        """Preferences whose weights differ, with the weights before and after; empty for a missing preference."""
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
        stuck = has_no_move(ours) | has_no_move(theirs)
        is_unreachable = (has_no_move(ours) & ~self.before.is_reachable(ours)) | (
            has_no_move(theirs) & ~self.after.is_reachable(theirs)
        )
        self.unreachable += int((~(in_before & in_after)).sum() + is_unreachable.sum())
        self.dead_ends += int((stuck & ~is_unreachable).sum())
        if is_unreachable.any():
            ours, theirs = ours.select(np.flatnonzero(~is_unreachable)), theirs.select(np.flatnonzero(~is_unreachable))
        if len(ours.rows):
            self._compare_legal(ours, theirs)
            _compare_choices(self, ours, theirs, max_examples)

    def _compare_legal(self, ours: AnyDecisions, theirs: AnyDecisions) -> None:
        masks_before, masks_after = legal_masks(self.before, ours), legal_masks(self.after, theirs)
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
        """Render a state from the view of its seat, with only the fluents that the edit affects.

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

    def compare_forms(self, ours: AnyDecisions, before: ChosenMoves, after: ChosenMoves) -> None:
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
        return sorted(self.shares.items(), key=descending_size)

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


def _compare_choices(difference: KbDifference, ours: AnyDecisions, theirs: AnyDecisions, most_examples: int) -> None:
    if is_play_decision(ours) and is_play_decision(theirs):
        stuck = has_no_move(ours) | has_no_move(theirs)
        difference.keep_distinguishing(ours, np.flatnonzero(stuck))
        if stuck.any():
            ours, theirs = ours.select(np.flatnonzero(~stuck)), theirs.select(np.flatnonzero(~stuck))
    if not len(ours.rows):
        return
    before, after = ChosenMoves.compute(difference.before, ours), ChosenMoves.compute(difference.after, theirs)
    if is_play_decision(ours):
        difference.compare_forms(ours, before, after)
    for row, (cause, shares) in find_causes(before, after, find_changed_rows(before, after)).items():
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
