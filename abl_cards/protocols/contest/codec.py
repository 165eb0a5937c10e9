"""Text and JSON forms of actions and states of Guandan in the contest protocol.

>>> action = ContestAction.parse("Pair 4 H4 C4")
>>> action.to_json(), str(action)
(['Pair', '4', ['H4', 'C4']], 'Pair 4 H4 C4')
>>> state = ContestState.parse("play level 8 hand H5 D3 H8 to beat Pair 4 H4 C4")
>>> str(state)
'play level 8 hand H5 D3 H8 to beat Pair 4 H4 C4'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.notation import error_context
from abl_cards.protocols.common import Card, CardTextError, format_card, parse_card

PASS_JSON = ["PASS", "PASS", "PASS"]
RANK_TEXT = {
    **{value: str(value) for value in range(2, 10)},
    1: "A", 10: "T", 11: "J", 12: "Q", 13: "K", 14: "A", 15: "B", 16: "R",
}  # fmt: skip
"""The protocol's letters for the ranks of the rule files; 1 is the low ace."""

LEVEL_OF_TEXT = {RANK_TEXT[value]: value for value in range(2, 15)}

OTHER_SEATS = ("next", "partner", "previous")
PLAY, TRIBUTE, BACK = STAGES = ("play", "tribute", "back")
_SUIT_ORDER = (0, 1, 3, 2)  # S, H, C, D of the hand order among S, H, D, C of the 54-vector


def hand_sort_order(level: int) -> list[Card]:
    """Return the 54 cards in the protocol's order of a hand: level-adjusted rank, then S, H, C, D."""

    def sort_key(card: Card) -> tuple[int, int]:
        rank = (12 if card < 4 else card // 4 - 1) if card < 52 else card
        return (13 if rank == level - 2 else rank), _SUIT_ORDER[card % 4] if card < 52 else 0

    return sorted(range(54), key=sort_key)


@dataclass(frozen=True)
class ContestAction:
    """Action of a seat: a play, a pass, or a card given as tribute or returned."""

    type: str
    rank: str
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return " ".join([self.type, self.rank, *map(format_card, self.cards)]) if self.cards else "PASS"

    @classmethod
    def parse(cls, text: str) -> ContestAction:
        """Parse the text form of an action; raises GameError."""
        parts = text.split()
        if parts == ["PASS"]:
            return PASS_ACTION
        if len(parts) < 3:
            raise GameError(
                f"{text!r} is not an action: write type, rank and cards, like 'Pair 4 H4 C4', or PASS",
                ErrorCode.INVALID_STATE,
            )
        return cls(parts[0], parts[1], read_cards(parts[2:]))

    def to_json(self) -> list[Any]:
        """Return the action triple of the protocol."""
        return [self.type, self.rank, [format_card(card) for card in self.cards]] if self.cards else list(PASS_JSON)

    @classmethod
    def from_json(cls, value: Any) -> ContestAction:
        """Read an action triple; raises GameError."""
        if value == PASS_JSON:
            return PASS_ACTION
        match value:
            case [str(kind), str(rank), list(cards)] if cards:
                return cls(kind, rank, read_cards(cards))
        raise GameError(
            f'{value!r} is not an action: write ["Pair","4",["H4","C4"]], or ["PASS","PASS","PASS"]',
            ErrorCode.INVALID_STATE,
        )


PASS_ACTION = ContestAction("PASS", "PASS", ())


@dataclass(frozen=True)
class ContestState:
    """State of a seat: fields that determine its legal moves, and further information of the seat.

    ``cards`` and ``top`` describe the next seat, the partner and the previous seat.
    """

    level: int  # rank 2..14
    hand: tuple[Card, ...]
    to_beat: ContestAction | None = None  # None when leading
    stage: str = "play"
    profile: str | None = None  # None for the default
    top: str | None = None  # seat of the play to beat, relative to this seat
    cards: tuple[int, int, int] | None = None  # numbers of cards of the other seats
    unseen: tuple[Card, ...] | None = None  # cards of the other seats together; None for all cards not in this state

    def __str__(self) -> str:
        by = f" by {self.profile}" if self.profile else ""
        parts = [f"{self.stage}{by} level {RANK_TEXT[self.level]} hand {_cards_text(self.hand)}"]
        parts += [f"to beat {self.to_beat}"] if self.to_beat else []
        parts += [f"of {self.top}"] if self.top else []
        parts += [f"cards {' '.join(map(str, self.cards))}"] if self.cards else []
        parts += [f"unseen {_cards_text(self.unseen)}".rstrip()] if self.unseen is not None else []
        return " ".join(parts)

    @classmethod
    def parse(cls, text: str) -> ContestState:
        """Parse the text form of a state; raises GameError."""
        text_match = _STATE_TEXT.fullmatch(text)
        if text_match is None:
            raise GameError(
                f"{text!r} is not a state: write 'play level 8 hand H5 D3 to beat Pair 4 H4 C4'",
                ErrorCode.INVALID_STATE,
            )
        fields: dict[str, Any] = {name: value for name, value in text_match.groupdict().items() if value is not None}
        for name in {"hand", "unseen", "cards"} & set(fields):
            fields[name] = fields[name].split()
        if "cards" in fields:
            fields["cards"] = [int(count) for count in fields["cards"]]
        if "to_beat" in fields:
            fields["to_beat"] = ContestAction.parse(fields["to_beat"]).to_json()
        return cls.from_json(fields)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that ``abl-cards legal guandan`` reads."""
        fields: dict[str, Any] = {
            "level": RANK_TEXT[self.level],
            "hand": list(map(format_card, self.hand)),
            "to_beat": self.to_beat.to_json() if self.to_beat else None,
        }
        optional_fields = {
            "stage": None if self.stage == "play" else self.stage,
            "profile": self.profile,
            "top": self.top,
            "cards": None if self.cards is None else list(self.cards),
            "unseen": None if self.unseen is None else list(map(format_card, self.unseen)),
        }
        return fields | {name: value for name, value in optional_fields.items() if value is not None}

    @classmethod
    def from_json(cls, value: Any) -> ContestState:
        """Read the JSON form of a state; raises GameError that names the field."""
        if not isinstance(value, Mapping):
            raise GameError(
                f'a state must be an object like {{"level":"8","hand":["H5","D3"],"to_beat":null}}, not {value!r}',
                ErrorCode.INVALID_STATE,
            )
        unknown = sorted(set(map(str, value)) - set(_STATE_FIELDS))
        if unknown:
            raise GameError(f"unknown field {unknown[0]!r}; known: {', '.join(_STATE_FIELDS)}", ErrorCode.INVALID_STATE)
        stage, profile = value.get("stage", "play"), value.get("profile")
        if stage not in STAGES:
            raise GameError(f"stage: unknown stage {stage!r}; known: {', '.join(STAGES)}", ErrorCode.INVALID_STATE)
        if profile is not None and not isinstance(profile, str):
            raise GameError(f"profile: {profile!r} is not a name", ErrorCode.INVALID_STATE)
        with error_context("to_beat"):
            action = None if value.get("to_beat") is None else ContestAction.from_json(value["to_beat"])
            if action == PASS_ACTION or (action and stage != "play"):
                raise GameError("write the play to beat, or null when there is none", ErrorCode.INVALID_STATE)
        played = action.cards if action else ()
        with error_context("hand"):
            hand = _read_hand(value.get("hand"), played)
        with error_context("top"):
            top = _read_top(value.get("top"), action)
        with error_context("cards"):
            cards = _read_counts(value.get("cards"))
        with error_context("unseen"):
            unseen = _read_unseen(value.get("unseen"), (*hand, *played), cards)
        with error_context("level"):
            level = read_level(value.get("level"))
        return cls(level, hand, action, stage, profile, top, cards, unseen)


_STATE_FIELDS = ("level", "hand", "to_beat", "stage", "profile", "top", "cards", "unseen")
_STATE_TEXT = re.compile(
    r"(?P<stage>\S+)(?: by (?P<profile>\S+))? level (?P<level>\S+) hand (?P<hand>.*?)(?: to beat (?P<to_beat>.*?))?"
    r"(?: of (?P<top>\S+))?(?: cards (?P<cards>\d{1,2}(?: \d{1,2})*))?(?: unseen(?P<unseen>.*))?"
)


def hand_texts(hand: NDArray[np.uint8], level: int) -> list[str]:
    """Return the names of a hand's cards [54] in the protocol's order."""
    return [format_card(card) for card in hand_sort_order(level) for _ in range(hand[card])]


def _cards_text(cards: tuple[Card, ...]) -> str:
    return " ".join(map(format_card, cards))


def read_level(value: Any) -> int:
    """Return the rank 2..14 of a level's letter; raises GameError for other values."""
    if not isinstance(value, str) or value not in LEVEL_OF_TEXT:
        raise GameError(f"unknown level {value!r}; known: {' '.join(LEVEL_OF_TEXT)}", ErrorCode.INVALID_STATE)
    return LEVEL_OF_TEXT[value]


def read_cards(value: Any) -> tuple[Card, ...]:
    """Return the cards of a list of names; raises GameError for other values."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise GameError(f'{value!r} is not a list of cards like ["H4","C4"]', ErrorCode.INVALID_STATE)
    try:
        return tuple(parse_card(card) for card in value)
    except CardTextError as error:
        raise GameError(str(error), ErrorCode.INVALID_STATE) from None


def _read_hand(value: Any, visible: tuple[Card, ...]) -> tuple[Card, ...]:
    hand = read_cards(value)
    if not 1 <= len(hand) <= 28:
        raise GameError(
            f"{len(hand)} cards where a seat has 1 to 27 (28 before it returns a tribute)", ErrorCode.INVALID_STATE
        )
    all_cards = hand + visible
    excess_card = next((card for card in all_cards if all_cards.count(card) > 2), None)
    if excess_card is not None:
        raise GameError(
            f"{all_cards.count(excess_card)} copies of {format_card(excess_card)}, but two packs hold two",
            ErrorCode.INVALID_STATE,
        )
    return hand


def _read_top(value: Any, to_beat: ContestAction | None) -> str | None:
    if value is not None and (value not in OTHER_SEATS or to_beat is None):
        raise GameError(
            f"{value!r} is not one of {', '.join(OTHER_SEATS)}, or there is no play to beat", ErrorCode.INVALID_STATE
        )
    return value


def _read_counts(value: Any) -> tuple[int, int, int] | None:
    if value is None:
        return None
    if not isinstance(value, Sequence) or len(value) != 3 or any(type(n) is not int or not 0 <= n <= 28 for n in value):
        raise GameError(
            f"{value!r} is not the numbers of cards of next, partner and previous, such as [27,5,0]",
            ErrorCode.INVALID_STATE,
        )
    return value[0], value[1], value[2]


def _read_unseen(value: Any, visible: tuple[Card, ...], counts: tuple[int, int, int] | None) -> tuple[Card, ...] | None:
    if value is None:
        return None
    unseen = read_cards(value)
    all_cards = (*unseen, *visible)
    excess_card = next((card for card in all_cards if all_cards.count(card) > 2), None)
    if excess_card is not None:
        raise GameError(f"with the hand more than two copies of {format_card(excess_card)}", ErrorCode.INVALID_STATE)
    if counts is not None and len(unseen) != sum(counts):
        raise GameError(f"{len(unseen)} cards, but the others hold {sum(counts)}", ErrorCode.INVALID_STATE)
    return unseen
