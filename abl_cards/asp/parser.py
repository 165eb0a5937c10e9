"""Parse untrusted rule files in a child process, because some texts crash clingo's parser and its process.

The child serves many requests, as editors parse at every pause in typing. Its results are cached by the content of
the files, in memory and on disk, so that an unchanged folder is not parsed at all.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from subprocess import DEVNULL, Popen
from threading import Lock, Timer
from typing import IO, Any, cast

from abl_cards.asp import cache as disk
from abl_cards.asp.declarations import decode_constants, decode_diagnostics, decode_program, dump_json_line
from abl_cards.asp.errors import Diagnostic, KBError, Location, make_error
from abl_cards.asp.parser_process import CONSTANTS, PARTS, PROBLEMS
from abl_cards.asp.program_summary import ProgramSummary, merge_programs
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, STARTUP_SECONDS, WALL_TIME_FACTOR, start_process
from abl_cards.asp.sources import RuleSource, RuleSources
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import CpuBudget, ErrorCode, get_budget

PARSE_SECONDS = 20.0
"""Seconds of processor time for a request without a shared budget."""
PARSE_MEMORY = 1 << 30
"""Most bytes of memory of the child."""
_MAX_RESPONSE_BYTES = 256 << 20
_MAX_CACHED_PROGRAMS, _MAX_CACHED_READS = 256, 1 << 14
_program_cache: dict[tuple[str, str], ProgramSummary] = {}  # by name in the disk cache, and path
_PARSER_MODULE = "abl_cards.asp.parser_process"


def parse_program(sources: RuleSources) -> ProgramSummary:
    """Collect the declarations and uses in untrusted files, like `summarise_files`, in the child process.

    Args:
        sources: Files; those that `check_source_texts` refuses count as empty.

    Returns:
        The summary of all files, with the errors found.

    Raises:
        KBError: A bound was exceeded, or a file ended clingo's parser.
    """
    program = ProgramSummary(sources)
    texts = [source.text if not any(check_source_texts([source])) else "" for source in sources.files]
    declaring = [text if "#const" in text else "" for text in texts]
    for source, constants in zip(sources.files, _constants(sources, declaring), strict=True):
        program.constants |= decode_constants(constants["new"], source.path)
        program.problems += decode_diagnostics(constants["problems"], source.path)
    constant_values = [[name, value] for name, (_, value) in program.constants.items()]
    return merge_programs(_parts(sources, texts, constant_values), program)


def find_syntax_errors(source: RuleSource) -> list[Diagnostic]:
    """Find the errors in the text of one file.

    Args:
        source: The file.

    Returns:
        Errors with their locations.

    Raises:
        KBError: A bound was exceeded, or the file ended clingo's parser.
    """
    if text_errors := list(check_source_texts([source])):
        return text_errors
    (diagnostics,) = _request(PROBLEMS, RuleSources((source,)), [source.text])
    return decode_diagnostics(diagnostics, source.path)


def _constants(sources: RuleSources, texts: Sequence[str]) -> list[Any]:
    if not any(texts):
        return [{"new": [], "problems": []}] * len(texts)
    content = _cache_content(CONSTANTS, texts)
    return disk.load_or_compute(content, lambda: _request(CONSTANTS, sources, texts), dump_json_line, json.loads)


def _parts(sources: RuleSources, texts: Sequence[str], constant_values: Sequence[Any]) -> list[ProgramSummary]:
    """Return the summary of each file, from the caches where it is there."""
    names = [disk.entry_name(_cache_content(PARTS, [text], constant_values)) for text in texts]
    parts = [_find_cached_part(name, source.path) for name, source in zip(names, sources.files, strict=True)]
    missing = [index for index, part in enumerate(parts) if part is None]
    if missing:
        missing_sources = RuleSources(tuple(sources.files[index] for index in missing))
        encoded_parts = _request(PARTS, missing_sources, [texts[index] for index in missing], known=constant_values)
        for index, part in zip(missing, encoded_parts, strict=True):
            disk.store_cached(names[index], dump_json_line(part), evict=False)
            parts[index] = _decode_part(part, names[index], sources.files[index].path)
    return [part for part in parts if part is not None]


def _find_cached_part(name: str, path: str) -> ProgramSummary | None:
    """Return the cached summary of a file at a path."""
    if (name, path) in _program_cache:
        return _program_cache[name, path]
    stored = disk.load_cached(name, json.loads)
    return None if stored is None else _decode_part(stored, name, path)


def _decode_part(data: Mapping[str, Any], name: str, path: str) -> ProgramSummary:
    """Decode the summary of a file, and cache one of usual size."""
    part = decode_program(data, path)
    if len(part.reads) <= _MAX_CACHED_READS:
        _program_cache[name, path] = part
        while len(_program_cache) > _MAX_CACHED_PROGRAMS:
            with suppress(KeyError, StopIteration, RuntimeError):  # another thread has deleted it
                del _program_cache[next(iter(_program_cache))]
    return part


def _cache_content(task: str, texts: Sequence[str], constant_values: Sequence[Any] = ()) -> bytes:
    """Return what the response to a request depends on, for the disk cache."""
    return json.dumps([task, list(texts), list(constant_values)]).encode("utf-8", "surrogatepass")


_LOADER_FAILED = 127  # exit status of glibc's loader, which it has also when it lacks memory for a library


@dataclass
class _ParserProcess:
    """The child, if there is one; it gets one request at a time."""

    process: Popen[bytes] | None = None
    owner_pid: int = 0  # the process that started it
    lock: Lock = field(default_factory=Lock)

    def get(self) -> Popen[bytes]:
        """Return the child; start one where there is none, or where this process is a fork of its owner."""
        if self.process is not None and self.owner_pid == os.getpid() and self.process.poll() is not None:
            self.stop()
        if self.process is None or self.owner_pid != os.getpid():
            self.process, self.owner_pid = start_process(_PARSER_MODULE, str(PARSE_MEMORY), stderr=DEVNULL), os.getpid()
        return self.process

    def stop(self) -> None:
        """End the child; the next request starts another one."""
        if self.process is not None and self.owner_pid == os.getpid():
            self.process.kill()
            with suppress(BrokenPipeError), self.process:  # which closes the pipes and waits
                pass
        self.process = None


_parser_process = _ParserProcess()
atexit.register(_parser_process.stop)


def _request(task: str, sources: RuleSources, texts: Sequence[str], **fields: Any) -> list[Any]:
    """Send a request to the child, charge its time to the shared budget, and return its response."""
    cpu_budget = get_budget(PARSE_SECONDS)
    if cpu_budget.remaining <= 0:
        message = f"not parsed: the {cpu_budget.seconds:g} s of this command are used up"
        raise KBError([make_error(None, message, "simplify the rules", ErrorCode.LIMIT_EXCEEDED)])
    request = dump_json_line({"what": task, "texts": texts, "seconds": cpu_budget.remaining, **fields})
    with _parser_process.lock:
        process = _parser_process.get()
        with _kill_after(process, WALL_TIME_FACTOR * cpu_budget.remaining + STARTUP_SECONDS):
            last_index, response = _read_response(process, request)
        if response is None:
            _parser_process.stop()
            status = process.returncode
    if response is None:
        source = sources.files[min(last_index, len(sources.files) - 1)]
        raise KBError([make_error(Location(source.path, 1, 1, 1, 1), *_describe_exit(status, cpu_budget))])
    cpu_budget.remaining -= response["seconds"]
    result: list[Any] = response[task]
    return result


def _read_response(process: Popen[bytes], request: bytes) -> tuple[int, Mapping[str, Any] | None]:
    """Return the index of the text that was parsed last, and the response; None where the child has ended."""
    stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
    last_index = 0
    with suppress(BrokenPipeError, ValueError):
        stdin.write(request + b"\n")
        stdin.flush()
        while True:
            message = json.loads(stdout.readline(_MAX_RESPONSE_BYTES))
            if not isinstance(message, int):
                return last_index, cast(Mapping[str, Any], message)
            last_index = message
    return last_index, None


def _describe_exit(status: int, cpu_budget: CpuBudget) -> tuple[str, str, ErrorCode]:
    """Return message, remedy and code for the end of the child."""
    name = signal.Signals(-status).name if status < 0 else ""
    remedy = "use fewer or simpler rules"
    if name in ("SIGPROF", "SIGXCPU", "SIGVTALRM"):
        return f"parsing exceeded {cpu_budget.seconds:g} s", remedy, ErrorCode.LIMIT_EXCEEDED
    if status in (EXIT_OUT_OF_MEMORY, _LOADER_FAILED) or name == "SIGABRT":
        return f"parsing exceeded {PARSE_MEMORY >> 20} MiB of memory", remedy, ErrorCode.LIMIT_EXCEEDED
    if name == "SIGKILL":
        message = f"parsing did not get its {cpu_budget.seconds:g} s of processor time"
        return message, "try again when the machine is less busy", ErrorCode.LIMIT_EXCEEDED
    message = f"clingo's parser was stopped at this file ({name or status})"
    return message, "take its longest statements apart", ErrorCode.GROUNDING_FAILED


@contextmanager
def _kill_after(process: Popen[bytes], seconds: float) -> Iterator[None]:
    timer = Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
