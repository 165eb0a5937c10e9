"""What one game's words on Botzone are; the course of a round, its log and its faults are the same for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.tables import Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, Moves
from abl_cards.platforms.botzone.card_numbers import Numbers

HERE: Indices = np.zeros(1, np.int64)
"""The only table of a round."""


@dataclass(frozen=True)
class Cards:
    """The cards of a round by their numbers."""

    allocation: tuple[tuple[int, ...], ...]  # by seat
    publiccard: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """As initdata has them."""
        return {"allocation": [list(hand) for hand in self.allocation], "publiccard": list(self.publiccard)}


class Round(Protocol):
    """One round in the words of a dialect: it remembers what the requests tell, and who holds which numbers."""

    def opening(self) -> dict[str, Any]:
        """What is displayed before anything has happened."""

    def request(self, seat: int) -> dict[str, Any]:
        """What this seat is asked now; called once a decision."""

    def read_choice(self, choices: Choices, response: Any) -> int:
        """The option that a response of the seat to decide chooses; raises Fault."""

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """The move that its response makes; raises Fault."""

    def choice(self, option: int) -> Any:
        """The response that chooses an option."""

    def move(self, cards: NDArray[np.uint8]) -> Any:
        """The response that makes a move [most] of the seat to decide."""

    def note(self, seat: int, response: Any) -> None:
        """This is about to happen."""

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """What is displayed when it has happened."""

    def scores(self) -> list[int]:
        """What the round, which is over, was worth to each seat."""


@dataclass(frozen=True)
class Dialect:
    """How rounds of one game are begun; ``remember`` and ``known`` are for what a match hands on to the next round."""

    fits: Callable[[Rules], bool]  # whether a folder has what the requests speak of
    numbers: Callable[[Rules], Numbers]
    begin: Callable[[Rules, Tables, Cards], Round]
    keys: tuple[str, ...] = ()  # of initdata, besides the cards and the seed
    remember: Callable[[Rules, Mapping[str, Any], NDArray[np.int16]], None] = field(
        default=lambda rules, initdata, fluents: None
    )  # writes what initdata says into the fluents [slots] of a round to come; raises GameError
    known: Callable[[Rules, Tables], dict[str, Any]] = field(
        default=lambda rules, tables: {}
    )  # and the other way round: initdata of the round that begins, or would begin, at a table


def dialect_of(rules: Rules) -> Dialect:
    """Who speaks for a folder; raises GameError where nobody does."""
    from abl_cards.platforms.botzone.landlord import LANDLORD_GAME

    found = next((each for each in (LANDLORD_GAME,) if each.fits(rules)), None)
    if found is None:
        raise GameError(f"{rules.folder.name} says platform(botzone), and has not what Botzone's requests speak of")
    return found
