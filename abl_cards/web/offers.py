"""Games and agents that the page offers: titles, the first game, and agents with weights."""

from __future__ import annotations

from collections.abc import Sequence

from abl_cards.games import Game
from abl_cards.web.game_tiles import title_pair
from abl_cards.web.texts import BilingualText

DEFAULT_AGENTS = ("kb", "greedy", "random")
LEARNED_AGENT = "abl"


def default_agent() -> str:
    """Return the agent of the first table."""
    return DEFAULT_AGENTS[0]


def has_weights(name: str) -> bool:
    """Return whether weights for a game are shipped."""
    from abl_cards.learners import list_shipped_presets

    return bool(list_shipped_presets(name))


def choose_default_game(names: Sequence[str]) -> str:
    """Return the game with shipped weights of the simplest preset, or else the first game."""
    from abl_cards.learners import PRESETS, list_shipped_presets

    order = list(PRESETS)  # simpler presets come first
    return min(names, key=lambda name: min(map(order.index, list_shipped_presets(name)), default=len(order)))


def profile_title(loaded_game: Game, profile: str) -> BilingualText:
    """Return the title of a profile in both languages; without titles, derived from the name of its file."""
    titles, fallback = loaded_game.folder.profile_titles(profile), profile.replace("_", " ")
    return [titles.get("en", fallback), titles.get("zh", fallback)]


def bilingual_title(loaded_game: Game) -> BilingualText:
    """Return the title of a game in both languages.

    Args:
        loaded_game: Game.

    Returns:
        English and Chinese title; without titles, derived from the name of its folder.
    """
    return title_pair(loaded_game.folder)
