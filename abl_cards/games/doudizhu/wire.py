"""Moves and states of Dou dizhu in the words of other programs: a hand or a move is its cards from low to high.

>>> hand_text(read_hand("DX22A33")), str(Action(read_hand("3334")))
('33A22XD', '3334')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from abl_cards.games.doudizhu.course import NO_BID
from abl_cards.games.doudizhu.knowledge import BIDS, MOST_CARDS, PARTS, WHO
from abl_cards.games.doudizhu.rulebook import LETTERS
from abl_cards.games.doudizhu.shapes import COUNT, FIRST, Key, cards_of
from abl_cards.games.game import GameError

ROLES = ("landlord", "landlord_down", "landlord_up")
"""The parts as records and states name them, in the order of play."""

STAGES = ("play", "bid")


@dataclass(frozen=True)
class Action:
    """Cards laid down, none for a pass; or a bid."""

    cards: Key = 0
    bid: int | None = None

    def __str__(self) -> str:
        if self.bid is not None:
            return f"BID {self.bid}"
        return hand_text(self.cards) or "PASS"

    def to_json(self) -> str | int:
        """The cards as a text, a pass as an empty one; a bid as a number."""
        return hand_text(self.cards) if self.bid is None else self.bid

    @classmethod
    def from_json(cls, value: Any) -> Action:
        """Read a move; raises GameError."""
        if type(value) is int and value in BIDS:
            return cls(bid=value)
        if value is None or isinstance(value, int):
            raise GameError(f'{value!r} is no move: write its cards like "3334", and a pass as ""')
        return cls(read_hand(value))


def hand_text(key: Key) -> str:
    """The cards of a key from low to high."""
    return "".join(LETTERS[card - FIRST] for card in cards_of(int(key)))


def read_hand(text: Any) -> Key:
    """The key of a text of cards in any order; raises GameError."""
    if not isinstance(text, str):
        raise GameError(f'{text!r} is no text of cards, like "3344TJQKA2XD"')
    key = 0
    for letter in text:
        rank = LETTERS.find(letter)
        if rank < 0:
            raise GameError(f"{letter!r} is no card: write {LETTERS}")
        if key >> 4 * rank & 15 == (4 if rank < COUNT - 2 else 1):
            raise GameError(f"there are not that many {letter} in a pack")
        key += 1 << 4 * rank
    return key


@dataclass(frozen=True)
class State:
    """What a seat to decide must answer."""

    hand: Key
    to_beat: Action | None = None
    stage: str = "play"
    part: int | None = None  # landlord, down, up
    top: str | None = None  # whose play is to beat
    cards: tuple[int, int] | None = None  # of the next and the previous seat
    unseen: Key | None = None
    bids: tuple[int, ...] = ()
    profile: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The state as other programs write it."""
        if self.stage == "bid":
            return {"stage": "bid", "hand": hand_text(self.hand), "bids": list(self.bids)}
        known: dict[str, Any] = {
            "role": None if self.part is None else ROLES[self.part],
            "cards": self.cards and list(self.cards),
            "top": self.top,
            "unseen": None if self.unseen is None else hand_text(self.unseen),
        }
        to_beat = None if self.to_beat is None else self.to_beat.to_json()
        return {"hand": hand_text(self.hand), "to_beat": to_beat} | {k: v for k, v in known.items() if v is not None}

    @classmethod
    def from_json(cls, value: Any) -> State:
        """Read a state; raises GameError that names the field."""
        if not isinstance(value, Mapping) or "hand" not in value:
            raise GameError('a state is a JSON object like {"hand":"3344455TJQKA2XD","to_beat":null}')
        with reading("hand"):
            hand = read_hand(value["hand"])
            size = len(value["hand"])
            if not 1 <= size <= MOST_CARDS:
                raise GameError(f"{size} cards; a hand has 1 to {MOST_CARDS}")
        stage = value.get("stage", "play")
        if stage not in STAGES:
            raise GameError(f"stage: {stage!r} is none of {', '.join(STAGES)}")
        profile = value.get("profile")
        if profile is not None and not isinstance(profile, str):
            raise GameError(f"profile: {profile!r} is no name")
        return cls(
            hand=hand,
            to_beat=_to_beat(value.get("to_beat")),
            stage=stage,
            part=_one_of(value, "role", ROLES),
            top=None if value.get("top") is None else WHO[_one_of(value, "top", WHO) or 0],
            cards=_counts(value.get("cards")),
            unseen=_unseen(value.get("unseen")),
            bids=_bids(value.get("bids")),
            profile=profile,
        )


@contextmanager
def reading(field: str) -> Iterator[None]:
    """Name the field in an error."""
    try:
        yield
    except GameError as problem:
        raise GameError(f"{field}: {problem}") from None


def _to_beat(value: Any) -> Action | None:
    if value is None:
        return None
    with reading("to_beat"):
        action = Action.from_json(value)
        if action.bid is not None or not action.cards:
            raise GameError(f"{value!r} is no play to beat; null when the seat leads")
        return action


def _one_of(value: Mapping[str, Any], field: str, names: tuple[str, ...]) -> int | None:
    name = value.get(field)
    if name is None:
        return None
    if name not in names:
        raise GameError(f"{field}: {name!r} is none of {', '.join(names)}")
    return names.index(name)


def _counts(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or any(type(n) is not int or not 0 <= n <= 20 for n in value):
        raise GameError(f"cards: {value!r} is not how many the next and the previous seat hold")
    return value[0], value[1]


def _unseen(value: Any) -> Key | None:
    if value is None:
        return None
    with reading("unseen"):
        return read_hand(value)


def _bids(value: Any) -> tuple[int, ...]:
    if value is None:
        return ()
    if (
        not isinstance(value, list)
        or len(value) > len(PARTS)
        or any(type(n) is not int or n not in BIDS for n in value)
    ):
        raise GameError(f"bids: {value!r} is no list of bids 0 to 3")
    return tuple(value)


def bid_row(bids: tuple[int, ...] | list[int]) -> list[int]:
    """Three places: the bids so far, and NO_BID."""
    return [*bids, *[NO_BID] * (len(PARTS) - len(bids))]
