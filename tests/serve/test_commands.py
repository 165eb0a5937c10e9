"""``abl-cards serve`` and ``abl-cards join``."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys

import pytest

from tests.cli_runs import ROOT, run

FOUR = ("--seat", "0=greedy", "--seat", "1=random", "--seat", "2=greedy", "--seat", "3=random")
COMMAND = (sys.executable, "-c", "from abl_cards.cli import main; main()")


def test_a_served_table_agrees_with_a_match() -> None:
    settings = ("--games", "2", "--seed", "3", "--json")
    served = json.loads(run("serve", "guandan", "--port", "0", *FOUR, *settings).stdout)
    match = json.loads(run("match", "guandan", "greedy", "random", *settings).stdout)
    assert {key: served[key] for key in ("games", "seed", "wins", "draws", "episodes")} == {
        key: match[key] for key in ("games", "seed", "wins", "draws", "episodes")
    }


def test_the_result_as_a_table() -> None:
    answer = run("serve", "guandan", "--port", "0", *FOUR, "--tables", "2")
    assert re.search(r"^table/seat +player +won +decisions +defaults +faults", answer.stdout)
    assert re.search(r"^1/3 +random +0 +\d+ +– +–", answer.stdout, re.MULTILINE)
    assert re.search(r"^2 games, 0 drawn, \d+ episodes, seed 0$", answer.stdout, re.MULTILINE)
    assert re.search(r"^Ready for connect. ws://127.0.0.1:\d+/game/NAME$", answer.stderr, re.MULTILINE)


def test_join_a_served_table() -> None:
    """Two processes; the guest has the last seat, and both say the same of the games."""
    arguments = ("serve", "guandan", "--port", "0", *FOUR[:6], "--games", "2", "--start-delay", "0", "--json")
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stderr
        ready = re.search(r"ws://127.0.0.1:\d+", server.stderr.readline())
        assert ready
        try:
            joined = run("join", ready[0], "--agent", "random", "--name", "the guest", "--json")
            told, _ = server.communicate(timeout=60)
        finally:
            server.kill()
    result, heard = json.loads(told), json.loads(joined.stdout)
    assert (joined.exit_code, heard["seat"], heard["games"], heard["over"], heard["problems"]) == (0, 3, 2, True, 0)
    assert heard["wins"] == result["wins"][1]
    seat = result["tables"][0]["seats"][3]
    assert (seat["player"], seat["decisions"]) == ("the guest", heard["decisions"])
    assert list(heard) == [
        "url", "agent", "seat", "games", "wins", "draws", "over", "decisions", "problems", "slowest",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "snap"), "unknown game 'snap'"),
        (("serve", "guandan", "--seat", "greedy"), "write SEAT=AGENT"),
        (("serve", "guandan", "--seat", "x=greedy"), "write SEAT=AGENT"),
        (("serve", "guandan", "--seat", "0=greedy", "--seat", "0=random"), "seat 0 is taken by greedy"),
        (("serve", "guandan", "--seat", "4=greedy"), "there is no seat 4"),
        (("serve", "guandan", "--seat", "0=nobody"), "unknown agent 'nobody'"),
        (("serve", "guandan", "--dialect", "Z"), "unknown dialect 'Z' (there are: A, C)"),
        (("join", "127.0.0.1", "--agent", "nobody"), "unknown agent 'nobody'"),
        (("join", "http://x", "--agent", "greedy"), "is no address"),
        (("join", "127.0.0.1", "--agent", "greedy", "--dialect", "Z"), "unknown dialect 'Z'"),
    ],
)
def test_misuse(arguments: tuple[str, ...], message: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_ports_that_are_taken_or_empty() -> None:
    """One line, exit code 1."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = str(other.getsockname()[1])
        joined = run("join", f"127.0.0.1:{port}", "--agent", "greedy")
        other.listen()
        served = run("serve", "guandan", "--port", port, *FOUR)
    for answer in (joined, served):
        assert answer.exit_code == 1
        assert re.fullmatch(r"error: .*\n", answer.stderr)
