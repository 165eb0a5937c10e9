"""Who judges a deal at sight: the probability of every class, by a trained network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import counts_of
from abl_cards.strength.deals import Hands
from abl_cards.strength.hand_points import HandScorer
from learners.store import read_card, read_weights, shipped
from learners.strength import STRENGTH_PRESETS, DealStrength, StrengthCard, told_of

CLASSES = 5
"""From 0, the hardest for the landlord, to 4."""
_AT_ONCE = 4096


@dataclass(frozen=True)
class StrengthJudge:
    """A network, and what it is told of hands."""

    network: DealStrength
    scorer: HandScorer

    def __call__(self, hands: Hands) -> NDArray[np.float32]:
        """[n, classes] the probability of each class of deals."""
        counts, told = inputs_of(self.scorer, hands)
        parts = []
        with torch.inference_mode():
            for lo in range(0, len(counts), _AT_ONCE):
                logits = self.network(counts[lo : lo + _AT_ONCE], told[lo : lo + _AT_ONCE])
                parts.append(torch.softmax(logits, dim=1).numpy())
        return np.concatenate(parts) if parts else np.zeros((0, self.network.classes), np.float32)


def inputs_of(scorer: HandScorer, hands: Hands) -> tuple[torch.Tensor, torch.Tensor]:
    """What the network reads: copies [n, 3, 15] int64, points and plays [n, 6]."""
    scores = scorer.score(hands.parts.ravel())
    told = told_of(scores.points.reshape(-1, 3), scores.plays.reshape(-1, 3))
    return torch.from_numpy(counts_of(hands.parts).astype(np.int64)), torch.from_numpy(told)


def weights_of(game: str, weights: Path | None = None, preset: str = "small") -> Path:
    """A file of weights: the one that is named, or the one that comes with the package; raises GameError."""
    return weights or shipped(game, "strength", preset)


def load_judge(game: str, scorer: HandScorer, file: Path) -> tuple[StrengthJudge, StrengthCard]:
    """A judge with the weights of a file, and their card; raises GameError."""
    card = read_card(file, StrengthCard)
    if card.game != game:
        raise GameError(f"{file}: weights for {card.game}, not for {game}")
    if card.preset not in STRENGTH_PRESETS:
        raise GameError(f"{file}: unknown preset '{card.preset}' (there are: {', '.join(STRENGTH_PRESETS)})")
    network = DealStrength(STRENGTH_PRESETS[card.preset], CLASSES)
    try:
        network.load_state_dict(read_weights(file))
    except RuntimeError as problem:
        raise GameError(f"{file}: not weights of such a network: {str(problem).splitlines()[-1].strip()}") from None
    return StrengthJudge(network.eval(), scorer), card
