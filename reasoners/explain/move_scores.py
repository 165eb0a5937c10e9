"""Evaluate all moves of a decision by the circuits that choose one, and by the predictions of an agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.min_plays import is_upper_bound, plays_left, reads_plays_left
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain.assessments import FiredPreference, MoveAssessment
from abl_cards.reasoners.explain.model_explanation import ModelExplanation
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts

T = TypeVar("T")


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
