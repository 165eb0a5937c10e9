"""Played episodes as JSON objects, one an episode, in the format of the contest records (and what a replay needs
besides).

``level``, ``ranks`` (levels of the two teams), ``hands`` (4 x 27 cards as dealt), ``anti`` (seats holding the big
jokers that refuse a tribute), ``tribute`` and ``back`` ([from, to, card]), ``plays`` ([seat, action]), ``order``
(seats by finish). Our own records add ``game``, ``profile``, ``episode`` (from 0 in its match) and whatever the
recorder was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.games.guandan.readings import action_of
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import RANK_TEXT, hand_order
from abl_cards.games.tables import Indices, Moves


class GuandanRecorder:
    """Writes down what happens at some tables; see ``records``."""

    def __init__(self, rules: Rules, tables: int, extra: Mapping[str, Any]) -> None:
        """Listen to so many tables; every record carries the extra fields."""
        self._rules = rules
        self._extra = dict(extra)
        self._open: list[dict[str, Any]] = [{} for _ in range(tables)]
        self._done: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Write down the deal."""
        for table in which:
            level = int(tables.course.level[table])
            hands = tables.course.hands[table]
            refused = int(tables.exchange.refused[table])
            self._open[table] = {
                "game": "guandan",
                "profile": self._rules.profile,
                **self._extra,
                "episode": int(tables.episode[table]),
                "level": RANK_TEXT[level],
                "ranks": [RANK_TEXT[int(rank)] for rank in tables.ladder.standing[table]],
                "hands": [hand_texts(hand, level) for hand in hands],
                "anti": [seat for seat in range(4) if refused >> seat & 1],
                "tribute": [],
                "back": [],
                "plays": [],
            }

    def card_given(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Tributes and returns are written down when the play begins; until then the receiver may be open."""

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Write down plays and passes."""
        seats = tables.course.seat[which]
        for table, player, form, cards in zip(which, seats, moves.form, moves.cards, strict=True):
            action = action_of(self._rules, form, cards)
            self._open[table]["plays"].append([int(player), action.to_json()])

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Write down the exchange and the result."""
        for table in which:
            exchange = [field[table] for field in tables.exchange]
            record = self._open[table]
            for payer, paid, receiver, returned in zip(*exchange[:4], strict=True):
                if payer >= 0:
                    record["tribute"].append([int(payer), int(receiver), card_text(int(paid))])
                    record["back"].append([int(receiver), int(payer), card_text(int(returned))])
            record["order"] = [int(seat) for seat in tables.course.order[table]]
            self._done[table].append(record)

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """Nothing: the last episode says it all."""

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of the match at a table; forgets them."""
        done, self._done[table] = self._done[table], []
        return done


def hand_texts(hand: NDArray[np.uint8], level: int) -> list[str]:
    """The cards of a 54-vector in the protocol's order."""
    return [card_text(card) for card in hand_order(level) for _ in range(hand[card])]
