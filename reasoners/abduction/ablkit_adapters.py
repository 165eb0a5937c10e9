"""The rules of a game as ABLkit's knowledge base, and the minimiser as its reasoner (``abl-cards[learning]``).

An example is one decision. X holds its state in the game's JSON form. The pseudo-label is the label that a learner
predicts, and the result is the concrete move. So both classes fit into any bridge of ABLkit. A recorded move Y stands
for its label: moves of one label in other suits, or in another order, count as equal. The knowledge base supports
ABLkit's own search; the reasoner computes the most probable label that has a consistent move directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.reasoners.abduction.play_sets import labels_of_play
from abl_cards.reasoners.abduction.probabilities import check_probabilities


class RulesKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Knowledge base of ABLkit: a label is consistent when it is legal; the result is the move that realises it best.

    Attributes:
        engine: Engine of the game.
        minimiser: Chooses the move of a label.
    """

    def __init__(self, engine: Engine, preference_model: PreferenceModel | None = None) -> None:
        """Make a knowledge base; ABLkit's cache is not keyed by knowledge base, so it stays off.

        Args:
            engine: Engine of the game.
            preference_model: Preferences, such as a ``ClingoReasoner``; by default those of the game.
        """
        self.engine = engine
        self.minimiser = Minimiser(preference_model or engine)
        super().__init__(pseudo_label_list=list(engine.labels), use_cache=False)

    def read_decision(self, x: Sequence[Mapping[str, Any]]) -> Decisions:
        """Read the decision of an example.

        Args:
            x: A sequence of one state, as a JSON object.

        Returns:
            The decision.

        Raises:
            GameError: The state is invalid, or its decision is a choice.
        """
        if x is None or isinstance(x, (str, Mapping)) or len(x) != 1:
            message = "an example holds one state: X is a sequence of one JSON object"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        decision_point = self.engine.read_decision_point(x[0])
        if not decision_point.labels:
            message = "the decision of this state is no play, so it has no labels"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        return cast(Decisions, decision_point.decision)

    def logic_forward(self, pseudo_label: Sequence[str], x: Sequence[Mapping[str, Any]]) -> list[Any] | None:
        """Return the JSON form of the move of a label in the state x[0]; None for an illegal label.

        Args:
            pseudo_label: One label.
            x: A sequence of one state, as a JSON object.

        Returns:
            The move.

        Raises:
            GameError: The label is unknown, or the state is invalid.
        """
        decisions = self.read_decision(x)
        if len(pseudo_label) != 1 or pseudo_label[0] not in self.engine.labels:
            message = f"pseudo-labels {list(pseudo_label)!r}, expected one label of the game"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        label = self.engine.labels.index(pseudo_label[0])
        if not decisions.legal_mask[label, 0]:
            return None
        moves = self.minimiser.realise_labels(decisions, np.array([label], np.int16))
        return self.engine.notate_move(int(moves.form[0]), moves.cards[0]).to_json()

    def abduce_candidates(
        self,
        pseudo_label: Sequence[str],
        y: Any,
        x: Sequence[Mapping[str, Any]],
        max_revision_num: int,
        require_more_revision: int,
    ) -> tuple[list[list[str]], list[Any]]:
        """Return the legal labels and their moves; only labels that the move y can have, if it is given.

        Args:
            pseudo_label: Predicted label, which is the only candidate if none may be revised.
            y: A label, or a move in JSON form; None for any move.
            x: A sequence of one state, as a JSON object.
            max_revision_num: Most labels to revise.
            require_more_revision: Not used, because an example has one label.

        Returns:
            Labels and moves.

        Raises:
            GameError: The state or the move is invalid.
        """
        decisions = self.read_decision(x)
        legal = np.flatnonzero(decisions.legal_mask[:, 0] & self.requested_labels(decisions, y))
        labels = [[self.engine.labels[label]] for label in legal]
        if max_revision_num < 1:
            labels = [label for label in labels if label == list(pseudo_label)]
        return labels, [self.logic_forward(label, x) for label in labels]

    def requested_labels(self, decisions: Decisions, y: Any) -> NDArray[np.bool_]:
        """Find the labels that a recorded move can have.

        Args:
            decisions: One decision.
            y: A label, or a move in JSON form; None for any move.

        Returns:
            bool[labels] The labels.

        Raises:
            GameError: The move is invalid.
        """
        requested = np.full(len(self.engine.labels), y is None)
        if y is not None:
            requested[list(labels_of_play(self.engine.rules, y, int(decisions.context[0])))] = True
        return requested

    def revise_at_idx(
        self, pseudo_label: Sequence[str], y: Any, x: Sequence[Mapping[str, Any]], revision_idx: Sequence[int]
    ) -> tuple[list[list[str]], list[Any]]:
        """Return the candidates of an example whose label may be revised or not; see `abduce_candidates`."""
        return self.abduce_candidates(pseudo_label, y, x, len(revision_idx), 0)


class MinimisingReasoner(Reasoner):  # type: ignore[misc]
    """Reasoner of ABLkit that uses the paper's minimiser (section 2.4) instead of a search."""

    def __init__(self, kb: RulesKB) -> None:
        """Make a reasoner for a knowledge base."""
        super().__init__(kb)
        self.rules_kb = kb

    def abduce(self, data_example: ListData) -> list[str]:
        """Choose a label for one decision.

        Args:
            data_example: Example with X, ``pred_prob`` [1, labels] and perhaps Y.

        Returns:
            The most probable label that has a consistent move. With Y the most probable legal label that Y can have, or
            an empty list where none is legal.

        Raises:
            GameError: The state, the probabilities or Y are invalid.
        """
        decisions = self.rules_kb.read_decision(data_example.X)
        probabilities = np.asarray(data_example.pred_prob, np.float64).reshape(1, -1)
        check_probabilities(probabilities)
        if probabilities.shape[1] != len(self.rules_kb.engine.labels):
            message = f"pred_prob: {probabilities.shape[1]} values, expected {len(self.rules_kb.engine.labels)}"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        if (y := getattr(data_example, "Y", None)) is not None:
            labels = np.flatnonzero(decisions.legal_mask[:, 0] & self.rules_kb.requested_labels(decisions, y))
            best = labels[np.argmax(probabilities[0, labels])] if labels.size else None
            return [] if best is None else [self.rules_kb.engine.labels[best]]
        moves = self.rules_kb.minimiser.realise(decisions, probabilities)
        return [self.rules_kb.engine.labels[int(decisions.labels_of(moves.form)[0])]]
