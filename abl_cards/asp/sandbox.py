"""Build an untrusted knowledge base in a child process, because grounding cannot be interrupted from inside.

The parent sends the request as JSON. The child bounds its own memory and processor time; the parent kills it after a
multiple of that time, in case the machine is busy. Where a bound was exceeded, a second child finds the costliest rule.
The result is returned as data (see ``serialization``), so a compromised child cannot execute code in this process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, cast

from abl_cards.asp import profiler, serialization
from abl_cards.asp.build import (
    BuildRequest,
    BuildResult,
    Limits,
    build_program,
    clingo_arguments,
    read_rewritten_statements,
)
from abl_cards.asp.errors import Location, make_error
from abl_cards.asp.ground_program import TooManyRules
from abl_cards.asp.terms import Input, Signature
from abl_cards.core import CpuBudget, ErrorCode, ensure_complete_writes, pause_gc

EXIT_OUT_OF_MEMORY, _EXIT_TOO_MANY_RULES, _EXIT_TOO_NESTED = 70, 71, 72
_BUILD_TIME_SHARE = 0.75  # share of the time for building; the rest is for finding the costliest rule
WALL_TIME_FACTOR = 10.0
"""Wall time after which a child is killed, as a multiple of its processor time, which a busy machine stretches."""
STARTUP_SECONDS = 30.0
"""Seconds of wall time that a child may need to start."""
_ANSWER_MEMORY_DIVISOR = 8  # the packed result has at most the memory divided by this, in bytes
_BUILD, _PROFILE = "build", "blame"


@dataclass(frozen=True)
class _ProcessExit:
    """Exit status and output of a child."""

    status: int
    output: bytes
    stderr: str
    timed_out: bool

    @property
    def succeeded(self) -> bool:
        return self.status == 0 and not self.timed_out


_in_process = False  # whether `build_in_subprocess` grounds in this process


def build_in_subprocess(request: BuildRequest, limits: Limits, cpu_budget: CpuBudget) -> BuildResult:
    """Read, check and ground a knowledge base in a child process, within limits.

    Args:
        request: Files, inputs, outputs and constants.
        limits: Bounds on the child.
        cpu_budget: Budget of processor time, to which the time of the child is charged.

    Returns:
        The ground program, or the diagnostics that reject the knowledge base. A bound that was exceeded is an error
        with the location of the costliest rule.
    """
    if _in_process:
        return build_in_process(request, limits, cpu_budget)
    if cpu_budget.remaining <= 0:
        message = f"not ground: the {cpu_budget.seconds:g} s of this command are used up"
        return _failed_build(None, message, "check one profile", ErrorCode.LIMIT_EXCEEDED)
    with cpu_budget.charge():
        exit_status = _run(_BUILD, request, replace(limits, seconds=cpu_budget.remaining * _BUILD_TIME_SHARE))
    if exit_status.succeeded:
        return serialization.unpack_build(exit_status.output)
    reason, code, is_costly = _describe_failure(exit_status, limits, cpu_budget)
    location = _find_costliest_rule(request, limits, cpu_budget) if is_costly and cpu_budget.remaining > 0 else None
    remedy = "most of it for this rule: fewer variables, or narrower ranges" if location else "simplify the rules"
    if exit_status.timed_out:
        remedy = "try again when the machine is less busy"
    return _failed_build(location, reason, remedy, code)


def work_in_process() -> None:
    """Make this process ground rules itself, for worker processes that may be killed."""
    global _in_process
    _in_process = True


def build_in_process(request: BuildRequest, limits: Limits, cpu_budget: CpuBudget) -> BuildResult:
    """Read, check and ground a knowledge base in this process, which is a worker that may be killed.

    Args:
        request: Files, inputs, outputs and constants.
        limits: Bounds, of which those on files, ground rules and literals apply.
        cpu_budget: Unused; the worker itself is bounded.

    Returns:
        The ground program, or the diagnostics that reject the knowledge base.
    """
    try:
        return build_program(request, limits, ground_limits=limits)
    except TooManyRules:
        message = f"grounding exceeded {limits.rules:,} ground rules or {limits.literals:,} literals"
        return _failed_build(None, message, "simplify the rules", ErrorCode.LIMIT_EXCEEDED)


def _failed_build(location: Location | None, reason: str, remedy: str, code: ErrorCode) -> BuildResult:
    return BuildResult(None, (), (make_error(location, reason, remedy, code),))


def _run(task: str, request: BuildRequest, limits: Limits) -> _ProcessExit:
    process = _take_warm_process(task) or start_process(__name__, task)
    timed_out = False
    try:
        output, stderr = process.communicate(
            encode_request(request, limits), timeout=WALL_TIME_FACTOR * limits.seconds + STARTUP_SECONDS
        )
    except subprocess.TimeoutExpired:
        timed_out = True
        process.kill()
        output, stderr = process.communicate()
    finally:
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            cast(IO[bytes], process.stdin).close()  # the child may not have read the request
        if _warm_pool.enabled:
            keep_warm_process()
    return _ProcessExit(process.returncode, output, stderr.decode("utf-8", "replace"), timed_out)


@dataclass
class _WarmPool:
    """Children that have imported all modules and wait for a request."""

    enabled: bool = False
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)


_warm_pool = _WarmPool()


def keep_warm_process() -> None:
    """Keep a started child process ready for the next build, for editors, which ground after every edit."""
    _warm_pool.enabled = True
    if not _warm_pool.processes:
        _warm_pool.processes.append(start_process(__name__, _BUILD))


@atexit.register
def _stop_warm_processes() -> None:
    while _warm_pool.processes:
        with contextlib.suppress(BrokenPipeError), _warm_pool.processes.pop() as process:  # closes the pipes and waits
            process.kill()


def _take_warm_process(task: str) -> subprocess.Popen[bytes] | None:
    process = _warm_pool.processes.pop() if task == _BUILD and _warm_pool.processes else None
    return process if process is not None and process.poll() is None else None


def start_process(module: str, *arguments: str, stderr: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start a Python child process that is connected by pipes.

    Args:
        module: Module to run.
        *arguments: Its command line arguments.
        stderr: Destination of its standard error.

    Returns:
        The process.
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment)


def _describe_failure(exit_status: _ProcessExit, limits: Limits, cpu_budget: CpuBudget) -> tuple[str, ErrorCode, bool]:
    """Return the message and the code of a failure, and whether a costly rule may be its cause."""
    status, stderr = exit_status.status, exit_status.stderr
    name = signal.Signals(-status).name if status < 0 else ""
    if exit_status.timed_out:  # no rule is the cause
        message = f"grounding did not get its {cpu_budget.seconds:g} s of processor time: the machine is busy"
        return message, ErrorCode.LIMIT_EXCEEDED, False
    if name in ("SIGPROF", "SIGXCPU"):
        return f"grounding exceeded {cpu_budget.seconds:g} s", ErrorCode.LIMIT_EXCEEDED, True
    if status == _EXIT_TOO_MANY_RULES:
        return f"grounding exceeded {limits.rules} ground rules", ErrorCode.LIMIT_EXCEEDED, True
    if status == EXIT_OUT_OF_MEMORY or "bad_alloc" in stderr or "MemoryError" in stderr:
        return f"grounding exceeded {limits.memory / (1 << 20):.0f} MiB of memory", ErrorCode.LIMIT_EXCEEDED, True
    if status == _EXIT_TOO_NESTED:
        return "terms or literals are nested too deeply", ErrorCode.NESTED_TOO_DEEPLY, False
    if name == "SIGFPE":
        return "clingo was stopped by arithmetic beyond 32 bits", ErrorCode.INTEGER_OVERFLOW, True
    if name:
        return f"clingo was stopped by {name}, perhaps for lack of memory", ErrorCode.GROUNDING_FAILED, True
    return "the rules could not be ground, for an unforeseen reason", ErrorCode.GROUNDING_FAILED, True


def _find_costliest_rule(request: BuildRequest, limits: Limits, cpu_budget: CpuBudget) -> Location | None:
    """Find the rule with most ground rules where a second child exceeds their bound, else that with most time."""
    seconds = min(cpu_budget.remaining, cpu_budget.seconds * (1 - _BUILD_TIME_SHARE))
    with cpu_budget.charge():
        profiled = _run(_PROFILE, request, replace(limits, seconds=seconds))
    lines = profiled.output.decode("utf-8", "replace").rpartition("\n")[0].splitlines()
    if profiled.succeeded:
        return None  # the time is not spent on grounding
    return profiler.find_costliest_rule(lines, seconds, by_rules=profiled.status == _EXIT_TOO_MANY_RULES)


def encode_request(request: BuildRequest, limits: Limits) -> bytes:
    """Encode the request to a child as one line of JSON.

    Args:
        request: Knowledge base to be built.
        limits: Bounds on the child.

    Returns:
        UTF-8 text without a line end; it holds the working directory as well.
    """
    content = {
        "files": [str(file) for file in request.files],
        "inputs": [[item.name, item.domains, item.arity] for item in request.inputs],
        "outputs": [[output.name, output.arity] for output in request.outputs],
        "constants": dict(request.constants),
        "library": [str(folder) for folder in request.library],
        "limits": astuple(limits),
        "here": os.getcwd(),  # a child that was started before may have another working directory
    }
    return json.dumps(content).encode()


def decode_request(text: str) -> tuple[BuildRequest, Limits]:
    """Decode a request in the child, and change to the working directory of the parent.

    Args:
        text: JSON text of `encode_request`.

    Returns:
        The knowledge base to be built, and the bounds.
    """
    content: dict[str, Any] = json.loads(text)
    os.chdir(content["here"])
    request = BuildRequest(
        tuple(map(Path, content["files"])),
        tuple(Input(*item) for item in content["inputs"]),
        tuple(Signature(*output) for output in content["outputs"]),
        dict(content["constants"]),
        tuple(map(Path, content["library"])),
    )
    return request, Limits(*content["limits"])


def limit_resources(limits: Limits, persistent: bool = False) -> None:
    """Bound memory and processor time of this process, so that it ends even if its parent dies.

    Args:
        limits: Bounds on seconds and memory.
        persistent: Whether the process serves many requests, and so renews its bound on time by `set_cpu_alarm`.
    """
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    set_cpu_alarm(limits.seconds)
    bounds = {"AS": limits.memory, "CORE": 0} | ({} if persistent else {"CPU": int(limits.seconds) + 2})
    for resource_name, bound in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{resource_name}"), (bound, bound))


def set_cpu_alarm(seconds: float) -> None:
    """End this process by SIGPROF after an amount of processor time.

    Args:
        seconds: Processor time from now, in seconds; 0 cancels the alarm.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


@pause_gc()
def _run_build(request: BuildRequest, limits: Limits) -> None:
    packed = serialization.pack_build(build_program(request, limits, ground_limits=limits))
    if len(packed) > limits.memory // _ANSWER_MEMORY_DIVISOR:
        raise MemoryError
    sys.stdout.buffer.write(packed)
    sys.stdout.buffer.flush()


def profile_request(request: BuildRequest, limits: Limits) -> list[str] | None:
    """Ground a knowledge base rule by rule in a child process, and measure it.

    Args:
        request: Knowledge base.
        limits: Bounds on the child.

    Returns:
        Lines of `profiler.encode_cost`, and a last one with the object of seconds and memory (bytes); None if the
        child did not end within the limits.

    Raises:
        TooManyRules: The rules are ground in this process, and exceed the limits.
    """
    if _in_process:
        lines: list[str] = []
        _profile(request, limits, lines.append)
        return [*lines, json.dumps({"seconds": 0.0, "memory": 0})]
    exit_status = _run(_PROFILE, request, limits)
    return exit_status.output.decode().splitlines() if exit_status.succeeded else None


def _run_profile(request: BuildRequest, limits: Limits) -> None:
    _profile(request, limits, lambda line: print(line, flush=True))
    print(json.dumps({"seconds": time.process_time(), "memory": _peak_memory()}), flush=True)


def _peak_memory() -> int:
    """Return the peak of memory of this process in bytes; 0 where the platform does not measure it.

    The peak of getrusage begins with the memory of the process that started this one, so Linux is asked elsewhere.
    """
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text("ascii", "replace")
        if found := re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE):
            return int(found[1]) << 10
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def _profile(request: BuildRequest, limits: Limits, write: Callable[[str], object]) -> None:
    statements, sources = read_rewritten_statements(request, limits)
    arguments = clingo_arguments(request.constants)
    ground_limits = (limits.rules, limits.literals)
    profiler.profile_grounding(
        statements, sources, arguments, ground_limits, lambda cost: write(profiler.encode_cost(cost))
    )


def main() -> None:
    """Run the child: read a request from stdin, write the result to stdout."""
    ensure_complete_writes()
    text = sys.stdin.read()
    if not text:  # a warm child whose parent has ended
        return
    request, limits = decode_request(text)
    limit_resources(limits)
    try:
        {_BUILD: _run_build, _PROFILE: _run_profile}[sys.argv[1]](request, limits)
    except TooManyRules:
        os._exit(_EXIT_TOO_MANY_RULES)
    except MemoryError:
        os._exit(EXIT_OUT_OF_MEMORY)
    except RecursionError:
        os._exit(_EXIT_TOO_NESTED)


if __name__ == "__main__":
    main()
