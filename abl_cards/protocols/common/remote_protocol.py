"""Interface of network protocols: host tables for other programs, and play at other tables.

A platform with a protocol exports a ``PROTOCOL``; a folder names its platform.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, is_hostname
from abl_cards.games.tables import Listener
from abl_cards.games.types import Moves

if TYPE_CHECKING:
    from abl_cards.games import Engine
    from abl_cards.games.tables import Choices, Decisions, Tables

Message = dict[str, Any]
"""One JSON object of a protocol."""

DEFAULT_CHOICE = 0
"""Choice made for a seat without an answer; every protocol lists a harmless choice first."""


class Notification(NamedTuple):
    """Something to tell a seat."""

    seat: int
    message: Message


@dataclass(frozen=True)
class ChoiceRequest:
    """A seat is to choose one of so many things."""

    seat: int
    message: Message
    num_choices: int
    choose: Callable[[int], None]  # make the choice of that number
    default: int = DEFAULT_CHOICE  # the one that is made for who makes none


class InvalidAnswerError(GameError):
    """Invalid answer to a request; ``fault`` is its kind in one word."""

    def __init__(self, fault: str, message: str) -> None:
        """Make an error of a kind, with a message of one line."""
        super().__init__(message)
        self.fault = fault


class JoinRejectedError(GameError):
    """A table that does not want us."""


def complete_url(address: str, port: int, path: str) -> str:
    """An address with scheme and port, and with this path where it has none; raises GameError for what is none."""
    try:
        parts = urlsplit(address if "://" in address else f"ws://{address}")
        place = parts.netloc if parts.port else f"{parts.netloc}:{port}"
    except ValueError as problem:
        raise GameError(f"{address[:80]!r} is no address: {problem}", ErrorCode.INVALID_ADDRESS) from None
    if parts.scheme not in ("ws", "wss") or not parts.hostname or not is_hostname(parts.hostname):
        raise GameError(f"{address[:80]!r} is no address: write ws://HOST:PORT", ErrorCode.INVALID_ADDRESS)
    own = parts.path.strip("/") or not path
    return urlunsplit(parts._replace(netloc=place, path=parts.path if own else path))


def read_act_index(frame: str | bytes, num_choices: int) -> int:
    """The choice of an answer ``{"actIndex": n}``; raises InvalidAnswerError whose fault is garbage, null or range.

    >>> read_act_index('{"actIndex": 2}', 3)
    2
    """
    try:
        answer = json.loads(frame)
    except (ValueError, RecursionError):
        raise InvalidAnswerError("garbage", "no JSON") from None
    if answer is None or (isinstance(answer, dict) and answer.get("actIndex", 0) is None):
        raise InvalidAnswerError("null", "null")
    index = answer.get("actIndex") if isinstance(answer, dict) else None
    if type(index) is not int:
        raise InvalidAnswerError("garbage", 'no {"actIndex": n}')
    if not 0 <= index < num_choices:
        raise InvalidAnswerError("range", f"actIndex is not in 0..{num_choices - 1}")
    return index


class HostSession(Protocol):
    """One hosted table in terms of its protocol.

    Seats are those of the players, who keep them; in the second game of a pair the cards are rotated by one seat,
    so that each team gets the other team's cards.
    """

    @property
    def tables(self) -> Tables:
        """The one table."""

    @property
    def seat(self) -> int:
        """The player to decide."""

    @property
    def winner(self) -> int:
        """The players' team that won the game, DRAW, or -1 while it runs."""

    def start_game(self, key: np.uint64, is_rotated: bool) -> None:
        """Deal a game from this key."""

    def player_at(self, table_seat: int) -> int:
        """Which player sits on a seat of the tables in this game."""

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """Return the notifications after all games; wins [team]."""


class DecisionMaker(Protocol):
    """An agent that decides for a client."""

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """One legal move for each decision."""

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """One of the options for each choice."""


class Reply(NamedTuple):
    """Answer of a client, and the error in the request, if any."""

    choice: int
    message: Message
    problem: str | None = None


@dataclass(frozen=True)
class SessionResult:
    """Result of a match as the client received it."""

    seat: int | None = None
    games: int = 0
    wins: int = 0
    draws: int = 0
    is_over: bool = False  # the table has said that this was all


@dataclass(frozen=True)
class JoinRequest:
    """Request for a seat; seat, room and number of matches apply to tables with rooms only."""

    agent: str  # what kind of player comes
    name: str | None = None  # None to make one up
    room: str | None = None  # None to create one
    seat: int | None = None
    num_matches: int | None = None  # matches to be played in a room that is created
    record_episodes: bool = False  # the episodes are to be written down


class ClientSession(Protocol):
    """A seat at a remote table, with the received messages as its only information."""

    def opening_messages(self) -> list[Message]:
        """Return the first messages to send."""

    def handle_message(self, message: Message) -> None:
        """Take note of something that asks for no choice; raises JoinRejectedError where we are not wanted."""

    def pop_user_messages(self) -> list[str]:
        """Return pending messages for the user, and clear them."""

    def pop_records(self) -> list[dict[str, Any]]:
        """The episodes that have ended, as records; forgets them."""

    def is_request(self, message: Message) -> bool:
        """Return whether a message requests a choice."""

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """The player's choice; a harmless one, and what is the matter, where the question is not understood."""

    @property
    def result(self) -> SessionResult:
        """Result as far as it is known."""


class RemoteProtocol(Protocol):
    """A game's protocol."""

    @property
    def dialects(self) -> tuple[str, ...]:
        """Dialects of hosted tables, the default first."""

    @property
    def client_dialects(self) -> tuple[str, ...]:
        """Dialects of clients, the default first."""

    def create_host(
        self, engine: Engine, num_games: int, dialect: str, listener: Listener | None = None
    ) -> HostSession:
        """Make a table for a number of games; a listener is notified of its events."""

    def create_client(self, engine: Engine, dialect: str, request: JoinRequest) -> ClientSession:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """The full address of a table from what a user writes."""

    def default_port(self, dialect: str) -> int:
        """Return the usual port of such tables."""

    def read_answer(self, frame: str | bytes, num_choices: int) -> int:
        """The number of the choice that a client's frame makes; raises InvalidAnswerError."""
