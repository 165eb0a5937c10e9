"""Compile games: once until a file changes, without the cache, or without the full check."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import Folder
from abl_cards.games.engine import Engine
from abl_cards.games.game import Game, load
from abl_cards.games.validation import compile_rules, validated_rules

MIN_TIMEOUT_SECONDS = 5.0
"""Seconds of work within which no limit of time can have refused a folder."""


def resolve_game(game: Game | Engine | str | Path) -> Game:
    """Return a game from any of its forms: a name, a path, a game or an engine.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.

    Returns:
        The game, with the profile of an engine.

    Raises:
        GameError: There is no such game.
    """
    if isinstance(game, Engine):
        return Game(game.rules.folder, game.rules.profile)
    return game if isinstance(game, Game) else load(game)


def compile_engine(game: Game | Engine | str | Path, profile: str | None = None) -> Engine:
    """Compile a game; an engine is returned unchanged.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.
        profile: Profile of the rules; None for the profile of the game.

    Returns:
        The compiled game.

    Raises:
        GameError: There is no such game or profile, or an engine was passed with a profile.
        KBError: The rules have errors.
    """
    if isinstance(game, Engine):
        if profile is not None:
            raise GameError("an engine has its profile already: pass a game instead", ErrorCode.INVALID_VALUE)
        return game
    given = resolve_game(game)
    return (given if profile is None else given.with_profile(profile)).engine()


def cached_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder, once until one of its files changes.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
        name: Name of the game, for messages and records.

    Raises:
        KBError: The rules have errors, as ``abl-cards kb check`` reports them.
    """
    result = _cached_engine_or_error(folder, profile, name, (folder.path.resolve(), folder.fingerprint(profile)))
    if isinstance(result, KBError):
        raise KBError(result.diagnostics)
    return result


def uncached_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder without the disk cache, for folders that are edited often.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
        name: Name of the game, for messages and records.

    Raises:
        KBError: The rules have errors.
    """
    return Engine(validated_rules(replace(folder), profile), name)


def unchecked_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile a folder without the full check, to compare rules that ``kb check`` may refuse.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
        name: Name of the game, for messages and records.

    Raises:
        KBError: The rules do not compile.
    """
    return Engine(compile_rules(replace(folder), profile), name)


@lru_cache(maxsize=64)
def _cached_engine_or_error(folder: Folder, profile: str | None, name: str, state: object) -> Engine | KBError:
    """Return the engine, or its errors; errors after long work, which may come from a time limit, are not cached."""
    started = perf_counter()
    try:
        return Engine(validated_rules(replace(folder), profile), name)  # a folder caches the files that it has read
    except KBError as problem:
        if perf_counter() - started > MIN_TIMEOUT_SECONDS:
            raise
        return KBError(problem.diagnostics)
