"""Interface of network protocols: host tables for other programs, and play at other tables.

A platform package with a protocol exports it as ``PROTOCOL``; a rule folder names its platform.
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
    """Message to a seat that needs no answer."""

    seat: int
    message: Message


@dataclass(frozen=True)
class ChoiceRequest:
    """Request to a seat to choose one of several options."""

    seat: int
    message: Message
    num_choices: int
    choose: Callable[[int], None]  # makes the choice of an index
    default: int = DEFAULT_CHOICE  # index of the choice that is made without an answer


class InvalidAnswerError(GameError):
    """Invalid answer to a request.

    Attributes:
        fault: Kind of the fault, one of the keys of ``server.results.FAULTS``.
    """

    def __init__(self, fault: str, message: str) -> None:
        """Make an error.

        Args:
            fault: Kind of the fault in one word: ``garbage``, ``null`` or ``range``.
            message: One line for people.
        """
        super().__init__(message, ErrorCode.INVALID_MESSAGE)
        self.fault = fault


class JoinRejectedError(GameError):
    """Rejection of a client by a remote table."""

    def __init__(self, message: str) -> None:
        """Make an error.

        Args:
            message: One line for people, with the reason that the table gives.
        """
        super().__init__(message, ErrorCode.JOIN_REJECTED)


def complete_url(address: str, port: int, path: str) -> str:
    """Complete the address of a table.

    Args:
        address: ``[ws[s]://]HOST[:PORT][/PATH]``.
        port: Port for an address without one.
        path: Path for an address without one, with a leading slash; may be empty.

    Returns:
        The address with scheme, port and path.

    Raises:
        GameError: The text is not the address of a web socket (code ``invalid-address``).
    """
    try:
        parts = urlsplit(address if "://" in address else f"ws://{address}")
        netloc = parts.netloc if parts.port else f"{parts.netloc}:{port}"
    except ValueError as error:
        raise GameError(f"{address[:80]!r} is not an address: {error}", ErrorCode.INVALID_ADDRESS) from None
    if parts.scheme not in ("ws", "wss") or not parts.hostname or not is_hostname(parts.hostname):
        raise GameError(f"{address[:80]!r} is not an address: write ws://HOST:PORT", ErrorCode.INVALID_ADDRESS)
    keeps_path = parts.path.strip("/") or not path
    return urlunsplit(parts._replace(netloc=netloc, path=parts.path if keeps_path else path))


def read_act_index(frame: str | bytes, num_choices: int) -> int:
    """Read an answer ``{"actIndex": n}``.

    Args:
        frame: Frame of a client, JSON text.
        num_choices: Number of choices that the request offers.

    Returns:
        Index of the choice, 0 to ``num_choices - 1``.

    Raises:
        InvalidAnswerError: The frame is not such an answer (fault ``garbage`` or ``null``), or the index is out of
            range (fault ``range``).

    >>> read_act_index('{"actIndex": 2}', 3)
    2
    """
    try:
        answer = json.loads(frame)
    except (ValueError, RecursionError):
        raise InvalidAnswerError("garbage", "not JSON") from None
    if answer is None or (isinstance(answer, dict) and answer.get("actIndex", 0) is None):
        raise InvalidAnswerError("null", "null")
    index = answer.get("actIndex") if isinstance(answer, dict) else None
    if type(index) is not int:
        raise InvalidAnswerError("garbage", 'not {"actIndex": n}')
    if not 0 <= index < num_choices:
        raise InvalidAnswerError("range", f"actIndex is not in 0..{num_choices - 1}")
    return index


class HostSession(Protocol):
    """Protocol of one hosted table.

    Seats in messages are those of the players and stay fixed. In the second game of a pair the cards are rotated by
    one seat, so that each team receives the other team's cards.
    """

    @property
    def tables(self) -> Tables:
        """Hosted table, one row."""

    @property
    def seat(self) -> int:
        """Player to decide."""

    @property
    def winner(self) -> int:
        """Index of the team of players that won the game; DRAW for a draw, -1 before the end."""

    def start_game(self, key: np.uint64, is_rotated: bool) -> None:
        """Deal a game.

        Args:
            key: Random key of the deal.
            is_rotated: True to rotate the cards by one seat.
        """

    def player_at(self, table_seat: int) -> int:
        """Return the player at a seat of the table in the current game.

        Args:
            table_seat: Seat of ``tables``.

        Returns:
            Seat of the player in messages.
        """

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """Return the notifications after the last game.

        Args:
            wins: Games won by each team.
            draws: Games without a winner.
        """


class DecisionMaker(Protocol):
    """Protocol of agents that decide for a client."""

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """Choose a legal move for each decision.

        Args:
            decisions: The n decisions.
            keys: uint64 [n], random keys.

        Returns:
            The n moves.
        """

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Choose a legal option for each choice.

        Args:
            choices: The n choices.
            keys: uint64 [n], random keys.

        Returns:
            uint8 [n], indices of options.
        """


class Reply(NamedTuple):
    """Answer of a client to a request."""

    choice: int  # index of the choice
    message: Message  # answer to send
    problem: str | None = None  # error in the request, for which the choice is the default


@dataclass(frozen=True)
class SessionResult:
    """Result of a match as the client received it."""

    seat: int | None = None
    games: int = 0
    wins: int = 0
    draws: int = 0
    is_over: bool = False  # whether the table has sent the end of the match


@dataclass(frozen=True)
class JoinRequest:
    """Request for a seat at a remote table; seat, room and number of matches apply to tables with rooms only."""

    agent: str  # specification of the agent that plays
    name: str | None = None  # user name; None to generate one
    room: str | None = None  # room to join; None to create one
    seat: int | None = None  # None for any free seat
    num_matches: int | None = None  # matches in a room that is created; None for the default
    record_episodes: bool = False  # whether the client keeps records of the episodes


class ClientSession(Protocol):
    """Protocol of a client at a remote table; its only information is the received messages."""

    def opening_messages(self) -> list[Message]:
        """Return the first messages to send."""

    def handle_message(self, message: Message) -> None:
        """Handle a message that requests no choice.

        Args:
            message: Message of the table.

        Raises:
            JoinRejectedError: The table rejects the client.
            GameError: The message has the wrong form.
        """

    def pop_user_messages(self) -> list[str]:
        """Return pending messages for the user, and clear them."""

    def pop_records(self) -> list[dict[str, Any]]:
        """Return the records of finished episodes, and clear them."""

    def is_request(self, message: Message) -> bool:
        """Return whether a message requests a choice."""

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """Answer a request.

        Args:
            message: Request of the table.
            player: Agent that decides.
            key: Random key of the decision.

        Returns:
            The player's choice, or the default choice with the error if the request cannot be read.
        """

    @property
    def result(self) -> SessionResult:
        """Result according to the messages received so far."""


class RemoteProtocol(Protocol):
    """Network protocol of a game."""

    @property
    def dialects(self) -> tuple[str, ...]:
        """Dialects of hosted tables, the default first."""

    @property
    def client_dialects(self) -> tuple[str, ...]:
        """Dialects of clients, the default first."""

    def create_host(
        self, engine: Engine, num_games: int, dialect: str, listener: Listener | None = None
    ) -> HostSession:
        """Make a table for other programs.

        Args:
            engine: Engine of the game.
            num_games: Number of games to be played.
            dialect: One of ``dialects``.
            listener: Additional listener of the table's events, or None.

        Returns:
            The table, before its first game.

        Raises:
            GameError: The protocol does not support the rules.
        """

    def create_client(self, engine: Engine, dialect: str, request: JoinRequest) -> ClientSession:
        """Make a client of a remote table.

        Args:
            engine: Engine of the game.
            dialect: One of ``client_dialects``.
            request: Requested seat, room and name.

        Returns:
            The client, before its first message.

        Raises:
            GameError: Tables of this dialect do not support the request, or the protocol does not support the rules.
        """

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """Complete the address of a table.

        Args:
            address: ``[ws[s]://]HOST[:PORT][/PATH]``.
            dialect: One of ``client_dialects``.
            name: Name of the client, which some platforms expect in the path.

        Returns:
            The address with scheme, port and path.

        Raises:
            GameError: The text is not the address of a web socket.
        """

    def default_port(self, dialect: str) -> int:
        """Return the default port of tables of a dialect."""

    def read_answer(self, frame: str | bytes, num_choices: int) -> int:
        """Read the answer of a client to a request.

        Args:
            frame: Frame of the client.
            num_choices: Number of choices that the request offers.

        Returns:
            Index of the choice.

        Raises:
            InvalidAnswerError: The frame is not a valid answer.
        """
