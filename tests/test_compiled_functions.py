"""Misuse of compiled functions: calls that crash the process, and assignments that compile slowly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.syntax_trees import syntax_tree

DEVICE = "device_function"
DECORATORS = ("kernel", DEVICE, "njit")
COMPILES = re.compile(rf"^from numba import|^@({'|'.join(DECORATORS)})\b", re.MULTILINE)

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("abl_cards", "reasoners", "learners", "experiments", "tests")


@cache
def read_python_files() -> dict[Path, str]:
    """Return the texts of the files with compiled functions, and of those that may call them."""
    files = [file.resolve() for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    return {file: file.read_text("utf-8") for file in files}


def get_compile_decorator(node: ast.AST) -> str | None:
    """Return the name of the decorator that compiles a function, or None."""
    if not isinstance(node, ast.FunctionDef):
        return None
    names = (ast.unparse(item).split("(")[0] for item in node.decorator_list)
    return next((name for name in names if name in DECORATORS), None)


def find_names_outside_of_kernels(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes of names that are read where Python runs."""
    for child in ast.iter_child_nodes(node):
        if get_compile_decorator(child) is None:
            if isinstance(child, ast.Name):
                yield child.id
            elif isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name) and child.value.id != "self":
                yield child.attr
            yield from find_names_outside_of_kernels(child)


def find_aliased_imports(tree: ast.Module, names: set[str]) -> list[str]:
    """Return those of some names that a module imports under another name."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return [alias.name for node in imports for alias in node.names if alias.asname and alias.name in names]


def find_array_assignments(function: ast.FunctionDef) -> Iterator[int]:
    """Yield the lines that assign what may be an array to a slice."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            has_slice = any(isinstance(part, ast.Slice) for part in ast.walk(node.targets[0].slice))
            value = node.value
            may_be_array = not isinstance(value, ast.Constant | ast.Call)
            if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Tuple):  # one value of a table
                may_be_array = any(isinstance(part, ast.Slice) for part in value.slice.elts)
            if has_slice and may_be_array and not (isinstance(value, ast.Name) and value.id.isupper()):
                yield node.lineno


def test_python_calls_no_device_function() -> None:
    """They have no entry from Python: a call crashes the process. Their names are not those of other functions."""
    names = {name for text in read_python_files().values() for name in re.findall(r"@device_function\ndef (\w+)", text)}
    assert len(names) > 100
    uses_one = re.compile(rf"\b({'|'.join(names)})\b")
    for file in [file for file, text in read_python_files().items() if uses_one.search(text)]:
        assert not names.intersection(find_names_outside_of_kernels(syntax_tree(file))), file
        assert not find_aliased_imports(syntax_tree(file), names), file


@pytest.mark.parametrize("call", ["walk()", "enumerate_.walk()", "map(walk, rows)", "{'walk': walk}"])
def test_uses_of_device_functions_are_found(call: str) -> None:
    tree = ast.parse(f"@kernel\ndef f():\n    walk()\ndef g():\n    {call}\nself.walk()")
    assert "walk" in find_names_outside_of_kernels(tree.body[1])
    assert "walk" not in [*find_names_outside_of_kernels(ast.Module([tree.body[0], tree.body[2]], []))]
    assert find_aliased_imports(ast.parse("from a import walk as step"), {"walk"}) == ["walk"]


def test_kernels_assign_no_arrays_to_slices() -> None:
    found = [
        f"{file}:{line}"
        for file, text in read_python_files().items()
        if COMPILES.search(text)
        for node in ast.walk(syntax_tree(file))
        if isinstance(node, ast.FunctionDef) and get_compile_decorator(node)
        for line in find_array_assignments(node)
    ]
    assert not found


@pytest.mark.parametrize("value", ["row", "rows[2]", "rows[:, 2]", "rows[1:] + 1", "tables.row"])
def test_assignments_of_arrays_are_found(value: str) -> None:
    function = ast.parse(
        f"def f(target):\n    target[:] = {value}\n    target[1:] = 0\n    target[:] = NONE\n    target[:] = rows[2, 3]"
    ).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert list(find_array_assignments(function)) == [2]
