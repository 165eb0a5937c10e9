"""Counts of constructs and pairs of constructs in random folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from tests.fuzz.draft import CONSTRUCTS


def count(folders: Iterable[Iterable[str]]) -> Counter[tuple[str, str]]:
    """Count folders by pair of constructs; a single construct is paired with itself."""
    pairs: Counter[tuple[str, str]] = Counter()
    for constructs in folders:
        there = [construct for construct in CONSTRUCTS if construct in set(constructs)]
        pairs.update((construct, construct) for construct in there)
        pairs.update(combinations(there, 2))
    return pairs


def table(pairs: Counter[tuple[str, str]]) -> str:
    """Format the counts as a triangle, with single constructs on its diagonal."""
    width = max(map(len, CONSTRUCTS)) + 1
    lines = ["".join(f"{name:>{width}}" for name in ("", *CONSTRUCTS))]
    for row, first in enumerate(CONSTRUCTS):
        cells = ["" if column < row else str(pairs[first, second]) for column, second in enumerate(CONSTRUCTS)]
        lines.append("".join(f"{cell:>{width}}" for cell in (first, *cells)))
    return "\n".join(lines)
