"""What is made once for each rules and kept beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from abl_cards.games.compiled.compiled_game import CompiledGame

T = TypeVar("T")


def cache_per_game(compute: Callable[[CompiledGame], T]) -> Callable[[CompiledGame], T]:
    """Make it when it is first asked for, as a cached property of rules would."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    def made(rules: CompiledGame) -> T:
        kept = rules.__dict__
        if name not in kept:
            kept[name] = compute(rules)
        found: T = kept[name]
        return found

    made.__doc__ = compute.__doc__
    return made
