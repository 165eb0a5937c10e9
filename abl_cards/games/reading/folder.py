"""A game as a folder of rule files: where it is, and what its text declares before anything is grounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from abl_cards.games.reading.fluents import MANNERS, declared_fluents
from abl_cards.games.reading.variants import HOME, SCIENCE, VARIANT, Layers, layers_of, text_about, text_of
from abl_cards.logic import Input, KBError, KnowledgeBase, Signature, Term
from abl_cards.logic.errors import Diagnostic, error, kb_error, suggestion
from abl_cards.logic.files import lies_in
from abl_cards.logic.statements import Program, Use


@dataclass(frozen=True)
class Folder:
    """Some rule files with their profiles; a variant has those of its parents as well."""

    path: Path
    set_aside: frozenset[str] = frozenset()  # files that are not read: they have no circuit (open_rules.py)

    @property
    def name(self) -> str:
        """The word for the game."""
        return self.path.resolve().name

    @cached_property
    def layers(self) -> Layers:
        """The folder and its parents; raises KBError."""
        return layers_of(self.path)

    @property
    def is_game(self) -> bool:
        """Whether the folder declares a game, or a variant of one."""
        return any((self.path / name).is_file() for name in ("game.lp", VARIANT))

    @property
    def trusted(self) -> bool:
        """Whether all of it came with the package."""
        return all(folder.resolve().parent == HOME.resolve() for folder in self.layers.folders)

    @property
    def library(self) -> tuple[Path, ...]:
        """Where ``#include <name>.`` looks."""
        return self.layers.library

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of the profiles."""
        return tuple(self.layers.profiles)

    def files(self, profile: str | None = None) -> list[Path]:
        """Everything in the folder, and one profile; raises KBError where there is none."""
        if not self.layers.files:
            raise kb_error(f"{self.path} has no rule files", "write labels.lp, or copy a game: abl-cards kb copy")
        files = self._files
        chosen = profile or self.default_profile
        if chosen is None:
            return files
        if chosen not in self.profiles:
            known = ", ".join(self.profiles) or "none"
            raise kb_error(f"unknown profile '{chosen}'", f"{self.path}/profiles has: {known}")
        return [*files, self.layers.profiles[chosen]]

    @property
    def _files(self) -> list[Path]:
        return [file for file in self.layers.files if str(file) not in self.set_aside]

    def science(self, name: str) -> Path:
        """A file of rules that others than the engine ask; raises KBError."""
        known = self.layers.science
        if name not in known:
            has = ", ".join(known) or "nothing"
            raise kb_error(f"{self.path} has no {SCIENCE}/{name}.lp", f"the folder {SCIENCE} has: {has}")
        return known[name]

    def state(self, profile: str | None = None) -> tuple[tuple[str, int, int], ...]:
        """The times and sizes of the files, with those of science and of common files: they change with the files."""
        shelves = (file for shelf in self.library for file in sorted(shelf.glob("*.lp")))
        files = [*self.files(profile), *self.layers.science.values(), *shelves]
        found = ((str(file), file.stat()) for file in files if file.exists())
        return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)

    @cached_property
    def default_profile(self) -> str | None:
        """What ``default_profile/1`` says, else the only profile; None where there are none. Raises KBError."""
        said = [use for use in self._text.heads if use.signature == Signature("default_profile", 1)]
        if said and (problem := self.no_profile(said[-1])):
            raise KBError([problem])
        if not self.profiles:
            return None
        if said:
            return str(said[-1].pattern[0])
        if len(self.profiles) == 1:
            return self.profiles[0]
        raise kb_error(
            f"{self.path} has several profiles", "say in game.lp which is the usual one: default_profile(…)."
        )

    def no_profile(self, use: Use) -> Diagnostic | None:
        """What is wrong with a fact ``default_profile/1``; None where there is such a profile."""
        name = str(use.pattern[0])
        if name in self.profiles:
            return None
        remedy = suggestion(name, self.profiles) or f"there are: {', '.join(self.profiles) or 'none'}"
        return error(use.location, f"default_profile({name}): {name} is no profile", remedy)

    @property
    def title(self) -> str:
        """Its names in all languages, else that of the folder."""
        return " ".join(self.titles.values()) or self.name

    @property
    def titles(self) -> dict[str, str]:
        """Its names by language, in the order in which ``title/2`` says them."""
        said = [use.pattern for use in self._text.heads if use.signature == Signature("title", 2)]
        return {str(language): str(text).strip('"') for language, text in said}

    @property
    def platforms(self) -> tuple[str, ...]:
        """Whose tables and records of this game are known besides our own, as ``platform/1`` says."""
        said = [str(use.pattern[0]) for use in self._text.heads if use.signature == Signature("platform", 1)]
        return tuple(dict.fromkeys(said))

    @cached_property
    def _text(self) -> Program:
        return text_about(("default_profile", "title", "platform"), self._files, self.library)

    def program(self, profile: str | None = None, science: tuple[str, ...] = ()) -> Program:
        """What the text declares and uses, with some files of the subfolder science."""
        return text_of([*self.files(profile), *map(self.science, science)], self.library)


def declarations(program: Program) -> Iterator[tuple[str, tuple[Term | None, ...]]]:
    """The facts that declare fluents."""
    for use in program.heads:
        if use.signature.name in MANNERS and use.signature.arity == 2:
            yield use.signature.name, use.pattern


def load(
    folder: Folder,
    profile: str | None,
    outputs: set[Signature],
    inputs: set[Signature],
    cache: bool = True,
    science: tuple[str, ...] = (),
) -> KnowledgeBase:
    """Load and check, with some files of the subfolder science; of the outputs those that the rules derive.

    Raises KBError.
    """
    files = [*folder.files(profile), *(folder.science(name) for name in science)]
    program = text_of(files, folder.library)
    derived = {use.signature for use in program.heads} | program.defined
    fluents = set(declared_fluents(declarations(program)))
    taken = sorted({each.name for each in fluents} & {each.name for each in inputs})
    if taken:
        raise kb_error(
            f"'{taken[0]}' is declared as a fluent, and an input has that name", "give the fluent another name"
        )
    kb = KnowledgeBase.load(
        files,
        inputs=[Input(*each[:1], arity=each.arity) for each in sorted(inputs | fluents)],
        outputs=sorted(outputs & derived),
        trusted=folder.trusted,
        cache=cache,
        library=folder.library,
    )
    shelves = [shelf.resolve() for shelf in folder.library]
    # A game need not use all that a common file says, and who wrote the game can do nothing about it.
    ours = tuple(each for each in kb.warnings if each.location is None or not lies_in(each.location.file, shelves))
    return replace(kb, warnings=ours)
