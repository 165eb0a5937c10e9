"""The plain protocol: serve any rule folder, and join such tables.

Events and requests are JSON objects, one per frame. A request is
``{"type":"act","seat","stage","state","actionList","indexRange"}``: the state contains all that the seat sees, in the
form that ``abl-cards legal`` reads, so a client needs no memory. The answer is ``{"actIndex": n}``. Notifications are
``{"type":"notify","stage":…}``: ``beginning`` (seat, seats, hand), ``draw`` (seat, and card for that seat alone),
``play`` (seat, play), ``choice`` (seat, of, choice), ``episodeOver`` (order, points), ``gameOver`` (curTimes,
settingTimes), ``gameResult`` (wins by seat, draws).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
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
from abl_cards.games.types import DRAW, Indices, Moves
from abl_cards.protocols.common import (
    DEFAULT_CHOICE,
    ChoiceRequest,
    ClientSession,
    DecisionMaker,
    HostSession,
    JoinRequest,
    Message,
    Notification,
    RemoteProtocol,
    Reply,
    SessionResult,
    complete_url,
    read_act_index,
)

ONLY_TABLE = np.array([0])
PLAIN_DIALECT = "plain"
PLAIN_PORT = 23456


class PlainDealer:
    """One table for a number of games; see HostSession."""

    def __init__(self, engine: Engine, games: int, listener: Listener | None = None) -> None:
        """A table by these rules; somebody else may listen too."""
        self.tables = Tables(engine.rules, 1, ListenerList((self, listener)) if listener else self)
        self._engine, self._games, self._game, self._rotation = engine, games, 0, 0
        self._seats = engine.rules.seating.seats
        self._notifications: list[Notification] = []

    @property
    def seat(self) -> int:
        """The player to decide."""
        return self.player_at(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """The players' team that won, DRAW, or -1 while the game runs."""
        winner = int(self.tables.winner[0])
        if winner in (DRAW, -1):
            return winner
        teams = self._engine.teams.tolist()
        return int(teams[self.player_at(teams.index(winner))])

    def player_at(self, place: int) -> int:
        """Which player sits on a seat of the tables in this game."""
        return (place + self._rotation) % self._seats

    def start_game(self, key: np.uint64, turned: bool) -> None:
        """Deal a game."""
        self._game += 1
        self._rotation = int(turned)
        self.tables.begin_match(ONLY_TABLE, np.array([key], np.uint64))

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""
        told, self._notifications = self._notifications, []
        return told

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """The result of all games."""
        by_seat = [int(wins[team]) for team in self._engine.teams.tolist()]
        self._notify_all({"type": "notify", "stage": "gameResult", "victoryNum": by_seat, "draws": int(draws)})
        return self.pop_notifications()

    # --- what is asked -----------------------------------------------------------------------------------------------

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""
        tables = self.tables
        asked = tables.decisions(ONLY_TABLE) if tables.rows_to_play().size else tables.choices(ONLY_TABLE)
        moment = self._engine.decision_point_at(asked)
        message = {
            "type": "act", "seat": self.seat, "stage": _stage_name(moment), "state": dict(moment.state),
            "actionList": [action.to_json() for action in moment.actions], "indexRange": len(moment.actions) - 1,
        }  # fmt: skip
        lists = moment.move_lists

        def choose(number: int) -> None:
            if is_play_decision(asked):
                tables.play(ONLY_TABLE, Moves(lists.form[number : number + 1], lists.cards[number : number + 1]))
            else:
                tables.choose(ONLY_TABLE, lists.cards[number : number + 1, 0])

        default = _find_pass(self._engine, message["actionList"]) if is_play_decision(asked) else DEFAULT_CHOICE
        return ChoiceRequest(self.seat, message, len(moment.actions), choose, default)

    # --- what happens ------------------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Deal out the cards."""
        letters = self._engine.rules.card_codes
        for place in range(self._seats):
            seat = self.player_at(place)
            self._notifications.append(Notification(seat, {
                "type": "notify", "stage": "beginning", "game": self._engine.game, "seat": seat, "seats": self._seats,
                "hand": letters.write_hand(tables.state.hands[0, place]),
            }))  # fmt: skip

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Tell everybody who has drawn a card, and which one to that seat alone."""
        drawer, (kind,) = self.seat, card_drawn(tables.state, rows)
        for place in range(self._seats):
            seat = self.player_at(place)
            told = {"card": self._engine.rules.card_codes.kind_texts[kind]} if seat == drawer else {}
            self._notifications.append(Notification(seat, {"type": "notify", "stage": "draw", "seat": drawer, **told}))

    def on_choice(self, tables: Tables, rows: Indices, card: NDArray[np.uint8]) -> None:
        """Tell who has chosen, and what, unless the rules hide it."""
        rules = self._engine.rules
        stage = rules.schema.stages[int(tables.state.choice[0])]
        lists = tables.choices(rows).moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == card[0])
        told = None if stage in rules.secret_stages else self._engine.notate_move(-1, lists.cards[row]).to_json()
        self._notify_all({"type": "notify", "stage": "choice", "seat": self.seat, "of": str(stage), "choice": told})

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Tell a play or a pass."""
        play = self._engine.notate_move(int(moves.form[0]), moves.cards[0]).to_json()
        self._notify_all({"type": "notify", "stage": "play", "seat": self.seat, "play": play})

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Tell the order, and the points."""
        order = [self.player_at(int(place)) for place in tables.state.finish_order[0] if place >= 0]
        points = [0] * self._seats
        for place, worth in enumerate(tables.points[0].tolist()):
            points[self.player_at(place)] = worth
        self._notify_all({"type": "notify", "stage": "episodeOver", "order": order, "points": points})

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Tell that the game is over."""
        self._notify_all({"type": "notify", "stage": "gameOver", "curTimes": self._game, "settingTimes": self._games})

    def _notify_all(self, message: Message) -> None:
        self._notifications += [Notification(seat, message) for seat in range(self._seats)]


def _find_pass(engine: Engine, action_list: Any) -> int:
    """The number of the pass where one is offered, else of the first choice: what is done for who does nothing."""
    passing = engine.notate_move(engine.rules.forms.pass_form, np.zeros(0, np.uint8)).to_json()
    return action_list.index(passing) if isinstance(action_list, list) and passing in action_list else DEFAULT_CHOICE


class PlainProtocolClient:
    """A seat at such a table: everything is in the question."""

    def __init__(self, engine: Engine) -> None:
        """A guest who plays by these rules."""
        self._engine, self._outcome = engine, SessionResult()

    @property
    def result(self) -> SessionResult:
        """Result as far as it is known."""
        return self._outcome

    def opening_messages(self) -> list[Message]:
        """Nothing."""
        return []

    def is_request(self, message: Message) -> bool:
        """Return whether a message requests a choice."""
        return message.get("type") == "act"

    def handle_message(self, message: Message) -> None:
        """Take note of the seat and of the result; raises GameError where they make no sense."""
        stage, seats = message.get("stage"), self._engine.rules.seating.seats
        if stage == "beginning":
            seat = message.get("seat")
            if type(seat) is not int or not 0 <= seat < seats:
                raise GameError(f"seat: {str(seat)[:20]} is none of 0 to {seats - 1}", ErrorCode.INVALID_MESSAGE)
            self._outcome = SessionResult(seat=seat)
        elif stage == "gameResult":
            self._read_result(message)

    def _read_result(self, message: Message) -> None:
        wins, draws, seat = message.get("victoryNum"), message.get("draws"), self._outcome.seat or 0
        if not isinstance(wins, list) or len(wins) <= seat or type(wins[seat]) is not int or type(draws) is not int:
            raise GameError("gameResult: victoryNum is a list by seat, draws a number", ErrorCode.INVALID_MESSAGE)
        first = {team: wins[place] for place, team in enumerate(self._engine.teams.tolist()) if place < len(wins)}
        self._outcome = SessionResult(seat, sum(first.values()) + draws, wins[seat], draws, is_over=True)

    def pop_user_messages(self) -> list[str]:
        """Nothing."""
        return []

    def pop_records(self) -> list[dict[str, Any]]:
        """None: a client does not see all hands."""
        return []

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """The player's choice among what is offered."""
        try:
            choice, problem = self._choose(message, player, np.array([key], np.uint64)), None
        except GameError as trouble:
            choice, problem = _find_pass(self._engine, message.get("actionList")), str(trouble)
        return Reply(choice, {"actIndex": choice}, problem)

    def _choose(self, message: Message, player: DecisionMaker, keys: NDArray[np.uint64]) -> int:
        offered = message.get("actionList")
        if not isinstance(offered, list) or not offered:
            raise GameError("actionList: no list of actions", ErrorCode.INVALID_MESSAGE)
        state = message.get("state")
        if not isinstance(state, dict):
            raise GameError("state: no object", ErrorCode.INVALID_MESSAGE)
        wanted = self._choose_action(self._engine.read_decision_point(state).decision, player, keys)
        if wanted.to_json() not in offered:
            raise GameError(f"{wanted} is not offered", ErrorCode.INVALID_MESSAGE)
        return offered.index(wanted.to_json())

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
    """The plain protocol; see RemoteProtocol."""

    dialects = (PLAIN_DIALECT,)
    client_dialects = (PLAIN_DIALECT,)

    def create_host(self, engine: Engine, games: int, dialect: str, listener: Listener | None = None) -> HostSession:
        """Make a table for a number of games; a listener is notified of its events."""
        return PlainDealer(engine, games, listener)

    def create_client(self, engine: Engine, dialect: str, visit: JoinRequest) -> ClientSession:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""
        if (visit.room, visit.seat, visit.num_matches) != (None, None, None):
            raise GameError(
                "room, seat and rounds are for tables with rooms, and the plain protocol has none",
                ErrorCode.SETTING_CONFLICT,
            )
        if visit.record_episodes:
            raise GameError(
                "a plain table lays no hands open, so its guests have no records: let serve --record write",
                ErrorCode.SETTING_CONFLICT,
            )
        return PlainProtocolClient(engine)

    def default_port(self, dialect: str) -> int:
        """Return the usual port of such tables."""
        return PLAIN_PORT

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """Complete an address.

        >>> PlainService().complete_url("127.0.0.1", "plain", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        return complete_url(address, PLAIN_PORT, f"/game/{quote(name, safe='')}")

    def read_answer(self, frame: str | bytes, choices: int) -> int:
        """The choice of an answer; raises InvalidAnswerError."""
        return read_act_index(frame, choices)


PROTOCOL: RemoteProtocol = PlainService()
