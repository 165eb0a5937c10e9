"""What a text declares and uses, as plain values: so it comes from the process that parses, and from the disk cache."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.asp.errors import Diagnostic, Location, Severity
from abl_cards.asp.program import RuleSources
from abl_cards.asp.statements import Constraint, PredicateUse, ProgramSummary
from abl_cards.asp.terms import Signature, Term

ConstantDefinitions = Mapping[str, tuple[Location, Term | None]]


class _UseTable:
    """Every use once, by its number."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._numbers: dict[int, int] = {}

    def number(self, use: PredicateUse) -> int:
        """The number of a use."""
        if id(use) not in self._numbers:
            self._numbers[id(use)] = len(self.rows)
            name, arity = use.signature
            self.rows.append([name, arity, _span(use.location), use.pattern, use.negated, use.functor])
        return self._numbers[id(use)]


def encode_program(program: ProgramSummary) -> dict[str, Any]:
    """The program of one file as JSON takes it; constants are those of all files, and not among it."""
    uses = _UseTable()
    return {
        "heads": list(map(uses.number, program.heads)),
        "facts": list(map(uses.number, program.facts)),
        "bodies": list(map(uses.number, program.bodies)),
        "externals": list(map(uses.number, program.externals)),
        "checks": [[uses.number(use), sorted(values, key=str)] for use, values in program.domain_checks.items()],
        "reads": [[head, uses.number(use)] for head, use in program.reads],
        "shown": sorted(program.shown),
        "defined": sorted(program.defined),
        "constraints": [[_span(each.location), each.text] for each in program.constraints],
        "depends": [[head, sorted(bodies)] for head, bodies in program.dependencies.items()],
        "problems": encode_diagnostics(program.problems),
        "uses": uses.rows,
    }


def decode_program(data: Mapping[str, Any], path: str) -> ProgramSummary:
    """The program of the file at a path."""
    known: dict[tuple[str, int], Signature] = {}

    def signature(name: str, arity: int) -> Signature:
        return known.setdefault((name, arity), Signature(name, arity))

    uses = [
        PredicateUse(signature(name, arity), Location(path, *span), tuple(pattern), negated, functor)
        for name, arity, span, pattern, negated, functor in data["uses"]
    ]
    return ProgramSummary(
        RuleSources(()),
        heads=[uses[number] for number in data["heads"]],
        facts=[uses[number] for number in data["facts"]],
        bodies=[uses[number] for number in data["bodies"]],
        externals=[uses[number] for number in data["externals"]],
        domain_checks={uses[number]: set(values) for number, values in data["checks"]},
        reads=[(signature(*head), uses[number]) for head, number in data["reads"]],
        shown={signature(*each) for each in data["shown"]},
        defined={signature(*each) for each in data["defined"]},
        constraints=[Constraint(Location(path, *span), text) for span, text in data["constraints"]],
        dependencies={signature(*head): {signature(*body) for body in bodies} for head, bodies in data["depends"]},
        problems=decode_diagnostics(data["problems"], path),
    )


def encode_constants(constants: ConstantDefinitions) -> list[Any]:
    """What `#const` declares, as JSON takes it."""
    return [[name, _span(where), value] for name, (where, value) in constants.items()]


def decode_constants(data: Sequence[Any], path: str) -> dict[str, tuple[Location, Term | None]]:
    """What `#const` declares in the file at a path."""
    return {name: (Location(path, *span), value) for name, span, value in data}


def encode_diagnostics(problems: Sequence[Diagnostic]) -> list[Any]:
    """Diagnostics of one file, as JSON takes them."""
    return [
        [each.severity.value, _span(each.location) if each.location else None, each.message, each.remedy]
        for each in problems
    ]


def decode_diagnostics(data: Sequence[Any], path: str) -> list[Diagnostic]:
    """Diagnostics of the file at a path."""
    return [
        Diagnostic(Severity(severity), Location(path, *span) if span else None, message, remedy)
        for severity, span, message, remedy in data
    ]


def _span(location: Location) -> list[int]:
    return [location.line, location.column, location.end_line, location.end_column]


def dump_json_line(value: Any) -> bytes:
    """One line of JSON."""
    return json.dumps(value, separators=(",", ":")).encode()
