"""A hand split for a reader: what the learner says, what the rules made of it and why, and the fewest pieces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.min_plays import HandKey, hand_key, key_cards, key_counts
from abl_cards.hand_analysis.split_labels import TaggedHands
from abl_cards.hand_analysis.split_training import to_tensors
from abl_cards.learners import CardSequences, find_shipped_weights, load_splitter
from abl_cards.reasoners.explain import LANGUAGES
from abl_cards.reasoners.splits import NO_TAG, TAGS, SplitRules, Splits, Splitter, TagViolation

_MIN_PROBABILITY = 1e-5
_OUTWEIGHED = "outweighed"


@dataclass(frozen=True)
class TagChange:
    """The cards of a rank whose tags the rules changed."""

    rank: str
    old_tags: str  # the learner's tags, a digit a card
    new_tags: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """Plain values."""
        return {"rank": self.rank, "was": self.old_tags, "tags": self.new_tags, "why": self.reason}


@dataclass(frozen=True)
class SplitExplanation:
    """A hand and its split."""

    hand: str
    tags: str  # a digit a card, low to high
    plays: list[str]  # the cards of each piece
    probability: float  # of these tags, by the learner
    changes: list[TagChange]  # nothing where the learner's own tags stand
    fewest_plays: list[str]  # the pieces of the split with the fewest

    def to_json(self) -> dict[str, Any]:
        """Plain values in the documented order."""
        return {
            "hand": self.hand, "tags": self.tags, "plays": self.plays, "probability": self.probability,
            "repaired": [change.to_json() for change in self.changes], "minimum": self.fewest_plays,
        }  # fmt: skip


def split_hand(rules: SplitRules, hand: HandKey, language: str = "en", weights: Path | None = None) -> SplitExplanation:
    """Split a hand by the shipped splitter, or by other weights; raises GameError and KBError."""
    if language not in LANGUAGES:
        raise GameError(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    splitter = Splitter.of(rules)
    network, card = load_splitter(weights or find_shipped_weights("doudizhu", "splitter", "small"))
    hands = np.array([hand], np.uint64)
    sequences = CardSequences.from_counts(key_counts(hands))
    own = network.decode(sequences).numpy()
    own = np.where(own < 0, NO_TAG, own).astype(np.uint8)
    likely = np.log(np.maximum(network.marginals(sequences).numpy().astype(np.float64), _MIN_PROBABILITY))
    found = splitter.best(hands, likely, card.play_cost)
    with torch.no_grad():
        told, tags = to_tensors(TaggedHands(hands, found.tags))
        probability = float(torch.exp(-network.loss(told, tags)))
    return SplitExplanation(
        rules.hand_text(hand), found.tags_text(0), _format_plays(splitter, found), round(probability, 6),
        _find_changes(splitter, hands, own, found, language), _format_plays(splitter, splitter.fewest_pieces(hands)),
    )  # fmt: skip


def _format_plays(splitter: Splitter, splits: Splits) -> list[str]:
    """The pieces of one hand as text, by their lowest card, long ones first."""
    keys = splitter.piece_cards(splits.piece_labels(0))
    lowest = sorted(map(key_cards, keys), key=lambda cards: (cards[0], -len(cards)))
    return [splitter.rules.hand_text(hand_key(cards)) for cards in lowest]


def _find_changes(
    splitter: Splitter, hands: NDArray[np.uint64], network_tags: NDArray[np.uint8], found: Splits, language: str
) -> list[TagChange]:
    flaws = splitter.find_violations(hands, network_tags)[0]
    ends = [0, *np.cumsum(key_counts(hands)[0]).tolist()]
    changes = []
    for rank, letter in enumerate(splitter.rules.kind_texts):
        before, after = network_tags[0, ends[rank] : ends[rank + 1]], found.tags[0, ends[rank] : ends[rank + 1]]
        if (before != after).any():
            here = [flaw for flaw in flaws if flaw.rank == rank] or [TagViolation(_OUTWEIGHED, rank, int(before[0]))]
            why = "; ".join(splitter.violation_text(flaw, language) for flaw in here)
            changes.append(TagChange(letter, _format_tags(before), _format_tags(after), why))
    return changes


def _format_tags(tags: NDArray[np.uint8]) -> str:
    return "".join(str(TAGS[tag]) for tag in tags)
