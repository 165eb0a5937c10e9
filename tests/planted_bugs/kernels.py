"""Find the files whose compiled kernels contain code of another file, which numba does not notice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_KERNEL = re.compile(r"^from numba import|^@(njit|kernel|device_function|inlined_function)\b", re.MULTILINE)


def find_dependants(root: Path, path: Path, tops: Sequence[str]) -> list[Path]:
    """Return a file and the kernel files that import from it, directly or through others, sorted.

    Args:
        root: Folder of the checkout.
        path: A source file in it.
        tops: Folders that hold kernel files.

    Returns:
        The file alone if it has no kernels.
    """
    dependants = {path}
    if not has_kernels(path.read_text("utf-8")):
        return [path]
    kernel_files = {file for top in tops for file in (root / top).rglob("*.py") if has_kernels(file.read_text("utf-8"))}
    imported = {file: set(_imported_files(root, file)) for file in kernel_files}
    while more := {file for file, files in imported.items() if files & dependants} - dependants:
        dependants |= more
    return sorted(dependants)


def find_caches(path: Path) -> list[Path]:
    """Return the files in which numba keeps the compiled kernels of a source file."""
    return list((path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ic]"))


def has_kernels(text: str) -> bool:
    """Return whether the text of a module may have functions that numba compiles."""
    return bool(_KERNEL.search(text))


def _imported_files(root: Path, path: Path, name: str | None = None) -> Iterator[Path]:
    """Yield the files from which a file imports names, or one name; a package stands for the modules that define it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        for alias in node.names:
            if name not in (None, alias.asname or alias.name):
                continue
            file = _module_file(root, f"{node.module}.{alias.name}") or _module_file(root, node.module)
            if file is not None and file.name == "__init__.py" and file != path:
                yield from _imported_files(root, file, alias.name)
            elif file is not None:
                yield file


def _module_file(root: Path, module: str) -> Path | None:
    """Return the file of a module of the checkout, with links resolved."""
    base = root.joinpath(*module.split("."))
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        if file.is_file():
            return file.resolve()
    return None
