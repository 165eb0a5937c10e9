"""Create rule folders: a copy of a game, or a variant that names the game as its parent."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from abl_cards.core import ErrorCode, GameError, make_folder
from abl_cards.games import Game
from abl_cards.games.description import AUXILIARY_DIR, COMMON_DIR, KB_ROOT


class UnknownRuleFile(GameError):
    """Error for a name that is not a rule file of the game."""


def copy_game(game: Game, directory: Path) -> str:
    """Copy all rule files of a game, with the common ones.

    Args:
        game: Game to copy.
        directory: New folder.

    Returns:
        Message for the user.
    """
    ignored = shutil.ignore_patterns("__pycache__", "*.py")
    with make_folder(directory):
        shutil.copytree(game.directory, directory, ignore=ignored, dirs_exist_ok=True)
        if not (directory / "common").exists():
            shutil.copytree(COMMON_DIR, directory / "common", ignore=ignored)
    return f"The rule files of {game.name} are in {directory}."


def make_variant(game: Game, directory: Path, files: Sequence[str]) -> str:
    """Create a variant: a folder that names the game as its parent, with copies of some files.

    Args:
        game: Parent of the variant.
        directory: New folder.
        files: Names of rule files to copy for editing.

    Returns:
        Message for the user.

    Raises:
        UnknownRuleFile: The game has no file of this name.
        GameError: The folder cannot have this parent.
    """
    parent = _parent_name(game, directory)
    rules = {file.stem: file for file in game.folder.layers.files if file.stem != "variant"}
    layers = game.folder.layers
    named_folders = {"profiles": layers.profiles, AUXILIARY_DIR: layers.auxiliary_files}
    available = rules | {
        f"{folder}/{name}": file
        for folder, files_by_name in named_folders.items()
        for name, file in files_by_name.items()
    }
    if layers.show_file:
        available[layers.show_file.stem] = layers.show_file
    selected = [name.removesuffix(".lp") for name in files]
    for name in selected:
        if name not in available:
            raise UnknownRuleFile(f"{game.name} has no {name}.lp; known: {', '.join(sorted(available))}")
    replaced = [name for name in selected if name in rules]
    with make_folder(directory):
        for name in selected:
            target = directory / f"{name}.lp"
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(available[name], target)
        (directory / "variant.lp").write_text(_variant_text(game, parent, replaced, sorted(rules)), "utf-8")
    selected_text = f", with {', '.join(f'{name}.lp' for name in selected)} to be edited" if selected else ""
    return f"{directory} is a variant of {game.name}{selected_text}: variant.lp names its parent."


def _parent_name(game: Game, directory: Path) -> str:
    """Return the name of the parent in a variant: a shipped game, or a folder beside the new one."""
    if game.directory.resolve().parent == KB_ROOT.resolve():
        return game.folder.name
    if game.directory.resolve().parent != directory.resolve().parent:
        raise GameError(
            f"a variant must be beside its parent: create it in {game.directory.resolve().parent}, or use --standalone",
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
