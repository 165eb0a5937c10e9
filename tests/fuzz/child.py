"""Check random folders in a process of its own, for a crash must not end the run: ``python -m tests.fuzz.child DIR``.

Reads a line of JSON for each folder, and answers with one.
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
"""No difference; an error of check; no move where the naive reading knows none; a difference; an exception; a crash."""
FINE = (PASSED, REFUSED, STOPPED)
MOST = 20
"""Differences of a folder that are kept."""
COMMANDS = (
    ("kb", "check", "{}", "--json"), ("legal", "{}"), ("match", "{}", "random", "greedy", "--games", "2"),
    ("explain", "{}", "{state}"), ("kb", "words", "{}"), ("kb", "verify", "{}", "--states", "10"),
    ("kb", "test", "{}", "--only", "coverage", "--games", "2"),
)  # fmt: skip
_STATE = '{"hand":[],"to_beat":null}'
_MEMORY = 8 << 30


def outcome(seed: int, folder: Path, states: int, tables: int, steps: int) -> dict[str, Any]:
    """What comes of the folder of a number; it stays where something is wrong."""
    draw = drawn(seed)
    shutil.rmtree(folder, ignore_errors=True)
    found: dict[str, Any] = {"seed": seed, "constructs": sorted(draw.constructs), "flaw": draw.flaw}
    found["edit"] = draw.write(folder)
    try:
        came, said = _outcome(folder, seed, states, tables, steps)
    except (Stopped, TableError) as problem:
        came, said = STOPPED, [str(problem)]
    except Exception:
        came, said = BROKEN, [traceback.format_exc(limit=-8)]
    if came in FINE:
        shutil.rmtree(folder)
    return found | {"outcome": came, "said": said}


def outcome_of(name: str, profile: str | None, states: int, tables: int, steps: int, naive: bool) -> dict[str, Any]:
    """What comes of a game of its own, or a folder of the tests; the naive reading is for small hands alone."""
    try:
        played = load(name)
        found = [
            f"verify: {each}" for each in verification.verify_circuits(played, None, profile, states, 1).mismatches
        ]
        reader = Reader.of(played.engine(None, profile))
        found += random_states(reader, 1, states) if naive else []
        found += play(reader, 1, tables, steps, ROWS if naive else 0)
    except Exception:
        return {"seed": f"{name} {profile or ''}", "outcome": BROKEN, "said": [traceback.format_exc(limit=-8)]}
    return {"seed": f"{name} {profile or ''}", "outcome": DIFFERS if found else PASSED, "said": found[:MOST]}


def _outcome(folder: Path, seed: int, states: int, tables: int, steps: int) -> tuple[str, list[str]]:
    checked = invoke("kb", "check", str(folder))
    if checked.exit_code:
        crashes = _crashes(("kb check", checked.exception, checked.exit_code), *_ask_all(folder))
        errors = [line for line in checked.stderr.splitlines() if "error" in line]
        return (BROKEN, crashes) if crashes else (REFUSED, errors[:1])
    played = load(str(folder))
    found = [
        f"verify: {mismatch}" for mismatch in verification.verify_circuits(played, None, None, states, seed).mismatches
    ]
    reader = Reader.of(played.engine())
    found += random_states(reader, seed, states)
    found += play(reader, seed, tables, steps)
    return (DIFFERS, found[:MOST]) if found else (PASSED, [])


def _ask_all(folder: Path) -> list[tuple[str, BaseException | None, int]]:
    """Every command on a folder that check refuses."""
    found = []
    for command in COMMANDS:
        words = [word.replace("{}", str(folder)).replace("{state}", _STATE) for word in command]
        answer = invoke(*words, stdin=_STATE)
        found.append((" ".join(command[:2]), answer.exception, answer.exit_code))
    return found


def _crashes(*answers: tuple[str, BaseException | None, int]) -> list[str]:
    """Commands that end otherwise than planned."""
    return [
        f"{command}: {''.join(traceback.format_exception(problem)[-3:])}"
        for command, problem, code in answers
        if (problem is not None and not isinstance(problem, SystemExit)) or code not in (0, 1, 2)
    ]


def bound_memory() -> None:
    """Bound the memory of this process, where the platform can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer until there are no more folders; this process may crash, so it grounds what it is given itself."""
    ensure_complete_writes()
    bound_memory()
    sandbox.work_in_process()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything else prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        most = asked.get("states", STATES), asked.get("tables", TABLES), asked.get("steps", STEPS)
        if "game" in asked:
            found = outcome_of(asked["game"], asked["profile"], *most, asked["naive"])
        else:
            found = outcome(asked["seed"], Path(asked["folder"]), *most)
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
