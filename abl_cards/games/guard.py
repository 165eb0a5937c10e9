"""Errors of a rule folder: placed in the files that were edited, and never a Python exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abl_cards.asp import KBError, make_kb_error
from abl_cards.core import GameError
from abl_cards.games.description import KB_ROOT, Folder
from abl_cards.games.error_locations import relocate_errors


@contextmanager
def guard_rule_errors(folder: Folder, profile: str | None) -> Iterator[None]:
    """Raise KBError where rules cannot be played by; bugs in the shipped games stay Python exceptions."""
    try:
        yield
    except KBError as problem:
        raise relocate_errors(problem, folder, profile) from None
    except GameError as problem:
        raise make_kb_error(str(problem), "", problem.code) from problem
    except Exception as problem:
        if folder.path.resolve().parent == KB_ROOT.resolve():
            raise
        text = f"{folder.path}: sound logic, but it cannot be played by (what has changed since it could?)"
        raise make_kb_error(text, "") from problem
