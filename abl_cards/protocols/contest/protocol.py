"""Messages of the contest protocol: pure functions from a table to JSON objects.

Seats in messages are those of the players. In the second game of a pair the cards are rotated by one seat, so that each
team receives the other team's cards: player ``s`` then has seat ``s + 1`` of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abl_cards.games.tables import Tables
from abl_cards.protocols.common import Message, format_card
from abl_cards.protocols.contest.codec import RANK_TEXT, ContestAction, hand_texts
from abl_cards.protocols.contest.match_state import read_team_levels, table_level
from abl_cards.protocols.contest.tribute import Gift

SEATS = range(4)
PLAIN, WITH_LEVELS = "A", "C"
"""Dialects: the contest's, and DanZero's, in which ``beginning`` has the levels as numbers."""


@dataclass(frozen=True)
class PlayersView:
    """Table of Guandan with the seats of the players."""

    tables: Tables
    table: int = 0
    rotation: int = 0  # seats by which the cards are rotated

    def table_seat(self, seat: int) -> int:
        """Return the table seat of a player."""
        return (seat + self.rotation) % 4

    def player_seat(self, table_seat: int) -> int:
        """Return the player at a table seat."""
        return (int(table_seat) - self.rotation) % 4

    @property
    def level(self) -> int:
        """Level of the current episode as a rank 2..14."""
        return table_level(self.tables, self.table)

    def team_levels(self, seat: int) -> tuple[int, int]:
        """Return the levels of a player's team and of the other team."""
        levels = read_team_levels(self.tables.rules, self.tables.state.fluents[[self.table]])[0]
        team = self.table_seat(seat) % 2
        return int(levels[team]), int(levels[1 - team])

    def hand(self, seat: int) -> list[str]:
        """Return a player's cards in the protocol's order."""
        return hand_texts(self.tables.state.hands[self.table, self.table_seat(seat)], self.level)

    def num_cards(self, seat: int) -> int:
        """Return the number of cards of a player."""
        return int(self.tables.state.hands[self.table, self.table_seat(seat)].sum())


@dataclass(frozen=True)
class LatestActions:
    """Latest actions of an episode, which later messages repeat."""

    by_seat: tuple[ContestAction | None, ...] = (None, None, None, None)  # each player's latest action
    current: tuple[int, ContestAction] | None = None  # latest action of all players
    to_beat: tuple[int, ContestAction] | None = None  # latest action that is not a pass

    def after_action(self, seat: int, action: ContestAction) -> LatestActions:
        """Return the latest actions after an action of a player."""
        by_seat = (*self.by_seat[:seat], action, *self.by_seat[seat + 1 :])
        to_beat = (seat, action) if action.cards else self.to_beat
        return replace(self, by_seat=by_seat, current=(seat, action), to_beat=to_beat)

    def to_json(self) -> Message:
        """Return the latest action and the one to beat as fields of a message."""
        return _position_json("cur", self.current) | _position_json("greater", self.to_beat)


def _position_json(name: str, seat_action: tuple[int, ContestAction] | None) -> Message:
    seat, action = seat_action if seat_action else (-1, None)
    return {f"{name}Pos": seat, f"{name}Action": action.to_json() if action else None}


def beginning_message(view: PlayersView, seat: int, dialect: str = PLAIN) -> Message:
    """Return the message of a player's cards at the start of an episode."""
    message = {"type": "notify", "stage": "beginning", "handCards": view.hand(seat), "myPos": seat}
    if dialect == WITH_LEVELS:
        own_level, other_level = view.team_levels(seat)
        message |= {"curRank": view.level, "selfRank": own_level, "oppoRank": other_level}
    return message


def anti_tribute_message(view: PlayersView, table_seats: Iterable[int]) -> Message:
    """Return the message of the seats that refuse tribute, with both spellings of their number."""
    seats = sorted(view.player_seat(table_seat) for table_seat in table_seats)
    return {
        "type": "notify", "stage": "anti-tribute", "antiNum": len(seats), "antiNums": len(seats), "antiPos": seats,
    }  # fmt: skip


def tribute_message(view: PlayersView, stage: str, exchange: Iterable[Gift]) -> Message:
    """Return the message of paid tributes or returned cards."""
    result = [[view.player_seat(giver), view.player_seat(taker), format_card(card)] for giver, taker, card in exchange]
    return {"type": "notify", "stage": stage, "result": result}


def play_message(latest: LatestActions) -> Message:
    """Return the message of the last play or pass, with the play to beat."""
    return {"type": "notify", "stage": "play"} | latest.to_json()


def act_message(view: PlayersView, latest: LatestActions, stage: str, seat: int, actions: Sequence[Any]) -> Message:
    """Return the request to a player; without a play to beat when it leads or gives a card."""
    own_level, other_level = view.team_levels(seat)
    public = [
        {"rest": view.num_cards(player), "playArea": area.to_json() if area else None}
        for player, area in zip(SEATS, latest.by_seat, strict=True)
    ]
    return {
        "type": "act", "stage": stage, "handCards": view.hand(seat), "publicInfo": public,
        "selfRank": RANK_TEXT[own_level], "oppoRank": RANK_TEXT[other_level], "curRank": RANK_TEXT[view.level],
        **latest.to_json(), "actionList": actions, "indexRange": len(actions) - 1,
    }  # fmt: skip


def episode_over_message(view: PlayersView) -> Message:
    """Return the message of the order of finish and the remaining hands."""
    order = [view.player_seat(table_seat) for table_seat in view.tables.state.finish_order[view.table]]
    rest_cards = [[seat, view.hand(seat)] for seat in SEATS if view.num_cards(seat)]
    return {
        "type": "notify", "stage": "episodeOver", "order": order, "curRank": RANK_TEXT[view.level],
        "restCards": rest_cards,
    }  # fmt: skip


def game_over_message(game: int, games: int) -> Message:
    """Return the message of the end of a match: number of finished matches, and of all."""
    return {"type": "notify", "stage": "gameOver", "curTimes": game, "settingTimes": games}


def game_result_message(wins: Sequence[int], draws: int) -> Message:
    """Return the message of the end of all matches; ``wins`` is by team."""
    return {
        "type": "notify", "stage": "gameResult",
        "victoryNum": [int(wins[seat % 2]) for seat in SEATS], "draws": [int(draws) for _ in SEATS],
    }  # fmt: skip
