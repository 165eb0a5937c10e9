"""Results of measurements as text and as plain values, and functions that take time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from abl_cards.bench.targets import BenchTargets

TableRow = tuple[str, str, str, str, str]
"""Name, value here, target, value compared with, and ratio."""

COLUMNS: TableRow = ("what", "here", "target", "compared with", "ratio")


@dataclass(frozen=True)
class Measurement:
    """A measured value with its target and the values it is compared with."""

    what: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = False  # whether the target is an upper bound
    others: tuple[tuple[str, float], ...] = ()  # name and value, in the same unit

    @property
    def is_met(self) -> bool | None:
        """Return whether the target is met; None without a target."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        others = [{"what": what, "value": value, "ratio": self.value / value} for what, value in self.others]
        return asdict(self) | {"met": self.is_met, "others": others}

    def to_rows(self) -> list[TableRow]:
        """Return the rows of a table: one, and one more for each further comparison."""
        target = ""
        if self.target is not None:
            target = f"{'≤' if self.at_most else '≥'} {format_number(self.target)} {'✓' if self.is_met else '✗'}"
        here = f"{format_number(self.value)} {self.unit}"
        comparisons = [
            (f"{what}: {format_number(value)}", f"{format_number(self.value / value)} ×") for what, value in self.others
        ]
        first, *others = comparisons or [("", "")]
        return [(self.what, here, target, *first), *(("", "", "", *other) for other in others)]


def find_target(targets: BenchTargets, name: str) -> float | None:
    """Return the target of a measurement; None where the game has none."""
    return targets[name].target if name in targets else None


def format_number(value: float) -> str:
    """Return a number with three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measure_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def measure_median_seconds(work: Callable[[], object], repetitions: int) -> float:
    """Return the median seconds of several calls after a first one."""
    work()
    return median(measure_seconds(work) for _ in range(repetitions))
