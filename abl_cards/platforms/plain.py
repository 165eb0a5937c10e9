"""The plain protocol: how a folder of rules is served, and how one sits down at such a table.

A client is told what happens, one JSON object a frame, and is asked
``{"type":"act","seat","stage","state","actionList","indexRange"}``: the state is all that the seat sees, in the form
that ``abl-cards legal`` reads, so a client needs no memory. It answers ``{"actIndex": n}``. Notifications are
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

from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Engine, Tables
from abl_cards.games.audience import Audience
from abl_cards.games.moment import Action, Moment, is_play
from abl_cards.games.play.stock import card_drawn
from abl_cards.games.service import (
    DEFAULT_CHOICE,
    Dealer,
    Guest,
    Message,
    News,
    Outcome,
    Player,
    Reply,
    Request,
    Service,
    Visit,
    complete_url,
    read_index,
)
from abl_cards.games.tables import DRAW, Indices, Listener, Moves

HERE = np.array([0])
PLAIN = "plain"
PORT = 23456


class PlainDealer:
    """One table for a number of games; see Dealer."""

    def __init__(self, engine: Engine, games: int, listener: Listener | None = None) -> None:
        """A table by these rules; somebody else may listen too."""
        self.tables = Tables(engine.rules, 1, Audience((self, listener)) if listener else self)
        self._engine, self._games, self._game, self._turned = engine, games, 0, 0
        self._seats = engine.rules.table.seats
        self._news: list[News] = []

    @property
    def seat(self) -> int:
        """The player to decide."""
        return self.player(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """The players' team that won, DRAW, or -1 while the game runs."""
        winner = int(self.tables.winner[0])
        if winner in (DRAW, -1):
            return winner
        teams = self._engine.teams.tolist()
        return int(teams[self.player(teams.index(winner))])

    def player(self, place: int) -> int:
        """Which player sits on a seat of the tables in this game."""
        return (place + self._turned) % self._seats

    def begin(self, key: np.uint64, turned: bool) -> None:
        """Deal a game."""
        self._game += 1
        self._turned = int(turned)
        self.tables.begin_match(HERE, np.array([key], np.uint64))

    def news(self) -> list[News]:
        """What there is to tell, in order; forgets it."""
        told, self._news = self._news, []
        return told

    def farewell(self, wins: Sequence[int], draws: int) -> list[News]:
        """The result of all games."""
        by_seat = [int(wins[team]) for team in self._engine.teams.tolist()]
        self._tell({"type": "notify", "stage": "gameResult", "victoryNum": by_seat, "draws": int(draws)})
        return self.news()

    # --- what is asked -----------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """What the player to decide is asked."""
        tables = self.tables
        asked = tables.decisions(HERE) if tables.playing().size else tables.choices(HERE)
        moment = self._engine.look(asked)
        message = {
            "type": "act", "seat": self.seat, "stage": _stage(moment), "state": dict(moment.state),
            "actionList": [action.to_json() for action in moment.actions], "indexRange": len(moment.actions) - 1,
        }  # fmt: skip
        lists = moment.lists

        def choose(number: int) -> None:
            if is_play(asked):
                tables.play(HERE, Moves(lists.form[number : number + 1], lists.cards[number : number + 1]))
            else:
                tables.choose(HERE, lists.cards[number : number + 1, 0])

        default = _pass_among(self._engine, message["actionList"]) if is_play(asked) else DEFAULT_CHOICE
        return Request(self.seat, message, len(moment.actions), choose, default)

    # --- what happens ------------------------------------------------------------------------------------------------

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Deal out the cards."""
        letters = self._engine.rules.letters
        for place in range(self._seats):
            seat = self.player(place)
            self._news.append(News(seat, {
                "type": "notify", "stage": "beginning", "game": self._engine.game, "seat": seat, "seats": self._seats,
                "hand": letters.hand(tables.state.hands[0, place]),
            }))  # fmt: skip

    def drew(self, tables: Tables, which: Indices) -> None:
        """Tell everybody who has drawn a card, and which one to that seat alone."""
        drawer, (kind,) = self.seat, card_drawn(tables.state, which)
        for place in range(self._seats):
            seat = self.player(place)
            told = {"card": self._engine.rules.letters.texts[kind]} if seat == drawer else {}
            self._news.append(News(seat, {"type": "notify", "stage": "draw", "seat": drawer, **told}))

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Tell who has chosen, and what, unless the rules hide it."""
        rules = self._engine.rules
        stage = rules.words.stages[int(tables.state.choice[0])]
        lists = tables.choices(which).moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == card[0])
        told = None if stage in rules.secret else self._engine.action(-1, lists.cards[row]).to_json()
        self._tell({"type": "notify", "stage": "choice", "seat": self.seat, "of": str(stage), "choice": told})

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Tell a play or a pass."""
        play = self._engine.action(int(moves.form[0]), moves.cards[0]).to_json()
        self._tell({"type": "notify", "stage": "play", "seat": self.seat, "play": play})

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Tell the order, and the points."""
        order = [self.player(int(place)) for place in tables.state.order[0] if place >= 0]
        points = [0] * self._seats
        for place, worth in enumerate(tables.points[0].tolist()):
            points[self.player(place)] = worth
        self._tell({"type": "notify", "stage": "episodeOver", "order": order, "points": points})

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """Tell that the game is over."""
        self._tell({"type": "notify", "stage": "gameOver", "curTimes": self._game, "settingTimes": self._games})

    def _tell(self, message: Message) -> None:
        self._news += [News(seat, message) for seat in range(self._seats)]


def _pass_among(engine: Engine, offered: Any) -> int:
    """The number of the pass where one is offered, else of the first choice: what is done for who does nothing."""
    passing = engine.action(engine.rules.forms.passing, np.zeros(0, np.uint8)).to_json()
    return offered.index(passing) if isinstance(offered, list) and passing in offered else DEFAULT_CHOICE


class PlainGuest:
    """A seat at such a table: everything is in the question."""

    def __init__(self, engine: Engine) -> None:
        """A guest who plays by these rules."""
        self._engine, self._outcome = engine, Outcome()

    @property
    def outcome(self) -> Outcome:
        """What is known of the result."""
        return self._outcome

    def greeting(self) -> list[Message]:
        """Nothing."""
        return []

    def asks(self, message: Message) -> bool:
        """Whether a message asks for a choice."""
        return message.get("type") == "act"

    def hear(self, message: Message) -> None:
        """Take note of the seat and of the result; raises GameError where they make no sense."""
        stage, seats = message.get("stage"), self._engine.rules.table.seats
        if stage == "beginning":
            seat = message.get("seat")
            if type(seat) is not int or not 0 <= seat < seats:
                raise GameError(f"seat: {str(seat)[:20]} is none of 0 to {seats - 1}")
            self._outcome = Outcome(seat=seat)
        elif stage == "gameResult":
            self._conclude(message)

    def _conclude(self, message: Message) -> None:
        wins, draws, seat = message.get("victoryNum"), message.get("draws"), self._outcome.seat or 0
        if not isinstance(wins, list) or len(wins) <= seat or type(wins[seat]) is not int or type(draws) is not int:
            raise GameError("gameResult: victoryNum is a list by seat, draws a number")
        first = {team: wins[place] for place, team in enumerate(self._engine.teams.tolist()) if place < len(wins)}
        self._outcome = Outcome(seat, sum(first.values()) + draws, wins[seat], draws, over=True)

    def remarks(self) -> list[str]:
        """Nothing."""
        return []

    def records(self) -> list[dict[str, Any]]:
        """None: a client does not see all hands."""
        return []

    def reply(self, message: Message, player: Player, key: np.uint64) -> Reply:
        """The player's choice among what is offered."""
        try:
            choice, problem = self._choose(message, player, np.array([key], np.uint64)), None
        except GameError as trouble:
            choice, problem = _pass_among(self._engine, message.get("actionList")), str(trouble)
        return Reply(choice, {"actIndex": choice}, problem)

    def _choose(self, message: Message, player: Player, keys: NDArray[np.uint64]) -> int:
        offered = message.get("actionList")
        if not isinstance(offered, list) or not offered:
            raise GameError("actionList: no list of actions")
        state = message.get("state")
        if not isinstance(state, dict):
            raise GameError("state: no object")
        wanted = self._wanted(self._engine.moment(state).decision, player, keys)
        if wanted.to_json() not in offered:
            raise GameError(f"{wanted} is not offered")
        return offered.index(wanted.to_json())

    def _wanted(self, decision: Decisions | Choices, player: Player, keys: NDArray[np.uint64]) -> Action:
        if is_play(decision):
            moves = player.play(decision, keys)
            return self._engine.action(int(moves.form[0]), moves.cards[0])
        choices = cast(Choices, decision)
        option, lists = player.choose(choices, keys), choices.moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == option[0])
        return self._engine.action(-1, lists.cards[row])


def _stage(moment: Moment) -> str:
    return "play" if is_play(moment.decision) else str(moment.state.get("stage"))


class PlainService:
    """The plain protocol; see Service."""

    dialects = (PLAIN,)
    guest_dialects = (PLAIN,)

    def dealer(self, engine: Engine, games: int, dialect: str, listener: Listener | None = None) -> Dealer:
        """A table for so many games; a listener hears what happens there."""
        return PlainDealer(engine, games, listener)

    def guest(self, engine: Engine, dialect: str, visit: Visit) -> Guest:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""
        if (visit.room, visit.seat, visit.rounds) != (None, None, None):
            raise GameError("room, seat and rounds are for tables with rooms, and the plain protocol has none")
        if visit.recorded:
            raise GameError("a plain table lays no hands open, so its guests have no records: let serve --record write")
        return PlainGuest(engine)

    def port(self, dialect: str) -> int:
        """Where such tables usually stand."""
        return PORT

    def url(self, address: str, dialect: str, name: str) -> str:
        """Complete an address.

        >>> PlainService().url("127.0.0.1", "plain", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        return complete_url(address, PORT, f"/game/{quote(name, safe='')}")

    def read_answer(self, frame: str | bytes, choices: int) -> int:
        """The choice of an answer; raises BadAnswer."""
        return read_index(frame, choices)


SERVICE: Service = PlainService()
