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

import kb
from abl_cards.logic import KBError, Limits, Location, Signature
from abl_cards.logic.errors import error, kb_error, suggestion
from abl_cards.logic.parsing import program_of
from abl_cards.logic.program import Sources, parse, read
from abl_cards.logic.statements import Program, Use, collect, collect_files

HOME = Path(os.path.realpath(kb.__file__)).parent
COMMON = HOME / "common"
VARIANT = "variant.lp"
SCIENCE = "science"
"""The subfolder of rules beside play: whoever asks them loads them with the others, and knows what they are told."""
DEEPEST = 8
"""Parents of parents."""

_PARENT, _REPLACES, _LEAVES_OUT = Signature("parent", 1), Signature("replaces", 1), Signature("leaves_out", 1)


@dataclass(frozen=True)
class Layers:
    """What a folder consists of: itself and its parents."""

    folders: tuple[Path, ...]  # from the first parent to the folder itself
    files: tuple[Path, ...]  # rule files in the order of their names

    @property
    def profiles(self) -> dict[str, Path]:
        """The files of the profiles by name; those of a child come before those of its parent."""
        found = {file.stem: file for folder in self.folders for file in sorted((folder / "profiles").glob("*.lp"))}
        return dict(sorted(found.items()))

    @property
    def science(self) -> dict[str, Path]:
        """The files that others than the engine ask, by name; those of a child come before those of its parent."""
        return {file.stem: file for folder in self.folders for file in sorted((folder / SCIENCE).glob("*.lp"))}

    @property
    def library(self) -> tuple[Path, ...]:
        """Where ``#include <name>.`` looks: a copy carries its own common files along."""
        own = (folder / "common" for folder in reversed(self.folders))
        return tuple(dict.fromkeys(folder for folder in (*own, COMMON) if folder.is_dir()))


def layers_of(folder: Path) -> Layers:
    """Follow the parents of a folder; raises KBError with the place of what is wrong."""
    chain: list[tuple[Path, Program | None]] = []
    where: Location | None = None
    while True:
        if not folder.is_dir():
            raise kb_error(f"{folder} is no directory", "name a game, or a folder of rule files")
        if any(_same(folder, other) for other, _ in chain):
            raise KBError(
                [error(where, f"{folder.name} is its own parent, through {len(chain)} folders", "break the circle")]
            )
        if len(chain) > DEEPEST:
            raise KBError(
                [error(where, f"more than {DEEPEST} parents of parents", "take over from a parent higher up")]
            )
        said = text_of([folder / VARIANT]) if (folder / VARIANT).is_file() else None
        chain.append((folder, said))
        parent = _only(said, _PARENT) if said else None
        if parent is None:
            break
        where = parent.location
        folder = _parent_folder(folder, parent)
    return _layered(chain[::-1])


def text_of(files: list[Path], library: tuple[Path, ...] = (COMMON,)) -> Program:
    """What the text of some files declares and uses; what is wrong with it is found when it is loaded."""
    return _program(read(files, Limits().file_bytes, library)[0])


def text_about(names: tuple[str, ...], files: list[Path], library: tuple[Path, ...] = (COMMON,)) -> Program:
    """The rules whose heads have one of these names, and nothing else of the text: much less to look at."""
    return _about(names, read(files, Limits().file_bytes, library)[0])


@lru_cache(maxsize=64)  # whoever names a game asks which profile is the usual one
def _about(names: tuple[str, ...], sources: Sources) -> Program:
    words = (*names, "#const")
    some = Sources(tuple(source for source in sources.files if any(word in source.scan.code for word in words)))
    if not _shipped(some):
        return program_of(some)
    statements = parse(some)[0]
    return collect([each for each in statements if _is_about(names, each)], sources, {})


def _is_about(names: tuple[str, ...], statement: ast.AST) -> bool:
    if statement.ast_type == ast.ASTType.Rule:
        return str(statement.head).startswith(names)
    return bool(statement.ast_type == ast.ASTType.Definition)


@lru_cache(maxsize=16)  # who loads a folder asks several times what its text says
def _program(sources: Sources) -> Program:
    return collect_files(sources, {}) if _shipped(sources) else program_of(sources)


def _shipped(sources: Sources) -> bool:
    """Whether all files came with the package; others are parsed in a child process."""
    return all(Path(os.path.realpath(source.path)).is_relative_to(HOME) for source in sources.files)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _only(said: Program, signature: Signature) -> Use | None:
    """The one fact of this kind."""
    found = [use for use in said.facts if use.signature == signature]
    if len(found) > 1:
        raise KBError([error(found[1].location, f"two facts of {signature}", "keep one of them")])
    return found[0] if found else None


def _word(use: Use) -> str:
    """The name that a fact gives."""
    name = use.pattern[0]
    text = str(name).strip('"') if name is not None else ""
    if not text or not all(letter.isalnum() or letter in "_-" for letter in text):
        raise KBError(
            [error(use.location, f"{use.signature.name}/1: a name is wanted", f"like {use.signature.name}(rules).")]
        )
    return text


def _parent_folder(folder: Path, use: Use) -> Path:
    name = _word(use)
    beside, shipped = folder.resolve().parent / name, HOME / name
    for found in (beside, shipped):
        if found != COMMON and found.is_dir() and not _same(found, folder) and any(found.glob("*.lp")):
            return found
    games = sorted(each.name for each in HOME.iterdir() if each != COMMON and any(each.glob("*.lp")))
    near = sorted(each.name for each in folder.resolve().parent.iterdir() if each.is_dir() and any(each.glob("*.lp")))
    remedy = suggestion(name, [*games, *near]) or f"there are: {', '.join(games)}, and the folders beside {folder.name}"
    raise KBError([error(use.location, f"there is no game and no folder '{name}' to take over from", remedy)])


def _layered(chain: list[tuple[Path, Program | None]]) -> Layers:
    found: dict[str, Path] = {}
    for folder, said in chain:
        own = {file.stem: file for file in sorted(folder.glob("*.lp")) if file.name != VARIANT}
        instead = _named(said, _REPLACES, found, own)
        for name in _named(said, _LEAVES_OUT, found, found):
            del found[name]
        for name, file in own.items():
            if name in found and name not in instead:
                remedy = f"write replaces({name}). in {folder / VARIANT}, or give the file another name"
                raise kb_error(f"{file} is there in {found[name].parent.name} as well", remedy)
            found[name] = file
        if said is not None:
            found[f"{folder.name}/{VARIANT}"] = folder / VARIANT
    folders = tuple(folder for folder, _ in chain)
    return Layers(folders, tuple(found[name] for name in sorted(found)))


def _named(said: Program | None, signature: Signature, before: dict[str, Path], own: dict[str, Path]) -> set[str]:
    """The files that facts name; each must be there in the parent, and in what else is given."""
    names = set()
    for use in said.facts if said else ():
        if use.signature == signature:
            name = _word(use)
            for there, whose in ((before, "the parent has"), (own, "there is")):
                if name not in there:
                    remedy = suggestion(name, sorted(there)) or f"{whose}: {', '.join(sorted(there)) or 'none'}"
                    raise KBError([error(use.location, f"{signature.name}({name}): {whose} no {name}.lp", remedy)])
            names.add(name)
    return names
