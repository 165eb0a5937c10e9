"""The form of the code: lint, format, types, layers, packaging, and no paths of one machine."""

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import abl_cards
from tests.contracts import package_edges
from tests.syntax_trees import syntax_tree

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("abl_cards", "kb", "learners", "reasoners", "experiments")
FOLDER_PREFIXES = tuple(f"{folder}/" for folder in FOLDERS)
HEAVY = {"ablkit", "matplotlib", "scipy", "sklearn", "torch"}
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(work|root|tmp)/")
MAYBE_MACHINE_PATH = re.compile(rb"/(work|root|tmp)/")


def output_of(*command: str) -> str:
    """Return the output of a command; fail the test with it when the command fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def tool(name: str) -> str:
    """Return the path of a command-line tool, preferably beside the running interpreter."""
    path = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed (pip install -c constraints.txt -e '.[test]')")
    return path


@cache
def own_files() -> list[Path]:
    """Return the files that git tracks or would add."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    names = output_of(tool("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "lint-imports"])
def test_ruff_and_import_linter_pass(command: str) -> None:
    name, *arguments = command.split()
    output_of(tool(name), *arguments)


def test_mypy_passes(pytestconfig: pytest.Config) -> None:
    """Check all packages and the tests that differ from the last commit; with ``--long`` all tests.

    From an empty cache the other tests take a third of the time, and their errors show when they run.
    """
    output_of(tool("mypy"), *([] if pytestconfig.getoption("--long") else ["abl_cards", *changed_tests()]))


def changed_tests() -> list[str]:
    """Return the test modules that git sees as changed or new."""
    if not (ROOT / ".git").exists():
        return ["tests"]
    changed = output_of(tool("git"), "diff", "--name-only", "-z", "--diff-filter=d", "HEAD", "--", "tests")
    new = output_of(tool("git"), "ls-files", "-z", "--others", "--exclude-standard", "--", "tests")
    return [name for name in (changed + new).split("\0") if name.endswith(".py")]


RUNS_WHAT_IT_READS = {
    "pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml", "multiprocessing",
}  # fmt: skip
"""Modules that make objects of bytes, and so do what the bytes say."""
POOLS = {"ProcessPoolExecutor", "fork", "forkpty"}
PROCESSES = {"abl_cards/rulelab/verification/clingo_pool.py"}
"""May use Python's pool of processes: its pipes have no names, and only its own children hold them."""
WORDS = "|".join({*RUNS_WHAT_IT_READS, *POOLS, "load", "save", "eval", "exec", "__import__"})
MAYBE_UNSAFE = re.compile(rf"\b({WORDS})\b|_object".encode())
"""A word that every module has in which `find_unsafe` finds something."""


def find_unsafe(tree: ast.AST) -> Iterator[str]:
    """Yield the names in a module that could run code from its input."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in RUNS_WHAT_IT_READS)
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if (node.module or "").partition(".")[0] in RUNS_WHAT_IT_READS | ({"torch"} if "load" in names else set()):
                yield str(node.module)
            yield from names & (POOLS | RUNS_WHAT_IT_READS)
        elif isinstance(node, ast.Attribute):
            if node.attr in ("load", "save"):
                if ast.unparse(node) in {"torch.load", "torch.save", "np.load", "numpy.load"}:
                    yield ast.unparse(node)
            elif node.attr.endswith(("_object", "_object_list")) and "distributed" in ast.unparse(tree):
                yield node.attr
        elif isinstance(node, ast.Name) and node.id in ("eval", "exec", "__import__"):
            yield node.id


def test_modules_use_no_unsafe_deserialisation() -> None:
    """Read files, ports and pipes as data only, so that no checkpoint can run code."""
    modules = [file for file in own_files() if file.suffix == ".py" and file.relative_to(ROOT).parts[0] in FOLDERS]
    uses = {
        f"{file.relative_to(ROOT).as_posix()}: {name}"
        for file in modules
        if MAYBE_UNSAFE.search(file.read_bytes())
        for name in find_unsafe(syntax_tree(file.resolve()))
    }
    pools = {f"{file}: {name}" for file in PROCESSES for name in ("ProcessPoolExecutor", "multiprocessing")}
    assert uses == pools


def test_only_one_package_imports_ray() -> None:
    """Import Ray in one package only, since Ray pickles the messages of processes."""
    packages = {
        file.relative_to(ROOT).parts[:2]
        for file in own_files()
        if file.suffix == ".py" and file.relative_to(ROOT).parts[0] in FOLDERS
        if re.search(r"^\s*(import|from) ray\b", file.read_text("utf-8"), re.MULTILINE)
    }
    assert packages == {("abl_cards", "cluster")}


@pytest.mark.parametrize(
    "text",
    [
        "import pickle", "from pickle import loads", "import torch\ntorch.load('x')", "from torch import load",
        "exec('x')", "np.load('x', allow_pickle=True)", "torch.distributed.gather_object(1)", "import marshal as m",
    ],
)  # fmt: skip
def test_find_unsafe_detects_unsafe_calls(text: str) -> None:
    assert MAYBE_UNSAFE.search(text.encode())
    assert list(find_unsafe(ast.parse(text)))


def test_no_file_contains_machine_paths() -> None:
    places = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in own_files()
        if MAYBE_MACHINE_PATH.search(data := file.read_bytes())  # the lines of large files take long to read
        for number, line in enumerate(data.decode("utf-8", "ignore").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not places, "\n".join(places)


def test_wheel_contains_every_file_of_the_packages(wheel: Path) -> None:
    """Include rule files, profiles and weights in the wheel, since they are read at run time."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    ours = {file.relative_to(ROOT).as_posix() for file in own_files() if not file.is_symlink()}
    packaged = {name.removeprefix("abl_cards/") for name in ours if name.startswith(FOLDER_PREFIXES)}
    assert {f"abl_cards/{name}" for name in packaged} <= inside
    assert {name.partition("/")[0] for name in inside} == {"abl_cards", f"abl_cards-{abl_cards.__version__}.dist-info"}


MAX_FUNCTION, MAX_COMMAND, MAX_CLASS = 60, 40, 300
"""Most lines: of a function without its docstring; of the statements of a function of the command line, where a command
declares its options in the signature; of a class."""
LONGER = {
    "abl_cards/games/moves/block_groups.py enumerate_groups": "with parts inlined 1.3 to 1.9 times as slow",
    "abl_cards/games/state/turns.py apply_plays": "with parts inlined 5 to 8 % slower",
    "reasoners/search/endgame_kernels.py continue_search": "with parts inlined 24 % slower",
}
"""Functions and classes that may be longer, with the measured reason."""


def count_lines(node: ast.stmt) -> int:
    """Count the lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def iter_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node; without expressions that takes a quarter of the time of ``ast.walk``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from iter_statements(child)


def find_long(tree: ast.AST, is_command: bool) -> Iterator[str]:
    """Yield the functions and classes of a module that exceed their limit, with their lines."""
    for node in iter_statements(tree):
        if isinstance(node, ast.ClassDef) and count_lines(node) > MAX_CLASS:
            yield f"{node.name}: {count_lines(node)} lines"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            docstring = 0 if ast.get_docstring(node) is None else count_lines(first)
            signature = first.lineno - node.lineno if is_command else 0
            lines = count_lines(node) - docstring - signature
            if lines > (MAX_COMMAND if is_command else MAX_FUNCTION):
                yield f"{node.name}: {lines} lines"


def test_functions_and_classes_are_short() -> None:
    long = {
        f"{name} {text}"
        for file in own_files()
        if file.suffix == ".py" and (name := file.relative_to(ROOT).as_posix()).startswith(FOLDER_PREFIXES)
        for text in find_long(syntax_tree(file.resolve()), name.startswith("abl_cards/cli/"))
    }
    assert {text.rpartition(":")[0] for text in long} == set(LONGER), long


@pytest.mark.parametrize(
    ("text", "is_command", "found"),
    [
        ("def f():\n" + "    x = 1\n" * 59, False, []),
        ("def f():\n" + "    x = 1\n" * 60, False, ["f: 61 lines"]),
        ('def f():\n    """Do.\n\n    More.\n    """\n' + "    x = 1\n" * 59, False, []),
        ("def f(\n    a,\n    b,\n):\n" + "    x = 1\n" * 40, True, []),
        ("def f(a):\n" + "    x = 1\n" * 41, True, ["f: 41 lines"]),
        ("class C:\n" + "    x = 1\n" * 299, False, []),
        ("class C:\n" + "    x = 1\n" * 300, False, ["C: 301 lines"]),
    ],
)
def test_find_long_detects_long_functions_and_classes(text: str, is_command: bool, found: list[str]) -> None:
    assert list(find_long(ast.parse(text), is_command)) == found


def test_command_imports_no_heavy_libraries() -> None:
    """Start without torch and scikit-learn, whose import takes seconds."""
    loaded = output_of(sys.executable, "-c", "import sys, abl_cards.cli; print(*sys.modules)").split()
    assert HEAVY.isdisjoint(loaded)


def test_package_imports_have_no_cycles() -> None:
    """Imports between packages have no cycle; import-linter checks their order."""
    graph = grimp.build_graph("abl_cards", cache_dir=None)
    edges = package_edges(graph)
    assert len(edges) > 30
    tuple(TopologicalSorter(edges).static_order())  # raises CycleError
