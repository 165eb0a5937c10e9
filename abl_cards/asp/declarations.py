"""Encode summaries of rule files as JSON, for the pipe from the parser process and for the disk cache."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.asp.errors import Diagnostic, Location, Severity
from abl_cards.asp.program_summary import Constraint, PredicateUse, ProgramSummary
from abl_cards.asp.sources import RuleSources
from abl_cards.asp.terms import Signature, Term
from abl_cards.core import ErrorCode

ConstantDefinitions = Mapping[str, tuple[Location, Term | None]]


class _UseTable:
    """Numbers the uses of predicates, and encodes each once."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._numbers: dict[int, int] = {}

    def number(self, use: PredicateUse) -> int:
        """Return the index of a use, and add it when it is new."""
        if id(use) not in self._numbers:
            self._numbers[id(use)] = len(self.rows)
            name, arity = use.signature
            self.rows.append([name, arity, _span(use.location), use.pattern, use.negated, use.functor])
        return self._numbers[id(use)]


def encode_program(program: ProgramSummary) -> dict[str, Any]:
    """Encode the summary of one file, without its constants."""
    uses = _UseTable()
    return {
        "heads": list(map(uses.number, program.heads)),
        "facts": list(map(uses.number, program.facts)),
        "bodies": list(map(uses.number, program.bodies)),
        "externals": list(map(uses.number, program.externals)),
        "checks": [[uses.number(use), sorted(values, key=str)] for use, values in program.domain_checks.items()],
        "reads": [[head, uses.number(use)] for head, use in program.reads],
        "shown": [[signature, _span(location)] for signature, location in program.shown.items()],
        "defined": [[signature, _span(location)] for signature, location in program.defined.items()],
        "constraints": [[_span(constraint.location), constraint.text] for constraint in program.constraints],
        "depends": [[head, sorted(bodies)] for head, bodies in program.dependencies.items()],
        "problems": encode_diagnostics(program.problems),
        "uses": uses.rows,
    }


def decode_program(data: Mapping[str, Any], path: str) -> ProgramSummary:
    """Decode the summary of the file at a path."""
    signatures: dict[tuple[str, int], Signature] = {}

    def signature(name: str, arity: int) -> Signature:
        return signatures.setdefault((name, arity), Signature(name, arity))

    uses = [
        PredicateUse(signature(name, arity), Location(path, *span), tuple(pattern), negated, functor)
        for name, arity, span, pattern, negated, functor in data["uses"]
    ]
    return ProgramSummary(
        RuleSources(()),
        heads=[uses[index] for index in data["heads"]],
        facts=[uses[index] for index in data["facts"]],
        bodies=[uses[index] for index in data["bodies"]],
        externals=[uses[index] for index in data["externals"]],
        domain_checks={uses[index]: set(values) for index, values in data["checks"]},
        reads=[(signature(*head), uses[index]) for head, index in data["reads"]],
        shown={signature(*shown): Location(path, *span) for shown, span in data["shown"]},
        defined={signature(*defined): Location(path, *span) for defined, span in data["defined"]},
        constraints=[Constraint(Location(path, *span), text) for span, text in data["constraints"]],
        dependencies={signature(*head): {signature(*body) for body in bodies} for head, bodies in data["depends"]},
        problems=decode_diagnostics(data["problems"], path),
    )


def encode_constants(constants: ConstantDefinitions) -> list[Any]:
    """Encode the constants that one file defines."""
    return [[name, _span(location), value] for name, (location, value) in constants.items()]


def decode_constants(data: Sequence[Any], path: str) -> dict[str, tuple[Location, Term | None]]:
    """Decode the constants of the file at a path."""
    return {name: (Location(path, *span), value) for name, span, value in data}


def encode_diagnostics(problems: Sequence[Diagnostic]) -> list[Any]:
    """Encode the diagnostics of one file."""
    return [
        [
            problem.severity.value,
            _span(problem.location) if problem.location else None,
            problem.message,
            problem.remedy,
            problem.code.value,
        ]
        for problem in problems
    ]


def decode_diagnostics(data: Sequence[Any], path: str) -> list[Diagnostic]:
    """Decode the diagnostics of the file at a path."""
    return [
        Diagnostic(Severity(severity), Location(path, *span) if span else None, message, remedy, ErrorCode(code))
        for severity, span, message, remedy, code in data
    ]


def _span(location: Location) -> list[int]:
    return [location.line, location.column, location.end_line, location.end_column]


def dump_json_line(value: Any) -> bytes:
    """Encode a value as compact JSON, without a line end."""
    return json.dumps(value, separators=(",", ":")).encode()
