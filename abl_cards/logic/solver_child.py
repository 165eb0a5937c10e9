"""The child that answers rule files with choices, disjunctions and negative loops: clingo, a line in and a line out.

The first line is what is to be ground; it is answered by the inputs there are, or by what is wrong. Each further line
asks about some states. The child ends with its parent, since nothing more can be read then; within a question its
processor time and its memory are bounded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import clingo

from abl_cards.logic import check
from abl_cards.logic.build import Limits, Request, arguments, ground, grounding_problems
from abl_cards.logic.child import OUT_OF_MEMORY, bound, decode, wind_up
from abl_cards.logic.errors import Diagnostic, Severity, error
from abl_cards.logic.program import MOST_MESSAGES, Messages, Sources, parse, read
from abl_cards.logic.refusal import refused_text
from abl_cards.logic.statements import Program, collect
from abl_cards.logic.terms import atom
from abl_cards.output import write_in_full

MOST_TEXT = 32 << 20
"""Characters of the answer sets of a question; those beyond are not told."""
_GRACE = 2.0  # seconds behind the time that a question may take, for clingo to hear of it


def _soundly_read(request: Request, limits: Limits) -> tuple[list[Any], Program | None, Sources, list[Diagnostic]]:
    """The statements, and what is wrong with them as they are written."""
    sources, problems = read(request.files, limits.file_bytes, request.library)
    problems.extend(refused_text(sources.files))
    statements, wrong = ([], []) if problems else parse(sources)
    if problems or wrong:
        return [], None, sources, [*problems, *wrong]
    program = collect(statements, sources, request.constants, open_heads=True)
    found = [*check.static(program, request.inputs, (), request.constants), *check.reserved(program)]
    return statements, program, sources, [each for each in found if each.severity == Severity.ERROR]


@dataclass
class _Clingo:
    """A program that was ground, to be asked about states."""

    control: clingo.Control
    shown: bool  # the files say by #show what is to be told
    inputs: list[clingo.SymbolicAtom]
    open: list[clingo.Symbol] = field(default_factory=list)  # what holds in some answer sets, inputs aside
    priced: bool = False

    @classmethod
    def begin(cls, request: Request, limits: Limits) -> _Clingo | list[Diagnostic]:
        """Read, check, ground; or what is wrong."""
        statements, program, sources, problems = _soundly_read(request, limits)
        if problems or program is None:
            return problems
        messages = Messages(sources)
        options = [*arguments(request.constants), "--warn=all"]
        control = clingo.Control(options, logger=messages, message_limit=MOST_MESSAGES)
        try:
            ground(control, statements)
        except RuntimeError as failure:
            if "bad_alloc" in str(failure):
                raise MemoryError from failure
            return grounding_problems(messages) or [error(None, str(failure), "simplify the rules")]
        atoms = list(control.symbolic_atoms)
        problems = [*grounding_problems(messages), *_weightless(atoms, program)]
        if problems:
            return problems
        shown = bool(program.shown) or any(str(each.ast_type) == "ASTType.ShowTerm" for each in statements)
        inputs = [each for each in atoms if each.is_external]
        for each in inputs:
            control.assign_external(each.literal, None)  # told by assumptions, which is faster
        kept = [each.symbol for each in atoms if not each.is_fact and not each.is_external]
        return cls(control, shown, inputs, kept, any(each.symbol.match("cost", 2) for each in atoms))

    def answer(self, true: Sequence[int], asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer sets of one state; the last of them is the best one that was found."""
        literals = [each.literal for each in self.inputs]
        chosen = set(true)
        told = [literal if row in chosen else -literal for row, literal in enumerate(literals)]
        settings: Any = self.control.configuration.solve
        best = bool(asked["best"]) and self.priced
        settings.opt_mode, settings.models = ("optN" if best else "enum"), str(asked["models"])
        found = _Found(self, best, bool(asked["texts"]), set(asked["show"]))
        with self.control.solve(told, on_model=found.hear, async_=True) as handle:
            done = handle.wait(float(asked["seconds"]))
            if not done:
                handle.cancel()
            result = handle.get()
        return found.told(done and not result.interrupted, bool(result.satisfiable), bool(result.exhausted))


@dataclass
class _Found:
    """The answer sets of a question as they come."""

    asked: _Clingo
    best: bool  # only the cheapest ones are wanted
    texts: bool
    show: set[str]  # predicates, none for all
    models: list[tuple[list[str], int, bool]] = field(default_factory=list)  # atoms, cost, proven to be the least
    known: set[tuple[str, int, bool]] = field(default_factory=set)
    size: int = 0

    def hear(self, model: clingo.Model) -> bool:
        """Keep an answer set; one that a cheaper one follows is forgotten."""
        cost, proven = (model.cost[0] if model.cost else 0), bool(model.optimality_proven)
        if self.best and self.models and not self.models[-1][2]:
            self.models.clear()
        atoms = self._atoms(model) if self.texts else []
        told = "\n".join(atoms), cost, proven
        if told in self.known:  # it differs in what is not told
            return True
        self.known.add(told)
        self.models.append((atoms, cost, proven))
        self.size += sum(map(len, atoms))
        return self.size < MOST_TEXT

    def _atoms(self, model: clingo.Model) -> list[str]:
        if self.asked.shown and not self.show:
            return sorted(map(str, model.symbols(shown=True)))
        wanted = self.show
        true = (each for each in self.asked.open if model.contains(each))
        return [str(each) for each in true if not wanted or f"{each.name}/{len(each.arguments)}" in wanted]

    def told(self, done: bool, satisfiable: bool, exhausted: bool) -> dict[str, Any]:
        """What the parent reads."""
        proven = any(each[2] for each in self.models)
        kept = [each for each in self.models if each[2] or not proven] if self.best else self.models
        return {
            "satisfiable": True if self.models else satisfiable if done else None,
            "optimum": proven if self.best else None,
            "complete": done and exhausted and self.size < MOST_TEXT,
            "answers": [atoms for atoms, _, _ in kept],
            "costs": [cost for _, cost, _ in kept] if self.asked.priced else None,
        }


def _weightless(atoms: Sequence[clingo.SymbolicAtom], program: Program) -> Iterator[Diagnostic]:
    """Costs that are no numbers: clingo would leave them out without a word."""
    for each in atoms:
        if each.symbol.match("cost", 2) and each.symbol.arguments[1].type != clingo.SymbolType.Number:
            where = next((use.location for use in program.heads if use.signature == check.COST), None)
            yield error(where, f"the weight of {each.symbol} is not an integer", "bind it to a number")


def _write(value: Mapping[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


def _plain(problem: Diagnostic) -> dict[str, Any]:
    where = asdict(problem.location) if problem.location else None
    return {"location": where, "message": problem.message, "remedy": problem.remedy}


def _serve(limits: Limits, request: Request) -> None:
    begun = _Clingo.begin(request, limits)
    if isinstance(begun, list):
        _write({"problems": list(map(_plain, begun))})
        return
    _write({"inputs": [atom(each.symbol) for each in begun.inputs]})
    for line in sys.stdin:
        asked = json.loads(line)
        answers = []
        for true in asked["states"]:
            wind_up(float(asked["seconds"]) + _GRACE)
            answers.append(begun.answer(true, asked))
        _write({"answers": answers})


def main() -> None:
    """The child's side."""
    write_in_full()
    request, limits = decode(sys.stdin.readline())
    bound(limits, lasting=True)
    try:
        _serve(limits, request)
    except (MemoryError, RuntimeError) as problem:
        if isinstance(problem, MemoryError) or "bad_alloc" in str(problem):
            os._exit(OUT_OF_MEMORY)
        raise
    except RecursionError:  # as written, one within the other a thousand times
        _write({"problems": [_plain(error(None, "terms or literals are nested too deeply", "take them apart"))]})


if __name__ == "__main__":
    main()
