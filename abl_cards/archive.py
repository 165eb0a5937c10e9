"""Nested plain values and arrays as bytes, and back: nothing in them is ever run, and what is damaged is noticed.

    magic (8 bytes), length of everything (8), length of the header (8), header, arrays, SHA-256 of everything before

The header is JSON: None, truths, whole numbers of any size, numbers, and texts stand for themselves, a list for a
list, and an object with one name for all else: ``{"tuple": [...]}``, ``{"dict": {...}}``, ``{"items": [[key, value],
...]}`` where keys are no texts, ``{"float": "nan"}``. ``{"array": ["<f4", [2, 3]]}``, ``{"scalar": "<u8"}`` and
``{"tensor": ["bfloat16", [2, 3]]}`` say what the arrays are that follow, in this order. They take their room from the
bytes that are there, so a header cannot ask for more memory than the file is long.

>>> unpack(pack({"steps": 3, "weights": np.zeros(2), "range": (0, float("inf"))}))
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
_PREFIX, _DIGEST = 24, 32
_SIMPLE = re.compile(r"[<>|][biufcSUV][1-9]\d*")
_ODD = ("nan", "inf", "-inf")
_MADE_UP = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_TENSORS = frozenset(
    {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"}
)


class Damaged(ValueError):
    """Bytes that this module did not write, or not all of them."""


def pack(value: Any) -> bytes:
    """The bytes of a value; raises TypeError for what is neither plain nor an array."""
    stream = BytesIO()
    write(stream, value)
    return stream.getvalue()


def unpack(data: bytes) -> Any:
    """The reverse of ``pack``; raises Damaged."""
    return read(BytesIO(data), len(data))


def write(stream: IO[bytes], value: Any) -> None:
    """Write the bytes of a value."""
    writer = _Writer()
    header = json.dumps(writer.told(value), allow_nan=False, separators=(",", ":")).encode()
    length = _PREFIX + len(header) + sum(len(part) for part in writer.parts) + _DIGEST
    digest = hashlib.sha256()
    prefix = _MAGIC + length.to_bytes(8, "little") + len(header).to_bytes(8, "little")
    parts: list[bytes | memoryview[Any]] = [prefix, header, *writer.parts]
    for part in parts:
        digest.update(part)
        stream.write(part)
    stream.write(digest.digest())


def read(stream: IO[bytes], size: int | None = None) -> Any:
    """The next value of a stream, or all of one that has so many bytes; raises Damaged, EOFError where it ends."""
    prefix = stream.read(_PREFIX)
    if not prefix and size is None:
        raise EOFError
    if len(prefix) < _PREFIX or prefix[:8] != _MAGIC:
        raise Damaged("the beginning is another")
    length = int.from_bytes(prefix[8:16], "little")
    if length < _PREFIX + _DIGEST or size not in (None, length):
        raise Damaged(f"{size} bytes long, not {length}")
    return _Reader(prefix, _rest(stream, length - _PREFIX)).value()


def _rest(stream: IO[bytes], length: int) -> bytearray:
    data = bytearray(length)
    room = memoryview(data)
    while room:
        got = stream.readinto(room)  # type: ignore[attr-defined]
        if not got:
            raise Damaged("the end is missing")
        room = room[got:]
    return data


class _Writer:
    """Says what values are, and collects the bytes of arrays on the way."""

    def __init__(self) -> None:
        self.parts: list[memoryview[Any]] = []

    def told(self, value: Any) -> Any:
        """What stands for a value in the header."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.told(each) for each in value]
        if kind is tuple:
            return {"tuple": [self.told(each) for each in value]}
        if kind in (dict, OrderedDict):
            return self._dict(value)
        if isinstance(value, np.ndarray):
            return {"array": [self._array(value), list(value.shape)]}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        return {"tensor": self._tensor(value)}

    def _dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str for key in value):
            return {"dict": {key: self.told(each) for key, each in value.items()}}
        return {"items": [[self.told(key), self.told(each)] for key, each in value.items()]}

    def _array(self, value: NDArray[Any]) -> Any:
        descr = np.lib.format.dtype_to_descr(value.dtype)
        _descr(json.loads(json.dumps(descr)))  # refuses what could not be read again: objects, dates
        flat = np.ascontiguousarray(value).reshape(-1)
        self.parts.append(flat.view(np.uint8).data if value.nbytes else memoryview(b""))
        return descr

    def _tensor(self, value: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(value, torch.Tensor):
            raise TypeError(f"a value of type {type(value).__name__} cannot be kept")
        name = str(value.dtype).removeprefix("torch.")
        if name not in _TENSORS:
            raise TypeError(f"a tensor of {name} cannot be kept")
        flat = value.detach().cpu().contiguous().reshape(-1)
        self.parts.append(flat.view(torch.uint8).numpy().data if flat.numel() else memoryview(b""))
        return [name, list(value.shape)]


class _Reader:
    """Makes values of what a header says, and takes the arrays in their order."""

    def __init__(self, prefix: bytes, data: bytearray) -> None:
        digest = hashlib.sha256(prefix)
        digest.update(memoryview(data)[:-_DIGEST])
        if digest.digest() != data[-_DIGEST:]:
            raise Damaged("the checksum is another")
        self._data, self._end = data, len(data) - _DIGEST
        self._at = int.from_bytes(prefix[16:], "little")

    def value(self) -> Any:
        """Everything; raises Damaged."""
        try:
            if self._at > self._end:
                raise ValueError("a header longer than everything")
            value = self._made(json.loads(self._data[: self._at].decode(), parse_constant=_reject))
        except _MADE_UP as problem:
            raise Damaged(f"{type(problem).__name__}: {problem}") from None
        if self._at != self._end:
            raise Damaged("more than the header speaks of")
        return value

    def _made(self, told: Any) -> Any:
        if isinstance(told, list):
            return [self._made(each) for each in told]
        if not isinstance(told, dict):
            return told
        ((kind, what),) = told.items()
        return _KINDS[kind](self, what)

    def _tuple(self, what: list[Any]) -> Any:
        return tuple(self._made(each) for each in what)

    def _dict(self, what: dict[str, Any]) -> Any:
        return {key: self._made(each) for key, each in what.items()}

    def _items(self, what: list[Any]) -> Any:
        return {self._made(key): self._made(each) for key, each in what}

    def _float(self, what: str) -> Any:
        return float(_ODD[_ODD.index(what)])

    def _array(self, what: list[Any]) -> Any:
        dtype, shape = np.dtype(_descr(what[0])), _shape(what[1])
        first = self._take(dtype.itemsize * prod(shape))
        return np.ndarray(shape, dtype, self._data, first).copy()

    def _scalar(self, what: Any) -> Any:
        return self._array([what, []])[()]

    def _tensor(self, what: list[Any]) -> Any:
        import torch

        name, shape = what[0], _shape(what[1])
        if name not in _TENSORS:
            raise ValueError("no such tensor")
        dtype: torch.dtype = getattr(torch, name)
        size = dtype.itemsize * prod(shape)
        first = self._take(size)
        if not size:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self._data[first : first + size], dtype=dtype).reshape(shape)

    def _take(self, size: int) -> int:
        """Where the next so many bytes begin."""
        first, self._at = self._at, self._at + size
        if self._at > self._end:
            raise ValueError("an array longer than what is there")
        return first


_KINDS: dict[str, Callable[[_Reader, Any], Any]] = {
    "array": _Reader._array, "dict": _Reader._dict, "float": _Reader._float, "items": _Reader._items,
    "scalar": _Reader._scalar, "tensor": _Reader._tensor, "tuple": _Reader._tuple,
}  # fmt: skip


def _descr(told: Any) -> Any:
    """What numpy makes a type of, from the same in JSON; raises ValueError for types that are more than bytes."""
    if isinstance(told, list) and told:
        return [(_field(name), _descr(descr), *map(_shape, shape)) for name, descr, *shape in told]
    if not isinstance(told, str) or not _SIMPLE.fullmatch(told):
        raise TypeError(f"an array of type {told} cannot be kept")
    return told


def _field(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("an array whose fields have titles cannot be kept")
    return name


def _shape(told: Any) -> tuple[int, ...]:
    shape = tuple(told)
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("no shape")
    return shape


def _reject(constant: str) -> NoReturn:
    raise ValueError(constant)
