"""Check facts that are read from the text before grounding: they must be plain, and in a file where they are read.

A rule or a variable would be ignored there, as nothing is derived; so would a fact in another file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from abl_cards.asp import Diagnostic, KBError, PredicateUse, ProgramSummary, Signature, did_you_mean, make_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.fact_schema import FOLDER_FACTS, TEXT_FACTS, VARIANT_FACTS
from abl_cards.games.description.fluents import FLUENT_TYPES
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import AUXILIARY_DIR, VARIANT_FILE

_DEFAULT_PROFILE = Signature("default_profile", 1)
_SINGLE_VALUED = ("title", _DEFAULT_PROFILE.name)
_PROFILES_DIR = "profiles"

_TextProblem = tuple[str, str, ErrorCode]
"""Message, remedy and code of a diagnostic."""


def check_text_facts(program: ProgramSummary, folder: Folder) -> None:
    """Check the facts that are read from the text.

    Args:
        program: Summary of the rule files.
        folder: Rule folder.

    Raises:
        KBError: A fact would be ignored, or declares an unknown profile or fluent.
    """
    diagnostics = list(find_wrong_text_facts(program, folder))
    if diagnostics:
        raise KBError(diagnostics)


def find_wrong_text_facts(program: ProgramSummary, folder: Folder) -> Iterator[Diagnostic]:
    """Find facts of ``TEXT_FACTS`` that are not plain, in the wrong file, or without effect, and a missing default.

    Args:
        program: Summary of the rule files.
        folder: Rule folder.

    Yields:
        A diagnostic for each wrong fact.
    """
    uses = [use for use in program.heads if use.signature in TEXT_FACTS]
    facts, valid = set(program.facts) if uses else set(), list[PredicateUse]()
    for use in uses:
        problem = (
            _plainness_problem(use, use in facts) or _file_problem(use, folder) or _declaration_problem(use, program)
        )
        if problem:
            yield make_error(use.location, *problem)
        elif use.signature == _DEFAULT_PROFILE and (missing := folder.check_default_profile(use)):
            yield missing
        else:
            valid.append(use)
    yield from _find_conflicts(valid, folder)
    if not any(use.signature == _DEFAULT_PROFILE for use in uses):
        try:
            _ = folder.default_profile
        except KBError as missing_default:  # of several profiles
            yield from missing_default.diagnostics


def _find_conflicts(uses: Iterable[PredicateUse], folder: Folder) -> Iterator[Diagnostic]:
    """Find second default profiles and titles in one language; those of a variant may differ from its parents'."""
    first: dict[object, PredicateUse] = {}
    for use in uses:
        if use.signature.name in _SINGLE_VALUED:
            other = first.setdefault((folder.layer_of(use.location.file), use.signature, use.pattern[:-1]), use)
            if other.pattern != use.pattern:
                text, other_text = (
                    f"{use.signature.name}({','.join(map(str, item.pattern))})" for item in (use, other)
                )
                message = f"{text}: there is {other_text} too"
                yield make_error(use.location, message, "keep one of them", ErrorCode.CONFLICTING_FACTS)


def _plainness_problem(use: PredicateUse, is_fact: bool) -> _TextProblem | None:
    """Return the problem of a rule, or of a fact with variables, where a plain fact is read."""
    if is_fact and None not in use.pattern:
        return None
    refused = "variables, ranges or pools" if is_fact else "a body"
    message = f"{use.signature} is read from the text, so it may not have {refused}"
    remedy = "write a fact of plain names, or of texts in double quotes, for each"
    return message, remedy, ErrorCode.MISPLACED_FACT


def _file_problem(use: PredicateUse, folder: Folder) -> _TextProblem | None:
    """Return the problem of a fact in a file where it is not read."""
    file = Path(use.location.file)
    if use.signature in VARIANT_FACTS:
        variants = {str(directory / VARIANT_FILE) for directory in folder.layers.folders}
        if str(file) in variants:
            return None
        return f"{use.signature} is read in {VARIANT_FILE} alone", "write it there", ErrorCode.MISPLACED_FACT
    if use.signature in FOLDER_FACTS and file.parent.name in (_PROFILES_DIR, AUXILIARY_DIR):
        message = f"{use.signature} is not read in {file.parent.name}/"
        return message, "write it in game.lp, or in variant.lp", ErrorCode.MISPLACED_FACT
    return None


def _declaration_problem(use: PredicateUse, program: ProgramSummary) -> _TextProblem | None:
    """Return the problem of a fact that declares a fluent without inputs."""
    if use.signature.name not in FLUENT_TYPES:
        return None
    name, arity = use.pattern
    fact = f"{use.signature.name}({name},{arity})"
    if not isinstance(name, str) or not isinstance(arity, int) or arity < 0:
        message = f"{fact}: expected a name and a number of arguments"
        return message, f"write {use.signature.name}(level,1).", ErrorCode.INVALID_FLUENT
    declared = {external.signature for external in program.externals}
    if Signature(name, arity) in declared:
        return None
    suggestion = did_you_mean(f"{name}/{arity}", map(str, declared))
    remedy = suggestion or f"declare its arguments: #external {name}(…) : …"
    return f"{fact}: no #external declares {name}/{arity}", remedy, ErrorCode.INVALID_FLUENT
