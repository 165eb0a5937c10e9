"""A built knowledge base as bytes, for the disk cache and for the pipe from the child process.

A digest, the length of a JSON header, the header, then the arrays of the ground program. No pickle: a cache file that
somebody tampered with can be wrong, but it cannot run code.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from typing import Any

from abl_cards.logic.build import Built
from abl_cards.logic.errors import Diagnostic, Location, Severity
from abl_cards.logic.ground import GroundProgram
from abl_cards.logic.statements import Constraint
from abl_cards.logic.terms import Atom

_ARRAYS = ("numbers", "externals", "heads", "kinds", "starts", "literals", "weights", "bounds")
_DIGEST = 32


def pack(built: Built) -> bytes:
    """The bytes of a built knowledge base."""
    ground = built.ground
    arrays = [getattr(ground, name) for name in _ARRAYS] if ground else []
    header = {
        "constraints": [[_place(item.location), item.text] for item in built.constraints],
        "diagnostics": [
            [item.severity, _place(item.location), item.message, item.remedy] for item in built.diagnostics
        ],
        "atoms": [[name.name, *name.args] for name in ground.atoms] if ground else None,
        "lengths": [len(values) for values in arrays],
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    body = b"".join([len(text).to_bytes(8, "little"), text, *(values.tobytes() for values in arrays)])
    return hashlib.sha256(body).digest() + body


def unpack(data: bytes) -> Built:
    """The reverse of `pack`; raises ValueError for anything that `pack` did not write."""
    body = data[_DIGEST:]
    if hashlib.sha256(body).digest() != data[:_DIGEST]:
        raise ValueError("damaged data")
    end = 8 + int.from_bytes(body[:8], "little")
    header: dict[str, Any] = json.loads(body[8:end])
    constraints = tuple(Constraint(Location(*place), text) for place, text in header["constraints"])
    diagnostics = tuple(
        Diagnostic(Severity(severity), Location(*place) if place else None, message, remedy)
        for severity, place, message, remedy in header["diagnostics"]
    )
    return Built(_ground(header, body, end), constraints, diagnostics)


def _ground(header: dict[str, Any], body: bytes, position: int) -> GroundProgram | None:
    if header["atoms"] is None:
        return None
    atoms = tuple(Atom(name, tuple(args)) for name, *args in header["atoms"])
    arrays = []
    for length in header["lengths"]:
        values = array("i")
        end = position + length * values.itemsize
        values.frombytes(body[position:end])
        arrays.append(values)
        position = end
    return GroundProgram(atoms, *arrays)


def _place(location: Location | None) -> list[str | int] | None:
    if location is None:
        return None
    return [location.file, location.line, location.column, location.end_line, location.end_column]
