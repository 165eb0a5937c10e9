"""Turn every error of a rule folder into diagnostics at lines of the edited files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abl_cards.asp import KBError, make_kb_error
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import KB_ROOT, Folder
from abl_cards.games.error_locations import relocate_errors


@contextmanager
def guard_rule_errors(folder: Folder, profile: str | None) -> Iterator[None]:
    """Raise KBError for every error in the block that the rules of a folder cause.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Raises:
        KBError: The rules have errors, each placed in the folder's own files where possible.
        Exception: A shipped game causes the error, so it is a bug and not an error of the user.
    """
    try:
        yield
    except KBError as problem:
        raise relocate_errors(problem, folder, profile) from None
    except GameError as problem:
        raise make_kb_error(str(problem), "", problem.code) from problem
    except Exception as problem:
        if folder.path.resolve().parent == KB_ROOT.resolve():
            raise
        text = f"{folder.path}: sound logic, but it cannot be played by"
        raise make_kb_error(text, "undo the last edit", ErrorCode.RULES_NOT_PLAYABLE) from problem
