"""Conversion of templates to programs for old Pythons: inlined imports, no annotations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

_FUTURE = "from __future__ import annotations\n"


class _Span(NamedTuple):
    """Removed range of a source: lines from 1, columns in bytes."""

    first: tuple[int, int]
    last: tuple[int, int]


def inline_module(source: str, name: str) -> str:
    """Return a program with the import of a module of this package replaced by the module."""
    _, module = (files(__package__) / f"{name}.py").read_text("utf-8").split(_FUTURE, 1)
    imported = re.compile(rf"^from {re.escape(__package__)}\.{name} import (\([^)]*\)|.*)\n", re.MULTILINE)
    return imported.sub(lambda _: module, source)


def strip_annotations(source: str) -> str:
    r"""Remove annotations, so that a program runs on any Python from 3.6 on; comments and lines stay.

    >>> strip_annotations("def f(n: int = 1, *more: str) -> int:\n    m: int = n  # so\n    return m\n")
    'def f(n = 1, *more):\n    m = n  # so\n    return m\n'
    """
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    for first, last in sorted(_annotation_spans(ast.parse(source), lines), reverse=True):
        before, after = lines[first[0] - 1][: first[1]], lines[last[0] - 1][last[1] :]
        lines[first[0] - 1 : last[0]] = [before + after]
    return b"".join(lines).decode()


def _annotation_spans(tree: ast.Module, lines: list[bytes]) -> Iterator[_Span]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation:
            start = node.lineno, node.col_offset + len(node.arg.encode())
            yield _Span(start, _end_position(node.annotation))
        elif isinstance(node, ast.FunctionDef) and node.returns:
            row = node.returns.lineno
            yield _Span((row, lines[row - 1].rindex(b" ->", 0, node.returns.col_offset)), _end_position(node.returns))
        elif isinstance(node, ast.AnnAssign):
            is_bare = node.value is None
            yield _Span(
                (node.lineno, node.col_offset) if is_bare else _end_position(node.target),
                _end_position(node.annotation),
            )
        elif _is_type_only(node):
            assert isinstance(node, ast.stmt)
            yield _Span((node.lineno, 0), (_end_position(node)[0] + 1, 0))


def _is_type_only(node: ast.AST) -> bool:
    """Return whether a statement serves type checkers only."""
    if isinstance(node, ast.ImportFrom):
        return node.module in ("__future__", "typing")
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _end_position(node: ast.expr | ast.stmt) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset
