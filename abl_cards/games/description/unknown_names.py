"""Remedies for names that the rules of a game use and nothing declares: shared files, engine predicates, fluents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from abl_cards.asp import Diagnostic, KBError, Location, PredicateUse, ProgramSummary, Signature
from abl_cards.core import ErrorCode
from abl_cards.games.description.fluents import FLUENT_TYPES, SET_VALUED
from abl_cards.games.description.variants import parse_files

_MAX_FILES = 3


def explain_unknown_names(
    error: KBError, program: ProgramSummary, shelf: Sequence[Path], known: Collection[Signature]
) -> KBError:
    """Rewrite the remedies of unknown predicates and inputs.

    Args:
        error: Problems of the rule files.
        program: Summary of all rule files.
        shelf: Directories of shared files.
        known: Predicates that the engine reads.

    Returns:
        The problems. An unknown predicate names the shared files that derive it, or says that the engine reads it; an
        unknown input says how fluents are declared.
    """
    uses = {use.location: use.signature for use in (*program.bodies, *program.externals)}
    return KBError([_explain(item, uses, program, shelf, known) for item in error.diagnostics])


def _explain(
    item: Diagnostic,
    uses: dict[Location, Signature],
    program: ProgramSummary,
    shelf: Sequence[Path],
    known: Collection[Signature],
) -> Diagnostic:
    signature = uses.get(item.location) if item.location else None
    if signature is None:
        return item
    if item.code == ErrorCode.UNKNOWN_INPUT:
        kinds = FLUENT_TYPES if signature.arity else (SET_VALUED,)
        ways = " or ".join(f"{kind}({signature.name},{signature.arity})" for kind in kinds)
        suggestion = f"{item.remedy} A fluent is declared" if item.remedy.endswith("?") else "declare a fluent"
        return replace(item, remedy=f"{suggestion} by {ways}")
    if item.code == ErrorCode.MISSING_INPUT:
        files = _files_that_declare(signature, program, shelf)
        return replace(item, remedy=f"{item.remedy}, or write {' or '.join(files)}") if len(files) == 1 else item
    if item.code == ErrorCode.UNKNOWN_PREDICATE:
        files = _files_that_declare(signature, program, shelf)
        includes = f"write {' or '.join(files[:_MAX_FILES])}" if files else ""
        own = "derive it: docs/reference/predicates.md says how" if signature in known else "derive it"
        if includes or signature in known:
            return replace(item, remedy=f"{own}, or {includes}" if includes else own)
    return item


def _files_that_declare(signature: Signature, program: ProgramSummary, shelf: Sequence[Path]) -> list[str]:
    """Return the statements that include a shared file with a rule or an ``#external`` for a predicate."""
    included = {Path(source.path).resolve() for source in program.sources.files}
    found = []
    for file in sorted(file for directory in shelf for file in directory.glob("*.lp")):
        text = None if file.resolve() in included else parse_files([file], tuple(shelf))
        uses: list[PredicateUse] = [*text.heads, *text.externals] if text else []
        if any(use.signature == signature and Path(use.location.file) == file for use in uses):
            found.append(f"#include <{file.stem}>.")
    return found
