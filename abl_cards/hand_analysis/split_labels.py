"""Splits that were played: what the plays of a game's winner say of how its hand was split.

Kickers are separated from what carries them, and each card has the tag of its piece, as in the paper on splitting by
sequence tagging: the winner alone has laid down its whole hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import GameError, derive_key, splitmix64_array
from abl_cards.games.min_plays import key_counts, keys_from_counts, keys_from_rows
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import LEADING, Indices, Moves
from abl_cards.reasoners.splits import MAX_CARDS, N_KINDS, NO_TAG, TAGS, SplitRules, kicker_tags, main_tags

_DEALS, _CHOICES = 1, 2  # what random numbers are for


@dataclass(frozen=True)
class TaggedHands:
    """n hands with the tags of their cards, low to high; inside a rank the tags ascend."""

    hands: NDArray[np.uint64]  # [n] keys
    tags: NDArray[np.uint8]  # [n, 20] NO_TAG beyond the last card

    def __len__(self) -> int:
        return len(self.hands)

    def at(self, rows: NDArray[np.int64] | slice) -> TaggedHands:
        """Some of them."""
        return TaggedHands(self.hands[rows], self.tags[rows])

    @classmethod
    def concatenate(cls, parts: Sequence[TaggedHands]) -> TaggedHands:
        """One after the other."""
        return cls(np.concatenate([each.hands for each in parts]), np.concatenate([each.tags for each in parts]))

    @classmethod
    def from_counts(cls, cards: NDArray[np.integer]) -> TaggedHands:
        """From how many cards of each rank have each tag, [n, 15, 4]."""
        flat = cards.reshape(len(cards), -1).astype(np.int64)
        tags = np.full((len(cards), MAX_CARDS), NO_TAG, np.uint8)
        ends = flat.cumsum(axis=1)
        for place in range(MAX_CARDS):
            found = (ends <= place).sum(axis=1)
            here = place < ends[:, -1]
            tags[here, place] = found[here] % len(TAGS)
        return cls(keys_from_counts(cards.sum(axis=2)), tags)


@dataclass(frozen=True)
class PlayedGames:
    """Games as pieces: p plays of n games, in the order in which they were made; passes are left out."""

    hands: NDArray[np.uint64]  # [n, 3] keys by seat
    winner: NDArray[np.int8]  # [n] the seat that was out first
    game: NDArray[np.int32]  # [p]
    seat: NDArray[np.int8]  # [p]
    is_lead: NDArray[np.bool_]  # [p] whether the seat led
    cards: NDArray[np.uint8]  # [p, 15, 4] how many cards of each rank have each tag

    def __len__(self) -> int:
        return len(self.winner)

    def select_games(self, first: int, last: int) -> PlayedGames:
        """Some games in a row."""
        kept = (self.game >= first) & (self.game < last)
        return PlayedGames(
            self.hands[first:last], self.winner[first:last], self.game[kept] - first, self.seat[kept],
            self.is_lead[kept], self.cards[kept],
        )  # fmt: skip

    def tag_winning_hands(self) -> TaggedHands:
        """[n] the hands of the winners, tagged."""
        mine = self.seat == self.winner[self.game]
        cards = np.zeros((len(self), N_KINDS, len(TAGS)), np.uint8)
        np.add.at(cards, self.game[mine], self.cards[mine])
        return TaggedHands.from_counts(cards)

    def tag_remaining_hands(self) -> TaggedHands:
        """What the winners still held before each of their plays but the first: splits of smaller hands."""
        mine = np.flatnonzero(self.seat == self.winner[self.game])[::-1]  # from the last play on
        cards, game = self.cards[mine].astype(np.int64), self.game[mine]
        order = np.argsort(game, kind="stable")
        cards, game = cards[order], game[order]
        sums = cards.cumsum(axis=0)
        begins = np.flatnonzero(np.diff(game, prepend=-1))
        before = np.repeat(sums[begins] - cards[begins], np.diff([*begins, len(game)]), axis=0)
        whole = np.append(np.diff(game) != 0, True)
        return TaggedHands.from_counts((sums - before)[~whole])


class PieceListener(NullListener):
    """Hears tables and takes the plays apart."""

    def __init__(self, rules: SplitRules, num_tables: int) -> None:
        """Listen to so many tables, one game each."""
        self._rules, self._main_tags, self._kicker_tags = rules, main_tags(rules), kicker_tags(rules)
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._hands = np.zeros((num_tables, rules.rules.seating.seats), np.uint64)
        self._winner = np.full(num_tables, -1, np.int8)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Before a move is made: note it, and before the first one the hands."""
        state = tables.state
        first = rows[state.num_acts[rows] == 0]
        self._hands[first] = keys_from_counts(state.hands[first])
        laid = np.flatnonzero(moves.form != self._rules.pass_form)
        at = rows[laid]
        labels = self._rules.rules.forms.label_of[moves.form[laid]]
        pieces = self._split_plays(labels, keys_from_rows(moves.cards[laid]))
        self._parts.append((at, state.seat[at].copy(), state.to_beat[at] == LEADING, pieces))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Note who was out first."""
        self._winner[rows] = tables.state.finish_order[rows, 0]

    def finished_games(self) -> PlayedGames:
        """The games that came to their end, in the order of the tables."""
        game, seat, active, cards = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        over = self._winner >= 0
        number, kept = np.cumsum(over) - 1, over[game]
        return PlayedGames(
            self._hands[over], self._winner[over], number[game[kept]].astype(np.int32), seat[kept], active[kept],
            cards[kept],
        )  # fmt: skip

    def _split_plays(self, label: NDArray[np.int16], keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[plays, 15, 4] the main cards by their tag, kickers by theirs."""
        rules = self._rules
        main, rest = key_counts(rules.main_keys[label]), key_counts(keys - rules.main_keys[label])
        cards = np.zeros((len(label), N_KINDS, len(TAGS)), np.uint8)
        plays = np.arange(len(label))
        cards[plays, :, self._main_tags[label]] += main
        size = np.array([play.kicker_size for play in rules.plays])[label]
        carries = size > 0
        cards[plays[carries], :, self._kicker_tags[size[carries]]] += rest[carries]
        return cards


def read_played_games(rules: SplitRules, records: Sequence[Mapping[str, Any]]) -> PlayedGames:
    """The plays of recorded games; raises GameError for the first one that the rules do not allow."""
    listener = PieceListener(rules, len(records))
    wrong = rules.engine.replay(records, listener).mismatches
    if wrong:
        raise GameError(f"game {wrong[0].line}: {wrong[0].text}")
    return listener.finished_games()


def play_games(rules: SplitRules, agent: Agent, num_games: int, seed: int) -> PlayedGames:
    """The plays of an agent against itself, all games at once."""
    listener = PieceListener(rules, num_games)
    keys = splitmix64_array(np.full(num_games, derive_key(seed, _DEALS), np.uint64), np.arange(num_games))
    tables = rules.engine.start_matches(keys, listener)
    stream = np.full(num_games, derive_key(seed, _CHOICES), np.uint64)
    while (playing := tables.rows_to_play()).size:
        keys = splitmix64_array(splitmix64_array(stream[playing], playing), tables.num_decisions[playing])
        tables.play(playing, agent.play(tables.decisions(playing), keys))
    return listener.finished_games()
