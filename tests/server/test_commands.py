"""``abl-cards serve`` and ``abl-cards join``."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, cast

import pytest

from abl_cards.cli import main
from abl_cards.games.game import load
from abl_cards.matches.records import read_records
from abl_cards.protocols.common.remote_protocol import JoinRejectedError
from abl_cards.protocols.plain import PlainProtocolClient
from tests.cli_runs import ROOT, run
from tests.forked import Forked
from tests.server.servers import engine, short_rules

FOUR = ("--seat", "0=greedy", "--seat", "1=random", "--seat", "2=greedy", "--seat", "3=random")
COMMAND = (sys.executable, "-c", "from abl_cards.cli import main; main()")


def records_of(file: Path) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], read_records(file))


def test_served_table_records_equal_match_records(tmp_path: Path) -> None:
    """Results and records equal those of a match of the same games except for the players, and can be replayed."""
    files = [tmp_path / name for name in ("served.jsonl", "match.jsonl.gz", "tables.jsonl")]
    settings = ("--games", "2", "--seed", "3", "--json")
    answer = run("serve", "guandan", "--port", "0", *FOUR, *settings, "--record", str(files[0]))
    assert answer.exit_code == 0
    match = run("match", "guandan", "greedy", "random", *settings, "--record", str(files[1]))
    for key in ("games", "seed", "wins", "draws", "episodes"):
        assert json.loads(answer.stdout)[key] == json.loads(match.stdout)[key], key
    served, matched = (records_of(file) for file in files[:2])
    without_players = [{key: record[key] for key in record if key not in ("table", "players")} for record in served]
    names = ("agents", "players")
    assert without_players == [{key: record[key] for key in record if key not in names} for record in matched]
    players = {record["match"]: (record["table"], record["players"]) for record in served}
    assert players == {0: (0, ["greedy", "random"] * 2), 1: (0, ["random", "greedy"] * 2)}
    assert run("replay", "guandan", str(files[0])).exit_code == 0
    run("serve", "guandan", "--port", "0", *FOUR, "--tables", "2", "--record", str(files[2]))
    assert {(record["table"], record["match"]) for record in records_of(files[2])} == {(0, 0), (1, 1)}
    assert run("replay", "guandan", str(files[2])).exit_code == 0


def test_invalid_serve_plan_leaves_no_record_file(tmp_path: Path) -> None:
    """No file is left behind, and a missing folder is reported before any client connects."""
    answer = run("serve", "guandan", "--seat", "4=greedy", "--record", str(tmp_path / "x.jsonl"))
    assert answer.exit_code == 2
    assert list(tmp_path.iterdir()) == []
    answer = run("serve", "guandan", "--port", "0", *FOUR, "--record", str(tmp_path / "nowhere" / "x.jsonl"))
    assert (answer.exit_code, "there is no folder" in answer.stderr) == (1, True)


def test_result_is_printed_as_a_table(tmp_path: Path) -> None:
    """The table has a row for each seat, and files for spectators replace earlier ones."""
    (tmp_path / "table-7.table.json").write_text("{}")
    words = ("serve", "guandan", "--kb", str(short_rules()), "--port", "0", *FOUR, "--tables", "2", "--seed", "1")
    answer = run(*words, "--spectator-dir", str(tmp_path))
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["table-0.table.json", "table-1.table.json"]
    assert re.search(r"^table/seat +player +won +decisions +defaults +faults", answer.stdout)
    assert re.search(r"^1/3 +random +0 +\d+ +– +–", answer.stdout, re.MULTILINE)
    assert re.search(r"^2 games, 0 drawn, \d+ episodes, seed 1$", answer.stdout, re.MULTILINE)
    assert re.search(r"^Ready for connect. ws://127.0.0.1:\d+/game/NAME$", answer.stderr, re.MULTILINE)


def run_into_files(folder: Path, *arguments: str) -> None:
    """Run a command that prints to files ``stdout`` and ``stderr`` of a folder."""
    sys.argv = ["abl-cards", *arguments]
    with (
        (folder / "stdout").open("w", 1, "utf-8") as sys.stdout,
        (folder / "stderr").open("w", 1, "utf-8") as sys.stderr,
    ):
        main()


def test_serve_and_join_report_the_same_games(tmp_path: Path) -> None:
    """Two processes: the client has the last seat, and both report and record the same games."""
    files = [tmp_path / name for name in ("served.jsonl", "joined.jsonl.gz")]
    rules = ("--kb", str(short_rules()))
    arguments = ("serve", "guandan", *rules, "--port", "0", *FOUR[:6], "--games", "2", "--seed", "1", "--start-delay",
                 "0", "--json", "--record", str(files[0]))  # fmt: skip
    engine()  # so that the fork has it too
    server, log = Forked(partial(run_into_files, tmp_path, *arguments)), tmp_path / "stderr"
    try:
        while not (ready := re.search(r"ws://127.0.0.1:\d+", log.read_text("utf-8") if log.exists() else "")):
            assert server.is_running()
            sleep(0.01)
        joined = run(
            "join", ready[0], *rules, "--agent=random", "--name=the guest", "--record", str(files[1]), "--json"
        )
        for _ in range(6000):
            if not server.is_running():
                break
            sleep(0.01)
    finally:
        server.kill()
    result, outcome = json.loads((tmp_path / "stdout").read_text("utf-8")), json.loads(joined.stdout)
    assert (joined.exit_code, outcome["seat"], outcome["games"], outcome["over"], outcome["problems"]) == (
        0,
        3,
        2,
        True,
        0,
    )
    assert outcome["wins"] == result["wins"][1]
    seat = result["tables"][0]["seats"][3]
    assert (seat["player"], seat["decisions"]) == ("the guest", outcome["decisions"])
    assert list(outcome) == [
        "url", "agent", "seat", "games", "wins", "draws", "over", "decisions", "problems", "typical", "slowest",
    ]  # fmt: skip

    served, written = map(records_of, files)
    assert len(served) == len(written) > 2
    for there, here in zip(served, written, strict=True):
        turned = there["match"] % 2  # seats of a table's record are those of the deal
        assert [here["hands"][(seat - turned) % 4] for seat in range(4)] == there["hands"]
        plays = [[(seat - turned) % 4, action] for seat, action in there["acts"] if isinstance(action, list)]
        assert here["plays"] == plays
        assert [here[name] for name in ("match", "episode")] == [there[name] for name in ("match", "episode")]
        assert here["level"] == there["before"]["level"]
    untouched = str(
        sum(record["match"] == 0 for record in written)
    )  # a turned game orders its losers by the deal's seats
    replayed = run("replay", "guandan", *rules, str(files[1]), "--limit", untouched)
    assert replayed.exit_code == 0, replayed.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "snap"), "unknown game 'snap'"),
        (("serve", "guandan", "--seat", "greedy"), "write SEAT=AGENT"),
        (("serve", "guandan", "--seat", "x=greedy"), "write SEAT=AGENT"),
        (("serve", "guandan", "--seat", "0=greedy", "--seat", "0=random"), "seat 0 is taken by greedy"),
        (("serve", "guandan", "--seat", "4=greedy"), "unknown seat 4"),
        (("serve", "guandan", "--seat", "0=nobody"), "unknown agent 'nobody'"),
        (("serve", "guandan", "--protocol", "Z"), "unknown dialect 'Z'; known: A, C"),
        (("join", "127.0.0.1", "--agent", "nobody"), "unknown agent 'nobody'"),
        (("join", "http://x", "--agent", "greedy"), "http://x"),
        (("join", "ws://" + "a" * 5000, "--agent", "greedy"), "ws://" + "a" * 75),
        (("join", "a" * 64 + ".org", "--agent", "greedy"), "a" * 64 + ".org"),
        (("serve", "hearts", "--host", "a" * 5000), "--host"),
        (("serve", "hearts", "--host", "a..b"), "--host"),
        (("serve", "hearts", "--host", ""), "--host ''"),
        (("serve", "hearts", "--seat", "2=human"), "seat 2: all tables would wait for the human"),
        (("web", "--host", ""), "--host ''"),
        (("web", "--port", "0", "--agent", "kb", "--agent", "nobody"), "unknown agent 'nobody'"),
        (("web", "--port", "0", "--save-dir", __file__), f"--save-dir {__file__}"),
        (("web", "--port", "0", "--watch", "runs", "--watch", __file__), f"--watch {__file__}"),
        (("page", "--host", "a" * 64), "--host"),
        (("join", "127.0.0.1", "--agent", "greedy", "--protocol", "Z"), "unknown dialect 'Z'"),
        (("join", "127.0.0.1", "--agent", "greedy", "--room", "2"), "--protocol openguandan"),
    ],
)
def test_invalid_arguments_exit_with_2(arguments: tuple[str, ...], message: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_used_and_closed_ports_are_one_line_errors() -> None:
    """One line, exit code 1."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = str(other.getsockname()[1])
        joined = run("join", f"127.0.0.1:{port}", "--agent", "greedy")
        other.listen()
        served = run("serve", "guandan", "--port", port, *FOUR)
    for answer in (joined, served):
        assert answer.exit_code == 1
        assert re.fullmatch(rf"error: .*127.0.0.1:{port}.*\n", answer.stderr)


def test_terminated_fork_prints_its_secret_seed(tmp_path: Path) -> None:
    """A fork of the test process, which need not import everything again, ends like the command below."""
    file, log = tmp_path / "games.jsonl", tmp_path / "stderr"
    short = ("--kb", str(short_rules()), "--port", "0", "--games", "100000", "--record", str(file))
    engine()
    server = Forked(partial(run_into_files, tmp_path, "serve", "guandan", *short, *FOUR))
    deadline = monotonic() + 120
    try:
        while "game 2 of" not in (log.read_text("utf-8") if log.exists() else ""):
            assert server.is_running()
            assert monotonic() < deadline
            sleep(0.01)
        os.kill(server.pid, signal.SIGTERM)
        while server.is_running():
            assert monotonic() < deadline
            sleep(0.01)
    finally:
        server.kill()
    assert server.exit_code == 130
    assert re.search(r"their seed was \d+\n", log.read_text("utf-8"))
    assert "Traceback" not in log.read_text("utf-8")
    assert len(records_of(file)) >= 2


@pytest.mark.parametrize("at_sigint", [signal.SIG_DFL, signal.SIG_IGN])  # ignored in the background of a script
def test_terminated_server_prints_its_secret_seed(tmp_path: Path, at_sigint: signal.Handlers) -> None:
    """Services are stopped by SIGTERM; the records of the finished games hold no seed yet."""
    file = tmp_path / "games.jsonl"
    arguments = ("serve", "president", "--port", "0", "--games", "100000", "--record", str(file), *FOUR)
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, text=True, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, at_sigint),
    ) as server:  # fmt: skip
        assert server.stderr
        try:
            while "game 2 of" not in server.stderr.readline():
                assert server.poll() is None
            server.terminate()
            log = server.communicate(timeout=60)[1]
        finally:
            server.kill()
    assert server.returncode == 130
    assert re.search(r"their seed was \d+\n", log)
    assert "Traceback" not in log
    assert len(records_of(file)) >= 2


def test_join_leaves_a_table_of_another_game() -> None:
    """Otherwise the agent would play every decision by default, to the end of the match."""
    arguments = ("serve", "tienlen", "--port", "0", "--games", "1", "--profile", "northern", "--start-delay", "0",
                 "--seat", "0=random", "--seat", "1=random", "--seat", "2=random")  # fmt: skip
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stderr
        ready = re.search(r"ws://127.0.0.1:\d+", server.stderr.readline())
        assert ready
        try:
            joined = run("join", ready[0], "--agent", "random", "--game", "hearts", "--json")
        finally:
            server.kill()
    assert joined.exit_code == 1
    assert "--game tienlen" in joined.stderr
    client = PlainProtocolClient(load("tienlen").engine())
    beginning = {"type": "notify", "stage": "beginning", "game": "tienlen", "seat": 0, "seats": 4, "hand": []}
    with pytest.raises(JoinRejectedError, match="--profile northern"):
        client.handle_message({**beginning, "profile": "northern"})
    for profile in ("southern", None, "of one's own"):
        client.handle_message({**beginning, "profile": profile})
    assert client.result.seat == 0
