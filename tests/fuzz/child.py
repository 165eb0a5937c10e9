"""Check random folders in a separate process, because a crash must not end the run: ``python -m tests.fuzz.child``.

The process reads a line of JSON for each folder and writes another one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

from abl_cards.asp import sandbox
from abl_cards.core.stdio import ensure_complete_writes
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.rulelab.verification import verification
from tests.cli_runs import invoke
from tests.fuzz.checks import ROWS, STATES, STEPS, TABLES, Reader, Stopped, play, random_states
from tests.fuzz.generator import drawn

PASSED, REFUSED, STOPPED, DIFFERS, BROKEN, LOST = "passed", "refused", "stopped", "differs", "broken", "lost"
"""No difference; an error of check; no move, as in the naive reading; a difference; an exception; a crash."""
FINE = (PASSED, REFUSED, STOPPED)
MOST = 20
"""Most differences of a folder in its result."""
COMMANDS = (
    ("kb", "check", "{}", "--json"), ("legal", "{}"), ("match", "{}", "random", "greedy", "--games", "2"),
    ("explain", "{}", "{state}"), ("kb", "words", "{}"), ("kb", "verify", "{}", "--states", "10"),
    ("kb", "test", "{}", "--only", "coverage", "--games", "2"),
)  # fmt: skip
_STATE = '{"hand":[],"to_beat":null}'
_MEMORY = 8 << 30


def outcome(seed: int, folder: Path, states: int, tables: int, steps: int) -> dict[str, Any]:
    """Check the folder of a seed and return the result; keep the folder if something is wrong."""
    draw = drawn(seed)
    shutil.rmtree(folder, ignore_errors=True)
    result: dict[str, Any] = {"seed": seed, "constructs": sorted(draw.constructs), "flaw": draw.flaw}
    result["edit"] = draw.write(folder)
    try:
        status, messages = _outcome(folder, seed, states, tables, steps)
    except (Stopped, TableError) as problem:
        status, messages = STOPPED, [str(problem)]
    except Exception:
        status, messages = BROKEN, [traceback.format_exc(limit=-8)]
    if status in FINE:
        shutil.rmtree(folder)
    return result | {"outcome": status, "said": messages}


def outcome_of(name: str, profile: str | None, states: int, tables: int, steps: int, naive: bool) -> dict[str, Any]:
    """Check a shipped game, or a folder of the tests; the naive reading supports small hands only."""
    try:
        played = load(name)
        problems = [
            f"verify: {mismatch}"
            for mismatch in verification.verify_circuits(played, None, profile, states, 1).mismatches
        ]
        reader = Reader.of(played.engine(None, profile))
        problems += random_states(reader, 1, states) if naive else []
        problems += play(reader, 1, tables, steps, ROWS if naive else 0)
    except Exception:
        return {"seed": f"{name} {profile or ''}", "outcome": BROKEN, "said": [traceback.format_exc(limit=-8)]}
    return {"seed": f"{name} {profile or ''}", "outcome": DIFFERS if problems else PASSED, "said": problems[:MOST]}


def _outcome(folder: Path, seed: int, states: int, tables: int, steps: int) -> tuple[str, list[str]]:
    checked = invoke("kb", "check", str(folder))
    if checked.exit_code:
        crashes = _crashes(("kb check", checked.exception, checked.exit_code), *_run_commands(folder))
        errors = [line for line in checked.stderr.splitlines() if "error" in line]
        return (BROKEN, crashes) if crashes else (REFUSED, errors[:1])
    played = load(str(folder))
    problems = [
        f"verify: {mismatch}" for mismatch in verification.verify_circuits(played, None, None, states, seed).mismatches
    ]
    reader = Reader.of(played.engine())
    problems += random_states(reader, seed, states)
    problems += play(reader, seed, tables, steps)
    return (DIFFERS, problems[:MOST]) if problems else (PASSED, [])


def _run_commands(folder: Path) -> list[tuple[str, BaseException | None, int]]:
    """Run every command on a folder that check refuses."""
    results = []
    for command in COMMANDS:
        words = [word.replace("{}", str(folder)).replace("{state}", _STATE) for word in command]
        answer = invoke(*words, stdin=_STATE)
        results.append((" ".join(command[:2]), answer.exception, answer.exit_code))
    return results


def _crashes(*answers: tuple[str, BaseException | None, int]) -> list[str]:
    """Return the commands that end unexpectedly."""
    return [
        f"{command}: {''.join(traceback.format_exception(problem)[-3:])}"
        for command, problem, code in answers
        if (problem is not None and not isinstance(problem, SystemExit)) or code not in (0, 1, 2)
    ]


def bound_memory() -> None:
    """Limit the memory of this process, if the platform supports it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer requests until the input ends; ground in this process, because it may crash."""
    ensure_complete_writes()
    bound_memory()
    sandbox.work_in_process()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # other output is not an answer
    for line in sys.stdin:
        request = json.loads(line)
        most = request.get("states", STATES), request.get("tables", TABLES), request.get("steps", STEPS)
        if "game" in request:
            result = outcome_of(request["game"], request["profile"], *most, request["naive"])
        else:
            result = outcome(request["seed"], Path(request["folder"]), *most)
        print(json.dumps(result), file=answers, flush=True)


if __name__ == "__main__":
    main()
