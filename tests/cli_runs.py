"""Running commands in this process, as a user would from a shell."""

from pathlib import Path

from typer.testing import CliRunner, Result

from abl_cards.cli import app

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """The command's exit code and what it printed; what is no planned ending fails the test."""
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
