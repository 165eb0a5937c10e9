"""Benchmarks of the engine, side by side within one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.bench.measurements import COLUMNS
    from abl_cards.bench.suite import describe_machine, run_benchmarks

__all__ = [
    "COLUMNS",
    "describe_machine",
    "run_benchmarks",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
