"""Diagnostics of a rule folder for editors: quick ones for text being typed, complete ones when it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abl_cards.asp import (
    ClingoSolver,
    Diagnostic,
    KBError,
    Location,
    RuleSource,
    Severity,
    find_syntax_errors,
    make_error,
    make_kb_error,
    sort_diagnostics,
)
from abl_cards.core import CpuBudgetExceeded, ErrorCode, GameError, get_budget, shared_budget
from abl_cards.games import Game
from abl_cards.games.description import Folder, OpenRules

EDITOR_SECONDS = 5.0
"""Of processor time for a question of an editor, its parsing included."""


@contextmanager
def editor_time_limit() -> Iterator[None]:
    """Answer a question of an editor within its time; raises GameError beyond it."""
    try:
        with shared_budget(), get_budget(EDITOR_SECONDS).charge():
            yield
    except CpuBudgetExceeded:
        raise GameError(
            f"this takes more than {EDITOR_SECONDS:g} s: split the file", ErrorCode.LIMIT_EXCEEDED
        ) from None


def check_file_text(path: Path, text: str) -> list[Diagnostic]:
    """Return the diagnostics of the text of one file; fast enough to run at every pause in typing."""
    try:
        with editor_time_limit():
            return find_syntax_errors(RuleSource(str(path), text, 1))
    except KBError as problem:
        return list(problem.diagnostics)
    except GameError as problem:
        return [make_error(None, str(problem), code=ErrorCode.RULES_STUCK)]


def check_folder(folder: Path, profile: str | None = None) -> list[Diagnostic]:
    """Errors and warnings of a folder, by one profile, as ``kb check`` has them; ground in a bounded child.

    A folder that is no game is checked as ``kb solve`` reads it.
    """
    game = Game(Folder(folder))
    with shared_budget():
        try:
            if not game.folder.is_game:
                _check_with_clingo(game.folder, profile)
                return []
            knowledge = [game.knowledge_base(None, profile), *game.auxiliary_rules(None, profile)]
            bounds = game.warnings(knowledge[0], None, profile)
        except KBError as problem:
            return list(problem.diagnostics)
        except GameError as problem:
            return [make_error(None, str(problem), code=ErrorCode.RULES_STUCK)]
    return list(sort_diagnostics([*(each for kb in knowledge for each in kb.warnings), *bounds]))


def _check_with_clingo(folder: Folder, profile: str | None) -> None:
    try:
        ClingoSolver(OpenRules(folder, profile).build_request()).close()
    except OSError as problem:
        raise make_kb_error(
            f"{folder.path}: {problem.strerror}", "try again", code=ErrorCode.FILE_NOT_READABLE
        ) from None


def display_location(diagnostic: Diagnostic, folder: Path) -> Location:
    """Return the location at which an editor shows a diagnostic: its own, or the top of the main file."""
    if diagnostic.location is not None:
        return diagnostic.location
    names = ("variant.lp", "game.lp")
    first = next((folder / name for name in names if (folder / name).is_file()), None)
    return Location(str(first or next(iter(sorted(folder.glob("*.lp"))), folder)), 1, 1, 1, 1)


def is_error(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic rejects the folder."""
    return diagnostic.severity == Severity.ERROR
