"""Encode circuits as bytes for the disk cache, in the format of asp/serialization.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.asp import atoms_from_json, atoms_to_json, pack_arrays, unpack_arrays
from abl_cards.circuit.circuit import Circuit

_ARRAYS = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")


def pack_circuit(circuit: Circuit) -> bytes:
    """Encode a circuit without fixed inputs."""
    header = {"inputs": atoms_to_json(circuit.inputs), "outputs": atoms_to_json(circuit.outputs)}
    return pack_arrays(header, [getattr(circuit, name).reshape(-1) for name in _ARRAYS])


def unpack_circuit(data: bytes) -> Circuit:
    """Decode a circuit from the bytes of `pack_circuit`."""
    header, arrays = unpack_arrays(data)
    parts: dict[str, Any] = {
        name: np.frombuffer(values, np.int32) if values else np.zeros(0, np.int32)
        for name, values in zip(_ARRAYS, arrays, strict=True)
    }
    parts["loops"] = parts["loops"].reshape(-1, 2)
    return Circuit(atoms_from_json(header["inputs"]), atoms_from_json(header["outputs"]), **parts)
