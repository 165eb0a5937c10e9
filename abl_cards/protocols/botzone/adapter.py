"""Interface of the adapters that translate one game to Botzone's JSON; rounds, logs and faults are shared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import NO_CARD, ONLY_TABLE, Moves
from abl_cards.protocols.botzone.card_numbers import CardNumbering


@dataclass(frozen=True)
class DealtCards:
    """Cards of a round by Botzone's numbers."""

    allocation: tuple[tuple[int, ...], ...]  # by seat
    publiccard: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the deal as in initdata."""
        return {"allocation": [list(hand) for hand in self.allocation], "publiccard": list(self.publiccard)}

    def to_draw_order(self, first: int) -> list[int]:
        """Return all cards in the order in which seats draw them one by one; public cards last.

        Args:
            first: Seat that draws the first card.

        >>> DealtCards(((0, 1), (2, 3)), (4,)).to_draw_order(1)
        [2, 0, 3, 1, 4]
        """
        seats = [*self.allocation[first:], *self.allocation[:first]]
        return [card for cards in zip(*seats, strict=True) for card in cards] + list(self.publiccard)

    @classmethod
    def from_draw_order(cls, cards: Sequence[int], seats: int, public: int, first: int) -> DealtCards:
        """Make a deal from cards in the order in which they are drawn.

        Args:
            cards: Numbers of all cards.
            seats: Number of seats.
            public: Number of public cards, which are last.
            first: Seat that draws the first card.

        >>> DealtCards.from_draw_order([2, 0, 3, 1, 4], 2, 1, 1)
        DealtCards(allocation=((0, 1), (2, 3)), publiccard=(4,))
        """
        hands, public_cards = cards[: len(cards) - public], cards[len(cards) - public :]
        return cls(tuple(tuple(hands[(seat - first) % seats :: seats]) for seat in range(seats)), tuple(public_cards))


class BotzoneRound(ABC):
    """One round of a game: builds requests and displays, and reads responses; here for cards that are dealt at once."""

    _hands: list[list[int]]  # card numbers by seat

    def __init__(self, rules: CompiledGame, tables: Tables, cards: DealtCards) -> None:
        """Make a round before the first act."""
        self._rules, self._tables, self._cards = rules, tables, cards
        self._numbering = find_adapter(rules).numbering(rules)

    def opening_display(self) -> dict[str, Any]:
        """Return the display before the first act: the cards of all seats and the public cards."""
        return self._cards.to_json()

    def delivery_request(self, seat: int) -> dict[str, Any]:
        """Return the request to a seat that has drawn a card, whether or not it has a choice."""
        raise NotImplementedError("cards are dealt at once")

    def awaits_response(self) -> bool:
        """Return whether the current choice answers the last delivery of a card."""
        return False

    @abstractmethod
    def request(self, seat: int) -> dict[str, Any]:
        """Return the current request to a seat, deliveries excepted; called once per decision."""

    def check_empty_response(self, seat: int, request_index: int, response: Any) -> None:  # noqa: B027
        """Check that a response to a delivery chooses nothing.

        Args:
            seat: Seat of the response.
            request_index: Index of the delivery among those of the seat.
            response: JSON value of the response.

        Raises:
            Fault: The response chooses something.
        """

    @abstractmethod
    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """Return the options that a response of the seat to decide chooses in order; raises Fault."""

    @abstractmethod
    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """Return the move of a response of the seat to decide, one row; raises Fault."""

    @abstractmethod
    def choice_response(self, options: Sequence[int]) -> Any:
        """Return the response that chooses options in order; None if the options are incomplete."""

    def play_response(self, cards: NDArray[np.uint8]) -> list[int]:
        """Return the card numbers of a move of the seat to decide; of equal cards the lowest.

        Args:
            cards: uint8 [cards], padded with NO_CARD.
        """
        held = sorted(self._hands[int(self._tables.seat[0])])
        return self._numbering.find_numbers(cards[cards != NO_CARD].tolist(), held)

    @abstractmethod
    def record_response(self, seat: int, response: Any) -> None:
        """Record a response before it takes effect."""

    @abstractmethod
    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Return the display after a response."""

    def scores(self) -> list[int]:
        """Return the score of each seat in a finished round."""
        return [int(points) for points in self._tables.points[ONLY_TABLE][0]]


@dataclass(frozen=True)
class GameAdapter:
    """Functions that start rounds of one game.

    ``read_initdata`` and ``next_initdata`` carry state from one round of a match to the next.
    """

    supports: Callable[[CompiledGame], bool]  # whether a folder has the fluents and cards of the requests
    numbering: Callable[[CompiledGame], CardNumbering]
    start_round: Callable[[CompiledGame, Tables, DealtCards], BotzoneRound]
    initdata_keys: tuple[str, ...] = ()  # fields of initdata besides the cards and the seed
    read_initdata: Callable[[CompiledGame, Mapping[str, Any], NDArray[np.int16]], None] = field(
        default=lambda rules, initdata, fluents: None
    )  # writes fields of initdata into the fluents [slots] of the next round; raises GameError
    next_initdata: Callable[[CompiledGame, Tables], dict[str, Any]] = field(
        default=lambda rules, tables: {}
    )  # fields of initdata of the next round at a table
    first_seat: Callable[[CompiledGame, NDArray[np.int16]], int] = field(
        default=lambda rules, fluents: 0
    )  # seat that draws the first card, from the fluents [slots] of a round


def find_adapter(rules: CompiledGame) -> GameAdapter:
    """Return the adapter of a game; raises GameError if there is none."""
    from abl_cards.protocols.botzone.doudizhu import DOUDIZHU_ADAPTER
    from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER

    adapter = next((candidate for candidate in (DOUDIZHU_ADAPTER, TRACTOR_ADAPTER) if candidate.supports(rules)), None)
    if adapter is None:
        raise GameError(
            f"{rules.folder.name} has the fact platform(botzone), but not the fluents and cards of a game on Botzone",
            ErrorCode.UNSUPPORTED_GAME,
        )
    return adapter
