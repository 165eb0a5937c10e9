"""Recorded games of the splitting experiment: training hands, held-out hands, and scores of splits."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.min_plays import keys_from_counts
from abl_cards.hand_analysis import PlayedGames, TaggedHands, play_games, read_played_games
from abl_cards.matches import data_folder, read_valid_records
from abl_cards.reasoners.splits import NO_PIECE, NO_TAG, SplitRules, Splits, Splitter, load_split_rules

DEFAULT_PROFILE = "douzero"
NUM_FIRST_PLAYS = 5
"""Active plays of a seat that are looked for in its split."""


@dataclass(frozen=True)
class SplitGames:
    """Training games and held-out games."""

    fingerprint: str  # of where they come from
    training: PlayedGames
    held_out: PlayedGames

    def draw_labelled(self, share: float, seed: int) -> tuple[TaggedHands, NDArray[np.uint64]]:
        """Draw a share of the training hands with their tags; returns the other hands without tags."""
        random = np.random.default_rng([seed, 7])
        order = random.permutation(len(self.training))
        count = max(1, round(share * len(order))) if share > 0 else 0
        labelled = np.zeros(self.training.hands.shape, np.bool_)
        chosen = order[:count]
        labelled[chosen, self.training.winner[chosen]] = True
        return self.training.tag_winning_hands().at(np.sort(chosen)), self.training.hands[~labelled]


def load_recorded_games(
    file: Path | None, held_out: int, kb: Path | None = None, profile: str | None = None
) -> SplitGames:
    """Load games of DouZero with the last ones held out; raises GameError if there are too few."""
    there = file or _douzero_file()
    played = read_played_games(load_split_rules(kb, profile or DEFAULT_PROFILE), read_valid_records(there))
    if held_out >= len(played):
        raise GameError(f"{there}: {len(played)} games are too few to hold out {held_out}", ErrorCode.NO_RECORDS)
    first = len(played) - held_out
    mark = hashlib.sha256(there.read_bytes()).hexdigest()[:16]
    return SplitGames(mark, played.select_games(0, first), played.select_games(first, len(played)))


def play_kb_games(
    training: int, held_out: int, seed: int, kb: Path | None = None, profile: str | None = None
) -> SplitGames:
    """Play games of kb against itself, for trials without records."""
    from abl_cards.agents import make_agent

    rules = load_split_rules(kb, profile or DEFAULT_PROFILE)
    played = play_games(rules, make_agent("kb", rules.engine), training + held_out, seed)
    return SplitGames(
        f"kb {seed}", played.select_games(0, training), played.select_games(training, training + held_out)
    )


def _douzero_file() -> Path:
    folder = data_folder()
    file = folder / "doudizhu_douzero_selfplay.jsonl.gz"
    if not file.is_file():
        remedy = f"set ABL_CARDS_DATA to the folder that holds {file.name}, or own_games=true"
        raise GameError(f"no recorded games: {remedy}", ErrorCode.NO_RECORDS)
    return file


@dataclass(frozen=True)
class FirstPlays:
    """First active plays of every seat in some games, split into pieces."""

    hands: NDArray[np.uint64]  # [m] of the seats, as dealt
    seat_row: NDArray[np.int64]  # [q] the row of hands that each piece was played from
    piece: NDArray[np.int16]  # [q] label

    @classmethod
    def from_games(cls, rules: SplitRules, games: PlayedGames) -> FirstPlays:
        """Collect the first leads of each seat; kickers are pieces of their own."""
        splitter = Splitter.of(rules)
        seat = games.game.astype(np.int64) * games.hands.shape[1] + games.seat
        rows = np.flatnonzero(games.is_lead)
        rows = rows[np.argsort(seat[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(seat[rows], prepend=-1))
        rank = np.arange(len(rows)) - np.repeat(begins, np.diff([*begins, len(rows)]))
        rows = rows[rank < NUM_FIRST_PLAYS]
        tagged = TaggedHands.from_counts(games.cards[rows])
        pieces = splitter.pieces_of_tags(keys_from_counts(games.cards[rows].sum(axis=2)), tagged.tags).pieces
        play, place = np.nonzero(pieces != NO_PIECE)
        return cls(games.hands.ravel(), seat[rows][play], pieces[play, place])

    def recall(self, splits: Splits) -> float:
        """Return the share of the played pieces that the splits [m] contain, with multiplicity."""
        labels = int(max(self.piece.max(initial=0), splits.pieces.max(initial=0))) + 1
        there = np.zeros((len(self.hands), labels), np.int16)
        hand, place = np.nonzero(splits.pieces != NO_PIECE)
        np.add.at(there, (hand, splits.pieces[hand, place]), 1)
        played = np.zeros_like(there)
        np.add.at(played, (self.seat_row, self.piece), 1)
        return float(np.minimum(there, played).sum() / max(len(self.piece), 1))


def tag_accuracy(tags: NDArray[Any], truth: TaggedHands) -> float:
    """Return the share of the cards with the tag that they were played with."""
    cards = truth.tags != NO_TAG
    return float((tags[cards] == truth.tags[cards]).mean())


def single_share(tags: NDArray[Any], truth: TaggedHands) -> float:
    """Return the share of the cards that are tagged as singles."""
    return float((tags[truth.tags != NO_TAG] == 0).mean())
