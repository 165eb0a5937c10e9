"""What a game says at tables where other programs sit down, and how it understands other tables.

A platform that has such a protocol exports a ``PROTOCOL``, and a folder names the platform.
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
"""What is chosen for a seat that gives no answer; every protocol lists a harmless choice first."""


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
    """An answer that chooses nothing; ``fault`` says in a word why."""

    def __init__(self, fault: str, message: str) -> None:
        """An answer with this fault, said in one line."""
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
    """One table as its protocol tells it.

    Seats here are those of the players, who keep them for good; in the second game of a pair the cards are turned by a
    seat instead, so that each team gets what the other one had.
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
        """What the player to decide is asked."""

    def pop_notifications(self) -> list[Notification]:
        """What there is to tell, in order; forgets it."""

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """What is told when all games are over; wins [team]."""


class DecisionMaker(Protocol):
    """Whoever decides for a guest: an agent."""

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """One legal move for each decision."""

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """One of the options for each choice."""


class Reply(NamedTuple):
    """What a guest answers, and what was wrong with the question."""

    choice: int
    message: Message
    problem: str | None = None


@dataclass(frozen=True)
class SessionResult:
    """What a guest heard of the result."""

    seat: int | None = None
    games: int = 0
    wins: int = 0
    draws: int = 0
    is_over: bool = False  # the table has said that this was all


@dataclass(frozen=True)
class JoinRequest:
    """How a guest wants to sit down; the seat, the room and the matches only where tables have rooms."""

    agent: str  # what kind of player comes
    name: str | None = None  # None to make one up
    room: str | None = None  # None to create one
    seat: int | None = None
    num_matches: int | None = None  # matches to be played in a room that is created
    record_episodes: bool = False  # the episodes are to be written down


class ClientSession(Protocol):
    """A seat at somebody else's table: it knows what it was told and nothing else."""

    def opening_messages(self) -> list[Message]:
        """What is said first."""

    def handle_message(self, message: Message) -> None:
        """Take note of something that asks for no choice; raises JoinRejectedError where we are not wanted."""

    def pop_user_messages(self) -> list[str]:
        """What the user should know of what was heard; forgets it."""

    def pop_records(self) -> list[dict[str, Any]]:
        """The episodes that have ended, as records; forgets them."""

    def is_request(self, message: Message) -> bool:
        """Whether a message asks for a choice."""

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """The player's choice; a harmless one, and what is the matter, where the question is not understood."""

    @property
    def result(self) -> SessionResult:
        """What is known of the result."""


class RemoteProtocol(Protocol):
    """A game's protocol."""

    @property
    def dialects(self) -> tuple[str, ...]:
        """What a table can speak, the usual one first."""

    @property
    def client_dialects(self) -> tuple[str, ...]:
        """What a guest understands, the usual one first."""

    def create_host(
        self, engine: Engine, num_games: int, dialect: str, listener: Listener | None = None
    ) -> HostSession:
        """A table for so many games; a listener hears what happens there."""

    def create_client(self, engine: Engine, dialect: str, request: JoinRequest) -> ClientSession:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """The full address of a table from what a user writes."""

    def default_port(self, dialect: str) -> int:
        """Where such tables usually stand."""

    def read_answer(self, frame: str | bytes, num_choices: int) -> int:
        """The number of the choice that a client's frame makes; raises InvalidAnswerError."""
