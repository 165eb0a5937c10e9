"""Decorators of functions that numba compiles."""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, nogil=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
"""Compile a function that Python calls, and kernels may call."""

device_function = njit(cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # type: ignore[call-overload]
"""Compile a function that only kernels call. Python crashes that calls it: it has no entry from there, which would take
a sixth of the time of compiling."""

inlined_function = njit(cache=True, nogil=True, inline="always")
"""Put the body of a function into the kernels that call it, before types are inferred."""


@inlined_function
def copy_values(source, target, count):  # type: ignore[no-untyped-def]
    """Copy the first ``count`` values of an array to another one.

    numba compiles ``target[:] = source`` with a check for overlapping arrays and a message with their shapes, which
    takes five seconds in a process.
    """
    for index in range(count):
        target[index] = source[index]
