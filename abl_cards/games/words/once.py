"""What is made once for each rules and kept beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from abl_cards.games.reading.rules import Rules

Made = TypeVar("Made")


def once(make: Callable[[Rules], Made]) -> Callable[[Rules], Made]:
    """Make it when it is first asked for, as a cached property of rules would."""
    name = f"{make.__module__}.{make.__qualname__}"

    def made(rules: Rules) -> Made:
        kept = rules.__dict__
        if name not in kept:
            kept[name] = make(rules)
        found: Made = kept[name]
        return found

    made.__doc__ = make.__doc__
    return made
