"""Records that come with the package, to look at in a review: one per line, with a sentence about each."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from abl_cards.core import DATA, parse_json_line
from abl_cards.web.texts import BilingualText

SAMPLES = DATA / "review_samples.jsonl"


class SampleRecord(NamedTuple):
    """Record with a sentence about it.

    Attributes:
        game: Name of the game.
        words: Sentence about the record.
        record: The record.
    """

    game: str
    words: BilingualText
    record: dict[str, Any]


@cache
def read_samples() -> tuple[SampleRecord, ...]:
    """Read the records; none where the file was left out."""
    lines = SAMPLES.read_bytes().splitlines() if SAMPLES.is_file() else []
    values = [parse_json_line(line) for line in lines]
    return tuple(SampleRecord(value["record"]["game"], value["words"], value["record"]) for value in values)
