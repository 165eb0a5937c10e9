"""What is wrong with a folder of rules, for editors: at once with the text that is typed, in full when it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abl_cards import budget
from abl_cards.errors import GameError
from abl_cards.games import Game
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.open_rules import OpenRules
from abl_cards.logic import Diagnostic, KBError, Location, Severity
from abl_cards.logic.errors import error, in_order, kb_error
from abl_cards.logic.parsing import problems_of
from abl_cards.logic.program import Source
from abl_cards.logic.solver import Solver

SECONDS = 5.0
"""Of processor time for a question of an editor, its parsing included."""


@contextmanager
def quickly() -> Iterator[None]:
    """Answer a question of an editor within its time; raises GameError beyond it."""
    try:
        with budget.shared(), budget.of(SECONDS).paying():
            yield
    except budget.OutOfTime:
        raise GameError(f"this takes more than {SECONDS:g} s: split the file") from None


def typed(path: Path, text: str) -> list[Diagnostic]:
    """What is wrong with the text of one file as it is written; cheap enough for every pause in typing."""
    try:
        with quickly():
            return problems_of(Source(str(path), text, 1))
    except KBError as problem:
        return list(problem.diagnostics)
    except GameError as problem:
        return [error(None, str(problem))]


def checked(folder: Path, profile: str | None = None) -> list[Diagnostic]:
    """Errors and warnings of a folder, by one profile, as ``kb check`` has them; ground in a bounded child.

    A folder that is no game is checked as ``kb solve`` reads it.
    """
    game = Game(Folder(folder))
    with budget.shared():
        try:
            if not game.folder.is_game:
                _read_by_clingo(game.folder, profile)
                return []
            knowledge = [game.knowledge(None, profile), *game.science(None, profile)]
            bounds = game.warnings(knowledge[0], None, profile)
        except KBError as problem:
            return list(problem.diagnostics)
        except GameError as problem:
            return [error(None, str(problem))]
    return list(in_order([*(each for kb in knowledge for each in kb.warnings), *bounds]))


def _read_by_clingo(folder: Folder, profile: str | None) -> None:
    try:
        Solver(OpenRules(folder, profile).request()).close()
    except OSError as problem:
        raise kb_error(f"{folder.path}: {problem.strerror}", "try again") from None


def anywhere(problem: Diagnostic, folder: Path) -> Location:
    """Where an editor shows a problem: in its place, else at the top of the file that says what the folder is."""
    if problem.location is not None:
        return problem.location
    names = ("variant.lp", "game.lp")
    first = next((folder / name for name in names if (folder / name).is_file()), None)
    return Location(str(first or next(iter(sorted(folder.glob("*.lp"))), folder)), 1, 1, 1, 1)


def is_error(problem: Diagnostic) -> bool:
    """Whether it refuses the folder."""
    return problem.severity == Severity.ERROR
