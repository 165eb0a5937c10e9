"""The networks and the reasoner of the loop as ABLkit's ``ABLModel`` and ``Reasoner``, so that each can be replaced.

An example is a decision with one symbol, its label; its result Y is True, since the label must be consistent. X holds
the row of the decision in a batch (``BatchRow``). ``row.inputs`` is the `Batch` of tensors, ``row.row`` the row of the
decision in them, and ``row.batch.experience`` the decisions to learn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ablkit.data.structures import ListData
from ablkit.learning import ABLModel
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.agents import PolicyInputs, RandomKeys, sample_labels
from abl_cards.core import ErrorCode, GameError, call_part
from abl_cards.learners import check_label_probabilities
from abl_cards.training.ablkit_base import ABLkitBridge
from abl_cards.training.decision_batch import BatchRow, DecisionBatch
from abl_cards.training.experience import Experience
from abl_cards.training.trainer import Trainer
from abl_cards.training.updates import UpdateStats

__all__ = ["BatchRow", "DecisionBatch", "JointBridge", "LabelsKB", "PolicyBaseModel", "SamplingReasoner"]

_SUM_TOLERANCE = 1e-3
"""Difference from 1 that a sum of probabilities in single precision may have."""


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
    """The pseudo-labels of a game; the batch of a decision holds the consistent ones.

    A subclass may override ``logic_forward``; labels that are not legal should stay inconsistent.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        """Make a knowledge base of labels; ABLkit's cache is off, because it is not keyed by knowledge base."""
        super().__init__(pseudo_label_list=list(labels), use_cache=False)
        self._index = {label: index for index, label in enumerate(labels)}

    def logic_forward(self, pseudo_label: Sequence[str], x: Sequence[BatchRow]) -> bool:
        """Return whether rules and constraints allow the label of a decision."""
        place = x[0]
        return bool(place.batch.checked_view.legal[place.row, self._index[pseudo_label[0]]])

    def revise_at_idx(
        self, pseudo_label: list[str], y: Any, x: Sequence[BatchRow], revision_idx: Sequence[int]
    ) -> tuple[list[list[str]], list[Any]]:
        """Return the consistent labels and their results; only legal labels, which are few, are tried."""
        if len(revision_idx) != 1:
            candidates: tuple[list[list[str]], list[Any]] = super().revise_at_idx(pseudo_label, y, x, revision_idx)
            return candidates
        legal = np.flatnonzero(x[0].batch.checked_view.legal[x[0].row])
        tried = [[self.pseudo_label_list[index]] for index in legal]
        results = [(label, self.logic_forward(label, x)) for label in tried]
        consistent = [(label, result) for label, result in results if self._check_equal(result, y)]
        return [label for label, _ in consistent], [result for _, result in consistent]


class SamplingReasoner(Reasoner):  # type: ignore[misc]
    """Samples a consistent label by the learner's probabilities, to explore."""

    def batch_abduce(self, data_examples: ListData) -> list[list[str]]:
        """Return a label for each decision, by the keys of the batch; an empty list where no label is consistent."""
        batch = data_examples.X[0][0].batch
        consistent = self._find_consistent(data_examples)
        probabilities = _normalise(np.concatenate(data_examples.pred_prob), consistent)
        labels = sample_labels(_log_probs(probabilities, consistent), batch.keys)
        data_examples.abduced_pseudo_label = [
            [self.idx_to_label[label]] if has_label else []
            for label, has_label in zip(labels.tolist(), np.any(consistent, axis=1).tolist(), strict=True)
        ]
        return data_examples.abduced_pseudo_label

    def _find_consistent(self, data_examples: ListData) -> NDArray[np.bool_]:
        """Return [k, labels] which legal labels the knowledge base allows; one of a user may refuse some."""
        legal: NDArray[np.bool_] = data_examples.X[0][0].batch.checked_view.legal
        methods = ("logic_forward", "revise_at_idx")
        if all(getattr(type(self.kb), method) is getattr(LabelsKB, method) for method in methods):
            return legal
        allowed = np.zeros_like(legal)
        examples = zip(data_examples.pred_pseudo_label, data_examples.Y, data_examples.X, strict=True)
        for row, (label, y, x) in enumerate(examples):
            candidates, _ = self.kb.revise_at_idx(label, y, x, [0])
            allowed[row, [self.label_to_idx[candidate[0]] for candidate in candidates]] = True
        return allowed & legal


class JointBridge(ABLkitBridge):
    """A run whose decisions and updates go through ABLkit's models and reasoner.

    >>> bridge = JointBridge(trainer, reasoner=Reasoner(LabelsKB(trainer.engine.labels)))  # doctest: +SKIP
    >>> bridge.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        trainer: Trainer,
        model: ABLModel | None = None,
        reasoner: Reasoner | None = None,
        critic: ABLModel | None = None,
        abln: ABLModel | None = None,
    ) -> None:
        """Replace parts of a run; parts that are None stay those of the run, and are trained.

        Base models are fitted to the decisions of each update. Their weights are saved, resumed and played if the model
        has a PyTorch module (``base_model.model``), or the methods ``state_dict`` and ``load_state_dict``. To resume a
        run that was begun with such a model, pass a model of the same class.

        Args:
            trainer: The run, in one process.
            model: The policy, or None for that of the run. Its base model has ``predict_proba(X)`` [n, labels] and
                ``fit(X, y)``, where y are the abduced labels.
            reasoner: The reasoner: ABLkit's own, with a `LabelsKB` and any ``dist_func``, or a subclass; None for
                sampling by probability.
            critic: The critic, or None for that of the run. Its base model has ``predict(X)`` [n] and ``fit(X, y)``,
                where y are returns and ``x.inputs`` is a `CriticBatch`.
            abln: The estimate of the hidden hands, or None for that of the run. Its base model has ``predict(X)``
                [n, others, cards] and ``fit(X, y)``, where y are true or abduced hands. ``x.inputs`` is a `HandsBatch`.

        Raises:
            GameError: An argument has a wrong type, the run has several processes or profiles, or it has already
                learned without the models.
        """
        _check_arguments(trainer, model, reasoner)
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
        is_ours = model is None or isinstance(model.base_model, PolicyBaseModel)
        own = None if is_ours else model
        if any(part is not None for part in (own, critic, abln)):
            trainer.replace_networks(policy=own, critic=critic, abln=abln)
        policy = ABLModel(PolicyBaseModel(trainer)) if model is None else model
        super().__init__(policy, reasoner or SamplingReasoner(LabelsKB(trainer.engine.labels)))
        self.trainer, self._is_ours = trainer, is_ours
        trainer.actor.actors[0].replace_decide(self.decide)
        trainer.learn = self.learn

    def decide(self, view: PolicyInputs, keys: RandomKeys) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Return labels of decisions by model and reasoner, and the model's log-probabilities of them."""
        play = self.trainer.self_play
        if not len(view.open_rows):  # with few tables there may be no decision with a choice
            play.last_log_probs = np.zeros(view.legal.shape, np.float32)
            return np.zeros(0, np.int16), np.zeros(0, np.float32)
        data = DecisionBatch(view, keys, num_options=self.trainer.engine.num_options).to_list_data()
        model = self.model.base_model
        name = f"{type(model).__name__}.predict_proba"
        _, predicted = call_part(name, model, lambda: self.predict(data), ErrorCode.MODEL_FAILED)
        probabilities = check_label_probabilities(name, predicted, view.legal.shape)
        data.pred_prob = list(probabilities[:, None])
        self.idx_to_pseudo_label(data)
        labels = self._abduced_labels(data, view)
        play.last_log_probs = weighed = _log_probs(probabilities)
        return labels, weighed[np.arange(len(labels)), labels]

    def _abduced_labels(self, data: ListData, view: PolicyInputs) -> NDArray[np.int16]:
        """Return the labels [k] of the reasoner; raises GameError where one is missing or not consistent."""
        reasoner, kb, name = self.reasoner, self.reasoner.kb, type(self.reasoner).__name__

        def abduce() -> list[list[int]]:
            self.abduce_pseudo_label(data)
            indices: list[list[int]] = self.pseudo_label_to_idx(data)
            return indices

        # errors are named by the line in the knowledge base, unless the reasoner is of one's own too
        own = kb if type(reasoner).__module__.startswith("ablkit") else reasoner
        indices = call_part(f"{name} of {type(kb).__name__}", own, abduce, ErrorCode.INVALID_REASONER)
        if len(indices) != len(view.open_rows):
            message = f"{name} returned labels of {len(indices)} decisions, expected {len(view.open_rows)}"
            raise GameError(message, ErrorCode.INVALID_REASONER)
        missing = [row for row, label in enumerate(indices) if len(label) != 1]
        if missing:
            message = f"{name} found no label for {len(missing)} of {len(indices)} decisions; revise its knowledge base"
            raise GameError(message, ErrorCode.INVALID_REASONER)
        labels = np.array(indices, np.int16)[:, 0]
        wrong = ~view.legal[np.arange(len(labels)), labels]
        if wrong.any():
            label = self.trainer.engine.labels[labels[wrong.argmax()]]
            message = (
                f"{name} chose {label}, which is not consistent with the rules; its knowledge base is to refuse it"
            )
            raise GameError(message, ErrorCode.INVALID_REASONER)
        return labels

    def learn(self, experience: Experience) -> UpdateStats:
        """Train the networks and models on experience."""
        if not self._is_ours:
            return self.trainer.train_networks(experience)  # which fits the models
        data = DecisionBatch(experience=experience).to_list_data()
        data.abduced_idx = [[int(label)] for label in experience.label]
        self.model.train(data)
        stats = self.model.base_model.last_stats
        assert isinstance(stats, UpdateStats)
        return stats

    def train(self, train_data: Any = None, minutes: float | None = None) -> None:
        """Play and learn; the data come from play.

        Args:
            train_data: Unused.
            minutes: Time to train, in minutes; None to train for ``total_decisions`` of the settings.
        """
        self.trainer.fit(minutes)


def _check_arguments(trainer: object, model: object, reasoner: object) -> None:
    """Raise GameError where an argument of a bridge is not what it should be."""
    if not isinstance(trainer, Trainer):
        raise GameError(f"trainer: expected a Trainer, found {type(trainer).__name__}", ErrorCode.INVALID_VALUE)
    if model is not None and not isinstance(model, ABLModel):
        name = type(model).__name__
        raise GameError(f"model: expected an ABLModel, found {name}; give ABLModel({name}(…))", ErrorCode.MODEL_FAILED)
    needed = ("batch_abduce", "idx_to_label", "label_to_idx", "kb")
    if reasoner is not None and not all(hasattr(reasoner, name) for name in needed):
        message = f"reasoner: expected a Reasoner of ABLkit, found {type(reasoner).__name__}"
        raise GameError(message, ErrorCode.INVALID_REASONER)


def _normalise(probabilities: NDArray[np.floating], mask: NDArray[np.bool_]) -> NDArray[np.floating]:
    """Return probabilities that sum to 1 over a mask, where they do not yet; equal ones where all are 0."""
    shares = np.where(mask, np.maximum(probabilities, np.finfo(np.float64).tiny), 0)
    total = shares.sum(axis=1, keepdims=True)
    total[abs(total - 1) <= _SUM_TOLERANCE] = 1  # as it is, so that a run through ABLkit equals one without
    return np.where(total == 1, probabilities, shares / np.where(total > 0, total, 1))


def _log_probs(probabilities: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
    """Return logarithms of probabilities; -inf where a mask is False."""
    tiny = np.finfo(np.float64).tiny
    if mask is None:
        return np.log(np.maximum(probabilities, tiny)).astype(np.float32)
    shares = np.full(probabilities.shape, -np.inf, np.float32)
    np.log(np.maximum(probabilities, tiny), out=shares, where=mask, casting="same_kind")
    return shares
