"""The command ``abl-cards``. Each command imports what it needs when it runs, so that the command starts at once."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from abl_cards import __version__
from abl_cards.cli import (
    ablate,
    bench,
    bots,
    experiments,
    explain,
    kb,
    kb_diff,
    lsp,
    play,
    review,
    serve,
    solve,
    split,
    strength,
    train,
    web,
)
from abl_cards.cli.console import fail, print_problems
from abl_cards.core import (
    ensure_complete_writes,
    missing_library_message,
    open_standard_streams,
    reduce_gc,
    shared_budget,
)

SIGPIPE_EXIT, INTERRUPT_EXIT = 141, 130  # what a shell says of a command that ended by SIGPIPE, by SIGINT
_STDOUT_ERRORS = (errno.EBADF, errno.ENOSPC, errno.EFBIG)
_NUMBA_CACHE = "numba/core/caching.py"


class _ErrorReportingGroup(TyperGroup):
    """A group whose commands say in a line what the user got wrong, instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with shared_budget():  # among the rules of others that a command loads, every profile of them
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPT_EXIT) from None
        except BrokenPipeError:
            _discard_stdout()
            raise typer.Exit(SIGPIPE_EXIT) from None
        except typer.Exit:
            raise
        except Exception as problem:
            _report_error(problem)


app = typer.Typer(
    name="abl-cards",
    cls=_ErrorReportingGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
kb.app.command()(kb_diff.diff)
app.add_typer(kb.app, name="kb")
play.register(app)
explain.register(app)
review.register(app)
bench.register(app)
train.register(app)
ablate.register(app)
experiments.register(app)
solve.register(app)
split.register(app)
strength.register(app)
serve.register(app)
web.register(app)
bots.register(app)
lsp.register(app)


def main() -> None:
    """Run the command line."""
    open_standard_streams()
    ensure_complete_writes()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    reduce_gc()
    try:
        app()
    finally:
        _flush_stdout()


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abl-cards {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Chinese card games whose rules are answer-set programs that run at tensor speed.

    Start with:  abl-cards kb check guandan   ·   abl-cards match guandan greedy random   ·   abl-cards demo
    """


def _report_error(problem: Exception) -> None:
    """Print in a line what the user can do about a problem, and leave; raises what is a bug of ours."""
    if isinstance(problem, ModuleNotFoundError) and (text := missing_library_message(problem)):
        fail(text)
    if cache := _find_damaged_cache(problem):
        fail(f"{cache}: numba's cache of compiled functions is damaged; delete the files *.nbi and *.nbc beside it")
    from abl_cards.asp import KBError
    from abl_cards.core import GameError

    if isinstance(problem, KBError):
        print_problems(str(problem).splitlines())
        raise typer.Exit(1) from None
    if isinstance(problem, OSError):
        named = f"{problem.filename}: " if problem.filename is not None else ""
        if not named and problem.errno in _STDOUT_ERRORS:
            named = "stdout: "
            _discard_stdout()
        fail(f"{named}{problem.strerror or problem}")
    if isinstance(problem, GameError):
        fail(problem)
    raise problem


def _find_damaged_cache(problem: Exception) -> str | None:
    """Return the file of numba's cache that an exception was raised in; None for any other exception."""
    found, at = None, problem.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename.replace(os.sep, "/").endswith(_NUMBA_CACHE):
            found = getattr(at.tb_frame.f_locals.get("self"), "_index_path", found)
        at = at.tb_next
    return None if isinstance(problem, OSError) else found


def _flush_stdout() -> None:
    """Write what stdout still holds; a full disk is an error like any other, and a reader that has gone is none."""
    try:
        if not sys.stdout.closed:  # the language server ends by closing it
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        raise SystemExit(SIGPIPE_EXIT) from None
    except OSError as problem:
        with suppress(OSError):
            print(f"error: stdout: {problem.strerror}; the results are not complete", file=sys.stderr)
        _discard_stdout()
        raise SystemExit(1) from None


def _discard_stdout() -> None:
    """The reader of our output has gone; nothing more is to be said to it, not even at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
