"""Bind arrays to the inputs of circuits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.binding.card_counts import HandCardCounts, TrickCardCounts
    from abl_cards.games.binding.circuit_query import CircuitQuery
    from abl_cards.games.binding.tabulate import TabulatedQuery
    from abl_cards.games.binding.writer import (
        make_array_writer,
        make_gather_writer,
        make_lazy_writer,
        make_masked_writer,
        make_sliced_writer,
    )

__all__ = [
    "CircuitQuery",
    "HandCardCounts",
    "TabulatedQuery",
    "TrickCardCounts",
    "make_array_writer",
    "make_gather_writer",
    "make_lazy_writer",
    "make_masked_writer",
    "make_sliced_writer",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
