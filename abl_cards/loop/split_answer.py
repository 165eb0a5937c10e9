"""A hand split for a reader: what the learner says, what the rules made of it and why, and the fewest pieces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import Key, cards_of, counts_of, key_of
from abl_cards.loop.split_labels import Tagged
from abl_cards.loop.splitting import tensors
from learners.splitter import Sequences, load_splitter
from learners.store import shipped
from reasoners.phrases import LANGUAGES
from reasoners.split_flaws import Flaw
from reasoners.split_kernels import NO_TAG
from reasoners.split_rules import TAGS, SplitRules
from reasoners.splits import Splits, Splitter

_LEAST = 1e-5
_OUTWEIGHED = "outweighed"


@dataclass(frozen=True)
class Change:
    """The cards of a rank whose tags the rules changed."""

    rank: str
    was: str  # the learner's tags, a digit a card
    tags: str
    why: str

    def to_json(self) -> dict[str, str]:
        """Plain values."""
        return {"rank": self.rank, "was": self.was, "tags": self.tags, "why": self.why}


@dataclass(frozen=True)
class SplitAnswer:
    """A hand and its split."""

    hand: str
    tags: str  # a digit a card, low to high
    plays: list[str]  # the cards of each piece
    probability: float  # of these tags, by the learner
    repaired: list[Change]  # nothing where the learner's own tags stand
    minimum: list[str]  # the pieces of the split with the fewest

    def to_json(self) -> dict[str, Any]:
        """Plain values in the documented order."""
        return {
            "hand": self.hand, "tags": self.tags, "plays": self.plays, "probability": self.probability,
            "repaired": [change.to_json() for change in self.repaired], "minimum": self.minimum,
        }  # fmt: skip


def split_hand(rules: SplitRules, hand: Key, language: str = "en", weights: Path | None = None) -> SplitAnswer:
    """Split a hand by the shipped splitter, or by other weights; raises GameError and KBError."""
    if language not in LANGUAGES:
        raise GameError(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    splitter = Splitter.of(rules)
    network, card = load_splitter(weights or shipped("doudizhu", "splitter", "small"))
    hands = np.array([hand], np.uint64)
    sequences = Sequences.of(counts_of(hands))
    own = network.best(sequences).numpy()
    own = np.where(own < 0, NO_TAG, own).astype(np.uint8)
    likely = np.log(np.maximum(network.marginals(sequences).numpy().astype(np.float64), _LEAST))
    found = splitter.best(hands, likely, card.weight)
    with torch.no_grad():
        told, tags = tensors(Tagged(hands, found.tags))
        probability = float(torch.exp(-network.loss(told, tags)))
    return SplitAnswer(
        rules.text(hand), found.text(0), _plays(splitter, found), round(probability, 6),
        _changes(splitter, hands, own, found, language), _plays(splitter, splitter.fewest(hands)),
    )  # fmt: skip


def _plays(splitter: Splitter, splits: Splits) -> list[str]:
    """The pieces of one hand as text, by their lowest card, long ones first."""
    keys = splitter.cards_of(splits.labels(0))
    lowest = sorted(map(cards_of, keys), key=lambda cards: (cards[0], -len(cards)))
    return [splitter.rules.text(key_of(cards)) for cards in lowest]


def _changes(
    splitter: Splitter, hands: NDArray[np.uint64], own: NDArray[np.uint8], found: Splits, language: str
) -> list[Change]:
    flaws = splitter.flaws(hands, own)[0]
    ends = [0, *np.cumsum(counts_of(hands)[0]).tolist()]
    changes = []
    for rank, letter in enumerate(splitter.rules.letters):
        before, after = own[0, ends[rank] : ends[rank + 1]], found.tags[0, ends[rank] : ends[rank + 1]]
        if (before != after).any():
            here = [flaw for flaw in flaws if flaw.rank == rank] or [Flaw(_OUTWEIGHED, rank, int(before[0]))]
            why = "; ".join(splitter.words(flaw, language) for flaw in here)
            changes.append(Change(letter, _digits(before), _digits(after), why))
    return changes


def _digits(tags: NDArray[np.uint8]) -> str:
    return "".join(str(TAGS[tag]) for tag in tags)
