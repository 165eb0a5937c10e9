"""Recorded games for the experiment on splitting: what is learned from, what is held out, and how a split is scored."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import keys_of
from abl_cards.loop.split_labels import Played, Tagged, own_games, recorded
from abl_cards.records import readable
from reasoners.split_kernels import NO_PIECE, NO_TAG
from reasoners.split_rules import SplitRules, rules_of
from reasoners.splits import Splits, Splitter

PROFILE = "douzero"
FIRST_PLAYS = 5
"""Active plays of a seat that are looked for in its split."""


@dataclass(frozen=True)
class Games:
    """Games to learn from, and games that are held out."""

    mark: str  # of where they come from
    training: Played
    held_out: Played

    def budget(self, share: float, seed: int) -> tuple[Tagged, NDArray[np.uint64]]:
        """The winners' hands of a share of the training games with their tags, and all other hands without."""
        random = np.random.default_rng([seed, 7])
        order = random.permutation(len(self.training))
        count = max(1, round(share * len(order))) if share > 0 else 0
        labelled = np.zeros(self.training.hands.shape, np.bool_)
        chosen = order[:count]
        labelled[chosen, self.training.winner[chosen]] = True
        return self.training.won().at(np.sort(chosen)), self.training.hands[~labelled]


def recorded_games(file: Path | None, held_out: int, kb: Path | None = None, profile: str | None = None) -> Games:
    """Games of DouZero, the last ones held out; raises GameError where there are none, or too few."""
    there = file or _douzero_file()
    played = recorded(rules_of(kb, profile or PROFILE), readable(there))
    if held_out >= len(played):
        raise GameError(f"{there}: {len(played)} games are too few to hold out {held_out}")
    first = len(played) - held_out
    mark = hashlib.sha256(there.read_bytes()).hexdigest()[:16]
    return Games(mark, played.games(0, first), played.games(first, len(played)))


def kb_games(training: int, held_out: int, seed: int, kb: Path | None = None, profile: str | None = None) -> Games:
    """Games of kb against itself instead, where there are no records: to try the experiment, not to measure."""
    from abl_cards.agents import agent

    rules = rules_of(kb, profile or PROFILE)
    played = own_games(rules, agent("kb", rules.engine), training + held_out, seed)
    return Games(f"kb {seed}", played.games(0, training), played.games(training, training + held_out))


def _douzero_file() -> Path:
    folder = Path(os.environ.get("ABL_CARDS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    file = folder / "doudizhu_douzero_selfplay.jsonl.gz"
    if not file.is_file():
        raise GameError(f"no recorded games: set ABL_CARDS_DATA to the folder that holds {file.name}, or own=true")
    return file


@dataclass(frozen=True)
class FirstPlays:
    """The first active plays of every seat of some games, taken apart into pieces."""

    hands: NDArray[np.uint64]  # [m] of the seats, as dealt
    seat: NDArray[np.int64]  # [q] the row of hands that each piece was played from
    piece: NDArray[np.int16]  # [q] label

    @classmethod
    def of(cls, rules: SplitRules, games: Played) -> FirstPlays:
        """From what was led; kickers are pieces of their own."""
        splitter = Splitter.of(rules)
        seat = games.game.astype(np.int64) * games.hands.shape[1] + games.seat
        rows = np.flatnonzero(games.active)
        rows = rows[np.argsort(seat[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(seat[rows], prepend=-1))
        rank = np.arange(len(rows)) - np.repeat(begins, np.diff([*begins, len(rows)]))
        rows = rows[rank < FIRST_PLAYS]
        tagged = Tagged.of(games.cards[rows])
        pieces = splitter.meant(keys_of(games.cards[rows].sum(axis=2)), tagged.tags).pieces
        play, place = np.nonzero(pieces != NO_PIECE)
        return cls(games.hands.ravel(), seat[rows][play], pieces[play, place])

    def found_in(self, splits: Splits) -> float:
        """The share of the pieces that are there in the splits [m] of the hands, each as often as it was played."""
        labels = int(max(self.piece.max(initial=0), splits.pieces.max(initial=0))) + 1
        there = np.zeros((len(self.hands), labels), np.int16)
        hand, place = np.nonzero(splits.pieces != NO_PIECE)
        np.add.at(there, (hand, splits.pieces[hand, place]), 1)
        played = np.zeros_like(there)
        np.add.at(played, (self.seat, self.piece), 1)
        return float(np.minimum(there, played).sum() / max(len(self.piece), 1))


def accuracy(tags: NDArray[Any], truth: Tagged) -> float:
    """The share of the cards whose tags are those that were played."""
    cards = truth.tags != NO_TAG
    return float((tags[cards] == truth.tags[cards]).mean())


def share_of_singles(tags: NDArray[Any], truth: Tagged) -> float:
    """The share of the cards that are tagged as singles."""
    return float((tags[truth.tags != NO_TAG] == 0).mean())
