"""Client written from rules/guandan.md alone, which tracks the game itself and checks every message.

It uses none of the project's code. Its choices follow a simple heuristic that keeps matches short.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import connect

RANKS = "23456789TJQKA"
RANK_ORDER = [*RANKS, "B", "R"]
PASS = ["PASS", "PASS", "PASS"]
TYPES = {
    "Single": 1, "Pair": 2, "Trips": 3, "ThreePair": 6, "ThreeWithTwo": 5, "TwoTrips": 6, "Straight": 5,
    "StraightFlush": 5,
}  # fmt: skip
FIELDS = {
    ("notify", "beginning"): {"handCards", "myPos"},
    ("notify", "tribute"): {"result"},
    ("notify", "anti-tribute"): {"antiNum", "antiNums", "antiPos"},
    ("notify", "back"): {"result"},
    ("notify", "play"): {"curPos", "curAction", "greaterPos", "greaterAction"},
    ("notify", "episodeOver"): {"order", "curRank", "restCards"},
    ("notify", "gameOver"): {"curTimes", "settingTimes"},
    ("notify", "gameResult"): {"victoryNum", "draws"},
}
ACT = {
    "handCards", "publicInfo", "selfRank", "oppoRank", "curRank", "curPos", "curAction", "greaterPos", "greaterAction",
    "actionList", "indexRange",
}  # fmt: skip
FOLLOWS = {
    "": {"beginning"},
    "beginning": {"tribute", "anti-tribute", "play"},
    "anti-tribute": {"play"},
    "tribute": {"back"},
    "back": {"play"},
    "play": {"play", "episodeOver"},
    "episodeOver": {"beginning", "gameOver"},
    "gameOver": {"beginning", "gameResult"},
}
"""Notifications that may follow a notification."""


def sort_key(card: str, level: str) -> tuple[int, int]:
    """Return the sort key of a card in a hand."""
    rank = "ABR".find(card[1]) if card in ("SB", "HR") else -1
    if rank > 0:
        return 14 + rank, 0
    return (13 if card[1] == level else RANKS.index(card[1])), "SHCD".index(card[0])


@dataclass
class PlainClient:
    """Client at one seat, with its own state of the game."""

    url: str
    strong: bool = True  # if False, it passes whenever it may
    seat: int = -1
    hand: list[str] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    areas: list[Any] = field(default_factory=list)
    current: tuple[int, Any] = (-1, None)
    greater: tuple[int, Any] = (-1, None)
    finished: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  # of the previous episode
    payers: list[int] = field(default_factory=list)
    level: str = ""
    stage: str = ""  # of the latest notification
    games: int = 0
    episodes: int = 0
    answers: int = 0
    result: dict[str, Any] = field(default_factory=dict)

    async def run(self) -> PlainClient:
        """Play until the server closes."""
        async with connect(self.url, compression=None, proxy=None) as connection:
            async for frame in connection:
                assert isinstance(frame, str), "a text frame"
                message = json.loads(frame)
                if message["type"] == "act":
                    await connection.send(json.dumps({"actIndex": self.act(message)}))
                else:
                    self.note(message)
        assert self.stage == "gameResult"
        return self

    # --- notifications -----------------------------------------------------------------------------------------------

    def note(self, message: dict[str, Any]) -> None:
        kind, stage = message.pop("type"), message.pop("stage")
        assert set(message) == FIELDS[kind, stage]
        assert stage in FOLLOWS[self.stage], f"{stage} after {self.stage}"
        self.stage = stage
        getattr(self, f"note_{stage.replace('-', '_')}")(**message)

    def note_beginning(self, handCards: list[str], myPos: int) -> None:
        assert self.seat in (-1, myPos)
        assert len(handCards) == 27
        self.seat, self.hand = myPos, handCards
        self.rest, self.areas, self.finished = [27] * 4, [None] * 4, []
        self.current = self.greater = (-1, None)
        self.level, self.payers = "", []
        self.episodes += 1

    def note_tribute(self, result: list[list[Any]]) -> None:
        double = (self.order[0] + self.order[1]) % 2 == 0
        self.payers = [giver for giver, _, _ in result]
        assert self.payers == ([self.order[3], self.order[2]] if double else [self.order[3]])
        assert {taker for _, taker, _ in result} == set(self.order[: len(result)])
        self.move(result)

    def note_anti_tribute(self, antiNum: int, antiNums: int, antiPos: list[int]) -> None:
        assert antiNum == antiNums == len(antiPos)
        assert set(antiPos) <= set(self.order[2:])

    def note_back(self, result: list[list[Any]]) -> None:
        assert [taker for _, taker, _ in result] == self.payers
        self.move(result)

    def move(self, exchanged: list[list[Any]]) -> None:
        for giver, taker, card in exchanged:
            self.rest[giver] -= 1
            self.rest[taker] += 1
            if giver == self.seat:
                self.hand.remove(card)
            if taker == self.seat:
                self.hand.append(card)

    def note_play(self, curPos: int, curAction: Any, greaterPos: int, greaterAction: Any) -> None:
        self.current, self.areas[curPos] = (curPos, curAction), curAction
        if curAction != PASS:
            self.greater = (curPos, curAction)
            self.rest[curPos] -= len(curAction[2])
            if curPos == self.seat:
                for card in curAction[2]:
                    self.hand.remove(card)
            if self.rest[curPos] == 0:
                self.finished.append(curPos)
        assert (greaterPos, greaterAction) == self.greater

    def note_episodeOver(self, order: list[int], curRank: str, restCards: list[Any]) -> None:
        assert sorted(order) == [0, 1, 2, 3]
        assert order[: len(self.finished)] == self.finished
        assert self.level in ("", curRank)
        assert [(seat, len(cards)) for seat, cards in restCards] == [
            (seat, count) for seat, count in enumerate(self.rest) if count
        ]
        self.order = order

    def note_gameOver(self, curTimes: int, settingTimes: int) -> None:
        self.games += 1
        assert self.games == curTimes <= settingTimes

    def note_gameResult(self, victoryNum: list[int], draws: list[int]) -> None:
        assert victoryNum[:2] == victoryNum[2:]
        assert len(set(draws)) == 1
        assert victoryNum[0] + victoryNum[1] + draws[0] == self.games
        self.result = {"victoryNum": victoryNum, "draws": draws}

    # --- requests ----------------------------------------------------------------------------------------------------

    def act(self, message: dict[str, Any]) -> int:
        """Check a request and choose."""
        kind, stage = message.pop("type"), message.pop("stage")
        assert (kind, set(message)) == ("act", ACT)
        self.level = message["curRank"]
        assert self.level in (message["selfRank"], message["oppoRank"])
        cards, actions = message["handCards"], message["actionList"]
        assert cards == sorted(cards, key=lambda card: sort_key(card, self.level))
        assert message["indexRange"] == len(actions) - 1 >= 0
        assert all(count <= 2 for count in map(cards.count, cards))
        self.answers += 1
        if stage == "play":
            return self.play(message, actions)
        assert (message["curPos"], message["curAction"], message["greaterPos"], message["greaterAction"]) == (
            -1, None, -1, None,
        )  # fmt: skip
        return self.give(stage, cards, actions)

    def play(self, message: dict[str, Any], actions: list[Any]) -> int:
        assert sorted(message["handCards"]) == sorted(self.hand)
        public = [{"rest": rest, "playArea": area} for rest, area in zip(self.rest, self.areas, strict=True)]
        assert message["publicInfo"] == public
        leads = message["greaterPos"] == -1
        for name, (seat, action) in (("cur", self.current), ("greater", self.greater)):
            position = message[f"{name}Pos"], message[f"{name}Action"]
            assert position == ((-1, None) if leads else (seat, action))
        assert (PASS in actions) == (not leads)
        if not leads:
            assert actions[0] == PASS
        for action in actions:
            self.check(action, None if leads else self.greater[1])
        assert len({(kind, rank, *cards) for kind, rank, cards in actions}) == len(actions)
        return self.choose(actions, leads)

    def check(self, action: Any, rival: Any) -> None:
        """Check that a play has cards of the hand, its size, and the rival's type or that of a bomb."""
        if action == PASS:
            return
        kind, _, cards = action
        assert all(cards.count(card) <= self.hand.count(card) for card in cards)
        assert 4 <= len(cards) <= 10 if kind == "Bomb" else len(cards) == TYPES[kind]
        assert rival is None or kind in (rival[0], "Bomb", "StraightFlush")

    def choose(self, actions: list[Any], leads: bool) -> int:
        if not self.strong:
            return 0
        if not leads:
            partner = self.greater[0] == (self.seat + 2) % 4
            return 0 if partner or len(actions) == 1 else 1
        plain = [n for n, action in enumerate(actions) if action[0] not in ("Bomb", "StraightFlush")]
        return max(plain or range(len(actions)), key=lambda number: (len(actions[number][2]), -number))

    def give(self, stage: str, cards: list[str], actions: list[Any]) -> int:
        assert all(action[:2] == [stage, stage] for action in actions)
        offered = [action[2][0] for action in actions]
        wild = f"H{self.level}"
        if stage == "tribute":
            natural = [card for card in cards if card != wild]
            best = [card for card in natural if sort_key(card, self.level)[0] == sort_key(natural[-1], self.level)[0]]
            assert offered == list(dict.fromkeys(best))
        else:
            assert len(cards) == 28
            low = [card for card in cards if card[1] in "23456789T" and card[1] != self.level]
            assert not low or offered == list(dict.fromkeys(low))
        return 0
