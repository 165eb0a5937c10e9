"""External programs: every behaviour ends in an answer or a fault within the time limit."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.protocols.botzone.faults import Fault
from abl_cards.protocols.botzone.process import KEEP_RUNNING, BotProcess
from abl_cards.protocols.botzone.supervisor import BotSupervisor
from abl_cards.protocols.botzone.supervisor_process import _descendants
from tests.conftest import ROOT

MESSAGE: dict[str, Any] = {"requests": [{"own": [1]}], "responses": []}
MARK = KEEP_RUNNING.decode()


_bots = list[BotProcess]()


@pytest.fixture(autouse=True)
def _close_bots() -> Iterator[None]:
    """Close the bots of a test."""
    yield
    while _bots:
        _bots.pop().close()


def process(tmp_path: Path, source: str, keep_running: bool = False, seconds: float = 30) -> BotProcess:
    file = tmp_path / "bot.py"
    file.write_text(source, "utf-8")
    _bots.append(BotProcess([sys.executable, str(file)], seconds, keep_running))
    return _bots[-1]


@pytest.mark.parametrize(
    "source",
    [
        "input(); print('{\"response\": [1]}')",
        "import sys; sys.stdin.read(); print('\\n{\"response\": [1]}\\nmore')",
        "print('{\"response\": [1]}', end='')",
        f"input(); print('{{\"response\": [1]}}'); print('{MARK}', flush=True); input()",
        "import os, time; os.write(1, b'{\"response\": [1]}'); os.close(1); time.sleep(100)",
        "import sys; sys.stderr.write('x' * 1000000); print('{\"response\": [1]}')",
        "import os; os.fork() and os.write(1, b'{\"response\": [1]}') and os._exit(0); import time; time.sleep(100)",
    ],
)
def test_answers_are_read(tmp_path: Path, source: str) -> None:
    bot = process(tmp_path, source)
    assert bot.request(MESSAGE) == {"response": [1]}
    assert bot.request(MESSAGE) == {"response": [1]}


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("pass", "NJ", "''"),
        ("print('hello')", "NJ", "'hello'"),
        ("print('[' * 100000)", "NJ", r"\[\[\[.* nested"),
        ("print('[' * 900 + ']' * 900)", "NJ", r"\[\[\[.* nested"),
        ("print('[NaN]')", "NJ", "NaN"),
        ("print('[1e999]')", "NJ", "1e999"),
        ("1/0", "RE", "1: ZeroDivisionError"),
        ("print('{\"response\": []}'); exit(3)", "RE", " 3: "),
        ("while True: print('x' * 1000)", "OLE", "1 MiB"),
    ],
)
def test_invalid_outputs_are_faults(tmp_path: Path, source: str, kind: str, text: str) -> None:
    with pytest.raises(Fault, match=text) as caught:
        process(tmp_path, source).request(MESSAGE)
    assert (caught.value.kind, caught.value.verdict, caught.value.code) == (kind, kind, ErrorCode.PROGRAM_FAILED)


def test_program_that_exits_before_its_child_is_a_fault(tmp_path: Path) -> None:
    """The child holds the output open; the last line of stderr does not control the terminal."""
    source = "import os, sys, time; os.fork() or time.sleep(100); sys.exit('\\x1b]0;title\\x07')"
    with pytest.raises(Fault) as caught:
        process(tmp_path, source).request(MESSAGE)
    assert caught.value.kind == "RE"
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("keep_running", [False, True])
def test_time_limit_kills_the_program_and_its_children(tmp_path: Path, keep_running: bool) -> None:
    """The program and its child processes are killed."""
    pids = tmp_path / "pids"
    command = ["sh", "-c", f"sleep 100 & echo $! > '{pids}'; wait"]
    with pytest.raises(Fault, match="3 seconds") as caught:
        BotProcess(command, 3, keep_running).request(MESSAGE)
    assert caught.value.kind == "TLE"
    assert _wait_for_end([int(pids.read_text())])


DAEMON = """import os, sys, time
if os.fork():
    while not os.path.exists({pids!r}):
        time.sleep(0.01)
    sys.stdout.write(input() and '{{"response": []}}\\n') if {answers} else time.sleep(100)
    sys.stdout.flush()
    time.sleep(100 if {stays} else 0)
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
with open({pids!r} + '.new', 'w') as file:
    file.write(str(os.getpid()))
for number in range(3):
    os.close(number)
os.rename({pids!r} + '.new', {pids!r})
time.sleep(100)
"""
"""Program that starts a daemon in another session."""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux hands orphans to a subreaper")
@pytest.mark.parametrize("keep_running", [False, True])
def test_daemon_of_a_program_is_killed(tmp_path: Path, keep_running: bool) -> None:
    pids = tmp_path / "pids"
    bot = process(tmp_path, DAEMON.format(answers=True, stays=keep_running, pids=str(pids)), keep_running)
    assert bot.request(MESSAGE) == {"response": []}
    bot.close()
    assert _wait_for_end([int(pids.read_text())])


PARENT = """import sys
from abl_cards.protocols.botzone.process import BotProcess
BotProcess([sys.executable, {bot!r}], 60, False).request({{"requests": [1], "responses": []}})
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux hands orphans to a subreaper")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_killed_match_kills_its_programs(tmp_path: Path, number: signal.Signals) -> None:
    """The program, its daemon and the supervisor process end with the match."""
    pids, bot = tmp_path / "pids", tmp_path / "bot.py"
    bot.write_text(DAEMON.format(answers=False, stays=True, pids=str(pids)))
    match = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(bot=str(bot))], cwd=ROOT, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None,
    )  # fmt: skip
    try:
        _wait_for(pids)
        started = _descendants(match.pid)
        match.send_signal(number)
        match.wait(30)
        assert len(started) >= 3  # including a child of the program without a waiting parent
        assert _wait_for_end(started)
    finally:
        match.kill()


def test_killed_supervisor_is_a_fault_and_is_replaced(tmp_path: Path) -> None:
    """The decision is a fault, and the next one starts another supervisor."""
    pids = tmp_path / "pids"
    source = (
        "import os, time\n"
        f"with open({str(pids)!r}, 'a') as file: print(os.getpid(), os.getppid(), file=file)\n"
        "os.kill(os.getppid(), 9)\n"
        "time.sleep(100)\n"
    )
    bot = process(tmp_path, source)
    for _ in range(2):
        with pytest.raises(Fault) as caught:
            bot.request(MESSAGE)
        assert caught.value.kind == "RE"
    assert len(set(pids.read_text().split())) == 4
    assert _wait_for_end([int(pid) for pid in pids.read_text().split()])


def test_supervisor_killed_before_it_answers_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a bot that was quicker to kill it than it to answer ended the whole match, by an error."""
    read_line, killed = BotSupervisor._read_line, list[int]()

    def read_after_kill(supervisor: BotSupervisor) -> Any:
        if not killed:
            killed.append(supervisor._process.pid)
            supervisor._process.kill()
            supervisor._process.wait(30)
            while supervisor._channel.recv(1 << 16):
                pass
        return read_line(supervisor)

    monkeypatch.setattr(BotSupervisor, "_read_line", read_after_kill)
    bot = process(tmp_path, "input()\nprint('{\"response\": 1}')\n")
    with pytest.raises(Fault) as caught:
        bot.request(MESSAGE)
    assert caught.value.kind == "RE"
    assert bot.request(MESSAGE) == {"response": 1}


def _wait_for(file: Path) -> None:
    for _ in range(1500):
        if file.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{file} is not written")


def _wait_for_end(pids: list[int]) -> bool:
    """Wait up to half a minute for processes to end; return whether they did."""
    for _ in range(1500):
        if not any(map(_is_running, pids)):
            return True
        time.sleep(0.02)
    return False


def _is_running(pid: int) -> bool:
    """Return whether a process runs; zombies do not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc").exists()


def test_kept_program_reads_one_request_per_line(tmp_path: Path) -> None:
    source = (
        "import json, os\n"
        "first = json.loads(input())\n"
        "seen = [first['requests'][0]]\n"
        "while True:\n"
        "    print(json.dumps({'response': seen, 'pid': os.getpid()}))\n"
        f"    print('{MARK}', flush=True)\n"
        "    seen.append(json.loads(input()))\n"
    )
    bot = process(tmp_path, source, keep_running=True)
    message: dict[str, Any] = {"requests": [1], "responses": []}
    first = bot.request(message)
    message["requests"].append(2)
    second = bot.request(message)
    assert (first["response"], second["response"], first["pid"]) == ([1], [1, 2], second["pid"])
    again = bot.request(MESSAGE)
    assert again["pid"] != first["pid"]
    bot.close()
    assert not _is_running(again["pid"])


def test_keep_running_line_is_not_an_answer(tmp_path: Path) -> None:
    """It arrives in pieces after the answer."""
    source = (
        "import os, time\n"
        "for number in range(3):\n"
        "    input()\n"
        f"    os.write(1, b'{{\"response\": %d}}\\n{MARK[:9]}' % number)\n"
        "    time.sleep(0.1)\n"
        f"    os.write(1, b'{MARK[9:]}\\n')\n"
    )
    bot = process(tmp_path, source, keep_running=True)
    message: dict[str, Any] = {"requests": [1], "responses": []}
    for number in range(3):
        assert bot.request(message) == {"response": number}
        message["requests"].append(number)


@pytest.mark.parametrize("keep_running", [False, True])
def test_answer_after_a_keep_running_line_may_arrive_in_pieces(tmp_path: Path, keep_running: bool) -> None:
    source = (
        "import os, time\n"
        "while True:\n"
        "    input()\n"
        f"    os.write(1, b'{MARK}\\n\\n{{\"response\": ')\n"
        "    time.sleep(0.1)\n"
        "    os.write(1, b'[1]}\\n')\n"
    )
    bot = process(tmp_path, source, keep_running)
    for requests in ([1], [1, 2], [1, 2, 3]):
        assert bot.request({"requests": requests, "responses": []}) == {"response": [1]}
    bot.close()


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("exit(3)", "RE"),
        ("print('{', end=''); exit(3)", "RE"),
        ("exit()", "NJ"),
        ("while True: print('x' * 1000, end='')", "OLE"),
    ],
)
def test_fault_of_a_kept_program_after_its_first_answer(tmp_path: Path, source: str, kind: str) -> None:
    source = f"input(); print('{{\"response\": []}}\\n{MARK}', flush=True)\ninput()\n{source}"
    bot = process(tmp_path, source, keep_running=True)
    assert bot.request(MESSAGE) == {"response": []}
    with pytest.raises(Fault) as caught:
        bot.request({"requests": [1, 2], "responses": [[]]})
    assert caught.value.kind == kind


def test_program_that_answers_twice_receives_every_request(tmp_path: Path) -> None:
    """The surplus answer counts for the next request, which is sent nevertheless."""
    source = (
        "import json\n"
        "print(json.dumps({'response': input()}) + '\\n{}', flush=True)\n"
        "while True: print(json.dumps({'response': input()}), flush=True)\n"
    )
    bot = process(tmp_path, source, keep_running=True)
    requests: list[Any] = [1]
    answers = [bot.request({"requests": requests, "responses": []})]
    for number in (2, 3):
        requests.append(number)
        answers.append(bot.request({"requests": requests, "responses": []}))
    bot.close()
    assert [answer.get("response") for answer in answers[1:]] == [None, "2"]


def test_exited_kept_program_is_a_fault(tmp_path: Path) -> None:
    bot = process(tmp_path, "input(); print('{\"response\": []}', flush=True)", keep_running=True)
    assert bot.request(MESSAGE) == {"response": []}
    with pytest.raises(Fault):
        bot.request({"requests": [1, 2], "responses": [[]]})


def test_missing_program_raises() -> None:
    with pytest.raises(GameError, match=r"no-such-program.*No such file") as error:
        BotProcess(["./no-such-program"], 1, False).request(MESSAGE)
    assert error.value.code == ErrorCode.PROGRAM_FAILED
