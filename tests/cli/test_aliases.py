"""Former names of commands and options."""

from __future__ import annotations

import pytest
from typer.main import get_command

from abl_cards.cli.aliases import FORMER_COMMANDS, FORMER_OPTIONS, current_options
from abl_cards.cli.app import app
from tests.cli_runs import run


def options_by_command() -> dict[str, set[str]]:
    """Return the options of all commands, including those of ``kb``, by command name."""
    group = get_command(app)
    options: dict[str, set[str]] = {}
    for name, command in [*group.commands.items(), *group.commands["kb"].commands.items()]:  # type: ignore[attr-defined]
        options.setdefault(name, set()).update(option for param in command.params for option in param.opts)
    return options


def test_aliases_map_to_current_commands_and_options() -> None:
    options = options_by_command()
    assert set(FORMER_COMMANDS.values()) <= set(options)
    assert not set(FORMER_COMMANDS) & set(options)
    for command, former in FORMER_OPTIONS.items():
        assert set(former.values()) <= options[command], command
        assert not set(former) & options[command], command


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--log", "a", "b"], ["--botzone-log", "a", "b"]),
        (["--log=a"], ["--botzone-log=a"]),
        (["x", "--", "--log"], ["x", "--", "--log"]),
        (["--logs", "log"], ["--logs", "log"]),
    ],
)
def test_current_options_replaces_former_names(arguments: list[str], expected: list[str]) -> None:
    assert current_options({"--log": "--botzone-log"}, arguments) == expected


def test_former_command_is_an_alias() -> None:
    assert run("kb", "words", "hearts").stdout == run("kb", "describe", "hearts").stdout


def test_former_option_is_a_hidden_alias() -> None:
    words = ("solve", "big2", "34", "5")
    answer = run(*words, "--nodes=1000000")
    assert answer.exit_code == run(*words, "--max-nodes", "1000000").exit_code == 0
    assert "--nodes" not in run("solve", "--help").stdout.replace("--max-nodes", "")
