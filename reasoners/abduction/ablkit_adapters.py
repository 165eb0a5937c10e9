"""The rules of a game as ABLkit's knowledge base, the minimiser as its reasoner: ``pip install 'abl-cards[learning]'``.

An example is one decision: X holds its state in the game's JSON form, the pseudo-label is the label that a learner
proposes, and the result is the concrete move, so both fit into any bridge of ABLkit. The knowledge base answers
ABLkit's own search; the reasoner goes to the answer directly: the most probable label that has a consistent move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import KBBase, Reasoner

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions
from abl_cards.reasoners.abduction.minimiser import Minimiser


class RulesKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Labels are consistent with a state when they are legal there; the result is the move that realises them best."""

    def __init__(self, engine: Engine, preference_model: PreferenceModel | None = None) -> None:
        """By the engine's rules, and its preferences or a judge's, as a ``ClingoReasoner``.

        ABLkit's cache is not keyed by knowledge base, so it stays off.
        """
        self.engine = engine
        self.minimiser = Minimiser(preference_model or engine)
        super().__init__(pseudo_label_list=list(engine.labels), use_cache=False)

    def read_decision(self, x: Sequence[Mapping[str, Any]]) -> Decisions:
        """The decision of an example; raises GameError where its state is not one of playing."""
        moment = self.engine.read_decision_point(x[0])
        if not moment.labels:
            raise GameError("a tribute has no labels: write a state of playing")
        return cast(Decisions, moment.decision)

    def logic_forward(self, pseudo_label: Sequence[str], x: Sequence[Mapping[str, Any]]) -> list[Any] | None:
        """The move of a label in the state x[0] as other programs write it; None where the label is not legal."""
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
        """Every legal label with its move, those that lead to y where y is given; there is one label to revise."""
        legal = np.flatnonzero(self.read_decision(x).legal_mask[:, 0])
        labels = [[self.engine.labels[label]] for label in legal]
        if max_revision_num < 1:
            labels = [label for label in labels if label == list(pseudo_label)]
        moves = [self.logic_forward(label, x) for label in labels]
        kept = [row for row, move in enumerate(moves) if y is None or move == y]
        return [labels[row] for row in kept], [moves[row] for row in kept]


class MinimisingReasoner(Reasoner):  # type: ignore[misc]
    """The paper's minimiser (section 2.4) in the place of ABLkit's search."""

    def __init__(self, kb: RulesKB) -> None:
        """Reason by this knowledge base."""
        super().__init__(kb)
        self.rules_kb = kb

    def abduce(self, data_example: ListData) -> list[str]:
        """The label of the chosen move: pred_prob [1, labels] is followed as far as the rules allow."""
        decisions = self.rules_kb.read_decision(data_example.X)
        probabilities = np.asarray(data_example.pred_prob, np.float64).reshape(1, -1)
        moves = self.rules_kb.minimiser.realise(decisions, probabilities)
        return [self.rules_kb.engine.labels[int(decisions.labels_of(moves.form)[0])]]
