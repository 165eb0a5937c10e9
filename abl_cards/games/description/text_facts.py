"""Check facts that are read from the text before anything is ground: where they stand, and that they are plain.

A rule or a variable there says nothing, for nobody derives it; neither does a fact in a file where nobody reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from abl_cards.asp import Diagnostic, KBError, PredicateUse, ProgramSummary, Signature, did_you_mean, make_error
from abl_cards.games.description.fact_schema import FOLDER_FACTS, TEXT_FACTS, VARIANT_FACTS
from abl_cards.games.description.fluents import FLUENT_TYPES
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import AUXILIARY_DIR, VARIANT_FILE

_PROFILES_DIR = "profiles"


def check_text_facts(program: ProgramSummary, folder: Folder) -> None:
    """Raise KBError for facts of the text that nobody would read."""
    wrong = list(find_wrong_text_facts(program, folder))
    if wrong:
        raise KBError(wrong)


def find_wrong_text_facts(program: ProgramSummary, folder: Folder) -> Iterator[Diagnostic]:
    """What is wrong with the facts of ``TEXT_FACTS``, each at its place."""
    uses = [use for use in program.heads if use.signature in TEXT_FACTS]
    facts = set(program.facts) if uses else set()
    for use in uses:
        problem = (
            _plainness_problem(use, use in facts) or _file_problem(use, folder) or _declaration_problem(use, program)
        )
        if problem:
            yield make_error(use.location, *problem)
        elif use.signature == Signature("default_profile", 1) and (missing := folder.check_default_profile(use)):
            yield missing


def _plainness_problem(use: PredicateUse, is_fact: bool) -> tuple[str, str] | None:
    """What is wrong with a rule where a fact is read."""
    if is_fact and None not in use.pattern:
        return None
    what = "variables, ranges or pools" if is_fact else "a body"
    return f"{use.signature} is read from the text, so it may not have {what}", "write a fact of plain names for each"


def _file_problem(use: PredicateUse, folder: Folder) -> tuple[str, str] | None:
    """What is wrong with the file where it stands."""
    file = Path(use.location.file)
    if use.signature in VARIANT_FACTS:
        variants = {str(each / VARIANT_FILE) for each in folder.layers.folders}
        return None if str(file) in variants else (f"{use.signature} is read in {VARIANT_FILE} alone", "write it there")
    if use.signature in FOLDER_FACTS and file.parent.name in (_PROFILES_DIR, AUXILIARY_DIR):
        return f"{use.signature} is not read in {file.parent.name}/", "write it in game.lp, or in variant.lp"
    return None


def _declaration_problem(use: PredicateUse, program: ProgramSummary) -> tuple[str, str] | None:
    """What is wrong with the fluent that it declares."""
    if use.signature.name not in FLUENT_TYPES:
        return None
    name, arity = use.pattern
    said = f"{use.signature.name}({name},{arity})"
    if not isinstance(name, str) or not isinstance(arity, int) or arity < 0:
        return f"{said}: a name and a number of arguments are wanted", f"write {use.signature.name}(level,1)."
    declared = {each.signature for each in program.externals}
    if Signature(name, arity) in declared:
        return None
    near = did_you_mean(f"{name}/{arity}", map(str, declared))
    return f"{said}: no #external declares {name}/{arity}", near or f"declare its arguments: #external {name}(…) : …"
