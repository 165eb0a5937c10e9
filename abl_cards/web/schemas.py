"""JSON of clients: requests are objects with fields of the expected types; answers are UTF-8.

Not by msgspec: a class for each of 30 requests has more lines than its fields, and its import takes 20 ms of the start.
"""

from __future__ import annotations

import json
from typing import Any

from abl_cards.core import LANGUAGES, SECRET_SEED_BITS, ErrorCode, GameError, parse_json, parse_seed

MAX_CARDS = 256
MAX_TEXT_LENGTH = 4000
"""Largest number of characters of a text, if not stated otherwise."""


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object; raises GameError."""
    try:
        value = parse_json(text)
    except ValueError as problem:
        raise GameError(f"not JSON: {problem}", ErrorCode.INVALID_REQUEST) from None
    if not isinstance(value, dict):
        raise GameError("not a JSON object", ErrorCode.INVALID_REQUEST)
    return value


def encode_json(value: Any) -> bytes:
    """Encode an answer; lone surrogates, which records and requests of others may have, stay escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def get_text(message: dict[str, Any], field: str, default: str | None = None, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Return a text field; raises GameError."""
    value = message.get(field, default)
    if not isinstance(value, str) or len(value) > max_length or "\0" in value or not is_encodable(value):
        raise GameError(f"{field}: expected a text", ErrorCode.INVALID_REQUEST)
    return value


def get_language(request: dict[str, Any], field: str = "language") -> str:
    """Return the field with a language, by default English; raises GameError for an unknown one."""
    language = get_text(request, field, "en")
    if language not in LANGUAGES:
        raise GameError(f"{field}: expected {' or '.join(LANGUAGES)}", ErrorCode.INVALID_REQUEST)
    return language


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded: lone surrogates, as in undecodable file names, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def get_int(message: dict[str, Any], field: str, low: int, high: int, default: int | None = None) -> int:
    """Return a whole number from low to high; raises GameError."""
    value = message.get(field, default)
    if type(value) is not int or not low <= value <= high:
        raise GameError(f"{field}: expected a number from {low} to {high}", ErrorCode.INVALID_REQUEST)
    return value


def get_seed(message: dict[str, Any]) -> int | None:
    """Return the field ``seed``, a text or number, or None; raises GameError."""
    value = message.get("seed")
    try:
        seed = None if value is None else parse_seed(value)
    except ValueError:
        seed = -1
    if seed is not None and not 0 <= seed < 1 << SECRET_SEED_BITS:
        raise GameError(
            f"seed: expected a number of at most {SECRET_SEED_BITS} bits, in decimal digits",
            ErrorCode.INVALID_REQUEST,
        )
    return seed


def get_bool(message: dict[str, Any], field: str, default: bool = False) -> bool:
    """Return a boolean field; raises GameError."""
    value = message.get(field, default)
    if not isinstance(value, bool):
        raise GameError(f"{field}: expected true or false", ErrorCode.INVALID_REQUEST)
    return value


def get_cards(message: dict[str, Any]) -> list[str]:
    """Return the field ``cards``, a list of texts; raises GameError."""
    value = message.get("cards")
    if not isinstance(value, list) or len(value) > MAX_CARDS or not all(isinstance(card, str) for card in value):
        raise GameError("cards: expected a list of cards", ErrorCode.INVALID_REQUEST)
    return value


def get_list(message: dict[str, Any], field: str, max_length: int) -> list[Any]:
    """Return a list of 1 to max_length items; raises GameError."""
    value = message.get(field)
    if not isinstance(value, list) or not 1 <= len(value) <= max_length:
        raise GameError(f"{field}: expected a list of 1 to {max_length}", ErrorCode.INVALID_REQUEST)
    return value
