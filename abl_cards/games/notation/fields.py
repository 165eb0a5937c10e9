"""Fields of JSON states and records: one declaration of each, from which reading with errors and writing follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import STATE_NUMBERS, counts_from_cards
from abl_cards.games.notation import seats
from abl_cards.games.notation.hand_order import hand_to_json
from abl_cards.games.tables import can_hold, largest_hand

Counts = NDArray[np.int64]
RECORD_CODE = ErrorCode.INVALID_RECORD


@contextmanager
def error_context(field: str) -> Iterator[None]:
    """Prefix the message of a GameError with a field; its code stays.

    Args:
        field: Name or path of the field.

    Raises:
        GameError: The error raised inside, with the field in its message.
    """
    try:
        yield
    except GameError as error:
        raise GameError(f"{field}: {error}", error.code) from None


# --- types ------------------------------------------------------------------------------------------------------------


class Observer(NamedTuple):
    """Seat from which a state is seen."""

    rules: CompiledGame
    seat: int = 0
    context: int = 0  # order context, in which hands are sorted


Bound = Callable[[CompiledGame], int] | int
"""Number, or function of the rules that returns one."""


@dataclass(frozen=True)
class FieldType:
    """Type of a field.

    Attributes:
        read: Returns the value of a JSON value; raises GameError without the name of the field.
        write: Returns the JSON value of a value.
    """

    read: Callable[[Observer, Any], Any]
    write: Callable[[Observer, Any], Any] = lambda observer, value: value


def read_number(
    value: Any, low: int, high: int, noun: str = "a number", code: ErrorCode = ErrorCode.INVALID_STATE
) -> int:
    """Read a whole number between bounds; raises GameError."""
    if type(value) is not int or not low <= value <= high:
        raise GameError(f"{value!r} is not {noun} from {low} to {high}", code)
    return value


def read_list(value: Any, length: int, noun: str, code: ErrorCode = ErrorCode.INVALID_STATE) -> list[Any]:
    """Read a list of a given length; raises GameError."""
    if not isinstance(value, list) or len(value) != length:
        raise GameError(f"{value!r} is not a list of {length} {noun}", code)
    return value


def number(high: Bound, noun: str = "a number", low: int = 0, code: ErrorCode = ErrorCode.INVALID_STATE) -> FieldType:
    """Make the type of a whole number between bounds."""
    return FieldType(
        lambda observer, value: read_number(value, low, _bound(high, observer.rules), noun, code),
        lambda observer, value: int(value),
    )


def numbers(high: Bound, noun: str = "a number", low: int = 0, code: ErrorCode = ErrorCode.INVALID_STATE) -> FieldType:
    """Make the type of a list with a whole number for each seat."""

    def read(observer: Observer, value: Any) -> list[int]:
        items = read_list(value, observer.rules.seating.seats, "numbers, by seat", code)
        return [read_number(item, low, _bound(high, observer.rules), noun, code) for item in items]

    return FieldType(read, lambda observer, value: np.asarray(value).tolist())


def _bound(bound: Bound, rules: CompiledGame) -> int:
    return bound if isinstance(bound, int) else bound(rules)


def read_cards(rules: CompiledGame, value: Any) -> Counts:
    """Read cards in any order.

    Args:
        rules: Compiled game.
        value: JSON value of the cards.

    Returns:
        int64 [kinds], copies of each card.

    Raises:
        GameError: The value names an unknown card, or is not a list or text of cards.
    """
    return counts_from_cards(rules.card_codes.read(value), len(rules.pack)).astype(np.int64)


def _read_other_hands(observer: Observer, value: Any) -> list[Counts]:
    hands = read_list(value, observer.rules.seating.seats - 1, "hands, next first")
    return [read_cards(observer.rules, hand) for hand in hands]


def _read_hands_by_seat(observer: Observer, value: Any) -> Counts:
    hands = read_list(value, observer.rules.seating.seats, "hands, by seat")
    return np.stack([read_cards(observer.rules, hand) for hand in hands])


def _read_hand_sizes(observer: Observer, value: Any) -> list[int]:
    rules = observer.rules
    sizes = read_list(value, rules.seating.seats - 1, f"numbers: {_STATE_FIELDS['cards'].words}")
    for size in sizes:
        if type(size) is not int or size < 0 or not can_hold(rules, size):
            raise GameError(
                f"{size!r} is not a number of cards from 0 to {largest_hand(rules)}", ErrorCode.INVALID_STATE
            )
    return sizes


def _read_lots(observer: Observer, value: Any) -> list[int]:
    names = [str(name) for name in observer.rules.schema.lots]
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise GameError(
            f"{value!r} is not an object with the keys {', '.join(names) or '(none)'}", ErrorCode.INVALID_STATE
        )
    for name in names:
        with error_context(name):
            read_number(value[name], 0, (1 << 15) - 1)
    return [value[name] for name in names]


def _write_lots(observer: Observer, value: Sequence[int]) -> dict[str, int]:
    return {str(name): int(lot) for name, lot in zip(observer.rules.schema.lots, value, strict=True)}


def _read_seat_numbers(observer: Observer, value: Any) -> list[int]:
    if not isinstance(value, list):
        raise GameError(f"{value!r} is not a list of seats", RECORD_CODE)
    return [seats.read_seat_number(observer.rules, seat) for seat in value]


def _read_aside(observer: Observer, value: Any) -> tuple[int, Counts]:
    """Return the number of hidden cards set aside, and the visible ones."""
    if type(value) is int:
        size = read_number(value, 0, len(observer.rules.pack.deck), "a number of cards")
        return size, np.zeros(len(observer.rules.pack), np.int64)
    return 0, read_cards(observer.rules, value)


ANY = FieldType(lambda observer, value: value)
"""Values that are read together with other fields."""
CARDS = FieldType(
    lambda observer, value: read_cards(observer.rules, value),
    lambda observer, value: hand_to_json(observer.rules, value, observer.context),
)
HANDS = FieldType(_read_other_hands, lambda observer, value: [CARDS.write(observer, hand) for hand in value])
HANDS_BY_SEAT = FieldType(_read_hands_by_seat, HANDS.write)
CARD = FieldType(
    lambda observer, value: observer.rules.card_codes.read([value])[0],
    lambda observer, value: observer.rules.card_codes.kind_texts[value],
)
SEAT = FieldType(
    lambda observer, value: seats.read_seat(observer.rules, observer.seat, value),
    lambda observer, value: seats.seat_to_json(observer.rules, observer.seat, int(value)),
)
SEATS = FieldType(
    lambda observer, value: seats.read_seats(observer.rules, observer.seat, value),
    lambda observer, value: seats.seats_to_json(observer.rules, observer.seat, value),
)
SEAT_SET = FieldType(
    lambda observer, value: seats.mask_from_seats(SEATS.read(observer, value)),
    lambda observer, value: SEATS.write(observer, seats.seats_from_mask(int(value))),
)
"""Set of seats, as bits."""


# --- fields -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateField:
    """Field of JSON states or records.

    Attributes:
        name: Key.
        type: Type of the value.
        words: Meaning, for errors; empty for a field that is never required.
        is_in: Tells whether states of some rules may have the field.
        is_inferred: A missing value may follow from other fields, so that it is checked with them.
        has_default: Preferences do without it: full hands, and no played cards but the play to beat.
        array: Array of ``TableState`` that the value belongs to, for numbers that nothing else depends on.
    """

    name: str
    type: FieldType = ANY
    words: str = ""
    is_in: Callable[[CompiledGame], bool] = lambda rules: True
    is_inferred: bool = False
    has_default: bool = False
    array: str = ""

    def read(self, observer: Observer, value: Any) -> Any:
        """Read a value; raises GameError that names the field."""
        with error_context(self.name):
            return self.type.read(observer, value)


def _has_tricks(rules: CompiledGame) -> bool:
    return rules.trick_query is not None


def _has_no_tricks(rules: CompiledGame) -> bool:
    return rules.trick_query is None


def _has_draws(rules: CompiledGame) -> bool:
    return rules.has_draws


_STATE_FIELDS: dict[str, StateField] = {field.name: field for field in (
    StateField("hand", CARDS),
    StateField("to_beat", is_in=_has_no_tricks),
    StateField("top", SEAT, is_in=lambda rules: _has_no_tricks(rules) or rules.has_pile),
    StateField("cards", FieldType(_read_hand_sizes), "numbers of cards of the other seats, next first",
               is_inferred=True, has_default=True),
    StateField("seat", FieldType(lambda observer, value: seats.read_seat_number(observer.rules, value)),
               "number of the seat to decide"),
    StateField("passed", SEAT_SET, "seats that have passed since the play to beat", is_inferred=True),
    StateField("has_passed", SEAT_SET, "seats that have passed in the trick", is_in=_has_no_tricks, is_inferred=True),
    StateField("gone", words="cards played so far", is_inferred=True, has_default=True),
    StateField("unseen", CARDS, "cards of the other seats together"),
    StateField("aside", FieldType(_read_aside)),
    StateField("acts", number((1 << 20) - 1, "a number of plays and passes"),
               "number of plays and passes in the episode so far", is_inferred=True),
    StateField("acted", SEAT, "seat that acted last", is_inferred=True),
    StateField("finish", SEATS, "seats without cards, in the order in which they went out"),
    StateField("face", HANDS, "open cards of the other seats, next first", is_inferred=True),
    StateField("stage"),
    StateField("profile"),
    StateField("trick", words="plays of the trick in order; [] when leading", is_in=_has_tricks),
    StateField("in_trick", HANDS_BY_SEAT, "cards of each seat in the trick, by seat",
               is_in=lambda rules: rules.keeps_trick_cards),
    StateField("picked", CARDS, words="cards of an unfinished play",
               is_in=lambda rules: _has_tricks(rules) and rules.has_composed_plays),
    StateField("stock", number(lambda rules: rules.num_from_stock, "a number of cards"),
               "number of cards still to be drawn", is_in=_has_draws),
    StateField("drew", SEAT, "seat that drew the last card", is_in=_has_draws),
    StateField("drawn", CARD,
               "card just drawn by the seat to decide", is_in=_has_draws),
    StateField("laid_down", numbers((1 << 14) - 1, "a number of plays"), "number of plays of each seat, by seat"),
    StateField("lots", FieldType(_read_lots, _write_lots), "random numbers of the match, by name",
               is_in=lambda rules: bool(rules.schema.lots)),
)}  # fmt: skip
"""Fields of states besides fluents, by name, without those of the registry of inputs."""
DRAW_FIELDS = "stock", "drew", "drawn"
"""Fields of states about drawing."""

_POINTS = numbers((1 << 40) - 1, low=-(1 << 40) + 1, code=RECORD_CODE)
RECORD_FIELDS: dict[str, StateField] = {field.name: field for field in (
    StateField("episode", number((1 << 30) - 1, code=RECORD_CODE)),
    StateField("lots", _STATE_FIELDS["lots"].type),
    StateField("finish", FieldType(_read_seat_numbers)),
    StateField("total", _POINTS),
    StateField("points", _POINTS),
)}  # fmt: skip
"""Fields of records that are numbers, by name."""


def state_fields() -> Mapping[str, StateField]:
    """Return the fields of states besides fluents, by name."""
    if not STATE_NUMBERS:
        return _STATE_FIELDS
    registered = {
        name: StateField(name, (numbers if entry.by_seat else number)(entry.maximum), entry.words, array=entry.array)
        for name, entry in STATE_NUMBERS.items()
    }
    return _STATE_FIELDS | registered


def allowed_fields(rules: CompiledGame) -> list[str]:
    """Return the fields of states of these rules, besides fluents."""
    return [field.name for field in state_fields().values() if field.is_in(rules)]


def missing_field_error(field: str, reader: Signature | str, more: str = "") -> GameError:
    """Return the error for a missing field that the rules read, with the predicate that reads it."""
    reason = f"the rules read {reader}" if isinstance(reader, Signature) else reader
    return GameError(f'{reason}: give "{field}" ({state_fields()[field].words}){more}', ErrorCode.INCOMPLETE_STATE)
