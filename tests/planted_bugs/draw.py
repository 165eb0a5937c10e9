"""Draw small edits of the source code by a seed: one of each package, the others in proportion to its lines."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = (
    *(f"abl_cards/{name}" for name in ("core", "asp", "circuit", "games", "protocols", "agents", "matches", "env")),
    *(f"abl_cards/{name}" for name in ("training", "ablation", "cluster", "hand_analysis", "rulelab", "server")),
    *("abl_cards/web", "abl_cards/cli", "abl_cards/bench", "learners", "reasoners", "experiments"),
)
MAX_CONTEXT = 12  # lines before the edited statement that may be quoted to make its place unique

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.And: "or", ast.Or: "and",
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Edit:
    """One edit: in ``file``, the text ``old``, which occurs once, becomes ``new``."""

    file: str
    old: str
    new: str


def draw(seed: int, count: int) -> Iterator[Edit]:
    """Yield ``count`` edits, the same ones for a seed and a state of the source code."""
    generator = random.Random(seed)
    files = {package: sorted(_sources(package)) for package in PACKAGES}
    lines = {package: sum(len(path.read_text().splitlines()) for path in paths) for package, paths in files.items()}
    more = generator.choices(
        PACKAGES, weights=[lines[package] for package in PACKAGES], k=max(0, count - len(PACKAGES))
    )
    for package in (*PACKAGES, *more):
        yield _draw_edit(generator, files[package])


def _sources(package: str) -> Iterator[Path]:
    for path in (ROOT / package).rglob("*.py"):
        if path.name != "__init__.py":
            yield path


def _draw_edit(generator: random.Random, paths: list[Path]) -> Edit:
    """Draw a file by its length, then one of the places in it that can be edited."""
    weights = [path.stat().st_size for path in paths]
    while True:
        path = generator.choices(paths, weights=weights)[0]
        source = path.read_text()
        nodes = list(_expressions(source))
        if not nodes:
            continue
        node = generator.choice(nodes)
        changed = _changed(node, source)
        edit = _as_edit(path, source, node, changed) if changed is not None else None
        if edit is not None:
            return edit


def _expressions(source: str) -> Iterator[ast.expr]:
    """Yield the comparisons, operations, calls and constants in bodies of functions; those of inner functions twice."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Call | ast.Constant):
                        yield node


def _changed(node: ast.expr, source: str) -> str | None:
    """Return the text of a node after its edit, None where the node has no edit."""
    text = ast.get_source_segment(source, node)
    if text is None or "\n" in text or any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):
        return None
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in _OPERATORS:
            return f"{_text(source, left)} {_OPERATORS[type(operator)]} {_text(source, right)}"
        case ast.BinOp(op=operator, left=left, right=right) if type(operator) in _OPERATORS:
            return f"{_text(source, left)} {_OPERATORS[type(operator)]} {_text(source, right)}"
        case ast.BoolOp(op=operator, values=[left, right]):
            return f"{_text(source, left)} {_OPERATORS[type(operator)]} {_text(source, right)}"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"bool({_text(source, operand)})"
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            return _CALLS[name] + text.removeprefix(name)
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int(value)):
            return str(value + 1)
    return None


def _text(source: str, node: ast.expr) -> str:
    """Return a node's text, in parentheses where it is more than a name, a constant, a call or an item."""
    text = ast.get_source_segment(source, node) or ""
    atom = isinstance(node, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute)
    return text if atom else f"({text})"


def _as_edit(path: Path, source: str, node: ast.expr, changed: str) -> Edit | None:
    """Return the edit with as many lines before it as make its place unique, None where twelve are too few."""
    lines = source.splitlines(keepends=True)
    row = node.lineno - 1
    line = lines[row].encode()
    edited = (line[: node.col_offset] + changed.encode() + line[node.end_col_offset :]).decode()
    if edited == lines[row]:
        return None
    for context in range(MAX_CONTEXT):
        before = "".join(lines[max(0, row - context) : row])
        if source.count(before + lines[row]) == 1:
            return Edit(path.relative_to(ROOT).as_posix(), before + lines[row], before + edited)
    return None
