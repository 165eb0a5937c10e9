"""Commands in this process, with the result that a shell would show."""

from functools import cache
from pathlib import Path
from typing import Any

from typer import testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from abl_cards.cli.app import app

ROOT = Path(__file__).resolve().parent.parent

# Reading the signatures of all commands is slow, and the runner repeats it for each call.
testing._get_command = cache(get_command)  # type: ignore[attr-defined]


def invoke(*arguments: str, stdin: str | bytes | None = None, **more: Any) -> Result:
    """Run a command line, and return its result or exception."""
    return CliRunner().invoke(app, list(arguments), input=stdin, **more)


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """Run a command, and fail the test at an unexpected exception."""
    result = invoke(*arguments, stdin=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
