"""A circuit as bytes, for the disk cache; see blob.py for their form."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.logic.blob import atoms, join, names, split
from abl_cards.logic.circuit import Circuit

_ARRAYS = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")


def pack(circuit: Circuit) -> bytes:
    """The bytes of a circuit that no input was fixed of."""
    header = {"inputs": names(circuit.inputs), "outputs": names(circuit.outputs)}
    return join(header, [getattr(circuit, name).reshape(-1) for name in _ARRAYS])


def unpack(data: bytes) -> Circuit:
    """The reverse of `pack`."""
    header, arrays = split(data)
    parts: dict[str, Any] = {
        name: np.frombuffer(each, np.int32) if each else np.zeros(0, np.int32)
        for name, each in zip(_ARRAYS, arrays, strict=True)
    }
    parts["loops"] = parts["loops"].reshape(-1, 2)
    return Circuit(atoms(header["inputs"]), atoms(header["outputs"]), **parts)
