"""A seat at somebody else's table: what a player knows from messages alone, and his choice among what he is offered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import Card, card_text, cards_of, hand_of
from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine
from abl_cards.games.service import DEFAULT_CHOICE, Message, Outcome, Player, Reply
from abl_cards.games.tables import LEADING
from abl_cards.games.words.fields import reading
from abl_cards.platforms.contest.actions import action_of, identify
from abl_cards.platforms.contest.diary import Diary
from abl_cards.platforms.contest.episodes import read_gifts, read_seats
from abl_cards.platforms.contest.fields import offered_of, seat_of
from abl_cards.platforms.contest.gifts import Gift
from abl_cards.platforms.contest.manners import Manners
from abl_cards.platforms.contest.memory import Memory
from abl_cards.platforms.contest.standings import check_game, options_of
from abl_cards.platforms.contest.wire import BACK, RANK_TEXT, TRIBUTE, Action, State, read_cards, read_level

_JOKER_BOMB = "FourKings"  # OpenGuanDan's name of it


class ContestGuest:
    """Hears what is told, and answers what is asked; see Guest."""

    def __init__(self, engine: Engine, manners: Manners) -> None:
        """A guest who plays by these rules and talks in this manner."""
        check_game(engine.rules)
        self._engine, self._manners = engine, manners
        self._memory = Memory(engine.rules)
        self._diary = Diary({"game": engine.game, "profile": engine.rules.profile})
        self._level: Any = None  # of the episode, as the table last told it
        self._remarks: list[str] = []
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
        return message.get("type") == "act"

    def hear(self, message: Message) -> None:
        """Take note of a notification; raises GameError where it makes no sense."""
        remark = self._manners.note(message)
        self._remarks += [remark] if remark else []
        note = self._notes.get(str(message.get("stage"))) if message.get("type") == "notify" else None
        if note:
            note(message)

    def remarks(self) -> list[str]:
        """What the user should know; forgets it."""
        said, self._remarks = self._remarks, []
        return said

    def records(self) -> list[dict[str, Any]]:
        """The episodes that have ended, as they were heard; forgets them."""
        return self._diary.records()

    def reply(self, message: Message, player: Player, key: np.uint64) -> Reply:
        """The player's choice among what is offered."""
        stage = str(message.get("stage"))
        self._diary.note_ranks(message.get("selfRank"), message.get("oppoRank"))
        try:
            choose = self._play if stage == "play" else self._give
            wanted = choose(message, player, np.array([key], np.uint64))
            choice = _find(offered_of(message), wanted)
            problem = None if choice is not None else f"{wanted} is not offered"
        except GameError as trouble:
            choice, problem = None, str(trouble)
        chosen = DEFAULT_CHOICE if choice is None else choice
        return Reply(chosen, self._manners.answer(message, chosen, self._memory.seat), problem)

    # --- what is told ------------------------------------------------------------------------------------------------

    @property
    def _notes(self) -> Mapping[str, Callable[[Message], None]]:
        return {
            "beginning": self._note_beginning,
            "tribute": self._note_tribute,
            "back": self._note_back,
            "anti-tribute": self._note_refusal,
            "play": self._note_play,
            "episodeOver": self._note_episode,
            "gameOver": self._note_game,
            "gameResult": self._note_result,
        }

    def _note_beginning(self, told: Message) -> None:
        seat = seat_of(told, "myPos")
        self._memory.begin(seat)
        self._outcome = replace(self._outcome, seat=seat)
        self._level = told.get("levelCard")
        with reading("handCards"):
            self._diary.begin(seat, hand_of(read_cards(told.get("handCards"))))

    def _note_tribute(self, told: Message) -> None:
        self._memory.gifts = replace(self._memory.gifts, tribute=_gifts(told))

    def _note_back(self, told: Message) -> None:
        self._memory.gifts = replace(self._memory.gifts, back=_gifts(told))

    def _note_refusal(self, told: Message) -> None:
        with reading("antiPos"):
            self._memory.gifts = replace(self._memory.gifts, anti=read_seats(told.get("antiPos")))

    def _note_play(self, told: Message) -> None:
        action = _action(told.get("curAction"))  # not greaterAction: some tables tell it as it was before the play
        if action:
            seat = seat_of(told, "curPos")
            self._memory.note(seat, action)
            self._diary.note_play(seat, action)

    def _note_episode(self, told: Message) -> None:
        with reading("order"):
            order = read_seats(told.get("order"))
        with reading("curRank"):
            level = read_level(_level_text(told.get("curRank", self._level)))
        self._diary.end(RANK_TEXT[level], order, told.get("restCards"), self._memory.gifts)

    def _note_game(self, told: Message) -> None:
        self._diary.end_match()
        self._note_result(told)

    def _note_result(self, told: Message) -> None:
        self._outcome = self._manners.conclude(told, self._outcome)

    # --- what is asked -----------------------------------------------------------------------------------------------

    def _play(self, told: Message, player: Player, keys: NDArray[np.uint64]) -> Action:
        moves = player.play(self._decisions(told), keys)
        return action_of(self._engine.rules, int(moves.form[0]), moves.cards[0])

    def _decisions(self, told: Message) -> Decisions:
        """The play to decide as our own agents see it."""
        state = self._state(told)
        form, owner = LEADING, self._memory.seat
        if state.to_beat is not None:
            form, owner = identify(self._engine.rules, state.level, state.to_beat), seat_of(told, "greaterPos")
        return self._memory.decisions(hand_of(state.hand), state.level, form, owner, _rest(told))

    def _give(self, told: Message, player: Player, keys: NDArray[np.uint64]) -> Action:
        """The card to pay or to return, among those offered."""
        stage, state = str(told.get("stage")), self._state(told)
        offered = [action for action in map(_action, offered_of(told)) if action]
        if stage not in (TRIBUTE, BACK) or not offered or any(len(action.cards) != 1 for action in offered):
            raise GameError(f"{stage[:20]}: a choice is not a single card")
        options = (hand_of(action.cards[0] for action in offered) > 0).astype(np.uint8)
        choices = self._memory.choices(hand_of(state.hand), state.level, stage, options, _rest(told))
        option = int(player.choose(choices, keys)[0])
        card = int(np.flatnonzero(options_of(self._engine.rules) == option)[0])
        return Action(offered[0].type, offered[0].rank, (card,))

    def _state(self, told: Message) -> State:
        """Hand, level and play to beat of a request; what it leaves out is known from before."""
        to_beat = _action(told.get("greaterAction"))
        hand = told["handCards"] if "handCards" in told else list(map(card_text, self._hand()))
        return State.from_json(
            {
                "level": _level_text(told.get("curRank", self._level)),
                "hand": hand,
                "to_beat": to_beat.to_json() if to_beat and to_beat.cards else None,
            }
        )

    def _hand(self) -> list[Card]:
        return cards_of(self._diary.hand(self._memory.gifts))


def _level_text(level: Any) -> Any:
    """Levels come as letters or as numbers 2..14."""
    return RANK_TEXT[level] if type(level) is int and level in range(2, 15) else level


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
