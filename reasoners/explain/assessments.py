"""Assessments of moves: the preferences that fire for them, their costs, and how two moves differ in these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abl_cards.asp import Constraint
from abl_cards.games.tables import Action
from abl_cards.reasoners.explain.model_explanation import LabelLookahead


@dataclass(frozen=True)
class FiredPreference:
    """Preference that fired for a move.

    Attributes:
        name: Instance, such as "break_bomb(4)".
        group: Its group.
        weight: Its weight.
        text: Its sentence.
    """

    name: str
    group: str
    weight: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"name": self.name, "group": self.group, "weight": self.weight, "words": self.text}


@dataclass(frozen=True)
class MoveAssessment:
    """Evaluation of a move by the knowledge base and the agent.

    Attributes:
        rank: Rank from 1, the best.
        action: The move.
        label: Its label.
        cost: Sum of the weights of the reasons.
        reasons: Preferences that fired.
        violations: Violated constraints; empty for a consistent move.
        probability: Probability of the label by the agent, if it predicts one.
        response_probs: Probability that each other seat can respond to the label.
        lookahead: Results of looking ahead, if the agent does.
        max_plays_left: Upper bound of the plays left after the move, if preferences read it.
    """

    rank: int
    action: Action
    label: str
    cost: int
    reasons: tuple[FiredPreference, ...]
    violations: tuple[Constraint, ...]
    probability: float | None = None
    response_probs: Mapping[str, float | None] | None = None
    lookahead: LabelLookahead | None = None
    max_plays_left: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON, with the reasons."""
        return self.to_short_json() | {"reasons": [reason.to_json() for reason in self.reasons]}

    def to_short_json(self) -> dict[str, Any]:
        """Return plain values for JSON, without the reasons."""
        data: dict[str, Any] = {
            "place": self.rank,
            "move": self.action.to_json(),
            "label": self.label,
            "cost": self.cost,
        }
        if self.probability is not None:
            data["probability"] = round(self.probability, 6)
        if self.max_plays_left is not None:
            data["plays_left"] = {"at_most": self.max_plays_left}
        if self.violations:
            data["violates"] = [
                {"file": constraint.location.file, "line": constraint.location.line, "text": constraint.text}
                for constraint in self.violations
            ]
        return data


@dataclass(frozen=True)
class PreferenceDifference:
    """Preference that fires for one of two moves, with its weights for both."""

    name: str
    group: str
    first_weight: int
    second_weight: int
    text: str

    @property
    def cost_difference(self) -> int:
        """Difference that it makes to the cost of the second move."""
        return self.second_weight - self.first_weight


def compare_moves(first: MoveAssessment, second: MoveAssessment) -> tuple[PreferenceDifference, ...]:
    """Compare the preferences that fire for two moves.

    Args:
        first: A move.
        second: Another move.

    Returns:
        Preferences that fire for one of them, the largest difference first.
    """
    first_reasons = {reason.name: reason for reason in first.reasons}
    second_reasons = {reason.name: reason for reason in second.reasons}
    differences = [
        PreferenceDifference(reason.name, reason.group, *_weight_pair(name, first_reasons, second_reasons), reason.text)
        for name, reason in (first_reasons | second_reasons).items()
        if (name in first_reasons) != (name in second_reasons)
    ]
    return tuple(sorted(differences, key=lambda difference: -abs(difference.cost_difference)))


def _weight_pair(
    name: str, first_reasons: Mapping[str, FiredPreference], second_reasons: Mapping[str, FiredPreference]
) -> tuple[int, int]:
    return (first_reasons[name].weight if name in first_reasons else 0), (
        second_reasons[name].weight if name in second_reasons else 0
    )
