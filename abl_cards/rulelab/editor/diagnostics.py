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
"""Limit of processor time for a request of an editor in seconds, parsing included."""


@contextmanager
def editor_time_limit() -> Iterator[None]:
    """Limit the processor time of a request to EDITOR_SECONDS.

    Raises:
        GameError: The time is exceeded.
    """
    try:
        with shared_budget(), get_budget(EDITOR_SECONDS).charge():
            yield
    except CpuBudgetExceeded:
        raise GameError(
            f"this takes more than {EDITOR_SECONDS:g} s: split the file", ErrorCode.LIMIT_EXCEEDED
        ) from None


def check_file_text(path: Path, text: str) -> list[Diagnostic]:
    """Check the syntax of one file; fast enough to run at every pause in typing.

    Args:
        path: Path of the file, for the diagnostics.
        text: Text of the file.

    Returns:
        Errors of the text.
    """
    try:
        with editor_time_limit():
            return find_syntax_errors(RuleSource(str(path), text, 1))
    except KBError as error:
        return list(error.diagnostics)
    except GameError as error:
        return [make_error(None, str(error), code=ErrorCode.RULES_STUCK)]


def check_folder(folder: Path, profile: str | None = None) -> list[Diagnostic]:
    """Check a rule folder like ``kb check``; rules are ground in a child process with limits.

    A folder that is not a game is read like ``kb solve``.

    Args:
        folder: Rule folder.
        profile: Profile of the folder; None for the default one.

    Returns:
        Errors, or warnings if there are no errors.
    """
    game = Game(Folder(folder))
    with shared_budget():
        try:
            if not game.folder.is_game:
                _check_with_clingo(game.folder, profile)
                return []
            knowledge = [game.knowledge_base(None, profile), *game.auxiliary_rules(None, profile)]
            bounds = game.warnings(knowledge[0], None, profile)
            show_errors = game.show_errors(knowledge[0], None, profile)
        except KBError as error:
            return list(error.diagnostics)
        except GameError as error:
            return [make_error(None, str(error), code=ErrorCode.RULES_STUCK)]
    if show_errors:
        return list(show_errors)
    return list(sort_diagnostics([*(warning for kb in knowledge for warning in kb.warnings), *bounds]))


def _check_with_clingo(folder: Folder, profile: str | None) -> None:
    try:
        ClingoSolver(OpenRules(folder, profile).build_request()).close()
    except OSError as error:
        raise make_kb_error(f"{folder.path}: {error.strerror}", "try again", code=ErrorCode.FILE_NOT_READABLE) from None


def display_location(diagnostic: Diagnostic, folder: Path) -> Location:
    """Return the location at which an editor shows a diagnostic.

    Args:
        diagnostic: Diagnostic with or without location.
        folder: Rule folder that was checked.

    Returns:
        Location of the diagnostic, or the top of the main file.
    """
    if diagnostic.location is not None:
        return diagnostic.location
    names = ("variant.lp", "game.lp")
    first = next((folder / name for name in names if (folder / name).is_file()), None)
    return Location(str(first or next(iter(sorted(folder.glob("*.lp"))), folder)), 1, 1, 1, 1)


def is_error(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is an error.

    Args:
        diagnostic: Error or warning.

    Returns:
        True for an error, which rejects the folder.
    """
    return diagnostic.severity == Severity.ERROR
