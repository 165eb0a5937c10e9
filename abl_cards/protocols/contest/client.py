"""Client of the contest protocol: tracks an episode by messages, and answers requests with an agent."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.notation import error_context
from abl_cards.games.tables import Decisions
from abl_cards.games.types import LEADING
from abl_cards.protocols.common import (
    DEFAULT_CHOICE,
    Card,
    DecisionMaker,
    Message,
    Reply,
    SessionResult,
    format_card,
    hand_from_cards,
    hand_to_cards,
)
from abl_cards.protocols.contest.actions import find_form, to_action
from abl_cards.protocols.contest.codec import (
    BACK,
    RANK_TEXT,
    TRIBUTE,
    ContestAction,
    ContestState,
    read_cards,
    read_level,
)
from abl_cards.protocols.contest.episodes import read_gifts, read_seats
from abl_cards.protocols.contest.fields import read_action_list, read_seat
from abl_cards.protocols.contest.handshake import Handshake
from abl_cards.protocols.contest.match_state import card_options, check_game
from abl_cards.protocols.contest.message_log import EpisodeLog
from abl_cards.protocols.contest.table_view import ContestTableView
from abl_cards.protocols.contest.tribute import Gift

_JOKER_BOMB = "FourKings"  # name of the joker bomb in OpenGuanDan


class ContestClient:
    """Client of the contest protocol: tracks messages and answers requests; implements ClientSession."""

    def __init__(self, engine: Engine, handshake: Handshake) -> None:
        """Make a client with a handshake; raises GameError for rules of another game."""
        check_game(engine.rules)
        self._engine, self._handshake = engine, handshake
        self._table_view = ContestTableView(engine.rules)
        self._episode_log = EpisodeLog({"game": engine.game, "profile": engine.rules.profile})
        self._level: Any = None  # level of the episode according to the last message
        self._user_messages: list[str] = []
        self._outcome = SessionResult()

    @property
    def result(self) -> SessionResult:
        """Result according to the messages received so far."""
        return self._outcome

    def opening_messages(self) -> list[Message]:
        """Return the first messages to send."""
        return self._handshake.opening_messages()

    def is_request(self, message: Message) -> bool:
        """Return whether a message requests a choice."""
        return message.get("type") == "act"

    def handle_message(self, message: Message) -> None:
        """Handle a notification; raises GameError if it has the wrong form."""
        user_message = self._handshake.handle_message(message)
        self._user_messages += [user_message] if user_message else []
        handler = self._handlers.get(str(message.get("stage"))) if message.get("type") == "notify" else None
        if handler:
            handler(message)

    def pop_user_messages(self) -> list[str]:
        """Return pending messages for the user, and clear them."""
        messages, self._user_messages = self._user_messages, []
        return messages

    def pop_records(self) -> list[dict[str, Any]]:
        """Return the records of finished episodes as received, and clear them."""
        return self._episode_log.pop_records()

    def reply(self, message: Message, player: DecisionMaker, key: np.uint64) -> Reply:
        """Answer a request with the player's choice, or with the default and the error if it cannot be read."""
        stage = str(message.get("stage"))
        self._episode_log.set_levels(message.get("selfRank"), message.get("oppoRank"))
        try:
            choose = self._choose_play if stage == "play" else self._choose_card
            action = choose(message, player, np.array([key], np.uint64))
            choice = _find_action(read_action_list(message), action)
            problem = None if choice is not None else f"{action} is not offered"
        except GameError as error:
            choice, problem = None, str(error)
        chosen = DEFAULT_CHOICE if choice is None else choice
        return Reply(chosen, self._handshake.format_answer(message, chosen, self._table_view.seat), problem)

    # --- notifications -----------------------------------------------------------------------------------------------

    @property
    def _handlers(self) -> Mapping[str, Callable[[Message], None]]:
        return {
            "beginning": self._on_beginning,
            "tribute": self._on_tribute,
            "back": self._on_back,
            "anti-tribute": self._on_refusal,
            "play": self._on_play,
            "episodeOver": self._on_episode_over,
            "gameOver": self._on_game_over,
            "gameResult": self._on_result,
        }

    def _on_beginning(self, message: Message) -> None:
        seat = read_seat(message, "myPos")
        self._table_view.begin_episode(seat)
        self._outcome = replace(self._outcome, seat=seat)
        self._level = message.get("levelCard")
        with error_context("handCards"):
            self._episode_log.begin_episode(seat, hand_from_cards(read_cards(message.get("handCards"))))

    def _on_tribute(self, message: Message) -> None:
        self._table_view.exchange = replace(self._table_view.exchange, tribute=_read_gifts(message))

    def _on_back(self, message: Message) -> None:
        self._table_view.exchange = replace(self._table_view.exchange, back=_read_gifts(message))

    def _on_refusal(self, message: Message) -> None:
        with error_context("antiPos"):
            self._table_view.exchange = replace(self._table_view.exchange, anti=read_seats(message.get("antiPos")))

    def _on_play(self, message: Message) -> None:
        action = _read_action(message.get("curAction"))  # some tables send greaterAction as before the play
        if action:
            seat = read_seat(message, "curPos")
            self._table_view.add_action(seat, action)
            self._episode_log.add_play(seat, action)

    def _on_episode_over(self, message: Message) -> None:
        with error_context("order"):
            order = read_seats(message.get("order"))
        with error_context("curRank"):
            level = read_level(_level_text(message.get("curRank", self._level)))
        self._episode_log.end_episode(RANK_TEXT[level], order, message.get("restCards"), self._table_view.exchange)

    def _on_game_over(self, message: Message) -> None:
        self._episode_log.end_match()
        self._on_result(message)

    def _on_result(self, message: Message) -> None:
        self._outcome = self._handshake.update_outcome(message, self._outcome)

    # --- requests ----------------------------------------------------------------------------------------------------

    def _choose_play(self, message: Message, player: DecisionMaker, keys: NDArray[np.uint64]) -> ContestAction:
        moves = player.play(self._read_decisions(message), keys)
        return to_action(self._engine.rules, int(moves.form[0]), moves.cards[0])

    def _read_decisions(self, message: Message) -> Decisions:
        """Return the decision of a request to play, as the project's agents see it."""
        state = self._read_state(message)
        form, owner = LEADING, self._table_view.seat
        if state.to_beat is not None:
            form, owner = find_form(self._engine.rules, state.level, state.to_beat), read_seat(message, "greaterPos")
        return self._table_view.decisions(
            hand_from_cards(state.hand), state.level, form, owner, _read_cards_left(message)
        )

    def _choose_card(self, message: Message, player: DecisionMaker, keys: NDArray[np.uint64]) -> ContestAction:
        """Return the action of the card to pay or to return."""
        stage, state = str(message.get("stage")), self._read_state(message)
        offered = [action for action in map(_read_action, read_action_list(message)) if action]
        if stage not in (TRIBUTE, BACK) or not offered or any(len(action.cards) != 1 for action in offered):
            raise GameError(f"{stage[:20]}: every choice must be a single card", ErrorCode.INVALID_MESSAGE)
        options = (hand_from_cards(action.cards[0] for action in offered) > 0).astype(np.uint8)
        choices = self._table_view.choices(
            hand_from_cards(state.hand), state.level, stage, options, _read_cards_left(message)
        )
        option = int(player.choose(choices, keys)[0])
        card = int(np.flatnonzero(card_options(self._engine.rules) == option)[0])
        return ContestAction(offered[0].type, offered[0].rank, (card,))

    def _read_state(self, message: Message) -> ContestState:
        """Return hand, level and play to beat of a request; missing fields are taken from earlier messages."""
        to_beat = _read_action(message.get("greaterAction"))
        hand = message["handCards"] if "handCards" in message else list(map(format_card, self._current_hand()))
        return ContestState.from_json(
            {
                "level": _level_text(message.get("curRank", self._level)),
                "hand": hand,
                "to_beat": to_beat.to_json() if to_beat and to_beat.cards else None,
            }
        )

    def _current_hand(self) -> list[Card]:
        return hand_to_cards(self._episode_log.current_hand(self._table_view.exchange))


def _level_text(level: Any) -> Any:
    """Return the letter of a level that is a letter or a number 2..14; other values unchanged."""
    return RANK_TEXT[level] if type(level) is int and level in range(2, 15) else level


def _read_gifts(message: Message) -> tuple[Gift, ...]:
    """Return the exchanged cards of a message."""
    with error_context("result"):
        return read_gifts(message.get("result"))


def _read_cards_left(message: Message) -> list[int] | None:
    """Return the numbers of cards left by seat, if the request has them."""
    match message.get("publicInfo"):
        case [{"rest": int(a)}, {"rest": int(b)}, {"rest": int(c)}, {"rest": int(d)}]:
            return [a, b, c, d] if all(0 <= count <= 28 for count in (a, b, c, d)) else None
    return None


def _find_action(offered: Sequence[Any], target: ContestAction) -> int | None:
    """Return the index of an action with equal type, rank and cards in any order, if there is one.

    Lists may have thousands of entries, so cards are compared only where type and rank agree.
    """
    cards = sorted(map(format_card, target.cards))
    for index, action in enumerate(offered):
        match _normalize_action(action):
            case [target.type, target.rank, list(names)] if sorted(map(str, names)) == cards:
                return index
            case ["PASS", *_] if not cards:
                return index
    return None


def _read_action(value: Any) -> ContestAction | None:
    """Return the action of a value in any dialect: a list, the text of a Python list, null or three nulls."""
    if isinstance(value, str):
        value = _parse_python(value)
    if value is None or value == [None, None, None]:
        return None
    return ContestAction.from_json(_normalize_action(value))


def _normalize_action(value: Any) -> Any:
    """Return an action with the contest's name of the joker bomb."""
    return ["Bomb", "JOKER", *value[2:]] if isinstance(value, list) and value[:1] == [_JOKER_BOMB] else value


def _parse_python(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # TypeError: {[]: 1}
        raise GameError(f"{text[:80]!r} is not an action", ErrorCode.INVALID_MESSAGE) from None
