"""Train the splitter in a joint abduction loop, from few labelled hands, many unlabelled ones, and the rules of splits.

In each round the learner predicts the probabilities of the tags of unlabelled hands, the reasoner abduces the best
split by the rules, and the learner is trained on these splits together with labelled hands. A run has a folder and
resumes from its checkpoint; its results depend on its settings alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ablkit.data.structures import ListData
from ablkit.learning import ABLModel
from ablkit.reasoning import Reasoner
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, seed64
from abl_cards.games.min_plays import key_counts
from abl_cards.hand_analysis.split_labels import TaggedHands
from abl_cards.learners import SPLITTER_PRESETS, CardSequences, SplitterNetwork
from abl_cards.reasoners.splits import (
    MAX_CARDS,
    NO_TAG,
    TAGS,
    HandCard,
    SplitsKB,
    Splitter,
    SplittingReasoner,
    hands_to_cards,
    iter_hands,
    pad_tags,
)
from abl_cards.training import (
    CHECKPOINT_SUFFIX,
    ABLkitBridge,
    CheckpointFile,
    MetricsWriter,
    lock_run_folder,
    translate_restore_errors,
)

_BATCH_SIZE = 2048  # hands of one forward call

EvaluateFunction = Callable[[SplitterNetwork], dict[str, float]]
"""Computes metrics of the network, which a run writes at intervals."""


@dataclass(frozen=True)
class SplitTrainConfig:
    """Settings of a training run.

    Attributes:
        directory: Folder of the run.
        preset: Preset of the network.
        rounds: Number of rounds.
        labelled_per_round: Labelled hands of a round, drawn with replacement.
        unlabelled_per_round: Unlabelled hands of a round, drawn with replacement.
        play_cost: Cost of a play when splits are abduced, in nats.
        seed: Seed of the run.
        checkpoint_interval: Rounds between checkpoints.
        eval_interval: Rounds between evaluations.
    """

    directory: Path
    preset: str = "small"
    rounds: int = 100
    labelled_per_round: int = 640
    unlabelled_per_round: int = 0
    play_cost: float = 8.0
    seed: int = 0
    checkpoint_interval: int = 10
    eval_interval: int = 20


class TaggerBaseModel:
    """Base model for ABLkit around the network; the cards of several hands follow each other.

    Attributes:
        network: The splitter.
        rounds: Rounds of the run, for the learning rate.
        seed: Seed of the run.
        round: Rounds that are done.
        optimiser: Optimiser of the network.
    """

    def __init__(self, network: SplitterNetwork, rounds: int, seed: int) -> None:
        """Prepare to train a network in a number of rounds."""
        preset = network.preset
        self.network, self.rounds, self.seed, self.round = network, rounds, seed, 0
        self.optimiser = torch.optim.AdamW(network.parameters(), weight_decay=preset.weight_decay)

    def predict_proba(self, X: Sequence[HandCard]) -> NDArray[np.float64]:
        """Return float64[cards, 4] the probability of each tag of each card."""
        parts = list(iter_hands(X))
        sizes = np.array([last - first for _, first, last in parts])
        probabilities = compute_marginals(self.network, np.array([hand for hand, _, _ in parts], np.uint64))
        return probabilities[np.arange(MAX_CARDS) < sizes[:, None]]

    def predict(self, X: Sequence[HandCard]) -> NDArray[np.int64]:
        """Return int64[cards] the most probable tags."""
        return self.predict_proba(X).argmax(axis=1)

    def fit(self, X: Sequence[HandCard], y: Sequence[int]) -> float:
        """Train on tagged hands once, in random order; return the mean loss in nats per hand."""
        parts = list(iter_hands(X))
        hands = np.array([hand for hand, _, _ in parts], np.uint64)
        return self.fit_hands(TaggedHands(hands, pad_tags([y[first:last] for _, first, last in parts])))

    def fit_hands(self, tagged: TaggedHands) -> float:
        """Train on tagged hands, given as arrays, once in random order; return the mean loss in nats per hand."""
        random = np.random.default_rng([seed64(self.seed), self.round])
        torch.manual_seed(int(random.integers(2**62)))  # for dropout
        self.optimiser.param_groups[0]["lr"] = triangular_rate(
            self.round, self.rounds, self.network.preset.learning_rate
        )
        hands, tags = to_tensors(tagged)
        losses = []
        self.network.train()
        for rows in torch.split(torch.from_numpy(random.permutation(len(tagged))), self.network.preset.batch_size):
            loss = self.network.loss(hands.at(rows), tags[rows])
            self.optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimiser.step()
            losses.append(float(loss.detach()))
        self.network.eval()
        self.round += 1
        return float(np.mean(losses))


def triangular_rate(round_number: int, rounds: int, peak: float) -> float:
    """Return the learning rate of a round: it rises during the first third, then falls to 0."""
    share = (round_number + 0.5) / rounds
    return peak * min(3 * share, 1.5 * (1 - share), 1.0)


def to_tensors(tagged: TaggedHands) -> tuple[CardSequences, torch.Tensor]:
    """Convert tagged hands to the inputs and targets of the network."""
    tags = np.where(tagged.tags == NO_TAG, 0, tagged.tags).astype(np.int64)
    return CardSequences.from_counts(key_counts(tagged.hands)), torch.from_numpy(tags)


def compute_marginals(network: SplitterNetwork, hands: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Compute the probabilities of tags.

    Args:
        network: The splitter.
        hands: uint64[n] Keys of the hands.

    Returns:
        float64[n, 20, 4] Probability of each tag of each card; zeros beyond the last card.
    """
    parts = [np.zeros((0, MAX_CARDS, len(TAGS)))]
    for first in range(0, len(hands), _BATCH_SIZE):
        sequences = CardSequences.from_counts(key_counts(hands[first : first + _BATCH_SIZE]))
        parts.append(network.marginals(sequences).numpy().astype(np.float64))
    return np.concatenate(parts)


class SplitBridge(ABLkitBridge):
    """Trains a splitter by an ABLkit model and a reasoner, which the caller may replace.

    Attributes:
        settings: Settings of the run.
        splitter: Splits hands by the rules.
        tagger: Base model with the network.
        seconds: Processor time of the run so far, in seconds.

    >>> bridge = SplitBridge(settings, splitter, labelled, unlabelled)  # doctest: +SKIP
    >>> bridge.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        settings: SplitTrainConfig,
        splitter: Splitter,
        labelled: TaggedHands,
        unlabelled: NDArray[np.uint64],
        reasoner: Reasoner | None = None,
    ) -> None:
        """Begin or resume the run in the folder of the settings.

        Args:
            settings: Settings of the run.
            splitter: Splits hands by the rules.
            labelled: Hands with tags.
            unlabelled: uint64[n] Keys of hands without tags.
            reasoner: ABLkit reasoner; by default a `SplittingReasoner`.

        Raises:
            GameError: The preset is unknown, hands are missing, or the checkpoint does not fit.
        """
        if settings.preset not in SPLITTER_PRESETS:
            message = f"unknown preset '{settings.preset}' (there are: {', '.join(SPLITTER_PRESETS)})"
            raise GameError(message, ErrorCode.UNKNOWN_PRESET)
        if settings.unlabelled_per_round and not len(unlabelled):
            raise GameError("there are no unlabelled hands to abduce from", ErrorCode.SETTING_CONFLICT)
        torch.manual_seed(seed64(settings.seed))
        self.tagger = TaggerBaseModel(
            SplitterNetwork(SPLITTER_PRESETS[settings.preset]).eval(), settings.rounds, settings.seed
        )
        kb = SplitsKB(splitter)
        super().__init__(ABLModel(self.tagger), reasoner or SplittingReasoner(kb, settings.play_cost))
        self.settings, self.splitter = settings, splitter
        self._labelled, self._unlabelled = labelled, unlabelled
        self.seconds, self._metrics_size = 0.0, 0
        self._checkpoint = CheckpointFile(settings.directory / f"checkpoint{CHECKPOINT_SUFFIX}")
        self._load_checkpoint()

    @property
    def network(self) -> SplitterNetwork:
        """The network that is trained."""
        return self.tagger.network

    @property
    def is_done(self) -> bool:
        """True if all rounds are done."""
        return self.tagger.round >= self.settings.rounds

    def train(self, train_data: Any = None, evaluate: EvaluateFunction | None = None, on_progress: Any = None) -> None:
        """Run the remaining rounds.

        Args:
            train_data: Unused; the data were passed to the constructor.
            evaluate: Computes metrics of the network at intervals.
            on_progress: Called with the number of rounds done and a text.
        """
        with lock_run_folder(self.settings.directory):
            self._checkpoint.check_unchanged()
            with MetricsWriter(self.settings.directory, self._metrics_size, self.tagger.round) as metrics:
                self._train(metrics, evaluate, on_progress)

    def _train(self, metrics: MetricsWriter, evaluate: EvaluateFunction | None, on_progress: Any) -> None:
        settings, start_seconds = self.settings, time.process_time()
        while not self.is_done:
            values = self.step()
            total_seconds = self.seconds + time.process_time() - start_seconds
            if evaluate and (self.tagger.round % settings.eval_interval == 0 or self.is_done):
                values |= evaluate(self.network)
            metrics.write({"update": self.tagger.round, "seconds": round(total_seconds, 1)} | values)
            if on_progress:
                on_progress(self.tagger.round, f"loss {values['loss']:.2f}")
            if self.tagger.round % settings.checkpoint_interval == 0 or self.is_done:
                self._save(metrics.sync(), total_seconds)
        self.seconds += time.process_time() - start_seconds

    def step(self) -> dict[str, float]:
        """Run one round: predict, abduce, train.

        Returns:
            The loss, and the share of singles among the abduced tags.
        """
        random = np.random.default_rng([seed64(self.settings.seed), self.tagger.round, 1])
        labelled = self._labelled
        if len(labelled):
            labelled = labelled.at(random.integers(0, len(labelled), self.settings.labelled_per_round))
        data = ListData(X=hands_to_cards(labelled.hands), gt_pseudo_label=None, Y=[True] * len(labelled))
        data.abduced_idx = [[int(tag) for tag in row if tag != NO_TAG] for row in labelled.tags]
        statistics: dict[str, float] = {}
        if self.settings.unlabelled_per_round:
            abduced = self._abduce_batch(random)
            tags = np.concatenate([np.array(row) for row in abduced.abduced_idx])
            statistics = {"abduced singles": float((tags == 0).mean())}
            data = ListData(
                X=data.X + abduced.X, gt_pseudo_label=None, Y=data.Y + abduced.Y,
                abduced_idx=data.abduced_idx + abduced.abduced_idx,
            )  # fmt: skip
        return {"loss": float(self.model.train(data)), **statistics}

    def _abduce_batch(self, random: np.random.Generator) -> ListData:
        hands = self._unlabelled[random.integers(0, len(self._unlabelled), self.settings.unlabelled_per_round)]
        data = ListData(X=hands_to_cards(hands), gt_pseudo_label=None, Y=[True] * len(hands))
        self.predict(data)
        self.abduce_pseudo_label(data)
        self.pseudo_label_to_idx(data)
        return data

    def _save(self, metrics_size: int, seconds: float) -> None:
        self._checkpoint.save(
            {
                "network": self.network.state_dict(), "optimiser": self.tagger.optimiser.state_dict(),
                "round": self.tagger.round, "seconds": seconds, "written": metrics_size,
            }
        )  # fmt: skip

    def _load_checkpoint(self) -> None:
        state = self._checkpoint.load()
        if state is None:
            return
        with translate_restore_errors(self._checkpoint.file):
            self.network.load_state_dict(state["network"])
            self.tagger.optimiser.load_state_dict(state["optimiser"])
            self.tagger.round, self.seconds, self._metrics_size = state["round"], state["seconds"], state["written"]
