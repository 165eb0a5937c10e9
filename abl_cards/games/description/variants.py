"""Variants: a folder that names its parent, and holds only what differs.

``variant.lp`` says whose rules a folder takes over: ``parent(guandan).`` names a game that comes with the package, or a
folder beside this one. The other files are added to those of the parent, with two words more: ``replaces(rules).`` puts
``rules.lp`` in the place of the parent's, ``leaves_out(tribute).`` does without that file. ``variant.lp`` may set
switches like any other file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clingo import ast

from abl_cards.asp import (
    KBError,
    Limits,
    Location,
    PredicateUse,
    ProgramSummary,
    RuleSources,
    Signature,
    did_you_mean,
    make_error,
    make_kb_error,
    parse_program,
    parse_sources,
    read_sources,
    summarise_files,
    summarise_statements,
)
from abl_cards.core import PACKAGE

KB_ROOT = (PACKAGE / "kb").resolve()
COMMON_DIR = KB_ROOT / "common"
VARIANT_FILE = "variant.lp"
AUXILIARY_DIR = "science"
"""The subfolder of rules beside play: whoever asks them loads them with the others, and knows what they are told."""
MAX_PARENTS = 8
"""Parents of parents."""

_PARENT, _REPLACES, _LEAVES_OUT = Signature("parent", 1), Signature("replaces", 1), Signature("leaves_out", 1)


@dataclass(frozen=True)
class FolderLayers:
    """What a folder consists of: itself and its parents."""

    folders: tuple[Path, ...]  # from the first parent to the folder itself
    files: tuple[Path, ...]  # rule files in the order of their names

    @property
    def profiles(self) -> dict[str, Path]:
        """The files of the profiles by name; those of a child come before those of its parent."""
        found = {file.stem: file for folder in self.folders for file in sorted((folder / "profiles").glob("*.lp"))}
        return dict(sorted(found.items()))

    @property
    def auxiliary_files(self) -> dict[str, Path]:
        """The files that others than the engine ask, by name; those of a child come before those of its parent."""
        return {file.stem: file for folder in self.folders for file in sorted((folder / AUXILIARY_DIR).glob("*.lp"))}

    @property
    def include_paths(self) -> tuple[Path, ...]:
        """Where ``#include <name>.`` looks: a copy carries its own common files along."""
        own = (folder / "common" for folder in reversed(self.folders))
        return tuple(dict.fromkeys(folder for folder in (*own, COMMON_DIR) if folder.is_dir()))


def resolve_layers(folder: Path) -> FolderLayers:
    """Follow the parents of a folder; raises KBError with the place of what is wrong."""
    chain: list[tuple[Path, ProgramSummary | None]] = []
    where: Location | None = None
    while True:
        if not folder.is_dir():
            raise make_kb_error(f"{folder} is no directory", "name a game, or a folder of rule files")
        if any(_is_same_path(folder, other) for other, _ in chain):
            raise KBError(
                [
                    make_error(
                        where, f"{folder.name} is its own parent, through {len(chain)} folders", "break the circle"
                    )
                ]
            )
        if len(chain) > MAX_PARENTS:
            raise KBError(
                [make_error(where, f"more than {MAX_PARENTS} parents of parents", "take over from a parent higher up")]
            )
        said = parse_files([folder / VARIANT_FILE]) if (folder / VARIANT_FILE).is_file() else None
        chain.append((folder, said))
        parent = _find_only_fact(said, _PARENT) if said else None
        if parent is None:
            break
        where = parent.location
        folder = _find_parent_folder(folder, parent)
    return _merge_layers(chain[::-1])


def parse_files(files: list[Path], include_paths: tuple[Path, ...] = (COMMON_DIR,)) -> ProgramSummary:
    """What the text of some files declares and uses; what is wrong with it is found when it is loaded."""
    return _parse_sources(read_sources(files, Limits().file_bytes, include_paths)[0])


def parse_rules_about(
    names: tuple[str, ...], files: list[Path], include_paths: tuple[Path, ...] = (COMMON_DIR,)
) -> ProgramSummary:
    """The rules whose heads have one of these names, and nothing else of the text: much less to look at."""
    return _parse_rules_about(names, read_sources(files, Limits().file_bytes, include_paths)[0])


@lru_cache(maxsize=64)  # whoever names a game asks which profile is the usual one
def _parse_rules_about(names: tuple[str, ...], sources: RuleSources) -> ProgramSummary:
    words = (*names, "#const")
    some = RuleSources(tuple(source for source in sources.files if any(word in source.scan.code for word in words)))
    if not _is_shipped(some):
        return parse_program(some)
    statements = parse_sources(some)[0]
    return summarise_statements([each for each in statements if _is_about(names, each)], sources, {})


def _is_about(names: tuple[str, ...], statement: ast.AST) -> bool:
    if statement.ast_type == ast.ASTType.Rule:
        return str(statement.head).startswith(names)
    return bool(statement.ast_type == ast.ASTType.Definition)


@lru_cache(maxsize=16)  # who loads a folder asks several times what its text says
def _parse_sources(sources: RuleSources) -> ProgramSummary:
    return summarise_files(sources, {}) if _is_shipped(sources) else parse_program(sources)


def _is_shipped(sources: RuleSources) -> bool:
    """Whether all files came with the package; others are parsed in a child process."""
    return all(Path(os.path.realpath(source.path)).is_relative_to(KB_ROOT) for source in sources.files)


def _is_same_path(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _find_only_fact(program: ProgramSummary, signature: Signature) -> PredicateUse | None:
    """The one fact of this kind."""
    found = [use for use in program.facts if use.signature == signature]
    if len(found) > 1:
        raise KBError([make_error(found[1].location, f"two facts of {signature}", "keep one of them")])
    return found[0] if found else None


def _read_name(use: PredicateUse) -> str:
    """The name that a fact gives."""
    name = use.pattern[0]
    text = str(name).strip('"') if name is not None else ""
    if not text or not all(letter.isalnum() or letter in "_-" for letter in text):
        raise KBError(
            [
                make_error(
                    use.location, f"{use.signature.name}/1: a name is wanted", f"like {use.signature.name}(rules)."
                )
            ]
        )
    return text


def _find_parent_folder(folder: Path, use: PredicateUse) -> Path:
    name = _read_name(use)
    beside, shipped = folder.resolve().parent / name, KB_ROOT / name
    for found in (beside, shipped):
        if found != COMMON_DIR and found.is_dir() and not _is_same_path(found, folder) and any(found.glob("*.lp")):
            return found
    games = sorted(each.name for each in KB_ROOT.iterdir() if each != COMMON_DIR and any(each.glob("*.lp")))
    near = sorted(each.name for each in folder.resolve().parent.iterdir() if each.is_dir() and any(each.glob("*.lp")))
    remedy = (
        did_you_mean(name, [*games, *near]) or f"there are: {', '.join(games)}, and the folders beside {folder.name}"
    )
    raise KBError([make_error(use.location, f"there is no game and no folder '{name}' to take over from", remedy)])


def _merge_layers(chain: list[tuple[Path, ProgramSummary | None]]) -> FolderLayers:
    found: dict[str, Path] = {}
    for folder, said in chain:
        own = {file.stem: file for file in sorted(folder.glob("*.lp")) if file.name != VARIANT_FILE}
        instead = _read_file_names(said, _REPLACES, found, own)
        for name in _read_file_names(said, _LEAVES_OUT, found, found):
            del found[name]
        for name, file in own.items():
            if name in found and name not in instead:
                remedy = f"write replaces({name}). in {folder / VARIANT_FILE}, or give the file another name"
                raise make_kb_error(f"{file} is there in {found[name].parent.name} as well", remedy)
            found[name] = file
        if said is not None:
            found[f"{folder.name}/{VARIANT_FILE}"] = folder / VARIANT_FILE
    folders = tuple(folder for folder, _ in chain)
    return FolderLayers(folders, tuple(found[name] for name in sorted(found)))


def _read_file_names(
    program: ProgramSummary | None, signature: Signature, parent_files: dict[str, Path], own_files: dict[str, Path]
) -> set[str]:
    """The files that facts name; each must be there in the parent, and in what else is given."""
    names = set()
    for use in program.facts if program else ():
        if use.signature == signature:
            name = _read_name(use)
            for there, whose in ((parent_files, "the parent has"), (own_files, "there is")):
                if name not in there:
                    remedy = did_you_mean(name, sorted(there)) or f"{whose}: {', '.join(sorted(there)) or 'none'}"
                    raise KBError([make_error(use.location, f"{signature.name}({name}): {whose} no {name}.lp", remedy)])
            names.add(name)
    return names
