"""What a seat hears of the episodes, as records: whose cards were which is known when the rest is laid open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.cards import Hand, card_text, hand_of
from abl_cards.errors import GameError
from abl_cards.games.words.fields import reading
from abl_cards.platforms.contest.gifts import Gifts
from abl_cards.platforms.contest.wire import LEVEL_OF_TEXT, Action, hand_texts, read_cards

Cards = np.ndarray[Any, np.dtype[np.int64]]


class Diary:
    """The episode at hand and those that have ended."""

    def __init__(self, heading: Mapping[str, Any]) -> None:
        """Records begin with these fields."""
        self._heading = dict(heading)
        self._match = self._episode = 0
        self._done: list[dict[str, Any]] = []
        self.begin(0, np.zeros(54, np.uint8))

    def begin(self, seat: int, hand: Hand) -> None:
        """An episode begins with this hand."""
        self._seat, self._hand = seat, hand.astype(np.int64)
        self._plays: list[tuple[int, Action]] = []
        self._ranks: list[str] | None = None

    def note_play(self, seat: int, action: Action) -> None:
        """Somebody has played or passed."""
        self._plays.append((seat, action))

    def note_ranks(self, mine: Any, theirs: Any) -> None:
        """The levels of our team and of the other one, where a request tells them."""
        if mine in LEVEL_OF_TEXT and theirs in LEVEL_OF_TEXT:
            self._ranks = [mine, theirs] if self._seat % 2 == 0 else [theirs, mine]

    def hand(self, gifts: Gifts) -> Hand:
        """What we hold now."""
        return (self._hand - self._laid(self._seat) - _given(self._seat, gifts)).clip(0, 2).astype(np.uint8)

    def end(self, level: str, order: Sequence[int], rest: Any, gifts: Gifts) -> None:
        """The episode is over; rest is what ``restCards`` says."""
        hands = self._dealt(rest, gifts)
        rank = LEVEL_OF_TEXT[level]
        self._done.append(
            {
                "match": self._match, **self._heading, "episode": self._episode, "our_seat": self._seat,
                "level": level, "ranks": self._ranks or [level, level],
                "hands": [None if hand is None else hand_texts(hand, rank) for hand in hands],
                "anti": sorted(gifts.anti),
                "tribute": [[giver, taker, card_text(card)] for giver, taker, card in gifts.tribute],
                "back": [[giver, taker, card_text(card)] for giver, taker, card in gifts.back],
                "plays": [[seat, action.to_json()] for seat, action in self._plays],
                "order": list(order),
            }
        )  # fmt: skip
        self._episode += 1

    def end_match(self) -> None:
        """The next episode is the first of another match."""
        if self._episode:
            self._match, self._episode = self._match + 1, 0

    def records(self) -> list[dict[str, Any]]:
        """The episodes that have ended; forgets them."""
        done, self._done = self._done, []
        return done

    def _laid(self, seat: int) -> Cards:
        laid = np.zeros(54, np.int64)
        for player, action in self._plays:
            if player == seat:
                laid += hand_of(action.cards)
        return laid

    def _dealt(self, rest: Any, gifts: Gifts) -> list[Hand | None]:
        """The hands as dealt; those of the others are unknown where it does not all add up."""
        mine: list[Hand | None] = [None] * 4
        mine[self._seat] = self._hand.astype(np.uint8)
        try:
            left = _read_rest(rest)
        except GameError:
            return mine
        hands = [self._laid(seat) + left[seat] + _given(seat, gifts) for seat in range(4)]
        packs = np.stack(hands)
        sound = (packs >= 0).all() and (packs.sum(axis=0) == 2).all() and (packs.sum(axis=1) == 27).all()
        return [hand.astype(np.uint8) for hand in hands] if sound and (hands[self._seat] == self._hand).all() else mine


def _given(seat: int, gifts: Gifts) -> Cards:
    """[54] the cards a seat has given away, less those it was given."""
    cards = np.zeros(54, np.int64)
    for giver, taker, card in (*gifts.tribute, *gifts.back):
        cards[card] += (giver == seat) - (taker == seat)
    return cards


def _read_rest(rest: Any) -> list[Hand]:
    hands = [hand_of(()) for _ in range(4)]
    with reading("restCards"):
        for each in rest if isinstance(rest, list) else [rest]:
            match each:
                case [int(seat), cards] if 0 <= seat < 4:
                    hands[seat] = hand_of(read_cards(cards))
                case _:
                    raise GameError(f"{str(each)[:80]} is no [seat, cards]")
    return hands
