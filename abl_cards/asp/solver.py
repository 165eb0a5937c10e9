"""Solve rule files without a circuit by clingo, in a child process that is bounded in time and memory.

With choices, disjunctions and negative loops a state may have several answer sets, or none. The cost of an answer set
is the sum of its ``cost/2``, as in circuits; the optimal ones cost least.
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
from abl_cards.core import ErrorCode

MAX_RESPONSE_BYTES = 256 << 20
"""Most bytes of one response of a child."""
BATCH_SIZE = 256
"""States of one request."""
_SOLVER_MODULE = "abl_cards.asp.solver_process"


@dataclass(frozen=True)
class AnswerSets:
    """Answer sets of one state.

    Attributes:
        satisfiable: Whether an answer set exists; None if the time ran out before one was found or excluded.
        is_optimal: Whether the costs are proven to be least; None if all answer sets were requested.
        is_complete: Whether all answer sets, or all optimal ones if those were requested, are listed.
        answers: The atoms of each answer set, without facts and inputs.
        costs: [answers] Cost of each answer set; None when the rules derive no costs.
    """

    satisfiable: bool | None
    is_optimal: bool | None
    is_complete: bool
    answers: tuple[tuple[str, ...], ...]
    costs: tuple[int, ...] | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON, with keys in a stable order."""
        return {
            "satisfiable": self.satisfiable,
            "optimum": self.is_optimal,
            "complete": self.is_complete,
            "answers": list(map(list, self.answers)),
            "costs": None if self.costs is None else list(self.costs),
        }


@dataclass(frozen=True)
class SolveOptions:
    """Options of `ClingoSolver.solve`.

    Attributes:
        max_models: Most answer sets of a state; 0 for all.
        optimal_only: Whether only answer sets of least cost are returned.
        with_atoms: Whether the atoms of the answer sets are returned.
        shown_predicates: Predicates to return, such as "plan/2"; if empty, those of #show, else all.
        seconds: Time for each state, in seconds.
    """

    max_models: int = 1
    optimal_only: bool = True
    with_atoms: bool = True
    shown_predicates: frozenset[str] = frozenset()
    seconds: float = 20.0


class ClingoSolver:
    """Ground rule files in a child process that solves states; the process ends with this object.

    Attributes:
        request: The rule files with their inputs and constants.
        limits: Bounds on the child.
        inputs: The declared instances of the inputs; states are given by their rows.

    >>> solver = ClingoSolver(BuildRequest((Path("plan.lp"),), (), (), {}))  # doctest: +SKIP
    >>> solver.solve([[Atom("held", (3, 2))]])  # doctest: +SKIP
    """

    def __init__(self, request: BuildRequest, limits: Limits | None = None) -> None:
        """Start the child and ground the rules.

        Args:
            request: Rule files with their inputs and constants.
            limits: Bounds on the child; by default `Limits()`.

        Raises:
            KBError: The rules are refused, or a bound was exceeded.
        """
        self.request, self.limits = request, limits or Limits()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the child
        self._process = start_process(_SOLVER_MODULE, stderr=self._stderr)
        self._finalizer = finalize(self, _close_process, self._process, self._stderr)
        response = self._request(encode_request(request, self.limits), self.limits.seconds)
        if "problems" in response:
            self.close()
            raise KBError(map(_diagnostic_from_json, response["problems"]))
        self.inputs = tuple(Atom(name, tuple(arguments)) for name, arguments in response["inputs"])

    @cached_property
    def input_rows(self) -> Mapping[Atom, int]:
        """Row of each input atom."""
        return {atom: row for row, atom in enumerate(self.inputs)}

    def find_input_row(self, text: str) -> int:
        """Find an input by its text.

        Args:
            text: Ground atom, such as "held(3,2)"; blanks are ignored.

        Returns:
            Its row in `inputs`.

        Raises:
            KBError: The rules do not declare this input.
        """
        row = {str(atom): row for atom, row in self.input_rows.items()}.get(text.replace(" ", ""))
        if row is None:
            names = [str(atom) for atom in self.inputs]
            remedy = did_you_mean(text, names) or "declare it by #external, with its range"
            message = f"'{text}' is no input of these rules"
            raise KBError([make_error(None, message, remedy, ErrorCode.UNKNOWN_INPUT)])
        return row

    def solve(self, states: Sequence[Collection[int]], options: SolveOptions | None = None) -> list[AnswerSets]:
        """Compute the answer sets of states.

        Args:
            states: For each state the rows of the inputs that hold.
            options: What to compute; by default `SolveOptions()`.

        Returns:
            The answer sets of each state.

        Raises:
            KBError: A bound was exceeded, or the child has ended.
        """
        options = options or SolveOptions()
        answer_sets: list[AnswerSets] = []
        for first in range(0, len(states), BATCH_SIZE):
            batch = [sorted(state) for state in states[first : first + BATCH_SIZE]]
            request = {
                "states": batch, "models": options.max_models, "best": options.optimal_only,
                "texts": options.with_atoms, "show": sorted(options.shown_predicates), "seconds": options.seconds,
            }  # fmt: skip
            response = self._request(json.dumps(request).encode(), options.seconds * len(batch))
            answer_sets.extend(map(_answer_sets_from_json, response["answers"]))
        return answer_sets

    def close(self) -> None:
        """End the child."""
        self._finalizer()

    def __enter__(self) -> ClingoSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, line: bytes, seconds: float) -> dict[str, Any]:
        if not self._finalizer.alive:
            message, remedy = "the solver is closed", "create a new one"
            raise KBError([make_error(None, message, remedy, ErrorCode.GROUNDING_FAILED)])
        line_read = b""
        with _kill_after(WALL_TIME_FACTOR * seconds + STARTUP_SECONDS, self._process.kill):
            try:
                stdin, stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
                stdin.write(line + b"\n")
                stdin.flush()
                line_read = stdout.readline(MAX_RESPONSE_BYTES)
            except BrokenPipeError:
                pass
        try:
            response: dict[str, Any] = json.loads(line_read)
        except ValueError:
            raise self._exit_error(seconds) from None
        return response

    def _exit_error(self, seconds: float) -> KBError:
        """Make the error for a child that does not respond any more."""
        self._process.kill()
        status = self._process.wait()
        self._stderr.seek(0)
        stderr = self._stderr.read(1 << 16).decode("utf-8", "replace")
        self.close()
        if status == EXIT_OUT_OF_MEMORY or "bad_alloc" in stderr or "MemoryError" in stderr:
            message = f"clingo exceeded {self.limits.memory / (1 << 20):.0f} MiB of memory"
        else:
            message = f"clingo exceeded {seconds:g} s, or was stopped"
        remedy = "use fewer choices or narrower ranges, or raise the limit"
        return KBError([make_error(None, message, remedy, ErrorCode.LIMIT_EXCEEDED)])


@contextmanager
def _kill_after(seconds: float, stop: Any) -> Iterator[None]:
    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _close_process(process: Any, stderr: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, stderr):
        with suppress(OSError):  # data that the child has not read
            stream.close()


def _diagnostic_from_json(problem: Mapping[str, Any]) -> Any:
    location = problem["location"]
    message, remedy, code = str(problem["message"]), str(problem["remedy"]), ErrorCode(problem["code"])
    return make_error(Location(**location) if location else None, message, remedy, code)


def _answer_sets_from_json(data: Mapping[str, Any]) -> AnswerSets:
    costs = data["costs"]
    answers = tuple(map(tuple, data["answers"]))
    result = AnswerSets(data["satisfiable"], data["optimum"], data["complete"], answers, None)
    return result if costs is None else replace(result, costs=tuple(costs))
