"""What a seat sees as one row of numbers: named parts, and where each of them lies.

>>> level = ObservationFeature("level", (13,), "one-hot")
>>> table = FeatureTable((level, ObservationFeature("played", (4, 54), "copies of each card")))
>>> table.size, table["played"]
(229, slice(13, 229, None))
>>> print(table.describe())
place    feature  shape  meaning
0..12    level    13     one-hot
13..228  played   4×54   copies of each card
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod


@dataclass(frozen=True)
class ObservationFeature:
    """One part of an observation."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    has_card_axis: bool = False  # the last axis is the 54-vector of cards

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return prod(self.shape)


@dataclass(frozen=True)
class FeatureTable:
    """The parts in their order."""

    features: tuple[ObservationFeature, ...]
    max_value: int = 2  # no number is greater

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each part lies."""
        found, start = {}, 0
        for feature in self.features:
            found[feature.name] = slice(start, start + feature.size)
            start += feature.size
        return found

    @property
    def size(self) -> int:
        """The numbers of an observation."""
        return sum(feature.size for feature in self.features)

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def describe(self) -> str:
        """The table as text."""
        rows = [("place", "feature", "shape", "meaning")]
        for feature in self.features:
            place = self[feature.name]
            rows.append(
                (f"{place.start}..{place.stop - 1}", feature.name, "×".join(map(str, feature.shape)), feature.meaning)
            )
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
        )
