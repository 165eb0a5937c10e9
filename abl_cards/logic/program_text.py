"""What a text declares and uses, as plain values: so it comes from the process that parses, and from the disk cache."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.logic.errors import Diagnostic, Location, Severity
from abl_cards.logic.program import Sources
from abl_cards.logic.statements import Constraint, Program, Use
from abl_cards.logic.terms import Signature, Term

Constants = Mapping[str, tuple[Location, Term | None]]


class _Uses:
    """Every use once, by its number."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._numbers: dict[int, int] = {}

    def number(self, use: Use) -> int:
        """The number of a use."""
        if id(use) not in self._numbers:
            self._numbers[id(use)] = len(self.rows)
            name, arity = use.signature
            self.rows.append([name, arity, _span(use.location), use.pattern, use.negated, use.functor])
        return self._numbers[id(use)]


def encode(program: Program) -> dict[str, Any]:
    """The program of one file as JSON takes it; constants are those of all files, and not among it."""
    uses = _Uses()
    return {
        "heads": list(map(uses.number, program.heads)),
        "facts": list(map(uses.number, program.facts)),
        "bodies": list(map(uses.number, program.bodies)),
        "externals": list(map(uses.number, program.externals)),
        "checks": [[uses.number(use), sorted(values, key=str)] for use, values in program.checks.items()],
        "reads": [[head, uses.number(use)] for head, use in program.reads],
        "shown": sorted(program.shown),
        "defined": sorted(program.defined),
        "constraints": [[_span(each.location), each.text] for each in program.constraints],
        "depends": [[head, sorted(bodies)] for head, bodies in program.depends.items()],
        "problems": encode_problems(program.problems),
        "uses": uses.rows,
    }


def decode(said: Mapping[str, Any], path: str) -> Program:
    """The program of the file at a path."""
    known: dict[tuple[str, int], Signature] = {}

    def signature(name: str, arity: int) -> Signature:
        return known.setdefault((name, arity), Signature(name, arity))

    uses = [
        Use(signature(name, arity), Location(path, *span), tuple(pattern), negated, functor)
        for name, arity, span, pattern, negated, functor in said["uses"]
    ]
    return Program(
        Sources(()),
        heads=[uses[number] for number in said["heads"]],
        facts=[uses[number] for number in said["facts"]],
        bodies=[uses[number] for number in said["bodies"]],
        externals=[uses[number] for number in said["externals"]],
        checks={uses[number]: set(values) for number, values in said["checks"]},
        reads=[(signature(*head), uses[number]) for head, number in said["reads"]],
        shown={signature(*each) for each in said["shown"]},
        defined={signature(*each) for each in said["defined"]},
        constraints=[Constraint(Location(path, *span), text) for span, text in said["constraints"]],
        depends={signature(*head): {signature(*body) for body in bodies} for head, bodies in said["depends"]},
        problems=decode_problems(said["problems"], path),
    )


def encode_constants(constants: Constants) -> list[Any]:
    """What `#const` declares, as JSON takes it."""
    return [[name, _span(where), value] for name, (where, value) in constants.items()]


def decode_constants(said: Sequence[Any], path: str) -> dict[str, tuple[Location, Term | None]]:
    """What `#const` declares in the file at a path."""
    return {name: (Location(path, *span), value) for name, span, value in said}


def encode_problems(problems: Sequence[Diagnostic]) -> list[Any]:
    """Diagnostics of one file, as JSON takes them."""
    return [
        [each.severity.value, _span(each.location) if each.location else None, each.message, each.remedy]
        for each in problems
    ]


def decode_problems(said: Sequence[Any], path: str) -> list[Diagnostic]:
    """Diagnostics of the file at a path."""
    return [
        Diagnostic(Severity(severity), Location(path, *span) if span else None, message, remedy)
        for severity, span, message, remedy in said
    ]


def _span(location: Location) -> list[int]:
    return [location.line, location.column, location.end_line, location.end_column]


def dump(value: Any) -> bytes:
    """One line of JSON."""
    return json.dumps(value, separators=(",", ":")).encode()
