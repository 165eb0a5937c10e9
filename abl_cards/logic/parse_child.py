"""The child that parses rule files for processes that must go on whatever a file does to clingo's parser.

Each line in is a question about some texts. Before each text its number goes out on a line, so that the parent knows
which one ended the child; at last the answer. Processor time and memory are bounded anew for each question.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from clingo import ast

from abl_cards.logic.child import OUT_OF_MEMORY, wind_up
from abl_cards.logic.errors import Diagnostic
from abl_cards.logic.program import Source, Sources, parse
from abl_cards.logic.program_text import dump, encode, encode_constants, encode_problems
from abl_cards.logic.statements import Program, collect_all, collect_constants
from abl_cards.logic.terms import Term
from abl_cards.output import write_in_full

PROBLEMS, CONSTANTS, PARTS = "problems", "constants", "parts"


def _tell(value: Any) -> None:
    sys.stdout.buffer.write(dump(value) + b"\n")
    sys.stdout.buffer.flush()


def _parsed(number: int, text: str) -> tuple[list[ast.AST], list[Diagnostic]]:
    _tell(number)
    return parse(_sources(text))


def _sources(text: str) -> Sources:
    return Sources((Source("", text, 1),))


def _answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for of the texts."""
    texts: Sequence[str] = asked["texts"]
    if asked["what"] == PROBLEMS:
        return {PROBLEMS: [encode_problems(_parsed(number, text)[1]) for number, text in enumerate(texts)]}
    if asked["what"] == CONSTANTS:
        return {CONSTANTS: _constants(texts)}
    known = {name: (None, value) for name, value in asked["known"]}
    return {PARTS: [_part(number, text, known) for number, text in enumerate(texts)]}


def _constants(texts: Sequence[str]) -> list[dict[str, Any]]:
    """By text what it declares that those before do not, and what is wrong with it."""
    found = []
    constants: dict[str, Any] = {}
    for number, text in enumerate(texts):
        before = set(constants)
        part = Program(_sources(text), constants=constants)
        collect_constants(_parsed(number, text)[0], part, {})
        new = {name: constant for name, constant in constants.items() if name not in before}
        found.append({"new": encode_constants(new), "problems": encode_problems(part.problems)})
    return found


def _part(number: int, text: str, known: Mapping[str, tuple[Any, Term | None]]) -> dict[str, Any]:
    part = Program(_sources(text))
    part.constants.update(known)
    collect_all(_parsed(number, text)[0], part)
    return encode(part)


def _bound(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    for kind, most in (("AS", memory), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def main() -> None:
    """Answer until nothing more comes in."""
    write_in_full()
    _bound(int(sys.argv[1]))
    for line in sys.stdin.buffer:
        before = time.process_time()
        try:
            asked = json.loads(line)
            wind_up(asked["seconds"])
            answer = _answer(asked)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        _tell(answer | {"seconds": time.process_time() - before})
        wind_up(0)
        del answer, asked
        gc.collect()


if __name__ == "__main__":
    main()
