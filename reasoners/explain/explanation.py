"""Explain the choice of a move: the preferences that fire for it, and its difference to the alternatives.

The values come from the circuits that choose the move. For a trained agent the explanation includes its predictions.
Then labels are sorted by probability, and preferences choose among the card sets of the most probable label.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from abl_cards.core import ErrorCode, GameError, check_integer, check_list, to_plain_json
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.notation import PlayDerivation, derive_readings, include_play
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.reasoners.explain.assessments import MoveAssessment, PreferenceDifference, compare_moves
from abl_cards.reasoners.explain.model_explanation import ModelExplanation
from abl_cards.reasoners.explain.move_scores import MoveScores
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts


@dataclass(frozen=True)
class Explanation:
    """Explanation of a decision.

    Attributes:
        decision_point: The decision.
        chosen: The chosen move.
        runner_up: The best move of another label, or of the same label if there is no other.
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
        game: Game | Engine | str,
        state: Mapping[str, Any],
        move: Any = None,
        language: str = "en",
        preference_model: PreferenceModel | None = None,
    ) -> Explanation:
        """Explain the decision of a state by preferences.

        Args:
            game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
            state: View of the seat to move, or a record up to its move, in the forms of docs/reference/formats.md.
            move: A legal move to assess as `made`, in the JSON form of the game or as text; None for none.
            language: Language of the sentences: one of `LANGUAGES`.
            preference_model: The preferences; None for those of the game.

        Raises:
            GameError: There is no such game or language, the state is incomplete or wrong, or the move is not legal.
            KBError: The rules do not compile.
        """
        engine, state, move = compile_engine(game), to_plain_json(state), to_plain_json(move)
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
        """Return the evaluation of a move.

        Args:
            row: Index of the move in wire order, the order of ``legal_moves``.

        Raises:
            GameError: The row is out of range.
        """
        return self.scores.assess(check_integer("row", row, 0, len(self.scores.order) - 1))

    @property
    def texts(self) -> PreferenceTexts:
        """Texts of the preferences."""
        return self.scores.texts

    def best_of(self, rows: Collection[int]) -> MoveAssessment:
        """Return the evaluation of the best of several moves.

        Args:
            rows: Indices of moves in wire order, the order of ``legal_moves``.

        Raises:
            GameError: A row is out of range, or there are no rows.
        """
        last = len(self.scores.order) - 1
        indices = [check_integer("rows: a row", row, 0, last) for row in check_list("rows", rows, is_ordered=False)]
        if not indices:
            raise GameError("rows: there are none", ErrorCode.INVALID_VALUE)
        return self.scores.assess(min(indices, key=lambda row: self.scores.rank[row]))

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
        """Return the derivation of a play as plain values, with the assessment of a legal play."""
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
    try:
        return move if isinstance(move, str) else json.dumps(move)
    except TypeError:
        message = f"move: {move!r:.60} is no move: give its JSON form, as Game.legal_moves lists it"
        raise GameError(message, ErrorCode.INVALID_MOVE) from None
