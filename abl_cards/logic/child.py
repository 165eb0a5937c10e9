"""Build an untrusted knowledge base in a child process, because grounding cannot be interrupted from inside.

The parent sends the request as JSON and kills the child when time is up; the child bounds its own memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from abl_cards.logic import blob
from abl_cards.logic.build import Built, Limits, Request, build
from abl_cards.logic.errors import error
from abl_cards.logic.ground import TooManyRules
from abl_cards.logic.terms import Input, Signature

_OUT_OF_MEMORY, _TOO_MANY_RULES = 70, 71


def build_in_child(request: Request, limits: Limits) -> Built:
    """Like `build`, within the limits: passing one is a diagnostic that names the first suspects."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-m", "abl_cards.logic.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    late = False
    try:
        output, notes = process.communicate(_encode(request, limits), timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        late = True
        process.kill()
        output, notes = process.communicate()
    finally:
        process.kill()
    if not late and process.returncode == 0:
        return blob.unpack(output)
    first, _, rest = notes.decode("utf-8", "replace").partition("\n")
    suspects = first.removeprefix("suspects: ") if first.startswith("suspects: ") else ""
    return Built(None, (), (error(None, _reason(late, process.returncode, limits, rest or first), _remedy(suspects)),))


def _reason(late: bool, status: int, limits: Limits, notes: str) -> str:
    if late:
        return f"grounding exceeded {limits.seconds:g} s"
    if status == _TOO_MANY_RULES:
        return f"grounding exceeded {limits.rules} ground rules"
    if status == _OUT_OF_MEMORY or "bad_alloc" in notes or "MemoryError" in notes:
        return f"grounding exceeded {limits.memory / (1 << 20):.0f} MiB of memory"
    if status < 0:
        return f"clingo was stopped by {signal.Signals(-status).name}, perhaps for want of memory"
    last = notes.strip().rpartition("\n")[2]
    return f"grounding failed: {last or f'status {status}'}"


def _remedy(suspects: str) -> str:
    return f"a rule with too many variables? first suspects: {suspects}" if suspects else "simplify the rules"


def _encode(request: Request, limits: Limits) -> bytes:
    content = {
        "files": [str(file) for file in request.files],
        "inputs": [[item.name, item.domains, item.arity] for item in request.inputs],
        "outputs": [[output.name, output.arity] for output in request.outputs],
        "constants": dict(request.constants),
        "library": [str(folder) for folder in request.library],
        "limits": [limits.seconds, limits.memory, limits.rules, limits.file_bytes],
    }
    return json.dumps(content).encode()


def _bound(limits: Limits) -> None:
    """Bounds that hold even if the parent dies."""
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    seconds = int(limits.seconds) + 1
    for kind, bound in (("AS", limits.memory), ("CPU", seconds), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (bound, bound))


def main() -> None:
    """The child's side."""
    content = json.load(sys.stdin)
    limits = Limits(*content["limits"])
    request = Request(
        tuple(map(Path, content["files"])),
        tuple(Input(*item) for item in content["inputs"]),
        tuple(Signature(*output) for output in content["outputs"]),
        content["constants"],
        tuple(map(Path, content["library"])),
    )
    _bound(limits)

    def notice(suspects: str) -> None:
        print(f"suspects: {suspects}", file=sys.stderr, flush=True)

    try:
        sys.stdout.buffer.write(blob.pack(build(request, limits, limits.rules, notice)))
        sys.stdout.buffer.flush()
    except TooManyRules:
        os._exit(_TOO_MANY_RULES)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
