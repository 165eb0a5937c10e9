"""Nested plain values and arrays as bytes, and back: nothing in them is ever run, and what is damaged is noticed.

    magic (8 bytes), length of everything (8), length of the header (8), header, arrays, SHA-256 of everything before

The header is JSON: None, truths, whole numbers of any size, numbers, and texts stand for themselves, a list for a
list, and an object with one name for all else: ``{"tuple": [...]}``, ``{"dict": {...}}``, ``{"items": [[key, value],
...]}`` where keys are no texts, ``{"float": "nan"}``. ``{"array": ["<f4", [2, 3]]}``, ``{"scalar": "<u8"}`` and
``{"tensor": ["bfloat16", [2, 3]]}`` say what the arrays are that follow, in this order. They take their room from the
bytes that are there, so a header cannot ask for more memory than the file is long.

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
_SIMPLE_DTYPE = re.compile(r"[<>|][biufcSUV][1-9]\d*")
_NON_FINITE = ("nan", "inf", "-inf")
_DECODE_ERRORS = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_TENSOR_DTYPES = frozenset(
    {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"}
)


class ArchiveError(ValueError):
    """Bytes that this module did not write, or not all of them."""


def pack_archive(value: Any) -> bytes:
    """The bytes of a value; raises TypeError for what is neither plain nor an array."""
    stream = BytesIO()
    write_archive(stream, value)
    return stream.getvalue()


def unpack_archive(data: bytes) -> Any:
    """The reverse of ``pack_archive``; raises ArchiveError."""
    return read_archive(BytesIO(data), len(data))


def write_archive(stream: IO[bytes], value: Any) -> None:
    """Write the bytes of a value."""
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
    """The next value of a stream, or all of one that has so many bytes; raises ArchiveError, EOFError where it ends."""
    prefix = stream.read(_PREFIX_BYTES)
    if not prefix and size is None:
        raise EOFError
    if len(prefix) < _PREFIX_BYTES or prefix[:8] != _MAGIC:
        raise ArchiveError("the beginning is another")
    length = int.from_bytes(prefix[8:16], "little")
    if length < _PREFIX_BYTES + _DIGEST_BYTES or size not in (None, length):
        raise ArchiveError(f"{size} bytes long, not {length}")
    return _ArchiveReader(prefix, _read_exactly(stream, length - _PREFIX_BYTES)).read_value()


def _read_exactly(stream: IO[bytes], length: int) -> bytearray:
    data = bytearray(length)
    room = memoryview(data)
    while room:
        got = stream.readinto(room)  # type: ignore[attr-defined]
        if not got:
            raise ArchiveError("the end is missing")
        room = room[got:]
    return data


class _ArchiveWriter:
    """Says what values are, and collects the bytes of arrays on the way."""

    def __init__(self) -> None:
        self.buffers: list[memoryview[Any]] = []

    def to_header(self, value: Any) -> Any:
        """What stands for a value in the header."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.to_header(each) for each in value]
        if kind is tuple:
            return {"tuple": [self.to_header(each) for each in value]}
        if kind in (dict, OrderedDict):
            return self._dict(value)
        if isinstance(value, np.ndarray):
            return {"array": [self._array(value), list(value.shape)]}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        return {"tensor": self._tensor(value)}

    def _dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str for key in value):
            return {"dict": {key: self.to_header(each) for key, each in value.items()}}
        return {"items": [[self.to_header(key), self.to_header(each)] for key, each in value.items()]}

    def _array(self, value: NDArray[Any]) -> Any:
        descr = np.lib.format.dtype_to_descr(value.dtype)
        _check_descr(json.loads(json.dumps(descr)))  # refuses what could not be read again: objects, dates
        flat = np.ascontiguousarray(value).reshape(-1)
        self.buffers.append(flat.view(np.uint8).data if value.nbytes else memoryview(b""))
        return descr

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
    """Makes values of what a header says, and takes the arrays in their order."""

    def __init__(self, prefix: bytes, data: bytearray) -> None:
        digest = hashlib.sha256(prefix)
        digest.update(memoryview(data)[:-_DIGEST_BYTES])
        if digest.digest() != data[-_DIGEST_BYTES:]:
            raise ArchiveError("the checksum is another")
        self._data, self._end = data, len(data) - _DIGEST_BYTES
        self._position = int.from_bytes(prefix[16:], "little")

    def read_value(self) -> Any:
        """Everything; raises ArchiveError."""
        try:
            if self._position > self._end:
                raise ValueError("a header longer than everything")
            value = self._decode(json.loads(self._data[: self._position].decode(), parse_constant=_reject))
        except _DECODE_ERRORS as problem:
            raise ArchiveError(f"{type(problem).__name__}: {problem}") from None
        if self._position != self._end:
            raise ArchiveError("more than the header speaks of")
        return value

    def _decode(self, header: Any) -> Any:
        if isinstance(header, list):
            return [self._decode(each) for each in header]
        if not isinstance(header, dict):
            return header
        ((kind, what),) = header.items()
        return _DECODERS[kind](self, what)

    def _tuple(self, items: list[Any]) -> Any:
        return tuple(self._decode(each) for each in items)

    def _dict(self, entries: dict[str, Any]) -> Any:
        return {key: self._decode(each) for key, each in entries.items()}

    def _items(self, pairs: list[Any]) -> Any:
        return {self._decode(key): self._decode(each) for key, each in pairs}

    def _float(self, text: str) -> Any:
        return float(_NON_FINITE[_NON_FINITE.index(text)])

    def _array(self, dtype_and_shape: list[Any]) -> Any:
        dtype, shape = np.dtype(_check_descr(dtype_and_shape[0])), _check_shape(dtype_and_shape[1])
        first = self._advance(dtype.itemsize * prod(shape))
        return np.ndarray(shape, dtype, self._data, first).copy()

    def _scalar(self, descr: Any) -> Any:
        return self._array([descr, []])[()]

    def _tensor(self, dtype_and_shape: list[Any]) -> Any:
        import torch

        name, shape = dtype_and_shape[0], _check_shape(dtype_and_shape[1])
        if name not in _TENSOR_DTYPES:
            raise ValueError("no such tensor")
        dtype: torch.dtype = getattr(torch, name)
        size = dtype.itemsize * prod(shape)
        first = self._advance(size)
        if not size:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self._data[first : first + size], dtype=dtype).reshape(shape)

    def _advance(self, size: int) -> int:
        """Where the next so many bytes begin."""
        first, self._position = self._position, self._position + size
        if self._position > self._end:
            raise ValueError("an array longer than what is there")
        return first


_DECODERS: dict[str, Callable[[_ArchiveReader, Any], Any]] = {
    "array": _ArchiveReader._array, "dict": _ArchiveReader._dict, "float": _ArchiveReader._float,
    "items": _ArchiveReader._items, "scalar": _ArchiveReader._scalar, "tensor": _ArchiveReader._tensor,
    "tuple": _ArchiveReader._tuple,
}  # fmt: skip


def _check_descr(dtype_descr: Any) -> Any:
    """What numpy makes a type of, from the same in JSON; raises ValueError for types that are more than bytes."""
    if isinstance(dtype_descr, list) and dtype_descr:
        return [
            (_check_field_name(name), _check_descr(descr), *map(_check_shape, shape))
            for name, descr, *shape in dtype_descr
        ]
    if not isinstance(dtype_descr, str) or not _SIMPLE_DTYPE.fullmatch(dtype_descr):
        raise TypeError(f"an array of type {dtype_descr} cannot be kept")
    return dtype_descr


def _check_field_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("an array whose fields have titles cannot be kept")
    return name


def _check_shape(sizes: Any) -> tuple[int, ...]:
    shape = tuple(sizes)
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("no shape")
    return shape


def _reject(constant: str) -> NoReturn:
    raise ValueError(constant)
