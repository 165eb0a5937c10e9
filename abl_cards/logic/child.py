"""Build an untrusted knowledge base in a child process, because grounding cannot be interrupted from inside.

The parent sends the request as JSON. The child bounds its own memory and processor time; the parent kills it when it
takes far longer than that, however busy the machine is. Where a bound was passed, a second child finds the rule. What
comes back through the pipe is data (see ``blob``): a child that rules have brought to misbehave cannot have its parent
run anything.
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

from abl_cards import garbage
from abl_cards.budget import Budget
from abl_cards.logic import blame, blob
from abl_cards.logic.build import Built, Limits, Request, arguments, build, rules_to_ground
from abl_cards.logic.errors import Location, error
from abl_cards.logic.ground import TooManyRules
from abl_cards.logic.terms import Input, Signature
from abl_cards.output import write_in_full

OUT_OF_MEMORY, _TOO_MANY_RULES, _TOO_NESTED = 70, 71, 72
_SHARE = 0.75  # of the time, for building; what is left finds the rule that took it
WALL = 10.0  # times the processor time, which is what is bounded: a child waits long on a busy machine, not for ever
START = 30.0  # seconds for Python to start there
_LONGEST_ANSWER = 8  # an answer has at most the memory divided by this
_BUILD, _BLAME = "build", "blame"


@dataclass(frozen=True)
class _End:
    """How a child ended."""

    status: int
    output: bytes
    notes: str
    late: bool

    @property
    def fine(self) -> bool:
        return self.status == 0 and not self.late


def build_in_child(request: Request, limits: Limits, paid: Budget) -> Built:
    """Like `build`, within the limits and a budget: passing one is a diagnostic with the place of the worst rule."""
    if paid.left <= 0:
        return _refused(None, f"not ground: the {paid.seconds:g} s of this command are used up", "check one profile")
    with paid.paying():
        end = _run(_BUILD, request, replace(limits, seconds=paid.left * _SHARE))
    if end.fine:
        return blob.unpack(end.output)
    reason, is_bound = _reason(end, limits, paid)
    place = _blamed(request, limits, paid) if is_bound and paid.left > 0 else None
    remedy = "most of it for this rule: fewer variables, or narrower ranges" if place else "simplify the rules"
    if end.late:
        remedy = "try again when less is going on"
    return _refused(place, reason, remedy)


def work_in_process() -> None:
    """Ground in this process from now on: for processes that are expendable themselves."""
    global build_in_child
    build_in_child = build_here


def build_here(request: Request, limits: Limits, paid: Budget) -> Built:
    """Like `build_in_child`, in this process, which is expendable: of the bounds only the number of rules is one."""
    try:
        return build(request, limits, within=limits)
    except TooManyRules:
        return _refused(None, f"grounding exceeded {limits.rules} ground rules", "simplify the rules")


def _refused(place: Location | None, reason: str, remedy: str) -> Built:
    return Built(None, (), (error(place, reason, remedy),))


def _run(task: str, request: Request, limits: Limits) -> _End:
    process = _spare(task) or start(__name__, task)
    late = False
    try:
        output, notes = process.communicate(encode(request, limits), timeout=WALL * limits.seconds + START)
    except subprocess.TimeoutExpired:
        late = True
        process.kill()
        output, notes = process.communicate()
    finally:
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            cast(IO[bytes], process.stdin).close()  # what was asked may not have been read
        if _spares.wanted:
            keep_warm()
    return _End(process.returncode, output, notes.decode("utf-8", "replace"), late)


@dataclass
class _Spares:
    """Children that have imported all that they need, and wait for what to build."""

    wanted: bool = False
    ready: list[subprocess.Popen[bytes]] = field(default_factory=list)


_spares = _Spares()


def keep_warm() -> None:
    """From now on have a child ready for the next rules: for who grounds after every edit."""
    _spares.wanted = True
    if not _spares.ready:
        _spares.ready.append(start(__name__, _BUILD))


def _spare(task: str) -> subprocess.Popen[bytes] | None:
    found = _spares.ready.pop() if task == _BUILD and _spares.ready else None
    return found if found is not None and found.poll() is None else None


def start(module: str, *arguments: str, notes: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """A child process that runs a module of ours, spoken to through pipes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=notes, env=environment)


def _reason(end: _End, limits: Limits, paid: Budget) -> tuple[str, bool]:
    """What went wrong, and whether it is a bound that was passed."""
    name = signal.Signals(-end.status).name if end.status < 0 else ""
    if end.late:  # no rule is to blame for that
        return f"grounding did not come to its {paid.seconds:g} s of processor time: the machine is busy", False
    if name in ("SIGPROF", "SIGXCPU"):
        return f"grounding exceeded {paid.seconds:g} s", True
    if end.status == _TOO_MANY_RULES:
        return f"grounding exceeded {limits.rules} ground rules", True
    if end.status == OUT_OF_MEMORY or "bad_alloc" in end.notes or "MemoryError" in end.notes:
        return f"grounding exceeded {limits.memory / (1 << 20):.0f} MiB of memory", True
    if end.status == _TOO_NESTED:
        return "terms or literals are nested too deeply", False
    if name == "SIGFPE":
        return "clingo was stopped by arithmetic beyond 32 bits", True
    if name:
        return f"clingo was stopped by {name}, perhaps for want of memory", True
    return "the rules could not be ground, and nobody foresaw why", True


def _blamed(request: Request, limits: Limits, paid: Budget) -> Location | None:
    """The rule that takes most: in rules where a second child stops at the bound on those, else in time."""
    seconds = min(paid.left, paid.seconds * (1 - _SHARE))
    with paid.paying():
        second = _run(_BLAME, request, replace(limits, seconds=seconds))
    lines = second.output.decode("utf-8", "replace").rpartition("\n")[0].splitlines()
    if second.fine:
        return None  # it is not the grounding that takes so long
    return blame.culprit(lines, seconds, by_rules=second.status == _TOO_MANY_RULES)


def encode(request: Request, limits: Limits) -> bytes:
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


def decode(text: str) -> tuple[Request, Limits]:
    """What the child reads."""
    content: dict[str, Any] = json.loads(text)
    os.chdir(content["here"])
    request = Request(
        tuple(map(Path, content["files"])),
        tuple(Input(*item) for item in content["inputs"]),
        tuple(Signature(*output) for output in content["outputs"]),
        dict(content["constants"]),
        tuple(map(Path, content["library"])),
    )
    return request, Limits(*content["limits"])


def bound(limits: Limits, lasting: bool = False) -> None:
    """Bounds that hold even if the parent dies; a lasting child winds its clock up again before each question."""
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    wind_up(limits.seconds)
    bounds = {"AS": limits.memory, "CORE": 0} | ({} if lasting else {"CPU": int(limits.seconds) + 2})
    for kind, most in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def wind_up(seconds: float) -> None:
    """After so much processor time SIGPROF ends this process."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


@garbage.none_made()
def _build(request: Request, limits: Limits) -> None:
    answer = blob.pack(build(request, limits, within=limits))
    if len(answer) > limits.memory // _LONGEST_ANSWER:
        raise MemoryError
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


def _blame(request: Request, limits: Limits) -> None:
    statements, sources = rules_to_ground(request, limits)
    options = arguments(request.constants)
    most = (limits.rules, limits.literals)
    blame.measure(statements, sources, options, most, lambda cost: print(blame.encode(cost), flush=True))


def main() -> None:
    """The child's side."""
    write_in_full()
    text = sys.stdin.read()
    if not text:  # a spare child whose parent has gone
        return
    request, limits = decode(text)
    bound(limits)
    try:
        {_BUILD: _build, _BLAME: _blame}[sys.argv[1]](request, limits)
    except TooManyRules:
        os._exit(_TOO_MANY_RULES)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except RecursionError:
        os._exit(_TOO_NESTED)


if __name__ == "__main__":
    main()
