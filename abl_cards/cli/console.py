"""Output, errors and options that all commands share.

Results go to stdout; progress and errors go to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from typer.core import TyperCommand

from abl_cards.core import PACKAGE, escape_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from abl_cards.circuit import KnowledgeBase
    from abl_cards.games import Engine, Game

T = TypeVar("T")

MAX_PROBLEMS = 50
"""Errors of rule files that are printed, and the same number of warnings."""
MAX_STATES = 10**7
"""Largest number of states that are compared at once: some kilobytes each."""
MAX_MESSAGE_LENGTH = 400
"""Characters of a printed message, which may quote a whole input file."""
MAX_NUMBER = 2**31 - 1
"""Largest whole number of options without a limit of their own; numpy and clingo refuse much larger ones."""


def list_game_names() -> str:
    """List the shipped games from their folders, without imports that would delay the command."""
    folder = PACKAGE / "kb"
    return ", ".join(
        sorted(entry.name for entry in folder.iterdir() if entry.name != "common" and any(entry.glob("*.lp")))
    )


def check_finite(number: float | None) -> float | None:
    """Reject nan, which passes every range check, and inf; used as a callback of options."""
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number.")
    return number


def parse_path(text: str) -> Path:
    """Read a path; an empty text, as of an unset variable of the shell, would be the current folder."""
    if not text:
        raise typer.BadParameter("an empty text is no path.")
    return Path(text)


def parse_folder(text: str) -> Path:
    """Read the path of a folder, which may be missing; nothing can be made in the place of a file, or below one."""
    path = parse_path(text)
    if file := next((one for one in (path, *path.parents) if one.is_file()), None):
        raise typer.BadParameter(f"{file} is a file; name a folder, which may be new.")
    return path


path_option = partial(typer.Option, parser=parse_path)
"""Declare an option that is a path; parameters are those of `typer.Option`."""
folder_option = partial(typer.Option, parser=parse_folder)
"""Declare an option that is a folder to write to; parameters are those of `typer.Option`."""
path_argument = partial(typer.Argument, parser=parse_path)
"""Declare an argument that is a path; parameters are those of `typer.Argument`."""


def check_output_file(file: Path | None) -> Path | None:
    """Reject a file that cannot be written, before any work is done; used as a callback of options."""
    if file is not None:
        from abl_cards.core import GameError, resolve_output_path

        try:
            target = resolve_output_path(file)
        except GameError as problem:
            fail(problem)
        if not os.access(target.parent, os.W_OK):
            fail(f"{file}: no file can be written in the folder {target.parent}")
    return file


_OTHER_FORMATS = frozenset({".json", ".jsonl", ".gz", ".lp", ".py", ".safetensors", ".state", ".toml"})
"""Suffixes of files that a table could replace, such as the metrics of a run."""
OUTPUT_OPTIONS = frozenset({"--botzone-log", "--csv", "--out", "--plot", "--png", "--propose-cases", "--record"})
"""Options that name a file to write; each has the callback `check_output_file`."""


class Command(TyperCommand):
    """Command that refuses huge numbers, and to write a file that it reads, or one file twice."""

    def __init__(self, *args: Any, help: str | None = None, **kwargs: Any) -> None:
        """Make a command; rich keeps the line breaks of its help text, so paragraphs are joined to one line each."""
        super().__init__(*args, help=help and unwrap_paragraphs(help), **kwargs)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments and check what typer cannot: limits of all numbers, and files that are the same."""
        remaining = super().parse_args(ctx, args)
        names: dict[Path, str] = {}  # options and arguments by the file that they name
        for parameter in sorted(self.params, key=_is_output):  # a repeated option has a list of values
            values = ctx.params.get(parameter.name or "")
            for value in values if isinstance(values, list | tuple) else [values]:
                name = _display_name(parameter)
                if isinstance(value, int) and value > MAX_NUMBER and getattr(parameter, "max", None) is None:
                    fail_usage(f"{name} {shorten(value)}: at most {MAX_NUMBER:,}")
                if isinstance(value, Path):
                    file = value.resolve()
                    if _is_output(parameter) and file in names:
                        fail_usage(f"{names[file]} and {name} are the same file, {value}: name another one to write")
                    if name == "--csv" and file.suffix.lower() in _OTHER_FORMATS:
                        fail_usage(f"--csv {value}: the table is a CSV file; name it {file.with_suffix('.csv').name}")
                    names[file] = name
        return remaining


def unwrap_paragraphs(text: str) -> str:
    """Join the lines of each paragraph; indented lines, such as examples, stay as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(part if part.startswith(" ") else part.replace("\n", " ") for part in paragraphs)


def _is_output(parameter: Any) -> bool:
    return not OUTPUT_OPTIONS.isdisjoint(parameter.opts)


def _display_name(parameter: Any) -> str:
    return parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar or parameter.name


class Commands(typer.Typer):
    """Typer application whose commands compare the files that they are given."""

    def command(  # type: ignore[override]
        self, *args: Any, cls: type[TyperCommand] = Command, **kwargs: Any
    ) -> Any:
        """Return a decorator that adds a function as a command, of class `Command` unless another one is given."""
        return super().command(*args, cls=cls, **kwargs)


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help=f"The game: {list_game_names()}; or a folder of rule files.")
]
RuleFolder = Annotated[
    Path | None,
    path_option("--kb", metavar="DIR", help="Use the rule files in this folder (see: abl-cards kb copy)."),
]
Profile = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="Rule profile: a file in profiles/; default: that of the game."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
CsvFile = Annotated[
    Path | None,
    path_option("--csv", metavar="FILE", callback=check_output_file, help="Also write the rows as a CSV file."),
]
RecordFile = Annotated[
    Path | None,
    path_option(
        "--record",
        metavar="FILE",
        callback=check_output_file,
        help="Write each episode to this file: .jsonl or .jsonl.gz.",
    ),
]
MAX_SEED = 2**128 - 1
Seed = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, max=MAX_SEED, help="Random seed; equal seeds give equal results.")
]
SecretSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="S",
        min=0,
        max=MAX_SEED,
        help="Random seed; default: a secret one, printed at the end.",
    ),
]


def fail(text: object, code: int = 1) -> NoReturn:
    """Print an error on stderr and exit.

    Args:
        text: Message of one line.
        code: Exit code of the process.

    Raises:
        typer.Exit: Always.
    """
    typer.echo(f"error: {shorten(text)}", err=True)
    raise typer.Exit(code)


def fail_usage(text: object) -> NoReturn:
    """Print an error in the arguments on stderr and exit with code 2.

    Args:
        text: Message of one line.

    Raises:
        typer.Exit: Always.
    """
    fail(text, 2)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Report a GameError as an error in the arguments, and exit with code 2."""
    from abl_cards.core import GameError

    try:
        yield
    except GameError as problem:
        fail_usage(problem)


def name_input(file: Path | None) -> str:
    """Return the begin of messages about a file, which is empty for stdin."""
    return "" if file is None or str(file) == "-" else f"{file}: "


def shorten(text: object) -> str:
    """Cut a message to at most ``MAX_MESSAGE_LENGTH`` characters, and escape what would control the terminal."""
    message = escape_controls(str(text))
    return message if len(message) <= MAX_MESSAGE_LENGTH else f"{message[:MAX_MESSAGE_LENGTH]} …"


def check_host(name: str) -> None:
    """Exit with a usage error unless the name can be a host name or an address."""
    from abl_cards.core import is_hostname

    if not is_hostname(name):  # an empty one would listen on all interfaces
        fail_usage(f"--host {name[:80] or repr(name)}: not a host name or an address; 0.0.0.0 stands for all")


@contextmanager
def report_interrupt(folder: Path) -> Iterator[None]:
    """Print that a run is kept, where it is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        if folder.is_dir():
            typer.echo(f"stopped; {folder} keeps what is done, and the same command goes on from there", err=True)
        raise


def print_problems(lines: Iterable[str]) -> None:
    """Print errors and warnings of rule files on stderr, each once, at most ``MAX_PROBLEMS`` of either kind."""
    by_kind: dict[bool, list[str]] = {True: [], False: []}
    for line in dict.fromkeys(lines):
        by_kind[": warning: " in line.partition(": error: ")[0]].append(line)
    shown = {line for kind_lines in by_kind.values() for line in kind_lines[:MAX_PROBLEMS]}
    for line in dict.fromkeys(lines):
        if line in shown:
            typer.echo(escape_controls(line), err=True)
    for is_warning, kind_lines in by_kind.items():
        if len(kind_lines) > MAX_PROBLEMS:
            kind = "warnings" if is_warning else "errors"
            typer.echo(f"… and {len(kind_lines) - MAX_PROBLEMS:,} more {kind} (kb check --json lists all)", err=True)


def find_game(name: str) -> Game:
    """Load a game by name or folder; an unknown one is a usage error."""
    from abl_cards.games import load

    with usage_errors():
        return load(name)


def load_engine(game: Game, directory: Path | None, profile: str | None) -> Engine:
    """Compile the rules of a game; raises KBError if ``kb check`` reports errors."""
    from abl_cards.cli.progress import show_status

    with show_status(f"rules of {game.name}"):
        return game.engine(directory, profile)


def load_knowledge(game: Game, directory: Path | None, profile: str | None, cache: bool = True) -> KnowledgeBase:
    """Load the rule files of a game; raises KBError if ``kb check`` reports errors."""
    return game.knowledge_base(directory, profile, cache)


def folder_argument(directory: Path) -> str:
    """Write a folder as a GAME argument, so that it is not taken for an option or a shipped game."""
    from abl_cards.games import game_names

    text = str(directory)
    return f"./{text}" if text.startswith("-") or text in game_names() else text


def list_profiles(game: Game, directory: Path | None = None) -> list[str]:
    """List the profiles of a game's rule files or of a copy, with those of its parents."""
    from abl_cards.asp import KBError
    from abl_cards.games.description import Folder

    try:
        return sorted(Folder(directory or game.directory).profiles)
    except KBError:  # the parents cannot be read; loading the folder reports it
        return []


def print_json(value: Any) -> None:
    """Print a value as JSON on one line."""
    typer.echo(json.dumps(value, separators=(",", ":")))


def make_console() -> Console:
    """Make the console of stdout, 140 columns wide if stdout is not a terminal."""
    from rich.console import Console

    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 140)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], right_aligned: Collection[int] = ()
) -> None:
    """Print a table on stdout.

    Args:
        columns: Headings.
        rows: Cells of each row, plain or styled.
        right_aligned: Indices of columns that are aligned to the right.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if index in right_aligned else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    make_console().print(table)


def read_settings(defaults: T, assignments: Sequence[str], fixed: Collection[str] = ()) -> T:
    """Apply the values of ``--set`` to settings; an invalid assignment is a usage error.

    Args:
        defaults: Settings to start from.
        assignments: Texts of the form KEY=VALUE.
        fixed: Names of settings that cannot be assigned.

    Returns:
        A copy of the settings with the assigned values.
    """
    from abl_cards.core import SettingError, apply_settings

    try:
        return apply_settings(defaults, assignments, fixed)
    except SettingError as problem:
        fail_usage(problem)


def rule_assignments(directory: Path | None, profile: str | None) -> list[str]:
    """Return the values of ``--kb`` and ``--profile`` as assignments of ``--set``."""
    return [*([f"kb={directory}"] if directory else []), *([f"profile={profile}"] if profile else [])]


def print_settings(settings: Any, fixed: Collection[str] = (), as_json: bool = False) -> None:
    """Print a table of settings, their values and their meanings; as JSON, the values by name."""
    from abl_cards.core import describe_settings, settings_to_json

    if as_json:
        print_json({name: value for name, value in settings_to_json(settings).items() if name not in fixed})
    else:
        print_table(("setting", "value", "meaning"), describe_settings(settings, fixed))


def write_csv_file(file: Path | None, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as a CSV file, if one is given, and print its path on stderr."""
    if file is None:
        return
    from abl_cards.core import format_count, write_csv

    write_csv(file, rows)
    typer.echo(f"{format_count(len(rows), 'row')}: {file}", err=True)


@contextmanager
def open_record_writer(
    file: Path | None, final_fields: dict[str, Any] | None = None
) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """Open a file of records, if one is given, and print its path on stderr at the end.

    Args:
        file: Path of the file, or None.
        final_fields: Fields added to every record when all are written.

    Yields:
        Function that writes a record durably, or None without a file.
    """
    from abl_cards.matches import open_record_file

    if file is None:
        yield None
    else:
        with open_record_file(file, lambda line: typer.echo(line, err=True), final_fields) as write:
            yield write
