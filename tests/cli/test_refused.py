"""Every command rejects rules that `kb check` rejects, for folders with many kinds of errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from abl_cards.cli.app import app
from abl_cards.cli.kb import NEW_GAME
from tests.cli_runs import run
from tests.effort import amount

STATE = '{"hand":["S3"],"to_beat":null}'
RECORD = '{"version":1,"plays":[]}'

COMMANDS: dict[str, tuple[str, ...] | None] = {
    "match": ("DIR", "greedy", "random", "--games", "2"),
    "replay": ("DIR", "RECORD"),
    "legal": ("DIR", "STATE"),
    "explain": ("DIR", "STATE"),
    "review": ("DIR", "RECORD"),
    "picture": ("DIR", "STATE"),
    "ablate": ("DIR", "--agent", "kb", "--games", "2", "--dir", "OUT"),
    "bench": ("--game", "DIR"),
    "demo": ("--game", "DIR", "--dir", "OUT"),
    "train": ("DIR", "--dir", "OUT"),
    "run": ("joint_loop", "--smoke", "--kb", "DIR", "--dir", "OUT", "--set", "game=president"),
    "solve": ("DIR", "3", "4"),
    "split": ("3344", "--kb", "DIR"),
    "deal": ("DIR", "--class", "0"),
    "strength": ("3344", "--game", "DIR"),
    "serve": ("DIR", "--port", "0"),
    "join": ("127.0.0.1:9", "--game", "DIR", "--agent", "kb"),
    "web": ("DIR", "--port", "0"),
    "bot": ("DIR", "OUT"),
    "judge": ("DIR",),
    "lsp": None,  # it shows the errors
    "kb check": ("DIR",),
    "kb verify": ("DIR", "--states", "10"),
    "kb copy": None,  # rules are copied, and nothing is answered
    "kb new": None,
    "kb test": ("DIR",),
    "kb solve": ("DIR", STATE),
    "kb describe": ("DIR",),
    "kb diff": None,  # see the tests below
}
"""By command its arguments, which a new command must have here; None: no answer is by the rules of a folder."""

EDITS: dict[str, tuple[str, str, str]] = {
    "syntax": ("more.lp", "worth(X) :- rank(X\n", "more.lp:2"),
    "unknown": ("more.lp", "barred(single(R)) :- rank(R), hold(R,1).\n", "more.lp:1"),
    "input": ("more.lp", "% held\nheld(3,1).\n", "more.lp:2"),
    "two_values": ("more.lp", "deals(0,20).\n", "more.lp:1"),
    "too_many": ("more.lp", "seat(3..4).\n", "more.lp:1"),
    "loop": ("more.lp", "one :- not two. two :- not one. barred(pass) :- one.\n", "more.lp:1"),
    "leads": ("more.lp", "\n\nleads(S) :- seat(S).\n", "more.lp:3"),
    "never_left": ("more.lp", "asks(again,0).\noption(yes).\n", "more.lp:1"),
    "left_out": ("variant.lp", "leaves_out(labels).\n", "variant.lp:2"),
    "no_parent": ("variant.lp", "parent(nobody).\n", "variant.lp:2"),
    "letter": ("more.lp", "rank(30).\n", "more.lp:1"),
    "science": ("science/other.lp", "unread.\n", "other.lp"),
}
"""By folder the file that is edited, what is written there, and where the first error is."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a valid game, and a variant of it for each edit."""
    home = tmp_path_factory.mktemp("refused")
    shutil.copytree(NEW_GAME, home / "sound")
    for name, (file, text, _) in EDITS.items():
        (home / name / file).parent.mkdir(parents=True)
        (home / name / "variant.lp").write_text("parent(sound).\n")
        with (home / name / file).open("a") as stream:
            stream.write(text)
    (home / "state.json").write_text(STATE)
    (home / "record.jsonl").write_text(RECORD)
    return home


def fill_arguments(arguments: tuple[str, ...], folder: Path, out: Path) -> Iterator[str]:
    places = {
        "DIR": folder, "OUT": out, "STATE": folder.parent / "state.json", "RECORD": folder.parent / "record.jsonl",
    }  # fmt: skip
    return (str(places.get(argument, argument)) for argument in arguments)


def error_lines(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if "error: " in line and ": warning: " not in line]


@cache
def check_errors(folder: Path) -> list[str]:
    """Return the errors of `kb check`."""
    done = run("kb", "check", str(folder))
    assert done.exit_code == 1
    errors = error_lines(done.stderr)
    assert errors
    return errors


def all_commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from all_commands(command, (*before, name))
        else:
            yield " ".join((*before, name))


def test_list_of_commands_is_complete() -> None:
    assert set(all_commands(get_command(app))) == set(COMMANDS)


@pytest.mark.parametrize("edit", EDITS)
def test_errors_have_the_edited_line(edit: str, folders: Path) -> None:
    place = EDITS[edit][2]
    assert place in check_errors(folders / edit)[0]


RULED = [name for name, arguments in COMMANDS.items() if arguments]


@pytest.mark.parametrize("command", RULED)
def test_every_command_rejects_invalid_rules(command: str, folders: Path, tmp_path: Path) -> None:
    """Every command meets one of the twelve edits, and with --long all of them."""
    stride = amount(12, 1)
    for edit in list(EDITS)[RULED.index(command) % stride :: stride]:
        if (command, edit) == ("kb solve", "loop"):
            continue  # clingo answers what has no circuit, and nothing else
        expected = check_errors(folders / edit)
        arguments = fill_arguments(COMMANDS[command] or (), folders / edit, tmp_path / edit)
        done = run(*command.split(), *arguments)
        assert error_lines(done.stderr) == expected, (edit, done.output)
        assert done.exit_code == 1
        assert command == "kb check" or not done.stdout.strip()
        assert command == "run" or not (tmp_path / edit).exists()  # a run begins with its log


def test_kb_diff_compares_compilable_rules_and_prints_errors(folders: Path) -> None:
    for edit, sides in (("leads", ("sound", "leads")), ("never_left", ("never_left", "sound"))):
        one, two = (str(folders / side) for side in sides)
        done = run("kb", "diff", one, two, "--states", "20", "--games", "0", "--json")
        assert done.exit_code == 0, done.output
        assert error_lines(done.stderr) == check_errors(folders / edit)
        assert json.loads(done.stdout)["states"] == 20
    done = run("kb", "diff", str(folders / "sound"), str(folders / "unknown"), "--states", "20")
    assert (done.exit_code, done.stdout) == (1, "")
    assert error_lines(done.stderr) == check_errors(folders / "unknown")


def test_errors_of_a_parent_are_reported_in_its_files(tmp_path: Path) -> None:
    shutil.copytree(NEW_GAME, tmp_path / "sound")
    with (tmp_path / "sound" / "game.lp").open("a") as stream:
        stream.write("deals(0,20).\n")
    (tmp_path / "child").mkdir()
    (tmp_path / "child" / "variant.lp").write_text("parent(sound).\n")
    (tmp_path / "child" / "more.lp").write_text("deals(1,17).\n")
    (error,) = check_errors(tmp_path / "child")
    assert "sound/game.lp:" in error


def test_warnings_do_not_stop_commands(folders: Path) -> None:
    folder = folders / "warned"
    folder.mkdir()
    (folder / "variant.lp").write_text("parent(sound).\n")
    (folder / "more.lp").write_text("nobody_reads(1).\n")
    done = run("legal", str(folder), str(folders / "state.json"))
    assert done.exit_code == 0
    assert json.loads(done.stdout)["moves"] == [["S3"]]


def test_errors_in_unused_profiles_are_ignored(tmp_path: Path) -> None:
    """Check only the profile in use."""
    folder = tmp_path / "mine"
    shutil.copytree(NEW_GAME, folder)
    (folder / "profiles").mkdir()
    (folder / "profiles" / "good.lp").write_text("#show.\n")
    (folder / "profiles" / "bad.lp").write_text("deals(0,20).\n")
    with (folder / "game.lp").open("a") as stream:
        stream.write("default_profile(good).\n")
    (tmp_path / "state.json").write_text(STATE)
    assert run("legal", str(folder), str(tmp_path / "state.json")).exit_code == 0
    done = run("legal", str(folder), str(tmp_path / "state.json"), "--profile", "bad")
    assert done.exit_code == 1
    assert error_lines(done.stderr) == check_errors(folder)
