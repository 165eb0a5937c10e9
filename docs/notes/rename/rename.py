"""Move modules and rename symbols by tests/glossary.toml; imports, references, strings, documents and tests follow.

    python docs/notes/rename/rename.py CHECKOUT [--dry]

References to module-level names are resolved by scope, those to members of classes and to parameters by mypy; what
neither can resolve is printed. Run it on a tree whose mypy is clean, then `ruff check --fix`, `ruff format`, mypy, tests.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import members
from scopes import Resolver, absolute, definitions

PRODUCT = ("abl_cards", "learners", "reasoners", "experiments", "kb")
root = Path(sys.argv[1]).resolve()
DRY = "--dry" in sys.argv
os.chdir(root)
glossary = tomllib.loads(Path("tests/glossary.toml").read_text("utf-8"))
problems: list[str] = []


def flat(table: dict[str, dict[str, str]]) -> dict[str, str]:
    """Names by their dotted paths."""
    return {f"{module}.{path}": new for module, names in table.items() for path, new in names.items()}


def complain(text: str) -> None:
    problems.append(text)


files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
python = [f for f in files if f.endswith(".py") and f.split("/")[0] in (*PRODUCT, "tests") and os.path.isfile(f)]
module_of = {f: f[:-3].replace("/", ".").removesuffix(".__init__") for f in python}
file_of = {m: f for f, m in module_of.items()}
packages = {m for f, m in module_of.items() if f.endswith("__init__.py")}
trees = {m: ast.parse(Path(f).read_bytes()) for f, m in module_of.items()}
new_module = {m: glossary["modules"].get(m, m) for m in file_of}
for m in list(new_module):
    if m not in glossary["modules"] and m not in packages:
        parent = m.rpartition(".")[0]
        if glossary["modules"].get(parent, parent) != parent and parent in new_module:
            new_module[m] = glossary["modules"][parent] + "." + m.rpartition(".")[2]
symbols = flat(glossary["symbols"])
parameters = flat(glossary["parameters"])


def directory(module: str, new: bool = True) -> str:
    """The package that a module lies in, after the move."""
    target = new_module[module] if new else module
    return target if module in packages else target.rpartition(".")[0]


# What each module defines or imports at its top.
defined: dict[str, set[str]] = {}
imported: dict[str, dict[str, tuple[str, str]]] = {}
for m, tree in trees.items():
    defined[m] = {path.rpartition(".")[2] for path, _, _ in definitions(m, tree) if path.rpartition(".")[0] == m}
    table = imported[m] = {}
    package = m if m in packages else m.rpartition(".")[0]
    for node in ast.walk(tree):
        if (isinstance(node, ast.ImportFrom) and node.col_offset == 0) or (
            isinstance(node, ast.ImportFrom) and m in packages
        ):
            for each in node.names:
                table[each.asname or each.name] = absolute(node, package), each.name


def canonical(module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> tuple[str, str] | None:
    """The module that defines a name, and its name there; ("pkg.mod", "") for a module."""
    if (module, name) in seen or module not in defined:
        return None
    if name in defined[module]:
        return module, name
    if name in imported[module] and imported[module][name] != (module, name):
        return canonical(*imported[module][name], seen | {(module, name)}) or (
            (f"{imported[module][name][0]}.{imported[module][name][1]}", "")
            if f"{imported[module][name][0]}.{imported[module][name][1]}" in file_of
            else None
        )
    if f"{module}.{name}" in file_of:
        return f"{module}.{name}", ""
    return None


def renamed(module: str, name: str) -> str:
    """The new name of a symbol of a module."""
    return symbols.get(f"{module}.{name}", name)


print("reading types …", flush=True)
uses = members.collect(str(root), [*PRODUCT, "tests"])
used_keys: set[str] = set()

edits: dict[str, set[tuple[int, int, str, str]]] = defaultdict(set)  # file -> (line, column, old, new)
lines_of = {f: Path(f).read_bytes().splitlines(keepends=True) for f in python}


def edit(f: str, line: int, column: int, old: str, new: str) -> None:
    if old == new:
        return
    at = lines_of[f][line - 1][column : column + len(old.encode())]
    if at != old.encode():  # mypy counts characters
        column = len(lines_of[f][line - 1].decode()[:column].encode())
        at = lines_of[f][line - 1][column : column + len(old.encode())]
    if at != old.encode():
        row = lines_of[f][line - 1]
        near = [
            x.start()
            for x in re.finditer(rb"(?<![\w])" + old.encode() + rb"(?!\w)", row)
            if abs(x.start() - column) < 12
        ]
        if near and not row.isascii():
            edits[f].add((line, min(near, key=lambda x: abs(x - column)), old, new))
            return
        fstring(f, line, column, old, new)
        return
    edits[f].add((line, column, old, new))


def fstring(f: str, line: int, column: int, old: str, new: str) -> None:
    """A place inside an f-string, where Python 3.11 gives none: the only such word in braces near there."""
    text = lines_of[f][line - 1].decode()
    for offset in (0, 1, 2, -1, 3, 4, 5):
        if not 0 <= line - 1 + offset < len(lines_of[f]):
            continue
        text = lines_of[f][line - 1 + offset].decode()
        spots = [
            x.start() for x in re.finditer(rf"(?<![\w]){re.escape(old)}(?!\w)", text) if in_braces(text, x.start())
        ]
        if spots:
            for spot in spots:
                edits[f].add((line + offset, len(text[:spot].encode()), old, new))
            return
    complain(f"{f}:{line}:{column}: '{old}' is not there ({new})")


def in_braces(text: str, spot: int) -> bool:
    return text[:spot].count("{") > text[:spot].count("}")


def new_member_name(keys: set[str], table: dict[str, str], f: str, line: int, name: str) -> str | None:
    found = {table[key] for key in keys if key in table}
    used_keys.update(key for key in keys if key in table)
    if len(found) > 1:
        complain(f"{f}:{line}: {name} → {sorted(found)} ({sorted(k for k in keys if k in table)})")
    return min(found) if found else None


hints = glossary.get("untyped_parameters", {})
fields_of: dict[str, set[str]] = defaultdict(set)
for m, tree in trees.items():
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    fields_of[f"{m}.{node.name}"].add(item.target.id)
                elif isinstance(item, ast.FunctionDef):
                    fields_of[f"{m}.{node.name}"].add(item.name)
renamed_members = {key.rpartition(".")[2] for key in symbols if key.rpartition(".")[0] not in file_of}
unresolved: list[str] = []


COMMON = {name for kind in (str, list, dict, set, bytes, int, float, tuple, Path) for name in dir(kind)} | {
    "all", "any", "argmax", "argmin", "atom", "arguments", "begin", "column", "cost", "end", "first", "flat", "last", "line",
    "location", "max", "mean", "min", "number", "open", "shape", "size", "sum", "symbol", "type", "url", "name", "T", "run",
    "start", "stop", "step", "result", "answer", "item", "items", "position", "save", "load", "train", "eval", "batch",
}  # fmt: skip
"""Members of values that are not ours."""
ARRAY = {"all", "any", "shape", "sum", "size", "T", "max", "min", "argmax", "argmin", "copy", "fill", "astype", "mean"}


def all_fields(path: str) -> set[str]:
    return fields_of.get(path, set())


def infer_unknown(f: str, m: str) -> None:
    """Rename attributes of values without a type: by hint, else by the only class with all these attributes."""
    unknown = uses[m].unknown
    if not unknown:
        return
    for function in [*(n for n in ast.walk(trees[m]) if isinstance(n, ast.FunctionDef)), trees[m]]:
        where = getattr(function, "name", "")
        groups: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
                place = node.end_lineno, node.end_col_offset - len(node.attr.encode()), node.attr
                if place in unknown:
                    groups[ast.unparse(node.value)].append(place)
        for variable, places in groups.items():
            names = {name for _, _, name in places}
            if not names & renamed_members:
                continue
            plain = variable
            while (shorter := re.sub(r"\[[^\[\]]+\]", "[]", plain)) != plain:
                plain = shorter
            last = re.sub(r"\(.*", "", plain.rpartition(".")[2]).lstrip("_")
            hint = hints.get(f"{m}:{variable}") or hints.get(f"{m}.{where}:{variable}")
            if hint is None:
                for guess in glossary.get("variables", {}).get(last, []):
                    if names <= all_fields(guess):
                        hint = guess
                        break
            if hint is None and not where:
                continue
            if hint is None:
                fits = [
                    c
                    for c, fields in fields_of.items()
                    if names <= fields and names & {k for k in names if f"{c}.{k}" in symbols}
                ]
                fits_all = [c for c, fields in fields_of.items() if names <= fields]
                news = {tuple(symbols.get(f"{c}.{n}", n) for n in sorted(names)) for c in fits_all}
                kernel = b"no-untyped-def" in b"".join(lines_of[f][:30])
                if (len(news) == 1 and kernel and not names & ARRAY) or (len(news) == 1 and not names & COMMON):
                    hint = fits_all[0]
                elif len(news) == 1:
                    unresolved.append(f"GUESS {f}:{places[0][0]} {where}: {variable}.{sorted(names)} as {fits_all[0]}")
                    continue
                elif len(fits) == 0:
                    continue
                else:
                    unresolved.append(f"{f}:{places[0][0]} {where}: {variable}.{sorted(names)} fits {fits_all[:6]}")
                    continue
            for line, column, name in places:
                new = symbols.get(f"{hint}.{name}")
                if new:
                    used_keys.add(f"{hint}.{name}")
                    edit(f, line, column, name, new)


def every_bound_name(tree: ast.Module) -> set[str]:
    """All names that are bound anywhere in a file."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


exports: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # directory -> new module -> names
import_edits: dict[str, list[tuple[int, int, bytes]]] = defaultdict(list)

for f, m in module_of.items():
    tree, package = trees[m], (m if m in packages else m.rpartition(".")[0])
    resolver = Resolver(m, package, tree)
    is_test = f.startswith("tests/")
    # definitions
    for path, node, kind in definitions(m, tree):
        new = symbols.get(path)
        if new is None:
            continue
        used_keys.add(path)
        owner = path.rpartition(".")[0]
        if kind == "name":
            if owner == m:
                pass  # found by the resolver as a store
        else:
            line = node.lineno
            word = {"class": "class "}.get(kind, "def ")
            text = lines_of[f][line - 1]
            column = text.find(word.encode(), 0) + len(word)
            if owner == m or kind == "class":
                edit(f, line, column, path.rpartition(".")[2], new)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            row = lines_of[f][node.lineno - 1]
            for name in node.names:
                if f"{m}.{name}" in symbols:
                    spot = re.search(rb"(?<![\w])" + name.encode() + rb"(?!\w)", row[node.col_offset + 6 :])
                    edit(f, node.lineno, node.col_offset + 6 + spot.start(), name, symbols[f"{m}.{name}"])
    # names in strings: type variables, __all__, annotations in quotes
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if (
                isinstance(value, ast.Call)
                and value.args
                and isinstance(value.args[0], ast.Constant)
                and value.args[0].value == name
            ):
                if f"{m}.{name}" in symbols:
                    edit(f, value.args[0].lineno, value.args[0].col_offset + 1, name, symbols[f"{m}.{name}"])
            if name == "__all__" and m not in packages and isinstance(value, ast.List | ast.Tuple):
                for item in value.elts:
                    target = canonical(m, item.value)
                    if target and target[1]:
                        edit(f, item.lineno, item.col_offset + 1, item.value, renamed(*target))
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
            annotations.append(node.args[0])
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            annotations.append(node.value)
        for annotation in annotations:
            for item in ast.walk(annotation) if annotation is not None else ():
                if (
                    isinstance(item, ast.Constant)
                    and isinstance(item.value, str)
                    and re.fullmatch(r"[\w\[\], .|]+", item.value)
                ):
                    for word in re.finditer(r"[A-Za-z_]\w+", item.value):
                        target = canonical(m, word[0])
                        if target and target[1] and word[0][0].isupper():
                            edit(f, item.lineno, item.col_offset + 1 + word.start(), word[0], renamed(*target))
    # identifiers of modules
    local_module_names: dict[str, str] = {}
    for line, column, text, module, name in resolver.found:
        target = canonical(module, name)
        if target is None:
            continue
        if target[1]:
            new = renamed(*target)
            if f"{target[0]}.{target[1]}" in symbols:
                used_keys.add(f"{target[0]}.{target[1]}")
            if text == name and new != text:
                edit(f, line, column, text, new)
    # attributes of imported modules
    attributes: dict[str, list[tuple[ast.Attribute, str]]] = defaultdict(list)
    for node, module, name in resolver.modules:
        if module not in file_of:
            continue
        target = canonical(module, name)
        if target is None or not target[1]:
            continue
        attributes[f"{node.value.lineno}:{node.value.col_offset}"].append((node, module))
    # members
    for (line, column, name), keys in uses[m].members.items() if m in uses else ():
        if name.endswith("="):
            continue
        table = parameters if any(":" in key for key in keys) else symbols
        new = new_member_name(keys, table, f, line, name)
        if new is None:
            continue
        if column == -1:
            text = lines_of[f][line - 1]
            start = text.find(f"def {name}".encode())
            if start < 0:
                complain(f"{f}:{line}: no def {name}")
                continue
            column = start + 4
        edit(f, line, column, name, new)
    keyword_table = {
        (line, column, name[:-1]): keys
        for (line, column, name), keys in (uses[m].members.items() if m in uses else ())
        if name.endswith("=")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                keys = keyword_table.get((node.lineno, node.col_offset, keyword.arg or ""))
                if keyword.arg and keys:
                    both = {k: parameters[k] for k in keys if k in parameters}
                    both |= {
                        k.replace(":", "."): symbols[k.replace(":", ".")]
                        for k in keys
                        if k.replace(":", ".") in symbols
                    }
                    if len(set(both.values())) > 1:
                        complain(f"{f}:{keyword.lineno}: keyword {keyword.arg} → {both}")
                    elif both:
                        used_keys.update(both)
                        edit(f, keyword.lineno, keyword.col_offset, keyword.arg, min(both.values()))
    if m in uses:
        infer_unknown(f, m)
    # imports
    here = directory(m)
    bound_names = every_bound_name(tree)
    conversions: dict[str, dict[str, dict[str, tuple[str, str, str]]]] = {}
    if not is_test:
        by_local: dict[tuple[str, str], list[tuple[ast.Attribute, str]]] = defaultdict(list)
        for node, module, name in resolver.modules:
            if (
                module in file_of
                and module not in packages
                and directory(module) != here
                and isinstance(node.value, ast.Name)
            ):
                by_local[node.value.id, module].append((node, name))
        bare = {(line, column) for line, column, *_ in resolver.found}
        for (local, module), found in by_local.items():
            places = {(node.value.lineno, node.value.col_offset) for node, _ in found}
            all_uses = {
                (line, column)
                for line, column, text, m2, n2 in resolver.found
                if text == local and f"{m2}.{n2}" == module
            }
            if all_uses - places or any(not isinstance(node.ctx, ast.Load) for node, _ in found):
                complain(f"{f}: module {local} is used as a value")
                continue
            table: dict[str, tuple[str, str, str]] = {}
            for node, name in found:
                target = canonical(module, name)
                if target is None or not target[1]:
                    complain(f"{f}:{node.lineno}: {module}.{name} is nothing")
                    continue
                new = renamed(*target)
                alias = new
                if new in bound_names or new in dir(__builtins__):
                    alias = f"{new_module[module].rpartition('.')[2]}_{new}"
                    complain(f"note {f}: {local}.{name} → {alias}")
                table[name] = target[0], new, alias
                node.converted = True  # type: ignore[attr-defined]
                start = node.value.col_offset
                old = lines_of[f][node.value.lineno - 1][start : node.end_col_offset].decode()
                if node.end_lineno != node.lineno:
                    complain(f"{f}:{node.lineno}: an attribute over two lines")
                edit(f, node.value.lineno, start, old, alias)
                if f"{target[0]}.{target[1]}" in symbols:
                    used_keys.add(f"{target[0]}.{target[1]}")
            conversions.setdefault(local, {})[module] = table
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name in file_of and each.name != new_module[each.name]:
                    complain(f"{f}:{node.lineno}: import {each.name}")
        if not isinstance(node, ast.ImportFrom):
            continue
        origin = absolute(node, package)
        if origin.split(".")[0] not in (*PRODUCT, "tests") or origin == "tests":
            continue
        statements: dict[str, list[str]] = defaultdict(list)
        touched = False
        for each in node.names:
            target = canonical(origin, each.name)
            if target is None:
                if origin in file_of and each.name not in ("__version__", "*", "__file__"):
                    complain(f"{f}:{node.lineno}: {origin} has no {each.name}")
                statements[new_module.get(origin, origin)].append(
                    each.name + (f" as {each.asname}" if each.asname else "")
                )
                continue
            module, name = target
            local = each.asname or each.name
            if name:  # a symbol
                new = renamed(module, name)
                new_local = each.asname if each.asname and each.asname != each.name else renamed(module, name)
                tail = new if new_local == new else f"{new} as {new_local}"
                if (
                    (module in packages and not name.startswith("_") and directory(module) == new_module[module])
                    or is_test
                    or directory(module) == here
                ):
                    source = new_module[module]
                else:
                    source = directory(module)
                    exports[source][new_module[module]].add(new)
                if source == new_module[m]:
                    source = new_module[module]
                statements[source].append(tail)
                touched = True
            else:  # a module
                new_path = new_module[module]
                parent, _, last = new_path.rpartition(".")
                if module in conversions.get(local, {}):
                    for _attribute, (home, new, alias) in conversions[local][module].items():
                        source = directory(home)
                        exports[source][new_module[home]].add(new)
                        statements[source].append(new if alias == new else f"{new} as {alias}")
                    continue
                if not is_test and directory(module) != here and module not in packages:
                    exports[parent]["."].add(last)
                shown = f"{last} as {each.asname}" if each.asname else last
                if each.asname is None and last != each.name:
                    if last in bound_names:
                        shown = f"{last} as {each.name}"
                    else:
                        for node2, module2, _ in resolver.modules:
                            if module2 == f"{origin}.{each.name}" and isinstance(node2.value, ast.Name):
                                edit(f, node2.value.lineno, node2.value.col_offset, each.name, last)
                        for line, column, text, module2, name2 in resolver.found:
                            if (module2, name2) == (origin, each.name) and text == each.name:
                                edit(f, line, column, text, last)
                statements[parent].append(shown)
        if not statements:
            import_edits[f].append((node.lineno, node.end_lineno or node.lineno, b""))
            continue
        indent = " " * node.col_offset
        first, last_line = node.lineno, node.end_lineno or node.lineno
        trailing = lines_of[f][last_line - 1][node.end_col_offset :].decode().rstrip("\n")
        out = "\n".join(f"{indent}from {s} import {', '.join(sorted(set(v)))}" for s, v in sorted(statements.items()))
        before = lines_of[f][first - 1][: node.col_offset].decode()
        if before.strip():
            complain(f"{f}:{first}: an import behind other code")
        import_edits[f].append((first, last_line, (out + trailing + "\n").encode()))
    # attributes of modules that stay modules
    for node, module, name in resolver.modules:
        target = canonical(module, name) if module in file_of else None
        if target and target[1] and not getattr(node, "converted", False):
            new = renamed(*target)
            if node.end_lineno and node.end_col_offset and new != name:
                used_keys.add(f"{target[0]}.{target[1]}")
                edit(f, node.end_lineno, node.end_col_offset - len(name.encode()), name, new)


def replace_dotted(text: str) -> str:
    """A dotted name in a string or document: the longest module in it, then a symbol."""
    parts = text.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        if module in new_module:
            rest = parts[end:]
            if rest:
                target = canonical(module, rest[0])
                if target is None:
                    return text if end == 1 else new_module[module] + "." + ".".join(rest)
                if target[1]:
                    full = f"{target[0]}.{target[1]}"
                    tail = rest[1:]
                    if tail and f"{full}.{tail[0]}" in symbols:
                        tail[0] = symbols[f"{full}.{tail[0]}"]
                    return ".".join([new_module[target[0]], renamed(*target), *tail])
            return ".".join([new_module[module], *rest])
    return text


import io
import tokenize

DOTTED = re.compile(r"\b(?:abl_cards|learners|reasoners|experiments|tests)(?:\.\w+)+")
FILE = re.compile(r"\b(?:abl_cards|learners|reasoners|experiments|tests)(?:/\w+)+\.py\b")
for f, m in module_of.items():
    source = Path(f).read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.STRING, tokenize.COMMENT):
            continue
        for offset, row in enumerate(token.string.split("\n")):
            start = token.start[1] if offset == 0 else 0
            line = token.start[0] + offset
            text = lines_of[f][line - 1].decode()
            for match in DOTTED.finditer(row):
                if match[0].endswith(".py"):
                    continue
                new = replace_dotted(match[0])
                if new != match[0]:
                    column = len(text[: start + match.start()].encode())
                    edits[f].add((line, column, match[0], new))
            for match in FILE.finditer(row):
                module = match[0][:-3].replace("/", ".")
                if module in new_module and new_module[module] != module:
                    column = len(text[: start + match.start()].encode())
                    edits[f].add((line, column, match[0], new_module[module].replace(".", "/") + ".py"))


# Shadowing: a symbol that is renamed to what a function binds itself would be hidden there.
def check_shadowing(f: str, m: str) -> None:
    {new for _, _, _, new in edits[f]}
    for function in ast.walk(trees[m]):
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            continue
        bound = {
            n.id: (n.lineno, n.col_offset)
            for n in ast.walk(function)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        args = function.args
        bound |= {
            a.arg: (a.lineno, a.col_offset)
            for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            if a
        }
        names = {(n.lineno, n.col_offset): n for n in ast.walk(function) if isinstance(n, ast.Name)}
        spans = {(a.lineno, a.col_offset) for a in ast.walk(function) if isinstance(a, ast.arg)}
        renamed_away = {(line, column) for line, column, _, _ in edits[f]}
        for line, column, old, new in edits[f]:
            if (line, column) in names or (line, column) in spans:
                if new in bound and bound[new] not in renamed_away and old not in bound:
                    complain(
                        f"shadow {f}:{line}: {old} → {new} is bound in {getattr(function, 'name', 'lambda')}:{bound[new][0]}"
                    )
                elif new in bound and bound[new] not in renamed_away:
                    complain(
                        f"merge {f}:{line}: {old} → {new} is bound in {getattr(function, 'name', 'lambda')}:{bound[new][0]}"
                    )


for f, m in module_of.items():
    check_shadowing(f, m)
    tops: dict[str, set[str]] = defaultdict(set)
    for name in defined[m]:
        tops[renamed(m, name)].add(f"{m}.{name}")
    for node in trees[m].body:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                target = canonical(absolute(node, m if m in packages else m.rpartition(".")[0]), each.name)
                if target and target[1]:
                    tops[each.asname or renamed(*target)].add(".".join(target))
    for name, origins in tops.items():
        if len(origins) > 1:
            complain(f"top {f}: {name} is {sorted(origins)}")

for key in sorted(set(symbols) - used_keys):
    complain(f"unused symbol {key}")
for key in sorted(set(parameters) - used_keys):
    complain(f"unused parameter {key}")
for f in python:
    spots: dict[tuple[int, int], set[str]] = defaultdict(set)
    for line, column, old, new in edits[f]:
        spots[line, column].add(f"{old}→{new}")
    for place, both in spots.items():
        if len(both) > 1:
            complain(f"two edits {f}:{place}: {both}")

# Exports: one name from two modules of a directory, or as a submodule is called.
for place, table in sorted(exports.items()):
    where: dict[str, list[str]] = defaultdict(list)
    for module, names in table.items():
        for name in names:
            where[name].append(module)
    children = {n.rpartition(".")[2] for n in new_module.values() if n.rpartition(".")[0] == place}
    for name, modules in where.items():
        if len(modules) > 1:
            complain(f"export {place}.{name} from {modules}")
        if name in children and modules != ["."]:
            complain(f"export {place}.{name} from {modules} is a submodule's name")

print(*problems, *unresolved, sep="\n")
print(len(problems), "problems;", len(unresolved), "unresolved;", sum(map(len, edits.values())), "edits")
if DRY:
    sys.exit()

for f in python:
    rows = list(lines_of[f])
    # imports are replaced as wholes; other edits on the same lines do not occur
    covered = {line for first, last, _ in import_edits[f] for line in range(first, last + 1)}
    by_line: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    for line, column, old, new in edits[f]:
        if line not in covered:
            by_line[line].append((column, old, new))
    for line, spots in by_line.items():
        row = rows[line - 1]
        for column, old, new in sorted(spots, reverse=True):
            row = row[:column] + new.encode() + row[column + len(old.encode()) :]
        rows[line - 1] = row
    for first, last, text in sorted(import_edits[f], reverse=True):
        rows[first - 1 : last] = [text]
    Path(f).write_bytes(b"".join(rows))

# Files, packages and what they export ------------------------------------------------------------------------------
moves: dict[str, str] = {}
for m, f in file_of.items():
    target = new_module[m]
    if target == m and m not in packages:
        continue
    if m in packages and not m.startswith("tests"):
        continue  # made anew
    if m in packages:
        moves[f] = target.replace(".", "/") + "/__init__.py"
        continue
    moves[f] = target.replace(".", "/") + ".py"
for old, new in glossary.get("files", {}).items():  # data beside modules: files and folders
    for name in files:
        if name == old or name.startswith(old + "/"):
            moves.setdefault(name, new + name[len(old) :])
directories = {directory(m) for m in file_of if m not in packages}
old_packages = set(packages)
for m in old_packages:
    f = file_of[m]
    if m not in directories and m not in ("kb",) and not m.startswith("tests"):
        subprocess.run(["git", "rm", "-qf", f], check=True)
for a in sorted(moves):
    os.makedirs(os.path.dirname(moves[a]), exist_ok=True)
pending = {a: b for a, b in moves.items() if os.path.isfile(a)}
stage = root / ".rename-stage"
stage.mkdir()
for number, (a, b) in enumerate(sorted(pending.items())):  # by way of other names: a target may be a source
    os.replace(a, stage / str(number))
for number, (a, b) in enumerate(sorted(pending.items())):
    os.makedirs(os.path.dirname(b), exist_ok=True)
    os.replace(stage / str(number), b)
stage.rmdir()

docs: dict[str, str] = glossary.get("packages", {})
for place in sorted(directories):
    parts = place.split(".")
    for depth in range(1, len(parts) + 1):
        parent = root / "/".join(parts[:depth])
        parent.mkdir(exist_ok=True)
        if not (parent / "__init__.py").exists():
            (parent / "__init__.py").write_text("" if parts[0] == "tests" else f'"""{".".join(parts[:depth])}."""\n')
    if parts[0] == "tests" or place == "abl_cards":
        continue
    file = root / place.replace(".", "/") / "__init__.py"
    table = exports.get(place, {})
    extra = glossary.get("exports", {}).get(place, {})
    for module, names in extra.items():
        table.setdefault(module, set()).update(names)
    text = docs.get(place)
    if text is None:
        text = ast.get_docstring(ast.parse(file.read_bytes())) or place
    out = [f'"""{text}"""\n']
    names = sorted({n for ns in table.values() for n in ns})
    if names:
        out.append("\nfrom __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\n")
        out.append("from abl_cards.core.lazy import lazy_exports\n\nif TYPE_CHECKING:\n")
        for module, ns in sorted(table.items()):
            source = place if module == "." else module
            out.append(f"    from {source} import {', '.join(sorted(ns))}\n")
        out.append("\n__all__ = [\n" + "".join(f'    "{n}",\n' for n in names) + "]\n\n")
        out.append("__getattr__ = lazy_exports(__name__)\n")
    file.write_text("".join(out))

# Documents and settings of tools -----------------------------------------------------------------------------------
dotted = {m: n for m, n in new_module.items() if m != n}
paths = {f: moves[f] for f in moves}
short = {f.removeprefix("abl_cards/"): moves[f].removeprefix("abl_cards/") for f in moves if f.startswith("abl_cards/")}
for f in files:
    if f.endswith((".md", ".toml", ".yml", ".cfg")) or f in ("Makefile", ".ci/run"):
        if not os.path.isfile(f) or f.startswith(("docs/results", "docs/notes/rename")) or f == "tests/glossary.toml":
            continue
        text = old = Path(f).read_text("utf-8")
        text = re.sub(
            r"\b(?:abl_cards|learners|reasoners|experiments|tests)(?:/[\w-]+)+(?:\.\w+)?",
            lambda x: paths.get(x[0], x[0]),
            text,
        )
        text = re.sub(r"(?<![\w/.])(?:\w+/)+\w+\.py\b", lambda x: short.get(x[0], x[0]), text)
        text = re.sub(r"\b(?:abl_cards|learners|reasoners|experiments)(?:\.\w+)+", lambda x: replace_dotted(x[0]), text)
        if text != old:
            Path(f).write_text(text, "utf-8")
print("done")
