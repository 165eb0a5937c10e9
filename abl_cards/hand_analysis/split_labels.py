"""Labels for splits, from the plays of the winners of games, who alone have played their whole hands.

Kickers are separated from the cards that carry them, and each card gets the tag of its piece, as in the paper on
splitting by sequence tagging.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.games.min_plays import key_counts, keys_from_counts, keys_from_rows
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import LEADING, Indices, Moves
from abl_cards.matches import replay_confirmed
from abl_cards.reasoners.splits import MAX_CARDS, N_KINDS, NO_TAG, TAGS, SplitRules, kicker_tags, main_tags

_DEALS, _CHOICES = 1, 2  # streams of random numbers


@dataclass(frozen=True)
class TaggedHands:
    """n hands with the tags of their cards, low to high; tags ascend within a rank.

    Attributes:
        hands: uint64[n] Keys of the hands.
        tags: uint8[n, 20] Tags; NO_TAG beyond the last card.
    """

    hands: NDArray[np.uint64]
    tags: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.hands)

    def at(self, rows: NDArray[np.int64] | slice) -> TaggedHands:
        """Return the hands with these indices."""
        return TaggedHands(self.hands[rows], self.tags[rows])

    @classmethod
    def concatenate(cls, parts: Sequence[TaggedHands]) -> TaggedHands:
        """Concatenate batches of hands."""
        return cls(np.concatenate([part.hands for part in parts]), np.concatenate([part.tags for part in parts]))

    @classmethod
    def from_counts(cls, cards: NDArray[np.integer]) -> TaggedHands:
        """Make hands from counts.

        Args:
            cards: int[n, 15, 4] Number of cards of each rank with each tag.

        Returns:
            The n hands.
        """
        flat = cards.reshape(len(cards), -1).astype(np.int64)
        tags = np.full((len(cards), MAX_CARDS), NO_TAG, np.uint8)
        ends = flat.cumsum(axis=1)
        for card_index in range(MAX_CARDS):
            tag_index = (ends <= card_index).sum(axis=1)
            has_card = card_index < ends[:, -1]
            tags[has_card, card_index] = tag_index[has_card] % len(TAGS)
        return cls(keys_from_counts(cards.sum(axis=2)), tags)


@dataclass(frozen=True)
class PlayedGames:
    """p plays of n games, in the order in which they were made, without passes.

    Attributes:
        hands: uint64[n, 3] Keys of the hands, by seat.
        winner: int8[n] Seat that finished first.
        game: int32[p] Game of each play.
        seat: int8[p] Seat of each play.
        is_lead: bool[p] Whether the seat led.
        cards: uint8[p, 15, 4] Number of cards of each rank with each tag.
    """

    hands: NDArray[np.uint64]
    winner: NDArray[np.int8]
    game: NDArray[np.int32]
    seat: NDArray[np.int8]
    is_lead: NDArray[np.bool_]
    cards: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.winner)

    def select_games(self, first: int, last: int) -> PlayedGames:
        """Return the games first..last-1."""
        is_selected = (self.game >= first) & (self.game < last)
        return PlayedGames(
            self.hands[first:last], self.winner[first:last], self.game[is_selected] - first, self.seat[is_selected],
            self.is_lead[is_selected], self.cards[is_selected],
        )  # fmt: skip

    def tag_winning_hands(self) -> TaggedHands:
        """Return the n hands of the winners, with tags."""
        is_winner = self.seat == self.winner[self.game]
        cards = np.zeros((len(self), N_KINDS, len(TAGS)), np.uint8)
        np.add.at(cards, self.game[is_winner], self.cards[is_winner])
        return TaggedHands.from_counts(cards)


class PieceListener(NullListener):
    """Listener that splits the plays at tables into tagged cards."""

    def __init__(self, rules: SplitRules, num_tables: int) -> None:
        """Listen to a number of tables, with one game each."""
        self._rules, self._main_tags, self._kicker_tags = rules, main_tags(rules), kicker_tags(rules)
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._hands = np.zeros((num_tables, rules.rules.seating.seats), np.uint64)
        self._winner = np.full(num_tables, -1, np.int8)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Store a move before it is made, and the hands before the first move."""
        state = tables.state
        unplayed = rows[state.num_acts[rows] == 0]
        self._hands[unplayed] = keys_from_counts(state.hands[unplayed])
        plays = np.flatnonzero(moves.form != self._rules.pass_form)
        table_rows = rows[plays]
        labels = self._rules.rules.forms.label_of[moves.form[plays]]
        pieces = self._split_plays(labels, keys_from_rows(moves.cards[plays]))
        self._parts.append((table_rows, state.seat[table_rows].copy(), state.to_beat[table_rows] == LEADING, pieces))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Store the winners."""
        self._winner[rows] = tables.state.finish_order[rows, 0]

    def finished_games(self) -> PlayedGames:
        """Return the finished games, in the order of the tables."""
        game, seat, is_lead, cards = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        is_finished = self._winner >= 0
        new_index, is_kept = np.cumsum(is_finished) - 1, is_finished[game]
        games = new_index[game[is_kept]].astype(np.int32)
        return PlayedGames(
            self._hands[is_finished], self._winner[is_finished], games, seat[is_kept], is_lead[is_kept], cards[is_kept]
        )

    def _split_plays(self, label: NDArray[np.int16], keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Return uint8[plays, 15, 4] the number of cards of each rank with each tag."""
        rules = self._rules
        main_counts, kicker_counts = key_counts(rules.main_keys[label]), key_counts(keys - rules.main_keys[label])
        cards = np.zeros((len(label), N_KINDS, len(TAGS)), np.uint8)
        plays = np.arange(len(label))
        cards[plays, :, self._main_tags[label]] += main_counts
        size = np.array([play.kicker_size for play in rules.plays])[label]
        has_kickers = size > 0
        cards[plays[has_kickers], :, self._kicker_tags[size[has_kickers]]] += kicker_counts[has_kickers]
        return cards


def read_played_games(rules: SplitRules, records: Sequence[Mapping[str, Any]]) -> PlayedGames:
    """Read the plays of recorded games.

    Args:
        rules: Rules of splits.
        records: Records of games.

    Returns:
        The finished games.

    Raises:
        GameError: The rules do not allow a play of a record.
    """
    listener = PieceListener(rules, len(records))
    replay_confirmed(rules.engine, records, listener)
    return listener.finished_games()


def play_games(rules: SplitRules, agent: Agent, num_games: int, seed: int) -> PlayedGames:
    """Play games of an agent against itself, all at once.

    Args:
        rules: Rules of splits.
        agent: Agent at all seats.
        num_games: Number of games.
        seed: Seed of deals and decisions.

    Returns:
        The games.
    """
    listener = PieceListener(rules, num_games)
    keys = splitmix64_array(np.full(num_games, derive_key(seed, _DEALS), np.uint64), np.arange(num_games))
    tables = rules.engine.start_matches(keys, listener)
    stream = np.full(num_games, derive_key(seed, _CHOICES), np.uint64)
    while (rows := tables.rows_to_play()).size:
        keys = splitmix64_array(splitmix64_array(stream[rows], rows), tables.num_decisions[rows])
        tables.play(rows, agent.play(tables.decisions(rows), keys))
    return listener.finished_games()
