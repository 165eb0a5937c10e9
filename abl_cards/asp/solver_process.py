"""Child process of `ClingoSolver`: it reads requests and writes responses, one JSON text per line.

The first request names the rules to ground; its response holds the inputs, or the diagnostics. Each further request
holds states to solve. The child ends with its parent, when its input ends; memory, and processor time of each request,
are bounded.
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
from abl_cards.asp.program import MAX_MESSAGES, MessageLog, parse_sources
from abl_cards.asp.program_summary import ProgramSummary
from abl_cards.asp.sandbox import EXIT_OUT_OF_MEMORY, decode_request, limit_resources, set_cpu_alarm
from abl_cards.asp.sources import RuleSources, read_sources
from abl_cards.asp.statements import summarise_statements
from abl_cards.asp.terms import atom_from_symbol
from abl_cards.asp.text_checks import check_source_texts
from abl_cards.core import ErrorCode, ensure_complete_writes

MAX_ANSWER_CHARS = 32 << 20
"""Most characters of the answer sets of a state; the search ends at this bound."""
_GRACE_SECONDS = 2.0  # seconds beyond the time of a request, for clingo to stop by itself


def _read_checked(
    request: BuildRequest, limits: Limits
) -> tuple[list[Any], ProgramSummary | None, RuleSources, list[Diagnostic]]:
    """Read and parse the rules, and run the static checks."""
    sources, problems = read_sources(request.files, limits.file_bytes, request.library)
    problems.extend(check_source_texts(sources.files))
    statements, syntax_errors = ([], []) if problems else parse_sources(sources)
    if problems or syntax_errors:
        return [], None, sources, [*problems, *syntax_errors]
    program = summarise_statements(statements, sources, request.constants, open_heads=True)
    diagnostics = [
        *check.check_program(program, request.inputs, (), request.constants),
        *check.check_reserved_names(program),
    ]
    return statements, program, sources, [problem for problem in diagnostics if problem.severity == Severity.ERROR]


@dataclass
class _GroundSolver:
    """Ground program that solves states."""

    control: clingo.Control
    has_show: bool  # whether the files use #show
    inputs: list[clingo.SymbolicAtom]
    open_symbols: list[clingo.Symbol] = field(default_factory=list)  # atoms that are neither facts nor inputs
    has_costs: bool = False

    @classmethod
    def create(cls, request: BuildRequest, limits: Limits) -> _GroundSolver | list[Diagnostic]:
        """Read, check and ground the rules; return the diagnostics where they are refused."""
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
            unforeseen = make_error(None, str(failure), "simplify the rules", ErrorCode.GROUNDING_FAILED)
            return grounding_diagnostics(messages) or [unforeseen]
        atoms = list(control.symbolic_atoms)
        problems = [*grounding_diagnostics(messages), *_check_cost_weights(atoms, program)]
        if problems:
            return problems
        has_show = bool(program.shown) or any(str(atom.ast_type) == "ASTType.ShowTerm" for atom in statements)
        inputs = [atom for atom in atoms if atom.is_external]
        for atom in inputs:
            control.assign_external(atom.literal, None)  # set by assumptions, which is faster
        open_symbols = [atom.symbol for atom in atoms if not atom.is_fact and not atom.is_external]
        return cls(control, has_show, inputs, open_symbols, any(atom.symbol.match("cost", 2) for atom in atoms))

    def solve_state(self, true: Sequence[int], options: Mapping[str, Any]) -> dict[str, Any]:
        """Compute the answer sets of one state; the last one has the least cost found."""
        literals = [atom.literal for atom in self.inputs]
        true_rows = set(true)
        assumptions = [literal if row in true_rows else -literal for row, literal in enumerate(literals)]
        settings: Any = self.control.configuration.solve
        optimal_only = bool(options["best"]) and self.has_costs
        settings.opt_mode, settings.models = ("optN" if optimal_only else "enum"), str(options["models"])
        collector = _ModelCollector(self, optimal_only, bool(options["texts"]), set(options["show"]))
        with self.control.solve(assumptions, on_model=collector.on_model, async_=True) as handle:
            is_done = handle.wait(float(options["seconds"]))
            if not is_done:
                handle.cancel()
            result = handle.get()
        return collector.to_json(is_done and not result.interrupted, bool(result.satisfiable), bool(result.exhausted))


@dataclass
class _ModelCollector:
    """Collects the answer sets of a state during the search."""

    solver: _GroundSolver
    optimal_only: bool  # whether only those of least cost are kept
    with_atoms: bool
    shown_predicates: set[str]  # such as "plan/2"; empty for all
    models: list[tuple[list[str], int, bool]] = field(default_factory=list)  # atoms, cost, whether proven optimal
    seen_models: set[tuple[str, int, bool]] = field(default_factory=set)
    num_chars: int = 0

    def on_model(self, model: clingo.Model) -> bool:
        """Add an answer set, and drop those of higher cost before it; return whether the search goes on."""
        cost, proven = (model.cost[0] if model.cost else 0), bool(model.optimality_proven)
        if self.optimal_only and self.models and not self.models[-1][2]:
            self.models.clear()
        atoms = self._atoms(model) if self.with_atoms else []
        key = "\n".join(atoms), cost, proven
        if key in self.seen_models:  # it differs only in atoms that are not shown
            return True
        self.seen_models.add(key)
        self.models.append((atoms, cost, proven))
        self.num_chars += sum(map(len, atoms))
        return self.num_chars < MAX_ANSWER_CHARS

    def _atoms(self, model: clingo.Model) -> list[str]:
        if self.solver.has_show and not self.shown_predicates:
            return sorted(map(str, model.symbols(shown=True)))
        shown = self.shown_predicates
        true = (symbol for symbol in self.solver.open_symbols if model.contains(symbol))
        return [str(symbol) for symbol in true if not shown or f"{symbol.name}/{len(symbol.arguments)}" in shown]

    def to_json(self, is_done: bool, satisfiable: bool, exhausted: bool) -> dict[str, Any]:
        """Encode the answer sets for the parent."""
        proven = any(model[2] for model in self.models)
        models = [model for model in self.models if model[2] or not proven] if self.optimal_only else self.models
        return {
            "satisfiable": True if self.models else satisfiable if is_done else None,
            "optimum": proven if self.optimal_only else None,
            "complete": is_done and exhausted and self.num_chars < MAX_ANSWER_CHARS,
            "answers": [atoms for atoms, _, _ in models],
            "costs": [cost for _, cost, _ in models] if self.solver.has_costs else None,
        }


def _check_cost_weights(atoms: Sequence[clingo.SymbolicAtom], program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find costs that are not numbers, which clingo would drop silently."""
    for atom in atoms:
        if atom.symbol.match("cost", 2) and atom.symbol.arguments[1].type != clingo.SymbolType.Number:
            location = next((use.location for use in program.heads if use.signature == check.COST), None)
            message = f"the weight of {atom.symbol} is not an integer"
            yield make_error(location, message, "bind it to a number", ErrorCode.INVALID_WEIGHT)


def _write_message(value: Mapping[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


def _diagnostic_to_json(problem: Diagnostic) -> dict[str, Any]:
    location = asdict(problem.location) if problem.location else None
    return {"location": location, "message": problem.message, "remedy": problem.remedy, "code": problem.code}


def _serve(limits: Limits, request: BuildRequest) -> None:
    solver = _GroundSolver.create(request, limits)
    if isinstance(solver, list):
        _write_message({"problems": list(map(_diagnostic_to_json, solver))})
        return
    _write_message({"inputs": [atom_from_symbol(atom.symbol) for atom in solver.inputs]})
    for line in sys.stdin:
        request_data = json.loads(line)
        answers = []
        for true_rows in request_data["states"]:
            set_cpu_alarm(float(request_data["seconds"]) + _GRACE_SECONDS)
            answers.append(solver.solve_state(true_rows, request_data))
        _write_message({"answers": answers})


def main() -> None:
    """Run the child until its input ends."""
    ensure_complete_writes()
    request, limits = decode_request(sys.stdin.readline())
    limit_resources(limits, persistent=True)
    try:
        _serve(limits, request)
    except (MemoryError, RuntimeError) as problem:
        if isinstance(problem, MemoryError) or "bad_alloc" in str(problem):
            os._exit(EXIT_OUT_OF_MEMORY)
        raise
    except RecursionError:  # in walks over terms that are nested about a thousand times
        message = "terms or literals are nested too deeply"
        diagnostic = make_error(None, message, "take them apart", ErrorCode.NESTED_TOO_DEEPLY)
        _write_message({"problems": [_diagnostic_to_json(diagnostic)]})


if __name__ == "__main__":
    main()
