"""Encode built knowledge bases as bytes, for the disk cache and for the pipe from the child process.

The format is the length of a JSON header, the header, then arrays of 32-bit integers. It holds data only, so decoding
runs no code. The cache and the exit status of the child ensure that the bytes are complete. Kept beside core.archive,
whose numpy takes 0.28 s to import; the child's own modules take 0.45 s.
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
from abl_cards.asp.program_summary import Constraint
from abl_cards.asp.terms import Atom
from abl_cards.core import ErrorCode

_GROUND_ARRAYS = ("numbers", "externals", "heads", "kinds", "starts", "literals", "weights", "bounds")
_PLACEHOLDER = re.compile("\0[0-9]+\0")
_MATCH_NOTHING = "(?!)"


def pack_build(built: BuildResult, paths: Sequence[str] = ()) -> bytes:
    """Encode a built knowledge base.

    Args:
        built: Result of a build.
        paths: Paths of the rule files; the bytes hold their indices instead, so that the files may be moved.

    Returns:
        The bytes.
    """
    ground, files = built.ground, _PathTable(paths)
    header = {
        "constraints": [[_location_to_json(item.location, files), item.text] for item in built.constraints],
        "diagnostics": [
            [
                item.severity,
                item.code,
                _location_to_json(item.location, files),
                *map(files.encode_paths, (item.message, item.remedy)),
            ]
            for item in built.diagnostics
        ],
        "atoms": atoms_to_json(ground.atoms) if ground else None,
    }
    return pack_arrays(header, [getattr(ground, name) for name in _GROUND_ARRAYS] if ground else [])


def unpack_build(data: bytes, paths: Sequence[str] = ()) -> BuildResult:
    """Decode a built knowledge base.

    Args:
        data: Bytes from `pack_build`.
        paths: Current paths of the rule files, in the order in which they were encoded.

    Returns:
        The result of the build.
    """
    (header, arrays), files = unpack_arrays(data), _PathTable(paths)

    def decode_location(location: list[Any]) -> Location:
        return Location(files.decode_paths(location[0]), *location[1:])

    constraints = tuple(Constraint(decode_location(location), text) for location, text in header["constraints"])
    diagnostics = tuple(
        Diagnostic(
            Severity(severity),
            decode_location(location) if location else None,
            files.decode_paths(message),
            files.decode_paths(remedy),
            ErrorCode(code),
        )
        for severity, code, location, message, remedy in header["diagnostics"]
    )
    ground = None
    if header["atoms"] is not None:
        ground = GroundProgram(atoms_from_json(header["atoms"]), *arrays)
    return BuildResult(ground, constraints, diagnostics)


class Int32Array(Protocol):
    """Array of 32-bit integers, of Python or of numpy."""

    def __len__(self) -> int: ...

    def tobytes(self) -> bytes: ...


def pack_arrays(header: dict[str, Any], arrays: Sequence[Int32Array]) -> bytes:
    """Encode a header and arrays.

    Args:
        header: JSON object.
        arrays: Arrays of int32.

    Returns:
        The bytes.
    """
    lengths = [len(values) for values in arrays]
    text = json.dumps(header | {"lengths": lengths}, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(values.tobytes() for values in arrays)])


def unpack_arrays(data: bytes) -> tuple[dict[str, Any], list[array[int]]]:
    """Decode a header and arrays.

    Args:
        data: Bytes from `pack_arrays`.

    Returns:
        The JSON object, with the lengths of the arrays as "lengths", and the arrays.
    """
    end = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:end])
    values, ends = array("i", data[end:]), [0, *accumulate(header["lengths"])]
    return header, [values[first:last] for first, last in pairwise(ends)]


def atoms_to_json(atoms: Sequence[Atom]) -> list[list[Any]]:
    """Convert atoms to JSON.

    Args:
        atoms: Ground atoms.

    Returns:
        For each atom a list of its name and its arguments.
    """
    return [[name.name, *name.args] for name in atoms]


def atoms_from_json(names: list[list[Any]]) -> tuple[Atom, ...]:
    """Convert JSON to atoms.

    Args:
        names: Lists from `atoms_to_json`.

    Returns:
        The ground atoms.
    """
    return tuple(Atom(name, tuple(args)) for name, *args in names)


class _PathTable:
    """Replaces paths in texts by placeholders, and back; these contain NUL, which no rule file holds."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._placeholders = {path: f"\0{index}\0" for index, path in enumerate(paths)}
        longest = sorted(self._placeholders, key=len, reverse=True)  # a path may be a prefix of another one
        names = "|".join(map(re.escape, longest)) or _MATCH_NOTHING
        self._path_pattern = re.compile(rf"(?<![\w./-])(?:{names})(?!\.?[\w/-])")  # not in the middle of another path
        self._paths = {placeholder: path for path, placeholder in self._placeholders.items()}

    def encode_paths(self, text: str) -> str:
        return self._path_pattern.sub(lambda match: self._placeholders[match[0]], text)

    def decode_paths(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: self._paths[match[0]], text)


def _location_to_json(location: Location | None, files: _PathTable) -> list[str | int] | None:
    if location is None:
        return None
    lines = location.line, location.column, location.end_line, location.end_column
    return [files.encode_paths(location.file), *lines]
