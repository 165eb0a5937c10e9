"""Sphinx extension of this project: rule files as code, pages of a package's exports, links that leave the site."""

from __future__ import annotations

import inspect
import os
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_origin

from docutils import nodes
from docutils.statemachine import StringList
from pygments.lexer import RegexLexer
from pygments.lexers import JsonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
_MARKUP = re.compile(r"([*|`]|(?<=\w)_(?=\W|$))")


class RuleLexer(RegexLexer):
    """Lexer of answer-set programs as this project writes them."""

    name = "Answer-set rules"
    aliases = ("lp",)
    tokens = {  # noqa: RUF012 - the form that Pygments reads
        "root": [
            (r"%.*$", Comment),
            (r'"[^"\n]*"', String),
            (r"#\w+", Keyword),
            (r"\bnot\b", Keyword),
            (r"\d+", Number),
            (r"\b[A-Z]\w*", Name.Variable),
            (r"[a-z_]\w*", Name.Function),
            (r":-|[-+*/|=<>!:;,.(){}&~]", Operator),
            (r"\s+|.", Text),
        ]
    }


class PackageExports(SphinxDirective):
    """``{package} NAME``: document every name that the package exports."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the nodes of autodoc directives for the names in ``__all__``."""
        package = import_module(self.arguments[0])
        lines = ["```{eval-rst}", *_directives(package), "```"]  # the page is Markdown, autodoc writes reStructuredText
        container = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.arguments[0]), self.content_offset, container)
        return list(container.children)


def _directives(package: Any, above: tuple[object, ...] = ()) -> Iterator[str]:
    """Yield the autodoc directives of a package and of the packages in it, without what a package above exports."""
    names = getattr(package, "__all__", ())
    for name in names:
        if not any(_export(package, name) is value for value in above):
            yield from _directive(package, name)
    if package.__name__ == "abl_cards":
        return
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if module.ispkg:
            yield from (f".. rubric:: {module.name}", "")
            yield from _directives(import_module(module.name), (*above, *(_export(package, name) for name in names)))


def _export(package: Any, name: str) -> object:
    """Return a value that a package exports; a fresh object where an optional library is missing."""
    try:
        return getattr(package, name)
    except ImportError:
        return object()


def _directive(package: Any, name: str) -> list[str]:
    path = f"{package.__name__}.{name}"
    try:
        value = getattr(package, name)
    except ImportError as problem:  # an optional library is missing
        return [f"``{path}`` (needs {problem.name})", ""]
    if inspect.ismodule(value):
        return [f"``{path}`` (module)", ""]
    if not getattr(value, "__module__", "").startswith("abl_cards") or get_origin(value):
        return [f".. py:data:: {path}", ""]  # an alias of a type, or a number
    repeated = ["   :no-index:"] if package.__name__ != "abl_cards" and _is_public(value) else []
    if inspect.isclass(value):
        return [f".. autoclass:: {path}", "   :members:", *repeated, ""]
    if callable(value):
        return [f".. autofunction:: {path}", *repeated, ""]
    return [f".. py:data:: {path}", ""]


def _is_public(value: Any) -> bool:
    """Whether the root package exports a value, so that its page documents it."""
    root = import_module("abl_cards")
    return any(getattr(root, name) is value for name in getattr(root, "__all__", ()))


def escape_docstring(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Escape what reStructuredText reads as markup in plain docstrings; double backquotes stay code."""
    if what in ("class", "exception") and lines and lines[0].startswith(f"{name.rpartition('.')[2]}("):
        lines[:] = []  # the signature that dataclasses write as docstring
    lines[:] = [_escape(line) for line in lines]


def _escape(line: str) -> str:
    parts = re.split(r"(``[^`]+``)", line)
    return "".join(part if part.startswith("``") else _MARKUP.sub(r"\\\1", part) for part in parts)


def link_repository_files(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write links to files outside of the site as plain names, since the pages carry no such files."""
    folder = (Path(app.srcdir) / docname).parent

    def replace(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        if "://" in target or target.startswith("#"):
            return match[0]
        path = Path(os.path.normpath(folder / target.partition("#")[0]))
        inside = path.is_relative_to(app.srcdir)
        return (
            match[0]
            if inside and (path.suffix in (".md", ".png", ".svg") or (path.suffix == ".ipynb" and path.exists()))
            else f"{label} (`{path.relative_to(ROOT)}`)"
        )

    blocks = re.split(r"(^```.*?^```$)", source[0], flags=re.MULTILINE | re.DOTALL)
    source[0] = "".join(
        block if block.startswith("```") else re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replace, block)
        for block in blocks
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_lexer("lp", RuleLexer)
    app.add_lexer("jsonl", JsonLexer)
    app.add_directive("package", PackageExports)
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)  # before napoleon
    app.connect("source-read", link_repository_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
