"""Child process that parses untrusted rule files, so that no file can end the process of the caller.

Each line of input is a request about texts. Before the child parses a text, it writes the index of the text, so that
the parent can identify a text that crashes the child. Finally it writes the response. Processor time is bounded for
each request, memory for the whole child.
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
from abl_cards.asp.program import parse_sources
from abl_cards.asp.program_summary import ProgramSummary
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, set_cpu_alarm
from abl_cards.asp.sources import RuleSource, RuleSources
from abl_cards.asp.statements import collect_constants, collect_statements
from abl_cards.asp.terms import Term
from abl_cards.core import ensure_complete_writes

PROBLEMS, CONSTANTS, PARTS = "problems", "constants", "parts"


def _write_message(value: Any) -> None:
    sys.stdout.buffer.write(dump_json_line(value) + b"\n")
    sys.stdout.buffer.flush()


def _parse_text(index: int, text: str) -> tuple[list[ast.AST], list[Diagnostic]]:
    _write_message(index)
    return parse_sources(_sources(text))


def _sources(text: str) -> RuleSources:
    return RuleSources((RuleSource("", text, 1),))


def _handle_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compute the response to a request."""
    texts: Sequence[str] = request["texts"]
    if request["what"] == PROBLEMS:
        return {PROBLEMS: [encode_diagnostics(_parse_text(index, text)[1]) for index, text in enumerate(texts)]}
    if request["what"] == CONSTANTS:
        return {CONSTANTS: _constants(texts)}
    constants = {name: (None, value) for name, value in request["known"]}
    return {PARTS: [_collect_part(index, text, constants) for index, text in enumerate(texts)]}


def _constants(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return for each text the constants that those before do not define, and its errors."""
    results = []
    constants: dict[str, Any] = {}
    for index, text in enumerate(texts):
        previous = set(constants)
        part = ProgramSummary(_sources(text), constants=constants)
        collect_constants(_parse_text(index, text)[0], part, {})
        new = {name: constant for name, constant in constants.items() if name not in previous}
        results.append({"new": encode_constants(new), "problems": encode_diagnostics(part.problems)})
    return results


def _collect_part(index: int, text: str, constants: Mapping[str, tuple[Any, Term | None]]) -> dict[str, Any]:
    part = ProgramSummary(_sources(text))
    part.constants.update(constants)
    collect_statements(_parse_text(index, text)[0], part)
    return encode_program(part)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on this platform: time is still bounded by the parent
        return
    for resource_name, bound in (("AS", memory), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, f"RLIMIT_{resource_name}"), (bound, bound))


def main() -> None:
    """Serve requests until the input ends."""
    ensure_complete_writes()
    _limit_memory(int(sys.argv[1]))
    for line in sys.stdin.buffer:
        start = time.process_time()
        try:
            request = json.loads(line)
            set_cpu_alarm(request["seconds"])
            response = _handle_request(request)
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)
        _write_message(response | {"seconds": time.process_time() - start})
        set_cpu_alarm(0)
        del response, request
        gc.collect()


if __name__ == "__main__":
    main()
