"""What was measured, in words and as plain values; and how time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from abl_cards.bench.targets import BenchTargets

TableRow = tuple[str, str, str, str, str]
"""What, here, target, compared with, ratio."""

COLUMNS: TableRow = ("what", "here", "target", "compared with", "ratio")


@dataclass(frozen=True)
class Measurement:
    """A figure, what it should be, and what it is compared with."""

    what: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = False  # the target is a ceiling
    others: tuple[tuple[str, float], ...] = ()  # whose figure, in the same unit

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met, None where there is none."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        others = [{"what": what, "value": value, "ratio": self.value / value} for what, value in self.others]
        return asdict(self) | {"met": self.is_met, "others": others}

    def to_rows(self) -> list[TableRow]:
        """The figure in words: a line, and one more for each further comparison."""
        target = ""
        if self.target is not None:
            target = f"{'≤' if self.at_most else '≥'} {format_number(self.target)} {'✓' if self.is_met else '✗'}"
        here = f"{format_number(self.value)} {self.unit}"
        beside = [
            (f"{what}: {format_number(value)}", f"{format_number(self.value / value)} ×") for what, value in self.others
        ]
        first, *further = beside or [("", "")]
        return [(self.what, here, target, *first), *(("", "", "", *other) for other in further)]


def find_target(targets: BenchTargets, name: str) -> float | None:
    """The target of what is measured under a name, where a game has one."""
    return targets[name].target if name in targets else None


def format_number(value: float) -> str:
    """Three figures that matter."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measure_seconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def measure_median_seconds(work: Callable[[], object], repetitions: int) -> float:
    """How long it usually takes, once it is warm."""
    work()
    return median(measure_seconds(work) for _ in range(repetitions))
