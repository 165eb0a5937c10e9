"""A circuit as bytes, for the disk cache; see asp/serialization.py for their form."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.asp import atoms_from_json, atoms_to_json, pack_arrays, unpack_arrays
from abl_cards.circuit.circuit import Circuit

_ARRAYS = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")


def pack_circuit(circuit: Circuit) -> bytes:
    """The bytes of a circuit that no input was fixed of."""
    header = {"inputs": atoms_to_json(circuit.inputs), "outputs": atoms_to_json(circuit.outputs)}
    return pack_arrays(header, [getattr(circuit, name).reshape(-1) for name in _ARRAYS])


def unpack_circuit(data: bytes) -> Circuit:
    """The reverse of `pack_circuit`."""
    header, arrays = unpack_arrays(data)
    parts: dict[str, Any] = {
        name: np.frombuffer(each, np.int32) if each else np.zeros(0, np.int32)
        for name, each in zip(_ARRAYS, arrays, strict=True)
    }
    parts["loops"] = parts["loops"].reshape(-1, 2)
    return Circuit(atoms_from_json(header["inputs"]), atoms_from_json(header["outputs"]), **parts)
