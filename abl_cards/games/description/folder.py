"""Rule folders: their files and profiles, and the facts that are read from the text before grounding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from abl_cards.asp import (
    Diagnostic,
    Input,
    KBError,
    Limits,
    Location,
    PredicateUse,
    ProgramSummary,
    RuleSources,
    Signature,
    Term,
    count_identifiers,
    did_you_mean,
    make_error,
    make_kb_error,
    read_sources,
)
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, read_working_directory
from abl_cards.games.description.fluents import FLUENT_TYPES, read_fluent_types
from abl_cards.games.description.shelf_names import explain_shelf_problems, find_shelf_clashes, leave_out_shelf_warnings
from abl_cards.games.description.unknown_names import explain_unknown_names, suggest_engine_predicates
from abl_cards.games.description.variants import (
    AUXILIARY_DIR,
    KB_ROOT,
    VARIANT_FILE,
    FolderLayers,
    parse_files,
    resolve_layers,
)

PREFERENCE_FILE = "preferences.lp"


@dataclass(frozen=True)
class Folder:
    """Rule folder with its profiles; a variant includes the files of its parents.

    Attributes:
        path: Directory of the rule files.
        excluded_files: Files that are not read, as they have no circuit (open_rules.py).
        preference_file: File that is read instead of ``preferences.lp``, or None.
    """

    path: Path
    excluded_files: frozenset[str] = frozenset()
    preference_file: Path | None = None
    _working_directory: str = field(default_factory=read_working_directory, repr=False, compare=False)

    def current(self) -> Folder:
        """Return the folder with a path that is valid in the current working directory, which may have changed."""
        is_moved = not self.path.is_absolute() and read_working_directory() != self._working_directory
        return replace(self, path=Path(self._working_directory, self.path)) if is_moved else self

    @property
    def name(self) -> str:
        """Name of the directory."""
        return self.path.resolve().name

    @property
    def record_names(self) -> tuple[str, ...]:
        """Names of the games whose records can be read: that of the folder, and those of its parents."""
        return tuple(folder.resolve().name for folder in reversed(self.layers.folders))

    @cached_property
    def layers(self) -> FolderLayers:
        """Files of the folder and its parents.

        Raises:
            KBError: A parent or a file does not exist, or files clash.
        """
        return resolve_layers(self.path)

    @property
    def is_game(self) -> bool:
        """True if the folder describes a game or a variant of one."""
        return any((self.path / name).is_file() for name in ("game.lp", VARIANT_FILE))

    @property
    def is_trusted(self) -> bool:
        """True if the folder and its parents are part of the package, and its preferences are its own."""
        shipped = all(folder.resolve().parent == KB_ROOT.resolve() for folder in self.layers.folders)
        return shipped and self.preference_file is None

    @property
    def include_paths(self) -> tuple[Path, ...]:
        """Directories that are searched by ``#include <name>.``."""
        return self.layers.include_paths

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles."""
        return tuple(self.layers.profiles)

    def files(self, profile: str | None = None) -> list[Path]:
        """List the rule files of a profile.

        Args:
            profile: Name of the profile; None for the default profile.

        Raises:
            KBError: The folder has no rule files, no such profile, or no default profile.
        """
        if not self.layers.files:
            remedy = "write labels.lp, or copy a game: abl-cards kb copy"
            raise make_kb_error(f"{self.path} has no rule files", remedy, ErrorCode.INVALID_FOLDER)
        files = self._files
        chosen = profile or self.default_profile
        if chosen is None:
            return files
        if chosen not in self.profiles:
            known = ", ".join(self.profiles) or "none"
            remedy = f"{self.path}/profiles has: {known}"
            raise make_kb_error(f"unknown profile '{chosen}'", remedy, ErrorCode.UNKNOWN_PROFILE)
        return [*files, self.layers.profiles[chosen]]

    @property
    def _files(self) -> list[Path]:
        files = [file for file in self.layers.files if str(file) not in self.excluded_files]
        if self.preference_file is not None:
            files = [*(file for file in files if file.name != PREFERENCE_FILE), self.preference_file]
        return files

    def auxiliary_file(self, name: str) -> Path:
        """Return the path of a file of auxiliary rules.

        Args:
            name: Name of the file without its suffix.

        Raises:
            KBError: The folder has no such file.
        """
        files = self.layers.auxiliary_files
        if name not in files:
            remedy = f"the folder {AUXILIARY_DIR} has: {', '.join(files) or 'nothing'}"
            raise make_kb_error(f"{self.path} has no {AUXILIARY_DIR}/{name}.lp", remedy, ErrorCode.FILE_NOT_READABLE)
        return files[name]

    def fingerprint(self, profile: str | None = None) -> tuple[tuple[str, int, int], ...]:
        """Return path, modification time (ns) and size (bytes) of all files, to detect changes.

        Args:
            profile: Name of the profile; None for the default profile.

        Returns:
            One tuple for each rule file, auxiliary file and common file, and for ``show.lp``.
        """
        common_files = (file for directory in self.include_paths for file in sorted(directory.glob("*.lp")))
        show_files = [self.layers.show_file] if self.layers.show_file else []
        files = [*self.files(profile), *self.layers.auxiliary_files.values(), *show_files, *common_files]
        stats = ((str(file), file.stat()) for file in files if file.exists())
        return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)

    @cached_property
    def default_profile(self) -> str | None:
        """Profile in ``default_profile/1`` of the folder, else of its parent, else the only one; None without profiles.

        Raises:
            KBError: The profile does not exist, or the folder has several profiles and no default.
        """
        facts = self._uses_by_layer("default_profile", 1)
        if facts and (problem := self.check_default_profile(facts[-1])):
            raise KBError([problem])
        if not self.profiles:
            return None
        if facts:
            return str(facts[-1].pattern[0])
        if len(self.profiles) == 1:
            return self.profiles[0]
        remedy = "name the default one in game.lp: default_profile(…)."
        raise make_kb_error(f"{self.path} has several profiles", remedy, ErrorCode.UNKNOWN_PROFILE)

    def check_default_profile(self, use: PredicateUse) -> Diagnostic | None:
        """Check a fact ``default_profile/1``.

        Args:
            use: Fact in the text.

        Returns:
            Diagnostic; None if the profile exists.
        """
        name = str(use.pattern[0])
        if name in self.profiles:
            return None
        remedy = did_you_mean(name, self.profiles) or f"there are: {', '.join(self.profiles) or 'none'}"
        message = f"default_profile({name}): {name} is no profile"
        return make_error(use.location, message, remedy, ErrorCode.UNKNOWN_PROFILE)

    @property
    def title(self) -> str:
        """Titles in all languages, else the name of the folder."""
        return " ".join(self.titles.values()) or self.name

    @property
    def titles(self) -> dict[str, str]:
        """Titles by language, in the order of the facts ``title/2``; a variant's own replace those of its parents."""
        return {str(language): str(text).strip('"') for language, text in self._facts_by_layer("title", 2)}

    def profile_titles(self, profile: str) -> dict[str, str]:
        """Return the names of a profile by language, by ``title/3``; empty for a profile without a name.

        Args:
            profile: Name of the profile.
        """
        facts = self._facts_by_layer("title", 3)
        return {str(language): str(text).strip('"') for name, language, text in facts if name == profile}

    def _facts_by_layer(self, name: str, arity: int) -> list[tuple[Any, ...]]:
        """Return the arguments of facts that are read from the text, in the order of `_uses_by_layer`."""
        return [use.pattern for use in self._uses_by_layer(name, arity)]

    def _uses_by_layer(self, name: str, arity: int) -> list[PredicateUse]:
        """Return facts that are read from the text, those of parent folders before those of variants."""
        uses = [use for use in self._metadata_program.heads if use.signature == Signature(name, arity)]
        return sorted(uses, key=lambda use: self.layer_of(use.location.file))

    def layer_of(self, file: str) -> int:
        """Return the index of the innermost folder, of those in `layers`, that a file lies in; -1 for another file.

        Args:
            file: Path of a rule file.
        """
        path = Path(file).resolve()
        folders = self.layers.folders
        return max((index for index, folder in enumerate(folders) if path.is_relative_to(folder.resolve())), default=-1)

    @property
    def platforms(self) -> tuple[str, ...]:
        """Names of the platforms whose protocols and records of this game are supported, by ``platform/1``."""
        names = [
            str(use.pattern[0]) for use in self._metadata_program.heads if use.signature == Signature("platform", 1)
        ]
        return tuple(dict.fromkeys(names))

    @cached_property
    def _metadata_program(self) -> ProgramSummary:
        return parse_files(self._files, self.include_paths)

    def program(self, profile: str | None = None, auxiliary: tuple[str, ...] = ()) -> ProgramSummary:
        """Parse the rule files of a profile.

        Args:
            profile: Name of the profile; None for the default profile.
            auxiliary: Names of files of auxiliary rules that are included.

        Returns:
            Summary of the predicates that the text declares and uses.
        """
        return parse_files([*self.files(profile), *map(self.auxiliary_file, auxiliary)], self.include_paths)


def find_fluent_declarations(program: ProgramSummary) -> Iterator[tuple[str, tuple[Term | None, ...]]]:
    """Find the facts that declare fluents.

    Args:
        program: Summary of the rule files.

    Yields:
        Name and arguments of each fact; None stands for an argument that is not plain.
    """
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
    """Load and check the rule files of a folder.

    Args:
        folder: Rule folder.
        profile: Name of the profile; None for the default profile.
        outputs: Predicates that are read; those that no rule derives are ignored.
        inputs: Predicates that are supplied, without fluents.
        cache: Read and write the disk cache.
        auxiliary: Names of files of auxiliary rules that are included.

    Raises:
        KBError: The rules are not valid, or a fluent has the name of an input.
    """
    files = [*folder.files(profile), *(folder.auxiliary_file(name) for name in auxiliary)]
    program = parse_files(files, folder.include_paths)
    derived = {use.signature for use in program.heads} | set(program.defined)
    fluents = set(read_fluent_types(find_fluent_declarations(program)))
    reserved = sorted({signature.name for signature in fluents} & {signature.name for signature in inputs})
    if reserved:
        raise make_kb_error(
            f"'{reserved[0]}' is declared as a fluent, and an input has that name",
            "give the fluent another name",
            ErrorCode.INVALID_FLUENT,
        )
    common_dirs = [directory.resolve() for directory in folder.include_paths]
    try:
        kb = KnowledgeBase.load(
            files,
            inputs=[Input(*signature[:1], arity=signature.arity) for signature in sorted(inputs | fluents)],
            outputs=sorted(outputs & derived),
            trusted=folder.is_trusted,
            cache=cache,
            library=folder.include_paths,
        )
    except KBError as error:
        own = explain_shelf_problems(error, program, common_dirs)
        raise explain_unknown_names(own, program, folder.include_paths, outputs) from None
    warnings = leave_out_shelf_warnings(kb.warnings, common_dirs)
    if warnings:
        used_elsewhere = _definitions_for_other_files(folder, files, program, fluents)
        own_warnings = [warning for warning in warnings if warning.location not in used_elsewhere]
        warnings = tuple(suggest_engine_predicates(own_warnings, program, outputs, fluents))
    clashes = find_shelf_clashes(program, common_dirs, outputs | inputs)
    return replace(kb, warnings=(*warnings, *clashes))


def _definitions_for_other_files(
    folder: Folder, files: Sequence[Path], program: ProgramSummary, fluents: Collection[Signature]
) -> set[Location]:
    """Return definitions whose names stand in another profile, ``show.lp`` or auxiliary rules.

    They are those of ``#const`` and ``#defined``, and the declarations of fluents.
    """
    layers = folder.layers
    others = {*layers.profiles.values(), *layers.auxiliary_files.values(), layers.show_file} - {None, *files}
    sources, _ = read_sources(sorted(filter(None, others)), Limits().file_bytes, folder.include_paths)
    names = count_identifiers(RuleSources(tuple(source for source in sources.files if Path(source.path) in others)))
    definitions = [(name, location) for name, (location, _) in program.constants.items()]
    definitions += [(signature.name, location) for signature, location in program.defined.items()]
    definitions += [(use.signature.name, use.location) for use in program.externals if use.signature in fluents]
    return {location for name, location in definitions if name in names}
