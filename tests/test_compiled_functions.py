"""What would make compiled functions crash, or compile slowly."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.syntax_trees import syntax_tree

DEVICE = "device_function"
DECORATORS = ("kernel", DEVICE, "inlined_function", "njit")


ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("abl_cards", "reasoners", "learners", "experiments", "tests")


@cache
def python_files() -> list[Path]:
    """Return the files with compiled functions, and those that may call them."""
    return [file.resolve() for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]


def decorator_of(node: ast.AST) -> str | None:
    """Return the name of the decorator that compiles a function, or None."""
    if not isinstance(node, ast.FunctionDef):
        return None
    names = (ast.unparse(item).split("(")[0] for item in node.decorator_list)
    return next((name for name in names if name in DECORATORS), None)


def names_outside_of_kernels(node: ast.AST) -> Iterator[str]:
    """Yield the names that are read where Python runs."""
    for child in ast.iter_child_nodes(node):
        if decorator_of(child) is None:
            if isinstance(child, ast.Name):
                yield child.id
            yield from names_outside_of_kernels(child)


def device_functions(tree: ast.Module) -> set[str]:
    """Return the names of the device functions of a module."""
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and decorator_of(node) == DEVICE}


def imported_names(tree: ast.Module) -> set[str]:
    """Return the names that a module imports from others."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


def assigned_arrays(function: ast.FunctionDef) -> Iterator[int]:
    """Yield the lines that assign what may be an array to a slice."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            has_slice = any(isinstance(part, ast.Slice) for part in ast.walk(node.targets[0].slice))
            value = node.value
            may_be_array = not isinstance(value, ast.Constant | ast.Call)
            if has_slice and may_be_array and not (isinstance(value, ast.Name) and value.id.isupper()):
                yield node.lineno


def test_python_calls_no_device_function() -> None:
    """They have no entry from Python: a call crashes the process."""
    trees = {file: syntax_tree(file) for file in python_files()}
    everywhere = {name for tree in trees.values() for name in device_functions(tree)}
    assert len(everywhere) > 100
    for file, tree in trees.items():
        here = device_functions(tree) | (everywhere & imported_names(tree))
        assert not here.intersection(names_outside_of_kernels(tree)), file


def test_kernels_assign_no_arrays_to_slices() -> None:
    found = [
        f"{path}:{line}"
        for path in python_files()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.FunctionDef) and decorator_of(node)
        for line in assigned_arrays(node)
    ]
    assert not found


@pytest.mark.parametrize("value", ["row", "rows[2]", "rows[1:] + 1", "tables.row"])
def test_assignments_of_arrays_are_found(value: str) -> None:
    function = ast.parse(f"def f(target):\n    target[:] = {value}\n    target[1:] = 0\n    target[:] = NONE").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert list(assigned_arrays(function)) == [2]
