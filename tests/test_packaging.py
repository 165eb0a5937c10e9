"""The wheel in an environment outside of the checkout: commands, imports, the example and types."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import abl_cards
from tests import cli_runs
from tests.conftest import ROOT
from tests.wheels import build
from tests.wheels import run_outside as run

EXAMPLE = ROOT / "tests" / "examples" / "public_api.py"
pytest.importorskip("hatchling", reason="building a wheel needs hatchling: pip install -e '.[test]'")

IMPORT_EACH_PACKAGE = """
import importlib, pkgutil, abl_cards
for package in pkgutil.iter_modules(abl_cards.__path__):
    name = f"abl_cards.{package.name}"
    module = importlib.import_module(name) if package.name != "__main__" else abl_cards
    inner = next((item.name for item in pkgutil.iter_modules(getattr(module, "__path__", []))), None)
    if package.ispkg and inner is not None:
        print(package.name, importlib.import_module(f"{name}.{inner}").__file__)
"""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel and a path file to the present dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel, cwd=folder)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    (Path(site) / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    return python


COMMAND_OF_A_FOLDER = """
import sys
from importlib.metadata import entry_points
sys.path[:0] = [sys.argv.pop(1)]
(command,) = entry_points(group="console_scripts", name="abl-cards")
main = command.load()
print(sys.modules["abl_cards"].__file__)
main()
"""


def test_command_runs_from_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    """Copy rules by the entry point of the unpacked wheel, which needs the command and the rules."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "unpacked")
    words = [str(tmp_path / "unpacked"), "kb", "copy", "president", "mine", "labels"]
    printed = run(sys.executable, "-c", COMMAND_OF_A_FOLDER, *words, cwd=tmp_path)
    assert Path(printed.partition("\n")[0]).is_relative_to(tmp_path / "unpacked")
    assert (tmp_path / "mine" / "labels.lp").read_bytes() == (ROOT / "kb" / "president" / "labels.lp").read_bytes()


@pytest.mark.long
def test_command_runs_with_only_the_wheel_installed(installed: Path, tmp_path: Path) -> None:
    """Check a game that passed before: the environment would compile all kernels anew, as the long tests do."""
    assert cli_runs.run("kb", "check", "president").exit_code == 0
    assert Path(
        run(installed, "-c", "import abl_cards; print(abl_cards.__file__)", cwd=tmp_path).strip()
    ).is_relative_to(installed.parents[1])
    assert "no errors" in run(installed.with_name("abl-cards"), "kb", "check", "president", cwd=tmp_path)


@pytest.mark.long
def test_a_module_of_each_package_can_be_imported(installed: Path, tmp_path: Path) -> None:
    lines = run(installed, "-c", IMPORT_EACH_PACKAGE, cwd=tmp_path).splitlines()
    files = dict(line.split(" ", 1) for line in lines)
    packages = {path.name for path in (ROOT / "abl_cards").iterdir() if (path / "__init__.py").is_file()}
    assert files.keys() == packages
    assert all(Path(file).is_relative_to(installed.parents[1]) for file in files.values())


@pytest.mark.long
def test_example_runs(installed: Path, tmp_path: Path) -> None:
    printed = run(installed, EXAMPLE, cwd=tmp_path)
    assert "200 states, 0 mismatches" in printed
    assert "8 games" in printed


@pytest.mark.long
def test_mypy_accepts_the_example_against_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Check the example strictly, with nothing else of the checkout in reach."""
    pytest.importorskip("mypy")
    example = tmp_path / "public_api.py"
    example.write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    options = "--strict", "--config-file=", f"--python-executable={installed}", f"--cache-dir={tmp_path / 'cache'}"
    assert "Success" in run(sys.executable, "-m", "mypy", *options, example, cwd=tmp_path)


@pytest.mark.long
def test_wheel_of_the_sdist_has_the_same_files(tmp_path: Path) -> None:
    with tarfile.open(build(tmp_path / "sdist", "sdist")) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    wheels = build(tmp_path / "direct", "wheel"), build(tmp_path / "again", "wheel", source)
    direct, again = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels)
    assert direct == again


def test_version_equals_changelog_and_citation() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    entry = re.search(r"^## \[([\d.]+)\]", changelog, re.MULTILINE)
    citation = re.search(r"^version: ([\d.]+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert entry is not None
    assert citation is not None
    assert entry[1] == citation[1] == abl_cards.__version__


def test_citation_has_the_required_fields() -> None:
    lines = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    keys = {line.partition(":")[0] for line in lines if line and not line.startswith(" ")}
    assert {"cff-version", "message", "title", "authors"} <= keys
    assert "cff-version: 1.2.0" in lines
