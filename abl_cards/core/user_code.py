"""Import files of a user, and call what is in them: errors name the file and the line."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from abl_cards.core.errors import ErrorCode, GameError

T = TypeVar("T")

PYTHON_SUFFIX = ".py"
"""End of the name of a Python file."""


def add_cwd_to_path() -> None:
    """Append the working folder to the import path, so that it replaces no other module."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)


def import_file(path: str | Path, registered_name: str | None = None) -> ModuleType:
    """Import a Python file anew.

    Args:
        path: The file.
        registered_name: Name in ``sys.modules``, which type annotations are resolved by; None for no entry.

    Returns:
        The module.
    """
    path = Path(path)
    spec = importlib.util.spec_from_file_location(registered_name or path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    if registered_name is not None:
        sys.modules[registered_name] = module
    spec.loader.exec_module(module)
    return module


def find_source_file(part: object) -> Path | None:
    """Return the file that defines a function, or the class of another object; None where there is none.

    Args:
        part: Function or object of a user.
    """
    try:
        file = inspect.getsourcefile(part if inspect.isroutine(part) else type(part))
    except (TypeError, OSError):  # built in, or of a console
        return None
    return None if file is None else Path(file).resolve()


def call_part(subject: str, part: object, call: Callable[[], T], code: ErrorCode) -> T:
    """Call a function or a method of an object that a user gives.

    Args:
        subject: Beginning of error messages, such as ``MyReasoner.realise``.
        part: The function or object, whose file is named.
        call: Function to call.
        code: Code of the error.

    Returns:
        The result.

    Raises:
        GameError: The call failed, for the cause in ``__cause__``.
    """
    try:
        return call()
    except GameError:
        raise
    except (Exception, SystemExit) as problem:  # only now is the file looked for, which takes 0.1 ms
        raise _error_of(subject, find_source_file(part), problem, code) from problem


def call_user_code(
    subject: str, path: str | Path | None, call: Callable[[], T], code: ErrorCode,
    passed: tuple[type[Exception], ...] = (GameError,),
) -> T:  # fmt: skip
    """Call code of a user.

    Args:
        subject: Beginning of error messages, such as ``agent 'mine:Player'``.
        path: File of the code, to name the line that fails; None where there is none.
        call: Function to call.
        code: Code of the error.
        passed: Exceptions that are raised as they are.

    Returns:
        The result.

    Raises:
        GameError: The call failed, or tried to end the process.
    """
    try:
        return call()
    except passed:
        raise
    except (Exception, SystemExit) as problem:  # leaving in the middle of a match does not end it
        raise _error_of(subject, None if path is None else Path(path), problem, code) from problem


def _error_of(subject: str, path: Path | None, problem: BaseException, code: ErrorCode) -> GameError:
    """Return an error that names the last line of a file in the traceback of a problem."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if path is None or Path(frame.filename).resolve() == path]
    location = f"{path or own[-1].filename}:{own[-1].lineno}" if own else str(path)
    if isinstance(problem, SyntaxError) and problem.lineno:
        location = f"{problem.filename}:{problem.lineno}"
    text = " ".join(str(problem).split())
    return GameError(f"{subject}: {location}: {type(problem).__name__}: {text}", code)
