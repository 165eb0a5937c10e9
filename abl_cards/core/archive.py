"""Store nested plain values and arrays as bytes; reading runs no code and detects damage.

    magic (8 bytes), length of everything (8), length of the header (8), header, arrays, SHA-256 of everything before

The header is JSON. None, booleans, integers of any size, finite floats, strings and lists are themselves; an object
with one key is any other value: ``{"tuple": [...]}``, ``{"dict": {...}}``, ``{"items": [[key, value], ...]}`` where
keys are not strings, ``{"float": "nan"}``. ``{"array": ["<f4", [2, 3]]}``, ``{"scalar": "<u8"}`` and ``{"tensor":
["bfloat16", [2, 3]]}`` give type and shape of the arrays that follow, in this order. Arrays are read from the bytes of
the file, so a header cannot request more memory than the file has bytes.

Kept beside safetensors, which has no digest and no end of a value in a stream, and silently turns ``>f4`` into ``<f4``;
with a skeleton in its metadata and the same digest, a message of 4.6 MB takes 30 ms in place of 22.

>>> unpack_archive(pack_archive({"steps": 3, "weights": np.zeros(2), "range": (0, float("inf"))}))
{'steps': 3, 'weights': array([0., 0.]), 'range': (0, inf)}
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import OrderedDict
from collections.abc import Callable
from io import BytesIO
from math import isfinite, prod
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"abl\x93arc1"
_PREFIX_BYTES, _DIGEST_BYTES = 24, 32
_PLAIN_DTYPE = re.compile(r"[<>|][biufcSU][1-9]\d*")
_NON_FINITE = ("nan", "inf", "-inf")
_DECODE_ERRORS = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_TENSOR_DTYPES = frozenset(
    {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"}
)


class ArchiveError(ValueError):
    """Bytes that are damaged, cut off, or were not written by this module."""


def pack_archive(value: Any) -> bytes:
    """Return a value as bytes.

    Args:
        value: Nested plain values, NumPy arrays and torch tensors.

    Raises:
        TypeError: A part of the value is neither plain nor an array.
    """
    stream = BytesIO()
    write_archive(stream, value)
    return stream.getvalue()


def unpack_archive(data: bytes) -> Any:
    """Return the value that `pack_archive` turned into bytes.

    Args:
        data: The bytes of one value.

    Raises:
        ArchiveError: The bytes are damaged or in another format.
    """
    return read_archive(BytesIO(data), len(data))


def write_archive(stream: IO[bytes], value: Any) -> None:
    """Write a value as bytes.

    Args:
        stream: Binary stream to write to.
        value: Nested plain values, NumPy arrays and torch tensors.

    Raises:
        TypeError: A part of the value is neither plain nor an array.
    """
    writer = _ArchiveWriter()
    header = json.dumps(writer.to_header(value), allow_nan=False, separators=(",", ":")).encode()
    length = _PREFIX_BYTES + len(header) + sum(len(part) for part in writer.buffers) + _DIGEST_BYTES
    digest = hashlib.sha256()
    prefix = _MAGIC + length.to_bytes(8, "little") + len(header).to_bytes(8, "little")
    parts: list[bytes | memoryview[Any]] = [prefix, header, *writer.buffers]
    for part in parts:
        digest.update(part)
        stream.write(part)
    stream.write(digest.digest())


def read_archive(stream: IO[bytes], size: int | None = None) -> Any:
    """Read the next value of a stream.

    Args:
        stream: Binary stream to read from.
        size: Number of bytes of the whole stream, which must be one value; None where values may follow.

    Raises:
        ArchiveError: The bytes are damaged or in another format.
        EOFError: The stream has ended.
    """
    prefix = stream.read(_PREFIX_BYTES)
    if not prefix and size is None:
        raise EOFError
    if len(prefix) < _PREFIX_BYTES or prefix[:8] != _MAGIC:
        raise ArchiveError("not an archive: the first bytes differ")
    length = int.from_bytes(prefix[8:16], "little")
    if length < _PREFIX_BYTES + _DIGEST_BYTES or size not in (None, length):
        raise ArchiveError(f"{size} bytes long, not {length}")
    return _ArchiveReader(prefix, _read_exactly(stream, length - _PREFIX_BYTES)).read_value()


def _read_exactly(stream: IO[bytes], length: int) -> bytearray:
    data = bytearray(length)
    buffer = memoryview(data)
    while buffer:
        num_read = stream.readinto(buffer)  # type: ignore[attr-defined]
        if not num_read:
            raise ArchiveError("the end is missing")
        buffer = buffer[num_read:]
    return data


class _ArchiveWriter:
    """Build the header of a value, and collect the bytes of its arrays."""

    def __init__(self) -> None:
        self.buffers: list[memoryview[Any]] = []

    def to_header(self, value: Any) -> Any:
        """Return the JSON form of a value in the header."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.to_header(item) for item in value]
        if kind is tuple:
            return {"tuple": [self.to_header(item) for item in value]}
        if kind in (dict, OrderedDict):
            return self._dict(value)
        if isinstance(value, np.ndarray):
            return {"array": [self._array(value), list(value.shape)]}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        return {"tensor": self._tensor(value)}

    def _dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str for key in value):
            return {"dict": {key: self.to_header(item) for key, item in value.items()}}
        return {"items": [[self.to_header(key), self.to_header(item)] for key, item in value.items()]}

    def _array(self, value: NDArray[Any]) -> Any:
        _check_dtype(value.dtype.str)  # objects and dates could not be read again
        flat = np.ascontiguousarray(value).reshape(-1)
        self.buffers.append(flat.view(np.uint8).data if value.nbytes else memoryview(b""))
        return value.dtype.str

    def _tensor(self, value: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(value, torch.Tensor):
            raise TypeError(f"a value of type {type(value).__name__} cannot be kept")
        name = str(value.dtype).removeprefix("torch.")
        if name not in _TENSOR_DTYPES:
            raise TypeError(f"a tensor of {name} cannot be kept")
        flat = value.detach().cpu().contiguous().reshape(-1)
        self.buffers.append(flat.view(torch.uint8).numpy().data if flat.numel() else memoryview(b""))
        return [name, list(value.shape)]


class _ArchiveReader:
    """Build a value from its header, reading the arrays in their order."""

    def __init__(self, prefix: bytes, data: bytearray) -> None:
        digest = hashlib.sha256(prefix)
        digest.update(memoryview(data)[:-_DIGEST_BYTES])
        if digest.digest() != data[-_DIGEST_BYTES:]:
            raise ArchiveError("the checksum differs")
        self._data, self._end = data, len(data) - _DIGEST_BYTES
        self._position = int.from_bytes(prefix[16:], "little")

    def read_value(self) -> Any:
        """Return the whole value; raises ArchiveError."""
        try:
            if self._position > self._end:
                raise ValueError("the header is longer than the archive")
            value = self._decode(json.loads(self._data[: self._position].decode(), parse_constant=_reject))
        except _DECODE_ERRORS as problem:
            raise ArchiveError(f"{type(problem).__name__}: {problem}") from None
        if self._position != self._end:
            raise ArchiveError("more bytes than the header describes")
        return value

    def _decode(self, header: Any) -> Any:
        if isinstance(header, list):
            return [self._decode(item) for item in header]
        if not isinstance(header, dict):
            return header
        ((kind, content),) = header.items()
        return _DECODERS[kind](self, content)

    def _tuple(self, items: list[Any]) -> Any:
        return tuple(self._decode(item) for item in items)

    def _dict(self, entries: dict[str, Any]) -> Any:
        return {key: self._decode(item) for key, item in entries.items()}

    def _items(self, pairs: list[Any]) -> Any:
        return {self._decode(key): self._decode(item) for key, item in pairs}

    def _float(self, text: str) -> Any:
        return float(_NON_FINITE[_NON_FINITE.index(text)])

    def _array(self, dtype_and_shape: list[Any]) -> Any:
        dtype, shape = _check_dtype(dtype_and_shape[0]), _check_shape(dtype_and_shape[1])
        first = self._advance(dtype.itemsize * prod(shape))
        return np.ndarray(shape, dtype, self._data, first).copy()

    def _scalar(self, dtype: Any) -> Any:
        return self._array([dtype, []])[()]

    def _tensor(self, dtype_and_shape: list[Any]) -> Any:
        import torch

        name, shape = dtype_and_shape[0], _check_shape(dtype_and_shape[1])
        if name not in _TENSOR_DTYPES:
            raise ValueError(f"unknown tensor type {name}")
        dtype: torch.dtype = getattr(torch, name)
        size = dtype.itemsize * prod(shape)
        first = self._advance(size)
        if not size:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self._data[first : first + size], dtype=dtype).reshape(shape)

    def _advance(self, size: int) -> int:
        """Reserve the next bytes of the archive, and return the position of the first."""
        first, self._position = self._position, self._position + size
        if self._position > self._end:
            raise ValueError("an array is longer than the archive")
        return first


_DECODERS: dict[str, Callable[[_ArchiveReader, Any], Any]] = {
    "array": _ArchiveReader._array, "dict": _ArchiveReader._dict, "float": _ArchiveReader._float,
    "items": _ArchiveReader._items, "scalar": _ArchiveReader._scalar, "tensor": _ArchiveReader._tensor,
    "tuple": _ArchiveReader._tuple,
}  # fmt: skip


def _check_dtype(name: Any) -> np.dtype[Any]:
    """Return a NumPy type from its name; raises TypeError for types that are not plain bytes."""
    if not isinstance(name, str) or not _PLAIN_DTYPE.fullmatch(name):
        raise TypeError(f"an array of type {name} cannot be kept")
    return np.dtype(name)


def _check_shape(sizes: Any) -> tuple[int, ...]:
    shape = tuple(sizes)
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"invalid shape {sizes}")
    return shape


def _reject(constant: str) -> NoReturn:
    raise ValueError(constant)
