"""Write records of episodes from the messages of one seat; ``restCards`` reveals all hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.notation import error_context
from abl_cards.protocols.common import Hand, format_card, hand_from_cards
from abl_cards.protocols.contest.codec import LEVEL_OF_TEXT, ContestAction, hand_texts, read_cards
from abl_cards.protocols.contest.tribute import TributeExchange

CardCounts = np.ndarray[Any, np.dtype[np.int64]]


class EpisodeLog:
    """Log of the current episode, and records of finished ones."""

    def __init__(self, heading: Mapping[str, Any]) -> None:
        """Make an empty log; all records contain the fields of the heading."""
        self._heading = dict(heading)
        self._match_number = self._episode_number = 0
        self._finished: list[dict[str, Any]] = []
        self.begin_episode(0, np.zeros(54, np.uint8))

    def begin_episode(self, seat: int, hand: Hand) -> None:
        """Begin an episode with a hand [54]."""
        self._seat, self._hand = seat, hand.astype(np.int64)
        self._plays: list[tuple[int, ContestAction]] = []
        self._ranks: list[str] | None = None

    def add_play(self, seat: int, action: ContestAction) -> None:
        """Add a play or a pass of a seat."""
        self._plays.append((seat, action))

    def set_levels(self, own: Any, opponents: Any) -> None:
        """Set the levels of both teams, if a request has them."""
        if all(isinstance(level, str) and level in LEVEL_OF_TEXT for level in (own, opponents)):
            self._ranks = [own, opponents] if self._seat % 2 == 0 else [opponents, own]

    def current_hand(self, exchange: TributeExchange) -> Hand:
        """Return the current hand of the seat."""
        return (
            (self._hand - self._cards_played(self._seat) - _net_given(self._seat, exchange)).clip(0, 2).astype(np.uint8)
        )

    def end_episode(self, level: str, order: Sequence[int], rest_cards: Any, exchange: TributeExchange) -> None:
        """End the episode; ``rest_cards`` is the field ``restCards``."""
        hands = self._dealt_hands(rest_cards, exchange)
        rank = LEVEL_OF_TEXT[level]
        self._finished.append(
            {
                "match": self._match_number, **self._heading, "episode": self._episode_number, "our_seat": self._seat,
                "level": level, "ranks": self._ranks or [level, level],
                "hands": [None if hand is None else hand_texts(hand, rank) for hand in hands],
                "anti": sorted(exchange.anti),
                "tribute": [[giver, taker, format_card(card)] for giver, taker, card in exchange.tribute],
                "back": [[giver, taker, format_card(card)] for giver, taker, card in exchange.back],
                "plays": [[seat, action.to_json()] for seat, action in self._plays],
                "order": list(order),
            }
        )  # fmt: skip
        self._episode_number += 1

    def end_match(self) -> None:
        """End the match; the next episode begins another one."""
        if self._episode_number:
            self._match_number, self._episode_number = self._match_number + 1, 0

    def pop_records(self) -> list[dict[str, Any]]:
        """Return the records of finished episodes, and clear them."""
        records, self._finished = self._finished, []
        return records

    def _cards_played(self, seat: int) -> CardCounts:
        counts = np.zeros(54, np.int64)
        for player, action in self._plays:
            if player == seat:
                counts += hand_from_cards(action.cards)
        return counts

    def _dealt_hands(self, rest_cards: Any, exchange: TributeExchange) -> list[Hand | None]:
        """Return the hands as dealt; those of other seats are None if the numbers of cards do not agree."""
        own_hand_only: list[Hand | None] = [None] * 4
        own_hand_only[self._seat] = self._hand.astype(np.uint8)
        try:
            remaining = _read_rest_cards(rest_cards)
        except GameError:
            return own_hand_only
        hands = [self._cards_played(seat) + remaining[seat] + _net_given(seat, exchange) for seat in range(4)]
        packs = np.stack(hands)
        is_complete = (packs >= 0).all() and (packs.sum(axis=0) == 2).all() and (packs.sum(axis=1) == 27).all()
        return (
            [hand.astype(np.uint8) for hand in hands]
            if is_complete and (hands[self._seat] == self._hand).all()
            else own_hand_only
        )


def _net_given(seat: int, exchange: TributeExchange) -> CardCounts:
    """Return the cards [54] that a seat has given, minus those it has received."""
    cards = np.zeros(54, np.int64)
    for giver, taker, card in (*exchange.tribute, *exchange.back):
        cards[card] += (giver == seat) - (taker == seat)
    return cards


def _read_rest_cards(rest_cards: Any) -> list[Hand]:
    hands = [hand_from_cards(()) for _ in range(4)]
    with error_context("restCards"):
        for entry in rest_cards if isinstance(rest_cards, list) else [rest_cards]:
            match entry:
                case [int(seat), cards] if 0 <= seat < 4:
                    hands[seat] = hand_from_cards(read_cards(cards))
                case _:
                    raise GameError(f"{str(entry)[:80]} is not [seat, cards]", ErrorCode.INVALID_MESSAGE)
    return hands
