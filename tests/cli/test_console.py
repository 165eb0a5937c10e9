"""Arguments that all commands read in the same way, and messages on stderr."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer
from numba.core.caching import IndexDataCacheFile
from typer.main import get_command

from abl_cards.cli.app import _report_error, app
from abl_cards.cli.console import fail, parse_folder, parse_path, print_problems
from tests.cli_runs import run
from tests.full_disk import files_up_to


def commands(group: Any) -> Iterator[Any]:
    """Yield all commands, those of groups too."""
    for command in group.commands.values():
        yield from commands(command) if hasattr(command, "commands") else [command]


def test_all_path_options_reject_empty_texts() -> None:
    paths = 0
    for command in commands(get_command(app)):
        for name, hint in get_type_hints(inspect.unwrap(command.callback), include_extras=True).items():
            if "Path" in str(get_args(hint)[:1]):
                paths += 1
                assert get_args(hint)[1].parser in (parse_path, parse_folder), (command.name, name)
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


def test_read_only_folder_is_reported_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path.resolve())
    result = run("match", "president", "kb", "greedy", "--games", "4", "--csv", str(tmp_path / "rows.csv"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(tmp_path / "rows.csv") in result.stderr


FOLDER_OPTIONS = [
    ("train", "guandan", "--dir"), ("ablate", "guandan", "--dir"), ("run", "joint_loop", "--dir"), ("demo", "--dir"),
    ("serve", "guandan", "--spectator-dir"), ("web", "--state-dir"),
]  # fmt: skip


@pytest.mark.parametrize("words", FOLDER_OPTIONS, ids=lambda words: words[0])
@pytest.mark.parametrize("below", ["", "more/runs"])
def test_file_in_the_place_of_a_folder_is_reported_before_any_work(
    words: tuple[str, ...], below: str, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("kept", "utf-8")
    result = run(*words, str(file / below))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"'{words[-1]}'" in result.stderr
    assert file.read_text("utf-8") == "kept"


def test_full_folder_of_compiled_functions_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was reported as a full disk under stdout."""
    cache = IndexDataCacheFile(str(tmp_path), "kernels", "stamp")
    with pytest.raises(OSError, match="File too large") as error, files_up_to(1):
        cache.save("key", "data")
    with pytest.raises(typer.Exit):
        _report_error(error.value)
    message = capsys.readouterr().err
    assert str(tmp_path / "kernels.nbi") in message
    assert "NUMBA_CACHE_DIR" in message


def test_paragraphs_of_help_are_one_line_which_the_terminal_wraps() -> None:
    for command in commands(get_command(app)):
        for paragraph in command.help.split("\n\n"):
            lines = paragraph.strip("\n").split("\n")
            assert len(lines) == 1 or all(line.startswith("    ") for line in lines), command.name
            assert not any(line.startswith("abl-cards ") for line in lines), command.name  # an example is indented
