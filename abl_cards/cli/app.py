"""The command ``abl-cards``. Each command imports what it needs when it runs, so that the command starts at once."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer

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
    picture,
    play,
    review,
    serve,
    solve,
    split,
    strength,
    train,
    web,
)
from abl_cards.cli.aliases import AliasGroup
from abl_cards.cli.console import Commands, fail, print_problems
from abl_cards.core import (
    STDOUT_NAME,
    ensure_complete_writes,
    limit_thread_spinning,
    missing_library_message,
    name_stdout_errors,
    open_standard_streams,
    reduce_gc,
    shared_budget,
)

SIGPIPE_EXIT, INTERRUPT_EXIT, TERMINATE_EXIT = 141, 130, 143  # exit codes that shells report after a signal
_NUMBA_CACHE = "numba/core/caching.py"
_USAGE_ERRORS = ("unknown-experiment", "unknown-game", "unknown-protocol", "invalid-setting", "setting-conflict")
"""Codes of errors in the arguments of a command that are found during its work."""


class _Terminated(KeyboardInterrupt):
    """Interruption by SIGTERM, after which commands close their files as after Ctrl-C."""


class _ErrorReportingGroup(AliasGroup):
    """A group whose commands report errors of the user in one line instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with shared_budget():  # for all rule folders and profiles that a command loads
                return super().invoke(ctx)
        except KeyboardInterrupt as problem:
            raise typer.Exit(TERMINATE_EXIT if isinstance(problem, _Terminated) else INTERRUPT_EXIT) from None
        except BrokenPipeError:
            _discard_stdout()
            raise typer.Exit(SIGPIPE_EXIT) from None
        except typer.Exit:
            raise
        except Exception as problem:
            _report_error(problem)


app = Commands(
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
picture.register(app)
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
    name_stdout_errors()
    limit_thread_spinning()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    reduce_gc()
    _interrupt_at_sigterm()
    try:
        app()
    finally:
        _flush_stdout()


def _interrupt_at_sigterm() -> None:
    """Let SIGTERM interrupt the command as Ctrl-C does; a second one, or one to a forked process, ends it at once."""
    process = os.getpid()

    def terminate(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() != process:
            signal.raise_signal(number)
        raise _Terminated

    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)


def _print_version(is_given: bool) -> None:
    if is_given:
        typer.echo(f"abl-cards {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Card games as answer-set programs, compiled to circuits, and agents that learn by abduction.

    Start with:  abl-cards kb check guandan   ·   abl-cards match guandan greedy random   ·   abl-cards demo
    """


def _report_error(problem: Exception) -> None:
    """Print an error of the user in one line and exit; re-raise any other exception."""
    if isinstance(problem, ModuleNotFoundError) and (text := missing_library_message(problem)):
        fail(text)
    if cache := _find_numba_cache(problem):
        if isinstance(problem, OSError):
            remedy = "make room, or name another folder in NUMBA_CACHE_DIR"
            fail(f"{cache}: numba cannot store compiled functions: {problem.strerror or problem}; {remedy}")
        fail(f"{cache}: numba's cache of compiled functions is damaged; delete the files *.nbi and *.nbc beside it")
    from abl_cards.asp import KBError
    from abl_cards.core import GameError

    if isinstance(problem, MemoryError):
        fail(f"not enough memory ({str(problem) or 'an allocation failed'}): choose smaller numbers")
    if isinstance(problem, KBError):
        print_problems(str(problem).splitlines())
        raise typer.Exit(1) from None
    if isinstance(problem, OSError):
        if problem.filename == STDOUT_NAME:
            _discard_stdout()
        named = f"{problem.filename}: " if problem.filename is not None else ""
        fail(f"{named}{problem.strerror or problem}")
    if isinstance(problem, GameError):
        fail(problem, 2 if problem.code in _USAGE_ERRORS else 1)
    raise problem


def _find_numba_cache(problem: Exception) -> str | None:
    """Return the file of numba's cache that an exception was raised in; None for any other exception."""
    path, at = None, problem.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename.replace(os.sep, "/").endswith(_NUMBA_CACHE):
            path = getattr(at.tb_frame.f_locals.get("self"), "_index_path", path)
        at = at.tb_next
    return path


def _flush_stdout() -> None:
    """Flush stdout. A full disk is an error; a closed pipe is not."""
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
    """Redirect stdout to the null device after its reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
