"""How often each construct comes up in random folders, and each pair of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from tests.fuzz.draft import CONSTRUCTS


def count(folders: Iterable[Iterable[str]]) -> Counter[tuple[str, str]]:
    """Folders by pair of constructs; a construct by itself is a pair of it with itself."""
    found: Counter[tuple[str, str]] = Counter()
    for constructs in folders:
        there = [each for each in CONSTRUCTS if each in set(constructs)]
        found.update((each, each) for each in there)
        found.update(combinations(there, 2))
    return found


def table(found: Counter[tuple[str, str]]) -> str:
    """The counts as a triangle; on its diagonal stand the constructs by themselves."""
    width = max(map(len, CONSTRUCTS)) + 1
    lines = ["".join(f"{each:>{width}}" for each in ("", *CONSTRUCTS))]
    for row, first in enumerate(CONSTRUCTS):
        cells = ["" if column < row else str(found[first, second]) for column, second in enumerate(CONSTRUCTS)]
        lines.append("".join(f"{each:>{width}}" for each in (first, *cells)))
    return "\n".join(lines)
