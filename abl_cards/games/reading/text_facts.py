"""Check facts that are read from the text before anything is ground: where they stand, and that they are plain.

A rule or a variable there says nothing, for nobody derives it; neither does a fact in a file where nobody reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from abl_cards.games.reading.declared import OF_THE_FOLDER, OF_THE_TEXT, OF_VARIANTS
from abl_cards.games.reading.fluents import MANNERS
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.variants import SCIENCE, VARIANT
from abl_cards.logic import KBError, Signature
from abl_cards.logic.errors import Diagnostic, error, suggestion
from abl_cards.logic.statements import Program, Use

_PROFILES = "profiles"


def check_text(program: Program, folder: Folder) -> None:
    """Raise KBError for facts of the text that nobody would read."""
    wrong = list(wrong_text(program, folder))
    if wrong:
        raise KBError(wrong)


def wrong_text(program: Program, folder: Folder) -> Iterator[Diagnostic]:
    """What is wrong with the facts of ``OF_THE_TEXT``, each at its place."""
    uses = [use for use in program.heads if use.signature in OF_THE_TEXT]
    facts = set(program.facts) if uses else set()
    for use in uses:
        problem = _not_plain(use, use in facts) or _elsewhere(use, folder) or _no_fluent(use, program)
        if problem:
            yield error(use.location, *problem)
        elif use.signature == Signature("default_profile", 1) and (missing := folder.no_profile(use)):
            yield missing


def _not_plain(use: Use, fact: bool) -> tuple[str, str] | None:
    """What is wrong with a rule where a fact is read."""
    if fact and None not in use.pattern:
        return None
    what = "variables, ranges or pools" if fact else "a body"
    return f"{use.signature} is read from the text, so it may not have {what}", "write a fact of plain names for each"


def _elsewhere(use: Use, folder: Folder) -> tuple[str, str] | None:
    """What is wrong with the file where it stands."""
    file = Path(use.location.file)
    if use.signature in OF_VARIANTS:
        variants = {str(each / VARIANT) for each in folder.layers.folders}
        return None if str(file) in variants else (f"{use.signature} is read in {VARIANT} alone", "write it there")
    if use.signature in OF_THE_FOLDER and file.parent.name in (_PROFILES, SCIENCE):
        return f"{use.signature} is not read in {file.parent.name}/", "write it in game.lp, or in variant.lp"
    return None


def _no_fluent(use: Use, program: Program) -> tuple[str, str] | None:
    """What is wrong with the fluent that it declares."""
    if use.signature.name not in MANNERS:
        return None
    name, arity = use.pattern
    said = f"{use.signature.name}({name},{arity})"
    if not isinstance(name, str) or not isinstance(arity, int) or arity < 0:
        return f"{said}: a name and a number of arguments are wanted", f"write {use.signature.name}(level,1)."
    declared = {each.signature for each in program.externals}
    if Signature(name, arity) in declared:
        return None
    near = suggestion(f"{name}/{arity}", map(str, declared))
    return f"{said}: no #external declares {name}/{arity}", near or f"declare its arguments: #external {name}(…) : …"
