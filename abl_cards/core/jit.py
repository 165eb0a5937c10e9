"""Decorators of functions that numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numba import njit, types
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from abl_cards.core.device_library import DeviceFunctionCache, DeviceLibrary
from abl_cards.core.jit_cache import KernelCache


def _compile_with(cache: type[KernelCache] = KernelCache, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function at its first call and keeps the code on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, **options)(function)
        dispatcher._cache = cache(function)
        dispatcher.get_call_template = _drop_literals(dispatcher.get_call_template)
        return dispatcher

    return decorate


def _drop_literals(get_call_template: Callable[..., Any]) -> Callable[..., Any]:
    """Let calls with a constant share the code of calls with any number; numba compiles each constant by itself."""

    def find(args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        return get_call_template(tuple(map(types.unliteral, args)), {name: types.unliteral(kws[name]) for name in kws})

    return find


kernel = _compile_with(no_cfunc_wrapper=True)
"""Compile a function that Python calls, and kernels may call."""


class _DeviceCompiler(Compiler):
    """Compiles a function for the kernels that call it."""

    def define_pipelines(self) -> Any:
        self.state.library = DeviceLibrary(self.state.targetctx.codegen(), "device")  # type: ignore[no-untyped-call]
        return super().define_pipelines()  # type: ignore[no-untyped-call]


device_function = _compile_with(
    DeviceFunctionCache, no_cfunc_wrapper=True, no_cpython_wrapper=True, pipeline_class=_DeviceCompiler
)
"""Compile a function that only kernels call. Python crashes that calls it: it has no machine code of its own."""


@device_function
def copy_values(source, target, count):  # type: ignore[no-untyped-def]
    """Copy the first ``count`` values of an array to another one.

    numba compiles ``target[:] = source`` with a check for overlapping arrays and a message with their shapes, which
    takes five seconds in a process.
    """
    for index in range(count):
        target[index] = source[index]


def _type_borrowed(_: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _borrow(context, builder, signature.args[0], values[0])

    return arrays(arrays), generate


def _borrow(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    from numba.np.arrayobj import make_array  # takes 20 ms, and is needed only where something is compiled

    parts: Any = kind
    if isinstance(kind, types.BaseTuple):
        for index, part in enumerate(parts):
            borrowed = _borrow(context, builder, part, builder.extract_value(value, index))
            value = builder.insert_value(value, borrowed, index)
    elif isinstance(kind, types.Array):
        array = make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        value = array._getvalue()
    else:
        context.nrt.incref(builder, kind, value)  # of a string; numbers have no references
    return value


borrow_arrays: Any = intrinsic(_type_borrowed)
"""In a kernel: return an array, or a tuple of arrays and numbers, whose references are not counted.

At a call of a function that it does not inline, numba counts the references to each array of a named tuple up and down,
which takes longer than a short function does, and threads wait for each other's counts. The caller of the kernel keeps
the arrays, so it is for arguments of the kernel alone, and the kernel must not return them.
"""
