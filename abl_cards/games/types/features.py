"""Layout of an observation vector: named features and the slice of each.

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
    """Named feature of an observation vector.

    Attributes:
        name: Key of the feature in the table.
        shape: Shape of the feature before it is flattened.
        meaning: Description for people.
        has_card_axis: The last axis has one entry for each kind of card.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    has_card_axis: bool = False

    @property
    def size(self) -> int:
        """Number of entries in the observation vector."""
        return prod(self.shape)


@dataclass(frozen=True)
class FeatureTable:
    """Features of an observation vector in order.

    Attributes:
        features: Features from the first entry of the vector on.
        max_value: Greatest value of any entry.
    """

    features: tuple[ObservationFeature, ...]
    max_value: int = 2

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Slice of each feature in the observation vector, by name."""
        slices, start = {}, 0
        for feature in self.features:
            slices[feature.name] = slice(start, start + feature.size)
            start += feature.size
        return slices

    @property
    def size(self) -> int:
        """Length of the observation vector."""
        return sum(feature.size for feature in self.features)

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def describe(self) -> str:
        """Return the layout as a table in text, one feature a line."""
        rows = [("place", "feature", "shape", "meaning")]
        for feature in self.features:
            entries = self[feature.name]
            rows.append(
                (
                    f"{entries.start}..{entries.stop - 1}",
                    feature.name,
                    "×".join(map(str, feature.shape)),
                    feature.meaning,
                )
            )
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
        )
