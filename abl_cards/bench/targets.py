"""What the figures of a game should be, and what others reach: ``marks.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class BenchTarget(NamedTuple):
    """What a figure should be, and what others reach, in the same unit."""

    target: float
    others: tuple[tuple[str, float], ...] = ()  # whose figure


BenchTargets = Mapping[str, BenchTarget]
"""By what is measured."""

NO_TARGETS: BenchTargets = {}


def load_targets(game: str) -> BenchTargets:
    """The marks of a game by its name; none where nothing is known."""
    return {what: _parse_target(said) for what, said in _read_targets().get(game, {}).items()}


@cache
def _read_targets() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _parse_target(said: Mapping[str, Any]) -> BenchTarget:
    others = said.get("others", {}).items()
    return BenchTarget(float(said["target"]), tuple((who, float(figure)) for who, figure in others))
