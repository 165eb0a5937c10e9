"""Code of device functions: it is linked into the kernels that call it, optimised there, and never run on its own.

As any other function of numba it would be optimised and turned into machine code by itself too, which takes time. Left
as it is, but turned into machine code, it would be worse: the linker takes the first definition of a function, so the
kernels that are compiled in a process would call this slow code in the place of their own.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult

from abl_cards.core.jit_cache import KernelCache


class DeviceLibrary(JITCodeLibrary):
    """A library without machine code, from which kernels take a function."""

    @property
    def codegen(self) -> DeviceLibrary:
        """The library itself, where numba would set an environment in machine code."""
        return self

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> DeviceLibrary:
        """Return a library that was stored."""
        library = cls(codegen, name)
        library._final_module = binding.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library

    def _optimize_final_module(self) -> None:
        """Leave that to the kernels."""

    def _finalize_final_module(self) -> None:
        """Make the code ready for kernels, without machine code."""
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        return 0

    def set_env(self, env_name: str, env: Any) -> None:
        """Set nothing: there is no machine code."""

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """Return the name and the code that kernels take."""
        return self.name, self._final_module.as_bitcode()


class _DeviceResultCache(CompileResultCacheImpl):
    """Stores device functions."""

    def rebuild(self, target_context: Any, payload: Any) -> CompileResult:
        """Return a device function that was stored, by the fields that ``CompileResult`` stores."""
        code, fndesc, environment, signature, objectmode, lifted, annotation, reload_init, environments = payload
        library = DeviceLibrary.from_bitcode(target_context.codegen(), *code)
        fields: dict[str, Any] = {
            "target_context": target_context, "typing_context": target_context.typing_context, "library": library,
            "entry_point": target_context.get_executable(library, fndesc, environment), "fndesc": fndesc,
            "environment": environment, "signature": signature, "objectmode": objectmode, "lifted": lifted,
            "type_annotation": annotation, "reload_init": reload_init, "referenced_envs": environments,
            "typing_error": None, "call_helper": None, "metadata": None,
        }  # fmt: skip
        return CompileResult(**fields)


class DeviceFunctionCache(KernelCache):
    """A cache of device functions."""

    _impl_class: Any = _DeviceResultCache
