"""Targets of measurements, and the values of other engines: ``targets.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class BenchTarget(NamedTuple):
    """Target of a measurement, and the values of other engines in the same unit."""

    target: float
    others: tuple[tuple[str, float], ...] = ()  # name and value


BenchTargets = Mapping[str, BenchTarget]
"""Targets by the name of the measurement."""

NO_TARGETS: BenchTargets = {}


def load_targets(game: str) -> BenchTargets:
    """Return the targets of a game by its name; empty where there are none."""
    return {name: _parse_target(entry) for name, entry in _read_targets().get(game, {}).items()}


@cache
def _read_targets() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _parse_target(entry: Mapping[str, Any]) -> BenchTarget:
    others = entry.get("others", {}).items()
    return BenchTarget(float(entry["target"]), tuple((name, float(value)) for name, value in others))
