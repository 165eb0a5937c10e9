"""Plain protocol: host tables of any rule folder, and play at such tables.

Events and requests are JSON objects, one per frame. A request is
``{"type":"act","seat","stage","state","actionList","indexRange"}``: the state contains all that the seat sees, in the
form that ``abl-cards legal`` reads, so a client needs no memory. The answer is ``{"actIndex": n}``. Notifications are
``{"type":"notify","stage":…}``: ``beginning`` (game, profile, seat, seats, hand), ``draw`` (seat, and card for that
seat alone), ``play`` (seat, play), ``choice`` (seat, of, choice), ``episodeOver`` (order, points), ``gameOver``
(curTimes, settingTimes), ``gameResult`` (wins by seat, draws).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, game_names
from abl_cards.games.tables import (
    Action,
    Choices,
    DecisionPoint,
    Decisions,
    Listener,
    ListenerList,
    Tables,
    card_drawn,
    is_play_decision,
)
from abl_cards.games.types import DRAW, ONLY_TABLE, Indices, Moves
from abl_cards.protocols.common import (
    DEFAULT_CHOICE,
    ChoiceRequest,
    ClientSession,
    DecisionMaker,
    HostSession,
    JoinRejectedError,
    JoinRequest,
    Message,
    Notification,
    RemoteProtocol,
    Reply,
    SessionResult,
    complete_url,
    read_act_index,
)

PLAIN_DIALECT = "plain"
PLAIN_PORT = 23456


class PlainDealer:
    """Hosted table of the plain protocol; implements HostSession and Listener."""

    def __init__(self, engine: Engine, num_games: int, listener: Listener | None = None) -> None:
        """Make a table for a number of games; an additional listener is notified of its events."""
        self.tables = Tables(engine.rules, 1, ListenerList((self, listener)) if listener else self)
        self._engine, self._num_games, self._game, self._rotation = engine, num_games, 0, 0
        self._seats = engine.rules.seating.seats
        self._notifications: list[Notification] = []

    @property
    def seat(self) -> int:
        """Player to decide."""
        return self.player_at(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """Index of the team of players that won the game; DRAW for a draw, -1 before the end."""
        winner = int(self.tables.winner[0])
        if winner in (DRAW, -1):
            return winner
        teams = self._engine.teams.tolist()
        return int(teams[self.player_at(teams.index(winner))])

    def player_at(self, table_seat: int) -> int:
        """Return the player at a seat of the table in the current game."""
        return (table_seat + self._rotation) % self._seats

    def start_game(self, key: np.uint64, is_rotated: bool) -> None:
        """Deal a game, with the cards rotated by one seat if wanted."""
        self._game += 1
        self._rotation = int(is_rotated)
        self.tables.begin_match(ONLY_TABLE, np.array([key], np.uint64))

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""
        notifications, self._notifications = self._notifications, []
        return notifications

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """Return the notifications of the result of all games."""
        by_seat = [int(wins[team]) for team in self._engine.teams.tolist()]
        self._notify_all({"type": "notify", "stage": "gameResult", "victoryNum": by_seat, "draws": int(draws)})
        return self.pop_notifications()

    # --- requests ----------------------------------------------------------------------------------------------------

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""
        tables = self.tables
        decision = tables.decisions(ONLY_TABLE) if tables.rows_to_play().size else tables.choices(ONLY_TABLE)
        decision_point = self._engine.decision_point_at(decision)
        actions, lists = decision_point.actions, decision_point.move_lists
        message = {
            "type": "act", "seat": self.seat, "stage": _stage_name(decision_point), "state": dict(decision_point.state),
            "actionList": [action.to_json() for action in actions], "indexRange": len(actions) - 1,
        }  # fmt: skip

        def choose(index: int) -> None:
            if is_play_decision(decision):
                tables.play(ONLY_TABLE, Moves(lists.form[index : index + 1], lists.cards[index : index + 1]))
            else:
                tables.choose(ONLY_TABLE, lists.cards[index : index + 1, 0])

        default = _find_pass(self._engine, message["actionList"]) if is_play_decision(decision) else DEFAULT_CHOICE
        return ChoiceRequest(self.seat, message, len(actions), choose, default)

    # --- events ------------------------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Send each player its cards."""
        rules, game = self._engine.rules, self._engine.game
        for table_seat in range(self._seats):
            seat = self.player_at(table_seat)
            self._notifications.append(Notification(seat, {
                "type": "notify", "stage": "beginning", "game": game, "profile": rules.profile, "seat": seat,
                "seats": self._seats, "hand": rules.card_codes.write_hand(tables.state.hands[0, table_seat]),
            }))  # fmt: skip

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Send all players the seat that has drawn, and that seat alone the card."""
        drawer, (kind,) = self.seat, card_drawn(tables.state, rows)
        for table_seat in range(self._seats):
            seat = self.player_at(table_seat)
            card_field = {"card": self._engine.rules.card_codes.kind_texts[kind]} if seat == drawer else {}
            self._notifications.append(
                Notification(seat, {"type": "notify", "stage": "draw", "seat": drawer, **card_field})
            )

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Send the seat and its choice; secret choices are null."""
        rules = self._engine.rules
        stage = rules.schema.stages[int(tables.state.choice[0])]
        lists = tables.choices(rows).moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == options[0])
        choice = None if stage in rules.secret_stages else self._engine.notate_move(-1, lists.cards[row]).to_json()
        self._notify_all({"type": "notify", "stage": "choice", "seat": self.seat, "of": str(stage), "choice": choice})

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Send a play or a pass."""
        play = self._engine.notate_move(int(moves.form[0]), moves.cards[0]).to_json()
        self._notify_all({"type": "notify", "stage": "play", "seat": self.seat, "play": play})

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Send the order of finish and the points."""
        order = [self.player_at(int(place)) for place in tables.state.finish_order[0] if place >= 0]
        points = [0] * self._seats
        for table_seat, table_points in enumerate(tables.points[0].tolist()):
            points[self.player_at(table_seat)] = table_points
        self._notify_all({"type": "notify", "stage": "episodeOver", "order": order, "points": points})

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Send the end of the game."""
        self._notify_all(
            {"type": "notify", "stage": "gameOver", "curTimes": self._game, "settingTimes": self._num_games}
        )

    def _notify_all(self, message: Message) -> None:
        self._notifications += [Notification(seat, message) for seat in range(self._seats)]


def _find_pass(engine: Engine, action_list: Any) -> int:
    """Return the index of the pass in a list of actions, or else of the default choice."""
    passing = engine.notate_move(engine.rules.forms.pass_form, np.zeros(0, np.uint8)).to_json()
    return action_list.index(passing) if isinstance(action_list, list) and passing in action_list else DEFAULT_CHOICE


class PlainProtocolClient:
    """Client of the plain protocol; implements ClientSession. Requests contain the full state."""

    def __init__(self, engine: Engine) -> None:
        """Make a client that plays by the rules of an engine."""
        self._engine, self._outcome = engine, SessionResult()

    @property
    def result(self) -> SessionResult:
        """Result according to the messages received so far."""
        return self._outcome

    def opening_messages(self) -> list[Message]:
        """Return an empty list: the table sends the first message."""
        return []

    def is_request(self, message: Message) -> bool:
        """Return whether a message requests a choice."""
        return message.get("type") == "act"

    def handle_message(self, message: Message) -> None:
        """Store the seat and the result; raises GameError for a wrong form, JoinRejectedError for other rules."""
        stage, seats = message.get("stage"), self._engine.rules.seating.seats
        if stage == "beginning":
            self._check_rules(message)
            seat = message.get("seat")
            if type(seat) is not int or not 0 <= seat < seats:
                raise GameError(f"seat: {str(seat)[:20]} is not in 0..{seats - 1}", ErrorCode.INVALID_MESSAGE)
            self._outcome = SessionResult(seat=seat)
        elif stage == "gameResult":
            self._read_result(message)

    def _check_rules(self, message: Message) -> None:
        """Reject a table of another game or profile of ours; folders of users may have any name."""
        folder, game, profile = self._engine.rules.folder, message.get("game"), message.get("profile")
        if isinstance(game, str) and self._engine.game in game_names() and game not in folder.record_names:
            raise JoinRejectedError(f"the table plays {game}, the agent {self._engine.game}: give --game {game}")
        if profile in folder.profiles and profile != self._engine.rules.profile:
            raise JoinRejectedError(f"the table plays by the profile '{profile}': give --profile {profile}")

    def _read_result(self, message: Message) -> None:
        wins, draws, seat = message.get("victoryNum"), message.get("draws"), self._outcome.seat or 0
        if (
            not isinstance(wins, list)
            or len(wins) <= seat
            or any(type(count) is not int for count in wins)
            or type(draws) is not int
        ):
            problem = "gameResult: victoryNum must be a list of numbers by seat, draws a number"
            raise GameError(problem, ErrorCode.INVALID_MESSAGE)
        teams = self._engine.teams.tolist()
        wins_of_team = {team: wins[index] for index, team in enumerate(teams) if index < len(wins)}
        self._outcome = SessionResult(seat, sum(wins_of_team.values()) + draws, wins[seat], draws, is_over=True)

    def pop_user_messages(self) -> list[str]:
        """Return an empty list: the protocol has no messages for users."""
        return []

    def pop_records(self) -> list[dict[str, Any]]:
        """Return an empty list: a client does not see all hands."""
        return []

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """Answer a request with the player's choice, or with a pass and the error if it cannot be read."""
        try:
            choice, problem = self._choose(message, player, np.array([key], np.uint64)), None
        except GameError as trouble:
            choice, problem = _find_pass(self._engine, message.get("actionList")), str(trouble)
        return Reply(choice, {"actIndex": choice}, problem)

    def _choose(self, message: Message, player: DecisionMaker, keys: NDArray[np.uint64]) -> int:
        action_list = message.get("actionList")
        if not isinstance(action_list, list) or not action_list:
            raise GameError("actionList: must be a list of actions", ErrorCode.INVALID_MESSAGE)
        state = message.get("state")
        if not isinstance(state, dict):
            raise GameError("state: must be an object", ErrorCode.INVALID_MESSAGE)
        action = self._choose_action(self._engine.read_decision_point(state).decision, player, keys)
        if action.to_json() not in action_list:
            raise GameError(f"{action} is not offered", ErrorCode.INVALID_MESSAGE)
        return action_list.index(action.to_json())

    def _choose_action(self, decision: Decisions | Choices, player: DecisionMaker, keys: NDArray[np.uint64]) -> Action:
        if is_play_decision(decision):
            moves = player.play(decision, keys)
            return self._engine.notate_move(int(moves.form[0]), moves.cards[0])
        choices = cast(Choices, decision)
        option, lists = player.choose(choices, keys), choices.moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == option[0])
        return self._engine.notate_move(-1, lists.cards[row])


def _stage_name(decision_point: DecisionPoint) -> str:
    return "play" if is_play_decision(decision_point.decision) else str(decision_point.state.get("stage"))


class PlainService:
    """Plain protocol; implements RemoteProtocol."""

    dialects = (PLAIN_DIALECT,)
    client_dialects = (PLAIN_DIALECT,)

    def create_host(
        self, engine: Engine, num_games: int, dialect: str, listener: Listener | None = None
    ) -> HostSession:
        """Make a table for a number of games; an additional listener is notified of its events."""
        return PlainDealer(engine, num_games, listener)

    def create_client(self, engine: Engine, dialect: str, request: JoinRequest) -> ClientSession:
        """Make a client; raises GameError if the request names a room, a seat, matches or records."""
        if (request.room, request.seat, request.num_matches) != (None, None, None):
            raise GameError(
                "room, seat and rounds need tables with rooms, which the plain protocol does not have",
                ErrorCode.SETTING_CONFLICT,
            )
        if request.record_episodes:
            raise GameError(
                "clients of the plain protocol do not see all hands, so they cannot write records: use serve --record",
                ErrorCode.SETTING_CONFLICT,
            )
        return PlainProtocolClient(engine)

    def default_port(self, dialect: str) -> int:
        """Return 23456."""
        return PLAIN_PORT

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """Add scheme, port and the path ``/game/NAME`` to an address that lacks them.

        >>> PlainService().complete_url("127.0.0.1", "plain", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        return complete_url(address, PLAIN_PORT, f"/game/{quote(name, safe='')}")

    def read_answer(self, frame: str | bytes, num_choices: int) -> int:
        """Return the index of the choice of an answer; raises InvalidAnswerError."""
        return read_act_index(frame, num_choices)


PROTOCOL: RemoteProtocol = PlainService()
