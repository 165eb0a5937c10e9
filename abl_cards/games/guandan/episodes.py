"""Records of episodes, read and checked for their form; whether they follow the rules is for the replay to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import hand_of
from abl_cards.games.game import GameError
from abl_cards.games.guandan.wire import Action, read_cards, read_level

Gift = tuple[int, int, int]
"""A card given: from, to, card."""


@dataclass(frozen=True)
class Episode:
    """A record, read."""

    line: int
    first: bool  # of its match
    level: int
    ranks: tuple[int, int]
    hands: NDArray[np.uint8]  # [4, 54]
    anti: tuple[int, ...]
    tribute: tuple[Gift, ...]
    back: tuple[Gift, ...]
    plays: tuple[tuple[int, Action], ...]
    order: tuple[int, ...]


def read_episode(line: int, record: Mapping[str, Any], profile: str) -> Episode:
    """Read a record; raises GameError that names the field."""
    if not isinstance(record, Mapping):
        raise GameError("a record is a JSON object with level, ranks, hands, anti, tribute, back, plays, order")
    missing = [
        name for name in ("level", "ranks", "hands", "anti", "tribute", "back", "plays", "order") if name not in record
    ]
    if missing:
        raise GameError(f"field '{missing[0]}' is missing")
    check_rules(record, profile)
    gifts, anti = (read_gifts(record, "tribute"), read_gifts(record, "back")), read_seats(record["anti"], "anti")
    first = record.get("episode") == 0 if "episode" in record else not (gifts[0] or anti)
    order = read_seats(record["order"], "order")
    if sorted(order) != [0, 1, 2, 3]:
        raise GameError(f"order: {list(order)} is no order of the seats 0, 1, 2, 3")
    ranks = record["ranks"]
    if not isinstance(ranks, list) or len(ranks) != 2:
        raise GameError(f"ranks: {ranks!r} is not the levels of two teams")
    return Episode(
        line, first, read_level(record["level"]), (read_level(ranks[0]), read_level(ranks[1])), _hands(record["hands"]),
        anti, *gifts, read_plays(record["plays"]), order,
    )  # fmt: skip


def check_rules(record: Mapping[str, Any], profile: str) -> None:
    """Raise GameError for a record of another game or profile."""
    if record.get("game", "guandan") != "guandan" or record.get("profile", profile) != profile:
        raise GameError(
            f"the record is of {record.get('game')} {record.get('profile')}, the rules of guandan {profile}"
        )


def _hands(value: Any) -> NDArray[np.uint8]:
    if not isinstance(value, list) or len(value) != 4:
        raise GameError("hands: there must be four lists of cards")
    hands = np.stack([hand_of(read_cards(cards)) for cards in value])
    if (hands.sum(axis=0) != 2).any() or (hands.sum(axis=1) != 27).any():
        raise GameError("hands: they must share two packs, 27 cards each")
    return hands


def read_seats(value: Any, field: str) -> tuple[int, ...]:
    """Seats in a list; raises GameError that names the field."""
    if not isinstance(value, list) or any(type(seat) is not int or not 0 <= seat < 4 for seat in value):
        raise GameError(f"{field}: {value!r} is no list of seats 0 to 3")
    return tuple(value)


def read_gifts(record: Mapping[str, Any], field: str) -> tuple[Gift, ...]:
    """The cards given; raises GameError that names the field."""
    gifts: list[Gift] = []
    for gift in record[field] if isinstance(record[field], list) else [record[field]]:
        if not isinstance(gift, list) or len(gift) != 3:
            raise GameError(f"{field}: {gift!r} is no [from, to, card]")
        giver, taker = read_seats(gift[:2], field)
        (card,) = read_cards(gift[2:])
        gifts.append((giver, taker, card))
    return tuple(gifts)


def read_plays(value: Any) -> tuple[tuple[int, Action], ...]:
    """The plays in their order; raises GameError that names the number."""
    plays = []
    for number, play in enumerate(value if isinstance(value, list) else [value], start=1):
        if not isinstance(play, list) or len(play) != 2:
            raise GameError(f"play {number}: {play!r} is no [seat, action]")
        try:
            plays.append((read_seats(play[:1], "seat")[0], Action.from_json(play[1])))
        except GameError as problem:
            raise GameError(f"play {number}: {problem}") from None
    return tuple(plays)
