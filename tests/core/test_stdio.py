"""Data written to a pipe arrives, or the command reports an error."""

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from abl_cards.core.stdio import escape_controls
from tests.conftest import ROOT

MUCH = 1_000_001
"""Bytes, more than any pipe has room for."""
BEGINNING = "import sys; from abl_cards.core.stdio import ensure_complete_writes; ensure_complete_writes();"


def written(code: str, *options: str) -> bytes:
    """Return the output of a program that is stopped while it writes."""
    process = subprocess.Popen([sys.executable, *options, "-c", BEGINNING + code], stdout=subprocess.PIPE)
    assert process.stdout
    wait_until_full(process)
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    os.kill(process.pid, signal.SIGCONT)
    output, _ = process.communicate()
    assert process.returncode == 0
    return output


def wait_until_full(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process that writes to a pipe has to wait, or has ended."""
    assert process.stdout
    pipe = process.stdout.fileno()
    room, there = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ), 0
    while there < room and process.poll() is None:
        time.sleep(0.001)
        there = int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="nobody says when a pipe is full")
@pytest.mark.parametrize("options", [["-u"], []], ids=["unbuffered", "buffered"])
@pytest.mark.parametrize(
    "code", [f"sys.stdout.buffer.write(b'x' * {MUCH})", f"sys.stdout.write('x' * {MUCH})"], ids=["bytes", "text"]
)
def test_output_is_complete_after_the_writer_stops(code: str, options: list[str]) -> None:
    """A knowledge base on its way from the process that ground it was cut in the middle."""
    assert len(written(code, *options)) == MUCH


def test_unbuffered_output_arrives_at_once() -> None:
    """Output of Python without buffers arrives at once."""
    code = f"{BEGINNING} sys.stdout.write('?'); sys.stdin.readline()"
    process = subprocess.Popen([sys.executable, "-u", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read(1) == b"?"
    process.communicate(b"\n")


COMMAND = [sys.executable, "-m", "abl_cards"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device is always full here")
@pytest.mark.parametrize("words", [["--version"], ["kb", "words", "hearts"], ["run", "--help"]])
def test_full_disk_is_reported_in_one_line(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("error: stdout: ")


@pytest.mark.parametrize("words", [["--version"], ["kb", "words", "hearts"]])
def test_closed_stdout_is_an_error(words: list[str]) -> None:
    done = subprocess.run([*COMMAND, *words], stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("error: stdout: ")


def test_closed_stdout_is_not_reused_by_other_files() -> None:
    """Otherwise the next opened file would receive printed text, also from child processes."""
    code = "from abl_cards.core.stdio import open_standard_streams; open_standard_streams(); import os; "
    code += "file = open('/dev/zero'); assert file.fileno() > 2; os.write(2, b'?')"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, preexec_fn=lambda: os.closerange(0, 2))
    assert (done.returncode, done.stderr) == (0, b"?")


def close() -> None:
    """Close stdin and stderr."""
    os.close(0)
    os.close(2)


def test_closed_stdin_is_empty_and_closed_stderr_is_discarded() -> None:
    code = "from abl_cards.core.stdio import open_standard_streams; open_standard_streams(); import sys; "
    code += "assert sys.stdin.read() == ''; print('lost', file=sys.stderr, flush=True); print('kept')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, preexec_fn=close)
    assert (done.returncode, done.stdout) == (0, b"kept\n")


def test_commands_run_with_closed_stdin_and_stderr() -> None:
    done = subprocess.run([*COMMAND, "legal", "hearts"], stdout=subprocess.PIPE, preexec_fn=close)
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("module", ["abl_cards.cli", "typer", "abl_cards.games", "numba"])
def test_ctrl_c_during_imports_ends_quietly(module: str) -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.argv = ['abl-cards', 'match', 'hearts', 'random', 'random', '--games', '1']\n"
        "from abl_cards.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("suffix", "damages"),
    [("nbi", [b"", b"garbage"]), pytest.param("nbc", [b"\x80\x04N."], marks=pytest.mark.long)],
)
def test_damaged_numba_cache_is_named_in_the_error(tmp_path: Path, suffix: str, damages: list[bytes]) -> None:
    """The error names the cache if its files are truncated or overwritten, where numba raises errors of pickle."""
    (tmp_path / "compiled.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef one():\n    return 1\none()\n"
    )
    code = (
        "from abl_cards.cli.app import _ErrorReportingGroup, app\nimport typer\n"
        "@app.command()\ndef compiled():\n    import compiled\n    print('compiled')\n"
        "app(['compiled'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, env=environment, capture_output=True).stdout == b"compiled\n"
    (file,) = (tmp_path / "__pycache__").glob(f"*.{suffix}")
    for damage in damages:
        file.write_bytes(damage)
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        if done.returncode:  # numba takes some damaged indexes for old ones and compiles again
            assert done.returncode == 1
            assert str(tmp_path / "__pycache__") in done.stderr
            assert "delete" in done.stderr
        else:
            assert done.stdout == "compiled\n"


def test_control_characters_are_escaped() -> None:
    assert escape_controls("\x1b]0;title\x07\r\u202e\ud800") == "\\x1b]0;title\\x07\\r\\u202e\\ud800"
    assert escape_controls("a\tb\n\u4e2d\u3000") == "a\tb\n\u4e2d\u3000"
    assert escape_controls("a\tb\n\u4e2d\u3000", one_line=True) == "a\\tb\\n\u4e2d\u3000"


NAMED_ERRORS = """
import sys
from abl_cards.core.stdio import ensure_complete_writes, name_stdout_errors
ensure_complete_writes()
name_stdout_errors()
for stream in open("/dev/full", "w"), sys.stdout:
    try:
        print("?", file=stream, flush=True)
    except OSError as problem:
        print(problem.filename, file=sys.stderr)
"""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device is always full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_only_errors_of_stdout_name_stdout(unbuffered: str) -> None:
    """A full disk under any other file was reported as one under stdout."""
    command = [sys.executable, "-c", NAMED_ERRORS]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert done.stderr.splitlines()[:2] == ["None", "stdout"]
