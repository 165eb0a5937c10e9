"""The joint abduction loop that teaches the splitter: few hands with labels, many without, and the rules of splits.

Each round takes hands without labels. The learner says how probable each tag is, the reasoner turns that into the best
split by the rules, and the learner learns that, together with the hands whose split was played. A run lives in a folder
and goes on from its checkpoint; what it does depends on its settings alone.
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

from abl_cards.core import GameError, seed64
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

EvaluateFunction = Callable[[SplitterNetwork], dict[str, float]]
"""What a run tells of its network now and then."""


@dataclass(frozen=True)
class SplitTrainConfig:
    """How a splitter is taught."""

    directory: Path
    preset: str = "small"
    rounds: int = 100
    labelled_per_round: int = 640  # hands with labels a round, drawn with replacement
    unlabelled_per_round: int = 0  # hands without labels a round
    play_cost: float = 8.0  # what a play weighs when splits are abduced, in nats
    seed: int = 0
    checkpoint_interval: int = 10  # rounds
    eval_interval: int = 20  # rounds


class TaggerBaseModel:
    """The network as ABLkit wants a base model; cards of several hands follow each other."""

    def __init__(self, network: SplitterNetwork, rounds: int, seed: int) -> None:
        """To be taught in so many rounds."""
        preset = network.preset
        self.network, self.rounds, self.seed, self.round = network, rounds, seed, 0
        self.optimiser = torch.optim.AdamW(network.parameters(), weight_decay=preset.weight_decay)

    def predict_proba(self, X: Sequence[HandCard]) -> NDArray[np.float64]:
        """[cards, 4] the probability of each tag of each card."""
        parts = list(iter_hands(X))
        sizes = np.array([last - first for _, first, last in parts])
        probabilities = compute_marginals(self.network, np.array([hand for hand, _, _ in parts], np.uint64))
        return probabilities[np.arange(MAX_CARDS) < sizes[:, None]]

    def predict(self, X: Sequence[HandCard]) -> NDArray[np.int64]:
        """[cards] the most probable tags."""
        return self.predict_proba(X).argmax(axis=1)

    def fit(self, X: Sequence[HandCard], y: Sequence[int]) -> float:
        """One pass over hands with tags, in random order; returns the mean loss in nats a hand."""
        parts = list(iter_hands(X))
        hands = np.array([hand for hand, _, _ in parts], np.uint64)
        return self.fit_hands(TaggedHands(hands, pad_tags([y[first:last] for _, first, last in parts])))

    def fit_hands(self, tagged: TaggedHands) -> float:
        """The same for arrays."""
        random = np.random.default_rng([seed64(self.seed), self.round])
        torch.manual_seed(int(random.integers(2**62)))  # of the dropout
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
    """The learning rate of a round: a third of the way up, then down to nothing."""
    share = (round_number + 0.5) / rounds
    return peak * min(3 * share, 1.5 * (1 - share), 1.0)


def to_tensors(tagged: TaggedHands) -> tuple[CardSequences, torch.Tensor]:
    """Hands and tags as the network reads them."""
    known = np.where(tagged.tags == NO_TAG, 0, tagged.tags).astype(np.int64)
    return CardSequences.from_counts(key_counts(tagged.hands)), torch.from_numpy(known)


def compute_marginals(
    network: SplitterNetwork, hands: NDArray[np.uint64], batch_size: int = 2048
) -> NDArray[np.float64]:
    """[n, 20, 4] the probability of each tag of each card of hands [n] as keys; zeros beyond the last card."""
    parts = [np.zeros((0, MAX_CARDS, len(TAGS)))]
    for first in range(0, len(hands), batch_size):
        told = CardSequences.from_counts(key_counts(hands[first : first + batch_size]))
        parts.append(network.marginals(told).numpy().astype(np.float64))
    return np.concatenate(parts)


class SplitBridge(ABLkitBridge):
    """Teaches a splitter by way of an ABLkit model and reasoner, either of which can be one's own.

    >>> bridge = SplitBridge(settings, splitter, labelled, unlabelled)  # doctest: +SKIP
    >>> bridge.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        settings: SplitTrainConfig,
        splitter: Splitter,
        labelled: TaggedHands,
        unlabelled: NDArray[np.uint64],
        model: ABLModel | None = None,
        reasoner: Reasoner | None = None,
    ) -> None:
        """Begin, or take up, the run in the folder of the settings; raises GameError."""
        if settings.preset not in SPLITTER_PRESETS:
            raise GameError(f"unknown preset '{settings.preset}' (there are: {', '.join(SPLITTER_PRESETS)})")
        if settings.unlabelled_per_round and not len(unlabelled):
            raise GameError("there are no hands without labels to abduce from")
        torch.manual_seed(seed64(settings.seed))
        self.tagger = TaggerBaseModel(
            SplitterNetwork(SPLITTER_PRESETS[settings.preset]).eval(), settings.rounds, settings.seed
        )
        kb = SplitsKB(splitter)
        super().__init__(model or ABLModel(self.tagger), reasoner or SplittingReasoner(kb, settings.play_cost))
        self.settings, self.splitter = settings, splitter
        self._labelled, self._unlabelled = labelled, unlabelled
        self.seconds, self._metrics_size = 0.0, 0
        self._checkpoint = CheckpointFile(settings.directory / f"checkpoint{CHECKPOINT_SUFFIX}")
        self._load_checkpoint()

    @property
    def network(self) -> SplitterNetwork:
        """What is taught."""
        return self.tagger.network

    @property
    def is_done(self) -> bool:
        """Whether all rounds are done."""
        return self.tagger.round >= self.settings.rounds

    def train(self, train_data: Any = None, evaluate: EvaluateFunction | None = None, on_progress: Any = None) -> None:
        """All rounds that are left; the data were given at the beginning."""
        with lock_run_folder(self.settings.directory):
            self._checkpoint.check_unchanged()
            with MetricsWriter(self.settings.directory, self._metrics_size, self.tagger.round) as metrics:
                self._train(metrics, evaluate, on_progress)

    def _train(self, metrics: MetricsWriter, evaluate: EvaluateFunction | None, on_progress: Any) -> None:
        settings, began = self.settings, time.process_time()
        while not self.is_done:
            values = self.step()
            now = self.seconds + time.process_time() - began
            if evaluate and (self.tagger.round % settings.eval_interval == 0 or self.is_done):
                values |= evaluate(self.network)
            metrics.write({"update": self.tagger.round, "seconds": round(now, 1)} | values)
            if on_progress:
                on_progress(self.tagger.round, f"loss {values['loss']:.2f}")
            if self.tagger.round % settings.checkpoint_interval == 0 or self.is_done:
                self._save(metrics.sync(), now)
        self.seconds += time.process_time() - began

    def step(self) -> dict[str, float]:
        """One round: predict, abduce, learn. Returns the loss, and what the abduced tags look like."""
        random = np.random.default_rng([seed64(self.settings.seed), self.tagger.round, 1])
        told = self._labelled
        if len(told):
            told = told.at(random.integers(0, len(told), self.settings.labelled_per_round))
        data = ListData(X=hands_to_cards(told.hands), gt_pseudo_label=None, Y=[True] * len(told))
        data.abduced_idx = [[int(tag) for tag in row if tag != NO_TAG] for row in told.tags]
        seen: dict[str, float] = {}
        if self.settings.unlabelled_per_round:
            abduced = self._abduce_batch(random)
            tags = np.concatenate([np.array(row) for row in abduced.abduced_idx])
            seen = {"abduced singles": float((tags == 0).mean())}
            data = ListData(
                X=data.X + abduced.X, gt_pseudo_label=None, Y=data.Y + abduced.Y,
                abduced_idx=data.abduced_idx + abduced.abduced_idx,
            )  # fmt: skip
        return {"loss": float(self.model.train(data)), **seen}

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
