"""What is written to a pipe arrives, also when the writer is stopped and goes on while the pipe is full."""

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

import pytest

MUCH = 1_000_001
"""Bytes, more than any pipe has room for."""
BEGINNING = "import sys; from abl_cards.output import write_in_full; write_in_full();"


def written(code: str, *options: str) -> bytes:
    """What arrives of a program that is stopped while it writes."""
    process = subprocess.Popen([sys.executable, *options, "-c", BEGINNING + code], stdout=subprocess.PIPE)
    assert process.stdout
    wait_until_full(process.stdout.fileno())
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    os.kill(process.pid, signal.SIGCONT)
    found, _ = process.communicate()
    assert process.returncode == 0
    return found


def wait_until_full(pipe: int) -> None:
    """Until whoever writes to a pipe has to wait."""
    room, there = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ), 0
    while there < room:
        time.sleep(0.001)
        there = int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="nobody says when a pipe is full")
@pytest.mark.parametrize("options", [["-u"], []], ids=["unbuffered", "buffered"])
@pytest.mark.parametrize(
    "code", [f"sys.stdout.buffer.write(b'x' * {MUCH})", f"sys.stdout.write('x' * {MUCH})"], ids=["bytes", "text"]
)
def test_nothing_is_lost_when_the_writer_is_stopped(code: str, options: list[str]) -> None:
    """A knowledge base on its way from the process that ground it was cut in the middle."""
    assert len(written(code, *options)) == MUCH


def test_nothing_is_kept_back() -> None:
    """Who starts Python without buffers wants to read at once."""
    code = f"{BEGINNING} sys.stdout.write('?'); sys.stdin.readline()"
    process = subprocess.Popen([sys.executable, "-u", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read(1) == b"?"
    process.communicate(b"\n")
