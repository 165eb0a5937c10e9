"""Encode circuits and their bytecode as bytes for the disk cache, in the format of asp/serialization.py."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.asp import atoms_from_json, atoms_to_json, pack_arrays, unpack_arrays
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.lower import Bytecode

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_CACHED_GATES = 1000
"""Fewest gates of a circuit of which the cache keeps more: what is made from a smaller one is made in milliseconds."""
_ARRAYS = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")


def pack_circuit(circuit: Circuit) -> bytes:
    """Encode a circuit without fixed inputs."""
    header = {"inputs": atoms_to_json(circuit.inputs), "outputs": atoms_to_json(circuit.outputs)}
    return pack_arrays(header, [getattr(circuit, name).reshape(-1) for name in _ARRAYS])


def unpack_circuit(data: bytes) -> Circuit:
    """Decode a circuit from the bytes of `pack_circuit`."""
    header, arrays = unpack_arrays(data)
    parts: dict[str, Any] = {name: _to_numpy(values) for name, values in zip(_ARRAYS, arrays, strict=True)}
    parts["loops"] = parts["loops"].reshape(-1, 2)
    return Circuit(atoms_from_json(header["inputs"]), atoms_from_json(header["outputs"]), **parts)


def pack_bytecode(code: Bytecode) -> bytes:
    """Encode the bytecode of a circuit."""
    return pack_arrays({"slots": code.slots}, [code.operations.reshape(-1), code.segments.reshape(-1), code.outputs])


def unpack_bytecode(data: bytes) -> Bytecode:
    """Decode bytecode from the bytes of `pack_bytecode`."""
    header, arrays = unpack_arrays(data)
    operations, segments, outputs = map(_to_numpy, arrays)
    return Bytecode(operations.reshape(-1, 7), segments.reshape(-1, 3), outputs, header["slots"])


def _to_numpy(values: array[int]) -> NDArray[np.int32]:
    return np.frombuffer(values, np.int32) if values else np.zeros(0, np.int32)
