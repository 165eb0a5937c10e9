"""Explain the choice of a move: the preferences that fire for it, and its difference to the alternatives.

The values come from the circuits that choose the move. For a trained agent the explanation includes its predictions:
labels are then sorted by probability, and preferences choose among the card sets of the most probable label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Constraint
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.min_plays import is_upper_bound, plays_left, reads_plays_left
from abl_cards.games.notation import PlayDerivation, derive_readings, include_play
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Action, DecisionPoint, is_play_decision
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain.model_explanation import LabelLookahead, ModelExplanation
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts

T = TypeVar("T")


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


@dataclass(frozen=True)
class Explanation:
    """Explanation of a decision.

    Attributes:
        decision_point: The decision.
        chosen: The chosen move.
        runner_up: The best move of another label, or of the same one where there is no other.
        candidates: Card sets of the chosen label, best first, inconsistent ones last.
        dropped: All inconsistent moves.
        made: The move that was made, if it is known.
        scores: Evaluation of all moves.
        model_explanation: Predictions of the agent.
    """

    decision_point: DecisionPoint
    chosen: MoveAssessment
    runner_up: MoveAssessment | None
    candidates: tuple[MoveAssessment, ...]
    dropped: tuple[MoveAssessment, ...]
    made: MoveAssessment | None
    scores: MoveScores = field(repr=False)
    model_explanation: ModelExplanation | None = None

    @classmethod
    def of_state(
        cls,
        engine: Engine,
        state: Mapping[str, Any],
        move: Any = None,
        language: str = "en",
        preference_model: PreferenceModel | None = None,
    ) -> Explanation:
        """Explain the decision of a state by preferences.

        Args:
            engine: The compiled game.
            state: What the seat to move sees, or a record up to its move, as docs/reference/formats.md describes them.
            move: A legal move to assess as `made`, in the JSON form of the game or as text; None for none.
            language: Language of the sentences: one of `LANGUAGES`.
            preference_model: The preferences; None for those of the game.

        Raises:
            GameError: The state is incomplete or wrong, the move is not legal, or the language is unknown.
        """
        decision_point = engine.read_decision_point(state, for_explanation=True)
        if move is not None:
            decision_point = include_play(engine.rules, decision_point, _move_text(move))
            decision_point = replace(decision_point, chosen_move=_find_move(engine, decision_point, move))
        return explain(engine, preference_model or engine.preference_model(), decision_point, language)

    def __str__(self) -> str:
        from abl_cards.reasoners.explain.explanation_text import render_explanation

        return render_explanation(self)

    @property
    def labels(self) -> tuple[MoveAssessment, ...]:
        """Best move of each label that the agent may choose, the most probable label first."""
        return self.scores.labels()

    @property
    def ranking(self) -> tuple[MoveAssessment, ...]:
        """All moves, the best first."""
        return tuple(map(self.scores.assess, self.scores.order))

    def assess(self, row: int) -> MoveAssessment:
        """Return the evaluation of a move, by its index in wire order."""
        return self.scores.assess(row)

    @property
    def texts(self) -> PreferenceTexts:
        """Texts of the preferences."""
        return self.scores.texts

    def best_of(self, rows: Collection[int]) -> MoveAssessment:
        """Return the evaluation of the best of several moves, given by their indices in wire order."""
        row = min(rows, key=lambda row: self.scores.rank[row])
        return self.scores.assess(row)

    def differences(self, other: MoveAssessment) -> tuple[PreferenceDifference, ...]:
        """Return the preferences that differ between the chosen and another move, the largest difference first.

        Args:
            other: Another move.

        Returns:
            Differences, whose sum is the difference in cost.
        """
        return compare_moves(self.chosen, other)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON, with keys in a stable order."""
        return self._reasons_json() | (self._model_json(self.model_explanation) if self.model_explanation else {})

    def _model_json(self, model_explanation: ModelExplanation) -> dict[str, Any]:
        return {
            "drawn": model_explanation.is_sampled,
            "labels": [
                {
                    "label": assessment.label,
                    "probability": round(assessment.probability or 0.0, 6),
                    "cost": assessment.cost,
                }
                | ({} if assessment.response_probs is None else {"answers": dict(assessment.response_probs)})
                | ({} if assessment.lookahead is None else assessment.lookahead.to_json())
                for assessment in self.labels
            ],
            "estimate": model_explanation.estimate and model_explanation.estimate.to_json(),
        }

    def _state_json(self) -> dict[str, Any]:
        """Return the state; it names its profile where other rules would be taken without it."""
        rules = self.decision_point.decision.rules
        is_default = rules.profile == rules.folder.default_profile
        return dict(self.decision_point.state) | ({} if is_default else {"profile": rules.profile})

    def _reasons_json(self) -> dict[str, Any]:
        return {
            "state": self._state_json(),
            "language": self.texts.language,
            "moves": len(self.decision_point.actions),
            **({} if self.decision_point.is_complete else {"complete": False}),
            "chosen": self.chosen.to_json(),
            "runner_up": self.runner_up and self.runner_up.to_json(),
            "difference": self.runner_up and self.differences_json(self.runner_up),
            "candidates": [assessment.to_short_json() for assessment in self.candidates],
            "dropped": [assessment.to_short_json() for assessment in self.dropped],
            "made": self.made and self.made.to_json() | {"difference": self.differences_json(self.made)},
        }

    def derivation_json(self, derivation: PlayDerivation) -> dict[str, Any]:
        """Return why a play is legal or not as plain values, with the assessment of a legal one."""
        if derivation.move_row is None:
            return derivation.to_json()
        assessment = self.assess(derivation.move_row)
        return derivation.to_json() | {
            "verdict": assessment.to_json(),
            "difference": self.differences_json(assessment),
        }

    def differences_json(self, other: MoveAssessment) -> list[dict[str, Any]]:
        """Return the differences between the chosen and another move as plain values for JSON."""
        return [
            {
                "name": difference.name,
                "group": difference.group,
                "chosen": difference.first_weight,
                "other": difference.second_weight,
                "words": difference.text,
            }
            for difference in self.differences(other)
        ]


def explain(
    engine: Engine,
    preference_model: PreferenceModel,
    decision_point: DecisionPoint,
    language: str = "en",
    model_explanation: ModelExplanation | None = None,
) -> Explanation:
    """Explain a decision.

    Args:
        engine: Engine of the game.
        preference_model: Preferences that choose the move.
        decision_point: The decision.
        language: Language of the sentences.
        model_explanation: Predictions of the agent, with its estimate of hidden hands for the preferences.

    Returns:
        The explanation.

    Raises:
        GameError: The language is unknown.
    """
    scores = MoveScores(
        preference_model, decision_point, PreferenceTexts.of(preference_model.kb, engine, language), model_explanation
    )
    order, labels = scores.order, scores.label_names
    best = order[0] if model_explanation is None else model_explanation.row
    others = [row for row in order if labels[row] != labels[best]] or [row for row in order if row != best]
    return Explanation(
        decision_point=decision_point,
        chosen=scores.assess(best),
        runner_up=scores.assess(others[0]) if others else None,
        candidates=tuple(scores.assess(row) for row in order if labels[row] == labels[best]),
        dropped=tuple(scores.assess(row) for row in order if scores.violated_constraints(row)),
        made=None if decision_point.chosen_move is None else scores.assess(decision_point.chosen_move),
        scores=scores,
        model_explanation=model_explanation,
    )


def _find_move(engine: Engine, decision_point: DecisionPoint, move: Any) -> int:
    """Return the row of a legal move, given in JSON form or as text."""
    for row, action in enumerate(decision_point.actions):
        if move in (str(action), action.to_json()):
            return row
    if not is_play_decision(decision_point.decision):
        options = ", ".join(map(str, decision_point.actions))
        raise GameError(f"move: {move!r} is none of the options: {options}", ErrorCode.ILLEGAL_MOVE)
    derivations = derive_readings(engine.rules, decision_point, _move_text(move))
    for derivation in derivations:
        if derivation.move_row is not None:
            return derivation.move_row
    remedy = "Game.legal_moves lists the legal moves of a state"
    raise GameError(f"move: {derivations[0].label} is not legal in this state; {remedy}", ErrorCode.ILLEGAL_MOVE)


def _move_text(move: Any) -> str:
    """Return a move in JSON form or as text as a text."""
    return move if isinstance(move, str) else json.dumps(move)


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


def _label_probabilities(
    decision_point: DecisionPoint, model_explanation: ModelExplanation | None
) -> tuple[NDArray[np.float64] | None, list[float | None]]:
    """Return for each move the rank of its label by the agent, to sort by, and the probability of the label."""
    if model_explanation is None:
        return None, [None] * len(decision_point.actions)
    labels = _label_numbers(decision_point)
    probabilities = [
        float(probability) if is_choosable else None
        for probability, is_choosable in zip(
            model_explanation.probabilities[labels], model_explanation.choosable[labels], strict=True
        )
    ]
    return -model_explanation.rank[labels].astype(np.float64), probabilities


def _expand_to_moves(
    decision_point: DecisionPoint,
    model_explanation: ModelExplanation | None,
    get_value: Callable[[ModelExplanation, int], T | None],
) -> list[T | None]:
    """Return for each move a value of its label."""
    if model_explanation is None:
        return [None] * len(decision_point.actions)
    return [get_value(model_explanation, int(label)) for label in _label_numbers(decision_point)]


def _label_numbers(decision_point: DecisionPoint) -> NDArray[np.integer]:
    """Return int[moves] the label of each move; the option for decisions that are no plays."""
    if is_play_decision(decision_point.decision):
        return decision_point.decision.labels_of(decision_point.move_lists.form)
    return decision_point.move_lists.cards[:, 0]


def _plays_left_bounds(
    engine: Engine, preference_model: PreferenceModel, decision_point: DecisionPoint
) -> list[int | None]:
    """Return for each move the plays left, where preferences read them and they are an upper bound."""
    rules, arguments = engine.rules, (decision_point.decision, decision_point.move_lists)
    if not reads_plays_left(preference_model.kb):
        return [None] * len(decision_point.actions)
    bounds, plays = is_upper_bound(rules, *arguments), plays_left(rules, *arguments)
    return [int(count) if bound else None for count, bound in zip(plays, bounds, strict=True)]


class MoveScores:
    """Preferences that fire for each move of a decision, and the order of the moves.

    Attributes:
        texts: Texts of the preferences.
        label_names: Label of each move.
        order: Rows of the moves, the best first.
        rank: Rank of each row, from 1.
    """

    def __init__(
        self,
        preference_model: PreferenceModel,
        decision_point: DecisionPoint,
        texts: PreferenceTexts,
        model_explanation: ModelExplanation | None = None,
    ) -> None:
        """Evaluate all moves of a decision."""
        self.texts, self._decision_point, self._preference_model = texts, decision_point, preference_model
        estimate = model_explanation.preference_estimate if model_explanation else None
        # An agent predicts a probability for each option by itself.
        by_option = model_explanation is not None and not is_play_decision(decision_point.decision)
        self.label_names = tuple(map(str, decision_point.actions)) if by_option else decision_point.labels
        label_ranks, self._probabilities = _label_probabilities(decision_point, model_explanation)
        self._response_probs = _expand_to_moves(decision_point, model_explanation, ModelExplanation.response_probs_of)
        self._lookahead = _expand_to_moves(decision_point, model_explanation, ModelExplanation.lookahead_of)
        self._max_plays_left = _plays_left_bounds(texts.engine, preference_model, decision_point)
        order = Minimiser(preference_model).order(
            decision_point.decision, decision_point.move_lists, label_ranks, estimate
        )
        self.order: list[int] = order.tolist()
        self.rank = {row: index for index, row in enumerate(self.order, 1)}
        self._output_values: NDArray[np.uint8] = np.concatenate(
            [
                fired
                for _, fired in preference_model.evaluate(decision_point.decision, decision_point.move_lists, estimate)
            ],
            axis=1,
        )

    def assess(self, row: int) -> MoveAssessment:
        """Return the evaluation of the move of a row."""
        reasons = tuple(self._fired_preferences(row))
        return MoveAssessment(
            rank=self.rank[row],
            action=self._decision_point.actions[row],
            label=self.label_names[row],
            cost=sum(reason.weight for reason in reasons),
            reasons=reasons,
            violations=tuple(
                self._preference_model.kb.constraints[number] for number in self.violated_constraints(row)
            ),
            probability=self._probabilities[row],
            response_probs=self._response_probs[row],
            lookahead=self._lookahead[row],
            max_plays_left=self._max_plays_left[row],
        )

    def labels(self) -> tuple[MoveAssessment, ...]:
        """Return the best move of each label that the agent may choose, the most probable label first."""
        first: dict[str, int] = {}
        for row in self.order:
            if self._probabilities[row] is not None:
                first.setdefault(self.label_names[row], row)
        return tuple(self.assess(row) for row in first.values())

    def violated_constraints(self, row: int) -> list[int]:
        """Return the indices of the constraints that the move of a row violates."""
        return [int(args[0]) for name, args in self._true_outputs(row) if name == "violated"]

    def _fired_preferences(self, row: int) -> Sequence[FiredPreference]:
        fired = [(str(args[0]), int(args[1])) for name, args in self._true_outputs(row) if name == "cost"]
        return [
            FiredPreference(name, self.texts.group(name), weight, self.texts.sentence([name])) for name, weight in fired
        ]

    def _true_outputs(self, row: int) -> Sequence[tuple[str, tuple[int | str, ...]]]:
        return [self._preference_model.outputs[output] for output in np.flatnonzero(self._output_values[:, row])]
