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

from abl_cards.asp.declarations import dump_json_line, encode_constants, encode_diagnostics, encode_program
from abl_cards.asp.errors import Diagnostic
from abl_cards.asp.program import RuleSource, RuleSources, parse_sources
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, set_cpu_alarm
from abl_cards.asp.statements import ProgramSummary, collect_constants, collect_statements
from abl_cards.asp.terms import Term
from abl_cards.core import ensure_complete_writes

PROBLEMS, CONSTANTS, PARTS = "problems", "constants", "parts"


def _write_message(value: Any) -> None:
    sys.stdout.buffer.write(dump_json_line(value) + b"\n")
    sys.stdout.buffer.flush()


def _parse_text(number: int, text: str) -> tuple[list[ast.AST], list[Diagnostic]]:
    _write_message(number)
    return parse_sources(_sources(text))


def _sources(text: str) -> RuleSources:
    return RuleSources((RuleSource("", text, 1),))


def _handle_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for of the texts."""
    texts: Sequence[str] = request["texts"]
    if request["what"] == PROBLEMS:
        return {PROBLEMS: [encode_diagnostics(_parse_text(number, text)[1]) for number, text in enumerate(texts)]}
    if request["what"] == CONSTANTS:
        return {CONSTANTS: _constants(texts)}
    known = {name: (None, value) for name, value in request["known"]}
    return {PARTS: [_collect_part(number, text, known) for number, text in enumerate(texts)]}


def _constants(texts: Sequence[str]) -> list[dict[str, Any]]:
    """By text what it declares that those before do not, and what is wrong with it."""
    found = []
    constants: dict[str, Any] = {}
    for number, text in enumerate(texts):
        before = set(constants)
        part = ProgramSummary(_sources(text), constants=constants)
        collect_constants(_parse_text(number, text)[0], part, {})
        new = {name: constant for name, constant in constants.items() if name not in before}
        found.append({"new": encode_constants(new), "problems": encode_diagnostics(part.problems)})
    return found


def _collect_part(number: int, text: str, known: Mapping[str, tuple[Any, Term | None]]) -> dict[str, Any]:
    part = ProgramSummary(_sources(text))
    part.constants.update(known)
    collect_statements(_parse_text(number, text)[0], part)
    return encode_program(part)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    for kind, most in (("AS", memory), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def main() -> None:
    """Answer until nothing more comes in."""
    ensure_complete_writes()
    _limit_memory(int(sys.argv[1]))
    for line in sys.stdin.buffer:
        before = time.process_time()
        try:
            asked = json.loads(line)
            set_cpu_alarm(asked["seconds"])
            answer = _handle_request(asked)
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)
        _write_message(answer | {"seconds": time.process_time() - before})
        set_cpu_alarm(0)
        del answer, asked
        gc.collect()


if __name__ == "__main__":
    main()
