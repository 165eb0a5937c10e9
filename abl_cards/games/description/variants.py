"""Variants: folders that name a parent, and contain only the differences from it.

``variant.lp`` names the parent: ``parent(guandan).`` is a game of the package, or a folder beside this one. The other
files are added to those of the parent. ``replaces(rules).`` replaces the parent's ``rules.lp`` by the file of the
folder, and ``leaves_out(tribute).`` drops a file of the parent. ``variant.lp`` may contain facts like any other file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from abl_cards.asp import (
    KBError,
    Limits,
    Location,
    PredicateUse,
    ProgramSummary,
    Signature,
    did_you_mean,
    make_error,
    make_kb_error,
    parse_program,
    read_sources,
)
from abl_cards.core import PACKAGE, ErrorCode

KB_ROOT = (PACKAGE / "kb").resolve()
"""Directory of the games of the package."""
COMMON_DIR = KB_ROOT / "common"
"""Directory of the rule files that games include."""
VARIANT_FILE = "variant.lp"
"""File that names the parent of a folder."""
SHOW_FILE = "show.lp"
"""File that states what a table shows; it contains no rules of the game."""
AUXILIARY_DIR = "science"
"""Subfolder of auxiliary rules, which the engine does not load."""
MAX_PARENTS = 8
"""Maximum length of a chain of parents."""

_NO_RULES = VARIANT_FILE, SHOW_FILE
_PARENT, _REPLACES, _LEAVES_OUT = Signature("parent", 1), Signature("replaces", 1), Signature("leaves_out", 1)


@dataclass(frozen=True)
class FolderLayers:
    """Folder with its chain of parents.

    Attributes:
        folders: Directories from the first parent to the folder itself.
        files: Rule files, sorted by name, without those that state what a table shows.
    """

    folders: tuple[Path, ...]
    files: tuple[Path, ...]

    @property
    def profiles(self) -> dict[str, Path]:
        """Files of the profiles by name; a folder overrides those of its parents."""
        files = {file.stem: file for folder in self.folders for file in sorted((folder / "profiles").glob("*.lp"))}
        return dict(sorted(files.items()))

    @property
    def auxiliary_files(self) -> dict[str, Path]:
        """Files of auxiliary rules by name; a folder overrides those of its parents."""
        return {file.stem: file for folder in self.folders for file in sorted((folder / AUXILIARY_DIR).glob("*.lp"))}

    @property
    def show_file(self) -> Path | None:
        """File that states what a table shows: that of the folder, else of its nearest parent; None without one."""
        files = (folder / SHOW_FILE for folder in reversed(self.folders))
        return next((file for file in files if file.is_file()), None)

    @property
    def include_paths(self) -> tuple[Path, ...]:
        """Directories that are searched by ``#include <name>.``; a folder may have common files of its own."""
        own = (folder / "common" for folder in reversed(self.folders))
        return tuple(dict.fromkeys(folder for folder in (*own, COMMON_DIR) if folder.is_dir()))


def resolve_layers(folder: Path) -> FolderLayers:
    """Follow the parents of a folder and merge their files.

    Args:
        folder: Rule folder.

    Raises:
        KBError: A folder or a file does not exist, files clash, or the parents form a cycle.
    """
    chain: list[tuple[Path, ProgramSummary | None]] = []
    location: Location | None = None
    while True:
        if not folder.is_dir():
            remedy = "name a game, or a folder of rule files"
            raise make_kb_error(f"{folder} is no directory", remedy, ErrorCode.INVALID_FOLDER)
        if any(_is_same_path(folder, other) for other, _ in chain):
            message = f"{folder.name} is its own parent, through {len(chain)} folders"
            raise KBError([make_error(location, message, "break the cycle", ErrorCode.INVALID_VARIANT)])
        if len(chain) > MAX_PARENTS:
            message, remedy = f"more than {MAX_PARENTS} parents of parents", "name a parent higher up"
            raise KBError([make_error(location, message, remedy, ErrorCode.INVALID_VARIANT)])
        variant = parse_files([folder / VARIANT_FILE]) if (folder / VARIANT_FILE).is_file() else None
        chain.append((folder, variant))
        parent = _find_only_fact(variant, _PARENT) if variant else None
        if parent is None:
            break
        location = parent.location
        folder = _find_parent_folder(folder, parent)
    return _merge_layers(chain[::-1])


def parse_files(files: list[Path], include_paths: tuple[Path, ...] = (COMMON_DIR,)) -> ProgramSummary:
    """Parse rule files; problems of the text are in the summary, and are reported when the files are loaded.

    Args:
        files: Rule files.
        include_paths: Directories that are searched by ``#include <name>.``.

    Returns:
        Summary of the predicates that the text declares and uses.
    """
    return _parse_sources(read_sources(files, Limits().file_bytes, include_paths)[0])


_parse_sources = lru_cache(maxsize=64)(parse_program)  # a folder is parsed when it is named, and when it is loaded


def _is_same_path(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _find_only_fact(program: ProgramSummary, signature: Signature) -> PredicateUse | None:
    """Return the only fact of a predicate, or None; raise KBError if there are several."""
    facts = [use for use in program.facts if use.signature == signature]
    if len(facts) > 1:
        message = f"two facts of {signature}"
        raise KBError([make_error(facts[1].location, message, "keep one of them", ErrorCode.CONFLICTING_FACTS)])
    return facts[0] if facts else None


def _read_name(use: PredicateUse) -> str:
    """Read the name in a fact; raise KBError if it is not a plain name."""
    name = use.pattern[0]
    text = str(name).strip('"') if name is not None else ""
    if not text or not all(character.isalnum() or character in "_-" for character in text):
        message, remedy = f"{use.signature.name}/1: expected a name", f"like {use.signature.name}(rules)."
        raise KBError([make_error(use.location, message, remedy, ErrorCode.INVALID_VARIANT)])
    return text


def _find_parent_folder(folder: Path, use: PredicateUse) -> Path:
    name = _read_name(use)
    beside, shipped = folder.resolve().parent / name, KB_ROOT / name
    for path in (beside, shipped):
        if path != COMMON_DIR and path.is_dir() and not _is_same_path(path, folder) and any(path.glob("*.lp")):
            return path
    games = sorted(path.name for path in KB_ROOT.iterdir() if path != COMMON_DIR and any(path.glob("*.lp")))
    siblings = sorted(
        path.name for path in folder.resolve().parent.iterdir() if path.is_dir() and any(path.glob("*.lp"))
    )
    suggestion = did_you_mean(name, [*games, *siblings])
    remedy = suggestion or f"there are: {', '.join(games)}, and the folders beside {folder.name}"
    message = f"there is no game and no folder '{name}' to be the parent"
    raise KBError([make_error(use.location, message, remedy, ErrorCode.INVALID_VARIANT)])


def _merge_layers(chain: list[tuple[Path, ProgramSummary | None]]) -> FolderLayers:
    files: dict[str, Path] = {}
    for folder, variant in chain:
        own_files = {file.stem: file for file in sorted(folder.glob("*.lp")) if file.name not in _NO_RULES}
        replaced = _read_file_names(variant, _REPLACES, files, own_files)
        for name in _read_file_names(variant, _LEAVES_OUT, files, files):
            del files[name]
        for name, file in own_files.items():
            if name in files and name not in replaced:
                remedy = f"write replaces({name}). in {folder / VARIANT_FILE}, or give the file another name"
                message = f"{file} exists in {files[name].parent.name} as well"
                raise make_kb_error(message, remedy, ErrorCode.INVALID_VARIANT)
            files[name] = file
        if variant is not None:
            files[f"{folder.name}/{VARIANT_FILE}"] = folder / VARIANT_FILE
    folders = tuple(folder for folder, _ in chain)
    return FolderLayers(folders, tuple(files[name] for name in sorted(files)))


def _read_file_names(
    program: ProgramSummary | None, signature: Signature, parent_files: dict[str, Path], own_files: dict[str, Path]
) -> set[str]:
    """Read the names of files in facts; raise KBError for a file that the parent or the folder does not have."""
    names = set()
    for use in program.facts if program else ():
        if use.signature == signature:
            name = _read_name(use)
            for files, owner in ((parent_files, "the parent has"), (own_files, "there is")):
                if name not in files:
                    remedy = did_you_mean(name, sorted(files)) or f"{owner}: {', '.join(sorted(files)) or 'none'}"
                    message = f"{signature.name}({name}): {owner} no {name}.lp"
                    raise KBError([make_error(use.location, message, remedy, ErrorCode.INVALID_VARIANT)])
            names.add(name)
    return names
