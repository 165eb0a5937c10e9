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

from abl_cards.asp import check
from abl_cards.asp.build import BuildRequest, Limits, clingo_arguments, ground_with_costs, grounding_diagnostics
from abl_cards.asp.errors import Diagnostic, Severity, make_error
from abl_cards.asp.program import MAX_MESSAGES, MessageLog, RuleSources, parse_sources, read_sources
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, decode_request, limit_resources, set_cpu_alarm
from abl_cards.asp.statements import ProgramSummary, summarise_statements
from abl_cards.asp.terms import atom_from_symbol
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import ensure_complete_writes

MAX_ANSWER_CHARS = 32 << 20
"""Characters of the answer sets of a question; those beyond are not told."""
_GRACE_SECONDS = 2.0  # seconds behind the time that a question may take, for clingo to hear of it


def _read_checked(
    request: BuildRequest, limits: Limits
) -> tuple[list[Any], ProgramSummary | None, RuleSources, list[Diagnostic]]:
    """The statements, and what is wrong with them as they are written."""
    sources, problems = read_sources(request.files, limits.file_bytes, request.library)
    problems.extend(check_source_texts(sources.files))
    statements, wrong = ([], []) if problems else parse_sources(sources)
    if problems or wrong:
        return [], None, sources, [*problems, *wrong]
    program = summarise_statements(statements, sources, request.constants, open_heads=True)
    found = [*check.check_program(program, request.inputs, (), request.constants), *check.check_reserved_names(program)]
    return statements, program, sources, [each for each in found if each.severity == Severity.ERROR]


@dataclass
class _GroundSolver:
    """A program that was ground, to be asked about states."""

    control: clingo.Control
    has_show: bool  # the files say by #show what is to be told
    inputs: list[clingo.SymbolicAtom]
    open_symbols: list[clingo.Symbol] = field(default_factory=list)  # what holds in some answer sets, inputs aside
    has_costs: bool = False

    @classmethod
    def create(cls, request: BuildRequest, limits: Limits) -> _GroundSolver | list[Diagnostic]:
        """Read, check, ground; or what is wrong."""
        statements, program, sources, problems = _read_checked(request, limits)
        if problems or program is None:
            return problems
        messages = MessageLog(sources)
        options = [*clingo_arguments(request.constants), "--warn=all"]
        control = clingo.Control(options, logger=messages, message_limit=MAX_MESSAGES)
        try:
            ground_with_costs(control, statements)
        except RuntimeError as failure:
            if "bad_alloc" in str(failure):
                raise MemoryError from failure
            return grounding_diagnostics(messages) or [make_error(None, str(failure), "simplify the rules")]
        atoms = list(control.symbolic_atoms)
        problems = [*grounding_diagnostics(messages), *_check_cost_weights(atoms, program)]
        if problems:
            return problems
        shown = bool(program.shown) or any(str(each.ast_type) == "ASTType.ShowTerm" for each in statements)
        inputs = [each for each in atoms if each.is_external]
        for each in inputs:
            control.assign_external(each.literal, None)  # told by assumptions, which is faster
        kept = [each.symbol for each in atoms if not each.is_fact and not each.is_external]
        return cls(control, shown, inputs, kept, any(each.symbol.match("cost", 2) for each in atoms))

    def solve_state(self, true: Sequence[int], options: Mapping[str, Any]) -> dict[str, Any]:
        """The answer sets of one state; the last of them is the best one that was found."""
        literals = [each.literal for each in self.inputs]
        chosen = set(true)
        told = [literal if row in chosen else -literal for row, literal in enumerate(literals)]
        settings: Any = self.control.configuration.solve
        best = bool(options["best"]) and self.has_costs
        settings.opt_mode, settings.models = ("optN" if best else "enum"), str(options["models"])
        found = _ModelCollector(self, best, bool(options["texts"]), set(options["show"]))
        with self.control.solve(told, on_model=found.on_model, async_=True) as handle:
            done = handle.wait(float(options["seconds"]))
            if not done:
                handle.cancel()
            result = handle.get()
        return found.to_json(done and not result.interrupted, bool(result.satisfiable), bool(result.exhausted))


@dataclass
class _ModelCollector:
    """The answer sets of a question as they come."""

    solver: _GroundSolver
    optimal_only: bool  # only the cheapest ones are wanted
    with_atoms: bool
    shown_predicates: set[str]  # predicates, none for all
    models: list[tuple[list[str], int, bool]] = field(default_factory=list)  # atoms, cost, proven to be the least
    seen_models: set[tuple[str, int, bool]] = field(default_factory=set)
    num_chars: int = 0

    def on_model(self, model: clingo.Model) -> bool:
        """Keep an answer set; one that a cheaper one follows is forgotten."""
        cost, proven = (model.cost[0] if model.cost else 0), bool(model.optimality_proven)
        if self.optimal_only and self.models and not self.models[-1][2]:
            self.models.clear()
        atoms = self._atoms(model) if self.with_atoms else []
        told = "\n".join(atoms), cost, proven
        if told in self.seen_models:  # it differs in what is not told
            return True
        self.seen_models.add(told)
        self.models.append((atoms, cost, proven))
        self.num_chars += sum(map(len, atoms))
        return self.num_chars < MAX_ANSWER_CHARS

    def _atoms(self, model: clingo.Model) -> list[str]:
        if self.solver.has_show and not self.shown_predicates:
            return sorted(map(str, model.symbols(shown=True)))
        wanted = self.shown_predicates
        true = (each for each in self.solver.open_symbols if model.contains(each))
        return [str(each) for each in true if not wanted or f"{each.name}/{len(each.arguments)}" in wanted]

    def to_json(self, done: bool, satisfiable: bool, exhausted: bool) -> dict[str, Any]:
        """What the parent reads."""
        proven = any(each[2] for each in self.models)
        kept = [each for each in self.models if each[2] or not proven] if self.optimal_only else self.models
        return {
            "satisfiable": True if self.models else satisfiable if done else None,
            "optimum": proven if self.optimal_only else None,
            "complete": done and exhausted and self.num_chars < MAX_ANSWER_CHARS,
            "answers": [atoms for atoms, _, _ in kept],
            "costs": [cost for _, cost, _ in kept] if self.solver.has_costs else None,
        }


def _check_cost_weights(atoms: Sequence[clingo.SymbolicAtom], program: ProgramSummary) -> Iterator[Diagnostic]:
    """Costs that are no numbers: clingo would leave them out without a word."""
    for each in atoms:
        if each.symbol.match("cost", 2) and each.symbol.arguments[1].type != clingo.SymbolType.Number:
            where = next((use.location for use in program.heads if use.signature == check.COST), None)
            yield make_error(where, f"the weight of {each.symbol} is not an integer", "bind it to a number")


def _write_message(value: Mapping[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


def _diagnostic_to_json(problem: Diagnostic) -> dict[str, Any]:
    where = asdict(problem.location) if problem.location else None
    return {"location": where, "message": problem.message, "remedy": problem.remedy}


def _serve(limits: Limits, request: BuildRequest) -> None:
    begun = _GroundSolver.create(request, limits)
    if isinstance(begun, list):
        _write_message({"problems": list(map(_diagnostic_to_json, begun))})
        return
    _write_message({"inputs": [atom_from_symbol(each.symbol) for each in begun.inputs]})
    for line in sys.stdin:
        asked = json.loads(line)
        answers = []
        for true in asked["states"]:
            set_cpu_alarm(float(asked["seconds"]) + _GRACE_SECONDS)
            answers.append(begun.solve_state(true, asked))
        _write_message({"answers": answers})


def main() -> None:
    """The child's side."""
    ensure_complete_writes()
    request, limits = decode_request(sys.stdin.readline())
    limit_resources(limits, persistent=True)
    try:
        _serve(limits, request)
    except (MemoryError, RuntimeError) as problem:
        if isinstance(problem, MemoryError) or "bad_alloc" in str(problem):
            os._exit(EXIT_OUT_OF_MEMORY)
        raise
    except RecursionError:  # as written, one within the other a thousand times
        _write_message(
            {
                "problems": [
                    _diagnostic_to_json(make_error(None, "terms or literals are nested too deeply", "take them apart"))
                ]
            }
        )


if __name__ == "__main__":
    main()
