"""The cache of compiled functions on disk, which notices changes in other modules too.

The machine code of a function holds the code of what it calls, and the values of the constants it reads. numba
compares the file of the function alone, so after a change elsewhere it would run the old code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import EnumMeta
from functools import cache
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.caching import FunctionCache

_LIBRARIES = ("math", "numba", "numpy")  # their versions change with an installation


class KernelCache(FunctionCache):
    """A cache whose entries are found by the code of all functions that a function calls."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        key = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        return (*key, type(self).__name__, hash_dependencies(self._py_func))  # each cache stores code of its own form


def hash_dependencies(function: Callable[..., Any]) -> str:
    """Return a digest of a function's code, of all functions it calls, and of the constants they read.

    Args:
        function: A function, not compiled. What it reads must exist by now.

    Returns:
        The digest in hexadecimal digits, equal in every process.
    """
    digests: dict[Any, str] = {}
    pending: list[Any] = [function]
    while pending:
        caller = pending.pop()
        if caller not in digests:
            digests[caller], callees = _hash_function(caller)
            pending += callees
    return sha256("".join(sorted(digests.values())).encode()).hexdigest()


@cache
def _hash_function(function: FunctionType) -> tuple[str, list[FunctionType]]:
    """Return a digest of a function's code and constants, and the functions that it calls."""
    constants, callees = [], []
    for name, value in _read_values(function):
        callee = getattr(value, "py_func", getattr(value, "__wrapped__", value))  # compiled functions, intrinsics
        if isinstance(callee, FunctionType):
            callees.append(callee)
        constants.append(f"{name}={_describe_value(callee)}")
    text = f"{function.__qualname__}: {_describe_code(function.__code__)} {sorted(constants)}"
    return sha256(text.encode()).hexdigest(), callees


def _read_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the names and values that a function may read from outside, those in modules that it reads included."""
    names = set(_list_names(function.__code__))
    outside = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        outside[name] = cell.cell_contents
    yield from outside.items()
    for module in outside.values():
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] not in _LIBRARIES:
            yield from ((name, getattr(module, name)) for name in names if hasattr(module, name))


def _list_names(code: CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes in code, that of nested functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_names(constant)


def _describe_code(code: CodeType) -> str:
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {[_describe_value(v) for v in code.co_consts]}"


def _describe_value(value: Any) -> str:
    """Return a text that is equal in every process for equal constants."""
    if isinstance(value, CodeType):
        return _describe_code(value)
    if isinstance(value, FunctionType | ModuleType):
        return value.__name__
    if isinstance(value, EnumMeta):
        members: list[Any] = list(value)
        return f"{value.__qualname__} {[(member.name, member.value) for member in members]}"
    if isinstance(value, type):
        return f"{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, frozenset):
        return str(sorted(map(_describe_value, value)))
    if isinstance(value, tuple):
        return str([_describe_value(part) for part in value])
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    is_plain = isinstance(value, bool | int | float | complex | str | bytes | np.generic | np.dtype | type(None))
    return repr(value) if is_plain else type(value).__qualname__
