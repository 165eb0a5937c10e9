"""Predict the class of a deal from its hands by a trained network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_path
from abl_cards.games.min_plays import key_counts
from abl_cards.hand_analysis.deal_rules import NUM_CLASSES
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

_BATCH_SIZE = 4096


@dataclass(frozen=True)
class DealClassPredictor:
    """Predicts the class of deals.

    Attributes:
        network: The classifier.
        scorer: Scorer of hands, for the inputs of the network.
    """

    network: DealClassifier
    scorer: HandScorer

    def __call__(self, deals: DealBatch) -> NDArray[np.float32]:
        """Predict the classes of deals.

        Args:
            deals: n deals.

        Returns:
            float32[n, classes] Probability of each class.
        """
        counts, hand_features = compute_classifier_inputs(self.scorer, deals)
        parts = []
        with torch.inference_mode():
            for lo in range(0, len(counts), _BATCH_SIZE):
                logits = self.network(counts[lo : lo + _BATCH_SIZE], hand_features[lo : lo + _BATCH_SIZE])
                parts.append(torch.softmax(logits, dim=1).numpy())
        return np.concatenate(parts) if parts else np.zeros((0, self.network.num_classes), np.float32)


def compute_classifier_inputs(scorer: HandScorer, deals: DealBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute the inputs of the network.

    Args:
        scorer: Scorer of hands.
        deals: n deals.

    Returns:
        int64[n, 3, 15] copies of each kind in each hand, and float32[n, 6] points and plays of the hands.
    """
    scores = scorer.score(deals.hand_keys.ravel())
    hand_features = compute_hand_features(scores.points.reshape(-1, 3), scores.plays.reshape(-1, 3))
    return torch.from_numpy(key_counts(deals.hand_keys).astype(np.int64)), torch.from_numpy(hand_features)


def find_classifier_weights(game: str, weights: str | Path | None = None) -> Path:
    """Find a file of weights.

    Args:
        game: Name of the game.
        weights: File that is used if given.

    Returns:
        The file.

    Raises:
        GameError: No weights are shipped for the game.
    """
    weights = None if weights is None else Path(weights)
    try:
        return weights or find_shipped_weights(game, "strength", "small")
    except GameError as problem:
        text = (
            f"no weights of classes of deals for {game}: name the game that it varies, with --kb {game}, or --weights"
        )
        raise GameError(text, problem.code) from None


def load_classifier(game: str, scorer: HandScorer, file: str | Path) -> tuple[DealClassPredictor, StrengthCard]:
    """Load a predictor.

    Args:
        game: Name of the game.
        scorer: Scorer of hands.
        file: File of weights.

    Returns:
        The predictor, and the card of the weights.

    Raises:
        GameError: The file cannot be read, or holds weights of another game or network.
    """
    file = check_path("file", file)
    card = read_card(file, StrengthCard)
    if card.game != game:
        raise GameError(f"{file}: weights for {card.game}, not for {game}", ErrorCode.WEIGHTS_MISMATCH)
    if card.preset not in STRENGTH_PRESETS:
        known = ", ".join(STRENGTH_PRESETS)
        raise GameError(f"{file}: unknown preset '{card.preset}' (there are: {known})", ErrorCode.UNKNOWN_PRESET)
    network = DealClassifier(STRENGTH_PRESETS[card.preset], NUM_CLASSES)
    try:
        network.load_state_dict(read_weights(file))
    except RuntimeError as problem:
        reason = str(problem).splitlines()[-1].strip()
        message = f"{file}: not weights of such a network: {reason}"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH) from None
    return DealClassPredictor(network.eval(), scorer), card
