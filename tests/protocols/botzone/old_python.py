"""Find syntax, modules and names of the library that an old Python lacks."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator

Version = tuple[int, int]

MODULES: dict[str, Version] = {
    "contextvars": (3, 7), "dataclasses": (3, 7), "importlib.resources": (3, 7), "importlib.metadata": (3, 8),
    "graphlib": (3, 9), "zoneinfo": (3, 9), "tomllib": (3, 11), "annotationlib": (3, 14), "compression": (3, 14),
}  # fmt: skip
"""Modules of the library that came after 3.6."""

NAMES: dict[str, Version] = {
    **dict.fromkeys(("capture_output", "isascii", "nullcontext", "remainder", "time_ns", "perf_counter_ns",
                     "monotonic_ns", "breakpoint", "get_running_loop", "reconfigure", "fromisoformat"), (3, 7)),
    **dict.fromkeys(("prod", "comb", "perm", "dist", "isqrt", "cached_property", "singledispatchmethod", "Protocol",
                     "Final", "Literal", "TypedDict", "initial", "NormalDist", "fmean", "geometric_mean",
                     "quantiles", "multimode", "missing_ok", "dirs_exist_ok", "parallel_unlink"), (3, 8)),
    **dict.fromkeys(("removeprefix", "removesuffix", "lcm", "nextafter", "ulp", "randbytes", "to_thread",
                     "is_relative_to", "with_stem", "readlink", "Annotated"), (3, 9)),
    **dict.fromkeys(("bit_count", "pairwise", "strict", "aiter", "anext", "EncodingWarning", "TypeAlias",
                     "TypeGuard", "ParamSpec", "hardlink_to"), (3, 10)),
    **dict.fromkeys(("cbrt", "exp2", "chdir", "ExceptionGroup", "BaseExceptionGroup", "StrEnum", "TaskGroup",
                     "timeout", "Self", "LiteralString", "assert_never", "add_note"), (3, 11)),
    **dict.fromkeys(("batched", "sumprod", "binomialvariate", "override", "walk_up"), (3, 12)),
}  # fmt: skip
"""Functions, methods, classes and keywords that came after 3.6; own definitions of a program are exempt."""

GENERIC = {"dict", "frozenset", "list", "set", "tuple", "type"}
"""Classes that take types in brackets from 3.9 on."""


def too_new(source: str, version: Version = (3, 6)) -> list[str]:
    """Return the features of a source that a version of Python lacks, each with its line.

    >>> too_new("import dataclasses")
    ['line 1: dataclasses is of 3.7']
    >>> too_new("if (n := 1): pass")
    ['line 1: Assignment expressions are only supported in Python 3.8 and greater']
    """
    try:
        tree = ast.parse(source, feature_version=version)
    except SyntaxError as problem:
        return [f"line {problem.lineno}: {problem.msg}"]
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    features = ((node, name, since) for node in ast.walk(tree) for name, since in _new(node) if name not in own)
    return [
        f"line {getattr(node, 'lineno', 0)}: {name} is of {since[0]}.{since[1]}"
        for node, name, since in features
        if since > version
    ]


def _new(node: ast.AST) -> Iterator[tuple[str, Version]]:
    """Yield the names of a node, with the versions that introduced them."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, _module(alias.name)) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        yield module, _module(module)
        for alias in node.names:
            yield alias.name, _feature(alias.name) if module == "__future__" else NAMES.get(alias.name, (3, 0))
    elif isinstance(node, ast.Attribute):
        yield node.attr, NAMES.get(node.attr, (3, 0))
    elif isinstance(node, ast.Name):
        yield node.id, NAMES.get(node.id, (3, 0)) if isinstance(node.ctx, ast.Load) else (3, 0)
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg, NAMES.get(node.arg, (3, 0))
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in GENERIC:
        yield f"{node.value.id}[…]", (3, 9)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and isinstance(node.right, ast.Dict):
        yield "{…} | {…}", (3, 9)


def _module(name: str) -> Version:
    return max(MODULES.get(name, (3, 0)), MODULES.get(name.partition(".")[0], (3, 0)))


def _feature(name: str) -> Version:
    release = getattr(__future__, name).getOptionalRelease()
    return release[0], release[1]
