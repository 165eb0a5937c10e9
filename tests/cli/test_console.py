"""Arguments that all commands read in the same way, and messages on stderr."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, get_args, get_type_hints

import pytest
import typer
from typer.main import get_command

from abl_cards.cli.app import app
from abl_cards.cli.console import fail, parse_path, print_problems
from tests.cli_runs import run


def commands(group: Any) -> Iterator[Any]:
    """Yield all commands, those of groups too."""
    for command in group.commands.values():
        yield from commands(command) if hasattr(command, "commands") else [command]


def test_all_path_options_use_parse_path() -> None:
    paths = 0
    for command in commands(get_command(app)):
        for name, hint in get_type_hints(inspect.unwrap(command.callback), include_extras=True).items():
            if "Path" in str(get_args(hint)[:1]):
                paths += 1
                assert get_args(hint)[1].parser is parse_path, (command.name, name)
    assert paths > 30


@pytest.mark.parametrize(
    "arguments",
    [
        ("legal", "president", ""),
        ("replay", "president", ""),
        ("solve", "president", ""),
        ("kb", "solve", "president", ""),
        ("match", "president", "kb", "kb", "--record", ""),
        ("deal", "doudizhu", "--class", "0", "--exclude", ""),
        ("kb", "check", "president", "--kb", ""),
    ],
)
def test_empty_paths_are_rejected(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert "path" in answer.stderr


@pytest.mark.parametrize(("command", "verb"), [("explain", "explain"), ("review", "review"), ("solve", "solve")])
def test_line_beyond_the_end_error_names_the_command(command: str, verb: str, tmp_path: Any) -> None:
    file = tmp_path / "states.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    answer = run(command, "president", str(file), "--line", "9")
    assert answer.exit_code == 1
    assert answer.stderr.split()[-1] == verb


@pytest.mark.parametrize("show", [fail, lambda text: print_problems([text])])
def test_messages_contain_no_control_characters(
    show: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(typer.Exit):
        show("unknown profile '\x1b]0;title\x07'")
    written = capsys.readouterr().err
    assert "title" in written
    assert written.strip().isprintable()
