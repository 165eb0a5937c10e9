"""A seat at somebody else's table: what a player knows from messages alone, and his choice among what he is offered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text, hand_of
from abl_cards.games.game import GameError
from abl_cards.games.guandan.course import LEADING
from abl_cards.games.guandan.decisions import Decisions
from abl_cards.games.guandan.engine import GuandanEngine
from abl_cards.games.guandan.episodes import read_gifts, read_seats
from abl_cards.games.guandan.exchange import Gift
from abl_cards.games.guandan.manners import Manners
from abl_cards.games.guandan.memory import Memory
from abl_cards.games.guandan.wire import RANK_TEXT, Action, State, reading
from abl_cards.games.service import DEFAULT_CHOICE, Message, Outcome, Player, Refused, Reply

_JOKER_BOMB = "FourKings"  # OpenGuanDan's name of it


class GuandanGuest:
    """Hears what is told, and answers what is asked; see Guest."""

    def __init__(self, engine: GuandanEngine, manners: Manners) -> None:
        """A guest who plays by these rules and talks in this manner."""
        self._engine, self._manners = engine, manners
        self._memory = Memory(engine.rules)
        self._outcome = Outcome()

    @property
    def outcome(self) -> Outcome:
        """What is known of the result."""
        return self._outcome

    def greeting(self) -> list[Message]:
        """What is said first."""
        return self._manners.greeting()

    def asks(self, message: Message) -> bool:
        """Whether a message asks for a choice."""
        return self._manners.open(message).get("type") == "act"

    def hear(self, message: Message) -> list[Message]:
        """Take note of a notification; raises GameError where it makes no sense."""
        told = self._manners.open(message)
        note = self._notes.get(str(told.get("stage"))) if told.get("type") == "notify" else None
        if note:
            note(told)
        try:
            return self._manners.react(message)
        except GameError as problem:
            raise problem if self._outcome.seat is not None else Refused(str(problem)) from None

    def reply(self, message: Message, player: Player, key: np.uint64) -> Reply:
        """The player's choice among what is offered."""
        told = self._manners.open(message)
        stage = str(told.get("stage"))
        try:
            choose = self._play if stage == "play" else self._give
            wanted = choose(told, player, np.array([key], np.uint64))
            choice = _find(_offered(told.get("actionList")), wanted)
            problem = None if choice is not None else f"{wanted} is not offered"
        except GameError as trouble:
            choice, problem = None, str(trouble)
        chosen = DEFAULT_CHOICE if choice is None else choice
        return Reply(chosen, self._manners.answer(stage, chosen), problem)

    # --- what is told ------------------------------------------------------------------------------------------------

    @property
    def _notes(self) -> Mapping[str, Callable[[Message], None]]:
        return {
            "beginning": self._note_beginning,
            "tribute": self._note_tribute,
            "back": self._note_back,
            "anti-tribute": self._note_refusal,
            "play": self._note_play,
            "gameOver": self._note_game,
            "gameResult": self._note_result,
        }

    def _note_beginning(self, told: Message) -> None:
        seat = _seat(told, "myPos")
        self._memory.begin(seat)
        self._outcome = replace(self._outcome, seat=seat)

    def _note_tribute(self, told: Message) -> None:
        self._memory.gifts = replace(self._memory.gifts, tribute=_gifts(told))

    def _note_back(self, told: Message) -> None:
        self._memory.gifts = replace(self._memory.gifts, back=_gifts(told))

    def _note_refusal(self, told: Message) -> None:
        with reading("antiPos"):
            self._memory.gifts = replace(self._memory.gifts, anti=read_seats(told.get("antiPos")))

    def _note_play(self, told: Message) -> None:
        action = _action(told.get("curAction"))
        if action:
            self._memory.note(_seat(told, "curPos"), action)

    def _note_game(self, told: Message) -> None:
        self._outcome = replace(self._outcome, games=_number(told, "curTimes"))

    def _note_result(self, told: Message) -> None:
        seat = self._outcome.seat or 0
        wins, draws = (_counts(told, name) for name in ("victoryNum", "draws"))
        self._outcome = replace(self._outcome, wins=wins[seat], draws=draws[seat], over=True)

    # --- what is asked -----------------------------------------------------------------------------------------------

    def _play(self, told: Message, player: Player, keys: NDArray[np.uint64]) -> Action:
        moves = player.play(self._decisions(told), keys)
        return self._engine.action(int(moves.form[0]), moves.cards[0])

    def _decisions(self, told: Message) -> Decisions:
        """The play to decide as our own agents see it."""
        state = _state(told)
        form, owner = LEADING, self._memory.seat
        if state.to_beat is not None:
            form, owner = self._engine.identify(state.level, state.to_beat), _seat(told, "greaterPos")
        return self._memory.decisions(hand_of(state.hand), state.level, form, owner, _rest(told))

    def _give(self, told: Message, player: Player, keys: NDArray[np.uint64]) -> Action:
        """The card to pay or to return, among those offered."""
        stage, state = str(told.get("stage")), _state(told)
        offered = [action for action in map(_action, _offered(told.get("actionList"))) if action]
        if stage not in ("tribute", "back") or not offered or any(len(action.cards) != 1 for action in offered):
            raise GameError(f"{stage[:20]}: a choice is not a single card")
        options = (hand_of(action.cards[0] for action in offered) > 0).astype(np.uint8)
        exchanges = self._memory.exchanges(hand_of(state.hand), state.level, stage == "tribute", options, _rest(told))
        card = int(player.give(exchanges, keys)[0])
        return Action(offered[0].type, offered[0].rank, (card,))


def _state(told: Message) -> State:
    """Hand, level and play to beat of a request."""
    to_beat = _action(told.get("greaterAction"))
    level = told.get("curRank")
    return State.from_json(
        {
            "level": RANK_TEXT[level] if type(level) is int and level in range(2, 15) else level,
            "hand": told.get("handCards"),
            "to_beat": to_beat.to_json() if to_beat else None,
        }
    )


def _gifts(told: Message) -> tuple[Gift, ...]:
    """Who has given whom which card."""
    with reading("result"):
        return read_gifts(told.get("result"))


def _rest(told: Message) -> list[int] | None:
    """The cards that the seats have left, where the request tells."""
    match told.get("publicInfo"):
        case [{"rest": int(a)}, {"rest": int(b)}, {"rest": int(c)}, {"rest": int(d)}]:
            return [a, b, c, d] if all(0 <= each <= 28 for each in (a, b, c, d)) else None
    return None


def _offered(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise GameError("actionList is no list of actions")
    return value


def _find(offered: Sequence[Any], wanted: Action) -> int | None:
    """The number of the action of that type and rank with the same cards, in whatever order.

    Lists may be thousands long: what does not look like the action is not looked into.
    """
    cards = sorted(map(card_text, wanted.cards))
    for number, action in enumerate(offered):
        match _renamed(action):
            case [wanted.type, wanted.rank, list(found)] if sorted(map(str, found)) == cards:
                return number
            case ["PASS", *_] if not cards:
                return number
    return None


def _action(value: Any) -> Action | None:
    """An action of any dialect: lists, the text of a Python list, null or three nulls."""
    if isinstance(value, str):
        value = _from_python(value)
    if value is None or value == [None, None, None]:
        return None
    return Action.from_json(_renamed(value))


def _renamed(value: Any) -> Any:
    """The same action with the contest's name of the joker bomb."""
    return ["Bomb", "JOKER", *value[2:]] if isinstance(value, list) and value[:1] == [_JOKER_BOMB] else value


def _from_python(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise GameError(f"{text[:80]!r} is no action") from None


def _seat(told: Message, name: str) -> int:
    seat = _number(told, name)
    if seat > 3:
        raise GameError(f"{name}: there is no seat {str(seat)[:20]}")
    return seat


def _number(told: Message, name: str) -> int:
    value = told.get(name)
    if type(value) is not int or value < 0:
        raise GameError(f"{name}: {str(value)[:80]} is no number")
    return value


def _counts(told: Message, name: str) -> list[int]:
    value = told.get(name)
    if not isinstance(value, list) or len(value) != 4 or any(type(each) is not int for each in value):
        raise GameError(f"{name}: {str(value)[:80]} is not four numbers")
    return value
