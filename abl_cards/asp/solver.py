"""Rule files that have no circuit, answered by clingo in a child process that is bounded in time and memory.

Choices, disjunctions and negative loops: a state may have several answer sets, or none. What they cost is what
``cost/2`` adds up to, as in circuits; the best ones cost least.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Timer
from typing import IO, Any, cast
from weakref import finalize

from abl_cards.asp.build import BuildRequest, Limits
from abl_cards.asp.errors import KBError, Location, did_you_mean, make_error
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, STARTUP_SECONDS, WALL_TIME_FACTOR, encode_request, start_process
from abl_cards.asp.terms import Atom

MAX_RESPONSE_BYTES = 256 << 20
"""Bytes that a child may say at once."""
BATCH_SIZE = 256
_SOLVER_MODULE = "abl_cards.asp.solver_process"


@dataclass(frozen=True)
class AnswerSets:
    """What clingo says of one state."""

    satisfiable: bool | None  # None: not known in the time that there was
    is_optimal: bool | None  # whether it is proven that none costs less; None where nothing is to be cheapest
    is_complete: bool  # there are no others (of the best ones, where those are asked for)
    answers: tuple[tuple[str, ...], ...]  # the atoms of each answer set that are not the same in every state
    costs: tuple[int, ...] | None  # [answers]; None where nothing has a cost

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {
            "satisfiable": self.satisfiable,
            "optimum": self.is_optimal,
            "complete": self.is_complete,
            "answers": list(map(list, self.answers)),
            "costs": None if self.costs is None else list(self.costs),
        }


@dataclass(frozen=True)
class SolveOptions:
    """What is asked of every state."""

    max_models: int = 1  # answer sets at most; 0 for all
    optimal_only: bool = True  # only those that cost least
    with_atoms: bool = True  # what holds in them, not only their cost
    shown_predicates: frozenset[str] = (
        frozenset()
    )  # these predicates, such as "plan/2"; none: what #show says, else all
    seconds: float = 20.0  # for each state


class ClingoSolver:
    """Rule files that are ground, in a child of their own; it ends with this object.

    >>> solver = ClingoSolver(BuildRequest((Path("plan.lp"),), (), (), {}))  # doctest: +SKIP
    >>> solver.solve([[Atom("held", (3, 2))]])  # doctest: +SKIP
    """

    def __init__(self, request: BuildRequest, limits: Limits | None = None) -> None:
        """Ground within the limits; raises KBError with all that is wrong."""
        self.request, self.limits = request, limits or Limits()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the child
        self._process = start_process(_SOLVER_MODULE, stderr=self._stderr)
        self._finalizer = finalize(self, _close_process, self._process, self._stderr)
        said = self._request(encode_request(request, self.limits), self.limits.seconds)
        if "problems" in said:
            self.close()
            raise KBError(map(_diagnostic_from_json, said["problems"]))
        self.inputs = tuple(Atom(name, tuple(arguments)) for name, arguments in said["inputs"])

    @cached_property
    def input_rows(self) -> Mapping[Atom, int]:
        """The inputs by what they are called."""
        return {atom: row for row, atom in enumerate(self.inputs)}

    def find_input_row(self, text: str) -> int:
        """The row of an input that is written so; raises KBError."""
        row = {str(atom): row for atom, row in self.input_rows.items()}.get(text.replace(" ", ""))
        if row is None:
            known = [str(atom) for atom in self.inputs]
            remedy = did_you_mean(text, known) or "declare it by #external, with its range"
            raise KBError([make_error(None, f"'{text}' is no input of these rules", remedy)])
        return row

    def solve(self, states: Sequence[Collection[int]], options: SolveOptions | None = None) -> list[AnswerSets]:
        """The answers of states, each the rows of the inputs that hold; raises KBError where a bound is passed."""
        options = options or SolveOptions()
        found: list[AnswerSets] = []
        for first in range(0, len(states), BATCH_SIZE):
            some = [sorted(state) for state in states[first : first + BATCH_SIZE]]
            question = {
                "states": some, "models": options.max_models, "best": options.optimal_only, "texts": options.with_atoms,
                "show": sorted(options.shown_predicates), "seconds": options.seconds,
            }  # fmt: skip
            said = self._request(json.dumps(question).encode(), options.seconds * len(some))
            found.extend(map(_answer_sets_from_json, said["answers"]))
        return found

    def close(self) -> None:
        """End the child."""
        self._finalizer()

    def __enter__(self) -> ClingoSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, line: bytes, seconds: float) -> dict[str, Any]:
        if not self._finalizer.alive:
            raise KBError([make_error(None, "clingo was ended before", "begin again")])
        said = b""
        with _kill_after(WALL_TIME_FACTOR * seconds + STARTUP_SECONDS, self._process.kill):
            try:
                told, heard = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
                told.write(line + b"\n")
                told.flush()
                said = heard.readline(MAX_RESPONSE_BYTES)
            except BrokenPipeError:
                pass
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:
            raise self._exit_error(seconds) from None
        return answer

    def _exit_error(self, seconds: float) -> KBError:
        """What to say of a child that has stopped answering."""
        self._process.kill()
        status = self._process.wait()
        self._stderr.seek(0)
        notes = self._stderr.read(1 << 16).decode("utf-8", "replace")
        self.close()
        if status == EXIT_OUT_OF_MEMORY or "bad_alloc" in notes or "MemoryError" in notes:
            what = f"clingo exceeded {self.limits.memory / (1 << 20):.0f} MiB of memory"
        else:
            what = f"clingo exceeded {seconds:g} s, or was stopped"
        return KBError([make_error(None, what, "fewer choices, or narrower ranges; or allow more")])


@contextmanager
def _kill_after(seconds: float, stop: Any) -> Iterator[None]:
    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _close_process(process: Any, notes: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, notes):
        with suppress(OSError):  # what was not read any more
            stream.close()


def _diagnostic_from_json(problem: Mapping[str, Any]) -> Any:
    place = problem["location"]
    return make_error(Location(**place) if place else None, str(problem["message"]), str(problem["remedy"]))


def _answer_sets_from_json(said: Mapping[str, Any]) -> AnswerSets:
    costs = said["costs"]
    answers = tuple(map(tuple, said["answers"]))
    found = AnswerSets(said["satisfiable"], said["optimum"], said["complete"], answers, None)
    return found if costs is None else replace(found, costs=tuple(costs))
