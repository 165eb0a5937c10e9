"""Resolve names of Python modules to what they mean, by scope: which module-level symbol each identifier names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Scope:
    """Names bound in a module, class, function or comprehension."""

    kind: str
    bound: set[str] = field(default_factory=set)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)  # local name -> (module, name or None)
    outer: set[str] = field(default_factory=set)  # declared global


def bindings(body: list[ast.stmt] | ast.AST, scope: Scope, package: str) -> None:
    """Collect what a scope binds, without entering nested scopes."""
    stack: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.bound.add(node.name)
            stack += node.decorator_list
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    scope.bound.add(inner.target.id)
            continue
        if isinstance(node, ast.Import):
            for each in node.names:
                scope.bound.add(each.asname or each.name.partition(".")[0])
                if each.asname:
                    scope.imports[each.asname] = each.name, None
                else:
                    scope.imports[each.name.partition(".")[0]] = each.name.partition(".")[0], None
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                local = each.asname or each.name
                scope.bound.add(local)
                scope.imports[local] = absolute(node, package), each.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            scope.bound.add(node.id)
        elif isinstance(node, ast.Global):
            scope.outer |= set(node.names)
        elif (isinstance(node, ast.ExceptHandler) and node.name) or (
            isinstance(node, ast.MatchAs | ast.MatchStar) and node.name
        ):
            scope.bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.bound.add(node.rest)
        stack += list(ast.iter_child_nodes(node))


def absolute(node: ast.ImportFrom, package: str) -> str:
    """The module that a from-import names."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


class Resolver(ast.NodeVisitor):
    """Yields every identifier that names a module-level symbol: (line, column in bytes, text, module, name)."""

    def __init__(self, module: str, package: str, tree: ast.Module) -> None:
        self.module, self.package = module, package
        self.found: list[tuple[int, int, str, str, str]] = []
        self.modules: list[tuple[ast.Attribute, str, str]] = []  # attribute of an imported module: node, module, name
        top = Scope("module")
        bindings(tree.body, top, package)
        self.scopes = [top]
        self.visit_body(tree.body)

    def visit_body(self, body: list[ast.stmt]) -> None:
        for node in body:
            self.visit(node)

    def look(self, name: str) -> tuple[str, str | None] | None:
        """(module, name) that a name means here; None where it is local or builtin."""
        for depth, scope in enumerate(reversed(self.scopes)):
            if scope.kind == "class" and depth:
                continue
            if name in scope.outer:
                scope = self.scopes[0]
            if name in scope.bound:
                if name in scope.imports:
                    return scope.imports[name]
                return (self.module, name) if scope.kind == "module" else None
        return None

    def visit_Name(self, node: ast.Name) -> None:
        meaning = self.look(node.id)
        if meaning and meaning[1] is not None:
            self.found.append((node.lineno, node.col_offset, node.id, *meaning))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            meaning = self.look(node.value.id)
            if meaning:
                module = f"{meaning[0]}.{meaning[1]}" if meaning[1] else meaning[0]
                self.modules.append((node, module, node.attr))
        self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in node.decorator_list:
            self.visit(each)
        self._outside(node.args)
        if node.returns:
            self.visit(node.returns)
        scope = Scope("function", parameters(node.args))
        bindings(node.body, scope, self.package)
        self.scopes.append(scope)
        self.visit_body(node.body)
        self.scopes.pop()

    def _outside(self, args: ast.arguments) -> None:
        for each in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if each is not None and each.annotation:
                self.visit(each.annotation)
        for default in [*args.defaults, *args.kw_defaults]:
            if default is not None:
                self.visit(default)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._outside(node.args)
        self.scopes.append(Scope("function", parameters(node.args)))
        self.visit(node.body)
        self.scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(each)
        scope = Scope("class")
        bindings(node.body, scope, self.package)
        self.scopes.append(scope)
        self.visit_body(node.body)
        self.scopes.pop()

    def _comprehension(self, node: ast.AST, generators: list[ast.comprehension], results: list[ast.expr]) -> None:
        self.visit(generators[0].iter)
        scope = Scope("function")
        for each in generators:
            bindings(each.target, scope, self.package)
        self.scopes.append(scope)
        for number, each in enumerate(generators):
            if number:
                self.visit(each.iter)
            self.visit(each.target)
            for test in each.ifs:
                self.visit(test)
        for each in results:
            self.visit(each)
        self.scopes.pop()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node, node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node, node.generators, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node, node.generators, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node, node.generators, [node.key, node.value])


def parameters(args: ast.arguments) -> set[str]:
    """Names of parameters."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {each.arg for each in every if each is not None}


def definitions(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.AST, str]]:
    """(dotted path, node, kind) of all that a module defines: classes, functions, methods, attributes, constants."""

    def walk(body: list[ast.stmt], prefix: str, in_class: bool) -> Iterator[tuple[str, ast.AST, str]]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}.{node.name}", node, "def"
            elif isinstance(node, ast.ClassDef):
                yield f"{prefix}.{node.name}", node, "class"
                yield from walk(node.body, f"{prefix}.{node.name}", True)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for inner in ast.walk(target):
                        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                            yield f"{prefix}.{inner.id}", inner, "name"
            elif isinstance(node, ast.If | ast.Try | ast.With):
                for part in ("body", "orelse", "finalbody"):
                    yield from walk(getattr(node, part, []), prefix, in_class)
                for handler in getattr(node, "handlers", []):
                    yield from walk(handler.body, prefix, in_class)

    yield from walk(tree.body, module, False)
