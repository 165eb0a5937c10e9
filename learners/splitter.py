"""The splitter: a BiLSTM-CRF that tags the cards of a hand with four tags (Qiao et al., Dou dizhu).

A card is encoded by its rank, the number of cards of its rank in the hand, and its index among them. There are no
other inputs: the hand is a sequence from low to high.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners.crf import ConditionalRandomField
from abl_cards.learners.presets import SPLITTER_PRESETS, SplitterPreset
from abl_cards.learners.weights_files import read_card, read_weights, write_weights

NUM_TAGS = 4
MAX_HAND_CARDS = 20
NUM_RANKS, NUM_COPIES = 15, 4
NO_CARD = -1
_FEATURES = NUM_RANKS + 2 * NUM_COPIES


@dataclass(frozen=True)
class CardSequences:
    """n hands as sequences of cards."""

    rank: Tensor  # [n, 20] int64 from 0, NO_CARD beyond the end
    rank_count: Tensor  # [n, 20] int64 how many of the rank the hand holds, less one; 0 beyond the end
    copy_index: Tensor  # [n, 20] int64 which of them, from 0
    length: Tensor  # [n] int64

    @classmethod
    def from_counts(cls, counts: NDArray[np.integer]) -> CardSequences:
        """Make sequences from the copies of each rank [n, 15]."""
        ends = counts.cumsum(axis=1, dtype=np.int64)
        places = np.arange(MAX_HAND_CARDS)
        rank = (ends[:, None, :] <= places[:, None]).sum(axis=2)
        inside = places < ends[:, -1:]
        known = np.where(inside, rank, 0)
        held = np.take_along_axis(counts.astype(np.int64), known, axis=1)
        first = np.take_along_axis(ends, known, axis=1) - held
        return cls(
            rank=torch.from_numpy(np.where(inside, rank, NO_CARD)),
            rank_count=torch.from_numpy(np.where(inside, held - 1, 0)),
            copy_index=torch.from_numpy(np.where(inside, places - first, 0)),
            length=torch.from_numpy(ends[:, -1].copy()),
        )

    def to_features(self) -> Tensor:
        """Encode rank, number of copies and index of each card, one-hot [n, 20, 23]; zeros beyond the end."""
        parts = [(self.rank, NUM_RANKS), (self.rank_count, NUM_COPIES), (self.copy_index, NUM_COPIES)]
        ones = [nn.functional.one_hot(part.clamp(min=0), size) for part, size in parts]
        return torch.cat(ones, dim=2).float() * (self.rank != NO_CARD)[:, :, None]

    def at(self, rows: Tensor | slice) -> CardSequences:
        """Select rows."""
        return CardSequences(self.rank[rows], self.rank_count[rows], self.copy_index[rows], self.length[rows])

    def __len__(self) -> int:
        return len(self.length)


class SplitterNetwork(nn.Module):
    """Bidirectional LSTM over the cards, and a conditional random field over their tags."""

    def __init__(self, preset: SplitterPreset) -> None:
        super().__init__()
        self.preset = preset
        self.card = nn.Linear(_FEATURES, preset.card_width)
        self.read = nn.LSTM(
            preset.card_width, preset.hidden_width, preset.num_layers, batch_first=True, bidirectional=True,
            dropout=preset.dropout if preset.num_layers > 1 else 0.0,
        )  # fmt: skip
        self.dropout = nn.Dropout(preset.dropout)
        self.tag = nn.Linear(2 * preset.hidden_width, NUM_TAGS)
        self.crf = ConditionalRandomField(NUM_TAGS)

    def emissions(self, hands: CardSequences) -> Tensor:
        """Return the emission scores [n, 20, 4].

        Positions beyond the last card are encoded as padding, so the network can infer the size of the hand.
        """
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):  # twice as fast, and only learning is slow
            read, _ = self.read(self.card(hands.to_features()))
            emissions: Tensor = self.tag(self.dropout(read))
        return emissions.float()

    def loss(self, hands: CardSequences, tags: Tensor) -> Tensor:
        """Compute the mean negative log-likelihood of tags [n, 20] int64, in nats per hand."""
        loss: Tensor = self.crf(self.emissions(hands), hands.length, tags).mean()
        return loss

    @torch.no_grad()
    def marginals(self, hands: CardSequences) -> Tensor:
        """Compute the probability [n, 20, 4] of each tag of each card."""
        return self.crf.marginals(self.emissions(hands), hands.length)

    @torch.no_grad()
    def decode(self, hands: CardSequences) -> Tensor:
        """Return the most probable tags [n, 20], -1 beyond the end."""
        return self.crf.decode(self.emissions(hands), hands.length)


@dataclass(frozen=True)
class SplitterCard:
    """Card of the weights of a splitter."""

    game: str
    preset: str
    seed: int
    play_cost: float = field(metadata={"formerly": "weight"})  # weight of a play beside its log-probabilities, in nats
    data: str = ""
    hands: int = 0  # that it has learned from, one after the other
    hours: float = 0.0
    command: str = ""
    results: dict[str, Any] = field(default_factory=dict)


def save_splitter(file: str | Path, network: SplitterNetwork, card: SplitterCard) -> None:
    """Write the weights and their card."""
    write_weights(file, network.state_dict(), card)


def load_splitter(file: str | Path) -> tuple[SplitterNetwork, SplitterCard]:
    """Load a splitter and its card; raises GameError."""
    file = Path(file)
    card = read_card(file, SplitterCard)
    if card.preset not in SPLITTER_PRESETS:
        raise GameError(
            f"{file}: unknown preset '{card.preset}' (there are: {', '.join(SPLITTER_PRESETS)})",
            ErrorCode.UNKNOWN_PRESET,
        )
    network = SplitterNetwork(SPLITTER_PRESETS[card.preset])
    try:
        network.load_state_dict(read_weights(file))
    except RuntimeError as problem:
        raise GameError(
            f"{file}: not weights of such a splitter: {str(problem).splitlines()[-1].strip()}",
            ErrorCode.WEIGHTS_MISMATCH,
        ) from None
    return network.eval(), card
