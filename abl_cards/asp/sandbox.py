"""Build an untrusted knowledge base in a child process, because grounding cannot be interrupted from inside.

The parent sends the request as JSON. The child bounds its own memory and processor time; the parent kills it when it
takes far longer than that, however busy the machine is. Where a bound was passed, a second child finds the rule. What
comes back through the pipe is data (see ``serialization``): a child that rules have brought to misbehave cannot have
its parent run anything.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
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
from abl_cards.core import CpuBudget, ensure_complete_writes, pause_gc

EXIT_OUT_OF_MEMORY, _EXIT_TOO_MANY_RULES, _EXIT_TOO_NESTED = 70, 71, 72
_BUILD_TIME_SHARE = 0.75  # of the time, for building; what is left finds the rule that took it
WALL_TIME_FACTOR = 10.0
"""Times the processor time, which is what is bounded: a child waits long on a busy machine, not for ever."""
STARTUP_SECONDS = 30.0  # seconds for Python to start there
_ANSWER_MEMORY_DIVISOR = 8  # an answer has at most the memory divided by this
_BUILD, _PROFILE = "build", "blame"


@dataclass(frozen=True)
class _ProcessExit:
    """How a child ended."""

    status: int
    output: bytes
    stderr: str
    timed_out: bool

    @property
    def succeeded(self) -> bool:
        return self.status == 0 and not self.timed_out


_in_process = False  # whether this process grounds rules itself


def build_in_subprocess(request: BuildRequest, limits: Limits, cpu_budget: CpuBudget) -> BuildResult:
    """Like `build_program`, within the limits and a budget.

    Passing one is a diagnostic with the place of the worst rule.
    """
    if _in_process:
        return build_in_process(request, limits, cpu_budget)
    if cpu_budget.remaining <= 0:
        return _failed_build(
            None, f"not ground: the {cpu_budget.seconds:g} s of this command are used up", "check one profile"
        )
    with cpu_budget.charge():
        end = _run(_BUILD, request, replace(limits, seconds=cpu_budget.remaining * _BUILD_TIME_SHARE))
    if end.succeeded:
        return serialization.unpack_build(end.output)
    reason, is_bound = _describe_failure(end, limits, cpu_budget)
    place = _find_costliest_rule(request, limits, cpu_budget) if is_bound and cpu_budget.remaining > 0 else None
    remedy = "most of it for this rule: fewer variables, or narrower ranges" if place else "simplify the rules"
    if end.timed_out:
        remedy = "try again when less is going on"
    return _failed_build(place, reason, remedy)


def work_in_process() -> None:
    """Ground in this process from now on: for processes that are expendable themselves."""
    global _in_process
    _in_process = True


def build_in_process(request: BuildRequest, limits: Limits, cpu_budget: CpuBudget) -> BuildResult:
    """Like `build_in_subprocess`, in this process, which is expendable.

    Of the bounds only the number of rules is one.
    """
    try:
        return build_program(request, limits, ground_limits=limits)
    except TooManyRules:
        return _failed_build(None, f"grounding exceeded {limits.rules} ground rules", "simplify the rules")


def _failed_build(place: Location | None, reason: str, remedy: str) -> BuildResult:
    return BuildResult(None, (), (make_error(place, reason, remedy),))


def _run(task: str, request: BuildRequest, limits: Limits) -> _ProcessExit:
    process = _take_warm_process(task) or start_process(__name__, task)
    late = False
    try:
        output, notes = process.communicate(
            encode_request(request, limits), timeout=WALL_TIME_FACTOR * limits.seconds + STARTUP_SECONDS
        )
    except subprocess.TimeoutExpired:
        late = True
        process.kill()
        output, notes = process.communicate()
    finally:
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            cast(IO[bytes], process.stdin).close()  # what was asked may not have been read
        if _warm_pool.enabled:
            keep_warm_process()
    return _ProcessExit(process.returncode, output, notes.decode("utf-8", "replace"), late)


@dataclass
class _WarmPool:
    """Children that have imported all that they need, and wait for what to build."""

    enabled: bool = False
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)


_warm_pool = _WarmPool()


def keep_warm_process() -> None:
    """From now on have a child ready for the next rules: for who grounds after every edit."""
    _warm_pool.enabled = True
    if not _warm_pool.processes:
        _warm_pool.processes.append(start_process(__name__, _BUILD))


def _take_warm_process(task: str) -> subprocess.Popen[bytes] | None:
    found = _warm_pool.processes.pop() if task == _BUILD and _warm_pool.processes else None
    return found if found is not None and found.poll() is None else None


def start_process(module: str, *arguments: str, stderr: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """A child process that runs a module of ours, spoken to through pipes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment)


def _describe_failure(end: _ProcessExit, limits: Limits, paid: CpuBudget) -> tuple[str, bool]:
    """What went wrong, and whether it is a bound that was passed."""
    name = signal.Signals(-end.status).name if end.status < 0 else ""
    if end.timed_out:  # no rule is to blame for that
        return f"grounding did not come to its {paid.seconds:g} s of processor time: the machine is busy", False
    if name in ("SIGPROF", "SIGXCPU"):
        return f"grounding exceeded {paid.seconds:g} s", True
    if end.status == _EXIT_TOO_MANY_RULES:
        return f"grounding exceeded {limits.rules} ground rules", True
    if end.status == EXIT_OUT_OF_MEMORY or "bad_alloc" in end.stderr or "MemoryError" in end.stderr:
        return f"grounding exceeded {limits.memory / (1 << 20):.0f} MiB of memory", True
    if end.status == _EXIT_TOO_NESTED:
        return "terms or literals are nested too deeply", False
    if name == "SIGFPE":
        return "clingo was stopped by arithmetic beyond 32 bits", True
    if name:
        return f"clingo was stopped by {name}, perhaps for want of memory", True
    return "the rules could not be ground, and nobody foresaw why", True


def _find_costliest_rule(request: BuildRequest, limits: Limits, paid: CpuBudget) -> Location | None:
    """The rule that takes most: in rules where a second child stops at the bound on those, else in time."""
    seconds = min(paid.remaining, paid.seconds * (1 - _BUILD_TIME_SHARE))
    with paid.charge():
        second = _run(_PROFILE, request, replace(limits, seconds=seconds))
    lines = second.output.decode("utf-8", "replace").rpartition("\n")[0].splitlines()
    if second.succeeded:
        return None  # it is not the grounding that takes so long
    return profiler.find_costliest_rule(lines, seconds, by_rules=second.status == _EXIT_TOO_MANY_RULES)


def encode_request(request: BuildRequest, limits: Limits) -> bytes:
    """What a child is told, on one line."""
    content = {
        "files": [str(file) for file in request.files],
        "inputs": [[item.name, item.domains, item.arity] for item in request.inputs],
        "outputs": [[output.name, output.arity] for output in request.outputs],
        "constants": dict(request.constants),
        "library": [str(folder) for folder in request.library],
        "limits": astuple(limits),
        "here": os.getcwd(),  # a child that was started before may be elsewhere
    }
    return json.dumps(content).encode()


def decode_request(text: str) -> tuple[BuildRequest, Limits]:
    """What the child reads."""
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
    """Bounds that hold even if the parent dies; a lasting child winds its clock up again before each question."""
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    set_cpu_alarm(limits.seconds)
    bounds = {"AS": limits.memory, "CORE": 0} | ({} if persistent else {"CPU": int(limits.seconds) + 2})
    for kind, most in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def set_cpu_alarm(seconds: float) -> None:
    """After so much processor time SIGPROF ends this process."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


@pause_gc()
def _run_build(request: BuildRequest, limits: Limits) -> None:
    answer = serialization.pack_build(build_program(request, limits, ground_limits=limits))
    if len(answer) > limits.memory // _ANSWER_MEMORY_DIVISOR:
        raise MemoryError
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


def _run_profile(request: BuildRequest, limits: Limits) -> None:
    statements, sources = read_rewritten_statements(request, limits)
    options = clingo_arguments(request.constants)
    most = (limits.rules, limits.literals)
    profiler.profile_grounding(
        statements, sources, options, most, lambda cost: print(profiler.encode_cost(cost), flush=True)
    )


def main() -> None:
    """The child's side."""
    ensure_complete_writes()
    text = sys.stdin.read()
    if not text:  # a spare child whose parent has gone
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
