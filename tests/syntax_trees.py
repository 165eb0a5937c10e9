"""Python modules of the checkout, each parsed once for all tests of the code's form."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax_tree(file: Path) -> ast.Module:
    """Return the syntax tree of a Python file, given without links."""
    return ast.parse(file.read_bytes())
