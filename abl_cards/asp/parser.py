"""Parse rule files of others in a child process: some files end clingo's parser, and with it the process it is in.

The child lasts, for editors ask at every pause in typing. What it says of a file is kept by the file's content, in
memory and on disk, so that an unchanged folder is not parsed at all.
"""

from __future__ import annotations

import atexit
import hashlib
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
from abl_cards.asp.program import RuleSource, RuleSources
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, STARTUP_SECONDS, WALL_TIME_FACTOR, start_process
from abl_cards.asp.statements import ProgramSummary, merge_programs
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import CpuBudget, get_budget

PARSE_SECONDS = 20.0
"""Of processor time for a question, where nothing else bounds it."""
PARSE_MEMORY = 1 << 30
"""Bytes that the child may have."""
_MAX_RESPONSE_BYTES = 256 << 20
_MAX_CACHED_PROGRAMS, _MAX_CACHED_READS = 256, 1 << 14
_program_cache: dict[tuple[str, str], ProgramSummary] = {}  # by name in the cache, and path
_PARSER_MODULE = "abl_cards.asp.parser_process"


def parse_program(sources: RuleSources) -> ProgramSummary:
    """What the text of some files declares and uses, as `summarise_files`; raises KBError beyond a bound."""
    whole = ProgramSummary(sources)
    texts = [source.text if not any(check_source_texts([source])) else "" for source in sources.files]
    declaring = [text if "#const" in text else "" for text in texts]
    for source, said in zip(sources.files, _constants(sources, declaring), strict=True):
        whole.constants |= decode_constants(said["new"], source.path)
        whole.problems += decode_diagnostics(said["problems"], source.path)
    known = [[name, value] for name, (_, value) in whole.constants.items()]
    return merge_programs(_parts(sources, texts, known), whole)


def find_syntax_errors(source: RuleSource) -> list[Diagnostic]:
    """What is wrong with the text of a file as it is written; raises KBError where a bound is passed."""
    if refused := list(check_source_texts([source])):
        return refused
    (said,) = _request(PROBLEMS, RuleSources((source,)), [source.text])
    return decode_diagnostics(said, source.path)


def _constants(sources: RuleSources, texts: Sequence[str]) -> list[Any]:
    if not any(texts):
        return [{"new": [], "problems": []}] * len(texts)
    name = _cache_name(CONSTANTS, texts)
    found = _load_json(name)
    if found is None:
        found = _request(CONSTANTS, sources, texts)
        disk.store_cached(name, dump_json_line(found), evict=False)
    return found


def _parts(sources: RuleSources, texts: Sequence[str], known: Sequence[Any]) -> list[ProgramSummary]:
    """What each file says, from the caches as far as it is there."""
    names = [_cache_name(PARTS, [text], known) for text in texts]
    found = [_find_cached_part(name, source.path) for name, source in zip(names, sources.files, strict=True)]
    missing = [number for number, part in enumerate(found) if part is None]
    if missing:
        files = RuleSources(tuple(sources.files[number] for number in missing))
        parts = _request(PARTS, files, [texts[number] for number in missing], known=known)
        for number, part in zip(missing, parts, strict=True):
            disk.store_cached(names[number], dump_json_line(part), evict=False)
            found[number] = _decode_part(part, names[number], sources.files[number].path)
    return [part for part in found if part is not None]


def _find_cached_part(name: str, path: str) -> ProgramSummary | None:
    """What a file at a path says, where that was found out before."""
    if (name, path) in _program_cache:
        return _program_cache[name, path]
    stored = _load_json(name)
    return None if stored is None else _decode_part(stored, name, path)


def _decode_part(data: Mapping[str, Any], name: str, path: str) -> ProgramSummary:
    """The program of a file, remembered where it is of usual size."""
    part = decode_program(data, path)
    if len(part.reads) <= _MAX_CACHED_READS:
        _program_cache[name, path] = part
        while len(_program_cache) > _MAX_CACHED_PROGRAMS:
            with suppress(KeyError, StopIteration, RuntimeError):  # another thread was faster
                del _program_cache[next(iter(_program_cache))]
    return part


def _cache_name(task: str, texts: Sequence[str], known: Sequence[Any] = ()) -> str:
    """What the answer to a question is stored as."""
    parts = [disk.code_digest(), task, list(texts), list(known)]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _load_json(name: str) -> Any:
    return disk.load_cached(name, json.loads)


_LOADER_FAILED = 127  # the exit code of glibc's loader, for one where it finds no memory for a library's variables


@dataclass
class _ParserProcess:
    """The child, if there is one; one question is put to it at a time."""

    process: Popen[bytes] | None = None
    owner_pid: int = 0  # the process that started it
    lock: Lock = field(default_factory=Lock)

    def get(self) -> Popen[bytes]:
        """The child, started where there is none, or one of another process: a fork shares pipes with its parent."""
        if self.process is not None and self.owner_pid == os.getpid() and self.process.poll() is not None:
            self.stop()
        if self.process is None or self.owner_pid != os.getpid():
            self.process, self.owner_pid = start_process(_PARSER_MODULE, str(PARSE_MEMORY), stderr=DEVNULL), os.getpid()
        return self.process

    def stop(self) -> None:
        """End the child; the next question starts another one."""
        if self.process is not None and self.owner_pid == os.getpid():
            self.process.kill()
            with suppress(BrokenPipeError), self.process:  # which closes the pipes and waits
                pass
        self.process = None


_parser_process = _ParserProcess()
atexit.register(_parser_process.stop)


def _request(task: str, sources: RuleSources, texts: Sequence[str], **more: Any) -> list[Any]:
    """The child's answer, paid from the budget that is shared here."""
    paid = get_budget(PARSE_SECONDS)
    if paid.remaining <= 0:
        raise KBError(
            [make_error(None, f"not parsed: the {paid.seconds:g} s of this command are used up", "simplify them")]
        )
    question = dump_json_line({"what": task, "texts": texts, "seconds": paid.remaining, **more})
    with _parser_process.lock:
        process = _parser_process.get()
        with _kill_after(process, WALL_TIME_FACTOR * paid.remaining + STARTUP_SECONDS):
            last, answer = _read_response(process, question)
        if answer is None:
            _parser_process.stop()
            status = process.returncode
    if answer is None:
        source = sources.files[min(last, len(sources.files) - 1)]
        raise KBError([make_error(Location(source.path, 1, 1, 1, 1), *_describe_exit(status, paid))])
    paid.remaining -= answer["seconds"]
    found: list[Any] = answer[task]
    return found


def _read_response(process: Popen[bytes], question: bytes) -> tuple[int, Mapping[str, Any] | None]:
    """The text that was looked at last, and the answer; None where the child has ended."""
    told, heard = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
    last = 0
    with suppress(BrokenPipeError, ValueError):
        told.write(question + b"\n")
        told.flush()
        while True:
            said = json.loads(heard.readline(_MAX_RESPONSE_BYTES))
            if not isinstance(said, int):
                return last, cast(Mapping[str, Any], said)
            last = said
    return last, None


def _describe_exit(status: int, paid: CpuBudget) -> tuple[str, str]:
    """What ended the child, and what to do."""
    name = signal.Signals(-status).name if status < 0 else ""
    if name in ("SIGPROF", "SIGXCPU", "SIGVTALRM"):
        return f"parsing exceeded {paid.seconds:g} s", "fewer rules, or simpler ones"
    if status in (EXIT_OUT_OF_MEMORY, _LOADER_FAILED) or name == "SIGABRT":
        return f"parsing exceeded {PARSE_MEMORY >> 20} MiB of memory", "fewer rules, or simpler ones"
    if name == "SIGKILL":
        return f"parsing did not come to its {paid.seconds:g} s of processor time", "try again when less is going on"
    return f"clingo's parser was stopped at this file ({name or status})", "take its longest statements apart"


@contextmanager
def _kill_after(process: Popen[bytes], seconds: float) -> Iterator[None]:
    timer = Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
