"""Folders of one's own: a copy of a game, or a variant that names it as its parent."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Game
from abl_cards.games.description import AUXILIARY_DIR, COMMON_DIR, KB_ROOT


class UnknownRuleFile(GameError):
    """A file to be copied that the game has not."""


def copy_game(game: Game, directory: Path) -> str:
    """Copy every rule file, with the common ones; returns a message for the user."""
    ignored = shutil.ignore_patterns("__pycache__", "*.py")
    shutil.copytree(game.directory, directory, ignore=ignored)
    if not (directory / "common").exists():
        shutil.copytree(COMMON_DIR, directory / "common", ignore=ignored)
    return f"The rule files of {game.name} are in {directory}."


def make_variant(game: Game, directory: Path, files: Sequence[str]) -> str:
    """Make a folder that names the game as its parent, with copies of some files; returns a message for the user.

    Raises:
        GameError: If a file does not exist, or the folder cannot have this parent.
    """
    parent = _parent_name(game, directory)
    rules = {file.stem: file for file in game.folder.layers.files if file.stem != "variant"}
    layers = game.folder.layers
    beside = {"profiles": layers.profiles, AUXILIARY_DIR: layers.auxiliary_files}
    known = rules | {f"{folder}/{name}": file for folder, mine in beside.items() for name, file in mine.items()}
    chosen = [name.removesuffix(".lp") for name in files]
    for name in chosen:
        if name not in known:
            raise UnknownRuleFile(f"{game.name} has no {name}.lp; there are: {', '.join(sorted(known))}")
    directory.mkdir(parents=True)
    for name in chosen:
        to = directory / f"{name}.lp"
        to.parent.mkdir(exist_ok=True)
        shutil.copyfile(known[name], to)
    replaced = [name for name in chosen if name in rules]
    (directory / "variant.lp").write_text(_variant_text(game, parent, replaced, sorted(rules)), "utf-8")
    kept = f", with {', '.join(f'{name}.lp' for name in chosen)} to be edited" if chosen else ""
    return f"{directory} is a variant of {game.name}{kept}: variant.lp names its parent."


def _parent_name(game: Game, directory: Path) -> str:
    """Return the name of the parent in a variant: a shipped game, or a folder beside the new one."""
    if game.directory.resolve().parent == KB_ROOT.resolve():
        return game.folder.name
    if game.directory.resolve().parent != directory.resolve().parent:
        raise GameError(
            f"a variant lies beside its parent: create it in {game.directory.resolve().parent}, or use --standalone",
            ErrorCode.INVALID_FOLDER,
        )
    return game.folder.name


def _variant_text(game: Game, parent: str, chosen: Sequence[str], known: Sequence[str]) -> str:
    lines = [
        f"% A variant of {game.title}: what differs is here, all else is its parent's.",
        f"% Files that it may replace: {', '.join(known)}.",
        "",
        f"parent({parent}).",
        *(f"replaces({name})." for name in chosen),
    ]
    return "\n".join(lines) + "\n"
