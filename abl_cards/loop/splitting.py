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

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import counts_of
from abl_cards.loop.checkpoint import SUFFIX, Checkpoint, taken_up
from abl_cards.loop.lock import only_here
from abl_cards.loop.metrics import Metrics
from abl_cards.loop.seams import Bridge
from abl_cards.loop.split_labels import Tagged
from abl_cards.seeds import seed64
from learners.presets import SPLITTERS
from learners.splitter import Sequences, SplitNetwork
from reasoners.ablkit_splits import Card, SplitsKB, SplittingReasoner, cards_of_hands, hands_of_cards, tag_rows
from reasoners.split_kernels import NO_TAG
from reasoners.split_rules import MOST_CARDS, TAGS
from reasoners.splits import Splitter

Measure = Callable[[SplitNetwork], dict[str, float]]
"""What a run tells of its network now and then."""


@dataclass(frozen=True)
class SplitSettings:
    """How a splitter is taught."""

    directory: Path
    preset: str = "small"
    rounds: int = 100
    labelled: int = 640  # hands with labels a round, drawn with replacement
    unlabelled: int = 0  # hands without labels a round
    weight: float = 8.0  # what a play weighs when splits are abduced, in nats
    seed: int = 0
    save_every: int = 10  # rounds
    measure_every: int = 20  # rounds


class Tagger:
    """The network as ABLkit wants a base model; cards of several hands follow each other."""

    def __init__(self, network: SplitNetwork, rounds: int, seed: int) -> None:
        """To be taught in so many rounds."""
        preset = network.preset
        self.network, self.rounds, self.seed, self.round = network, rounds, seed, 0
        self.optimiser = torch.optim.AdamW(network.parameters(), weight_decay=preset.decay)

    def predict_proba(self, X: Sequence[Card]) -> NDArray[np.float64]:
        """[cards, 4] the probability of each tag of each card."""
        parts = list(hands_of_cards(X))
        sizes = np.array([last - first for _, first, last in parts])
        probabilities = marginals(self.network, np.array([hand for hand, _, _ in parts], np.uint64))
        return probabilities[np.arange(MOST_CARDS) < sizes[:, None]]

    def predict(self, X: Sequence[Card]) -> NDArray[np.int64]:
        """[cards] the most probable tags."""
        return self.predict_proba(X).argmax(axis=1)

    def fit(self, X: Sequence[Card], y: Sequence[int]) -> float:
        """One pass over hands with tags, in random order; returns the mean loss in nats a hand."""
        parts = list(hands_of_cards(X))
        hands = np.array([hand for hand, _, _ in parts], np.uint64)
        return self.learn(Tagged(hands, tag_rows([y[first:last] for _, first, last in parts])))

    def learn(self, lesson: Tagged) -> float:
        """The same for arrays."""
        random = np.random.default_rng([seed64(self.seed), self.round])
        torch.manual_seed(int(random.integers(2**62)))  # of the dropout
        self.optimiser.param_groups[0]["lr"] = rate_of(self.round, self.rounds, self.network.preset.learning_rate)
        hands, tags = tensors(lesson)
        losses = []
        self.network.train()
        for rows in torch.split(torch.from_numpy(random.permutation(len(lesson))), self.network.preset.batch):
            loss = self.network.loss(hands.at(rows), tags[rows])
            self.optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimiser.step()
            losses.append(float(loss.detach()))
        self.network.eval()
        self.round += 1
        return float(np.mean(losses))


def rate_of(done: int, rounds: int, peak: float) -> float:
    """The learning rate of a round: a third of the way up, then down to nothing."""
    share = (done + 0.5) / rounds
    return peak * min(3 * share, 1.5 * (1 - share), 1.0)


def tensors(tagged: Tagged) -> tuple[Sequences, torch.Tensor]:
    """Hands and tags as the network reads them."""
    known = np.where(tagged.tags == NO_TAG, 0, tagged.tags).astype(np.int64)
    return Sequences.of(counts_of(tagged.hands)), torch.from_numpy(known)


def marginals(network: SplitNetwork, hands: NDArray[np.uint64], batch: int = 2048) -> NDArray[np.float64]:
    """[n, 20, 4] the probability of each tag of each card of hands [n] as keys; zeros beyond the last card."""
    parts = [np.zeros((0, MOST_CARDS, len(TAGS)))]
    for first in range(0, len(hands), batch):
        told = Sequences.of(counts_of(hands[first : first + batch]))
        parts.append(network.marginals(told).numpy().astype(np.float64))
    return np.concatenate(parts)


class SplitBridge(Bridge):
    """Teaches a splitter by way of an ABLkit model and reasoner, either of which can be one's own.

    >>> bridge = SplitBridge(settings, splitter, labelled, unlabelled)  # doctest: +SKIP
    >>> bridge.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        settings: SplitSettings,
        splitter: Splitter,
        labelled: Tagged,
        unlabelled: NDArray[np.uint64],
        model: ABLModel | None = None,
        reasoner: Reasoner | None = None,
    ) -> None:
        """Begin, or take up, the run in the folder of the settings; raises GameError."""
        if settings.preset not in SPLITTERS:
            raise GameError(f"unknown preset '{settings.preset}' (there are: {', '.join(SPLITTERS)})")
        if settings.unlabelled and not len(unlabelled):
            raise GameError("there are no hands without labels to abduce from")
        torch.manual_seed(seed64(settings.seed))
        self.tagger = Tagger(SplitNetwork(SPLITTERS[settings.preset]).eval(), settings.rounds, settings.seed)
        kb = SplitsKB(splitter)
        super().__init__(model or ABLModel(self.tagger), reasoner or SplittingReasoner(kb, settings.weight))
        self.settings, self.splitter = settings, splitter
        self._labelled, self._unlabelled = labelled, unlabelled
        self.seconds, self._written = 0.0, 0
        self._kept = Checkpoint(settings.directory / f"checkpoint{SUFFIX}")
        self._take_up()

    @property
    def network(self) -> SplitNetwork:
        """What is taught."""
        return self.tagger.network

    @property
    def over(self) -> bool:
        """Whether all rounds are done."""
        return self.tagger.round >= self.settings.rounds

    def train(self, train_data: Any = None, measure: Measure | None = None, tell: Any = None) -> None:
        """All rounds that are left; the data were given at the beginning."""
        with only_here(self.settings.directory):
            self._kept.confirm()
            with Metrics(self.settings.directory, self._written, self.tagger.round) as metrics:
                self._train(metrics, measure, tell)

    def _train(self, metrics: Metrics, measure: Measure | None, tell: Any) -> None:
        settings, began = self.settings, time.process_time()
        while not self.over:
            values = self.step()
            now = self.seconds + time.process_time() - began
            if measure and (self.tagger.round % settings.measure_every == 0 or self.over):
                values |= measure(self.network)
            metrics.write({"update": self.tagger.round, "seconds": round(now, 1)} | values)
            if tell:
                tell(self.tagger.round, f"loss {values['loss']:.2f}")
            if self.tagger.round % settings.save_every == 0 or self.over:
                self._save(metrics.size(), now)
        self.seconds += time.process_time() - began

    def step(self) -> dict[str, float]:
        """One round: predict, abduce, learn. Returns the loss, and what the abduced tags look like."""
        random = np.random.default_rng([seed64(self.settings.seed), self.tagger.round, 1])
        told = self._labelled
        if len(told):
            told = told.at(random.integers(0, len(told), self.settings.labelled))
        data = ListData(X=cards_of_hands(told.hands), gt_pseudo_label=None, Y=[True] * len(told))
        data.abduced_idx = [[int(tag) for tag in row if tag != NO_TAG] for row in told.tags]
        seen: dict[str, float] = {}
        if self.settings.unlabelled:
            abduced = self._abduced(random)
            tags = np.concatenate([np.array(row) for row in abduced.abduced_idx])
            seen = {"abduced singles": float((tags == 0).mean())}
            data = ListData(
                X=data.X + abduced.X, gt_pseudo_label=None, Y=data.Y + abduced.Y,
                abduced_idx=data.abduced_idx + abduced.abduced_idx,
            )  # fmt: skip
        return {"loss": float(self.model.train(data)), **seen}

    def _abduced(self, random: np.random.Generator) -> ListData:
        hands = self._unlabelled[random.integers(0, len(self._unlabelled), self.settings.unlabelled)]
        data = ListData(X=cards_of_hands(hands), gt_pseudo_label=None, Y=[True] * len(hands))
        self.predict(data)
        self.abduce_pseudo_label(data)
        self.pseudo_label_to_idx(data)
        return data

    def _save(self, written: int, seconds: float) -> None:
        self._kept.save(
            {
                "network": self.network.state_dict(), "optimiser": self.tagger.optimiser.state_dict(),
                "round": self.tagger.round, "seconds": seconds, "written": written,
            }
        )  # fmt: skip

    def _take_up(self) -> None:
        state = self._kept.load()
        if state is None:
            return
        with taken_up(self._kept.file):
            self.network.load_state_dict(state["network"])
            self.tagger.optimiser.load_state_dict(state["optimiser"])
            self.tagger.round, self.seconds, self._written = state["round"], state["seconds"], state["written"]
