"""Cache values that are computed once for each compiled game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from abl_cards.games.compiled.compiled_game import CompiledGame

T = TypeVar("T")


def cache_per_game(compute: Callable[[CompiledGame], T]) -> Callable[[CompiledGame], T]:
    """Cache the result of a function for each compiled game, as a cached property of the game would.

    Args:
        compute: Function of a compiled game.

    Returns:
        Function that calls ``compute`` once for each game.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    def get_or_compute(rules: CompiledGame) -> T:
        cache = rules.__dict__
        if name not in cache:
            cache[name] = compute(rules)
        value: T = cache[name]
        return value

    get_or_compute.__doc__ = compute.__doc__
    return get_or_compute
