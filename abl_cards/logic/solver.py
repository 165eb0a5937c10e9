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

from abl_cards.logic.build import Limits, Request
from abl_cards.logic.child import OUT_OF_MEMORY, START, WALL, encode, start
from abl_cards.logic.errors import KBError, Location, error, suggestion
from abl_cards.logic.terms import Atom

LONGEST_ANSWER = 256 << 20
"""Bytes that a child may say at once."""
STATES_AT_ONCE = 256
_CHILD = "abl_cards.logic.solver_child"


@dataclass(frozen=True)
class Solved:
    """What clingo says of one state."""

    satisfiable: bool | None  # None: not known in the time that there was
    optimum: bool | None  # whether it is proven that none costs less; None where nothing is to be cheapest
    complete: bool  # there are no others (of the best ones, where those are asked for)
    answers: tuple[tuple[str, ...], ...]  # the atoms of each answer set that are not the same in every state
    costs: tuple[int, ...] | None  # [answers]; None where nothing has a cost

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {
            "satisfiable": self.satisfiable,
            "optimum": self.optimum,
            "complete": self.complete,
            "answers": list(map(list, self.answers)),
            "costs": None if self.costs is None else list(self.costs),
        }


@dataclass(frozen=True)
class Wanted:
    """What is asked of every state."""

    models: int = 1  # answer sets at most; 0 for all
    best: bool = True  # only those that cost least
    texts: bool = True  # what holds in them, not only their cost
    show: frozenset[str] = frozenset()  # these predicates, such as "plan/2"; none: what #show says, else all
    seconds: float = 20.0  # for each state


class Solver:
    """Rule files that are ground, in a child of their own; it ends with this object.

    >>> solver = Solver(Request((Path("plan.lp"),), (), (), {}))  # doctest: +SKIP
    >>> solver.solve([[Atom("held", (3, 2))]])  # doctest: +SKIP
    """

    def __init__(self, request: Request, limits: Limits | None = None) -> None:
        """Ground within the limits; raises KBError with all that is wrong."""
        self.request, self.limits = request, limits or Limits()
        self._notes: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the child
        self._process = start(_CHILD, notes=self._notes)
        self._end = finalize(self, _ended, self._process, self._notes)
        said = self._ask(encode(request, self.limits), self.limits.seconds)
        if "problems" in said:
            self.close()
            raise KBError(map(_diagnostic, said["problems"]))
        self.inputs = tuple(Atom(name, tuple(arguments)) for name, arguments in said["inputs"])

    @cached_property
    def numbers(self) -> Mapping[Atom, int]:
        """The inputs by what they are called."""
        return {atom: row for row, atom in enumerate(self.inputs)}

    def number_of(self, text: str) -> int:
        """The row of an input that is written so; raises KBError."""
        row = {str(atom): row for atom, row in self.numbers.items()}.get(text.replace(" ", ""))
        if row is None:
            known = [str(atom) for atom in self.inputs]
            remedy = suggestion(text, known) or "declare it by #external, with its range"
            raise KBError([error(None, f"'{text}' is no input of these rules", remedy)])
        return row

    def solve(self, states: Sequence[Collection[int]], wanted: Wanted | None = None) -> list[Solved]:
        """The answers of states, each the rows of the inputs that hold; raises KBError where a bound is passed."""
        wanted = wanted or Wanted()
        found: list[Solved] = []
        for first in range(0, len(states), STATES_AT_ONCE):
            some = [sorted(state) for state in states[first : first + STATES_AT_ONCE]]
            question = {
                "states": some, "models": wanted.models, "best": wanted.best, "texts": wanted.texts,
                "show": sorted(wanted.show), "seconds": wanted.seconds,
            }  # fmt: skip
            said = self._ask(json.dumps(question).encode(), wanted.seconds * len(some))
            found.extend(map(_solved, said["answers"]))
        return found

    def close(self) -> None:
        """End the child."""
        self._end()

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, line: bytes, seconds: float) -> dict[str, Any]:
        if not self._end.alive:
            raise KBError([error(None, "clingo was ended before", "begin again")])
        said = b""
        with _no_longer_than(WALL * seconds + START, self._process.kill):
            try:
                told, heard = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
                told.write(line + b"\n")
                told.flush()
                said = heard.readline(LONGEST_ANSWER)
            except BrokenPipeError:
                pass
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:
            raise self._failure(seconds) from None
        return answer

    def _failure(self, seconds: float) -> KBError:
        """What to say of a child that has stopped answering."""
        self._process.kill()
        status = self._process.wait()
        self._notes.seek(0)
        notes = self._notes.read(1 << 16).decode("utf-8", "replace")
        self.close()
        if status == OUT_OF_MEMORY or "bad_alloc" in notes or "MemoryError" in notes:
            what = f"clingo exceeded {self.limits.memory / (1 << 20):.0f} MiB of memory"
        else:
            what = f"clingo exceeded {seconds:g} s, or was stopped"
        return KBError([error(None, what, "fewer choices, or narrower ranges; or allow more")])


@contextmanager
def _no_longer_than(seconds: float, stop: Any) -> Iterator[None]:
    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _ended(process: Any, notes: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, notes):
        with suppress(OSError):  # what was not read any more
            stream.close()


def _diagnostic(problem: Mapping[str, Any]) -> Any:
    place = problem["location"]
    return error(Location(**place) if place else None, str(problem["message"]), str(problem["remedy"]))


def _solved(said: Mapping[str, Any]) -> Solved:
    costs = said["costs"]
    answers = tuple(map(tuple, said["answers"]))
    found = Solved(said["satisfiable"], said["optimum"], said["complete"], answers, None)
    return found if costs is None else replace(found, costs=tuple(costs))
