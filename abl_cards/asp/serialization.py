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

from abl_cards.asp.build import BuildResult
from abl_cards.asp.errors import Diagnostic, Location, Severity
from abl_cards.asp.ground_program import GroundProgram
from abl_cards.asp.statements import Constraint
from abl_cards.asp.terms import Atom

_GROUND_ARRAYS = ("numbers", "externals", "heads", "kinds", "starts", "literals", "weights", "bounds")
_PLACEHOLDER = re.compile("\0[0-9]+\0")
_MATCH_NOTHING = "(?!)"


def pack_build(built: BuildResult, paths: Sequence[str] = ()) -> bytes:
    """The bytes of a built knowledge base, which name files at these paths by their numbers: they may lie elsewhere."""
    ground, files = built.ground, _PathTable(paths)
    header = {
        "constraints": [[_location_to_json(item.location, files), item.text] for item in built.constraints],
        "diagnostics": [
            [
                item.severity,
                _location_to_json(item.location, files),
                *map(files.encode_paths, (item.message, item.remedy)),
            ]
            for item in built.diagnostics
        ],
        "atoms": atoms_to_json(ground.atoms) if ground else None,
    }
    return pack_arrays(header, [getattr(ground, name) for name in _GROUND_ARRAYS] if ground else [])


def unpack_build(data: bytes, paths: Sequence[str] = ()) -> BuildResult:
    """The reverse of `pack_build`, of the files at these paths."""
    (header, arrays), files = unpack_arrays(data), _PathTable(paths)

    def located(place: list[Any]) -> Location:
        return Location(files.decode_paths(place[0]), *place[1:])

    constraints = tuple(Constraint(located(place), text) for place, text in header["constraints"])
    diagnostics = tuple(
        Diagnostic(Severity(severity), located(place) if place else None, *map(files.decode_paths, texts))
        for severity, place, *texts in header["diagnostics"]
    )
    ground = None
    if header["atoms"] is not None:
        ground = GroundProgram(atoms_from_json(header["atoms"]), *arrays)
    return BuildResult(ground, constraints, diagnostics)


class Int32Array(Protocol):
    """An array of 32-bit numbers, of Python or of numpy."""

    def __len__(self) -> int: ...

    def tobytes(self) -> bytes: ...


def pack_arrays(header: dict[str, Any], arrays: Sequence[Int32Array]) -> bytes:
    """The bytes of a header and arrays."""
    lengths = [len(values) for values in arrays]
    text = json.dumps(header | {"lengths": lengths}, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(values.tobytes() for values in arrays)])


def unpack_arrays(data: bytes) -> tuple[dict[str, Any], list[array[int]]]:
    """The reverse of `pack_arrays`."""
    end = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:end])
    every, ends = array("i", data[end:]), [0, *accumulate(header["lengths"])]
    return header, [every[first:last] for first, last in pairwise(ends)]


def atoms_to_json(atoms: Sequence[Atom]) -> list[list[Any]]:
    """Atoms as JSON has them."""
    return [[name.name, *name.args] for name in atoms]


def atoms_from_json(names: list[list[Any]]) -> tuple[Atom, ...]:
    """The reverse of `atoms_to_json`."""
    return tuple(Atom(name, tuple(args)) for name, *args in names)


class _PathTable:
    """Takes paths out of texts, and puts others in: rule files hold no NUL, so that no other text looks like that."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._placeholders = {path: f"\0{number}\0" for number, path in enumerate(paths)}
        longest = sorted(self._placeholders, key=len, reverse=True)  # one may begin as another does
        names = "|".join(map(re.escape, longest)) or _MATCH_NOTHING
        self._path_pattern = re.compile(rf"(?<![\w./-])(?:{names})(?!\.?[\w/-])")  # not in the middle of another path
        self._paths = {place: path for path, place in self._placeholders.items()}

    def encode_paths(self, text: str) -> str:
        return self._path_pattern.sub(lambda found: self._placeholders[found[0]], text)

    def decode_paths(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda found: self._paths[found[0]], text)


def _location_to_json(location: Location | None, files: _PathTable) -> list[str | int] | None:
    if location is None:
        return None
    lines = location.line, location.column, location.end_line, location.end_column
    return [files.encode_paths(location.file), *lines]
