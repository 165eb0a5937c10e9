"""Read records of episodes and check their form; ``replay`` checks them against the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import error_context
from abl_cards.protocols.common import hand_from_cards
from abl_cards.protocols.contest.codec import ContestAction, read_cards, read_level
from abl_cards.protocols.contest.tribute import Gift


@dataclass(frozen=True)
class Episode:
    """Episode of a record."""

    line: int
    match: int | None  # number of the match, if records have it
    is_first: bool  # whether it begins a match
    level: int
    ranks: tuple[int, int]
    hands: NDArray[np.uint8]  # [4, 54]
    anti: tuple[int, ...]
    tribute: tuple[Gift, ...]
    back: tuple[Gift, ...]
    plays: tuple[tuple[int, ContestAction], ...]
    order: tuple[int, ...]


def read_episode(line: int, record: Mapping[str, Any], rules: CompiledGame) -> Episode:
    """Read a record; raises GameError that names the field."""
    if not isinstance(record, Mapping):
        raise GameError(
            "a record must be a JSON object with level, ranks, hands, anti, tribute, back, plays, order",
            ErrorCode.INVALID_RECORD,
        )
    missing = [name for name in _EPISODE_FIELDS if name not in record]
    if missing:
        raise GameError(f"field '{missing[0]}' is missing", ErrorCode.INVALID_RECORD)
    check_rules(record, rules)
    fields = {name: read_field(record, name) for name in _EPISODE_FIELDS}
    is_first = record.get("episode") == 0 if "episode" in record else not (fields["tribute"] or fields["anti"])
    return Episode(line=line, match=read_match_number(record), is_first=is_first, **fields)


def read_match_number(record: Mapping[str, Any]) -> int | None:
    """Return the match number of a record, if it has one."""
    match = record.get("match") if isinstance(record, Mapping) else None
    return match if type(match) is int else None


def _read_ranks(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise GameError(f"{value!r} is not the levels of two teams", ErrorCode.INVALID_RECORD)
    return read_level(value[0]), read_level(value[1])


def _read_order(value: Any) -> tuple[int, ...]:
    order = read_seats(value)
    if sorted(order) != [0, 1, 2, 3]:
        raise GameError(f"{list(order)} is not an order of the seats 0, 1, 2, 3", ErrorCode.INVALID_RECORD)
    return order


def check_rules(record: Mapping[str, Any], rules: CompiledGame) -> None:
    """Raise GameError for a record of another game or profile."""
    name, profile = rules.folder.name, rules.profile
    if record.get("game", name) not in rules.folder.record_names or record.get("profile", profile) != profile:
        raise GameError(
            f"the record is of {record.get('game')} {record.get('profile')}, but the rules are of {name} {profile}",
            ErrorCode.INVALID_RECORD,
        )


def _read_hands(value: Any) -> NDArray[np.uint8]:
    if not isinstance(value, list) or len(value) != 4:
        raise GameError("must be four lists of cards", ErrorCode.INVALID_RECORD)
    hands = np.stack([hand_from_cards(read_cards(cards)) for cards in value])
    if (hands.sum(axis=0) != 2).any() or (hands.sum(axis=1) != 27).any():
        raise GameError("must share two packs, 27 cards each", ErrorCode.INVALID_RECORD)
    return hands


def read_seats(value: Any) -> tuple[int, ...]:
    """Return the seats of a list; raises GameError for other values."""
    if not isinstance(value, list) or any(type(seat) is not int or not 0 <= seat < 4 for seat in value):
        raise GameError(f"{value!r} is not a list of seats 0 to 3", ErrorCode.INVALID_RECORD)
    return tuple(value)


def read_gifts(value: Any) -> tuple[Gift, ...]:
    """Return exchanged cards, each as ``[from, to, card]``; raises GameError for other values."""
    gifts: list[Gift] = []
    for gift in value if isinstance(value, list) else [value]:
        if not isinstance(gift, list) or len(gift) != 3:
            raise GameError(f"{gift!r} is not [from, to, card]", ErrorCode.INVALID_RECORD)
        giver, taker = read_seats(gift[:2])
        (card,) = read_cards(gift[2:])
        gifts.append((giver, taker, card))
    return tuple(gifts)


def read_plays(value: Any) -> tuple[tuple[int, ContestAction], ...]:
    """Return the plays of a list of ``[seat, action]``; raises GameError with the number of an invalid play."""
    plays = []
    for number, play in enumerate(value if isinstance(value, list) else [value], start=1):
        if not isinstance(play, list) or len(play) != 2:
            raise GameError(f"play {number}: {play!r} is not [seat, action]", ErrorCode.INVALID_RECORD)
        try:
            plays.append((read_seats(play[:1])[0], ContestAction.from_json(play[1])))
        except GameError as error:
            raise GameError(f"play {number}: {error}", ErrorCode.INVALID_RECORD) from None
    return tuple(plays)


_FIELD_READERS: dict[str, Callable[[Any], Any]] = {
    "level": read_level, "ranks": _read_ranks, "hands": _read_hands, "anti": read_seats, "tribute": read_gifts,
    "back": read_gifts, "plays": read_plays, "order": _read_order, "seat": lambda value: read_seats([value])[0],
}  # fmt: skip
_EPISODE_FIELDS = tuple(name for name in _FIELD_READERS if name != "seat")  # of a whole episode


def read_field(record: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """Read a field of a record; raises GameError that names the field."""
    with error_context(name):
        return _FIELD_READERS[name](record.get(name, default))
