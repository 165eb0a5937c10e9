"""Collect with mypy every identifier that names a member of a class or a parameter, and which one."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any

from mypy import build, nodes, types
from mypy.main import process_options


@dataclass
class Uses:
    """Identifiers of one file: (line, column in bytes, text) -> dotted paths that it may name."""

    members: dict[tuple[int, int, str], set[str]] = field(default_factory=dict)
    unknown: set[tuple[int, int, str]] = field(default_factory=set)

    def add(self, line: int, column: int, name: str, keys: set[str]) -> None:
        """Note an identifier."""
        if keys:
            self.members.setdefault((line, column, name), set()).update(keys)


def classes_of(kind: types.Type | None) -> list[nodes.TypeInfo]:
    """Classes whose members a value of a type has; an empty list where that is not known."""
    if kind is None:
        return []
    kind = types.get_proper_type(kind)
    if isinstance(kind, types.Instance):
        return [kind.type]
    if isinstance(kind, types.TupleType):
        return [kind.partial_fallback.type]
    if isinstance(kind, types.LiteralType):
        return [kind.fallback.type]
    if isinstance(kind, types.UnionType):
        return [each for item in kind.items for each in classes_of(item)]
    if isinstance(kind, types.TypeVarType):
        return classes_of(kind.upper_bound) + [each for value in kind.values for each in classes_of(value)]
    if isinstance(kind, types.TypeType):
        return classes_of(kind.item)
    if isinstance(kind, types.CallableType) and kind.is_type_obj():
        return classes_of(kind.ret_type)
    if isinstance(kind, types.Overloaded) and kind.is_type_obj():
        return classes_of(kind.items[0].ret_type)
    return []


def is_any(kind: types.Type | None) -> bool:
    """Whether nothing is known of a type."""
    if kind is None:
        return True
    kind = types.get_proper_type(kind)
    if isinstance(kind, types.UnionType):
        return any(is_any(item) for item in kind.items)
    return isinstance(kind, types.AnyType)


def owners(info: nodes.TypeInfo, name: str) -> set[str]:
    """Dotted paths of a member in all classes of the order of resolution that have it."""
    return {f"{each.fullname}.{name}" for each in info.mro if name in each.names}


REFERENCES = {
    "node", "info", "type", "unanalyzed_type", "names", "variable", "analyzed", "alias", "var", "def_info", "setter_type",
    "original_def", "inferred_type", "inferred_item_type", "inferred_iterator_type", "index_type", "impl",
    "original_first_arg", "unreachable_else", "expanded", "original_decorators",
}  # fmt: skip
"""Attributes of nodes that lead to what they name, not to their parts."""


def parts(node: nodes.Node) -> list[nodes.Node]:
    """The nodes that a node consists of: mypy's visitors are compiled and cannot be extended."""
    found: list[nodes.Node] = []
    for name in type(node).__mypyc_attrs__:  # type: ignore[attr-defined]
        if name in REFERENCES or name.startswith("_"):
            continue
        stack = [getattr(node, name, None)]
        while stack:
            value = stack.pop()
            if isinstance(value, nodes.Node) and not isinstance(value, nodes.TypeInfo | nodes.Var | nodes.MypyFile):
                found.append(value)
            elif isinstance(value, list | tuple):
                stack += value
    return found


class Collector:
    """Walks a file."""

    def __init__(self, uses: Uses, kinds: dict[nodes.Expression, types.Type]) -> None:
        self.uses, self.kinds = uses, kinds
        self.infos: list[nodes.TypeInfo] = []
        self.parameters: dict[int, str] = {}
        self.depth = 0

    def walk(self, node: nodes.Node) -> None:
        """Visit a node."""
        for kind, visit in VISITS.items():
            if isinstance(node, kind):
                visit(self, node)
                return
        self.enter(node)

    def enter(self, node: nodes.Node) -> None:
        """Visit the parts of a node."""
        for part in parts(node):
            self.walk(part)

    def visit_class_def(self, o: nodes.ClassDef) -> None:
        self.infos.append(o.info)
        depth, self.depth = self.depth, 0
        self.enter(o)
        self.depth = depth
        self.infos.pop()

    def visit_func_def(self, o: nodes.FuncDef) -> None:
        if self.infos and not self.depth:
            self.uses.add(o.line, -1, o.name, owners(self.infos[-1], o.name))  # -1: after "def "
        paths = {o.fullname}
        if self.infos and not self.depth:
            paths |= owners(self.infos[-1], o.name)
        for argument in o.arguments:
            self.parameters[id(argument.variable)] = "|".join(f"{path}:{argument.variable.name}" for path in paths)
            self.uses.add(
                argument.line, argument.column, argument.variable.name, {f"{p}:{argument.variable.name}" for p in paths}
            )
        self.depth += 1
        self.enter(o)
        self.depth -= 1

    def visit_name_expr(self, o: nodes.NameExpr) -> None:
        if isinstance(o.node, nodes.Var) and id(o.node) in self.parameters:
            self.uses.add(o.line, o.column, o.name, set(self.parameters[id(o.node)].split("|")))
        elif self.infos and not self.depth and o.name in self.infos[-1].names:
            self.uses.add(o.line, o.column, o.name, owners(self.infos[-1], o.name))
        self.enter(o)

    def visit_member_expr(self, o: nodes.MemberExpr) -> None:
        self.enter(o)
        if o.end_line is None or o.end_column is None:
            return
        place = o.end_line, o.end_column - len(o.name.encode()), o.name
        inner = o.expr
        if isinstance(inner, nodes.RefExpr) and isinstance(inner.node, nodes.MypyFile):
            return
        infos: list[nodes.TypeInfo] = []
        if isinstance(inner, nodes.RefExpr) and isinstance(inner.node, nodes.TypeInfo):
            infos = [inner.node]
        kind = self.kinds.get(inner)
        infos += classes_of(kind)
        keys = {key for info in infos for key in owners(info, o.name)}
        if keys:
            self.uses.add(*place, keys)
        elif is_any(kind):
            self.uses.unknown.add(place)

    def visit_super_expr(self, o: nodes.SuperExpr) -> None:
        self.enter(o)
        if o.info is not None and o.end_line is not None and o.end_column is not None:
            place = o.end_line, o.end_column - len(o.name.encode()), o.name
            self.uses.add(*place, {key for base in o.info.mro[1:] for key in owners(base, o.name)})

    def visit_call_expr(self, o: nodes.CallExpr) -> None:
        self.enter(o)
        names = [name for name in o.arg_names if name]
        if names:
            paths = self._callee(o.callee, o)
            for name in names:
                self.uses.add(o.line, o.column, f"{name}=", {f"{path}:{name}" for path in paths})

    def _callee(self, callee: nodes.Expression, call: nodes.CallExpr) -> set[str]:
        """Paths of functions and classes that are called."""
        if isinstance(callee, nodes.RefExpr) and callee.node is not None:
            node = callee.node
            if isinstance(node, nodes.TypeInfo):
                return _constructor(node)
            if isinstance(node, nodes.TypeAlias):
                return {path for info in classes_of(node.target) for path in _constructor(info)}
            if callee.fullname in ("dataclasses.replace", "copy.replace"):
                return {each.fullname for info in classes_of(self.kinds.get(call.args[0])) for each in info.mro}
            if callee.fullname == "functools.partial":
                return self._callee(call.args[0], call)
            if isinstance(node, nodes.FuncDef | nodes.Decorator | nodes.OverloadedFuncDef) and not node.info:
                return {node.fullname}
        if isinstance(callee, nodes.MemberExpr):
            infos = classes_of(self.kinds.get(callee.expr))
            if isinstance(callee.expr, nodes.RefExpr) and isinstance(callee.expr.node, nodes.TypeInfo):
                infos = [*infos, callee.expr.node]
            if callee.name == "_replace":
                return {each.fullname for info in infos for each in info.mro}
            return {path for info in infos for path in owners(info, callee.name)}
        if isinstance(callee, nodes.SuperExpr) and callee.info is not None:
            found = {path for base in callee.info.mro[1:] for path in owners(base, callee.name)}
            if callee.name == "__init__":
                found |= {path for base in callee.info.mro[1:] for path in _constructor(base)}
            return found
        if isinstance(callee, nodes.NameExpr | nodes.IndexExpr) or True:
            kind = self.kinds.get(callee)
            if kind is not None:
                proper = types.get_proper_type(kind)
                if isinstance(proper, types.CallableType):
                    if proper.is_type_obj():
                        return {path for info in classes_of(proper.ret_type) for path in _constructor(info)}
                    if proper.definition is not None and getattr(proper.definition, "fullname", ""):
                        return {proper.definition.fullname}
        return set()


VISITS: dict[type, Any] = {
    nodes.ClassDef: Collector.visit_class_def,
    nodes.FuncDef: Collector.visit_func_def,
    nodes.NameExpr: Collector.visit_name_expr,
    nodes.MemberExpr: Collector.visit_member_expr,
    nodes.SuperExpr: Collector.visit_super_expr,
    nodes.CallExpr: Collector.visit_call_expr,
}


def _constructor(info: nodes.TypeInfo) -> set[str]:
    return {path for each in info.mro for path in (each.fullname, f"{each.fullname}.__init__")}


def collect(root: str, targets: list[str]) -> dict[str, Uses]:
    """Uses by module."""
    os.chdir(root)
    sys.setrecursionlimit(10_000)
    sources, options = process_options(["--config-file", "pyproject.toml", *targets])
    options.export_types = True
    options.preserve_asts = True
    options.incremental = False
    options.cache_dir = os.devnull
    options.warn_unreachable = False
    result = build.build(sources, options)
    for line in result.errors[:20]:
        print("mypy:", line)
    found: dict[str, Uses] = {}
    wanted = {source.module for source in sources}
    for name in wanted:
        tree = result.files.get(name)
        if tree is None:
            continue
        uses = found[name] = Uses()
        collector = Collector(uses, result.types)
        for part in tree.defs:
            collector.walk(part)
    return found
