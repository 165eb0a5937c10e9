"""Interface of the adapters that translate one game to Botzone's JSON; rounds, logs and faults are shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.protocols.botzone.card_numbers import CardNumbering

ONLY_TABLE: Indices = np.zeros(1, np.int64)
"""The only table of a round."""


@dataclass(frozen=True)
class DealtCards:
    """The cards of a round by their numbers."""

    allocation: tuple[tuple[int, ...], ...]  # by seat
    publiccard: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the deal as in initdata."""
        return {"allocation": [list(hand) for hand in self.allocation], "publiccard": list(self.publiccard)}

    def to_draw_order(self, first: int) -> list[int]:
        """All of them as they lie where seats draw them one by one, this seat first; the public ones last.

        >>> DealtCards(((0, 1), (2, 3)), (4,)).to_draw_order(1)
        [2, 0, 3, 1, 4]
        """
        seats = [*self.allocation[first:], *self.allocation[:first]]
        return [card for cards in zip(*seats, strict=True) for card in cards] + list(self.publiccard)

    @classmethod
    def from_draw_order(cls, cards: Sequence[int], seats: int, public: int, first: int) -> DealtCards:
        """The other way round.

        >>> DealtCards.from_draw_order([2, 0, 3, 1, 4], 2, 1, 1)
        DealtCards(allocation=((0, 1), (2, 3)), publiccard=(4,))
        """
        hands, last = cards[: len(cards) - public], cards[len(cards) - public :]
        return cls(tuple(tuple(hands[(seat - first) % seats :: seats]) for seat in range(seats)), tuple(last))


class BotzoneRound(Protocol):
    """One round in the words of a dialect: it remembers what the requests tell, and who holds which numbers."""

    def opening_display(self) -> dict[str, Any]:
        """Return the display before the first act."""

    def delivery_request(self, seat: int) -> dict[str, Any]:
        """Return the request to a seat that has drawn a card, whether or not it has a choice."""

    def awaits_response(self) -> bool:
        """Return whether the current choice answers the last delivery of a card."""

    def request(self, seat: int) -> dict[str, Any]:
        """Return the current request to a seat, deliveries excepted; called once per decision."""

    def check_empty_response(self, seat: int, number: int, response: Any) -> None:
        """Raises Fault where the response to a seat's delivery of this number chooses something."""

    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """The options that a response of the seat to decide chooses, one after the other; raises Fault."""

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """The move that its response makes; raises Fault."""

    def choice_response(self, options: Sequence[int]) -> Any:
        """The response that chooses these options one after the other; None where there are more to come."""

    def play_response(self, cards: NDArray[np.uint8]) -> Any:
        """The response that makes a move [most] of the seat to decide."""

    def record_response(self, seat: int, response: Any) -> None:
        """This is about to happen."""

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Return the display after a response."""

    def scores(self) -> list[int]:
        """Return the score of each seat in a finished round."""


class NoDeliveriesMixin:
    """The part of a ``BotzoneRound`` that no game needs whose cards are dealt at once."""

    def delivery_request(self, seat: int) -> dict[str, Any]:
        """Nobody draws."""
        raise NotImplementedError

    def awaits_response(self) -> bool:
        """Nothing was delivered."""
        return False

    def check_empty_response(self, seat: int, number: int, response: Any) -> None:
        """Nothing was delivered."""


@dataclass(frozen=True)
class GameAdapter:
    """Functions that start rounds of one game.

    ``read_initdata`` and ``next_initdata`` carry state from one round of a match to the next.
    """

    supports: Callable[[CompiledGame], bool]  # whether a folder has what the requests speak of
    numbering: Callable[[CompiledGame], CardNumbering]
    start_round: Callable[[CompiledGame, Tables, DealtCards], BotzoneRound]
    initdata_keys: tuple[str, ...] = ()  # of initdata, besides the cards and the seed
    read_initdata: Callable[[CompiledGame, Mapping[str, Any], NDArray[np.int16]], None] = field(
        default=lambda rules, initdata, fluents: None
    )  # writes what initdata says into the fluents [slots] of a round to come; raises GameError
    next_initdata: Callable[[CompiledGame, Tables], dict[str, Any]] = field(
        default=lambda rules, tables: {}
    )  # and the other way round: initdata of the round that begins, or would begin, at a table
    first_seat: Callable[[CompiledGame, NDArray[np.int16]], int] = field(
        default=lambda rules, fluents: 0
    )  # who draws the first card by the fluents [slots] of a round, where cards are drawn one by one


def find_adapter(rules: CompiledGame) -> GameAdapter:
    """Return the adapter of a game; raises GameError if there is none."""
    from abl_cards.protocols.botzone.doudizhu import DOUDIZHU_ADAPTER
    from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER

    found = next((each for each in (DOUDIZHU_ADAPTER, TRACTOR_ADAPTER) if each.supports(rules)), None)
    if found is None:
        raise GameError(
            f"{rules.folder.name} says platform(botzone), and has not what Botzone's requests speak of",
            ErrorCode.UNSUPPORTED_GAME,
        )
    return found
