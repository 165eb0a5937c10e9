"""Who judges a deal at sight: the probability of every class, by a trained network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.min_plays import key_counts
from abl_cards.hand_analysis.deals import DealBatch
from abl_cards.hand_analysis.hand_points import HandScorer
from abl_cards.learners import (
    STRENGTH_PRESETS,
    DealClassifier,
    StrengthCard,
    compute_hand_features,
    find_shipped_weights,
    read_card,
    read_weights,
)

NUM_CLASSES = 5
"""From 0, the hardest for the landlord, to 4."""
_BATCH_SIZE = 4096


@dataclass(frozen=True)
class DealClassPredictor:
    """A network, and what it is told of hands."""

    network: DealClassifier
    scorer: HandScorer

    def __call__(self, deals: DealBatch) -> NDArray[np.float32]:
        """[n, classes] the probability of each class of deals."""
        counts, told = compute_classifier_inputs(self.scorer, deals)
        parts = []
        with torch.inference_mode():
            for lo in range(0, len(counts), _BATCH_SIZE):
                logits = self.network(counts[lo : lo + _BATCH_SIZE], told[lo : lo + _BATCH_SIZE])
                parts.append(torch.softmax(logits, dim=1).numpy())
        return np.concatenate(parts) if parts else np.zeros((0, self.network.num_classes), np.float32)


def compute_classifier_inputs(scorer: HandScorer, deals: DealBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """What the network reads: copies [n, 3, 15] int64, points and plays [n, 6]."""
    scores = scorer.score(deals.hand_keys.ravel())
    told = compute_hand_features(scores.points.reshape(-1, 3), scores.plays.reshape(-1, 3))
    return torch.from_numpy(key_counts(deals.hand_keys).astype(np.int64)), torch.from_numpy(told)


def find_classifier_weights(game: str, weights: Path | None = None, preset: str = "small") -> Path:
    """A file of weights: the one that is named, or the one that comes with the package; raises GameError."""
    return weights or find_shipped_weights(game, "strength", preset)


def load_classifier(game: str, scorer: HandScorer, file: Path) -> tuple[DealClassPredictor, StrengthCard]:
    """A judge with the weights of a file, and their card; raises GameError."""
    card = read_card(file, StrengthCard)
    if card.game != game:
        raise GameError(f"{file}: weights for {card.game}, not for {game}")
    if card.preset not in STRENGTH_PRESETS:
        raise GameError(f"{file}: unknown preset '{card.preset}' (there are: {', '.join(STRENGTH_PRESETS)})")
    network = DealClassifier(STRENGTH_PRESETS[card.preset], NUM_CLASSES)
    try:
        network.load_state_dict(read_weights(file))
    except RuntimeError as problem:
        raise GameError(f"{file}: not weights of such a network: {str(problem).splitlines()[-1].strip()}") from None
    return DealClassPredictor(network.eval(), scorer), card
