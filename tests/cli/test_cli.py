"""The command line as a whole: help, versions, start-up and exit."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from abl_cards.cli import legal
from abl_cards.cli.app import _interrupt_at_sigterm, app
from abl_cards.cli.console import OUTPUT_OPTIONS
from abl_cards.games.game import game_names
from tests.cli_runs import ROOT, run

COMMANDS = ["kb check", "kb verify", "kb copy", "legal", "match", "replay", "bench", "demo"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from abl_cards.cli import main; main()", *arguments]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_usage_and_an_example(name: str) -> None:
    shown = run(*name.split(), "--help")
    assert shown.exit_code == 0
    assert "Usage:" in shown.stdout
    assert name == "demo" or f"abl-cards {name}" in " ".join(shown.stdout.split())


def commands(group: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, subcommand in group.commands.items():
        path = (*prefix, name)
        yield from commands(subcommand, path) if hasattr(subcommand, "commands") else [(path, subcommand)]


def test_help_names_all_games() -> None:
    """The help of every GAME argument and option lists all games."""
    count = 0
    for path, subcommand in commands(get_command(app)):
        for parameter in subcommand.params:
            if "GAME" in (parameter.metavar or "").split("|"):
                count += 1
                assert ", ".join(game_names()) in (getattr(parameter, "help", "") or ""), path
    assert count >= 14


OUTPUT_FILES = ("--csv", "--record", "--botzone-log", "--plot", "--png", "--out", "--propose-cases")
assert set(OUTPUT_FILES) == OUTPUT_OPTIONS


def test_unwritable_output_files_are_rejected_immediately(tmp_path: Path) -> None:
    """Refuse a folder, and a file in a folder that is missing, while the options are read."""
    found = set()
    for path, subcommand in commands(get_command(app)):
        for parameter in subcommand.params:
            for option in set(OUTPUT_FILES) & set(parameter.opts):
                needed = required_arguments(subcommand)
                for file in (tmp_path, tmp_path / "nowhere" / "x.svg"):
                    done = run(*path, *needed, option, str(file))
                    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1), path
                    assert str(file) in done.stderr
                found.add(option)
    assert found == set(OUTPUT_FILES)
    assert not any(tmp_path.iterdir())


def required_arguments(command: Any) -> list[str]:
    """Return a 1 for each required argument and option of a command."""
    return [
        part
        for one in command.params
        if one.required
        for part in ([one.opts[0]] if one.param_type_name == "option" else []) + ["1"] * max(1, one.nargs)
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "president", "FILE", "--csv", "FILE"),
        ("replay", "--csv", "FILE", "president", "FILE"),
        ("match", "president", "kb", "kb", "--record", "FILE", "--csv", "FILE"),
        ("match", "doudizhu", "kb", "kb", "--deals", "FILE", "--record", "LINK"),
        ("deal", "doudizhu", "--class", "1", "--out", "FILE", "--exclude", "other", "--exclude", "FILE"),
        ("explain", "president", "LINK", "--png", "FILE"),
    ],
)
def test_no_file_is_written_twice_or_over_an_input(arguments: tuple[str, ...], tmp_path: Path) -> None:
    file, link = tmp_path / "games.jsonl", tmp_path / "link.jsonl"
    file.write_text("{}\n")
    link.symlink_to(file)
    places = {"FILE": str(file), "LINK": str(link)}
    done = run(*(places.get(argument, argument) for argument in arguments))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "same file" in done.stderr
    assert file.read_text() == "{}\n"


@pytest.mark.parametrize("arguments", [("train", "president"), ("run", "ladder"), ("ablate", "president")])
def test_table_does_not_replace_a_file_of_a_run(arguments: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text("{}\n")
    done = run(*arguments, "--dir", str(tmp_path), "--csv", str(file))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert file.read_text() == "{}\n"


def test_huge_numbers_are_rejected() -> None:
    """Every whole number has a limit; those without one of their own ended in errors of numpy and clingo."""
    count = 0
    for path, subcommand in commands(get_command(app)):
        for parameter in subcommand.params:
            if parameter.param_type_name == "option" and "int" in str(parameter.type_descriptor.annotation):
                done = run(*path, *required_arguments(subcommand), parameter.opts[0], str(10**40))
                assert (done.exit_code, done.stdout) == (2, ""), (path, parameter.opts)
                assert parameter.opts[0] in done.stderr
                count += 1
    assert count > 40


@pytest.mark.parametrize("arguments", [("train", "president"), ("run", "guandan_tournament")])
def test_settings_are_printed_as_json(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--settings", "--json", "--set", "seed=5")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["seed"] == 5


def test_settings_without_values_are_rejected() -> None:
    done = run("run", "guandan_tournament", "--set", "agents=")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "error: --set agents=: agents needs at least one value\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\n", "not UTF-8 text (byte 1): write it in UTF-8"),
        ('{"hand":[]}'.encode("utf-16-le"), "holds zero bytes: write it in UTF-8"),
        (b'{"hand":[]}\r{"hand":[]}\r', "lines end in CR alone: convert the line ends to LF"),
    ],
)
@pytest.mark.parametrize("command", ["legal", "explain", "review", "picture", "solve"])
def test_errors_name_the_file(command: str, content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "states.jsonl"
    file.write_bytes(content)
    done = run(command, "president", str(file))
    assert done.exit_code == 1
    assert f"{file}: line 1: {reason}\n" in done.stderr


@pytest.mark.parametrize("weights", [".", "..", "/"])
@pytest.mark.parametrize(
    "command", [("split", "33"), ("strength", "334466788999TTTQKKKX"), ("deal", "doudizhu", "--class", "1")]
)
def test_folders_are_no_weights(command: tuple[str, ...], weights: str) -> None:
    done = run(*command, "--weights", weights)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"error: {weights}: a folder" in done.stderr


def test_not_enough_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("abl_cards.rulelab.verification.verification.sample_input_rows", fail)
    done = run("kb", "verify", "president", "--states", "10")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: not enough memory (Unable to allocate 7 TiB): choose smaller numbers\n"


def test_drawn_deals_are_not_played_by_humans() -> None:
    done = run("review", "president", "--rollout-agent", "human", stdin=json.dumps({"hand": ["S3"], "to_beat": None}))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--rollout-agent" in done.stderr


@pytest.mark.parametrize("words", [["kb", "check", ""], ["match", "", "kb", "kb"], ["legal", ""]])
def test_empty_game_name_is_rejected(words: list[str]) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "empty" in done.stderr


def test_version() -> None:
    from abl_cards import __version__

    assert run("--version").stdout == f"abl-cards {__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["bogus"], ["--bogus"], ["match"], ["match", "guandan", "greedy"], ["kb", "bogus"]]
)
def test_invalid_commands_exit_with_2(arguments: list[str]) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr


def test_seeded_commands_are_complete() -> None:
    seeded = [
        path
        for path, subcommand in commands(get_command(app))
        if any("--seed" in param.opts for param in subcommand.params)
    ]
    assert sorted(map(" ".join, seeded)) == sorted(SEEDED)


SEEDED = {
    "kb verify": "guandan", "kb test": "president", "kb diff": "guandan kb", "match": "guandan kb kb",
    "deal": "doudizhu --class 1", "serve": "guandan kb kb", "join": "guandan kb ws://127.0.0.1:9",
    "review": "guandan", "run": "guandan_abln", "ablate": "guandan",
}  # fmt: skip


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize(("seed", "bound"), [("-5", 0), (str(1 << 128), (1 << 128) - 1)])
def test_invalid_seed_exits_with_2(name: str, seed: str, bound: int) -> None:
    if name == "run":  # its seed is a setting, a number in files of JSON
        bound = min(bound, (1 << 63) - 1)
    answer = run(*name.split(), *SEEDED[name].split(), "--seed", seed)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    message = "".join(answer.stderr.replace("│", " ").split())  # typer draws a box around it
    assert "seed" in message
    assert str(bound) in message


def test_invalid_seed_setting_is_rejected(tmp_path: Path) -> None:
    answer = run("train", "guandan", "--dir", str(tmp_path / "run"), "--set", "seed=-5")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr == f"error: --set seed=-5: seed is a whole number from 0 to {2**63 - 1}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["kb", "verify"],
        ["kb", "copy", "nowhere"],
        ["legal"],
        ["replay", "nofile"],
        ["match", "random", "random"],
        ["kb", "check"],
    ],
)
def test_unknown_game_is_reported(arguments: list[str]) -> None:
    place = 2 if arguments[0] == "kb" else 1
    answer = run(*arguments[:place], "mahjong", *arguments[place:])
    assert answer.exit_code == 2
    assert "mahjong" in answer.stderr
    assert "guandan" in answer.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "president", "--set", "preset=nope"],
        ["train", "president", "--set", "kb_opponent_share=1"],
        ["run", "ladder", "--set", "game=nope"],
        ["ablate", "president", "--train", "1", "--set", "preset=nope"],
        ["demo", "--game", "nope"],
    ],
)
def test_wrong_arguments_that_are_found_during_the_work_are_usage_errors(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments).exit_code == 2


def imported_modules(*arguments: str, before: str = "") -> set[str]:
    code = (
        f"import sys\nfrom abl_cards.cli import main\n{before}\n"
        "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    assert {"numba", "torch", "numpy", "clingo", "llvmlite"}.isdisjoint(imported_modules("--help"))


def test_kb_check_and_routes_import_no_networks() -> None:
    """A check of rules, or a table without learned players, needs no torch, which is slow to load."""
    pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[web]'")
    loaded = imported_modules("kb", "check", "president", before="import abl_cards.web.routes")
    assert {"numba", "abl_cards.web.routes"} <= loaded
    assert {"torch", "sklearn", "matplotlib"}.isdisjoint(loaded)


def test_closed_stdout_exits_quietly(tmp_path: Path) -> None:
    states = tmp_path / "states.jsonl"
    states.write_text('{"hand":["H5","H8","S9","C9","D9","S3"],"to_beat":null}\n' * 1_000)
    with subprocess.Popen(
        command("legal", "president", str(states)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def test_keyboard_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(legal.LegalMoveAnswerer, "answer_batch", interrupt)
    answer = run("legal", "president", stdin='{"hand":["H5"],"to_beat":null}\n')
    assert (answer.exit_code, answer.stdout, answer.stderr) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_sigterm_interrupts_as_ctrl_c_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one ends the process at once."""
    interrupted: list[type[BaseException]] = []

    def terminate(*arguments: Any) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except BaseException as problem:
            interrupted.append(type(problem))
            raise

    monkeypatch.setattr(legal.LegalMoveAnswerer, "answer_batch", terminate)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        _interrupt_at_sigterm()
        answer = run("legal", "president", stdin='{"hand":["H5"],"to_beat":null}\n')
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (answer.exit_code, answer.stdout, answer.stderr) == (143, "", "")
    assert issubclass(interrupted[0], KeyboardInterrupt)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_forked_process_ends_at_sigterm() -> None:
    """Workers that are forked have no command to interrupt."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        _interrupt_at_sigterm()
        if (child := os.fork()) == 0:
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                os._exit(1)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_sigint_exits_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("legal", "president"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"hand":["H5"],"to_beat":null}\n')
        process.stdin.flush()
        process.stdout.readline()  # answered at once: it is waiting for the next state now
        for _ in range(30):  # a signal before the next wait can be lost in Python's callbacks
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(timeout=20) == 130  # a second one, while it is ending, would kill it
                break
            except subprocess.TimeoutExpired:
                continue
        assert process.returncode == 130
        assert process.stderr.read() == b""
