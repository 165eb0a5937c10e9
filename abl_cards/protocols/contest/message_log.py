"""Records of episodes from the messages of one seat; all hands are known after ``restCards``."""

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
    """The episode at hand and those that have ended."""

    def __init__(self, heading: Mapping[str, Any]) -> None:
        """Records begin with these fields."""
        self._heading = dict(heading)
        self._match_number = self._episode_number = 0
        self._finished: list[dict[str, Any]] = []
        self.begin_episode(0, np.zeros(54, np.uint8))

    def begin_episode(self, seat: int, hand: Hand) -> None:
        """An episode begins with this hand."""
        self._seat, self._hand = seat, hand.astype(np.int64)
        self._plays: list[tuple[int, ContestAction]] = []
        self._ranks: list[str] | None = None

    def add_play(self, seat: int, action: ContestAction) -> None:
        """Somebody has played or passed."""
        self._plays.append((seat, action))

    def set_levels(self, own: Any, opponents: Any) -> None:
        """Set the levels of both teams, if a request has them."""
        if own in LEVEL_OF_TEXT and opponents in LEVEL_OF_TEXT:
            self._ranks = [own, opponents] if self._seat % 2 == 0 else [opponents, own]

    def current_hand(self, exchange: TributeExchange) -> Hand:
        """Return the current hand of the seat."""
        return (
            (self._hand - self._cards_played(self._seat) - _net_given(self._seat, exchange)).clip(0, 2).astype(np.uint8)
        )

    def end_episode(self, level: str, order: Sequence[int], rest: Any, exchange: TributeExchange) -> None:
        """End the episode; ``rest`` is the field ``restCards``."""
        hands = self._dealt_hands(rest, exchange)
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
        """The next episode is the first of another match."""
        if self._episode_number:
            self._match_number, self._episode_number = self._match_number + 1, 0

    def pop_records(self) -> list[dict[str, Any]]:
        """The episodes that have ended; forgets them."""
        done, self._finished = self._finished, []
        return done

    def _cards_played(self, seat: int) -> CardCounts:
        laid = np.zeros(54, np.int64)
        for player, action in self._plays:
            if player == seat:
                laid += hand_from_cards(action.cards)
        return laid

    def _dealt_hands(self, rest: Any, gifts: TributeExchange) -> list[Hand | None]:
        """The hands as dealt; those of the others are unknown where it does not all add up."""
        mine: list[Hand | None] = [None] * 4
        mine[self._seat] = self._hand.astype(np.uint8)
        try:
            left = _read_rest(rest)
        except GameError:
            return mine
        hands = [self._cards_played(seat) + left[seat] + _net_given(seat, gifts) for seat in range(4)]
        packs = np.stack(hands)
        sound = (packs >= 0).all() and (packs.sum(axis=0) == 2).all() and (packs.sum(axis=1) == 27).all()
        return [hand.astype(np.uint8) for hand in hands] if sound and (hands[self._seat] == self._hand).all() else mine


def _net_given(seat: int, exchange: TributeExchange) -> CardCounts:
    """[54] the cards a seat has given away, less those it was given."""
    cards = np.zeros(54, np.int64)
    for giver, taker, card in (*exchange.tribute, *exchange.back):
        cards[card] += (giver == seat) - (taker == seat)
    return cards


def _read_rest(rest: Any) -> list[Hand]:
    hands = [hand_from_cards(()) for _ in range(4)]
    with error_context("restCards"):
        for each in rest if isinstance(rest, list) else [rest]:
            match each:
                case [int(seat), cards] if 0 <= seat < 4:
                    hands[seat] = hand_from_cards(read_cards(cards))
                case _:
                    raise GameError(f"{str(each)[:80]} is no [seat, cards]", ErrorCode.INVALID_MESSAGE)
    return hands
