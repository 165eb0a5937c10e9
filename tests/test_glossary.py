"""Names of modules, classes, functions and fields: old names are gone, and class names are unique."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from glob import glob
from pathlib import Path

import pytest

from tests.syntax_trees import syntax_tree

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("abl_cards",)
GLOSSARY = tomllib.loads((Path(__file__).parent / "glossary.toml").read_text("utf-8"))
FOLDERS = ("learners", "reasoners", "experiments")
"""Folders beside the package, imported as its packages."""
REFUSED = {
    "told", "tell", "tells", "telling", "asked", "heard", "hear", "hears", "said", "say", "porch", "troupe", "crew",
    "seam", "seams", "hearsay", "lighting", "desk", "cupboard", "ledger", "sitting", "hired", "born", "meet", "laid",
    "wanted", "mind", "house", "chair", "chairs",
}  # fmt: skip
"""Words of people who speak and sit: data is passed, read, computed and returned."""
TERMS = {"full_house"}
"""Terms of card games that hold such a word."""


@cache
def modules() -> dict[str, ast.Module]:
    """Return the modules of the packages by their dotted names."""
    trees = {}
    for package in PACKAGES:
        for file in map(Path, sorted(glob(f"{package}/**/*.py", root_dir=ROOT, recursive=True))):  # follows links
            name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
            trees[name] = syntax_tree((ROOT / file).resolve())
    return trees


def definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield classes, functions, methods, fields and constants with their dotted names."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield f"{prefix}.{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from definitions(node.body, f"{prefix}.{node.name}")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield f"{prefix}.{name.id}", name


@cache
def defined() -> dict[str, ast.AST]:
    """Return all definitions of all modules."""
    return {path: node for name, tree in modules().items() for path, node in definitions(tree.body, name)}


def current_module(old: str) -> str:
    """Return the present name of a module from the glossary's left column."""
    moved = GLOSSARY["modules"].get(old, old)
    return f"abl_cards.{moved}" if moved.partition(".")[0] in FOLDERS else moved


def test_no_old_module_exists() -> None:
    packages = {new.rpartition(".")[0] for new in GLOSSARY["modules"].values()}  # some have the name of an old module
    assert not [old for old in GLOSSARY["modules"] if old in modules() and old not in packages]


def test_new_modules_exist() -> None:
    ours = {new for old, new in GLOSSARY["modules"].items() if not old.startswith("tests")}
    assert not ours - set(modules())


def test_no_old_name_exists() -> None:
    old_paths = []
    for module, names in GLOSSARY["symbols"].items():
        new_module = current_module(module)
        given = {f"{new_module}.{'.'.join([*old.split('.')[:-1], new])}" for old, new in names.items()}
        paths = {f"{place}.{old}" for place in (module, new_module) for old in names}
        old_paths += [path for path in paths if path in defined() and path not in given]
    assert not old_paths


@cache
def words_of_public_names() -> dict[str, set[str]]:
    """Return the words of each public part of the names."""
    parts = {part for path in (*defined(), *modules()) for part in path.split(".") if not part.startswith("_")}
    return {part: set(re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", part).lower().split("_")) for part in parts - TERMS}


@pytest.mark.parametrize("refused", sorted(REFUSED))
def test_no_public_name_contains_a_refused_word(refused: str) -> None:
    assert not [part for part, words in words_of_public_names().items() if refused in words]


def test_class_names_are_unique() -> None:
    names = Counter(path.rpartition(".")[2] for path, node in defined().items() if isinstance(node, ast.ClassDef))
    assert not [name for name, times in names.items() if times > 1]
