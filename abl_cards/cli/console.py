"""What all commands share: where they print, how they fail, and the options they have in common.

Results go to stdout; progress, headings of a wait and what is wrong go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Protocol, TypeVar

import typer

from abl_cards.core import PACKAGE

if TYPE_CHECKING:
    from rich.console import Console

    from abl_cards.circuit import KnowledgeBase
    from abl_cards.games import Engine, Game

T = TypeVar("T")

MAX_PROBLEMS = 50
"""Errors of rule files that are printed, and warnings."""
MAX_MESSAGE_LENGTH = 400
"""Characters; a message may quote its input, and that may be a whole file."""


def list_game_names() -> str:
    """The games by name, as folders beside each other: nothing is imported, so that the command starts at once."""
    folder = PACKAGE / "kb"
    return ", ".join(sorted(each.name for each in folder.iterdir() if each.name != "common" and any(each.glob("*.lp"))))


def check_finite(number: float | None) -> float | None:
    """Refuse nan, which is within every range, and inf; a callback of options."""
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number.")
    return number


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help=f"The game: {list_game_names()}; or a folder of rule files.")
]
RuleFolder = Annotated[
    Path | None,
    typer.Option("--kb", metavar="DIR", help="Play by the rule files in this folder (see: abl-cards kb copy)."),
]
Profile = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="A file of the folder profiles; default: the game's.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RecordFile = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Write every episode here as it ends: .jsonl or .jsonl.gz."),
]
MAX_SEED = 2**128 - 1
Seed = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, max=MAX_SEED, help="The same seed gives the same result.")
]
SecretSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="S",
        min=0,
        max=MAX_SEED,
        help="The same seed gives the same result; default: a secret one, printed at the end.",
    ),
]


def fail(text: object, code: int = 1) -> NoReturn:
    """Say on stderr what is wrong, and leave."""
    typer.echo(f"error: {shorten(text)}", err=True)
    raise typer.Exit(code)


def fail_usage(text: object) -> NoReturn:
    """The command was called wrongly: exit code 2."""
    fail(text, 2)


def shorten(text: object) -> str:
    """One message, cut where it quotes too much."""
    message = str(text)
    return message if len(message) <= MAX_MESSAGE_LENGTH else f"{message[:MAX_MESSAGE_LENGTH]} …"


def check_host(name: str) -> None:
    """End the command where a machine cannot have this name."""
    from abl_cards.core import is_hostname

    if name and not is_hostname(name):
        fail_usage(f"--host {name[:80]}: no name or address of a machine")


def print_problems(lines: Iterable[str]) -> None:
    """Print errors and warnings of rule files on stderr, each once, and of either at most MOST_PROBLEMS."""
    unlike: dict[bool, list[str]] = {True: [], False: []}
    for line in dict.fromkeys(lines):
        unlike[": warning: " in line.partition(": error: ")[0]].append(line)
    shown = {line for some in unlike.values() for line in some[:MAX_PROBLEMS]}
    for line in dict.fromkeys(lines):
        if line in shown:
            typer.echo(line, err=True)
    for is_warning, some in unlike.items():
        if len(some) > MAX_PROBLEMS:
            what = "warnings" if is_warning else "errors"
            typer.echo(f"… and {len(some) - MAX_PROBLEMS:,} more {what} (kb check --json has them all)", err=True)


def find_game(name: str) -> Game:
    """The game of that name; an unknown one ends the command."""
    from abl_cards.core import GameError
    from abl_cards.games import load

    try:
        return load(name)
    except GameError as problem:
        fail_usage(problem)


def load_engine(game: Game, directory: Path | None, profile: str | None) -> Engine:
    """Compile the rules of a game; raises KBError where `kb check` refuses them."""
    return game.engine(directory, profile)


def load_knowledge(game: Game, directory: Path | None, profile: str | None, cache: bool = True) -> KnowledgeBase:
    """Load the rule files of a game; raises KBError where `kb check` refuses them."""
    return game.knowledge_base(directory, profile, cache)


def folder_argument(directory: Path) -> str:
    """A folder where a game may be named: its path, which is not the name of a game that comes with us."""
    from abl_cards.games import game_names

    return f"./{directory}" if str(directory) in game_names() else str(directory)


def list_profiles(game: Game, directory: Path | None = None) -> list[str]:
    """The profiles of a game's rule files, or of a copy of them, with those of its parents."""
    from abl_cards.asp import KBError
    from abl_cards.games.description import Folder

    try:
        return sorted(Folder(directory or game.directory).profiles)
    except KBError:  # the folder's parents cannot be read: whoever loads it says so
        return []


def print_json(value: Any) -> None:
    """One JSON object, on one line."""
    typer.echo(json.dumps(value, separators=(",", ":")))


def make_console() -> Console:
    """Where results go; wide enough for a table when nobody sets a width."""
    from rich.console import Console

    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 140)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right_aligned: Collection[int] = ()) -> None:
    """A table on stdout; the columns with these numbers stand to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if place in right_aligned else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    make_console().print(table)


def read_settings(defaults: T, assignments: Sequence[str], fixed: Collection[str] = ()) -> T:
    """Settings with what ``--set`` says, but for the fixed ones; a word that sets nothing ends the command."""
    from abl_cards.core import SettingError, apply_settings

    try:
        return apply_settings(defaults, assignments, fixed)
    except SettingError as problem:
        fail_usage(problem)


def rule_assignments(directory: Path | None, profile: str | None) -> list[str]:
    """What ``--kb`` and ``--profile`` set, as ``--set`` would say it."""
    return [*([f"kb={directory}"] if directory else []), *([f"profile={profile}"] if profile else [])]


def print_settings(settings: Any, fixed: Collection[str] = ()) -> None:
    """What can be set, what it is set to, and what it means."""
    from abl_cards.core import describe_settings

    print_table(("setting", "value", "meaning"), describe_settings(settings, fixed))


@contextmanager
def open_record_writer(
    file: Path | None, final_fields: dict[str, Any] | None = None
) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """A function that writes a record for good, where there is a file for it; says on stderr where they lie.

    ``final_fields`` are fields that every record gets when all are written.
    """
    from abl_cards.matches import open_record_file

    if file is None:
        yield None
    else:
        with open_record_file(file, lambda line: typer.echo(line, err=True), final_fields) as write:
            yield write


class ShowProgress(Protocol):
    """Updates a progress bar."""

    def __call__(self, done: int, remark: str, total: int | None = ...) -> None:
        """Show what is done, a remark beside it, and a new total."""


@contextmanager
def show_progress(text: str, total: int | None) -> Iterator[ShowProgress]:
    """Show a progress bar on stderr; yields the function that updates it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    remarks = TextColumn("{task.fields[remark]}")
    with Progress(*columns, remarks, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total, remark="")

        def show(done: int, remark: str, total: int | None = total) -> None:
            bar.update(task, completed=done, remark=remark, total=total)

        yield show


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """A sign on stderr that something is going on; gives a function to say what."""
    from rich.console import Console

    with Console(stderr=True, markup=False).status(text) as status:
        yield status.update
