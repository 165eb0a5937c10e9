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
    return bool(_packaged_presets(name))


def _packaged_presets(name: str) -> list[int]:
    """Return the indices of the presets with shipped weights; simpler presets have lower indices."""
    from abl_cards.learners import PRESETS, WEIGHTS_FOLDER

    return [index for index, preset in enumerate(PRESETS) if (WEIGHTS_FOLDER / f"{name}-{preset}.safetensors").exists()]


def choose_default_game(names: Sequence[str]) -> str:
    """Return the game with shipped weights of the simplest preset, or else the first game."""
    return min(names, key=lambda name: min(_packaged_presets(name), default=1 << 10))


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
