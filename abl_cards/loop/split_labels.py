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
from abl_cards.errors import GameError
from abl_cards.games import Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.counting.keys import counts_of, keys_of, row_keys
from abl_cards.games.tables import LEADING
from abl_cards.streams import key_of, mix_all
from reasoners.split_kernels import NO_TAG
from reasoners.split_rules import COUNT, MOST_CARDS, TAGS, SplitRules
from reasoners.split_tables import kicker_tags, main_tags

_DEALS, _CHOICES = 1, 2  # what random numbers are for


@dataclass(frozen=True)
class Tagged:
    """n hands with the tags of their cards, low to high; inside a rank the tags ascend."""

    hands: NDArray[np.uint64]  # [n] keys
    tags: NDArray[np.uint8]  # [n, 20] NO_TAG beyond the last card

    def __len__(self) -> int:
        return len(self.hands)

    def at(self, rows: NDArray[np.int64] | slice) -> Tagged:
        """Some of them."""
        return Tagged(self.hands[rows], self.tags[rows])

    @classmethod
    def joined(cls, parts: Sequence[Tagged]) -> Tagged:
        """One after the other."""
        return cls(np.concatenate([each.hands for each in parts]), np.concatenate([each.tags for each in parts]))

    @classmethod
    def of(cls, cards: NDArray[np.integer]) -> Tagged:
        """From how many cards of each rank have each tag, [n, 15, 4]."""
        flat = cards.reshape(len(cards), -1).astype(np.int64)
        tags = np.full((len(cards), MOST_CARDS), NO_TAG, np.uint8)
        ends = flat.cumsum(axis=1)
        for place in range(MOST_CARDS):
            found = (ends <= place).sum(axis=1)
            here = place < ends[:, -1]
            tags[here, place] = found[here] % len(TAGS)
        return cls(keys_of(cards.sum(axis=2)), tags)


@dataclass(frozen=True)
class Played:
    """Games as pieces: p plays of n games, in the order in which they were made; passes are left out."""

    hands: NDArray[np.uint64]  # [n, 3] keys by seat
    winner: NDArray[np.int8]  # [n] the seat that was out first
    game: NDArray[np.int32]  # [p]
    seat: NDArray[np.int8]  # [p]
    active: NDArray[np.bool_]  # [p] whether the seat led
    cards: NDArray[np.uint8]  # [p, 15, 4] how many cards of each rank have each tag

    def __len__(self) -> int:
        return len(self.winner)

    def games(self, first: int, last: int) -> Played:
        """Some games in a row."""
        kept = (self.game >= first) & (self.game < last)
        return Played(
            self.hands[first:last], self.winner[first:last], self.game[kept] - first, self.seat[kept],
            self.active[kept], self.cards[kept],
        )  # fmt: skip

    def won(self) -> Tagged:
        """[n] the hands of the winners, tagged."""
        mine = self.seat == self.winner[self.game]
        cards = np.zeros((len(self), COUNT, len(TAGS)), np.uint8)
        np.add.at(cards, self.game[mine], self.cards[mine])
        return Tagged.of(cards)

    def rests(self) -> Tagged:
        """What the winners still held before each of their plays but the first: splits of smaller hands."""
        mine = np.flatnonzero(self.seat == self.winner[self.game])[::-1]  # from the last play on
        cards, game = self.cards[mine].astype(np.int64), self.game[mine]
        order = np.argsort(game, kind="stable")
        cards, game = cards[order], game[order]
        sums = cards.cumsum(axis=0)
        begins = np.flatnonzero(np.diff(game, prepend=-1))
        before = np.repeat(sums[begins] - cards[begins], np.diff([*begins, len(game)]), axis=0)
        whole = np.append(np.diff(game) != 0, True)
        return Tagged.of((sums - before)[~whole])


class PieceListener(Quiet):
    """Hears tables and takes the plays apart."""

    def __init__(self, rules: SplitRules, tables: int) -> None:
        """Listen to so many tables, one game each."""
        self._rules, self._mains, self._kickers = rules, main_tags(rules), kicker_tags(rules)
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._hands = np.zeros((tables, rules.rules.table.seats), np.uint64)
        self._winner = np.full(tables, -1, np.int8)

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Before a move is made: note it, and before the first one the hands."""
        state = tables.state
        first = which[state.acts[which] == 0]
        self._hands[first] = keys_of(state.hands[first])
        laid = np.flatnonzero(moves.form != self._rules.passing)
        at = which[laid]
        labels = self._rules.rules.forms.label_of[moves.form[laid]]
        pieces = self._taken_apart(labels, row_keys(moves.cards[laid]))
        self._parts.append((at, state.seat[at].copy(), state.to_beat[at] == LEADING, pieces))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Note who was out first."""
        self._winner[which] = tables.state.order[which, 0]

    def found(self) -> Played:
        """The games that came to their end, in the order of the tables."""
        game, seat, active, cards = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        over = self._winner >= 0
        number, kept = np.cumsum(over) - 1, over[game]
        return Played(
            self._hands[over], self._winner[over], number[game[kept]].astype(np.int32), seat[kept], active[kept],
            cards[kept],
        )  # fmt: skip

    def _taken_apart(self, label: NDArray[np.int16], keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[plays, 15, 4] the main cards by their tag, kickers by theirs."""
        rules = self._rules
        main, rest = counts_of(rules.main[label]), counts_of(keys - rules.main[label])
        cards = np.zeros((len(label), COUNT, len(TAGS)), np.uint8)
        plays = np.arange(len(label))
        cards[plays, :, self._mains[label]] += main
        size = np.array([play.kicker_size for play in rules.plays])[label]
        carries = size > 0
        cards[plays[carries], :, self._kickers[size[carries]]] += rest[carries]
        return cards


def recorded(rules: SplitRules, records: Sequence[Mapping[str, Any]]) -> Played:
    """The plays of recorded games; raises GameError for the first one that the rules do not allow."""
    listener = PieceListener(rules, len(records))
    wrong = rules.engine.replay(records, listener).disagreements
    if wrong:
        raise GameError(f"game {wrong[0].line}: {wrong[0].text}")
    return listener.found()


def own_games(rules: SplitRules, agent: Agent, games: int, seed: int) -> Played:
    """The plays of an agent against itself, all games at once."""
    listener = PieceListener(rules, games)
    keys = mix_all(np.full(games, key_of(seed, _DEALS), np.uint64), np.arange(games))
    tables = rules.engine.tables(keys, listener)
    stream = np.full(games, key_of(seed, _CHOICES), np.uint64)
    while (playing := tables.playing()).size:
        keys = mix_all(mix_all(stream[playing], playing), tables.clock[playing])
        tables.play(playing, agent.play(tables.decisions(playing), keys))
    return listener.found()
