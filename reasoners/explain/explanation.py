"""Why a move: what each preference says of it, and what speaks for and against the next best.

Everything is read off the circuits that choose the move; nothing is worked out a second time. An agent that has learned
adds its opinion: then labels go by their probability, and the preferences choose among the card sets of the likeliest.
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
from abl_cards.games.notation import PlayDerivation
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Action, DecisionPoint, is_play_decision
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain.model_explanation import LabelLookahead, ModelExplanation
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts

T = TypeVar("T")


@dataclass(frozen=True)
class FiredPreference:
    """A preference that fired."""

    name: str  # such as "break_bomb(4)"
    group: str
    weight: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "group": self.group, "weight": self.weight, "words": self.text}


@dataclass(frozen=True)
class MoveAssessment:
    """A move and what the knowledge base makes of it."""

    rank: int  # from 1 for the best
    action: Action
    label: str
    cost: int  # the sum of the weights of the reasons
    reasons: tuple[FiredPreference, ...]
    violations: tuple[Constraint, ...]  # none for a consistent move
    probability: float | None = None  # of the label, where an agent has an opinion
    response_probs: Mapping[str, float | None] | None = None  # how likely each of the others could answer the label
    lookahead: LabelLookahead | None = None  # where the agent looks ahead
    max_plays_left: int | None = None  # plays left after it, where preferences read them and they are an upper bound

    def to_json(self) -> dict[str, Any]:
        """The verdict with its reasons."""
        return self.to_short_json() | {"reasons": [reason.to_json() for reason in self.reasons]}

    def to_short_json(self) -> dict[str, Any]:
        """The verdict alone."""
        found: dict[str, Any] = {
            "place": self.rank,
            "move": self.action.to_json(),
            "label": self.label,
            "cost": self.cost,
        }
        if self.probability is not None:
            found["probability"] = round(self.probability, 6)
        if self.max_plays_left is not None:
            found["plays_left"] = {"at_most": self.max_plays_left}
        if self.violations:
            found["violates"] = [
                {"file": each.location.file, "line": each.location.line, "text": each.text} for each in self.violations
            ]
        return found


@dataclass(frozen=True)
class PreferenceDifference:
    """A preference that two moves do not share: what it adds to the cost of each."""

    name: str
    group: str
    first_weight: int
    second_weight: int
    text: str

    @property
    def cost_difference(self) -> int:
        """How much more the second move costs by it."""
        return self.second_weight - self.first_weight


@dataclass(frozen=True)
class Explanation:
    """The chosen move, its reasons, and the alternatives."""

    decision_point: DecisionPoint
    chosen: MoveAssessment
    runner_up: MoveAssessment | None  # the best move of another label; of the same one where there is no other
    candidates: tuple[MoveAssessment, ...]  # the card sets of the chosen label, best first; inconsistent ones last
    dropped: tuple[MoveAssessment, ...]  # every inconsistent move
    made: MoveAssessment | None  # the move that was made, if that is known
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
            decision_point = replace(decision_point, chosen_move=_find_move(engine, decision_point, move))
        return explain(engine, preference_model or engine.preference_model(), decision_point, language)

    def __str__(self) -> str:
        from abl_cards.reasoners.explain.explanation_text import render_explanation

        return render_explanation(self)

    @property
    def labels(self) -> tuple[MoveAssessment, ...]:
        """The labels that an agent chose among, the most probable first, each by its best move."""
        return self.scores.labels()

    @property
    def ranking(self) -> tuple[MoveAssessment, ...]:
        """Every move, the best first."""
        return tuple(map(self.scores.assess, self.scores.order))

    def assess(self, row: int) -> MoveAssessment:
        """What the knowledge base makes of a move, by its place in wire order."""
        return self.scores.assess(row)

    @property
    def texts(self) -> PreferenceTexts:
        """The words of the preferences."""
        return self.scores.texts

    def best_of(self, rows: Collection[int]) -> MoveAssessment:
        """What the knowledge base makes of the best of some moves, given by their places in wire order."""
        row = min(rows, key=lambda row: self.scores.rank[row])
        return self.scores.assess(row)

    def differences(self, other: MoveAssessment) -> tuple[PreferenceDifference, ...]:
        """What tells the chosen move from another, the largest share first; the shares add up to the difference."""
        return compare_moves(self.chosen, other)

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return self._reasons_json() | (self._model_json(self.model_explanation) if self.model_explanation else {})

    def _model_json(self, model_explanation: ModelExplanation) -> dict[str, Any]:
        return {
            "drawn": model_explanation.is_sampled,
            "labels": [
                {"label": each.label, "probability": round(each.probability or 0.0, 6), "cost": each.cost}
                | ({} if each.response_probs is None else {"answers": dict(each.response_probs)})
                | ({} if each.lookahead is None else each.lookahead.to_json())
                for each in self.labels
            ],
            "estimate": model_explanation.estimate and model_explanation.estimate.to_json(),
        }

    def _reasons_json(self) -> dict[str, Any]:
        return {
            "state": dict(self.decision_point.state),
            "language": self.texts.language,
            "moves": len(self.decision_point.actions),
            "chosen": self.chosen.to_json(),
            "runner_up": self.runner_up and self.runner_up.to_json(),
            "difference": self.runner_up and self.differences_json(self.runner_up),
            "candidates": [verdict.to_short_json() for verdict in self.candidates],
            "dropped": [verdict.to_short_json() for verdict in self.dropped],
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
        """The same as plain values."""
        return [
            {
                "name": each.name,
                "group": each.group,
                "chosen": each.first_weight,
                "other": each.second_weight,
                "words": each.text,
            }
            for each in self.differences(other)
        ]


def explain(
    engine: Engine,
    preference_model: PreferenceModel,
    decision_point: DecisionPoint,
    language: str = "en",
    model_explanation: ModelExplanation | None = None,
) -> Explanation:
    """Explain a decision of an agent with this opinion, or with none.

    The preferences are told what the opinion estimates of the other hands. Raises GameError for an unknown language.
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
    text = move if isinstance(move, str) else json.dumps(move)
    derivations = engine.derive_readings(decision_point, text)
    for derivation in derivations:
        if derivation.move_row is not None:
            return derivation.move_row
    remedy = "Game.legal_moves lists the legal moves of a state"
    raise GameError(f"move: {derivations[0].label} is not legal in this state; {remedy}", ErrorCode.ILLEGAL_MOVE)


def compare_moves(first: MoveAssessment, second: MoveAssessment) -> tuple[PreferenceDifference, ...]:
    """The preferences that two moves do not share, the one that weighs most first."""
    one = {reason.name: reason for reason in first.reasons}
    two = {reason.name: reason for reason in second.reasons}
    found = [
        PreferenceDifference(reason.name, reason.group, *_weight_pair(name, one, two), reason.text)
        for name, reason in (one | two).items()
        if (name in one) != (name in two)
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.cost_difference)))


def _weight_pair(name: str, one: Mapping[str, FiredPreference], two: Mapping[str, FiredPreference]) -> tuple[int, int]:
    return (one[name].weight if name in one else 0), (two[name].weight if name in two else 0)


def _label_probabilities(
    decision_point: DecisionPoint, model_explanation: ModelExplanation | None
) -> tuple[NDArray[np.float64] | None, list[float | None]]:
    """[moves] how likely an opinion finds the label of each, as a number to sort by and as a probability."""
    if model_explanation is None:
        return None, [None] * len(decision_point.actions)
    labels = _label_numbers(decision_point)
    chances = [
        float(chance) if chosen else None
        for chance, chosen in zip(
            model_explanation.probabilities[labels], model_explanation.choosable[labels], strict=True
        )
    ]
    return -model_explanation.rank[labels].astype(np.float64), chances


def _for_each_move(
    decision_point: DecisionPoint,
    model_explanation: ModelExplanation | None,
    ask: Callable[[ModelExplanation, int], T | None],
) -> list[T | None]:
    """[moves] what an opinion answers when it is asked about the label of each."""
    if model_explanation is None:
        return [None] * len(decision_point.actions)
    return [ask(model_explanation, int(label)) for label in _label_numbers(decision_point)]


def _label_numbers(decision_point: DecisionPoint) -> NDArray[np.integer]:
    """[moves] the number of the label of each, of what is chosen that of the option."""
    if is_play_decision(decision_point.decision):
        return decision_point.decision.labels_of(decision_point.move_lists.form)
    return decision_point.move_lists.cards[:, 0]


def _plays_left_bounds(
    engine: Engine, preference_model: PreferenceModel, decision_point: DecisionPoint
) -> list[int | None]:
    """[moves] the plays left after each where preferences read them and they are an upper bound."""
    rules, asked = engine.rules, (decision_point.decision, decision_point.move_lists)
    if not reads_plays_left(preference_model.kb):
        return [None] * len(decision_point.actions)
    bounds, plays = is_upper_bound(rules, *asked), plays_left(rules, *asked)
    return [int(count) if bound else None for count, bound in zip(plays, bounds, strict=True)]


class MoveScores:
    """What fires for each move of a decision, and their order."""

    def __init__(
        self,
        preference_model: PreferenceModel,
        decision_point: DecisionPoint,
        texts: PreferenceTexts,
        model_explanation: ModelExplanation | None = None,
    ) -> None:
        self.texts, self._decision_point, self._preference_model = texts, decision_point, preference_model
        estimate = model_explanation.preference_estimate if model_explanation else None
        # Who has an opinion on options weighs each by itself.
        each = model_explanation is not None and not is_play_decision(decision_point.decision)
        self.label_names = tuple(map(str, decision_point.actions)) if each else decision_point.labels
        likely, self._probabilities = _label_probabilities(decision_point, model_explanation)
        self._response_probs = _for_each_move(decision_point, model_explanation, ModelExplanation.response_probs_of)
        self._lookahead = _for_each_move(decision_point, model_explanation, ModelExplanation.lookahead_of)
        self._max_plays_left = _plays_left_bounds(texts.engine, preference_model, decision_point)
        order = Minimiser(preference_model).order(decision_point.decision, decision_point.move_lists, likely, estimate)
        self.order: list[int] = order.tolist()
        self.rank = {row: number for number, row in enumerate(self.order, 1)}
        self._output_values: NDArray[np.uint8] = np.concatenate(
            [
                fired
                for _, fired in preference_model.evaluate(decision_point.decision, decision_point.move_lists, estimate)
            ],
            axis=1,
        )

    def assess(self, row: int) -> MoveAssessment:
        """The move of a row."""
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
        """The first move of each label that an opinion gives a chance, the most probable label first."""
        first: dict[str, int] = {}
        for row in self.order:
            if self._probabilities[row] is not None:
                first.setdefault(self.label_names[row], row)
        return tuple(self.assess(row) for row in first.values())

    def violated_constraints(self, row: int) -> list[int]:
        """The constraints that the move of a row violates."""
        return [int(args[0]) for name, args in self._true_outputs(row) if name == "violated"]

    def _fired_preferences(self, row: int) -> Sequence[FiredPreference]:
        fired = [(str(args[0]), int(args[1])) for name, args in self._true_outputs(row) if name == "cost"]
        return [
            FiredPreference(name, self.texts.group(name), weight, self.texts.sentence([name])) for name, weight in fired
        ]

    def _true_outputs(self, row: int) -> Sequence[tuple[str, tuple[int | str, ...]]]:
        return [self._preference_model.outputs[output] for output in np.flatnonzero(self._output_values[:, row])]
