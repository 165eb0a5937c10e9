"""Errors of a rule folder: placed in the files that were edited, and never a Python exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abl_cards.errors import GameError
from abl_cards.games.placing import in_edited_folder
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.variants import HOME
from abl_cards.logic import KBError
from abl_cards.logic.errors import kb_error


@contextmanager
def foreseen(folder: Folder, profile: str | None) -> Iterator[None]:
    """Raise KBError where rules cannot be played by; bugs in the shipped games stay Python exceptions."""
    try:
        yield
    except KBError as problem:
        raise in_edited_folder(problem, folder, profile) from None
    except GameError as problem:
        raise kb_error(str(problem), "") from problem
    except Exception as problem:
        if folder.path.resolve().parent == HOME.resolve():
            raise
        text = f"{folder.path}: sound logic, but it cannot be played by (what has changed since it could?)"
        raise kb_error(text, "") from problem
