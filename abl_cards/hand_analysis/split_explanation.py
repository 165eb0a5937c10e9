"""Explain the split of a hand: tags of the learner, changes by the rules with reasons, and the fewest pieces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import check_language
from abl_cards.games.min_plays import HandKey, hand_key, key_cards, key_counts
from abl_cards.hand_analysis.split_labels import TaggedHands
from abl_cards.hand_analysis.split_training import to_tensors
from abl_cards.learners import CardSequences, find_shipped_weights, load_splitter
from abl_cards.reasoners.splits import NO_TAG, TAGS, SplitRules, Splits, Splitter, TagViolation

_MIN_PROBABILITY = 1e-5
_OUTWEIGHED = "outweighed"


@dataclass(frozen=True)
class TagChange:
    """Change of the tags of a rank by the rules.

    Attributes:
        rank: The rank, as in texts of cards.
        old_tags: Tags of the learner, one digit for each card.
        new_tags: Tags of the split.
        reason: Sentence that explains the change.
    """

    rank: str
    old_tags: str
    new_tags: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """Return plain values for JSON."""
        return {"rank": self.rank, "was": self.old_tags, "tags": self.new_tags, "why": self.reason}


@dataclass(frozen=True)
class SplitExplanation:
    """Split of a hand.

    Attributes:
        hand: Cards of the hand.
        tags: Tags, one digit for each card, low to high.
        plays: Cards of each piece.
        probability: Probability of the tags by the learner.
        changes: Changes of the learner's tags by the rules.
        fewest_plays: Cards of each piece of the split into the fewest pieces.
    """

    hand: str
    tags: str
    plays: list[str]
    probability: float
    changes: list[TagChange]
    fewest_plays: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON, in the documented order."""
        return {
            "hand": self.hand, "tags": self.tags, "plays": self.plays, "probability": self.probability,
            "repaired": [change.to_json() for change in self.changes], "minimum": self.fewest_plays,
        }  # fmt: skip


def split_hand(
    rules: SplitRules, hand: HandKey, language: str = "en", weights: str | Path | None = None
) -> SplitExplanation:
    """Split a hand by a trained splitter and the rules.

    Args:
        rules: Rules of splits.
        hand: Key of the hand.
        language: Language of the reasons.
        weights: Weights of the splitter; by default the shipped ones.

    Returns:
        The split with its explanation.

    Raises:
        GameError: The language is unknown, or the weights cannot be read.
        KBError: The rules of splits are refused.
    """
    weights = None if weights is None else Path(weights)
    check_language(language)
    splitter = Splitter.of(rules)
    network, card = load_splitter(weights or find_shipped_weights("doudizhu", "splitter", "small"))
    hands = np.array([hand], np.uint64)
    sequences = CardSequences.from_counts(key_counts(hands))
    network_tags = network.decode(sequences).numpy()
    network_tags = np.where(network_tags < 0, NO_TAG, network_tags).astype(np.uint8)
    log_probs = np.log(np.maximum(network.marginals(sequences).numpy().astype(np.float64), _MIN_PROBABILITY))
    splits = splitter.best(hands, log_probs, card.play_cost)
    with torch.no_grad():
        sequence_inputs, tags = to_tensors(TaggedHands(hands, splits.tags))
        probability = float(torch.exp(-network.loss(sequence_inputs, tags)))
    fewest = splitter.fewest_pieces(hands)
    return SplitExplanation(
        rules.hand_text(hand), splits.tags_text(0), _format_plays(splitter, splits), round(probability, 6),
        _find_changes(splitter, hands, network_tags, splits, language), _format_plays(splitter, fewest),
    )  # fmt: skip


def _format_plays(splitter: Splitter, splits: Splits) -> list[str]:
    """Return the pieces of one hand as texts, by their lowest card, long ones first."""
    keys = splitter.piece_cards(splits.piece_labels(0))
    sorted_cards = sorted(map(key_cards, keys), key=lambda cards: (cards[0], -len(cards)))
    return [splitter.rules.hand_text(hand_key(cards)) for cards in sorted_cards]


def _find_changes(
    splitter: Splitter, hands: NDArray[np.uint64], network_tags: NDArray[np.uint8], splits: Splits, language: str
) -> list[TagChange]:
    violations = splitter.find_violations(hands, network_tags)[0]
    ends = [0, *np.cumsum(key_counts(hands)[0]).tolist()]
    changes = []
    for rank, letter in enumerate(splitter.rules.kind_texts):
        old_tags, new_tags = network_tags[0, ends[rank] : ends[rank + 1]], splits.tags[0, ends[rank] : ends[rank + 1]]
        if (old_tags != new_tags).any():
            rank_violations = [violation for violation in violations if violation.rank == rank] or [
                TagViolation(_OUTWEIGHED, rank, int(old_tags[0]))
            ]
            reason = "; ".join(splitter.violation_text(violation, language) for violation in rank_violations)
            changes.append(TagChange(letter, _format_tags(old_tags), _format_tags(new_tags), reason))
    return changes


def _format_tags(tags: NDArray[np.uint8]) -> str:
    return "".join(str(TAGS[tag]) for tag in tags)
