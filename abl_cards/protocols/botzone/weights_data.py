"""Weights of networks as an .npz, for programs with numpy and without torch."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""


def to_half_precision(module: nn.Module, prefix: str = "") -> Arrays:
    """Return the parameters of a network in half precision by name."""
    parameters = module.state_dict().items()
    return {prefix + name: tensor.detach().cpu().numpy().astype(np.float16) for name, tensor in parameters}


def to_npz(arrays: Arrays) -> bytes:
    """Return arrays as an .npz."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()
