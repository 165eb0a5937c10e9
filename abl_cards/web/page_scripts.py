"""Run modules of the page's scripts without a browser, by QuickJS.

The binding cannot load modules. So each module becomes a function that fills its exports; imports become calls. Methods
that browsers have and this engine lacks are added.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from abl_cards.core import require_extra
from abl_cards.web.static_files import STATIC_FOLDER

MAX_MEMORY, MAX_STACK = 256 << 20, 8 << 20
_IMPORT = re.compile(
    r"""import\s*(?:(?P<default>\w+)|\{(?P<names>[^}]*)\}|\*\s*as\s+(?P<all>\w+))?\s*(?:from\s*)?['"](?P<path>\.[^'"]+)['"];?"""
)
_DECLARATION = re.compile(r"^export\s+((?:async\s+)?(?:const|let|function\*?|class)\s+(\w+))", re.MULTILINE)
_LIST = re.compile(r"export\s*\{([^}]*)\};?")
_ALL = re.compile(r"""export\s*\*\s*from\s*['"](\.[^'"]+)['"];?""")
_RENAMED = re.compile(r"\b(\w+)\s+as\s+(\w+)")
_DEFAULT = re.compile(r"\bexport\s+default\b")
_PRELUDE = """
globalThis.navigator = { language: 'en' };
globalThis.localStorage = { getItem: () => null, setItem: () => {} };
globalThis.document = { documentElement: { dataset: {} } };
globalThis.window = globalThis;
const $add = (object, methods) => {
  for (const [name, value] of Object.entries(methods))
    if (!(name in object)) Object.defineProperty(object, name, { value });
};
const $at = function (index) { return this[index < 0 ? this.length + index : index]; };
$add(Array.prototype, {
  at: $at,
  findLast(test) { return [...this].reverse().find(test); },
  toSorted(compare) { return [...this].sort(compare); },
  toReversed() { return [...this].reverse(); },
});
$add(String.prototype, { at: $at });
$add(Object, { hasOwn: (object, key) => Object.prototype.hasOwnProperty.call(object, key) });
const $makers = {}, $made = {};
function $load(path) {
  if (!(path in $made)) $makers[path]($made[path] = {});
  return $made[path];
}
"""


class PageScripts:
    """Modules of the page in an engine of their own, without access to files, network or clock."""

    def __init__(self, entry: str, folder: Path = STATIC_FOLDER) -> None:
        """Load a module and all that it imports.

        Args:
            entry: Path of the module within the folder, such as "table/picture.js".
            folder: Folder of the page's files.

        Raises:
            ModuleNotFoundError: The library of the extra ``picture`` is missing.
        """
        require_extra("picture")
        import quickjs

        self._entry, self._folder = entry, folder
        self._context = quickjs.Context()
        self._context.set_memory_limit(MAX_MEMORY)
        self._context.set_max_stack_size(MAX_STACK)
        self._context.eval(_PRELUDE + "\n".join(self._wrap_all(entry)))

    def call(self, function: str, *arguments: Any, module: str = "") -> Any:
        """Call an exported function.

        Args:
            function: Name of the function.
            arguments: JSON values.
            module: Path of the loaded module that exports it; by default the entry.

        Returns:
            Its result, as JSON writes it.
        """
        written = ", ".join(map(json.dumps, arguments))
        script = f"$load({module or self._entry!r}).{function}({written})"
        return json.loads(self._context.eval(f"JSON.stringify({script} ?? null)"))

    def _wrap_all(self, entry: str) -> list[str]:
        """Return the modules as functions, each after those that it imports."""
        wrapped: dict[str, str] = {}
        waiting = [entry]
        while waiting:
            path = waiting.pop()
            if path not in wrapped:
                wrapped[path], imported = _wrap_module(path, (self._folder / path).read_text("utf-8"))
                waiting += imported
        return list(wrapped.values())


def _wrap_module(path: str, source: str) -> tuple[str, list[str]]:
    """Return a module as a function that fills its exports, and the paths that it imports."""
    imported: list[str] = []
    exports: list[tuple[str, str]] = []

    def resolve(relative: str) -> str:
        imported.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), relative)))
        return f"$load({imported[-1]!r})"

    def write_import(match: re.Match[str]) -> str:
        module = resolve(match["path"])
        if match["default"]:
            return f"const {match['default']} = {module}.default;"
        if match["all"]:
            return f"const {match['all']} = {module};"
        names = _RENAMED.sub(r"\1: \2", match["names"] or "")
        return f"const {{{names}}} = {module};"

    def note_declaration(match: re.Match[str]) -> str:
        exports.append((match[2], match[2]))
        return match[1]

    def note_list(match: re.Match[str]) -> str:
        for item in filter(None, map(str.strip, match[1].split(","))):
            local, _, name = item.partition(" as ")
            exports.append((name.strip() or local, local.strip()))
        return ""

    source = _ALL.sub(lambda match: f"Object.assign($exports, {resolve(match[1])});", source)
    source = _LIST.sub(note_list, _IMPORT.sub(write_import, source))
    source = _DECLARATION.sub(note_declaration, _DEFAULT.sub("$exports.default =", source))
    ends = "".join(f"$exports.{name} = {local};" for name, local in exports)
    return f"$makers[{path!r}] = ($exports) => {{ 'use strict';\n{source}\n{ends} }};", imported
