"""Export the names of a package's modules lazily: a module is imported when one of its names is first used."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


@cache
def lazy_exports(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that exports the names which it imports under ``TYPE_CHECKING``.

    These imports are the only table of what a package exports: type checkers and import-linter read it, too.

    Args:
        package: ``__name__`` of the package.

    Returns:
        A function that loads the value of a name, or raises AttributeError.
    """
    table: dict[str, str] = {}

    def __getattr__(name: str) -> Any:
        if not table:
            table.update(_imports_under_type_checking(package))
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = table[name]
        value = import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__


def _imports_under_type_checking(package: str) -> dict[str, str]:
    """Return the module of each name that the source of a package imports under ``TYPE_CHECKING``."""
    loader = sys.modules[package].__loader__
    tree = ast.parse(loader.get_source(package))  # type: ignore[union-attr]
    blocks = (node.body for node in tree.body if isinstance(node, ast.If))
    imports = (node for block in blocks for node in block if isinstance(node, ast.ImportFrom))
    return {alias.name: node.module or "" for node in imports for alias in node.names}
