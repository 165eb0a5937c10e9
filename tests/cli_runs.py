"""Running commands in this process, as a user would from a shell."""

from functools import cache
from pathlib import Path
from typing import Any

from typer import testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from abl_cards.cli.app import app

ROOT = Path(__file__).resolve().parent.parent

# To read the signatures of all commands takes longer than most of them, and the runner does it for each call.
testing._get_command = cache(get_command)  # type: ignore[attr-defined]


def invoke(*arguments: str, stdin: str | bytes | None = None, **more: Any) -> Result:
    """What a command line comes to, an exception too."""
    return CliRunner().invoke(app, list(arguments), input=stdin, **more)


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """The command's exit code and what it printed; what is no planned ending fails the test."""
    result = invoke(*arguments, stdin=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
