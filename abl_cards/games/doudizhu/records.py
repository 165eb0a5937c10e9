"""Played games as JSON objects: written down, read and checked for their form, and taken over from DouZero.

``hands`` (three texts by seat, the bottom cards in the landlord's), ``bottom``, ``landlord`` (his seat), ``bids``
(only where the landlord was bid for), ``stake``, ``plays`` ([seat, cards], a pass is ""), ``winner`` ("landlord" or
"peasants"), ``points`` by seat. Our own records add ``game``, ``profile``, ``episode`` and whatever the recorder was
given.

A game of DouZero has ``init_hand_cards`` and ``card_play_action_<role>``: cards as its integers, the moves of each role
in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.audience import Quiet
from abl_cards.games.doudizhu.course import NO_BID, PACK
from abl_cards.games.doudizhu.knowledge import FULL_HAND, MOST_CARDS
from abl_cards.games.doudizhu.rulebook import Rules
from abl_cards.games.doudizhu.shapes import FIRST, Key
from abl_cards.games.doudizhu.tables import Tables
from abl_cards.games.doudizhu.wire import ROLES, Action, bid_row, hand_text, read_hand, reading
from abl_cards.games.game import GameError
from abl_cards.games.tables import Indices, Moves

SIDES = ("landlord", "peasants")
_DOUZERO = {**{number: number - 3 for number in range(3, 15)}, 17: 12, 20: 13, 30: 14}
"""DouZero's integers to ranks from 0."""


@dataclass(frozen=True)
class Record:
    """A game, read."""

    hands: tuple[Key | None, ...]  # [3] by seat; None where the record hides one
    bottom: Key | None
    landlord: int
    stake: int
    bids: tuple[int, ...]
    plays: tuple[tuple[int, Action], ...]
    winner: int | None  # 0 the landlord, 1 the peasants
    points: tuple[float, ...] | None


class DoudizhuRecorder(Quiet):
    """Writes down what happens at some tables; see ``records``."""

    def __init__(self, rules: Rules, tables: int, extra: Mapping[str, Any]) -> None:
        """Listen to so many tables; every record carries the extra fields."""
        self._rules = rules
        self._extra = dict(extra)
        self._plays: list[list[list[Any]]] = [[] for _ in range(tables)]
        self._hands: list[list[int]] = [[] for _ in range(tables)]
        self._done: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Begin a new page; cards that nobody bid for are forgotten."""
        for table in which:
            self._plays[table] = []

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Write down plays and passes, and before the first one the hands."""
        for table, seat, cards in zip(which, tables.course.seat[which], moves.cards, strict=True):
            if not self._plays[table]:
                self._hands[table] = tables.course.hands[table].tolist()
            self._plays[table].append([int(seat), row_text(cards)])

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Write down the result."""
        for table, points in zip(which, tables.outcome(which), strict=True):
            bids = [int(bid) for bid in tables.course.bids[table] if bid != NO_BID]
            self._done[table].append(
                {
                    "game": "doudizhu",
                    "profile": self._rules.profile,
                    **self._extra,
                    "episode": int(tables.episode[table]) - 1,
                    "hands": [hand_text(hand) for hand in self._hands[table]],
                    "bottom": hand_text(int(tables.course.bottom[table])),
                    "landlord": int(tables.course.landlord[table]),
                    **({"bids": bids} if bids else {}),
                    "stake": int(tables.course.stake[table]),
                    "plays": self._plays[table],
                    "winner": SIDES[int(tables.winner[table])],
                    "points": points.tolist(),
                }
            )
            self._plays[table] = []

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished games of a table; forgets them."""
        done, self._done[table] = self._done[table], []
        return done


def row_text(cards: NDArray[np.uint8]) -> str:
    """The cards of a move as text."""
    from abl_cards.games.doudizhu.rulebook import LETTERS

    return "".join(LETTERS[card - FIRST] for card in cards.tolist() if card != 255)


def read_record(record: Mapping[str, Any], profile: str) -> Record:
    """Read a record, ours or DouZero's; raises GameError that names the field."""
    if not isinstance(record, Mapping):
        raise GameError("a record is a JSON object")
    if "init_hand_cards" in record:
        return _of_douzero(record)
    if record.get("game", "doudizhu") != "doudizhu" or record.get("profile", profile) != profile:
        raise GameError(
            f"the record is of {record.get('game')} {record.get('profile')}, the rules of doudizhu {profile}"
        )
    for field in ("hands", "plays"):
        if field not in record:
            raise GameError(f"field '{field}' is missing")
    hands = record["hands"]
    if not isinstance(hands, list) or len(hands) != 3:
        raise GameError("hands: there must be three, those that are not known null")
    with reading("hands"):
        keys = tuple(None if hand is None else read_hand(hand) for hand in hands)
    with reading("bottom"):
        bottom = None if record.get("bottom") is None else read_hand(record["bottom"])
    winner = record.get("winner")
    if winner not in (None, *SIDES):
        raise GameError(f"winner: {winner!r} is none of {', '.join(SIDES)}")
    return Record(
        hands=keys,
        bottom=bottom,
        landlord=_number(record, "landlord", 0, range(3)),
        stake=_number(record, "stake", 1, range(1, 4)),
        bids=_read_bids(record.get("bids", [])),
        plays=_read_plays(record["plays"]),
        winner=None if winner is None else SIDES.index(winner),
        points=_read_points(record.get("points")),
    )


def check_deal(record: Record) -> None:
    """Raise GameError where the cards are not those of one pack, dealt as they should be."""
    if any(hand is None for hand in record.hands):
        raise GameError("hands: all three must be known")
    hands = [hand or 0 for hand in record.hands]
    sizes = [len(hand_text(hand)) for hand in hands]
    wanted = [MOST_CARDS if seat == record.landlord else FULL_HAND for seat in range(3)]
    total = sum(hands)
    if sizes != wanted or total != PACK:
        raise GameError("hands: they must share one pack, 20 cards for the landlord and 17 for each peasant")
    if record.bottom is None:
        return
    rest = hands[record.landlord]
    for shift in range(0, 60, 4):
        if (record.bottom >> shift & 15) > (rest >> shift & 15):
            raise GameError("bottom: the landlord's hand does not have these cards")


def _number(record: Mapping[str, Any], field: str, otherwise: int, known: range) -> int:
    value = record.get(field, otherwise)
    if type(value) is not int or value not in known:
        raise GameError(f"{field}: {value!r} is none of {known.start} to {known.stop - 1}")
    return value


def _read_bids(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > 3 or any(type(bid) is not int or not 0 <= bid <= 3 for bid in value):
        raise GameError(f"bids: {value!r} is no list of bids 0 to 3")
    return tuple(value)


def _read_plays(value: Any) -> tuple[tuple[int, Action], ...]:
    if not isinstance(value, list):
        raise GameError("plays: there must be a list of [seat, cards]")
    plays = []
    for number, play in enumerate(value, start=1):
        if not isinstance(play, list) or len(play) != 2 or type(play[0]) is not int or not 0 <= play[0] < 3:
            raise GameError(f"plays: play {number}: {play!r} is no [seat, cards]")
        with reading(f"plays: play {number}"):
            plays.append((play[0], Action(read_hand(play[1]))))
    return tuple(plays)


def _read_points(value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 3 or any(type(each) not in (int, float) for each in value):
        raise GameError(f"points: {value!r} is not the points of three seats")
    return tuple(map(float, value))


# --- DouZero ---------------------------------------------------------------------------------------------------------


def _of_douzero(record: Mapping[str, Any]) -> Record:
    """The roles move in turn, the landlord first; its seat is 0."""
    hands = record["init_hand_cards"]
    if not isinstance(hands, Mapping):
        raise GameError("init_hand_cards: there must be an object with a list of cards for each role")
    moves = [_douzero_moves(record, role) for role in ROLES]
    plays, turn = [], 0
    while turn // 3 < len(moves[turn % 3]):
        plays.append((turn % 3, moves[turn % 3][turn // 3]))
        turn += 1
    if len(plays) != sum(map(len, moves)):
        raise GameError(f"{ROLES[turn % 3]} has {len(moves[turn % 3])} moves, too few for the others'")
    won = record.get("landlord_win")
    if won not in (0, 1, None):
        raise GameError(f"landlord_win: {won!r} is neither 0 nor 1")
    return Record(
        hands=tuple(_douzero_cards(hands.get(role), f"init_hand_cards: {role}") for role in ROLES),
        bottom=_douzero_cards(hands.get("three_landlord_cards", []), "three_landlord_cards") or None,
        landlord=0,
        stake=1,
        bids=(),
        plays=tuple(plays),
        winner=None if won is None else 1 - won,
        points=_douzero_points(record),
    )


def _douzero_moves(record: Mapping[str, Any], role: str) -> list[Action]:
    field = f"card_play_action_{role}"
    moves = record.get(field)
    if not isinstance(moves, list):
        raise GameError(f"{field}: there must be a list of moves")
    return [Action(_douzero_cards(move, f"{field}: move {number}")) for number, move in enumerate(moves, start=1)]


def _douzero_cards(value: Any, field: str) -> Key:
    if not isinstance(value, list):
        raise GameError(f"{field}: {value!r} is no list of cards")
    key = 0
    for number in value:
        if type(number) is not int or number not in _DOUZERO:
            raise GameError(f"{field}: {number!r} is no card: 3..14 for 3..A, 17 for 2, 20 and 30 for the jokers")
        shift = 4 * _DOUZERO[number]
        if key >> shift & 15 == 4 - 3 * (number >= 20):
            raise GameError(f"{field}: there are not that many {number} in a pack")
        key += 1 << shift
    return key


def _douzero_points(record: Mapping[str, Any]) -> tuple[float, ...] | None:
    scores = [record.get(field) for field in ("landlord_score", "farmer_score")]
    if any(type(score) is not int for score in scores):
        return None
    return float(scores[0] or 0), float(scores[1] or 0), float(scores[1] or 0)


def bids_of(record: Record) -> list[int]:
    """The bids of the three seats, NO_BID where there was none."""
    return bid_row(record.bids)
