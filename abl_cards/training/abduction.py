"""The abduction step of the loop: from the learner's pseudo-labels to moves that agree with the knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import ModelPolicy, NeuroSymbolicPolicy, PolicyInputs, best_cards, find_compiled_game
from abl_cards.asp import Atom
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError, call_part
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves
from abl_cards.reasoners.abduction import ClingoReasoner, Minimiser, check_own_options, find_own_moves
from abl_cards.training.distance import DistanceFunction, DistanceReasoner


@runtime_checkable
class Reasoner(Protocol):
    """Methods of `Minimiser` that a training run calls; a user's object with both methods can replace it.

    For each decision, the run samples a label from the policy and passes the probabilities with 1 added to that of the
    label. The learner learns from the label of the returned move, even if it differs from the sampled one.
    """

    def realise(
        self, decisions: Decisions, label_probabilities: NDArray[np.floating], estimate: HandEstimate | None = None, /
    ) -> Moves:
        """Choose a concrete move for each decision.

        Args:
            decisions: The plays to decide, n of them; ``decisions.moves()`` lists the legal card sets.
            label_probabilities: [n, labels] float, probabilities of the policy plus 1 for the sampled label.
            estimate: [n, others, cards] float32, expected copies in the other hands; None without an estimate.

        Returns:
            One legal move for each decision.
        """

    def choose(self, choices: Choices, estimate: HandEstimate | None = None, /) -> NDArray[np.uint8]:
        """Choose an option, such as a bid or a card to give; called if the learner does not decide choices.

        Args:
            choices: The choices to decide, n of them; ``choices.options`` is the mask [n, options].
            estimate: [n, others, cards] float32, expected copies in the other hands; None without an estimate.

        Returns:
            [n] index of an allowed option for each choice.
        """


ConsistencyFunction = Callable[["Decisions | Choices", MoveLists], NDArray[np.bool_]]
"""Function of n decisions and their candidate moves, read-only, that returns the consistency of each [moves].

Candidates that are not consistent are never played where another candidate is. The constraints of the knowledge base
hold besides, and its preferences choose among the card sets of a label."""


class ConstrainedPreferences:
    """Preferences of a knowledge base with another definition of consistency."""

    def __init__(self, base: PreferenceModel, is_consistent: ConsistencyFunction | None) -> None:
        """Add a function to the constraints of the base; None drops all constraints, its own too."""
        self._base, self._is_consistent = base, is_consistent

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base of the preferences."""
        return self._base.kb

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """Costs and violated constraints of the knowledge base."""
        return self._base.outputs

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """Return the group of each preference that can hold, with or without an estimate of the other hands."""
        return self._base.preferences(with_estimate)

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Yield the outputs for the candidates in batches: slices of the moves, and uint8 [outputs, moves]."""
        return self._base.evaluate(decisions, lists, estimate)

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return int32 [moves], the cost of each candidate, and bool [moves], whether it is consistent."""
        cost, consistent = self._base.costs(decisions, lists, estimate)
        if self._is_consistent is None:
            return cost, np.ones_like(consistent)
        function = self._is_consistent
        allowed = call_part(
            "the consistency function", function,
            lambda: np.asarray(function(decisions, lists.as_read_only())),
            ErrorCode.INVALID_REASONER,
        )  # fmt: skip
        if allowed.shape != consistent.shape or allowed.dtype != np.bool_:
            raise GameError(
                f"the consistency function returned {list(allowed.shape)} {allowed.dtype}, "
                f"expected [moves] = {list(consistent.shape)} bool",
                ErrorCode.INVALID_REASONER,
            )
        return cost, consistent & allowed

    def inputs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """Return uint8 [inputs, moves], the inputs of the knowledge base for each candidate."""
        return self._base.inputs(decisions, lists, estimate)


@dataclass(frozen=True)
class Abduction:
    """The abduction step of a run: realises labels as consistent moves."""

    preference_model: PreferenceModel  # consistency and costs of the candidates
    reasoner: Reasoner | None = None  # chooses the moves; None: the minimiser by these preferences

    def realise(
        self, policy: NeuroSymbolicPolicy, decisions: Decisions, inputs: PolicyInputs,
        labels: NDArray[np.int16], log_probs: NDArray[np.float32] | None,
    ) -> tuple[Moves, NDArray[np.int16]]:  # fmt: skip
        """Choose concrete moves.

        Args:
            policy: The policy that the labels are from.
            decisions: The plays to decide, n of them.
            inputs: Features of the decisions for the policy; k of them have a choice.
            labels: [k] the labels to realise.
            log_probs: [k, labels] log-probabilities of all labels; needed by a custom reasoner.

        Returns:
            One move for each decision, and [k] its labels where there is a choice.
        """
        complete = inputs.complete_labels(labels)
        if self.reasoner is None:
            return best_cards(policy, decisions, inputs).realise(complete), labels
        assert log_probs is not None
        probabilities = np.zeros(inputs.survey.choosable.shape, np.float32)
        probabilities[inputs.open_rows] = np.exp(log_probs)
        probabilities[np.arange(len(complete)), complete] += 1
        estimate = _full_estimate(policy, decisions, inputs)
        given = (decisions, probabilities) if estimate is None else (decisions, probabilities, estimate)
        reasoner = self.reasoner
        moves = call_part(
            f"{type(reasoner).__name__}.realise", reasoner, lambda: reasoner.realise(*given), ErrorCode.INVALID_REASONER
        )
        moves = find_own_moves(f"{type(reasoner).__name__}.realise", moves, inputs.survey.lists)
        abduced = decisions.labels_of(moves.form)[inputs.open_rows].astype(np.int16)
        wrong = ~inputs.legal[np.arange(len(abduced)), abduced]
        if wrong.any():
            row = int(inputs.open_rows[wrong.argmax()])
            message = f"the move of decision {row} is not consistent, and another is; follow the consistency function"
            raise GameError(f"{type(self.reasoner).__name__}.realise: {message}", ErrorCode.INVALID_REASONER)
        return moves, abduced

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        """Choose an option for each choice by the reasoner: [n]."""
        if self.reasoner is None:
            return Minimiser(self.preference_model).choose(choices)
        reasoner = self.reasoner
        chosen = call_part(
            f"{type(reasoner).__name__}.choose", reasoner, lambda: np.asarray(reasoner.choose(choices)),
            ErrorCode.INVALID_REASONER,
        )  # fmt: skip
        return check_own_options(f"{type(reasoner).__name__}.choose", chosen, choices)


def _full_estimate(
    policy: NeuroSymbolicPolicy, decisions: Decisions, inputs: PolicyInputs
) -> NDArray[np.float32] | None:
    """Return the estimate [n, others, cards] of the learner, zeros without a choice; None where it has none."""
    if isinstance(policy, ModelPolicy):
        return policy.full_hand_estimate(decisions, inputs)
    if not policy.has_hand_estimator:
        return None
    estimate = np.zeros((len(decisions.rows), *inputs.estimate.shape[1:]), np.float32)
    estimate[inputs.open_rows] = inputs.estimate
    return estimate


@dataclass(frozen=True)
class ReasonerParts:
    """User-defined parts of the abduction step; None for the built-in ones.

    Attributes:
        reasoner: A `Minimiser`, compiled preferences, an object with the methods of `Reasoner`, or a
            `ConsistencyFunction`.
        consistency: A `ConsistencyFunction`.
        distance: A `DistanceFunction`.
    """

    reasoner: object = None
    consistency: ConsistencyFunction | None = None
    distance: DistanceFunction | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.reasoner, self.consistency, self.distance))


OUR_REASONER = ReasonerParts()
"""The preferences of the game, with their constraints."""


def resolve_reasoner(engine: Engine, parts: ReasonerParts = OUR_REASONER, clingo: Path | None = None) -> Abduction:
    """Return the abduction step of a run.

    Args:
        engine: The game.
        parts: User-defined parts.
        clingo: Rule folder that clingo evaluates in place of a circuit; None for none.

    Raises:
        GameError: A part has a wrong type (code ``invalid-reasoner``), or two of them exclude each other
            (``setting-conflict``).
        KBError: The rules of the folder have errors.
    """
    reasoner, consistency = parts.reasoner, parts.consistency
    functions: dict[str, object] = {"consistency": consistency, "distance": parts.distance}
    for name, part in functions.items():
        if part is not None and not callable(part):
            message = f"{name}: expected a function, found {type(part).__name__}"
            raise GameError(message, ErrorCode.INVALID_REASONER)
    if clingo is not None:
        if parts:
            message = "clingo= and reasoner=, consistency= or distance=: a run has one reasoner; leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        return Abduction(ClingoReasoner.of(engine, clingo))
    if _is_function(reasoner):
        if consistency is not None:
            message = "reasoner= is a consistency function, and so is consistency=: leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        reasoner, consistency = None, cast("ConsistencyFunction", reasoner)
    base = _base_preferences(engine, reasoner)
    is_object = isinstance(reasoner, Reasoner) and type(reasoner) is not Minimiser
    if is_object:
        if parts.distance is not None:
            message = f"distance=: {type(reasoner).__name__} makes the moves itself; leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        return Abduction(ConstrainedPreferences(base, consistency), cast("Reasoner", reasoner))
    judge = base if consistency is None else ConstrainedPreferences(base, consistency)
    return Abduction(judge, None if parts.distance is None else DistanceReasoner(judge, parts.distance))


def _is_function(reasoner: object) -> bool:
    """Return whether a reasoner is a consistency function: callable, and neither preferences nor a reasoner."""
    return callable(reasoner) and not isinstance(reasoner, Reasoner) and not _are_preferences(reasoner)


def _are_preferences(reasoner: object) -> bool:
    """Return whether a reasoner is compiled preferences."""
    return callable(getattr(reasoner, "costs", None)) and hasattr(reasoner, "kb")


def _base_preferences(engine: Engine, reasoner: object) -> PreferenceModel:
    """Return the preferences of a reasoner, or of the game; raises GameError if it is not a reasoner of this game."""
    if reasoner is None:
        return engine.preference_model()
    if isinstance(reasoner, Minimiser):
        return _check_game(engine, reasoner.preference_model)
    if isinstance(reasoner, Reasoner):
        return engine.preference_model()
    if _are_preferences(reasoner):
        return _check_game(engine, cast("PreferenceModel", reasoner))
    raise GameError(
        f"reasoner: {type(reasoner).__name__} has no methods realise and choose, and is no function; "
        "pass a Minimiser, an object with both methods, or a function (decisions, lists) -> bool [moves]",
        ErrorCode.INVALID_REASONER,
    )


def _check_game(engine: Engine, preference_model: PreferenceModel) -> PreferenceModel:
    """Return preferences; raises GameError where they are those of other cards, labels or fluents."""
    rules = find_compiled_game(preference_model)
    if rules is not None and not rules.is_compatible_with(engine.rules):
        message = f"reasoner: its preferences are those of {rules.folder.name}; make it with the game of the run"
        raise GameError(message, ErrorCode.INVALID_REASONER)
    return preference_model
