"""Code of device functions, which only kernels run."""

from __future__ import annotations

from pathlib import Path

from tests.core.test_jit_cache import run_outer
from tests.effort import long

SECOND_KERNEL = """
from abl_cards.core import kernel
from inner import times_factor

@kernel
def times_factor_of_last(value):
    return times_factor(value - 1)

print(times_factor_of_last(3), *times_factor.stats.cache_hits.values())
[result] = times_factor.overloads.values()
print(result.library._codegen._engine.is_symbol_defined(result.fndesc.llvm_func_name))
"""


def test_device_functions_have_no_machine_code_of_their_own(tmp_path: Path) -> None:
    """Otherwise kernels may call it, which is not optimised, where their own code is not put in place of the call."""
    assert run_outer(tmp_path, outer=SECOND_KERNEL) == ["6", "False"]


@long
def test_device_functions_from_the_cache_have_none_either(tmp_path: Path) -> None:
    assert run_outer(tmp_path, outer=SECOND_KERNEL) == ["6", "False"]
    assert run_outer(tmp_path, outer=SECOND_KERNEL.replace("- 1", "- 2")) == ["3", "1", "False"]
    assert run_outer(tmp_path) == ["6"]
