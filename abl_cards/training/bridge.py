"""The learner and the reasoner of the loop as ABLkit's ``ABLModel`` and ``Reasoner``, so that either can be replaced.

An example is a decision with one symbol, its label. X holds the row of the decision in a batch (``BatchRow``): a model
of one's own finds the arrays in ``row.batch.view`` before a choice, and in ``row.batch.experience`` to learn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from ablkit.data.structures import ListData
from ablkit.learning import ABLModel
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.agents import PolicyInputs, RandomKeys, sample_labels
from abl_cards.core import ErrorCode, GameError
from abl_cards.training.ablkit_base import ABLkitBridge
from abl_cards.training.experience import Experience
from abl_cards.training.trainer import Trainer
from abl_cards.training.updates import UpdateStats


@dataclass(frozen=True)
class DecisionBatch:
    """Decisions to make, or to learn from, together; one of the two fields is set."""

    view: PolicyInputs | None = None
    keys: RandomKeys | None = None  # [k] random bits to sample labels with
    experience: Experience | None = None

    def to_list_data(self) -> ListData:
        """Return the decisions in ABLkit's form, without true labels."""
        n = len(self.experience if self.experience is not None else self.checked_view.open_rows)
        return ListData(X=[[BatchRow(self, row)] for row in range(n)], gt_pseudo_label=None, Y=[None] * n)

    @property
    def checked_view(self) -> PolicyInputs:
        """The features of decisions to make; raises ValueError where there are none."""
        if self.view is None:
            raise ValueError("there is nothing to decide in this batch")
        return self.view


class BatchRow(NamedTuple):
    """A decision of a batch, by its row."""

    batch: DecisionBatch
    row: int


class PolicyBaseModel:
    """The policy as a base model of ABLkit, with ``predict_proba`` and ``fit``."""

    def __init__(self, trainer: Trainer) -> None:
        """Use and train the networks of a run."""
        self._trainer = trainer
        self.last_stats: UpdateStats | None = None  # measurements of the last training

    def predict_proba(self, X: Sequence[BatchRow]) -> NDArray[np.float64]:
        """Return [n, labels] probabilities of the labels of one batch."""
        weighed = self._trainer.self_play.policy.log_probs(X[0].batch.checked_view).astype(np.float64)
        probabilities: NDArray[np.float64] = np.exp(weighed)
        return probabilities[[place.row for place in X]]

    def predict(self, X: Sequence[BatchRow]) -> NDArray[np.int64]:
        """Return [n] the most probable labels."""
        return self.predict_proba(X).argmax(axis=1)

    def fit(self, X: Sequence[BatchRow], y: Sequence[int]) -> float | None:
        """Update the networks by the experience of one batch, whose labels are y.

        Returns:
            The loss of the policy; None in the first updates, in which the critic learns alone.
        """
        experience = X[0].batch.experience
        if experience is None:
            raise ValueError("there is nothing to learn from in this batch")
        self.last_stats = self._trainer.train_networks(replace(experience, label=np.array(y, np.int16)))
        return self.last_stats.policy_loss


class LabelsKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """The pseudo-labels of a game; the batch of a decision holds the consistent ones."""

    def __init__(self, labels: Sequence[str]) -> None:
        """Take the labels; ABLkit's cache is off, because it is not keyed by knowledge base."""
        super().__init__(pseudo_label_list=list(labels), use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[str], x: Sequence[BatchRow]) -> bool:
        """Return whether rules and constraints allow the label of a decision."""
        place = x[0]
        return bool(place.batch.checked_view.legal[place.row, self.pseudo_label_list.index(pseudo_label[0])])


class SamplingReasoner(Reasoner):  # type: ignore[misc]
    """Samples a consistent label by the learner's probabilities, to explore."""

    def batch_abduce(self, data_examples: ListData) -> list[list[str]]:
        """Return a label for each decision, by the keys of the batch."""
        batch = data_examples.X[0][0].batch
        legal = batch.checked_view.legal
        probabilities = np.concatenate(data_examples.pred_prob)
        shares = np.full(probabilities.shape, -np.inf, np.float32)
        np.log(np.maximum(probabilities, np.finfo(np.float64).tiny), out=shares, where=legal, casting="same_kind")
        labels = sample_labels(shares, batch.keys)
        data_examples.abduced_pseudo_label = [[self.idx_to_label[int(label)]] for label in labels]
        return data_examples.abduced_pseudo_label


class JointBridge(ABLkitBridge):
    """A run whose decisions and updates go through an ABLkit model and reasoner.

    >>> bridge = JointBridge(trainer, reasoner=my_reasoner)  # doctest: +SKIP
    >>> bridge.train()  # doctest: +SKIP
    """

    def __init__(self, trainer: Trainer, model: ABLModel | None = None, reasoner: Reasoner | None = None) -> None:
        """Replace parts of a run.

        Args:
            trainer: The run, in one process.
            model: The model; None for the run's own policy.
            reasoner: The reasoner; None for sampling by probability.

        Raises:
            GameError: The run has several processes or profiles, or has already learned without the model.
        """
        if trainer.process_rank.world_size > 1 or not trainer.plays_locally:
            raise GameError(
                "parts of a run can be swapped in one process only: give its settings workers=1, no actors",
                ErrorCode.SETTING_CONFLICT,
            )
        if trainer.settings.second_profile is not None:
            raise GameError(
                "second_profile: parts of a run that plays by two profiles cannot be swapped; leave it out",
                ErrorCode.SETTING_CONFLICT,
            )
        trainer.has_foreign_model = model is not None and not isinstance(model.base_model, PolicyBaseModel)
        if trainer.has_foreign_model and trainer.num_updates:
            made = f"{trainer.checkpoint_path}: the run has made {trainer.num_updates} updates"
            raise GameError(
                f"{made}, and your own model would begin afresh: choose another folder", ErrorCode.RUN_MISMATCH
            )
        policy = ABLModel(PolicyBaseModel(trainer)) if model is None else model
        super().__init__(policy, reasoner or SamplingReasoner(LabelsKB(trainer.engine.labels)))
        self.trainer = trainer
        trainer.self_play.decide, trainer.learn = self.decide, self.learn

    def decide(self, view: PolicyInputs, keys: RandomKeys) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Return labels of decisions by model and reasoner, and the model's log-probabilities of them."""
        if not len(view.open_rows):  # with few tables there may be no decision with a choice
            return np.zeros(0, np.int16), np.zeros(0, np.float32)
        data = DecisionBatch(view, keys).to_list_data()
        _, probabilities = self.predict(data)
        self.abduce_pseudo_label(data)
        labels = np.array(self.pseudo_label_to_idx(data), np.int16)[:, 0]
        chosen = np.concatenate(probabilities)[np.arange(len(labels)), labels]
        return labels, np.log(np.maximum(chosen, np.finfo(np.float64).tiny)).astype(np.float32)

    def learn(self, experience: Experience) -> UpdateStats:
        """Train the model on experience; a model of one's own reports only its loss."""
        data = DecisionBatch(experience=experience).to_list_data()
        data.abduced_idx = [[int(label)] for label in experience.label]
        loss = self.model.train(data)
        last = getattr(self.model.base_model, "last_stats", None)
        return last if isinstance(last, UpdateStats) else UpdateStats(policy_loss=float(loss))

    def train(self, train_data: Any = None, minutes: float | None = None) -> None:
        """Play and learn; the data come from play.

        Args:
            train_data: Unused.
            minutes: Time to train; None for the decisions of the settings.
        """
        self.trainer.fit(minutes)
