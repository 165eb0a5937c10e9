"""Names that only the shared files in ``kb/common`` may derive, and clashes with rules of a game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from abl_cards.asp import (
    Diagnostic,
    KBError,
    PredicateUse,
    ProgramSummary,
    Severity,
    Signature,
    is_inside,
    make_warning,
)
from abl_cards.core import ErrorCode


def list_shelf_names(program: ProgramSummary, known: Collection[Signature]) -> list[Signature]:
    """List the predicates that the rules of shelf files derive, besides those of the engine.

    Args:
        program: Summary of the files.
        known: Predicates of the engine, which games may derive as well.

    Returns:
        Signatures, sorted, without those that a file leaves to games (``#defined``) and without facts, such as
        ranks.
    """
    derived = {use.signature for use in _find_rule_heads(program)}
    return sorted(derived - set(known) - set(program.defined))


def _find_rule_heads(program: ProgramSummary) -> Iterator[PredicateUse]:
    """Yield the heads that are not facts."""
    facts = {(use.signature, use.location) for use in program.facts}
    yield from (use for use in program.heads if (use.signature, use.location) not in facts)


def find_shelf_clashes(
    program: ProgramSummary, shelf: Sequence[Path], known: Collection[Signature]
) -> Iterator[Diagnostic]:
    """Find rules of a game whose heads are names that only a shared file may derive.

    Args:
        program: Summary of all rule files.
        shelf: Directories of shelf files.
        known: Predicates of the engine, which games may derive as well.

    Yields:
        A warning at the first such rule for each predicate.
    """
    shelf_uses: dict[Signature, PredicateUse] = {}
    own_uses: dict[Signature, PredicateUse] = {}
    shelf_files = {file for file in {use.location.file for use in program.heads} if is_inside(file, shelf)}
    for use in _find_rule_heads(program):
        if use.location.file in shelf_files:
            shelf_uses.setdefault(use.signature, use)
    for use in program.heads:
        if use.location.file not in shelf_files:
            own_uses.setdefault(use.signature, use)
    for signature in sorted(shelf_uses.keys() & own_uses.keys() - set(known) - set(program.defined)):
        file = Path(shelf_uses[signature].location.file)
        text = f"'{signature}' is derived by the shared file {file.name} as well, so both rules hold together"
        remedy = f"give it another name, unless it is meant to change {file.stem}"
        yield make_warning(own_uses[signature].location, text, remedy, ErrorCode.RESERVED_NAME)


def explain_shelf_problems(error: KBError, program: ProgramSummary, shelf: Sequence[Path]) -> KBError:
    """Rewrite problems of a game that has shelf files, which its author cannot edit.

    Args:
        error: Problems of the rule files.
        program: Summary of all rule files.
        shelf: Directories of shelf files.

    Returns:
        The problems without warnings about shelf files. An input of the game that a shelf file derives is reported at
        its declaration.
    """
    diagnostics = leave_out_shelf_warnings(error.diagnostics, shelf)
    return KBError([_locate_derived_input(item, program, shelf) for item in diagnostics])


def leave_out_shelf_warnings(diagnostics: Iterable[Diagnostic], shelf: Sequence[Path]) -> tuple[Diagnostic, ...]:
    """Leave out warnings about shared files: a game need not use all of a file, and its author cannot change it.

    Args:
        diagnostics: Errors and warnings.
        shelf: Directories of shelf files.
    """
    return tuple(item for item in diagnostics if item.severity == Severity.ERROR or not _is_in(item, shelf))


def _is_in(diagnostic: Diagnostic, shelf: Sequence[Path]) -> bool:
    return diagnostic.location is not None and is_inside(diagnostic.location.file, shelf)


def _locate_derived_input(diagnostic: Diagnostic, program: ProgramSummary, shelf: Sequence[Path]) -> Diagnostic:
    if diagnostic.code != ErrorCode.DERIVED_INPUT or not _is_in(diagnostic, shelf):
        return diagnostic
    assert diagnostic.location is not None
    file = Path(diagnostic.location.file).name
    for use in program.externals:
        if f"'{use.signature}'" in diagnostic.message and not is_inside(use.location.file, shelf):
            message = f"input '{use.signature}' has a name that the shared file {file} keeps for itself"
            return replace(diagnostic, location=use.location, message=message, remedy="give it another name")
    return diagnostic
