"""The abduction step of the loop: from the learner's pseudo-labels to moves that agree with the knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.asp import Atom
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves
from abl_cards.reasoners.abduction import BestCardsPerLabel, ClingoReasoner, Minimiser
from abl_cards.training.model_policy import ModelPolicy


@runtime_checkable
class Reasoner(Protocol):
    """Methods of `Minimiser` that a training run needs; a user's object with both methods can replace it.

    For each decision, the run samples a label from the policy and passes its probability raised above all others. The
    learner learns from the label of the returned move, even if it differs from the sampled one.
    """

    def realise(
        self, decisions: Decisions, label_probabilities: NDArray[np.floating], estimate: HandEstimate | None = None, /
    ) -> Moves:
        """Choose a concrete move for each decision.

        Args:
            decisions: The plays to decide, n of them; ``decisions.moves()`` lists the legal card sets.
            label_probabilities: [n, labels] float, by the policy; the sampled label has 1 more.
            estimate: [n, others, cards] expected copies in the other hands; passed where the learner estimates.

        Returns:
            One legal move for each decision.
        """

    def choose(self, choices: Choices, estimate: HandEstimate | None = None, /) -> NDArray[np.uint8]:
        """Choose an option, such as a bid or a card to give, where the learner decides none.

        Args:
            choices: The choices to decide, n of them; ``choices.options`` is the mask [n, options].
            estimate: [n, others, cards] expected copies in the other hands; passed where the learner estimates.

        Returns:
            [n] index of an allowed option for each choice.
        """


ConsistencyFunction = Callable[["Decisions | Choices", MoveLists], NDArray[np.bool_]]
"""Function of n decisions and their candidate moves that returns the consistency of each candidate [moves].

Candidates that are not consistent are never played where another candidate is. The constraints of the knowledge base
hold besides, and its preferences choose among the card sets of a label."""


class ConstrainedPreferences:
    """The preferences of a knowledge base with another notion of consistency."""

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
        """Evaluate the outputs for the candidates, in portions: slices of the moves, and [outputs, moves]."""
        return self._base.evaluate(decisions, lists, estimate)

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return [moves] the cost of each candidate, and whether it is consistent."""
        cost, consistent = self._base.costs(decisions, lists, estimate)
        if self._is_consistent is None:
            return cost, np.ones_like(consistent)
        allowed = np.asarray(self._is_consistent(decisions, lists))
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
        """Return [inputs of the knowledge base, moves] what each candidate sets."""
        return self._base.inputs(decisions, lists, estimate)


@dataclass(frozen=True)
class Abduction:
    """Realises labels as moves in a run."""

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
            inputs: What the policy reads of them; k of them have a choice.
            labels: [k] the labels to realise.
            log_probs: [k, labels] log-probabilities of all labels; needed by a reasoner of one's own.

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
        estimate = policy.full_hand_estimate(decisions, inputs) if isinstance(policy, ModelPolicy) else None
        moves = (
            self.reasoner.realise(decisions, probabilities)
            if estimate is None
            else self.reasoner.realise(decisions, probabilities, estimate)
        )
        _check_moves(moves, inputs.survey.lists, self.reasoner)
        return moves, decisions.labels_of(moves.form)[inputs.open_rows].astype(np.int16)

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        """Choose an option for each choice by the reasoner: [n]."""
        if self.reasoner is None:
            return Minimiser(self.preference_model).choose(choices)
        chosen = np.asarray(self.reasoner.choose(choices))
        n, options = len(choices.view), choices.options
        if chosen.shape != (n,) or chosen.dtype.kind not in "iu":
            message = f"expected [n] = [{n}] whole numbers, found {list(chosen.shape)} {chosen.dtype}"
            raise GameError(f"{type(self.reasoner).__name__}.choose: {message}", ErrorCode.INVALID_REASONER)
        wrong = (chosen < 0) | (chosen >= options.shape[1])
        wrong |= options[np.arange(n), np.where(wrong, 0, chosen)] == 0
        if wrong.any():
            row = int(wrong.argmax())
            message = f"option {chosen[row]} of choice {row} is not allowed"
            raise GameError(f"{type(self.reasoner).__name__}.choose: {message}", ErrorCode.INVALID_REASONER)
        return chosen.astype(np.uint8)


def best_cards(policy: NeuroSymbolicPolicy, decisions: Decisions, inputs: PolicyInputs) -> BestCardsPerLabel:
    """Return the best card set of each label, by the hands that the policy estimates where preferences read them."""
    return policy.survey_with_estimate(decisions, inputs) if isinstance(policy, ModelPolicy) else inputs.survey


def _check_moves(moves: Moves, lists: MoveLists, reasoner: Reasoner) -> None:
    """Raise GameError where a reasoner returned no moves, or one that is not legal."""
    name, n = f"{type(reasoner).__name__}.realise", len(lists.start) - 1
    if not isinstance(moves, Moves) or np.shape(moves.form) != (n,) or len(moves.cards) != n:
        actual = f"{len(moves.form)} moves" if isinstance(moves, Moves) else type(moves).__name__
        raise GameError(f"{name}: expected Moves of {n} decisions, found {actual}", ErrorCode.INVALID_REASONER)
    missing = lists.find(moves) < 0
    if missing.any():
        row = int(missing.argmax())
        raise GameError(f"{name}: the move of decision {row} is not legal", ErrorCode.INVALID_REASONER)


def resolve_reasoner(engine: Engine, reasoner: object = None, clingo: Path | None = None) -> Abduction:
    """Return who makes moves of labels.

    Args:
        engine: The game.
        reasoner: None for the preferences of the game; a `Minimiser`; compiled preferences; an object with the methods
            of `Reasoner`; or a `ConsistencyFunction`.
        clingo: A folder by which clingo decides in place of a circuit; None for none.

    Raises:
        GameError: The object is none of these (code ``invalid-reasoner``), or both are given (``setting-conflict``).
        KBError: The rules of the folder have errors.
    """
    if clingo is not None:
        if reasoner is not None:
            raise GameError("clingo= and reasoner=: a run has one reasoner; leave one out", ErrorCode.SETTING_CONFLICT)
        return Abduction(ClingoReasoner.of(engine, clingo))
    if reasoner is None:
        return Abduction(engine.preference_model())
    if type(reasoner) is Minimiser:
        return Abduction(reasoner.preference_model)
    if isinstance(reasoner, Reasoner):
        base = reasoner.preference_model if isinstance(reasoner, Minimiser) else engine.preference_model()
        return Abduction(ConstrainedPreferences(base, None), reasoner)
    if callable(getattr(reasoner, "costs", None)) and hasattr(reasoner, "kb"):
        return Abduction(cast("PreferenceModel", reasoner))
    if callable(reasoner):
        return Abduction(ConstrainedPreferences(engine.preference_model(), cast("ConsistencyFunction", reasoner)))
    raise GameError(
        f"reasoner: {type(reasoner).__name__} has no methods realise and choose, and is no function; "
        "pass a Minimiser, an object with both methods, or a function (decisions, lists) -> bool [moves]",
        ErrorCode.INVALID_REASONER,
    )
