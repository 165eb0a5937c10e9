"""A built knowledge base as bytes, for the disk cache and for the pipe from the child process.

The length of a JSON header, the header, then arrays of 32-bit numbers. No pickle: whatever the bytes are, they run no
code. That they are whole is for the cache to see, or the exit status of the child.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol

from abl_cards.logic.build import Built
from abl_cards.logic.errors import Diagnostic, Location, Severity
from abl_cards.logic.ground import GroundProgram
from abl_cards.logic.statements import Constraint
from abl_cards.logic.terms import Atom

_GROUND = ("numbers", "externals", "heads", "kinds", "starts", "literals", "weights", "bounds")
_TAKEN_OUT = re.compile("\0[0-9]+\0")
_NOTHING = "(?!)"


def pack(built: Built, paths: Sequence[str] = ()) -> bytes:
    """The bytes of a built knowledge base, which name files at these paths by their numbers: they may lie elsewhere."""
    ground, files = built.ground, _Paths(paths)
    header = {
        "constraints": [[_place(item.location, files), item.text] for item in built.constraints],
        "diagnostics": [
            [item.severity, _place(item.location, files), *map(files.take_out, (item.message, item.remedy))]
            for item in built.diagnostics
        ],
        "atoms": names(ground.atoms) if ground else None,
    }
    return join(header, [getattr(ground, name) for name in _GROUND] if ground else [])


def unpack(data: bytes, paths: Sequence[str] = ()) -> Built:
    """The reverse of `pack`, of the files at these paths."""
    (header, arrays), files = split(data), _Paths(paths)

    def located(place: list[Any]) -> Location:
        return Location(files.put_in(place[0]), *place[1:])

    constraints = tuple(Constraint(located(place), text) for place, text in header["constraints"])
    diagnostics = tuple(
        Diagnostic(Severity(severity), located(place) if place else None, *map(files.put_in, texts))
        for severity, place, *texts in header["diagnostics"]
    )
    ground = None
    if header["atoms"] is not None:
        ground = GroundProgram(atoms(header["atoms"]), *arrays)
    return Built(ground, constraints, diagnostics)


class Numbers(Protocol):
    """An array of 32-bit numbers, of Python or of numpy."""

    def __len__(self) -> int: ...

    def tobytes(self) -> bytes: ...


def join(header: dict[str, Any], arrays: Sequence[Numbers]) -> bytes:
    """The bytes of a header and arrays."""
    lengths = [len(values) for values in arrays]
    text = json.dumps(header | {"lengths": lengths}, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(values.tobytes() for values in arrays)])


def split(data: bytes) -> tuple[dict[str, Any], list[array[int]]]:
    """The reverse of `join`."""
    end = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:end])
    every, ends = array("i", data[end:]), [0, *accumulate(header["lengths"])]
    return header, [every[first:last] for first, last in pairwise(ends)]


def names(atoms: Sequence[Atom]) -> list[list[Any]]:
    """Atoms as JSON has them."""
    return [[name.name, *name.args] for name in atoms]


def atoms(names: list[list[Any]]) -> tuple[Atom, ...]:
    """The reverse of `names`."""
    return tuple(Atom(name, tuple(args)) for name, *args in names)


class _Paths:
    """Takes paths out of texts, and puts others in: rule files hold no NUL, so that no other text looks like that."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._places = {path: f"\0{number}\0" for number, path in enumerate(paths)}
        longest = sorted(self._places, key=len, reverse=True)  # one may begin as another does
        names = "|".join(map(re.escape, longest)) or _NOTHING
        self._path = re.compile(rf"(?<![\w./-])(?:{names})(?!\.?[\w/-])")  # not in the middle of another path
        self._paths = {place: path for path, place in self._places.items()}

    def take_out(self, text: str) -> str:
        return self._path.sub(lambda found: self._places[found[0]], text)

    def put_in(self, text: str) -> str:
        return _TAKEN_OUT.sub(lambda found: self._paths[found[0]], text)


def _place(location: Location | None, files: _Paths) -> list[str | int] | None:
    if location is None:
        return None
    lines = location.line, location.column, location.end_line, location.end_column
    return [files.take_out(location.file), *lines]
