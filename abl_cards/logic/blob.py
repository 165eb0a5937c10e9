"""A built knowledge base or a circuit as bytes, for the disk cache and for the pipe from the child process.

The length of a JSON header, the header, then arrays of 32-bit numbers. No pickle: whatever the bytes are, they run no
code. That they are whole is for the cache to see, or the exit status of the child.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.logic.build import Built
from abl_cards.logic.circuit import Circuit
from abl_cards.logic.errors import Diagnostic, Location, Severity
from abl_cards.logic.ground import GroundProgram
from abl_cards.logic.statements import Constraint
from abl_cards.logic.terms import Atom

_GROUND = ("numbers", "externals", "heads", "kinds", "starts", "literals", "weights", "bounds")
_CIRCUIT = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")


def pack(built: Built) -> bytes:
    """The bytes of a built knowledge base."""
    ground = built.ground
    header = {
        "constraints": [[_place(item.location), item.text] for item in built.constraints],
        "diagnostics": [
            [item.severity, _place(item.location), item.message, item.remedy] for item in built.diagnostics
        ],
        "atoms": _names(ground.atoms) if ground else None,
    }
    return _join(header, [getattr(ground, name) for name in _GROUND] if ground else [])


def unpack(data: bytes) -> Built:
    """The reverse of `pack`."""
    header, arrays = _split(data)
    constraints = tuple(Constraint(Location(*place), text) for place, text in header["constraints"])
    diagnostics = tuple(
        Diagnostic(Severity(severity), Location(*place) if place else None, message, remedy)
        for severity, place, message, remedy in header["diagnostics"]
    )
    ground = None
    if header["atoms"] is not None:
        ground = GroundProgram(_atoms(header["atoms"]), *(array("i", each.tobytes()) for each in arrays))
    return Built(ground, constraints, diagnostics)


def pack_circuit(circuit: Circuit) -> bytes:
    """The bytes of a circuit that no input was fixed of."""
    header = {"inputs": _names(circuit.inputs), "outputs": _names(circuit.outputs)}
    return _join(header, [getattr(circuit, name).reshape(-1) for name in _CIRCUIT])


def unpack_circuit(data: bytes) -> Circuit:
    """The reverse of `pack_circuit`."""
    header, arrays = _split(data)
    parts: dict[str, Any] = dict(zip(_CIRCUIT, arrays, strict=True))
    parts["loops"] = parts["loops"].reshape(-1, 2)
    return Circuit(_atoms(header["inputs"]), _atoms(header["outputs"]), **parts)


def _join(header: dict[str, Any], arrays: Sequence[array[int] | NDArray[np.int32]]) -> bytes:
    lengths = [len(values) for values in arrays]
    text = json.dumps(header | {"lengths": lengths}, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(values.tobytes() for values in arrays)])


def _split(data: bytes) -> tuple[dict[str, Any], list[NDArray[np.int32]]]:
    end = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:end])
    every = np.frombuffer(bytearray(data[end:]), np.int32)  # which may be written to, as kernels expect
    return header, np.split(every, np.cumsum(header["lengths"], dtype=np.int64)[:-1]) if header["lengths"] else []


def _names(atoms: Sequence[Atom]) -> list[list[Any]]:
    return [[name.name, *name.args] for name in atoms]


def _atoms(names: list[list[Any]]) -> tuple[Atom, ...]:
    return tuple(Atom(name, tuple(args)) for name, *args in names)


def _place(location: Location | None) -> list[str | int] | None:
    if location is None:
        return None
    return [location.file, location.line, location.column, location.end_line, location.end_column]
