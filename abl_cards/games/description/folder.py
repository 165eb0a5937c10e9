"""A game as a folder of rule files: where it is, and what its text declares before anything is grounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from abl_cards.asp import (
    Diagnostic,
    Input,
    KBError,
    PredicateUse,
    ProgramSummary,
    Signature,
    Term,
    did_you_mean,
    is_inside,
    make_error,
    make_kb_error,
)
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.fluents import FLUENT_TYPES, read_fluent_types
from abl_cards.games.description.variants import (
    AUXILIARY_DIR,
    KB_ROOT,
    VARIANT_FILE,
    FolderLayers,
    parse_files,
    parse_rules_about,
    resolve_layers,
)

PREFERENCE_FILE = "preferences.lp"


@dataclass(frozen=True)
class Folder:
    """Some rule files with their profiles; a variant has those of its parents as well."""

    path: Path
    excluded_files: frozenset[str] = frozenset()  # files that are not read: they have no circuit (open_rules.py)
    preference_file: Path | None = None  # read in place of preferences.lp

    @property
    def name(self) -> str:
        """The word for the game."""
        return self.path.resolve().name

    @cached_property
    def layers(self) -> FolderLayers:
        """The folder and its parents; raises KBError."""
        return resolve_layers(self.path)

    @property
    def is_game(self) -> bool:
        """Whether the folder declares a game, or a variant of one."""
        return any((self.path / name).is_file() for name in ("game.lp", VARIANT_FILE))

    @property
    def is_trusted(self) -> bool:
        """Whether all of it came with the package."""
        shipped = all(folder.resolve().parent == KB_ROOT.resolve() for folder in self.layers.folders)
        return shipped and self.preference_file is None

    @property
    def include_paths(self) -> tuple[Path, ...]:
        """Where ``#include <name>.`` looks."""
        return self.layers.include_paths

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of the profiles."""
        return tuple(self.layers.profiles)

    def files(self, profile: str | None = None) -> list[Path]:
        """Everything in the folder, and one profile; raises KBError where there is none."""
        if not self.layers.files:
            raise make_kb_error(f"{self.path} has no rule files", "write labels.lp, or copy a game: abl-cards kb copy")
        files = self._files
        chosen = profile or self.default_profile
        if chosen is None:
            return files
        if chosen not in self.profiles:
            known = ", ".join(self.profiles) or "none"
            raise make_kb_error(f"unknown profile '{chosen}'", f"{self.path}/profiles has: {known}")
        return [*files, self.layers.profiles[chosen]]

    @property
    def _files(self) -> list[Path]:
        files = [file for file in self.layers.files if str(file) not in self.excluded_files]
        if self.preference_file is not None:
            files = [*(file for file in files if file.name != PREFERENCE_FILE), self.preference_file]
        return files

    def auxiliary_file(self, name: str) -> Path:
        """A file of rules that others than the engine ask; raises KBError."""
        known = self.layers.auxiliary_files
        if name not in known:
            has = ", ".join(known) or "nothing"
            raise make_kb_error(
                f"{self.path} has no {AUXILIARY_DIR}/{name}.lp", f"the folder {AUXILIARY_DIR} has: {has}"
            )
        return known[name]

    def fingerprint(self, profile: str | None = None) -> tuple[tuple[str, int, int], ...]:
        """The times and sizes of the files, with those of science and of common files: they change with the files."""
        shelves = (file for shelf in self.include_paths for file in sorted(shelf.glob("*.lp")))
        files = [*self.files(profile), *self.layers.auxiliary_files.values(), *shelves]
        found = ((str(file), file.stat()) for file in files if file.exists())
        return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)

    @cached_property
    def default_profile(self) -> str | None:
        """What ``default_profile/1`` says, else the only profile; None where there are none. Raises KBError."""
        said = [use for use in self._metadata_program.heads if use.signature == Signature("default_profile", 1)]
        if said and (problem := self.check_default_profile(said[-1])):
            raise KBError([problem])
        if not self.profiles:
            return None
        if said:
            return str(said[-1].pattern[0])
        if len(self.profiles) == 1:
            return self.profiles[0]
        raise make_kb_error(
            f"{self.path} has several profiles", "say in game.lp which is the usual one: default_profile(…)."
        )

    def check_default_profile(self, use: PredicateUse) -> Diagnostic | None:
        """What is wrong with a fact ``default_profile/1``; None where there is such a profile."""
        name = str(use.pattern[0])
        if name in self.profiles:
            return None
        remedy = did_you_mean(name, self.profiles) or f"there are: {', '.join(self.profiles) or 'none'}"
        return make_error(use.location, f"default_profile({name}): {name} is no profile", remedy)

    @property
    def title(self) -> str:
        """Its names in all languages, else that of the folder."""
        return " ".join(self.titles.values()) or self.name

    @property
    def titles(self) -> dict[str, str]:
        """Its names by language, in the order in which ``title/2`` says them."""
        said = [use.pattern for use in self._metadata_program.heads if use.signature == Signature("title", 2)]
        return {str(language): str(text).strip('"') for language, text in said}

    @property
    def platforms(self) -> tuple[str, ...]:
        """Whose tables and records of this game are known besides our own, as ``platform/1`` says."""
        said = [
            str(use.pattern[0]) for use in self._metadata_program.heads if use.signature == Signature("platform", 1)
        ]
        return tuple(dict.fromkeys(said))

    @cached_property
    def _metadata_program(self) -> ProgramSummary:
        return parse_rules_about(("default_profile", "title", "platform"), self._files, self.include_paths)

    def program(self, profile: str | None = None, auxiliary: tuple[str, ...] = ()) -> ProgramSummary:
        """What the text declares and uses, with some files of the subfolder science."""
        return parse_files([*self.files(profile), *map(self.auxiliary_file, auxiliary)], self.include_paths)


def find_fluent_declarations(program: ProgramSummary) -> Iterator[tuple[str, tuple[Term | None, ...]]]:
    """The facts that declare fluents."""
    for use in program.heads:
        if use.signature.name in FLUENT_TYPES and use.signature.arity == 2:
            yield use.signature.name, use.pattern


def load_knowledge_base(
    folder: Folder,
    profile: str | None,
    outputs: set[Signature],
    inputs: set[Signature],
    cache: bool = True,
    auxiliary: tuple[str, ...] = (),
) -> KnowledgeBase:
    """Load and check, with some files of the subfolder science; of the outputs those that the rules derive.

    Raises KBError.
    """
    files = [*folder.files(profile), *(folder.auxiliary_file(name) for name in auxiliary)]
    program = parse_files(files, folder.include_paths)
    derived = {use.signature for use in program.heads} | program.defined
    fluents = set(read_fluent_types(find_fluent_declarations(program)))
    taken = sorted({each.name for each in fluents} & {each.name for each in inputs})
    if taken:
        raise make_kb_error(
            f"'{taken[0]}' is declared as a fluent, and an input has that name", "give the fluent another name"
        )
    kb = KnowledgeBase.load(
        files,
        inputs=[Input(*each[:1], arity=each.arity) for each in sorted(inputs | fluents)],
        outputs=sorted(outputs & derived),
        trusted=folder.is_trusted,
        cache=cache,
        library=folder.include_paths,
    )
    shelves = [shelf.resolve() for shelf in folder.include_paths]
    # A game need not use all that a common file says, and who wrote the game can do nothing about it.
    ours = tuple(each for each in kb.warnings if each.location is None or not is_inside(each.location.file, shelves))
    return replace(kb, warnings=ours)
