"""What the figures of a game should be, and what others reach: ``marks.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Mark(NamedTuple):
    """What a figure should be, and what others reach, in the same unit."""

    target: float
    others: tuple[tuple[str, float], ...] = ()  # whose figure


Marks = Mapping[str, Mark]
"""By what is measured."""

NO_MARKS: Marks = {}


def marks_of(game: str) -> Marks:
    """The marks of a game by its name; none where nothing is known."""
    return {what: _mark(said) for what, said in _all().get(game, {}).items()}


@cache
def _all() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _mark(said: Mapping[str, Any]) -> Mark:
    others = said.get("others", {}).items()
    return Mark(float(said["target"]), tuple((who, float(figure)) for who, figure in others))
