"""The form of the code: lint, format, types, layers, packaging, and nothing in it that is true of one machine only."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("abl_cards", "kb", "learners", "reasoners", "experiments")
HEAVY = {"ablkit", "matplotlib", "scipy", "sklearn", "torch"}
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(work|root|tmp)/")


def output_of(*command: str) -> str:
    """What the command prints; a failed test with the same text where it does not succeed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def tool(name: str) -> str:
    """The path of a command-line tool, looked for beside the running interpreter first."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed (pip install -c constraints.txt -e '.[test]')")
    return found


def own_files() -> list[Path]:
    """The files git holds or would add, as they are now."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    names = output_of(tool("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "mypy", "lint-imports"])
def test_tools_have_nothing_to_say(command: str) -> None:
    name, *arguments = command.split()
    output_of(tool(name), *arguments)


def test_no_file_names_a_path_of_one_machine() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in own_files()
        for number, line in enumerate(file.read_bytes().decode("utf-8", "ignore").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not found, "\n".join(found)


def test_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    """Rule files, profiles and weights are read at run time: a wheel without them imports well and plays nothing."""
    output_of(tool("hatchling"), "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    ours = {file.relative_to(ROOT).as_posix() for file in own_files()}
    assert {name for name in ours if name.startswith(tuple(f"{package}/" for package in PACKAGES))} <= inside


def test_the_command_starts_without_heavy_libraries() -> None:
    """Importing torch or scikit-learn takes seconds: only the functions that need them do."""
    loaded = output_of(sys.executable, "-c", "import sys, abl_cards.cli; print(*sys.modules)").split()
    assert HEAVY.isdisjoint(loaded)
