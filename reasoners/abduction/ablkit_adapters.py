"""The rules of a game as ABLkit's knowledge base, and the minimiser as its reasoner (``abl-cards[learning]``).

An example is one decision: X holds its state in the game's JSON form, the pseudo-label is the label that a learner
predicts, and the result is the concrete move, so both fit into any bridge of ABLkit. The knowledge base supports
ABLkit's own search; the reasoner computes directly the most probable label that has a consistent move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import KBBase, Reasoner

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions
from abl_cards.reasoners.abduction.minimiser import Minimiser


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
            GameError: The state is invalid, or its decision is no play.
        """
        decision_point = self.engine.read_decision_point(x[0])
        if not decision_point.labels:
            message = "the decision of this state is no play, so it has no labels"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        return cast(Decisions, decision_point.decision)

    def logic_forward(self, pseudo_label: Sequence[str], x: Sequence[Mapping[str, Any]]) -> list[Any] | None:
        """Return the JSON form of the move of a label in the state x[0]; None for an illegal label."""
        decisions = self.read_decision(x)
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
        """Return the legal labels and their moves; only those with the move y, if it is given."""
        legal = np.flatnonzero(self.read_decision(x).legal_mask[:, 0])
        labels = [[self.engine.labels[label]] for label in legal]
        if max_revision_num < 1:
            labels = [label for label in labels if label == list(pseudo_label)]
        moves = [self.logic_forward(label, x) for label in labels]
        rows = [row for row, move in enumerate(moves) if y is None or move == y]
        return [labels[row] for row in rows], [moves[row] for row in rows]


class MinimisingReasoner(Reasoner):  # type: ignore[misc]
    """Reasoner of ABLkit that uses the paper's minimiser (section 2.4) instead of a search."""

    def __init__(self, kb: RulesKB) -> None:
        """Make a reasoner for a knowledge base."""
        super().__init__(kb)
        self.rules_kb = kb

    def abduce(self, data_example: ListData) -> list[str]:
        """Return the most probable label, by pred_prob [1, labels], that has a consistent move."""
        decisions = self.rules_kb.read_decision(data_example.X)
        probabilities = np.asarray(data_example.pred_prob, np.float64).reshape(1, -1)
        moves = self.rules_kb.minimiser.realise(decisions, probabilities)
        return [self.rules_kb.engine.labels[int(decisions.labels_of(moves.form)[0])]]
