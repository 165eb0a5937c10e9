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

from abl_cards import budget
from abl_cards.logic import cache as disk
from abl_cards.logic.child import OUT_OF_MEMORY, START, WALL, start
from abl_cards.logic.errors import Diagnostic, KBError, Location, error
from abl_cards.logic.parse_child import CONSTANTS, PARTS, PROBLEMS
from abl_cards.logic.program import Source, Sources
from abl_cards.logic.program_text import decode, decode_constants, decode_problems, dump
from abl_cards.logic.refusal import refused_text
from abl_cards.logic.statements import Program, joined

SECONDS = 20.0
"""Of processor time for a question, where nothing else bounds it."""
MEMORY = 1 << 30
"""Bytes that the child may have."""
_LONGEST_ANSWER = 256 << 20
_MOST_REMEMBERED, _USUAL_READS = 256, 1 << 14
_remembered: dict[tuple[str, str], Program] = {}  # by name in the cache, and path
_CHILD = "abl_cards.logic.parse_child"


def program_of(sources: Sources) -> Program:
    """What the text of some files declares and uses, as `collect_files`; raises KBError beyond a bound."""
    whole = Program(sources)
    texts = [source.text if not any(refused_text([source])) else "" for source in sources.files]
    declaring = [text if "#const" in text else "" for text in texts]
    for source, said in zip(sources.files, _constants(sources, declaring), strict=True):
        whole.constants |= decode_constants(said["new"], source.path)
        whole.problems += decode_problems(said["problems"], source.path)
    known = [[name, value] for name, (_, value) in whole.constants.items()]
    return joined(_parts(sources, texts, known), whole)


def problems_of(source: Source) -> list[Diagnostic]:
    """What is wrong with the text of a file as it is written; raises KBError where a bound is passed."""
    if refused := list(refused_text([source])):
        return refused
    (said,) = _ask(PROBLEMS, Sources((source,)), [source.text])
    return decode_problems(said, source.path)


def _constants(sources: Sources, texts: Sequence[str]) -> list[Any]:
    if not any(texts):
        return [{"new": [], "problems": []}] * len(texts)
    name = _name(CONSTANTS, texts)
    found = _stored(name)
    if found is None:
        found = _ask(CONSTANTS, sources, texts)
        disk.put(name, dump(found), make_room=False)
    return found


def _parts(sources: Sources, texts: Sequence[str], known: Sequence[Any]) -> list[Program]:
    """What each file says, from the caches as far as it is there."""
    names = [_name(PARTS, [text], known) for text in texts]
    found = [_known_part(name, source.path) for name, source in zip(names, sources.files, strict=True)]
    missing = [number for number, part in enumerate(found) if part is None]
    if missing:
        files = Sources(tuple(sources.files[number] for number in missing))
        parts = _ask(PARTS, files, [texts[number] for number in missing], known=known)
        for number, part in zip(missing, parts, strict=True):
            disk.put(names[number], dump(part), make_room=False)
            found[number] = _read(part, names[number], sources.files[number].path)
    return [part for part in found if part is not None]


def _known_part(name: str, path: str) -> Program | None:
    """What a file at a path says, where that was found out before."""
    if (name, path) in _remembered:
        return _remembered[name, path]
    stored = _stored(name)
    return None if stored is None else _read(stored, name, path)


def _read(said: Mapping[str, Any], name: str, path: str) -> Program:
    """The program of a file, remembered where it is of usual size."""
    part = decode(said, path)
    if len(part.reads) <= _USUAL_READS:
        _remembered[name, path] = part
        while len(_remembered) > _MOST_REMEMBERED:
            with suppress(KeyError, StopIteration, RuntimeError):  # another thread was faster
                del _remembered[next(iter(_remembered))]
    return part


def _name(what: str, texts: Sequence[str], known: Sequence[Any] = ()) -> str:
    """What the answer to a question is stored as."""
    parts = [disk.code_digest(), what, list(texts), list(known)]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _stored(name: str) -> Any:
    return disk.get(name, json.loads)


_LOADER_FAILED = 127  # the exit code of glibc's loader, for one where it finds no memory for a library's variables


@dataclass
class _Worker:
    """The child, if there is one; one question is put to it at a time."""

    process: Popen[bytes] | None = None
    of: int = 0  # the process that started it
    lock: Lock = field(default_factory=Lock)

    def get(self) -> Popen[bytes]:
        """The child, started where there is none, or one of another process: a fork shares pipes with its parent."""
        if self.process is not None and self.of == os.getpid() and self.process.poll() is not None:
            self.end()
        if self.process is None or self.of != os.getpid():
            self.process, self.of = start(_CHILD, str(MEMORY), notes=DEVNULL), os.getpid()
        return self.process

    def end(self) -> None:
        """End the child; the next question starts another one."""
        if self.process is not None and self.of == os.getpid():
            self.process.kill()
            with suppress(BrokenPipeError), self.process:  # which closes the pipes and waits
                pass
        self.process = None


_worker = _Worker()
atexit.register(_worker.end)


def _ask(what: str, sources: Sources, texts: Sequence[str], **more: Any) -> list[Any]:
    """The child's answer, paid from the budget that is shared here."""
    paid = budget.of(SECONDS)
    if paid.left <= 0:
        raise KBError([error(None, f"not parsed: the {paid.seconds:g} s of this command are used up", "simplify them")])
    question = dump({"what": what, "texts": texts, "seconds": paid.left, **more})
    with _worker.lock:
        process = _worker.get()
        with _stopped_after(process, WALL * paid.left + START):
            last, answer = _answer(process, question)
        if answer is None:
            _worker.end()
            status = process.returncode
    if answer is None:
        source = sources.files[min(last, len(sources.files) - 1)]
        raise KBError([error(Location(source.path, 1, 1, 1, 1), *_reason(status, paid))])
    paid.left -= answer["seconds"]
    found: list[Any] = answer[what]
    return found


def _answer(process: Popen[bytes], question: bytes) -> tuple[int, Mapping[str, Any] | None]:
    """The text that was looked at last, and the answer; None where the child has ended."""
    told, heard = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
    last = 0
    with suppress(BrokenPipeError, ValueError):
        told.write(question + b"\n")
        told.flush()
        while True:
            said = json.loads(heard.readline(_LONGEST_ANSWER))
            if not isinstance(said, int):
                return last, cast(Mapping[str, Any], said)
            last = said
    return last, None


def _reason(status: int, paid: budget.Budget) -> tuple[str, str]:
    """What ended the child, and what to do."""
    name = signal.Signals(-status).name if status < 0 else ""
    if name in ("SIGPROF", "SIGXCPU", "SIGVTALRM"):
        return f"parsing exceeded {paid.seconds:g} s", "fewer rules, or simpler ones"
    if status in (OUT_OF_MEMORY, _LOADER_FAILED) or name == "SIGABRT":
        return f"parsing exceeded {MEMORY >> 20} MiB of memory", "fewer rules, or simpler ones"
    if name == "SIGKILL":
        return f"parsing did not come to its {paid.seconds:g} s of processor time", "try again when less is going on"
    return f"clingo's parser was stopped at this file ({name or status})", "take its longest statements apart"


@contextmanager
def _stopped_after(process: Popen[bytes], seconds: float) -> Iterator[None]:
    timer = Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
