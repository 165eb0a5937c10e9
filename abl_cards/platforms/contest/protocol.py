"""The messages of the contest protocol: pure functions from a table to JSON objects.

Seats in messages are those of the players. In the second game of a pair the cards are turned by a seat, so that each
team gets what the other one had: player ``s`` then sits at place ``s + 1`` of the table, and keeps his number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abl_cards.cards import card_text
from abl_cards.games import Tables
from abl_cards.games.service import Message
from abl_cards.platforms.contest.gifts import Gift
from abl_cards.platforms.contest.standings import level_at, standing
from abl_cards.platforms.contest.wire import RANK_TEXT, Action, hand_texts

SEATS = range(4)
PLAIN, WITH_LEVELS = "A", "C"
"""Dialects: that of the contest, and DanZero's, where ``beginning`` tells the levels as numbers."""


@dataclass(frozen=True)
class View:
    """A table of Guandan as the players know it."""

    tables: Tables
    table: int = 0
    turned: int = 0  # seats by which the cards are turned

    def place(self, seat: int) -> int:
        """Where at the table a player sits."""
        return (seat + self.turned) % 4

    def seat(self, place: int) -> int:
        """Which player sits there."""
        return (int(place) - self.turned) % 4

    @property
    def level(self) -> int:
        """The rank 2..14 that is played."""
        return level_at(self.tables, self.table)

    def standing(self, seat: int) -> tuple[int, int]:
        """The levels of a player's team and of the other one."""
        ladder = standing(self.tables.rules, self.tables.state.fluents[[self.table]])[0]
        mine = self.place(seat) % 2
        return int(ladder[mine]), int(ladder[1 - mine])

    def hand(self, seat: int) -> list[str]:
        """A player's cards in the protocol's order."""
        return hand_texts(self.tables.state.hands[self.table, self.place(seat)], self.level)

    def rest(self, seat: int) -> int:
        """How many cards a player holds."""
        return int(self.tables.state.hands[self.table, self.place(seat)].sum())


@dataclass(frozen=True)
class Scene:
    """What has been laid down in an episode, as far as messages repeat it."""

    areas: tuple[Action | None, ...] = (None, None, None, None)  # each player's latest action
    current: tuple[int, Action] | None = None  # the latest action of all
    greater: tuple[int, Action] | None = None  # the latest that was no pass

    def after(self, seat: int, action: Action) -> Scene:
        """The scene once a player has acted."""
        areas = (*self.areas[:seat], action, *self.areas[seat + 1 :])
        greater = (seat, action) if action.cards else self.greater
        return replace(self, areas=areas, current=(seat, action), greater=greater)

    def positions(self) -> Message:
        """The latest action and the one to beat."""
        return _position("cur", self.current) | _position("greater", self.greater)


def _position(name: str, acted: tuple[int, Action] | None) -> Message:
    seat, action = acted if acted else (-1, None)
    return {f"{name}Pos": seat, f"{name}Action": action.to_json() if action else None}


def beginning(view: View, seat: int, dialect: str = PLAIN) -> Message:
    """The cards of an episode, for one player."""
    message = {"type": "notify", "stage": "beginning", "handCards": view.hand(seat), "myPos": seat}
    if dialect == WITH_LEVELS:
        mine, theirs = view.standing(seat)
        message |= {"curRank": view.level, "selfRank": mine, "oppoRank": theirs}
    return message


def anti_tribute(view: View, places: Iterable[int]) -> Message:
    """Who refuses the tribute; both spellings of their number."""
    seats = sorted(view.seat(place) for place in places)
    return {
        "type": "notify", "stage": "anti-tribute", "antiNum": len(seats), "antiNums": len(seats), "antiPos": seats,
    }  # fmt: skip


def gifts(view: View, stage: str, given: Iterable[Gift]) -> Message:
    """Tributes paid, or cards returned."""
    result = [[view.seat(giver), view.seat(taker), card_text(card)] for giver, taker, card in given]
    return {"type": "notify", "stage": stage, "result": result}


def played(scene: Scene) -> Message:
    """What was just played or passed, and what is to beat now."""
    return {"type": "notify", "stage": "play"} | scene.positions()


def act(view: View, scene: Scene, stage: str, seat: int, actions: Sequence[Any]) -> Message:
    """What a player is asked; a scene without a play to beat when he leads or gives a card away."""
    mine, theirs = view.standing(seat)
    public = [
        {"rest": view.rest(other), "playArea": area.to_json() if area else None}
        for other, area in zip(SEATS, scene.areas, strict=True)
    ]
    return {
        "type": "act", "stage": stage, "handCards": view.hand(seat), "publicInfo": public,
        "selfRank": RANK_TEXT[mine], "oppoRank": RANK_TEXT[theirs], "curRank": RANK_TEXT[view.level],
        **scene.positions(), "actionList": actions, "indexRange": len(actions) - 1,
    }  # fmt: skip


def episode_over(view: View) -> Message:
    """Who finished when, and what the others still hold."""
    order = [view.seat(place) for place in view.tables.state.order[view.table]]
    rest = [[seat, view.hand(seat)] for seat in SEATS if view.rest(seat)]
    return {
        "type": "notify", "stage": "episodeOver", "order": order, "curRank": RANK_TEXT[view.level], "restCards": rest,
    }  # fmt: skip


def game_over(game: int, games: int) -> Message:
    """A whole match is over: how many are, and how many there will be."""
    return {"type": "notify", "stage": "gameOver", "curTimes": game, "settingTimes": games}


def game_result(wins: Sequence[int], draws: int) -> Message:
    """All matches are over; wins [team]."""
    return {
        "type": "notify", "stage": "gameResult",
        "victoryNum": [int(wins[seat % 2]) for seat in SEATS], "draws": [int(draws) for _ in SEATS],
    }  # fmt: skip
